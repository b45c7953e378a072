/* The planar kernels a second time, with a vector of four numbers for each of theirs (base/real.h). This file alone is
 * compiled for a processor that has such vectors. */
#define MBS_LANES 4
/* The same names, of other functions. */
#define planar_primitive_rows lanes_primitive_rows
#define planar_primitive_rows_at lanes_primitive_rows_at
#define planar_carry lanes_carry
#define planar_carry_velocity lanes_carry_velocity
#define planar_joint_of lanes_joint_of
#define planar_constants_of lanes_constants_of
#define planar_positions lanes_positions
#define planar_velocities lanes_velocities
#define planar_rows lanes_rows
#define planar_custom_row lanes_custom_row
#define planar_clear_wrenches lanes_clear_wrenches
#define planar_generalized_forces lanes_generalized_forces
#define planar_mass_matrix lanes_mass_matrix
#define planar_accelerations lanes_accelerations
#define planar_residual_forces lanes_residual_forces
#define planar_articulated_open lanes_articulated_open
#define planar_articulated_factor lanes_articulated_factor
#define planar_articulated_pivots lanes_articulated_pivots
#define planar_articulated_up lanes_articulated_up
#define planar_articulated_rows lanes_articulated_rows
#define planar_articulated_down lanes_articulated_down
#define mbs_jacobian_times lanes_jacobian_times
#define mbs_jacobian_transposed lanes_jacobian_transposed
#define mbs_solve_up lanes_solve_up
#define mbs_solve_down lanes_solve_down
#define mbs_transform_jacobian lanes_transform_jacobian
#define mbs_solve_factors lanes_solve_factors
#define mbs_add_transformed lanes_add_transformed
#define mbs_spread_multipliers lanes_spread_multipliers
#define mbs_missing_accelerations lanes_missing_accelerations
#define mbs_assemble_gram lanes_assemble_gram
#define mbs_shift_gram lanes_shift_gram
#define mbs_factor_gram lanes_factor_gram
#define mbs_solve_gram lanes_solve_gram
#define mbs_tree_factor lanes_tree_factor
#define mbs_tree_solve_up lanes_tree_solve_up
#define mbs_tree_solve_down lanes_tree_solve_down
#define mbs_skyline_factor lanes_skyline_factor
#define mbs_skyline_solve lanes_skyline_solve
#define mbs_fill_factor lanes_fill_factor
#define mbs_fill_solve lanes_fill_solve

/* The kernels themselves, and what is made of them. */
#include "equations/elimination.c"
#include "equations/gram.c"
#include "equations/products.c"
#include "kernels/planar/articulated.c"
#include "kernels/planar/bodies.c"
#include "kernels/planar/equations.c"
#include "kernels/planar/primitives.c"
#include "kernels/planar/rows.c"
#include "linear/sparse.c"

#include "integrators/integrator.h"
#include "lanes/planar_lanes.h"

#include <math.h>
#include <string.h>

_Static_assert((int)MBS_LANES == (int)MBS_LANE_COUNT, "vectors have as many numbers as there are lanes");

/* Models with rows that classes compute themselves are not taken. */
void lanes_custom_row(mbs_system *system, const mbs_block *block, int want) {
  (void)system;
  (void)block;
  (void)want;
}

size_t mbs_lane_block_size(void) { return sizeof(mbs_block_constants) / sizeof(mbs_real); }
size_t mbs_lane_kernel_size(void) { return sizeof(planar_constants) / sizeof(mbs_real); }
size_t mbs_lane_body_size(void) { return sizeof(planar_body) / sizeof(mbs_real); }

/* Of the table of the kernels what an elimination calls. */
const mbs_kernels mbs_lane_kernels = {.articulated_up = planar_articulated_up,
                                      .articulated_rows = planar_articulated_rows,
                                      .articulated_down = planar_articulated_down};

