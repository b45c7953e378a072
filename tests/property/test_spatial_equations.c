/* test_spatial_equations.c - the equations of motion of random mechanisms in space, recomputed from their definition:
 *
 *   velocities against differences of poses, B from velocities, beta by differences of velocities along v,
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
#include "kernels/spatial/spatial.h"
#include "linalg/lapack.h"
#include "models.h"

enum { MECHANISMS = 60, WIDTH = 6 };

typedef struct probe {
  const mbs_model *model;
  mbs_system *system;
  uint64_t seed;
  size_t n, m, width;         /* velocities, rows, 6 nB */
  double t, *q, *v, *moved;   /* state, displaced state */
  double *B, *beta, *hb, *Mb; /* [width x n], [width], [width], [width x 6] */
} probe;

static void expect_close(const probe *p, const char *what, size_t i, double value, double wanted, double scale) {
  if (!(fabs(value - wanted) <= 1e-8 * scale))
    fail_msg("%s[%zu] of random mechanism %llu: %.15g, from the definition %.15g", what, i, (unsigned long long)p->seed,
             value, wanted);
}

/* ---- body states --------------------------------------------------------------------------------------------- */

static void read_velocities(const probe *p, double *out) {
  for (size_t b = 1; b <= p->model->nB; b++) {
    p->model->kernels->point(p->system, (int)b, (double[3]){0, 0, 0}, 1, out + WIDTH * (b - 1));
    p->model->kernels->rotation(p->system, (int)b, 1, out + WIDTH * (b - 1) + 3);
  }
}

/* Reads r and the columns of A of all bodies [12 nB]. */
static void read_poses(const probe *p, double *out) {
  for (size_t b = 1; b <= p->model->nB; b++, out += 12) {
    p->model->kernels->point(p->system, (int)b, (double[3]){0, 0, 0}, 0, out);
    for (int k = 0; k < 3; k++)
      p->model->kernels->to_global(p->system, (int)b, (double[3]){k == 0, k == 1, k == 2}, out + 3 + 3 * k);
  }
}

/* Computes the derivative along dq of the output of `read` [count], with constant v, by a fourth-order difference. */
static void along(probe *p, const double *dq, void (*read)(const probe *, double *), size_t count, double *out) {
  static const double places[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  const double h = 1e-3;
  double *step = p->moved + p->model->nq, *values = calloc(count, sizeof *values);
  memset(out, 0, count * sizeof *out);
  for (int k = 0; k < 4; k++) {
    for (size_t i = 0; i < p->n; i++) step[i] = h * places[k] * dq[i];
    mbs_displace(p->model, p->q, step, p->moved);
    mbs_set_position(p->system, p->t, p->moved);
    mbs_set_velocity(p->system, p->v);
    read(p, values);
    for (size_t i = 0; i < count; i++) out[i] += weights[k] * values[i] / (12 * h);
  }
  free(values);
}

/* Checks r' = v, a' = omega x a of the axes a, when q moves along v. */
static void check_velocities(probe *p) {
  size_t count = 12 * p->model->nB;
  double *rates = calloc(count, sizeof *rates), *poses = calloc(count, sizeof *poses), *V = calloc(p->width, sizeof *V);
  along(p, p->v, read_poses, count, rates);
  mbs_set_position(p->system, p->t, p->q);
  mbs_set_velocity(p->system, p->v);
  read_poses(p, poses);
  read_velocities(p, V);
  for (size_t b = 0; b < p->model->nB; b++)
    for (int k = 0; k < 4; k++) {
      double wanted[3];
      memcpy(wanted, V + WIDTH * b, sizeof wanted);
      if (k > 0) mbs_cross(V + WIDTH * b + 3, poses + 12 * b + 3 * k, wanted);
      for (int i = 0; i < 3; i++)
        expect_close(p, "velocity", b, rates[12 * b + 3 * (size_t)k + (size_t)i], wanted[i], 10);
    }
  free(rates);
  free(poses);
  free(V);
}

/* ---- the equations, dense ------------------------------------------------------------------------------------ */

static void fill_bodies(probe *p) {
  double *unit = calloc(p->n + 1, sizeof *unit);
  mbs_set_position(p->system, p->t, p->q);
  for (size_t k = 0; k < p->n; k++) {
    unit[k] = 1;
    mbs_set_velocity(p->system, unit);
    read_velocities(p, p->B + k * p->width);
    unit[k] = 0;
  }
  free(unit);
  along(p, p->v, read_velocities, p->width, p->beta);
  mbs_set_position(p->system, p->t, p->q);
  mbs_set_velocity(p->system, p->v);
  mbs_apply_forces(p->system);
  for (size_t b = 1; b <= p->model->nB; b++) {
    const spatial_body *body = &spatial_of(p->system)->bodies[b];
    const double *J = p->model->constants->bodies[b].inertia;
    double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]}, AJ[9], *Mb = p->Mb + 36 * (b - 1);
    double *hb = p->hb + WIDTH * (b - 1), spin[3] = {0, 0, 0};
    for (int i = 0; i < 9; i++) {
      AJ[i] = 0;
      for (int k = 0; k < 3; k++) AJ[i] += body->A[i / 3 * 3 + k] * full[3 * k + i % 3];
    }
    for (int i = 0; i < 3; i++) {
      Mb[7 * i] = p->model->constants->bodies[b].mass;
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) Mb[6 * (3 + i) + 3 + j] += AJ[3 * i + k] * body->A[3 * j + k];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) spin[i] += Mb[6 * (3 + i) + 3 + j] * body->w[j];
    mbs_cross(spin, body->w, hb + 3); /* -omega x J omega */
    for (int i = 0; i < 3; i++) {
      hb[i] = body->f[i] + p->model->constants->bodies[b].mass * p->model->constants->gravity[i];
      hb[3 + i] += body->n[i];
    }
  }
}

