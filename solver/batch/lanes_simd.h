/* lanes_simd.h - compiles the kernels a second time, with a vector of MBS_LANES numbers for each number (base/real.h),
 * and implements the operations of lanes. It is included once per width and kind of kernels, after planar_lanes.h or
 * spatial_lanes.h, with OF_WIDTH(name) and STEPS_OF(name) defined, by a file compiled for processors with such vectors.
 * KERNEL(name) is a function of the kernels. */
#include "batch/operations.h"
#include "equations/input.h"
#include "ode/integrator.h"

#include <math.h>
#include <string.h>

_Static_assert((int)MBS_LANES <= (int)MBS_LANES_MAX, "MBS_LANES_MAX is at least MBS_LANES");

/* The kernel functions that elimination, forces, inputs and rows of results call. */
static const mbs_kernels lane_kernels = {.articulated_up = KERNEL(articulated_up),
                                         .articulated_rows = KERNEL(articulated_rows),
                                         .articulated_down = KERNEL(articulated_down),
                                         .point = KERNEL(point),
                                         .to_global = KERNEL(to_global),
                                         .rotation = KERNEL(rotation),
                                         .points = KERNEL(points),
                                         .centres = KERNEL(centres),
                                         .rotations = KERNEL(rotations),
                                         .orientation = ORIENTATION,
                                         .push = KERNEL(push),
                                         .twist = KERNEL(twist),
                                         .push_along = KERNEL(push_along),
                                         .read_primitive = KERNEL(read_primitive),
                                         .reactions = KERNEL(reactions),
                                         .kinetic = KERNEL(kinetic),
                                         .potential = KERNEL(potential)};

/* A system whose numbers are vectors. */
typedef struct lane_system {
  mbs_constants constants;
  mbs_system system;
  lane_workspace workspace;
  mbs_real *vdot, *pushed, *missing, *step, *moved, *row_units, *v_units;
  const mbs_method *method; /* integration method of steps */
  mbs_ode ode;
  mbs_tolerance tolerance;
} lane_system;

static lane_system *own(const mbs_lanes *lanes) { return lanes->own; }

static void store(mbs_real x, double out[MBS_LANES_MAX]) { memcpy(out, &x, sizeof x); }

static mbs_real load(const double from[MBS_LANES_MAX]) {
  mbs_real x;
  memcpy(&x, from, sizeof x);
  return x;
}

/* Allocates two more vectors than needed: arena blocks of 64 bytes or more are aligned for vectors. */
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
                {&system->slots, model->slot_max},
                {&system->in, model->input_max},
                {&system->outputs, model->output_count},
                {&system->rotor_forces, model->rotor_count},
                {&self->vdot, nv},
                {&self->pushed, nv},
                {&system->rates, rows},
                {&system->reactions, 6 * model->joint_count},
                {&self->missing, rows},
                {&self->step, nv},
                {&self->moved, model->nq},
                {&self->row_units, rows},
                {&self->v_units, nv}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!(*wanted[i].array = vectors(arena, wanted[i].count))) return false;
  system->S_next = mbs_arena_alloc(arena, rows + 1, sizeof *system->S_next);
  system->mass_shifts = mbs_arena_alloc(arena, nv + 1, sizeof *system->mass_shifts);
  system->vdot = self->vdot;
  system->active = mbs_arena_alloc(arena, rows + 1, sizeof *system->active);
  if (!system->S_next || !system->mass_shifts || !system->active) return false;
  if (!mbs_independent_row_set_open(model, arena, &system->schur_rows)) return false;
  for (size_t r = 0; r < rows; r++) system->active[r] = true;
  return system->all_active = true;
}