/* A system of vectors. */
typedef struct lane_system {
  mbs_constants constants;
  mbs_system system;
  planar_workspace workspace;
  mbs_real *vdot, *pushed, *rates, *missing, *step, *row_units, *v_units;
  const mbs_method *method; /* of steps */
  mbs_ode ode;
} lane_system;

static lane_system *own(const mbs_lanes *lanes) { return lanes->own; }

/* Two more than are needed: pieces of 64 bytes and more are aligned for vectors. */
static mbs_real *vectors(mbs_arena *arena, size_t count) { return mbs_arena_alloc(arena, count + 2, sizeof(mbs_real)); }

static bool open_arrays(lane_system *self, const mbs_model *model, mbs_arena *arena) {
  mbs_system *system = &self->system;
  const mbs_fill *fill = model->skyline.fill;
  const size_t rows = model->rows, nv = model->nv, entries = fill ? fill->entries : model->skyline.size;
  const struct {
    mbs_real **array;
    size_t count;
  } wanted[] = {{(mbs_real **)&system->q, model->nq},
                {(mbs_real **)&system->v, nv},
                {&system->functions, 3 * model->function_count},
                {&system->Phi, rows},
                {&system->rhsV, rows},
                {&system->rhsA, rows},
                {&system->C, model->value_count},
                {&system->Z, model->value_count},
                {&system->M, model->tree.size},
                {&system->M_diagonal, nv},
                {&system->S, entries},
                {&system->S_pivot, rows},
                {&system->S_scale, rows},
                {&system->S_factors, fill ? fill->size : 0},
                {&system->S_row, rows},
                {&system->permuted, rows},
                {&system->lambda, rows},
                {&system->spread, nv},
                {&system->h, nv},
                {&system->w, nv},
                {&self->vdot, nv},
                {&self->pushed, nv},
                {&self->rates, rows},
                {&self->missing, rows},
                {&self->step, nv},
                {&self->row_units, rows},
                {&self->v_units, nv}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!(*wanted[i].array = vectors(arena, wanted[i].count))) return false;
  system->S_next = mbs_arena_alloc(arena, rows + 1, sizeof *system->S_next);
  system->mass_shifts = mbs_arena_alloc(arena, nv + 1, sizeof *system->mass_shifts);
  system->vdot = self->vdot;
  system->all_active = true;
  return system->S_next && system->mass_shifts;
}

bool mbs_planar_lanes_open(mbs_lanes *lanes, mbs_arena *arena) {
  const mbs_model *model = lanes->model;
  lane_system *self = mbs_arena_alloc(arena, 2, sizeof *self);
  if (!self || !open_arrays(self, model, arena)) return false;
  self->constants.model = self->system.model = model;
  self->system.constants = &self->constants;
  self->system.kernel_workspace = &self->workspace;
  self->workspace.bodies = mbs_arena_alloc(arena, model->nB + 1, sizeof *self->workspace.bodies);
  self->workspace.columns = mbs_arena_alloc(arena, model->nv + 1, sizeof *self->workspace.columns);
  if (!self->workspace.bodies || !self->workspace.columns ||
      (model->recursive && !planar_articulated_open(model, arena, &self->workspace)))
    return false;
  self->workspace.bodies[0].c = MBS_ALL(1); /* the ground */
  lanes->own = self;
  lanes->bodies = (double *)self->workspace.bodies;
  lanes->q = (double *)self->system.q;
  lanes->v = (double *)self->system.v;
  lanes->functions = (double *)self->system.functions;
  lanes->Phi = (double *)self->system.Phi;
  lanes->rhsV = (double *)self->system.rhsV;
  lanes->rhsA = (double *)self->system.rhsA;
  lanes->vdot = (double *)self->vdot;
  lanes->h = (double *)self->system.h;
  lanes->pushed = (double *)self->pushed;
  lanes->rates = (double *)self->rates;
  lanes->missing = (double *)self->missing;
  lanes->row_units = (double *)self->row_units;
  lanes->v_units = (double *)self->v_units;
  lanes->lambda = (double *)self->system.lambda;
  return true;
}