/* Computes out = Mb x of all bodies. */
static void masses_times(const probe *p, const double *x, double *out) {
  for (size_t b = 0; b < p->model->nB; b++)
    for (size_t i = 0; i < WIDTH; i++) {
      out[WIDTH * b + i] = 0;
      for (size_t j = 0; j < WIDTH; j++) out[WIDTH * b + i] += p->Mb[36 * b + 6 * i + j] * x[WIDTH * b + j];
    }
}

static void reduce(const probe *p, double *M, double *h) {
  double *image = calloc(p->width, sizeof *image);
  for (size_t j = 0; j < p->n; j++) {
    masses_times(p, p->B + j * p->width, image);
    for (size_t i = 0; i < p->n; i++)
      for (size_t k = 0; k < p->width; k++) M[j * p->n + i] += p->B[i * p->width + k] * image[k];
  }
  masses_times(p, p->beta, image);
  for (size_t i = 0; i < p->n; i++)
    for (size_t k = 0; k < p->width; k++) h[i] += p->B[i * p->width + k] * (p->hb[k] - image[k]);
  free(image);
}

static void check_mass_and_forces(const probe *p, const double *M, const double *h) {
  const mbs_model *model = p->model;
  double *packed = calloc(p->n * p->n + 1, sizeof *packed);
  model->kernels->generalized_forces(p->system);
  model->kernels->mass_matrix(p->system);
  for (size_t k = 0; k < p->n; k++)
    for (int a = model->tree.depth[k], j = (int)k; a >= 0; a--, j = model->tree.parent[j])
      packed[(size_t)j * p->n + k] = packed[k * p->n + (size_t)j] = p->system->M[model->tree.row0[k] + a];
  double scale = 1 + mbs_largest(M, p->n * p->n), size = 1 + mbs_largest(h, p->n);
  for (size_t i = 0; i < p->n * p->n; i++) expect_close(p, "M", i, packed[i], M[i], scale);
  for (size_t i = 0; i < p->n; i++) expect_close(p, "h", i, p->system->h[i], h[i], size);
  free(packed);
}

/* Returns true if C has full rank: a mechanism with redundant rows has no unique multipliers. */
static bool full_rank(const probe *p) {
  bool *redundant = calloc(p->m + 1, sizeof *redundant);
  double *work = calloc(mbs_correct_workspace(p->model), sizeof *work);
  mbs_ranks ranks = {.redundant = redundant};
  assert_int_equal(mbs_find_ranks(p->system, 0, p->model->constants->q0, &ranks, work), MBS_OK);
  free(redundant);
  free(work);
  return ranks.rank == p->m;
}

