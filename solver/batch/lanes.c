/* Lanes as seen by their callers: their numbers, functions of time, and which forces are computed over vectors. */
#include "batch/operations.h"

#include "constraints/projection.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "expression/program.h"
#include "kernels/planar/planar.h"
#include "kernels/spatial/spatial.h"
#include "model/discrete.h"
#include "model/element.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Returns the operations over the widest vectors of the processor, of at most `most` numbers; NULL if it has none. */
static const mbs_lane_operations *operations_of(const mbs_model *model, size_t most) {
#if defined(__x86_64__)
  const bool planar = model->kernels == &mbs_planar_kernels;
  if (most >= 8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return planar ? &mbs_lanes_x8 : &spatial_mbs_lanes_x8;
  if (most >= 4 && __builtin_cpu_supports("avx2")) return planar ? &mbs_lanes_x4 : &spatial_mbs_lanes_x4;
#endif
  (void)model;
  (void)most;
  return NULL;
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

#if defined(__x86_64__)
#define MBS_LANE_FORCE(name) \
  extern const mbs_force_class mbs_force_##name, mbs_force_##name##_x4, mbs_force_##name##_x8;
#include "batch/forces.def"

/* Each class over doubles, over vectors of four and over vectors of eight. */
static const mbs_force_class *const classes[][3] = {
#define MBS_LANE_FORCE(name) {&mbs_force_##name, &mbs_force_##name##_x4, &mbs_force_##name##_x8},
#include "batch/forces.def"
};

#endif

/* Returns the vector version of a class; NULL if there is none. */
static const mbs_force_class *over_vectors(const mbs_force_class *cls, size_t width) {
#if defined(__x86_64__)
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (classes[i][0] == cls) return classes[i][width == 4 ? 1 : 2];
#endif
  (void)cls;
  (void)width;
  return NULL;
}

bool mbs_lanes_read_input(const mbs_input *input) {
  switch (input->kind) {
  case MBS_INPUT_TIME:
  case MBS_INPUT_EULER:
  case MBS_INPUT_MATRIX: return true;
  case MBS_INPUT_POINT:
  case MBS_INPUT_ANGLE:
  case MBS_INPUT_PRIMITIVE: return input->level < 2;
  default: return false;
  }
}

/* Returns true if lanes can evaluate a law of a force: it has no switches, and lanes read its inputs. */
static bool is_supported_law(const mbs_model *model, const mbs_law *law) {
  bool taken = law->switches == 0;
  for (size_t i = 0; taken && law->expression && i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    taken = input->kind == MBS_INPUT_FORCE || mbs_lanes_read_input(input);
  }
  return taken;
}

/* Finds the vector versions of all forces. Returns false if one has none; forces are then computed lane by lane. */
static bool find_vector_forces(const mbs_model *model, size_t width, const mbs_force_class **out) {
  for (size_t i = 0; i < model->force_count; i++) {
    const mbs_force *force = &model->forces[i];
    out[i] = over_vectors(force->cls, width);
    if (!out[i]) return false;
    for (size_t l = 0; l < force->law_count; l++)
      if (!is_supported_law(model, &force->laws[l])) return false;
  }
  return true;
}

/* ---- allocation -------------------------------------------------------------------------------------------------- */

const char *mbs_lanes_unsupported_reason(const mbs_model *model) {
  if (model->curve_count) return "curves";
  if (model->external_count) return "inputs";
  if (model->nz) return "states with differential equations";
  if (mbs_has_discrete(model)) return "events, 'stop_when' or sampled values";
  if (model->kernels->integrated_angles(model))
    return "angles without a joint coordinate, whose revolutions are counted by integration";
  if (model->feedback_count) return "forces that depend on accelerations or reactions";
  if (model->coupled_rotors) return "an armature of a joint outside the tree";
  for (size_t f = 0; f < model->force_count; f++)
    if (model->forces[f].late) return "outputs that are known only together with the accelerations";
  for (size_t b = 0; b < model->block_count; b++)
    if (model->blocks[b].level == MBS_LEVEL_VELOCITY)
      return "joints that restrict velocities only";
    else if (model->blocks[b].primitive == MBS_PRIMITIVE_CUSTOM)
      return model->blocks[b].custom && model->blocks[b].custom->cls->tooth_force
                 ? "joints between teeth"
                 : "joints given by expressions or paths";
  return NULL;
}

bool mbs_lanes_supported(const mbs_model *model) {
  return !mbs_lanes_unsupported_reason(model) && operations_of(model, MBS_LANES_MAX);
}

mbs_lanes *mbs_lanes_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_lanes *lanes = mbs_arena_alloc(arena, 1, sizeof *lanes);
  if (!lanes) return NULL;
  const mbs_lane_operations *operations = operations_of(model, most);
  assert(operations != NULL);
  *lanes = (mbs_lanes){.model = model, .operations = operations, .width = (size_t)operations->width};
  const mbs_force_class **forces = mbs_arena_alloc(arena, model->force_count + 1, sizeof *forces);
  if (!forces) return NULL;
  lanes->forces = find_vector_forces(model, lanes->width, forces) ? forces : NULL;
  lanes->shown = mbs_arena_alloc(arena, MBS_LANES_MAX * model->state.motion + 1, sizeof *lanes->shown);
  return lanes->shown && operations->open(lanes, arena) ? lanes : NULL;
}

/* Allocates an array of `count` numbers per lane, aligned for vectors, as arena blocks of 64 bytes or more are. */
static double *interleaved(mbs_arena *arena, const mbs_lanes *lanes, size_t count) {
  return mbs_arena_alloc(arena, lanes->width * (count + 2), sizeof(double));
}

/* Allocates the literals of the force laws. Returns false if memory runs out. */
static bool open_laws(mbs_lane_numbers *numbers, const mbs_lanes *lanes, mbs_arena *arena) {
  const mbs_model *model = lanes->model;
  for (size_t i = 0; i < model->force_count; i++)
    for (size_t l = 0; l < model->forces[i].law_count; l++) {
      const mbs_law *law = &model->forces[i].laws[l];
      if (!law->expression) continue;
      double **literals = &numbers->literals[law->number];
      if (!(*literals = interleaved(arena, lanes, law->expression->program.literal_count))) return false;
    }
  lanes->operations->open_laws(model, numbers);
  return true;
}

mbs_lane_numbers *mbs_lane_numbers_new(const mbs_lanes *lanes, mbs_arena *arena) {
  const mbs_model *model = lanes->model;
  mbs_lane_numbers *numbers = mbs_arena_alloc(arena, 1, sizeof *numbers);
  if (!numbers) return NULL;
  numbers->operations = lanes->operations;
  numbers->blocks = interleaved(arena, lanes, model->block_numbers * lanes->operations->block_size);
  numbers->joints = interleaved(arena, lanes, model->joint_count * lanes->operations->joint_size);
  numbers->kernels = interleaved(arena, lanes, (model->nB + 1) * lanes->operations->kernel_size);
  numbers->radius2 = interleaved(arena, lanes, model->nB + 1);
  numbers->rotors = interleaved(arena, lanes, model->rotor_count);
  numbers->rotor_masses = interleaved(arena, lanes, model->nv);
  numbers->points = interleaved(arena, lanes, 3 * model->nP);
  numbers->forces = interleaved(arena, lanes, model->force_count * lanes->operations->force_size);
  numbers->laws = interleaved(arena, lanes, model->law_count * lanes->operations->law_size);
  numbers->literals = mbs_arena_alloc(arena, model->law_count + 1, sizeof *numbers->literals);
  const bool there = numbers->blocks && numbers->joints && numbers->kernels && numbers->radius2 && numbers->rotors &&
                     numbers->rotor_masses && numbers->points && numbers->forces && numbers->laws && numbers->literals;
  return there && (!lanes->forces || open_laws(numbers, lanes, arena)) ? numbers : NULL;
}

static void put(double *to, size_t width, int lane, const void *from, size_t count) {
  assert(lane >= 0 && (size_t)lane < width);
  const double *values = from;
  for (size_t i = 0; i < count; i++) to[width * i + (size_t)lane] = values[i];
}

static void get(void *to, size_t width, int lane, const double *from, size_t count) {
  assert(lane >= 0 && (size_t)lane < width);
  double *values = to;
  for (size_t i = 0; i < count; i++) values[i] = from[width * i + (size_t)lane];
}

void mbs_lane_numbers_set(mbs_lane_numbers *numbers, const mbs_constants *constants, int lane) {
  const mbs_model *model = constants->model;
  const mbs_lane_operations *of = numbers->operations;
  const size_t width = (size_t)of->width;
  put(numbers->blocks, width, lane, constants->blocks, model->block_numbers * of->block_size);
  put(numbers->joints, width, lane, constants->joints, model->joint_count * of->joint_size);
  put(numbers->kernels, width, lane, constants->kernels, (model->nB + 1) * of->kernel_size);
  put(numbers->radius2, width, lane, constants->radius2, model->nB + 1);
  put(numbers->rotors, width, lane, constants->rotors, model->rotor_count);
  put(numbers->rotor_masses, width, lane, constants->rotor_masses, model->nv);
  put(numbers->gravity, width, lane, constants->gravity, 3);
  put(numbers->points, width, lane, constants->points, 3 * model->nP);
  for (size_t i = 0; i < model->force_count; i++)
    put(numbers->forces + i * width * of->force_size, width, lane, &constants->forces[i].geometry, of->geometry_size);
  for (size_t l = 0; l < model->law_count; l++) {
    const mbs_law_constants *law = &constants->laws[l];
    const mbs_expression *expression = numbers->literals[l] ? law->expression : NULL;
    put(numbers->laws + width * (l * of->law_size + of->law_value), width, lane, &law->value, 1);
    if (expression) put(numbers->literals[l], width, lane, expression->constants, expression->program.literal_count);
  }
}

/* Sets each of `count` interleaved numbers that differs between lanes to NaN. */
static void mark_nan(double *numbers, size_t width, size_t count) {
  for (size_t i = 0; i < count; i++, numbers += width) {
    bool same = true;
    for (size_t k = 1; k < width; k++) same &= numbers[k] == numbers[0];
    for (size_t k = 0; k < width && !same; k++) numbers[k] = NAN;
  }
}

void mbs_lane_numbers_mark_nan(mbs_lane_numbers *numbers, const mbs_model *model) {
  const mbs_lane_operations *of = numbers->operations;
  const size_t width = (size_t)of->width;
  mark_nan(numbers->blocks, width, model->block_numbers * of->block_size);
  mark_nan(numbers->joints, width, model->joint_count * of->joint_size);
  mark_nan(numbers->kernels, width, (model->nB + 1) * of->kernel_size);
  mark_nan(numbers->radius2, width, model->nB + 1);
  mark_nan(numbers->rotors, width, model->rotor_count);
  mark_nan(numbers->rotor_masses, width, model->nv);
  mark_nan(numbers->gravity, width, 3);
  mark_nan(numbers->points, width, 3 * model->nP);
  for (size_t i = 0; i < model->force_count; i++) {
    const mbs_force *force = &model->forces[i];
    mark_nan(numbers->forces + i * width * of->force_size, width, of->geometry_size);
    for (size_t l = 0; l < force->law_count; l++) {
      const mbs_law *law = &force->laws[l];
      double *literals = numbers->literals[law->number];
      mark_nan(numbers->laws + width * ((size_t)law->number * of->law_size + of->law_value), width, 1);
      if (literals) mark_nan(literals, width, law->expression->program.literal_count);
    }
  }
}

void mbs_lanes_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers) { lanes->operations->use(lanes, numbers); }