size_t mbs_planar_lanes_factors(const mbs_lanes *lanes, double *factors[MBS_LANE_FACTORS]) {
  const mbs_system *system = &own(lanes)->system;
  const mbs_real *const all[MBS_LANE_FACTORS] = {
      system->M,
      system->M_diagonal,
      system->Z,
      system->S_pivot,
      system->model->skyline.fill ? system->S_factors : system->S,
      lanes->model->recursive ? planar_articulated_pivots(&own(lanes)->workspace) : NULL};
  for (int i = 0; i < MBS_LANE_FACTORS; i++) factors[i] = (double *)(mbs_real *)all[i];
  return MBS_LANE_FACTORS;
}

/* What is read as vectors soon is written as vectors: a processor waits for pieces of them. */
void mbs_lanes_gather(double *to, size_t n, const double *const from[MBS_LANE_COUNT]) {
  mbs_real *out = (mbs_real *)(void *)to;
  for (size_t i = 0; i < n; i++) out[i] = (mbs_real){from[0][i], from[1][i], from[2][i], from[3][i]};
}

void mbs_lanes_scatter(const double *from, size_t n, double *const to[MBS_LANE_COUNT]) {
  const mbs_real *in = (const mbs_real *)(const void *)from;
  double *const a = to[0], *const b = to[1], *const c = to[2], *const d = to[3];
  for (size_t i = 0; i < n; i++) {
    a[i] = in[i][0];
    b[i] = in[i][1];
    c[i] = in[i][2];
    d[i] = in[i][3];
  }
}

void mbs_lanes_along(double *to, size_t n, const double *y, const double *s, const double reach[MBS_LANE_COUNT]) {
  mbs_real *out = (mbs_real *)(void *)to;
  const mbs_real far = {reach[0], reach[1], reach[2], reach[3]};
  for (size_t i = 0; i < n; i++) out[i] = y[i] + far * s[i];
}

void mbs_planar_lanes_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers) {
  mbs_constants *constants = &own(lanes)->constants;
  constants->blocks = (mbs_block_constants *)(void *)numbers->blocks;
  constants->kernels = numbers->kernels;
  constants->radius2 = (mbs_real *)(void *)numbers->radius2;
  memcpy(constants->gravity, numbers->gravity, sizeof constants->gravity);
}

void mbs_planar_lanes_positions(mbs_lanes *lanes) { lanes_positions(&own(lanes)->system); }
void mbs_planar_lanes_velocities(mbs_lanes *lanes) { lanes_velocities(&own(lanes)->system); }
void mbs_planar_lanes_rows(mbs_lanes *lanes, int want) { lanes_rows(&own(lanes)->system, want); }
void mbs_planar_lanes_residual_forces(mbs_lanes *lanes) { lanes_residual_forces(&own(lanes)->system); }

void mbs_planar_lanes_times(mbs_lanes *lanes, const double *x) {
  lanes_jacobian_times(&own(lanes)->system, (const mbs_real *)(const void *)x, own(lanes)->rates);
}

void mbs_planar_lanes_transposed(mbs_lanes *lanes, const double *y) {
  lanes_jacobian_transposed(&own(lanes)->system, (const mbs_real *)(const void *)y, own(lanes)->pushed);
}

/* |x| */
static mbs_real size_of(mbs_real x) {
  const mbs_mask sign = (mbs_mask){0} + INT64_MIN;
  return (mbs_real)(~sign & (mbs_mask)x);
}

/* The larger one; where the other one is no number, infinite. */
static mbs_real larger_or_none(mbs_real most, mbs_real other) {
  return mbs_select(other == other, mbs_larger(other, most), MBS_ALL(INFINITY));
}

static void store(mbs_real x, double out[MBS_LANE_COUNT]) { memcpy(out, &x, sizeof x); }

static mbs_real load(const double from[MBS_LANE_COUNT]) {
  mbs_real x;
  memcpy(&x, from, sizeof x);
  return x;
}