static bool do_open(mbs_lanes *lanes, mbs_arena *arena) {
  const mbs_model *model = lanes->model;
  lane_system *self = mbs_arena_alloc(arena, 2, sizeof *self);
  if (!self || !open_arrays(self, model, arena)) return false;
  self->constants.model = self->system.model = model;
  self->system.constants = &self->constants;
  self->system.kernels = &lane_kernels;
  self->system.kernel_workspace = &self->workspace;
  self->system.borne = self->system.lambda;
  self->workspace.bodies = mbs_arena_alloc(arena, model->nB + 1, sizeof *self->workspace.bodies);
  self->workspace.columns = mbs_arena_alloc(arena, model->nv + 1, sizeof *self->workspace.columns);
  if (!self->workspace.bodies || !self->workspace.columns ||
      (model->recursive && !KERNEL(articulated_open)(model, arena, &self->workspace)))
    return false;
  place_ground(&self->workspace.bodies[0]);
  lanes->own = self;
  lanes->bodies = (double *)self->workspace.bodies;
  lanes->q = (double *)self->system.q;
  lanes->v = (double *)self->system.v;
  lanes->functions = (double *)self->system.functions;
  lanes->Phi = (double *)self->system.Phi;
  lanes->C = (double *)self->system.C;
  lanes->rhsV = (double *)self->system.rhsV;
  lanes->rhsA = (double *)self->system.rhsA;
  lanes->vdot = (double *)self->vdot;
  lanes->h = (double *)self->system.h;
  lanes->pushed = (double *)self->pushed;
  lanes->rates = (double *)self->system.rates;
  lanes->outputs = (double *)self->system.outputs;
  lanes->reactions = (double *)self->system.reactions;
  lanes->missing = (double *)self->missing;
  lanes->row_units = (double *)self->row_units;
  lanes->v_units = (double *)self->v_units;
  lanes->lambda = (double *)self->system.lambda;
  lanes->active = self->system.active;
  return true;
}

static void do_factors(const mbs_lanes *lanes, double *factors[MBS_LANE_FACTORS]) {
  const mbs_system *system = &own(lanes)->system;
  mbs_real *const all[MBS_LANE_FACTORS] = {system->M,
                                           system->M_diagonal,
                                           system->Z,
                                           system->S_pivot,
                                           system->model->skyline.fill ? system->S_factors : system->S,
                                           lanes->model->recursive ? KERNEL(articulated_pivots)(&own(lanes)->workspace)
                                                                   : NULL};
  for (int i = 0; i < MBS_LANE_FACTORS; i++) factors[i] = (double *)all[i];
}

/* Arrays that are soon read as vectors are written as vectors: the processor stalls if it must assemble a vector from
 * separate stores. */
static void do_gather(double *to, size_t n, const double *const from[MBS_LANES_MAX]) {
  mbs_real *out = (mbs_real *)(void *)to;
  for (size_t i = 0; i < n; i++) {
    mbs_real x = {0};
    for (int k = 0; k < MBS_LANES; k++) x[k] = from[k][i];
    out[i] = x;
  }
}

static void do_scatter(const double *from, size_t n, double *const to[MBS_LANES_MAX]) {
  const mbs_real *in = (const mbs_real *)(const void *)from;
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < MBS_LANES; k++) to[k][i] = in[i][k];
}

static void do_along(double *to, size_t n, const double *y, const double *s, const double reach[MBS_LANES_MAX]) {
  mbs_real *out = (mbs_real *)(void *)to;
  const mbs_real far = load(reach);
  for (size_t i = 0; i < n; i++) out[i] = y[i] + far * s[i];
}

static void do_open_laws(const mbs_model *model, mbs_lane_numbers *numbers) {
  mbs_law_constants *laws = (mbs_law_constants *)(void *)numbers->laws;
  for (size_t l = 0; l < model->law_count; l++)
    if (numbers->literals[l])
      laws[l] = (mbs_law_constants){.expression = model->laws[l]->expression,
                                    .literals = (mbs_real *)(void *)numbers->literals[l]};
}

static void do_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers) {
  mbs_constants *constants = &own(lanes)->constants;
  constants->blocks = (mbs_block_constants *)(void *)numbers->blocks;
  constants->joints = (mbs_joint_constants *)(void *)numbers->joints;
  constants->kernels = numbers->kernels;
  constants->radius2 = (mbs_real *)(void *)numbers->radius2;
  constants->rotors = (mbs_real *)(void *)numbers->rotors;
  constants->rotor_masses = (mbs_real *)(void *)numbers->rotor_masses;
  constants->points = (mbs_real(*)[3])(void *)numbers->points;
  constants->forces = (mbs_force_constants *)(void *)numbers->forces;
  constants->laws = (mbs_law_constants *)(void *)numbers->laws;
  for (int i = 0; i < 3; i++) constants->gravity[i] = load(numbers->gravity + MBS_LANES * i);
}

static void do_positions(mbs_lanes *lanes) { KERNEL(positions)(&own(lanes)->system); }
static void do_velocities(mbs_lanes *lanes) { KERNEL(velocities)(&own(lanes)->system); }
static void do_rows(mbs_lanes *lanes, int want) { KERNEL(rows)(&own(lanes)->system, want); }

