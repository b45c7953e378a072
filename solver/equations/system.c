/* The workspace of a run, and evaluation up to the constraints. */
#include "equations/system.h"

#include "elements/curves/curve.h"
#include "equations/sliding.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* What a projection may leave: no more than this, and no more than this share of the tolerance. What it leaves differs
 * from step to step; in the history of a method of several steps that is noise, which the error test multiplies. */
static const double projection_goal = 1e-11, projection_share = 0.01;

mbs_system *mbs_system_new(const mbs_model *model, mbs_arena *arena) {
  mbs_system *system = mbs_arena_alloc(arena, 1, sizeof *system);
  if (!system) return NULL;
  system->model = model;
  system->arena = arena;
  const struct {
    double **array;
    size_t count;
  } doubles[] = {{&system->functions, 3 * model->function_count},
                 {&system->Phi, model->rows},
                 {&system->rhsV, model->rows},
                 {&system->rhsA, model->rows},
                 {&system->C, model->value_count},
                 {&system->Z, model->value_count},
                 {&system->D, model->d_count},
                 {&system->lambda, model->rows},
                 {&system->M, model->tree.size},
                 {&system->M_diagonal, model->nv},
                 {&system->h, model->nv},
                 {&system->vdot, model->nv},
                 {&system->w, model->nv},
                 {&system->mass_shifts, model->nv},
                 {&system->q_units, model->nq},
                 {&system->v_units, model->nv},
                 {&system->v_weights, model->nv},
                 {&system->row_units, model->rows},
                 {&system->w2, model->nv},
                 {&system->before, model->nv},
                 {&system->S, model->skyline.size},
                 {&system->S_pivot, model->rows},
                 {&system->S_scale, model->rows},
                 {&system->s2, model->rows},
                 {&system->s3, model->rows},
                 {&system->s4, model->rows},
                 {&system->mode_held, model->switch_count},
                 {&system->margins, model->switch_count},
                 {&system->memory, model->memory_count},
                 {&system->slots, model->slot_max},
                 {&system->in, model->input_max},
                 {&system->jets, 3 * model->input_max},
                 {&system->gradient, model->input_max},
                 {&system->outputs, model->output_count},
                 {&system->reactions, 6 * model->joint_count}};
  for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
    *doubles[i].array = mbs_arena_alloc(arena, doubles[i].count + 1, sizeof(double));
    if (!*doubles[i].array) return NULL;
  }
  system->active = mbs_arena_alloc(arena, model->rows + 1, sizeof *system->active);
  system->column_of = mbs_arena_alloc(arena, model->nv + 1, sizeof *system->column_of);
  system->contacts = mbs_arena_alloc(arena, model->curve_count + 1, sizeof *system->contacts);
  system->kernel_workspace = model->kernels->workspace(model, arena);
  system->sliding = mbs_sliding_new(model, arena);
  if (!system->active || !system->column_of || !system->contacts || !system->kernel_workspace || !system->sliding)
    return NULL;
  mbs_fill_units(model, model->length, system->q_units, system->v_units, system->row_units);
  for (size_t k = 0; k < model->nv; k++) system->v_weights[k] = system->v_units[k] * system->v_units[k];
  system->t_left = INFINITY;
  system->projection_goal = fmin(projection_goal, projection_share * model->atol);
  for (size_t r = 0; r < model->rows; r++) system->active[r] = true;
  system->all_active = true;
  for (size_t p = 0; p < model->nP; p++) system->radius = fmax(system->radius, mbs_largest(model->points[p].s, 3));
  return system;
}

static void set_function(mbs_system *system, size_t index, double t) {
  const mbs_function *function = &system->model->functions[index];
  double *value = system->functions + 3 * index;
  function->cls->value(system, function, t, value);
  if (system->drivers_held) value[1] = value[2] = 0;
  if (isnan(value[0]))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, function->element,
                       "its function of time is not defined there (outside its table?)");
  else if (!isfinite(value[0]) || !isfinite(value[1]) || !isfinite(value[2]))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, function->element,
                       "its function of time has no finite first or second derivative there");
  else if (function->distance && !(value[0] > function->least))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, function->element,
                       "its function of time must stay above 0: a distance that comes near it has no direction");
}

static void locate_contacts(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cls->locate) model->joints[j].cls->locate(system, &model->joints[j]);
}

void mbs_set_position(mbs_system *system, double t, const double *q) {
  const mbs_model *model = system->model;
  system->t = t;
  system->q = q;
  system->fault.status = MBS_OK;
  for (size_t f = 0; f < model->function_count; f++) set_function(system, f, t);
  model->kernels->positions(system);
  if (model->curve_count) locate_contacts(system);
}

void mbs_position_fault(mbs_system *system, mbs_status status, const char *element, const char *what) {
  if (system->fault.status == MBS_OK) system->fault = (mbs_fault){status, element, what, system->t};
}

mbs_status mbs_not_finite(const mbs_system *system) {
  return system->fault.status != MBS_OK ? system->fault.status : MBS_NOT_FINITE;
}