void mbs_planar_lanes_largest_row(const mbs_lanes *lanes, const double *x, double out[MBS_LANE_COUNT]) {
  const mbs_real *values = (const mbs_real *)(const void *)x;
  mbs_real most = MBS_ALL(0);
  for (size_t r = 0; r < lanes->model->rows; r++)
    most = larger_or_none(most, size_of(values[r]) / own(lanes)->row_units[r]);
  store(most, out);
}

void mbs_planar_lanes_fastest(const mbs_lanes *lanes, const double least[MBS_LANE_COUNT], double out[MBS_LANE_COUNT]) {
  mbs_real most = load(least);
  for (size_t i = 0; i < lanes->model->nv; i++)
    most = mbs_larger(size_of(own(lanes)->system.v[i]) / own(lanes)->v_units[i], most);
  store(most, out);
}

void mbs_planar_lanes_miss_positions(mbs_lanes *lanes) {
  for (size_t r = 0; r < lanes->model->rows; r++) own(lanes)->missing[r] = -own(lanes)->system.Phi[r];
}

void mbs_planar_lanes_miss_velocities(mbs_lanes *lanes) {
  for (size_t r = 0; r < lanes->model->rows; r++)
    own(lanes)->missing[r] = own(lanes)->system.rhsV[r] - own(lanes)->rates[r];
}