mbs_status mbs_lanes_set_functions(mbs_lanes *lanes, int lane, mbs_system *system, double t) {
  mbs_set_functions(system, t);
  put(lanes->functions, lanes->width, lane, system->functions, 3 * lanes->model->function_count);
  return system->fault.status;
}

void mbs_lanes_set_position(mbs_lanes *lanes) { lanes->operations->positions(lanes); }
void mbs_lanes_set_velocity(mbs_lanes *lanes) { lanes->operations->velocities(lanes); }
void mbs_lanes_constraints(mbs_lanes *lanes, int want) { lanes->operations->rows(lanes, want); }
void mbs_lanes_forces(mbs_lanes *lanes) { lanes->operations->forces(lanes); }
void mbs_lanes_residual_forces(mbs_lanes *lanes) { lanes->operations->residual_forces(lanes); }
void mbs_lanes_jacobian_times(mbs_lanes *lanes, const double *x) { lanes->operations->times(lanes, x); }
void mbs_lanes_jacobian_transposed(mbs_lanes *lanes, const double *y) { lanes->operations->transposed(lanes, y); }

/* ---- systems of one mechanism ------------------------------------------------------------------------------------ */

/* Arrays of the kernels for one mechanism. Per body: all numbers, those before the wrench, and those of the wrench. */
typedef struct kernel_numbers {
  double *bodies, *pivots;
  size_t body, kinematics, wrench, pivot;
} kernel_numbers;

