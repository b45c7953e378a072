/* test_equations.c - the equations of motion of random mechanisms, recomputed from their definition:
 *
 *   B by differences of the bodies' poses, beta by differences of their velocities along v,
 *   M = B' Mb B,   h = B'(hb - Mb beta)   (seed eq. 9.23, 9.24),
 *   v' and lambda of   M v' - C' lambda = h,   C v' = rhsA   by LAPACK.
 *
 * Also the power of force elements: the power of their wrenches on the bodies equals the power that they report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "initial/correct.h"
#include "kernels/planar/planar.h"
#include "linalg/lapack.h"
#include "models.h"

enum { MECHANISMS = 40, WIDTH = 3 };

/* ---- body states --------------------------------------------------------------------------------------------- */

/* Reads the poses (level 0) or velocities (level 1) of all bodies [3 nB]. */
static void read_bodies(const mbs_system *system, int level, double *out) {
  const mbs_kernels *kernels = system->model->kernels;
  for (size_t b = 1; b <= system->model->nB; b++) {
    double r[3], phi[3];
    kernels->point(system, (int)b, (double[3]){0, 0, 0}, level, r);
    kernels->rotation(system, (int)b, level, phi);
    double *at = out + WIDTH * (b - 1);
    at[0] = r[0];
    at[1] = r[1];
    at[2] = phi[2];
  }
}

typedef struct state {
  double t, *q, *v;
} state;