static void check_solution(const probe *p, const double *M, const double *h) {
  size_t n = p->n, m = p->m, all = n + m;
  double *work = calloc(mbs_lapack_workspace(all, all), sizeof *work), *C = calloc(n * m + 1, sizeof *C);
  double *A = calloc(all * all + 1, sizeof *A), *x = calloc(all + 1, sizeof *x);
  assert_int_equal(mbs_evaluate(p->system, p->t, p->q, p->v), MBS_OK);
  mbs_jacobian_dense(p->system, C);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) A[j * all + i] = M[j * n + i];
    for (size_t r = 0; r < m; r++) {
      A[(n + r) * all + i] = -C[i * m + r];
      A[i * all + n + r] = C[i * m + r];
    }
    x[i] = h[i];
  }
  for (size_t r = 0; r < m; r++) x[n + r] = p->system->rhsA[r];
  assert_true(mbs_linear_solve(all, A, x, work));
  double scale = 100 * (1 + mbs_largest(x, n)), size = 100 * (1 + mbs_largest(x + n, m));
  for (size_t i = 0; i < n; i++) expect_close(p, "v'", i, p->system->vdot[i], x[i], scale);
  for (size_t r = 0; r < m; r++) expect_close(p, "lambda", r, p->system->lambda[r], x[n + r], size);
  free(work);
  free(C);
  free(A);
  free(x);
}

static void check_equations(probe *p) {
  bool regular = full_rank(p);
  double *M = calloc(p->n * p->n + 1, sizeof *M), *h = calloc(p->n + 1, sizeof *h);
  check_velocities(p);
  fill_bodies(p);
  reduce(p, M, h);
  check_mass_and_forces(p, M, h);
  if (regular) check_solution(p, M, h);
  free(M);
  free(h);
}

/* ---- power of force elements --------------------------------------------------------------------------------- */

static void read_potential(const probe *p, double *out) {
  mbs_apply_forces(p->system);
  out[0] = p->system->potential_forces;
}

/* Checks that wrenches times velocities = work - dissipation - change of the potential. */
static void check_power(probe *p) {
  double change, power = 0;
  along(p, p->v, read_potential, 1, &change);
  mbs_set_position(p->system, p->t, p->q);
  mbs_set_velocity(p->system, p->v);
  mbs_apply_forces(p->system);
  for (size_t b = 1; b <= p->model->nB; b++) {
    const spatial_body *body = &spatial_of(p->system)->bodies[b];
    power += mbs_dot(body->f, body->v) + mbs_dot(body->n, body->w);
  }
  double wanted = p->system->power_work - p->system->power_dissipated - change;
  expect_close(p, "power", 0, power, wanted, 1 + fabs(power));
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

/* Runs `check` at a random state near that of the document. */
static void check_document(const char *document, const char *analysis, uint64_t seed, void (*check)(probe *)) {
  mbs_model *model = models_build(document, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  probe p = {.model = model,
             .system = mbs_system_new(model, arena),
             .seed = seed,
             .n = model->nv,
             .m = model->rows,
             .width = WIDTH * model->nB,
             .t = 0.4};
  uint64_t random = 1000 + seed;
  double **arrays[] = {&p.q, &p.v, &p.moved, &p.B, &p.beta, &p.hb, &p.Mb};
  size_t sizes[] = {model->nq, model->nv, model->state.z, p.width * p.n, p.width, p.width, 6 * p.width};
  for (int i = 0; i < 7; i++) *arrays[i] = mbs_arena_alloc(arena, sizes[i] + 1, sizeof(double));
  for (size_t i = 0; i < model->nq; i++) p.q[i] = model->constants->q0[i] + 0.2 * models_uniform(&random);
  for (size_t i = 0; i < model->nv; i++) p.v[i] = models_uniform(&random);
  model->kernels->normalize(model, p.q);
  check(&p);
  mbs_arena_free(arena);
  mbs_model_free(model);
}

static void for_random_mechanisms(void (*check)(probe *)) {
  for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
    char *document = models_random_spatial(seed, 2 + seed % 7, seed % 4);
    check_document(document, JSON({"type": "assembly"}), seed, check);
    check_document(document, JSON({"type": "assembly", "formulation": "body"}), seed, check);
    free(document);
  }
}

static void test_equations(void **unused) {
  (void)unused;
  for_random_mechanisms(check_equations);
}

static void test_power(void **unused) {
  (void)unused;
  for_random_mechanisms(check_power);
}

/* Torsion springs in every rotating joint. */
static void test_power_of_torsion(void **unused) {
  (void)unused;
  static const char *const types[] = {"revolute", "cylindrical", "screw", "planar", "universal"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (int cut = 0; cut < 2; cut++) {
      char document[2048];
      MODEL(document_format,
          {"space": "spatial",
           "bodies": [
             {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [0.1, 0.4, 0.2]},
              "vectors": {"u": [1, 2, 3]}},
             {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [0.3, -0.2, 0.1]},
              "vectors": {"u": [3, -1, 1]}}],
           "joints": [{"name": "j", "type": "%s", "points": ["a.P", "b.P"], "vectors": ["a.u", "b.u"]%s%s}],
           "forces": [
             {"name": "n", "type": "rotational-spring-damper", "joint": "j", "stiffness": 2,
              "free_angle": 0.3, "damping": 0.5, "actuator": "cos(t)"}]});
      snprintf(document, sizeof document, document_format, types[i],
               i == 2 ? PART(, "pitch": 0.3) : "", cut ? PART(, "cut": true) : "");
      check_document(document, JSON({"type": "assembly"}), 10 * i + (size_t)cut, check_power);
    }
}