/* Clears the upper halves of the vector registers. Functions with vector arguments do not, and compilers leave that to
 * the caller; otherwise code without such vectors becomes slow. */
static inline void clear_upper_halves(void) {
#ifdef __AVX__
  __builtin_ia32_vzeroupper();
#endif
}

/* Applies forces like mbs_apply_forces(). */
static void apply_forces(mbs_lanes *lanes) {
  mbs_system *system = &own(lanes)->system;
  const mbs_model *model = lanes->model;
  if (!lanes->forces) {
    lanes->host.forces(lanes->host.user);
    return;
  }
  if (model->force_count + model->rotor_count) KERNEL(clear_wrenches)(system);
  system->t = load(lanes->t);
  system->power_work = system->power_dissipated = system->potential_forces = MBS_ALL(0);
  for (size_t k = 0; k < model->force_count; k++) {
    const int i = model->force_order[k];
    lanes->forces[i]->apply(system, &model->forces[i], (size_t)i);
  }
  store(system->power_work, lanes->power_work);
  store(system->power_dissipated, lanes->power_dissipated);
  store(system->potential_forces, lanes->potential_forces);
}

static void do_forces(mbs_lanes *lanes) {
  apply_forces(lanes);
  clear_upper_halves();
}

static void do_residual_forces(mbs_lanes *lanes) { KERNEL(residual_forces)(&own(lanes)->system); }

static void do_times(mbs_lanes *lanes, const double *x) {
  mbs_jacobian_times(&own(lanes)->system, (const mbs_real *)(const void *)x, own(lanes)->system.rates);
}

static void do_transposed(mbs_lanes *lanes, const double *y) {
  mbs_jacobian_transposed(&own(lanes)->system, (const mbs_real *)(const void *)y, own(lanes)->pushed);
}

/* Returns the larger number; infinity if `other` is NaN. */
static mbs_real larger_or_none(mbs_real most, mbs_real other) {
  return mbs_select(other == other, mbs_larger(other, most), MBS_ALL(INFINITY));
}

static void do_set_active_rows(mbs_lanes *lanes, bool all_active) {
  mbs_system *system = &own(lanes)->system;
  system->all_active = all_active;
  mbs_select_independent_rows(lanes->model, system->active, system->all_active, &system->schur_rows);
}

static void do_largest_row(const mbs_lanes *lanes, const double *x, bool active, double out[MBS_LANES_MAX]) {
  const mbs_real *values = (const mbs_real *)(const void *)x;
  mbs_real most = MBS_ALL(0);
  for (size_t r = 0; r < lanes->model->rows; r++)
    if (lanes->active[r] == active) most = larger_or_none(most, mbs_size(values[r]) / own(lanes)->row_units[r]);
  store(most, out);
}

static void do_fastest(const mbs_lanes *lanes, const double least[MBS_LANES_MAX], double out[MBS_LANES_MAX]) {
  mbs_real most = load(least);
  for (size_t i = 0; i < lanes->model->nv; i++)
    most = mbs_larger(mbs_size(own(lanes)->system.v[i]) / own(lanes)->v_units[i], most);
  store(most, out);
}

static void do_miss_positions(mbs_lanes *lanes) {
  for (size_t r = 0; r < lanes->model->rows; r++) own(lanes)->missing[r] = -own(lanes)->system.Phi[r];
  mbs_zero_redundant(&own(lanes)->system, own(lanes)->missing);
}

static void do_miss_velocities(mbs_lanes *lanes) {
  for (size_t r = 0; r < lanes->model->rows; r++)
    own(lanes)->missing[r] = own(lanes)->system.rhsV[r] - own(lanes)->system.rates[r];
  mbs_zero_redundant(&own(lanes)->system, own(lanes)->missing);
}

static mbs_mask mask_of(const bool moves[MBS_LANES_MAX]) {
  mbs_mask mask = {0};
  for (int k = 0; k < MBS_LANES; k++) mask[k] = -(int64_t)moves[k];
  return mask;
}

/* step = M^-1 C' S^-1 missing */
static void find_step(lane_system *self) {
  mbs_solve_factors(&self->system, self->missing);
  mbs_spread_multipliers(&self->system, self->missing, self->step);
}