static kernel_numbers numbers_of(const mbs_system *system) {
  const bool recursive = system->model->recursive;
  if (system->model->kernels == &mbs_planar_kernels)
    return (kernel_numbers){.bodies = &planar_of(system)->bodies[0].c,
                            .pivots = recursive ? planar_articulated_pivots(planar_of(system)) : NULL,
                            .body = sizeof(planar_body) / sizeof(double),
                            .kinematics = offsetof(planar_body, fx) / sizeof(double),
                            .wrench = 3,
                            .pivot = PLANAR_PIVOT};
  return (kernel_numbers){.bodies = spatial_of(system)->bodies[0].A,
                          .pivots = recursive ? spatial_articulated_pivots(spatial_of(system)) : NULL,
                          .body = sizeof(spatial_body) / sizeof(double),
                          .kinematics = offsetof(spatial_body, f) / sizeof(double),
                          .wrench = 6,
                          .pivot = SPATIAL_PIVOT};
}

/* The system also needs the coordinates in space: they determine how many revolutions an angle has made. */
void mbs_lanes_extract(const mbs_lanes *lanes, int lane, mbs_system *system) {
  const mbs_model *model = lanes->model;
  const kernel_numbers of = numbers_of(system);
  for (size_t b = 1; b <= model->nB; b++)
    get(of.bodies + b * of.body, lanes->width, lane, lanes->bodies + b * lanes->width * of.body, of.kinematics);
  get(system->functions, lanes->width, lane, lanes->functions, 3 * model->function_count);
  if (model->dim == 2) return;
  double *q = lanes->shown + (size_t)lane * model->state.motion, *v = q + model->nq;
  get(q, lanes->width, lane, lanes->q, model->nq);
  get(v, lanes->width, lane, lanes->v, model->nv);
  system->q = q;
  system->v = v;
}