/* Elements of two bodies, which the random mechanisms do not have. */
MODEL(bushing,
    {"name": "e", "type": "bushing", "points": ["a.P", "b.P"], "vectors": ["a.u", "a.w"],
     "stiffness": [3, 2, 1.5, 0.7, 1.1, 1.3], "damping": [0.3, 0.7, 0.2, 0.4, 0.5, 0.1],
     "preload": [0.4, -0.2, 0.3, 0.6, 0.5, -0.7]});
MODEL(grounded_bushing,
    {"name": "e", "type": "bushing", "points": ["b.P", "ground.O"], "stiffness": [3, 2, 1.5, 0.7, 1.1, 1.3]});
MODEL(rotation_vector,
    {"name": "e", "type": "rotational-spring-damper", "bodies": ["b", "a"], "stiffness": 3, "damping": 0.4});
MODEL(grounded_rotation_vector,
    {"name": "e", "type": "rotational-spring-damper", "bodies": ["ground", "a"], "stiffness": "3 + t",
     "damping": "0.4*a.x^2"});
MODEL(rotation_about_axis,
    {"name": "e", "type": "rotational-spring-damper", "bodies": ["a", "b"], "vectors": ["a.u", "b.u"],
     "stiffness": "3 + q", "damping": 0.4, "free_angle": 0.2, "actuator": "qd"});
MODEL(beam,
    {"name": "e", "type": "beam", "points": ["a.P", "b.P"], "vectors": ["a.x", "b.x", "a.y", "b.y"],
     "axial_stiffness": 5, "bending_stiffness": [3, 2], "torsional_stiffness": 1.7, "damping": 0.3, "length": 1});
MODEL(grounded_beam,
    {"name": "e", "type": "beam", "points": ["ground.O", "b.P"], "vectors": ["ground.x", "b.x", "ground.y", "b.y"],
     "axial_stiffness": 5, "bending_stiffness": [3, 2], "torsional_stiffness": 1.7});
MODEL(gravitation,
    {"name": "e", "type": "gravitation", "bodies": ["a", "b"], "constant": 2});
MODEL(attraction,
    {"name": "e", "type": "gravitation", "points": ["a.P", "ground.O"], "strength": 2});
MODEL(drag,
    {"name": "e", "type": "drag", "body": "b", "density": 1.2, "area": 2, "coefficient": 0.4,
     "wind": ["sin(t)", 0.4, "a.x"]});

static void test_power_of_elements(void **unused) {
  (void)unused;
  static const char *const elements[] = {bushing, grounded_bushing,   rotation_vector, grounded_rotation_vector,
                                         beam,    grounded_beam,      gravitation,     attraction,
                                         drag,    rotation_about_axis};
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    for (int body = 0; body < 2; body++) {
      char document[2048];
      MODEL(document_format,
          {"space": "spatial",
           "ground": {"points": {"O": [0, 1, 2]}, "vectors": {"x": [0.3, -0.6, -1], "y": [6, 3, 0]}},
           "bodies": [
             {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [0.1, 0.4, 0.2]},
              "vectors": {"u": [1, 2, 2], "w": [2, 1, -2], "x": [1.2, -0.6, 0], "y": [1, 2, 0.2]},
              "initial": {"orientation": {"axis": [1, 0, 2], "angle": 1}}},
             {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [1.3, -0.2, 0.1]},
              "vectors": {"u": [3, -1, 1], "x": [1, 0.2, 0], "y": [-0.2, 1, 0.5]},
              "initial": {"position": [1.5, 0.2, -0.6], "orientation": {"axis": [3, 1, 2], "angle": 2}}}],
           "forces": [%s]});
      snprintf(document, sizeof document, document_format, elements[i]);
      for (size_t seed = 0; seed < 5; seed++)
        check_document(document, body ? JSON({"type": "assembly", "formulation": "body"}) : JSON({"type": "assembly"}),
                       10 * i + seed, check_power);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equations),
      cmocka_unit_test(test_power),
      cmocka_unit_test(test_power_of_torsion),
      cmocka_unit_test(test_power_of_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