static void do_move_positions(mbs_lanes *lanes, const bool moves[MBS_LANES_MAX]) {
  lane_system *self = own(lanes);
  mbs_real *q = (mbs_real *)(void *)lanes->q;
  const mbs_mask mask = mask_of(moves);
  find_step(self);
  displace(lanes->model, q, self->step, self->moved);
  for (size_t i = 0; i < lanes->model->nq; i++) q[i] = mbs_select(mask, self->moved[i], q[i]);
}

static void do_move_velocities(mbs_lanes *lanes, const bool moves[MBS_LANES_MAX]) {
  lane_system *self = own(lanes);
  mbs_real *v = (mbs_real *)(void *)lanes->v;
  const mbs_mask mask = mask_of(moves);
  find_step(self);
  for (size_t i = 0; i < lanes->model->nv; i++) v[i] = mbs_select(mask, v[i] + self->step[i], v[i]);
}

static void do_normalize(mbs_lanes *lanes) { normalize(lanes->model, (mbs_real *)(void *)lanes->q); }

/* ---- steps ------------------------------------------------------------------------------------------------------ */

extern const mbs_method STEPS_OF(mbs_dopri5), STEPS_OF(mbs_dop853);

static void set_fine(mbs_lanes *lanes, mbs_mask fine) {
  for (int k = 0; k < MBS_LANES; k++) lanes->fine[k] = lanes->fine[k] && fine[k];
}

/* Factors M and S like mbs_factor() where S is far from a loss of rank. Other lanes are no longer fine. */
static void factor(mbs_lanes *lanes) {
  mbs_system *system = &own(lanes)->system;
  const mbs_model *model = lanes->model;
  int singular;
  if (model->recursive) {
    singular = KERNEL(articulated_factor)(system, mbs_mass_floor);
  } else {
    KERNEL(mass_matrix)(system);
    singular = mbs_tree_factor(&model->tree, model->nv, system->M, system->M_diagonal, mbs_mass_floor);
  }
  if (singular >= 0) set_fine(lanes, (mbs_mask){0});
  if (!model->rows) return;
  mbs_transform_jacobian(system);
  mbs_assemble_schur(system, system->Z, system->M_diagonal);
  const mbs_real ratio = mbs_factor_schur(system);
  set_fine(lanes, ratio > load(lanes->least_ratio));
  store(ratio, lanes->pivot_ratio);
}

/* Computes accelerations and multipliers with these factors, like mbs_accelerate(). theory (8.16) */
static void accelerate(mbs_lanes *lanes) {
  lane_system *self = own(lanes);
  mbs_system *system = &self->system;
  const mbs_model *model = lanes->model;
  if (!model->recursive) KERNEL(generalized_forces)(system);
  factor(lanes);
  mbs_real *w = system->w;
  if (!model->recursive) {
    memcpy(w, system->h, model->nv * sizeof *w);
    mbs_solve_up(system, w);
  }
  if (model->rows) {
    mbs_missing_accelerations(system, w, system->lambda);
    mbs_zero_redundant(system, system->lambda);
    mbs_solve_factors(system, system->lambda);
    mbs_add_transformed(system, system->lambda, w);
  }
  for (size_t k = 0; k < model->nv; k++) self->vdot[k] = w[k] * system->M_diagonal[k];
  mbs_solve_down(system, self->vdot);
}

/* Evaluates everything after the velocities; `want` selects the parts of the rows. */
static void evaluate(mbs_lanes *lanes, int want) {
  const lane_system *self = own(lanes);
  const mbs_model *model = lanes->model;
  if (model->rows) KERNEL(rows)(&own(lanes)->system, want);
  if (model->force_count) apply_forces(lanes);
  accelerate(lanes);
  mbs_mask finite = MBS_ALL(0) == MBS_ALL(0);
  for (size_t i = 0; i < model->nv; i++) finite &= self->vdot[i] - self->vdot[i] == MBS_ALL(0);
  set_fine(lanes, finite);
}

/* Returns the power of the drivers, lambda . rhsV. */
static mbs_real driver_power(const mbs_system *system) {
  mbs_real power = MBS_ALL(0);
  for (size_t r = 0; r < system->model->rows; r++) power += system->lambda[r] * system->rhsV[r];
  return power;
}

