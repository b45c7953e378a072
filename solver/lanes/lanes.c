/* Lanes from outside: their numbers, their functions of time, and forces, which are computed lane by lane. */
#include "lanes/planar_lanes.h"

#include "equations/state.h"
#include "kernels/planar/planar.h"

#include <string.h>

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
  *lanes = (mbs_lanes){.model = model, .lambda = interleaved(arena, model->rows)};
  return lanes->lambda && mbs_planar_lanes_open(lanes, arena) ? lanes : NULL;
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