void mbs_lanes_store_forces(mbs_lanes *lanes, int lane, const mbs_system *system) {
  const kernel_numbers of = numbers_of(system);
  for (size_t b = 0; b <= lanes->model->nB; b++)
    put(lanes->bodies + lanes->width * (b * of.body + of.kinematics), lanes->width, lane,
        of.bodies + b * of.body + of.kinematics, of.wrench);
  lanes->power_work[lane] = system->power_work;
  lanes->power_dissipated[lane] = system->power_dissipated;
  put(lanes->outputs, lanes->width, lane, system->outputs, lanes->model->output_count);
  lanes->potential_forces[lane] = system->potential_forces;
}

/* ---- one mechanism, at several times --------------------------------------------------------------------------- */

static void broadcast(double *to, size_t width, const double *from, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < width; k++) to[width * i + k] = from[i];
}

void mbs_lanes_set_active_rows(mbs_lanes *lanes, const mbs_system *system) {
  memcpy(lanes->active, system->active, lanes->model->rows * sizeof *lanes->active);
  lanes->all_active = system->all_active;
  lanes->operations->set_active_rows(lanes, system->all_active);
}

void mbs_lanes_broadcast(mbs_lanes *lanes, mbs_lane_numbers *numbers, const mbs_system *system) {
  for (int k = 0; k < (int)lanes->width; k++) mbs_lane_numbers_set(numbers, system->constants, k);
  mbs_lanes_use(lanes, numbers);
  broadcast(lanes->row_units, lanes->width, system->row_units, lanes->model->rows);
  broadcast(lanes->v_units, lanes->width, system->v_units, lanes->model->nv);
  broadcast(lanes->projection_goal, lanes->width, &system->projection_goal, 1);
  broadcast(lanes->time, lanes->width, &system->constants->time, 1);
}