/* Computes (q', v', W', E_d') of the state y = (q, v, W, E_d). theory (16.1) */
static mbs_status rates(void *context, mbs_real t, const mbs_real *y, mbs_real *dydt) {
  mbs_lanes *lanes = context;
  lane_system *self = own(lanes);
  mbs_system *system = &self->system;
  const mbs_model *model = lanes->model;
  const size_t n = model->state.motion;
  store(t, lanes->t);
  system->q = y;
  system->v = y + model->state.v;
  if (model->function_count) lanes->host.functions(lanes->host.user);
  KERNEL(positions)(system);
  KERNEL(velocities)(system);
  evaluate(lanes, MBS_WANT_C | MBS_WANT_RHS | MBS_WANT_KEPT);
  position_rates(model, y, system->v, dydt);
  memcpy(dydt + model->state.v, self->vdot, model->nv * sizeof *dydt);
  if (!model->has_power) return MBS_OK;
  const mbs_real driven = driver_power(system);
  store(driven, lanes->driven);
  dydt[n] = load(lanes->power_work) + driven;
  dydt[n + 1] = load(lanes->power_dissipated);
  return MBS_OK;
}

static bool do_open_steps(mbs_lanes *lanes, const char *method, size_t states, size_t n_error, mbs_arena *arena,
                          size_t *stages) {
  lane_system *self = own(lanes);
  const mbs_method *const methods[] = {&STEPS_OF(mbs_dopri5), &STEPS_OF(mbs_dop853)};
  double **const arrays[] = {&lanes->y,      &lanes->f0,     &lanes->y1,          &lanes->f1,
                             &lanes->inside, &lanes->errors, &lanes->error_scales};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i]->name, method) == 0) self->method = methods[i];
  if (!self->method) return false;
  self->ode = (mbs_ode){.context = lanes, .n = states, .n_error = n_error, .rhs = rates};
  *stages = self->method->workspace(states);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = (double *)vectors(arena, states))) return false;
  self->tolerance = (mbs_tolerance){
      .rtol = lanes->model->rtol, .atol = lanes->model->atol, .units = (const mbs_real *)(void *)lanes->error_scales};
  lanes->stages = (double *)vectors(arena, *stages);
  return lanes->stages;
}

static void do_at(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y) {
  lanes->q = y;
  lanes->v = y + MBS_LANES * lanes->model->nq;
  own(lanes)->system.q = (const mbs_real *)(void *)lanes->q;
  own(lanes)->system.v = (const mbs_real *)(void *)lanes->v;
  store(load(t), lanes->t);
  if (lanes->model->function_count) lanes->host.functions(lanes->host.user);
}

static void do_rates(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y, double *f) {
  rates(lanes, load(t), (const mbs_real *)(void *)y, (mbs_real *)(void *)f);
  clear_upper_halves();
}

static uint64_t do_step(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]) {
  const lane_system *self = own(lanes);
  uint64_t evaluations = 0;
  self->method->step(&self->ode, load(t), load(h), (const mbs_real *)(void *)lanes->y,
                     (const mbs_real *)(void *)lanes->f0, (mbs_real *)(void *)lanes->y1,
                     (mbs_real *)(void *)lanes->stages, &evaluations);
  clear_upper_halves();
  return evaluations;
}

static void do_errors(mbs_lanes *lanes, const double h[MBS_LANES_MAX], double norm[MBS_LANES_MAX]) {
  const lane_system *self = own(lanes);
  store(self->method->error(&self->ode, load(h), (const mbs_real *)(void *)lanes->y,
                            (const mbs_real *)(void *)lanes->f0, (const mbs_real *)(void *)lanes->y1,
                            (const mbs_real *)(void *)lanes->f1, &self->tolerance,
                            (const mbs_real *)(void *)lanes->stages, (mbs_real *)(void *)lanes->errors),
        norm);
  clear_upper_halves();
}

static void do_stiffness(const mbs_lanes *lanes, const double h[MBS_LANES_MAX], double out[MBS_LANES_MAX]) {
  const lane_system *self = own(lanes);
  store(self->method->stiffness(self->ode.n, load(h), (const mbs_real *)(void *)lanes->y1,
                                (const mbs_real *)(void *)lanes->f1, (const mbs_real *)(void *)lanes->stages),
        out);
  clear_upper_halves();
}

static void do_dense_error(const mbs_lanes *lanes, double out[MBS_LANES_MAX]) {
  const lane_system *self = own(lanes);
  mbs_real error = MBS_ALL(0);
  if (self->method->dense_error)
    error =
        self->method->dense_error(&self->ode, (const mbs_real *)(void *)lanes->y, (const mbs_real *)(void *)lanes->y1,
                                  &self->tolerance, (const mbs_real *)(void *)lanes->stages);
  store(error, out);
  clear_upper_halves();
}