void mbs_planar_lanes_move(mbs_lanes *lanes, double *x, const bool moves[MBS_LANE_COUNT]) {
  lane_system *self = own(lanes);
  mbs_real *to = (mbs_real *)(void *)x;
  const mbs_mask mask = {-(int64_t)moves[0], -(int64_t)moves[1], -(int64_t)moves[2], -(int64_t)moves[3]};
  /* x += M^-1 C' S^-1 missing */
  mbs_solve_factors(&self->system, self->missing);
  mbs_spread_multipliers(&self->system, self->missing, self->step);
  for (size_t i = 0; i < lanes->model->nv; i++) to[i] = mbs_select(mask, to[i] + self->step[i], to[i]);
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

/* As solve.c has it. */
static const double mass_floor = 1e-13;

extern const mbs_method mbs_dopri5_lanes, mbs_dop853_lanes;

static void set_fine(mbs_lanes *lanes, mbs_mask fine) {
  for (int k = 0; k < MBS_LANES; k++) lanes->fine[k] = lanes->fine[k] && fine[k];
}

/* Accelerations and multipliers as mbs_accelerate() finds them where S is far from a loss of rank; lanes where it is
 * not are not fine. theory (8.16) */
static void accelerate(mbs_lanes *lanes) {
  lane_system *self = own(lanes);
  mbs_system *system = &self->system;
  const mbs_model *model = lanes->model;
  int singular;
  if (model->recursive) {
    singular = planar_articulated_factor(system, mass_floor);
  } else {
    planar_generalized_forces(system);
    planar_mass_matrix(system);
    singular = mbs_tree_factor(&model->tree, model->nv, system->M, system->M_diagonal, mass_floor);
  }
  if (singular >= 0) set_fine(lanes, (mbs_mask){0});
  if (model->rows) {
    mbs_transform_jacobian(system);
    mbs_assemble_gram(system, system->Z, system->M_diagonal);
    const mbs_real ratio = mbs_factor_gram(system);
    set_fine(lanes, ratio > load(lanes->least_ratio));
    store(ratio, lanes->pivot_ratio);
  }
  mbs_real *w = system->w;
  if (!model->recursive) {
    memcpy(w, system->h, model->nv * sizeof *w);
    mbs_solve_up(system, w);
  }
  if (model->rows) {
    mbs_missing_accelerations(system, w, system->lambda);
    mbs_solve_factors(system, system->lambda);
    mbs_add_transformed(system, system->lambda, w);
  }
  for (size_t k = 0; k < model->nv; k++) self->vdot[k] = w[k] * system->M_diagonal[k];
  mbs_solve_down(system, self->vdot);
}

/* The powers that drivers give, lambda.rhsV. */
static mbs_real driver_power(const mbs_system *system) {
  mbs_real power = MBS_ALL(0);
  for (size_t r = 0; r < system->model->rows; r++) power += system->lambda[r] * system->rhsV[r];
  return power;
}

/* (q', v', W', E_d') of the state y = (q, v, W, E_d). theory (16.1) */
static mbs_status rates(void *context, mbs_real t, const mbs_real *y, mbs_real *dydt) {
  mbs_lanes *lanes = context;
  lane_system *self = own(lanes);
  mbs_system *system = &self->system;
  const mbs_model *model = lanes->model;
  const size_t n = model->nq + model->nv;
  store(t, lanes->t);
  system->q = y;
  system->v = y + model->nq;
  if (model->function_count) lanes->host.functions(lanes->host.user);
  planar_positions(system);
  planar_velocities(system);
  if (model->rows) planar_rows(system, MBS_WANT_C | MBS_WANT_RHS);
  if (model->force_count) lanes->host.forces(lanes->host.user);
  accelerate(lanes);
  memcpy(dydt, system->v, model->nq * sizeof *dydt);
  memcpy(dydt + model->nq, self->vdot, model->nv * sizeof *dydt);
  mbs_mask finite = MBS_ALL(0) == MBS_ALL(0);
  for (size_t i = 0; i < model->nv; i++) finite &= self->vdot[i] - self->vdot[i] == MBS_ALL(0);
  set_fine(lanes, finite);
  if (!model->has_power) return MBS_OK;
  const mbs_real driven = driver_power(system);
  store(driven, lanes->driven);
  dydt[n] = load(lanes->power_work) + driven;
  dydt[n + 1] = load(lanes->power_dissipated);
  return MBS_OK;
}

bool mbs_planar_lanes_open_steps(mbs_lanes *lanes, const char *method, size_t states, mbs_arena *arena,
                                 size_t *stages) {
  lane_system *self = own(lanes);
  const mbs_method *const methods[] = {&mbs_dopri5_lanes, &mbs_dop853_lanes};
  double **const arrays[] = {&lanes->y, &lanes->f0, &lanes->y1, &lanes->f1};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i]->name, method) == 0) self->method = methods[i];
  if (!self->method) return false;
  self->ode = (mbs_ode){.context = lanes, .n = states, .n_error = states, .rhs = rates};
  *stages = self->method->workspace(states);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = (double *)vectors(arena, states))) return false;
  lanes->stages = (double *)vectors(arena, *stages);
  return lanes->stages;
}

void mbs_lanes_at(mbs_lanes *lanes, const double t[MBS_LANE_COUNT], double *y) {
  lanes->q = y;
  lanes->v = y + MBS_LANES * lanes->model->nq;
  own(lanes)->system.q = (const mbs_real *)(void *)lanes->q;
  own(lanes)->system.v = (const mbs_real *)(void *)lanes->v;
  memcpy(lanes->t, t, sizeof lanes->t);
  if (lanes->model->function_count) lanes->host.functions(lanes->host.user);
}

void mbs_lanes_rates(mbs_lanes *lanes, const double t[MBS_LANE_COUNT], double *y, double *f) {
  rates(lanes, load(t), (const mbs_real *)(void *)y, (mbs_real *)(void *)f);
}

uint64_t mbs_lanes_step(mbs_lanes *lanes, const double t[MBS_LANE_COUNT], const double h[MBS_LANE_COUNT]) {
  const lane_system *self = own(lanes);
  uint64_t evaluations = 0;
  self->method->step(&self->ode, load(t), load(h), (const mbs_real *)(void *)lanes->y,
                     (const mbs_real *)(void *)lanes->f0, (mbs_real *)(void *)lanes->y1,
                     (mbs_real *)(void *)lanes->stages, &evaluations);
  return evaluations;
}