void mbs_lanes_broadcast_factors(mbs_lanes *lanes, const mbs_system *system) {
  const mbs_model *model = lanes->model;
  const mbs_fill *fill = model->skyline.fill;
  double *to[MBS_LANE_FACTORS];
  lanes->operations->factors(lanes, to);
  const kernel_numbers of = numbers_of(system);
  if (model->recursive)
    broadcast(to[5], lanes->width, of.pivots, of.pivot * model->nv);
  else
    broadcast(to[0], lanes->width, system->M, model->tree.size);
  broadcast(to[1], lanes->width, system->M_diagonal, model->nv);
  broadcast(to[2], lanes->width, system->Z, model->value_count);
  broadcast(to[3], lanes->width, system->S_pivot, model->rows);
  broadcast(to[4], lanes->width, fill ? system->S_factors : system->S, fill ? fill->size : model->skyline.size);
  mbs_lanes_set_active_rows(lanes, system);
}

/* Updates the lanes that still move from their residuals. A lane stops at its goal, and is no longer `good` if it
 * converges too slowly. Returns true if some lane continues. */
static bool update_moving(size_t width, const double residual[], const double goal[], double before[], bool moves[],
                          bool good[]) {
  bool any = false;
  for (size_t k = 0; k < width; k++) {
    if (!moves[k]) continue;
    good[k] = isfinite(residual[k]) && (residual[k] <= goal[k] || !(residual[k] > mbs_projection_slow * before[k]));
    moves[k] = good[k] && residual[k] > goal[k];
    before[k] = residual[k];
    any |= moves[k];
  }
  return any;
}

static void clear_unfinished(size_t width, const bool moves[], bool good[]) {
  for (size_t k = 0; k < width; k++) good[k] &= !moves[k];
}

/* Clears `good` of lanes whose redundant rows do not follow from the others. */
static void check_redundant(mbs_lanes *lanes, bool good[]) {
  lanes->operations->largest_row(lanes, lanes->Phi, false, lanes->redundant);
  for (size_t k = 0; k < lanes->width; k++) good[k] &= lanes->redundant[k] <= mbs_data_precision;
}

/* theory (11.1) */
void mbs_lanes_project_positions(mbs_lanes *lanes, bool good[MBS_LANES_MAX]) {
  double residual[MBS_LANES_MAX], before[MBS_LANES_MAX];
  bool moves[MBS_LANES_MAX];
  for (size_t k = 0; k < lanes->width; k++) {
    moves[k] = good[k];
    before[k] = INFINITY;
  }
  lanes->operations->normalize(lanes);
  for (int i = 0; i < MBS_PROJECTION_STEPS; i++) {
    lanes->operations->positions(lanes);
    lanes->operations->rows(lanes, MBS_WANT_PHI);
    lanes->operations->largest_row(lanes, lanes->Phi, true, residual);
    if (!update_moving(lanes->width, residual, lanes->projection_goal, before, moves, good)) break;
    /* q -= M^-1 C' S^-1 Phi */
    lanes->operations->miss_positions(lanes);
    lanes->operations->move_positions(lanes, moves);
  }
  clear_unfinished(lanes->width, moves, good);
  check_redundant(lanes, good);
}

