/* Lanes from outside: their numbers, their functions of time, and forces, which are computed lane by lane. */
#include "lanes/planar_lanes.h"

#include "equations/jacobian.h"
#include "equations/state.h"
#include "kernels/planar/planar.h"

#include <math.h>
#include <stddef.h>

#if defined(__x86_64__)
static bool has_vectors(void) { return __builtin_cpu_supports("avx2"); }
#else
static bool has_vectors(void) { return false; }
#endif

bool mbs_lanes_take(const mbs_model *model) {
  if (model->kernels != &mbs_planar_kernels || model->curve_count || !has_vectors()) return false;
  for (size_t b = 0; b < model->block_count; b++)
    if (model->blocks[b].primitive == MBS_PRIMITIVE_CUSTOM) return false;
  return true;
}

/* Four arrays of so many numbers, interleaved; aligned for vectors, which pieces of 64 bytes and more are. */
static double *interleaved(mbs_arena *arena, size_t count) {
  return mbs_arena_alloc(arena, MBS_LANE_COUNT * (count + 2), sizeof(double));
}

mbs_lanes *mbs_lanes_new(const mbs_model *model, mbs_arena *arena) {
  mbs_lanes *lanes = mbs_arena_alloc(arena, 1, sizeof *lanes);
  if (!lanes) return NULL;
  *lanes = (mbs_lanes){.model = model};
  return mbs_planar_lanes_open(lanes, arena) ? lanes : NULL;
}

mbs_lane_numbers *mbs_lane_numbers_new(const mbs_model *model, mbs_arena *arena) {
  mbs_lane_numbers *numbers = mbs_arena_alloc(arena, 1, sizeof *numbers);
  if (!numbers) return NULL;
  numbers->blocks = interleaved(arena, model->block_numbers * mbs_lane_block_size());
  numbers->kernels = interleaved(arena, (model->nB + 1) * mbs_lane_kernel_size());
  numbers->radius2 = interleaved(arena, model->nB + 1);
  return numbers->blocks && numbers->kernels && numbers->radius2 ? numbers : NULL;
}

static void put(double *to, int lane, const void *from, size_t count) {
  const double *values = from;
  for (size_t i = 0; i < count; i++) to[MBS_LANE_COUNT * i + (size_t)lane] = values[i];
}

static void get(void *to, int lane, const double *from, size_t count) {
  double *values = to;
  for (size_t i = 0; i < count; i++) values[i] = from[MBS_LANE_COUNT * i + (size_t)lane];
}

void mbs_lane_numbers_set(mbs_lane_numbers *numbers, const mbs_constants *constants, int lane) {
  const mbs_model *model = constants->model;
  put(numbers->blocks, lane, constants->blocks, model->block_numbers * mbs_lane_block_size());
  put(numbers->kernels, lane, constants->kernels, (model->nB + 1) * mbs_lane_kernel_size());
  put(numbers->radius2, lane, constants->radius2, model->nB + 1);
  put(numbers->gravity, lane, constants->gravity, 3);
}

void mbs_lanes_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers) { mbs_planar_lanes_use(lanes, numbers); }

mbs_status mbs_lanes_set_functions(mbs_lanes *lanes, int lane, mbs_system *system, double t) {
  mbs_set_functions(system, t);
  put(lanes->functions, lane, system->functions, 3 * lanes->model->function_count);
  return system->fault.status;
}

void mbs_lanes_set_position(mbs_lanes *lanes) { mbs_planar_lanes_positions(lanes); }
void mbs_lanes_set_velocity(mbs_lanes *lanes) { mbs_planar_lanes_velocities(lanes); }
void mbs_lanes_constraints(mbs_lanes *lanes, int want) { mbs_planar_lanes_rows(lanes, want); }
void mbs_lanes_residual_forces(mbs_lanes *lanes) { mbs_planar_lanes_residual_forces(lanes); }
void mbs_lanes_jacobian_times(mbs_lanes *lanes, const double *x) { mbs_planar_lanes_times(lanes, x); }
void mbs_lanes_jacobian_transposed(mbs_lanes *lanes, const double *y) { mbs_planar_lanes_transposed(lanes, y); }