/* Computes the derivative of the bodies' poses or velocities along dq, by a fourth-order difference. */
static void along(mbs_system *system, const state *at, const double *dq, int level, double *out) {
  static const double places[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  const double h = 1e-3;
  const mbs_model *model = system->model;
  size_t n = WIDTH * model->nB;
  double *moved = calloc(model->state.z, sizeof *moved), *values = calloc(n, sizeof *values);
  memset(out, 0, n * sizeof *out);
  for (int k = 0; k < 4; k++) {
    for (size_t i = 0; i < model->nv; i++) moved[model->nq + i] = h * places[k] * dq[i];
    mbs_displace(model, at->q, moved + model->nq, moved);
    mbs_set_position(system, at->t, moved);
    mbs_set_velocity(system, at->v);
    read_bodies(system, level, values);
    for (size_t i = 0; i < n; i++) out[i] += weights[k] * values[i] / (12 * h);
  }
  free(moved);
  free(values);
}

/* ---- the equations, dense ------------------------------------------------------------------------------------ */

typedef struct dense {
  size_t n, m, bodies;
  double *B, *beta, *hb, *mass; /* [3 nB x n], [3 nB] */
  double *M, *h, *A, *x;        /* [n x n], [n], [(n + m)^2], [n + m] */
} dense;

static dense dense_new(const mbs_model *model) {
  dense d = {.n = model->nv, .m = model->rows, .bodies = WIDTH * model->nB};
  size_t all = d.n + d.m;
  d.B = calloc(d.bodies * d.n, sizeof(double));
  d.beta = calloc(3 * d.bodies, sizeof(double));
  d.hb = d.beta + d.bodies;
  d.mass = d.hb + d.bodies;
  d.M = calloc(d.n * d.n + d.n + 1, sizeof(double));
  d.h = d.M + d.n * d.n;
  d.A = calloc(all * all + all + 1, sizeof(double));
  d.x = d.A + all * all;
  return d;
}

static void dense_free(dense *d) {
  free(d->B);
  free(d->beta);
  free(d->M);
  free(d->A);
}

static void fill_bodies(dense *d, mbs_system *system, const state *at) {
  const mbs_model *model = system->model;
  double *unit = calloc(d->n + 1, sizeof *unit);
  for (size_t k = 0; k < d->n; k++) {
    unit[k] = 1;
    along(system, at, unit, 0, d->B + k * d->bodies);
    unit[k] = 0;
  }
  free(unit);
  along(system, at, at->v, 1, d->beta);
  mbs_evaluate(system, at->t, at->q, at->v);
  mbs_apply_forces(system);
  for (size_t b = 1; b <= model->nB; b++) {
    const planar_body *body = &planar_of(system)->bodies[b];
    double mass = model->constants->bodies[b].mass, *hb = d->hb + WIDTH * (b - 1), *mb = d->mass + WIDTH * (b - 1);
    hb[0] = body->fx + mass * model->constants->gravity[0];
    hb[1] = body->fy + mass * model->constants->gravity[1];
    hb[2] = body->n;
    mb[0] = mb[1] = mass;
    mb[2] = model->constants->bodies[b].inertia[0];
  }
}

static void reduce(dense *d) {
  for (size_t i = 0; i < d->n; i++) {
    const double *Bi = d->B + i * d->bodies;
    for (size_t j = 0; j < d->n; j++) {
      const double *Bj = d->B + j * d->bodies;
      double sum = 0;
      for (size_t k = 0; k < d->bodies; k++) sum += Bi[k] * d->mass[k] * Bj[k];
      d->M[j * d->n + i] = sum;
    }
    d->h[i] = 0;
    for (size_t k = 0; k < d->bodies; k++) d->h[i] += Bi[k] * (d->hb[k] - d->mass[k] * d->beta[k]);
  }
}

static void expect_close(const char *what, uint64_t seed, size_t i, double value, double wanted, double scale) {
  if (!(fabs(value - wanted) <= 1e-8 * scale))
    fail_msg("%s[%zu] of random mechanism %llu: %.15g, from the definition %.15g", what, i, (unsigned long long)seed,
             value, wanted);
}

static void check_mass_and_forces(const dense *d, mbs_system *system, uint64_t seed) {
  const mbs_model *model = system->model;
  double *packed = calloc(d->n * d->n + 1, sizeof *packed);
  model->kernels->generalized_forces(system);
  model->kernels->mass_matrix(system);
  for (size_t k = 0; k < d->n; k++)
    for (int a = model->tree.depth[k], j = (int)k; a >= 0; a--, j = model->tree.parent[j])
      packed[(size_t)j * d->n + k] = packed[k * d->n + (size_t)j] = system->M[model->tree.row0[k] + a];
  double scale = 1 + mbs_largest(d->M, d->n * d->n), size = 1 + mbs_largest(d->h, d->n);
  for (size_t i = 0; i < d->n * d->n; i++) expect_close("M", seed, i, packed[i], d->M[i], scale);
  for (size_t i = 0; i < d->n; i++) expect_close("h", seed, i, system->h[i], d->h[i], size);
  free(packed);
}

static void check_solution(dense *d, mbs_system *system, const state *at, uint64_t seed) {
  size_t n = d->n, m = d->m, all = n + m;
  double *work = calloc(mbs_lapack_workspace(all, all), sizeof *work), *C = calloc(n * m + 1, sizeof *C);
  assert_int_equal(mbs_evaluate(system, at->t, at->q, at->v), MBS_OK);
  mbs_jacobian_dense(system, C);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) d->A[j * all + i] = d->M[j * n + i];
    for (size_t r = 0; r < m; r++) {
      d->A[(n + r) * all + i] = -C[i * m + r];
      d->A[i * all + n + r] = C[i * m + r];
    }
    d->x[i] = d->h[i];
  }
  for (size_t r = 0; r < m; r++) d->x[n + r] = system->rhsA[r];
  assert_true(mbs_linear_solve(all, d->A, d->x, work));
  double scale = 10 * (1 + mbs_largest(d->x, n)), size = 10 * (1 + mbs_largest(d->x + n, m));
  for (size_t i = 0; i < n; i++) expect_close("v'", seed, i, system->vdot[i], d->x[i], scale);
  for (size_t r = 0; r < m; r++) expect_close("lambda", seed, r, system->lambda[r], d->x[n + r], size);
  free(work);
  free(C);
}

/* Runs `check` at a random state of random mechanisms. */
static void for_random_mechanisms(void (*check)(mbs_system *, const state *, uint64_t)) {
  for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
    char *document = models_random(seed, 2 + seed % 7, seed % 4);
    mbs_model *model = models_build(document, JSON({"type": "assembly"}));
    mbs_arena *arena = mbs_arena_new(0);
    mbs_system *system = mbs_system_new(model, arena);
    uint64_t random = 1000 + seed;
    state at = {.t = 0.4, .q = calloc(model->nq + 1, sizeof(double)), .v = calloc(model->nv + 1, sizeof(double))};
    for (size_t i = 0; i < model->nq; i++) at.q[i] = model->constants->q0[i] + 0.2 * models_uniform(&random);
    for (size_t i = 0; i < model->nv; i++) at.v[i] = models_uniform(&random);
    check(system, &at, seed);
    free(at.q);
    free(at.v);
    mbs_arena_free(arena);
    mbs_model_free(model);
    free(document);
  }
}