/* theory (11.2) */
void mbs_lanes_project_velocities(mbs_lanes *lanes, bool good[MBS_LANES_MAX]) {
  double residual[MBS_LANES_MAX], goal[MBS_LANES_MAX], before[MBS_LANES_MAX], slowest[MBS_LANES_MAX];
  bool moves[MBS_LANES_MAX];
  for (size_t k = 0; k < lanes->width; k++) {
    moves[k] = good[k];
    before[k] = INFINITY;
    slowest[k] = 1 / lanes->time[k];
  }
  lanes->operations->velocities(lanes);
  lanes->operations->rows(lanes, MBS_WANT_C | MBS_WANT_RHS);
  for (int i = 0; i < MBS_PROJECTION_STEPS; i++) {
    lanes->operations->fastest(lanes, slowest, goal);
    for (size_t k = 0; k < lanes->width; k++) goal[k] *= lanes->projection_goal[k];
    lanes->operations->times(lanes, lanes->v);
    lanes->operations->miss_velocities(lanes);
    lanes->operations->largest_row(lanes, lanes->missing, true, residual);
    if (!update_moving(lanes->width, residual, goal, before, moves, good)) break;
    /* v += M^-1 C' S^-1 (rhsV - C v) */
    lanes->operations->move_velocities(lanes, moves);
  }
  clear_unfinished(lanes->width, moves, good);
  lanes->operations->velocities(lanes);
}

/* ---- several mechanisms, one step of each ------------------------------------------------------------------------ */

bool mbs_lanes_open_steps(mbs_lanes *lanes, const char *method, size_t states, size_t n_error, mbs_arena *arena,
                          size_t *stages) {
  return lanes->operations->open_steps(lanes, method, states, n_error, arena, stages);
}

void mbs_lanes_set_error_scales(mbs_lanes *lanes, int lane, const double *units) {
  const mbs_model *model = lanes->model;
  put(lanes->error_scales, lanes->width, lane, units, model->state.motion);
}

void mbs_lanes_set_projection_scales(mbs_lanes *lanes, int lane, const mbs_system *system) {
  put(lanes->row_units, lanes->width, lane, system->row_units, lanes->model->rows);
  put(lanes->v_units, lanes->width, lane, system->v_units, lanes->model->nv);
  lanes->projection_goal[lane] = system->projection_goal;
  lanes->time[lane] = system->constants->time;
}

/* Computes the length of each factor array (operations.h). */
static void factor_counts(const mbs_model *model, size_t counts[MBS_LANE_FACTORS]) {
  const mbs_fill *fill = model->skyline.fill;
  const size_t pivot = model->kernels == &mbs_planar_kernels ? PLANAR_PIVOT : SPATIAL_PIVOT;
  counts[0] = model->recursive ? 0 : model->tree.size;
  counts[1] = model->nv;
  counts[2] = model->value_count;
  counts[3] = model->rows;
  counts[4] = fill ? fill->size : model->skyline.size;
  counts[5] = model->recursive ? pivot * model->nv : 0;
}

/* Returns the factor arrays of a system, which the caller overwrites, and counts a new factorization. */
static void replace_factors(mbs_system *system, double *factors[MBS_LANE_FACTORS]) {
  const bool fill = system->model->skyline.fill;
  double *const all[MBS_LANE_FACTORS] = {system->M,
                                         system->M_diagonal,
                                         system->Z,
                                         system->S_pivot,
                                         fill ? system->S_factors : system->S,
                                         numbers_of(system).pivots};
  memcpy(factors, all, sizeof all);
  mbs_select_independent_rows(system->model, system->active, system->all_active, &system->schur_rows);
  system->shifted = system->unequal_masses = false;
  system->factorizations++;
}

void mbs_lanes_extract_factors(const mbs_lanes *lanes, int lane, mbs_system *system) {
  double *from[MBS_LANE_FACTORS], *to[MBS_LANE_FACTORS];
  size_t counts[MBS_LANE_FACTORS];
  factor_counts(lanes->model, counts);
  lanes->operations->factors(lanes, from);
  replace_factors(system, to);
  for (int i = 0; i < MBS_LANE_FACTORS; i++) get(to[i], lanes->width, lane, from[i], counts[i]);
}