/* The numbers of a body up to its wrench. */
enum { KINEMATICS = offsetof(planar_body, fx) / sizeof(double), WRENCH = 3 };

void mbs_lanes_show(const mbs_lanes *lanes, int lane, mbs_system *system) {
  planar_body *bodies = planar_of(system)->bodies;
  const size_t size = MBS_LANE_COUNT * sizeof *bodies / sizeof(double);
  for (size_t b = 1; b <= lanes->model->nB; b++) get(&bodies[b], lane, lanes->bodies + b * size, KINEMATICS);
  get(system->functions, lane, lanes->functions, 3 * lanes->model->function_count);
}

void mbs_lanes_push(mbs_lanes *lanes, int lane, const mbs_system *system) {
  const planar_body *bodies = planar_of(system)->bodies;
  const size_t size = MBS_LANE_COUNT * sizeof *bodies / sizeof(double);
  for (size_t b = 0; b <= lanes->model->nB; b++)
    put(lanes->bodies + b * size + (size_t)MBS_LANE_COUNT * KINEMATICS, lane, &bodies[b].fx, WRENCH);
}

/* ---- one mechanism, at several times --------------------------------------------------------------------------- */

static void spread(double *to, const double *from, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < MBS_LANE_COUNT; k++) to[MBS_LANE_COUNT * i + k] = from[i];
}

void mbs_lanes_spread(mbs_lanes *lanes, mbs_lane_numbers *numbers, const mbs_system *system) {
  for (int k = 0; k < MBS_LANE_COUNT; k++) mbs_lane_numbers_set(numbers, system->constants, k);
  mbs_lanes_use(lanes, numbers);
  spread(lanes->row_units, system->row_units, lanes->model->rows);
  spread(lanes->v_units, system->v_units, lanes->model->nv);
  spread(lanes->projection_goal, &system->projection_goal, 1);
  spread(lanes->time, &system->constants->time, 1);
}

void mbs_lanes_spread_factors(mbs_lanes *lanes, const mbs_system *system) {
  const mbs_model *model = lanes->model;
  const mbs_fill *fill = model->skyline.fill;
  double *to[MBS_LANE_FACTORS];
  mbs_planar_lanes_factors(lanes, to);
  if (model->recursive)
    spread(to[5], planar_articulated_pivots(planar_of(system)), PLANAR_PIVOT * model->nv);
  else
    spread(to[0], system->M, model->tree.size);
  spread(to[1], system->M_diagonal, model->nv);
  spread(to[2], system->Z, model->value_count);
  spread(to[3], system->S_pivot, model->rows);
  spread(to[4], fill ? system->S_factors : system->S, fill ? fill->size : model->skyline.size);
}

/* Of mbs_project_positions(): a step that left more than this share of what the one before left wants new factors. */
static const double slow_share = 0.2;
enum { ITERATIONS_MAX = 20 };

/* Takes what residuals say of lanes that still move: whether they end, go on, or are given up. Returns whether one goes
 * on. */
static bool go_on(const double residual[], const double goal[], double before[], bool moves[], bool good[]) {
  bool any = false;
  for (int k = 0; k < MBS_LANE_COUNT; k++) {
    if (!moves[k]) continue;
    good[k] = isfinite(residual[k]) && (residual[k] <= goal[k] || !(residual[k] > slow_share * before[k]));
    moves[k] = good[k] && residual[k] > goal[k];
    before[k] = residual[k];
    any |= moves[k];
  }
  return any;
}

static void give_up(const bool moves[], bool good[]) {
  for (int k = 0; k < MBS_LANE_COUNT; k++) good[k] &= !moves[k];
}