/* Returns true if C generically has full rank: a mechanism with redundant rows has no unique multipliers. */
static bool full_rank(mbs_system *system) {
  const mbs_model *model = system->model;
  bool *redundant = calloc(model->rows + 1, sizeof *redundant);
  double *work = calloc(mbs_correct_workspace(model), sizeof *work);
  mbs_ranks ranks = {.redundant = redundant};
  assert_int_equal(mbs_find_ranks(system, 0, model->constants->q0, &ranks, work), MBS_OK);
  free(redundant);
  free(work);
  return ranks.rank == model->rows;
}

static void check_equations(mbs_system *system, const state *at, uint64_t seed) {
  bool regular = full_rank(system);
  dense d = dense_new(system->model);
  fill_bodies(&d, system, at);
  reduce(&d);
  check_mass_and_forces(&d, system, seed);
  if (regular) check_solution(&d, system, at, seed);
  dense_free(&d);
}

static void test_equations(void **unused) {
  (void)unused;
  for_random_mechanisms(check_equations);
}

/* ---- power of force elements --------------------------------------------------------------------------------- */

/* Checks that wrenches times velocities = work - dissipation - change of the potential. */
static void check_power(mbs_system *system, const state *at, uint64_t seed) {
  static const double places[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  const double h = 1e-3;
  const mbs_model *model = system->model;
  double *moved = calloc(2 * model->state.z + 1, sizeof *moved), *V = calloc(WIDTH * model->nB, sizeof *V);
  double change = 0, power = 0;
  for (int k = 0; k < 4; k++) {
    double *step = moved + model->nq;
    for (size_t i = 0; i < model->nv; i++) step[i] = h * places[k] * at->v[i];
    mbs_displace(model, at->q, step, moved);
    mbs_set_position(system, at->t, moved);
    mbs_set_velocity(system, at->v);
    mbs_apply_forces(system);
    change += weights[k] * system->potential_forces / (12 * h);
  }
  mbs_set_position(system, at->t, at->q);
  mbs_set_velocity(system, at->v);
  mbs_apply_forces(system);
  read_bodies(system, 1, V);
  for (size_t b = 1; b <= model->nB; b++) {
    const planar_body *body = &planar_of(system)->bodies[b];
    const double *at_b = V + WIDTH * (b - 1);
    power += body->fx * at_b[0] + body->fy * at_b[1] + body->n * at_b[2];
  }
  double wanted = system->power_work - system->power_dissipated - change;
  expect_close("power", seed, 0, power, wanted, 1 + fabs(power));
  free(moved);
  free(V);
}

static void test_power(void **unused) {
  (void)unused;
  for_random_mechanisms(check_power);
}

MODEL(spring,
    {"name": "element", "type": "spring-damper", "points": ["a.R", "b.Q"], "stiffness": "2 + 0.1*l",
     "free_length": 0.3, "damping": "0.2 + 0.1*ld^2", "actuator": "sin(t)"});
MODEL(turning_spring,
    {"name": "element", "type": "rotational-spring-damper", "joint": "pin", "stiffness": 2, "free_angle": 0.3,
     "damping": 0.5, "actuator": "cos(t)"});
MODEL(bushing,
    {"name": "element", "type": "bushing", "points": ["a.R", "b.Q"], "vectors": "a.u", "stiffness": [3, 2, 1.5],
     "damping": [0.3, 0.7, 0.2], "preload": [0.4, -0.2, 0.3]});
MODEL(beam,
    {"name": "element", "type": "beam", "points": ["a.R", "b.Q"], "vectors": ["a.u", "b.u"], "length": 0.7,
     "axial_stiffness": 3, "bending_stiffness": 2, "damping": 0.3});
MODEL(gravitation,
    {"name": "element", "type": "gravitation", "bodies": ["a", "b"], "constant": 2});
MODEL(drag,
    {"name": "element", "type": "drag", "point": "b.Q", "density": 1.2, "area": 2, "coefficient": 0.4, "linear": 0.3,
     "wind": ["sin(t)", 0.4]});
MODEL(tyre,
    {"name": "element", "type": "tyre", "point": "b.Q", "vectors": "b.u", "law": "magic-formula", "load": "2 + b.x^2",
     "spin": "1 + t", "radius": 0.4, "lateral": {"B": 3, "C": 1.3, "D": 1.1, "E": 0.4},
     "longitudinal": {"B": 4, "C": 1.5, "D": 1.2}});
MODEL(force,
    {"name": "element", "type": "force", "point": "b.Q", "value": ["1 + b.x", "t*b.vy"], "frame": "body"});
MODEL(rope,
    {"name": "element", "type": "rope", "path": [{"point": "ground.O"}, {"pulley": "a.P", "radius": 0.05},
                                                 {"point": "b.Q"}], "stiffness": 3, "damping": 0.5, "length": 0.1});
MODEL(torque,
    {"name": "element", "type": "torque", "body": "b", "value": "a.phi - 2*b.omega"});
MODEL(contact,
    {"name": "element", "type": "contact", "point": "b.Q", "line": ["ground.O", "ground.u"], "law": "kelvin-voigt",
     "stiffness": 3, "damping": 0.5});
MODEL(friction,
    {"name": "element", "type": "friction", "joint": "pin", "law": "anderson", "mu_static": 0.4, "mu_dynamic": 0.3,
     "preload": "2 + sin(t)", "radius": 0.2, "belt_speed": 0.3});
MODEL(backlash,
    {"name": "element", "type": "backlash", "joint": "pin", "gap": 0.1, "stiffness": 3, "damping": 0.5});
MODEL(clutch,
    {"name": "element", "type": "one-way-clutch", "joint": "pin"});
MODEL(motor,
    {"name": "element", "type": "dc-motor", "joint": "pin", "voltage": "3 + sin(t)", "resistance": 2,
     "torque_constant": 0.5, "gear_ratio": 3, "damping": 0.1});

/* Every class of force elements on a mechanism of two bodies with a joint between them. */
static void test_power_of_each_class(void **unused) {
  (void)unused;
  static const char *const elements[] = {spring, turning_spring, bushing, beam,     gravitation, drag,   tyre, rope,
                                         force,  torque,         contact, friction, backlash,    clutch, motor};
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_FORCE, i)) != NULL; i++) {
    const char *element = NULL;
    char *type = models_text(PART("type": "%s"), cls->name);
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
      if (strstr(elements[e], type)) element = elements[e];
    free(type);
    if (!element) fail_msg("add a '%s' to this test", cls->name);
    char document[2048];
    MODEL(document_format,
        {"space": "planar",
         "ground": {"points": {"O": [0, 9]}, "vectors": {"u": [1, 0]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": 1, "points": {"P": [0.1, 0.4], "R": [-0.6, 0.9]},
            "vectors": {"u": [3, 1]}},
           {"name": "b", "mass": 1, "inertia": 1, "points": {"P": [0.3, -0.2], "Q": [1.2, 0.7]},
            "vectors": {"u": [1, 0.2]}}],
         "joints": [{"name": "pin", "type": "revolute", "points": ["a.P", "b.P"]}],
         "forces": [%s]});
    snprintf(document, sizeof document, document_format, element);
    mbs_model *model = models_build(document, JSON({"type": "assembly"}));
    mbs_arena *arena = mbs_arena_new(0);
    mbs_system *system = mbs_system_new(model, arena);
    double numbers[8];
    uint64_t random = 5;
    for (int k = 0; k < 8; k++) numbers[k] = models_uniform(&random);
    assert_int_equal(model->nv, 4);
    check_power(system, &(state){.t = 0.7, .q = numbers, .v = numbers + 4}, i);
    mbs_arena_free(arena);
    mbs_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equations),
      cmocka_unit_test(test_power),
      cmocka_unit_test(test_power_of_each_class),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