size_t mbs_lanes_factor_numbers(const mbs_model *model) {
  size_t counts[MBS_LANE_FACTORS], sum = 0;
  factor_counts(model, counts);
  for (int i = 0; i < MBS_LANE_FACTORS; i++) sum += counts[i];
  return sum;
}

void mbs_lanes_store_factors(const mbs_lanes *lanes, int lane, double *kept) {
  double *from[MBS_LANE_FACTORS];
  size_t counts[MBS_LANE_FACTORS];
  factor_counts(lanes->model, counts);
  lanes->operations->factors(lanes, from);
  for (int i = 0; i < MBS_LANE_FACTORS; kept += counts[i++]) get(kept, lanes->width, lane, from[i], counts[i]);
}

void mbs_lanes_restore_factors(const double *kept, mbs_system *system) {
  double *to[MBS_LANE_FACTORS];
  size_t counts[MBS_LANE_FACTORS];
  factor_counts(system->model, counts);
  replace_factors(system, to);
  for (int i = 0; i < MBS_LANE_FACTORS; kept += counts[i++])
    if (counts[i] > 0) memcpy(to[i], kept, counts[i] * sizeof *kept);
}

void mbs_lanes_gather(const mbs_lanes *lanes, double *to, size_t n, const double *const from[MBS_LANES_MAX]) {
  lanes->operations->gather(to, n, from);
}

void mbs_lanes_scatter(const mbs_lanes *lanes, const double *from, size_t n, double *const to[MBS_LANES_MAX]) {
  lanes->operations->scatter(from, n, to);
}

void mbs_lanes_along(const mbs_lanes *lanes, double *to, size_t n, const double *y, const double *s,
                     const double reach[MBS_LANES_MAX]) {
  lanes->operations->along(to, n, y, s, reach);
}

void mbs_lanes_at(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y) { lanes->operations->at(lanes, t, y); }

void mbs_lanes_rates(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y, double *f) {
  lanes->operations->rates(lanes, t, y, f);
}

uint64_t mbs_lanes_step(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]) {
  return lanes->operations->step(lanes, t, h);
}

void mbs_lanes_errors(mbs_lanes *lanes, const double h[MBS_LANES_MAX], double norm[MBS_LANES_MAX]) {
  lanes->operations->errors(lanes, h, norm);
}

void mbs_lanes_stiffness(const mbs_lanes *lanes, const double h[MBS_LANES_MAX], double out[MBS_LANES_MAX]) {
  lanes->operations->stiffness(lanes, h, out);
}

uint64_t mbs_lanes_prepare(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]) {
  return lanes->operations->prepare(lanes, t, h);
}

void mbs_lanes_dense_error(const mbs_lanes *lanes, double out[MBS_LANES_MAX]) {
  lanes->operations->dense_error(lanes, out);
}

void mbs_lanes_inside(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX],
                      const double t1[MBS_LANES_MAX], const double times[MBS_LANES_MAX]) {
  lanes->operations->inside(lanes, t, h, t1, times);
}

void mbs_lanes_set_state(mbs_lanes *lanes, const double times[MBS_LANES_MAX], bool velocities, bool good[MBS_LANES_MAX],
                         bool stays[MBS_LANES_MAX]) {
  const mbs_model *model = lanes->model;
  mbs_lanes_at(lanes, times, lanes->inside);
  for (size_t k = 0; k < lanes->width; k++) good[k] = good[k] && lanes->fine[k];
  mbs_lanes_project_positions(lanes, good);
  if (velocities && model->rows) mbs_lanes_project_velocities(lanes, good);
  if (velocities && !model->rows) lanes->operations->velocities(lanes);
  lanes->operations->same(lanes, model->nq + (velocities ? model->nv : 0), lanes->inside, lanes->y1, stays);
}

void mbs_lanes_read(const mbs_lanes *lanes, const mbs_input *input, double out[MBS_LANES_MAX]) {
  lanes->operations->read(lanes, input, out);
}