static uint64_t do_prepare(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]) {
  const lane_system *self = own(lanes);
  uint64_t evaluations = 0;
  self->method->dense_prepare(&self->ode, load(t), load(h), (const mbs_real *)(void *)lanes->y,
                              (const mbs_real *)(void *)lanes->f0, (const mbs_real *)(void *)lanes->y1,
                              (const mbs_real *)(void *)lanes->f1, (mbs_real *)(void *)lanes->stages, &evaluations);
  clear_upper_halves();
  return evaluations;
}

/* Computes the states of the current steps at `times`: interpolated inside, the states themselves at and beyond the
 * ends. */
static void do_inside(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX],
                      const double t1[MBS_LANES_MAX], const double times[MBS_LANES_MAX]) {
  const lane_system *self = own(lanes);
  const size_t n = self->ode.n;
  const mbs_real *y = (const mbs_real *)(const void *)lanes->y, *y1 = (const mbs_real *)(const void *)lanes->y1;
  mbs_real *out = (mbs_real *)(void *)lanes->inside;
  const mbs_real at = load(times), start = load(t);
  const mbs_mask first = at <= start, last = at >= load(t1);
  self->method->dense(n, (at - start) / load(h), load(h), y, y1, (const mbs_real *)(const void *)lanes->stages, out);
  for (size_t i = 0; i < n; i++) out[i] = mbs_select(first, y[i], mbs_select(last, y1[i], out[i]));
  clear_upper_halves();
}

static void do_same(const mbs_lanes *lanes, size_t n, const double *one, const double *other,
                    bool same[MBS_LANES_MAX]) {
  const mbs_mask *a = (const mbs_mask *)(const void *)one, *b = (const mbs_mask *)(const void *)other;
  mbs_mask parts = {0};
  (void)lanes;
  for (size_t i = 0; i < n; i++) parts |= a[i] != b[i];
  for (int k = 0; k < MBS_LANES; k++) same[k] = parts[k] == 0;
}

static void do_read(const mbs_lanes *lanes, const mbs_input *input, double out[MBS_LANES_MAX]) {
  own(lanes)->system.t = load(lanes->t);
  store(mbs_input_value(&own(lanes)->system, input), out);
  clear_upper_halves();
}

const mbs_lane_operations OF_WIDTH(mbs_lanes) = {.width = MBS_LANES,
                                                 .block_size = sizeof(mbs_block_constants) / sizeof(mbs_real),
                                                 .joint_size = sizeof(mbs_joint_constants) / sizeof(mbs_real),
                                                 .kernel_size = sizeof(lane_constants) / sizeof(mbs_real),
                                                 .force_size = sizeof(mbs_force_constants) / sizeof(mbs_real),
                                                 .law_size = sizeof(mbs_law_constants) / sizeof(mbs_real),
                                                 .geometry_size = sizeof(mbs_geometry) / sizeof(mbs_real),
                                                 .law_value = offsetof(mbs_law_constants, value) / sizeof(mbs_real),
                                                 .open = do_open,
                                                 .open_laws = do_open_laws,
                                                 .use = do_use,
                                                 .positions = do_positions,
                                                 .velocities = do_velocities,
                                                 .rows = do_rows,
                                                 .forces = do_forces,
                                                 .residual_forces = do_residual_forces,
                                                 .times = do_times,
                                                 .transposed = do_transposed,
                                                 .factors = do_factors,
                                                 .set_active_rows = do_set_active_rows,
                                                 .largest_row = do_largest_row,
                                                 .fastest = do_fastest,
                                                 .miss_positions = do_miss_positions,
                                                 .miss_velocities = do_miss_velocities,
                                                 .move_positions = do_move_positions,
                                                 .move_velocities = do_move_velocities,
                                                 .normalize = do_normalize,
                                                 .gather = do_gather,
                                                 .scatter = do_scatter,
                                                 .along = do_along,
                                                 .open_steps = do_open_steps,
                                                 .at = do_at,
                                                 .rates = do_rates,
                                                 .step = do_step,
                                                 .errors = do_errors,
                                                 .stiffness = do_stiffness,
                                                 .prepare = do_prepare,
                                                 .dense_error = do_dense_error,
                                                 .inside = do_inside,
                                                 .same = do_same,
                                                 .read = do_read};