/* theory (11.1) */
void mbs_lanes_project_positions(mbs_lanes *lanes, bool good[MBS_LANE_COUNT]) {
  double residual[MBS_LANE_COUNT], before[MBS_LANE_COUNT];
  bool moves[MBS_LANE_COUNT];
  for (int k = 0; k < MBS_LANE_COUNT; k++) {
    moves[k] = good[k];
    before[k] = INFINITY;
  }
  for (int i = 0; i < ITERATIONS_MAX; i++) {
    mbs_planar_lanes_positions(lanes);
    mbs_planar_lanes_rows(lanes, MBS_WANT_PHI);
    mbs_planar_lanes_largest_row(lanes, lanes->Phi, residual);
    if (!go_on(residual, lanes->projection_goal, before, moves, good)) return;
    /* q -= M^-1 C' S^-1 Phi */
    mbs_planar_lanes_miss_positions(lanes);
    mbs_planar_lanes_move(lanes, lanes->q, moves);
  }
  give_up(moves, good);
}

/* theory (11.2) */
void mbs_lanes_project_velocities(mbs_lanes *lanes, bool good[MBS_LANE_COUNT]) {
  double residual[MBS_LANE_COUNT], goal[MBS_LANE_COUNT], before[MBS_LANE_COUNT], slowest[MBS_LANE_COUNT];
  bool moves[MBS_LANE_COUNT];
  for (int k = 0; k < MBS_LANE_COUNT; k++) {
    moves[k] = good[k];
    before[k] = INFINITY;
    slowest[k] = 1 / lanes->time[k];
  }
  mbs_planar_lanes_velocities(lanes);
  mbs_planar_lanes_rows(lanes, MBS_WANT_C | MBS_WANT_RHS);
  for (int i = 0; i < ITERATIONS_MAX; i++) {
    mbs_planar_lanes_fastest(lanes, slowest, goal);
    for (int k = 0; k < MBS_LANE_COUNT; k++) goal[k] *= lanes->projection_goal[k];
    mbs_planar_lanes_times(lanes, lanes->v);
    mbs_planar_lanes_miss_velocities(lanes);
    mbs_planar_lanes_largest_row(lanes, lanes->missing, residual);
    if (!go_on(residual, goal, before, moves, good)) break;
    /* v += M^-1 C' S^-1 (rhsV - C v) */
    mbs_planar_lanes_move(lanes, lanes->v, moves);
  }
  give_up(moves, good);
  mbs_planar_lanes_velocities(lanes);
}

/* ---- several mechanisms, a step of each ------------------------------------------------------------------------- */

bool mbs_lanes_open_steps(mbs_lanes *lanes, const char *method, size_t states, mbs_arena *arena, size_t *stages) {
  return mbs_planar_lanes_open_steps(lanes, method, states, arena, stages);
}

void mbs_lanes_take_system(mbs_lanes *lanes, int lane, const mbs_system *system) {
  put(lanes->row_units, lane, system->row_units, lanes->model->rows);
  put(lanes->v_units, lane, system->v_units, lanes->model->nv);
  lanes->projection_goal[lane] = system->projection_goal;
  lanes->time[lane] = system->constants->time;
}

void mbs_lanes_return_factors(const mbs_lanes *lanes, int lane, mbs_system *system) {
  const mbs_model *model = lanes->model;
  const mbs_fill *fill = model->skyline.fill;
  double *from[MBS_LANE_FACTORS];
  mbs_planar_lanes_factors(lanes, from);
  if (model->recursive)
    get(planar_articulated_pivots(planar_of(system)), lane, from[5], PLANAR_PIVOT * model->nv);
  else
    get(system->M, lane, from[0], model->tree.size);
  get(system->M_diagonal, lane, from[1], model->nv);
  get(system->Z, lane, from[2], model->value_count);
  get(system->S_pivot, lane, from[3], model->rows);
  get(fill ? system->S_factors : system->S, lane, from[4], fill ? fill->size : model->skyline.size);
  if (model->rows) system->pivot_ratio = lanes->pivot_ratio[lane];
  system->shifted = system->unequal_masses = false;
  system->factorizations++;
}
