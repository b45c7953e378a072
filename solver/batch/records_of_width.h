/* records_of_width.h - rows of results of all lanes: each array is read over vectors, and every lane's numbers put
 * where its row is; a part of lanes_of_width.h. */
/* The same names, of other functions. */
#define mbs_record_nothing OF_WIDTH(lanes_record_nothing)
#define mbs_record_time OF_WIDTH(lanes_record_time)
#define mbs_record_motions OF_WIDTH(lanes_record_motions)
#define mbs_record_state OF_WIDTH(lanes_record_state)
#define mbs_record_centres OF_WIDTH(lanes_record_centres)
#define mbs_record_points OF_WIDTH(lanes_record_points)
#define mbs_record_rotations OF_WIDTH(lanes_record_rotations)
#define mbs_record_orientations OF_WIDTH(lanes_record_orientations)
#define mbs_record_residuals OF_WIDTH(lanes_record_residuals)
#define mbs_record_jacobian_entries OF_WIDTH(lanes_record_jacobian_entries)
#define mbs_record_contact_parameters OF_WIDTH(lanes_record_contact_parameters)
#define mbs_record_multipliers OF_WIDTH(lanes_record_multipliers)
#define mbs_record_forces OF_WIDTH(lanes_record_forces)
#define mbs_record_reactions OF_WIDTH(lanes_record_reactions)
#define mbs_record_energies OF_WIDTH(lanes_record_energies)

#include "results/records.c"

/* Of a table its entries are read, as they are of a list of them. */
#define mbs_record_jacobian mbs_record_jacobian_entries
/* Derived arrays are none of lanes. */
#define mbs_record_euler_jacobian mbs_record_nothing
#define mbs_record_determinant mbs_record_nothing

static const struct {
  mbs_record *record;
  int level;
} readers[MBS_OUTPUT_COUNT] = {
#define MBS_OUTPUT(id, name, needs, axis1, axis2, level, unit, units, record, doc) {mbs_record_##record, level},
#include "model/outputs.def"
#undef MBS_OUTPUT
};

/* How many numbers of a row are read of a recorded array. */
static size_t count_read(const mbs_output *output, size_t k) {
  return output->recorded[k].id == MBS_OUTPUT_JAC ? output->entries.count : output->recorded[k].columns;
}

/* The bits of numbers. */
typedef uint64_t bits_of_lanes __attribute__((vector_size(8 * MBS_LANES)));

/* Which lanes of [n] have finite numbers alone: others have all bits of the exponent, and one more there is carried
 * into the sign. */
static mbs_mask are_finite(const mbs_real *x, size_t n) {
  bits_of_lanes all = {0};
  for (size_t i = 0; i < n; i++) all |= (bits_of_lanes)mbs_size(x[i]) + (UINT64_C(1) << 52);
  return (mbs_mask)all >= 0;
}

static bool do_open_rows(mbs_lanes *lanes, const mbs_output *output, mbs_arena *arena) {
  size_t most = 0;
  for (size_t k = 0; k < output->recorded_count; k++) {
    const size_t count = count_read(output, k);
    if (!mbs_output_is_derived(output->recorded[k].id) && count > most) most = count;
  }
  own(lanes)->row = vectors(arena, most);
  return own(lanes)->row != NULL;
}

/* Puts number `k` of the vectors [n] into a row. */
static void put_row(const mbs_real *from, size_t n, int k, double *to) {
  const double *numbers = (const double *)(const void *)from + k;
  for (size_t i = 0; i < n; i++) to[i] = numbers[MBS_LANES * i];
}

/* The same of the entries of a table, zero elsewhere. */
static void put_entries(const mbs_real *from, const mbs_output *output, int k, double *to) {
  const double *numbers = (const double *)(const void *)from + k;
  const mbs_jacobian_entries *entries = &output->entries;
  for (size_t r = 0; r < output->model->rows; r++, to += output->model->nv)
    for (size_t e = entries->row0[r]; e < entries->row0[r + 1]; e++) to[entries->column[e]] = numbers[MBS_LANES * e];
}

/* Reads a recorded array into self->row and puts it into the rows from `row` on; which lanes have finite numbers. */
static mbs_mask record_array(const lane_system *self, const mbs_output *output, size_t array, size_t row,
                             const bool wanted[MBS_LANES_MOST]) {
  const mbs_output_id id = output->recorded[array].id;
  const mbs_recording recording = {output, &self->system, row, readers[id].level};
  const size_t columns = output->recorded[array].columns, count = count_read(output, array);
  readers[id].record(&recording, self->row);
  for (int k = 0; k < MBS_LANES; k++) {
    double *to = output->arrays[id]->data + (row + (size_t)k) * columns;
    if (wanted[k] && id == MBS_OUTPUT_JAC)
      put_entries(self->row, output, k, to);
    else if (wanted[k])
      put_row(self->row, count, k, to);
  }
  return are_finite(self->row, count);
}

static void do_record(mbs_lanes *lanes, const mbs_output *output, size_t row, const bool wanted[MBS_LANES_MOST],
                      bool finite[MBS_LANES_MOST]) {
  lane_system *self = own(lanes);
  mbs_system *system = &self->system;
  mbs_mask all = MBS_ALL(0) == MBS_ALL(0);
  system->t = load(lanes->t);
  system->potential_forces = load(lanes->potential_forces);
  system->work = load(lanes->work);
  system->dissipated = load(lanes->dissipated);
  if (output->forces) KERNEL(reactions)(system);
  for (size_t k = 0; k < output->recorded_count; k++)
    if (!mbs_output_is_derived(output->recorded[k].id)) all &= record_array(self, output, k, row, wanted);
  for (int k = 0; k < MBS_LANES; k++) finite[k] = all[k];
  leave_vectors();
}