void mbs_keep_contacts(mbs_system *system) {
  const mbs_model *model = system->model;
  if (!model->curve_count) return;
  model->kernels->rows(system, MBS_WANT_RHS); /* rates */
  for (size_t c = 0; c < model->curve_count; c++) {
    system->contacts[c].kept = system->contacts[c].alpha;
    system->contacts[c].kept_rate = system->contacts[c].rate;
  }
  system->contacts_kept = true;
  system->contacts_time = system->t;
}

static void second_contact(mbs_system *system, const mbs_joint *joint) {
  static const double at_end = 1e-6;
  bool closed = true, ended = false;
  for (int c = joint->first_curve; c < joint->first_curve + joint->curve_count; c++) {
    const mbs_curve *curve = &system->model->curves[c];
    closed = closed && (curve->period > 0 || curve->ends);
    ended = ended || mbs_curve_left(curve, system->contacts[c].alpha) < at_end;
  }
  mbs_position_fault(system, MBS_CONTACT_NOT_UNIQUE, joint->name,
                     ended    ? "the contact runs past an end of the curve's range"
                     : closed ? "the curve touches at a second place"
                              : "the curve touches at a second place; give it a 'range' of alpha if it should not go "
                                "so far");
}

size_t mbs_count_margins(const mbs_model *model) {
  size_t count = 0;
  for (size_t j = 0; j < model->joint_count; j++) count += model->joints[j].cls->margin != NULL;
  return count;
}

void mbs_read_margins(const mbs_system *system, double *margins) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cls->margin) *margins++ = model->joints[j].cls->margin(system, &model->joints[j]);
}

mbs_status mbs_fail_margin(mbs_system *system, size_t index) {
  const mbs_joint *joint = system->model->joints;
  while (!joint->cls->margin || index-- > 0) joint++;
  second_contact(system, joint);
  return system->fault.status;
}

mbs_status mbs_check_contacts(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count && model->curve_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->cls->margin && joint->cls->margin(system, joint) < 0) second_contact(system, joint);
  }
  return system->fault.status;
}

void mbs_set_velocity(mbs_system *system, const double *v) {
  system->v = v;
  system->model->kernels->velocities(system);
}

void mbs_constraints(mbs_system *system, int want) { system->model->kernels->rows(system, want); }

void mbs_jacobian_times(const mbs_system *system, const double *x, double *out) {
  const mbs_model *model = system->model;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns) {
      double sum = 0;
      for (int c = 0; c < block->columns; c++) sum += row[c] * x[pattern[c]];
      out[block->first_row + r] = sum;
    }
  }
}

void mbs_jacobian_transposed(const mbs_system *system, const double *y, double *out) {
  const mbs_model *model = system->model;
  memset(out, 0, model->nv * sizeof *out);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns)
      for (int c = 0; c < block->columns; c++) out[pattern[c]] += row[c] * y[block->first_row + r];
  }
}

void mbs_jacobian_dense(const mbs_system *system, double *out) {
  const mbs_model *model = system->model;
  memset(out, 0, model->rows * model->nv * sizeof *out);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns)
      for (int c = 0; c < block->columns; c++)
        out[(size_t)pattern[c] * model->rows + (size_t)(block->first_row + r)] = row[c];
  }
}

void mbs_displace(const mbs_model *model, const double *q, const double *dv, double *out) {
  model->kernels->displace(model, q, dv, out);
}

double mbs_largest(const double *x, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(x[i])) return INFINITY;
    if (fabs(x[i]) > largest) largest = fabs(x[i]);
  }
  return largest;
}

const char *mbs_row_element(const mbs_model *model, size_t row) {
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if ((int)row >= joint->first_row && (int)row < joint->first_row + joint->row_count) return joint->name;
  }
  for (size_t d = 0; d < model->driver_count; d++)
    if (model->drivers[d].row == (int)row) return model->drivers[d].name;
  return "";
}

/* ---- for force elements -------------------------------------------------------------------------------------- */

void mbs_point_motion(const mbs_system *system, int body, const double s[3], double r[3], double v[3]) {
  system->model->kernels->point(system, body, s, 0, r);
  system->model->kernels->point(system, body, s, 1, v);
}

void mbs_push(mbs_system *system, int body, const double s[3], const double f[3]) {
  system->model->kernels->push(system, body, s, f);
}

void mbs_twist(mbs_system *system, int body, const double n[3]) { system->model->kernels->twist(system, body, n); }

void mbs_push_along(mbs_system *system, int coordinate, double Q) {
  system->model->kernels->push_along(system, &system->model->coordinates[coordinate], Q);
}

void mbs_to_global(const mbs_system *system, int body, const double u[3], double out[3]) {
  system->model->kernels->to_global(system, body, u, out);
}

void mbs_angular_velocity(const mbs_system *system, int body, double omega[3]) {
  system->model->kernels->rotation(system, body, 1, omega);
}

void mbs_apply_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  if (model->force_count) model->kernels->clear_wrenches(system); /* nothing else writes them */
  system->power_work = system->power_dissipated = system->potential_forces = 0;
  for (size_t k = 0; k < model->force_count; k++) {
    int i = model->force_order[k];
    model->forces[i].cls->apply(system, &model->forces[i], (size_t)i);
  }
}

bool mbs_outputs_finite(const mbs_system *system, const mbs_force *force) {
  for (int k = 0; k < force->outputs; k++)
    if (!isfinite(system->outputs[force->first_output + k])) return false;
  return true;
}
