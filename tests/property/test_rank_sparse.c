/* test_rank_sparse.c - identification of dependent rows among many: a sparse QR finds as many as Gram-Schmidt with
 * pivoting, and the removed rows follow from the remaining ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constraints/rank.h"
#include "constraints/rank_sparse.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "list.h"
#include "models.h"
#include "probe.h"

static const double least = 1e-8;

/* Returns n parallelograms side by side with cranks at an angle; `drivers` drivers rotate each. */
static char *parallelograms(size_t n, double angle, size_t drivers) {
  const double c = cos(angle), s = sin(angle);
  text_list *points = list_open(), *bodies = list_open(), *joints = list_open(), *motors = list_open();
  MODEL(rod,
      {"name": "%s%zu", "mass": 1, "inertia": 0.1, "points": {"A": [-%g, 0], "B": [%g, 0]},
       "initial": {"position": [%.17g, %.17g], "angle": %.17g, "velocity": [%.17g, %.17g], "angular_velocity": %g}});
  MODEL(pin, {"name": "%s%zu", "type": "revolute", "points": ["%s%zu%s", "%s%zu.%s"]});
  MODEL(motor, {"name": "m%zu_%zu", "type": "angle", "body": "a%zu", "function": "%.17g + t"});
  for (size_t k = 0; k < n; k++) {
    const double x = 4 * (double)k;
    list_add(points, PART("O%zu": [%g, 0], "C%zu": [%g, 0]), k, x, k, x + 2);
    list_add(bodies, rod, "a", k, 0.5, 0.5, x + c / 2, s / 2, angle, -s / 2, c / 2, 1.0);
    list_add(bodies, rod, "b", k, 1.0, 1.0, x + c + 1, s, 0.0, -s, c, 0.0);
    list_add(bodies, rod, "c", k, 0.5, 0.5, x + 2 + c / 2, s / 2, angle, -s / 2, c / 2, 1.0);
    list_add(joints, pin, "O", k, "ground.O", k, "", "a", k, "A");
    list_add(joints, pin, "A", k, "a", k, ".B", "b", k, "A");
    list_add(joints, pin, "B", k, "b", k, ".B", "c", k, "B");
    list_add(joints, pin, "C", k, "ground.C", k, "", "c", k, "A");
    for (size_t d = 0; d < drivers; d++) list_add(motors, motor, k, d, k, angle);
  }
  MODEL(all,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {%s}},
       "bodies": [%s],
       "joints": [%s],
       "drivers": [%s]});
  return list_fill(all, points, bodies, joints, motors);
}

/* Checks that velocities which satisfy the remaining rows satisfy the removed ones, too. */
static void check_kept(probe *p, const bool *dependent, int rank) {
  const size_t m = p->model->rows, n = p->model->nv;
  double *v = calloc(n, sizeof *v), *back = calloc(n, sizeof *back), *rates = calloc(m, sizeof *rates);
  p->system->all_active = (size_t)rank == m;
  for (size_t r = 0; r < m; r++) p->system->active[r] = !dependent[r];
  assert_int_equal(mbs_factor(p->system), MBS_OK);
  for (size_t k = 0; k < n; k++) v[k] = sin(1.7 * (double)(k + 1));
  for (int pass = 0; pass < 3; pass++) {
    /* v - M^-1 C' S^-1 C v */
    mbs_jacobian_times(p->system, v, rates);
    mbs_solve_multipliers(p->system, rates);
    mbs_spread_multipliers(p->system, rates, back);
    for (size_t k = 0; k < n; k++) v[k] -= back[k];
  }
  mbs_jacobian_times(p->system, v, rates);
  for (size_t r = 0; r < m; r++) assert_true(fabs(rates[r]) < 1e-6);
  free(v);
  free(back);
  free(rates);
}

/* Compares both methods at the start of a document; frees the document. */
static void check_ranks(char *document, const char *formulation, int missing, int missing_of_joints) {
  char analysis[128];
  MODEL(asked, {"t_end": 1, "dt": 1, "formulation": "%s"});
  snprintf(analysis, sizeof analysis, asked, formulation);
  mbs_model *model = models_build(document, analysis);
  probe p = probe_open(model);
  const size_t m = model->rows, n = model->nv;
  const size_t joint_rows = model->driver_count ? (size_t)model->drivers[0].row : m;
  double *workspace = calloc(2 * m * n + n + 2 * m, sizeof *workspace), *lengths = calloc(m, sizeof *lengths);
  bool *dependent = calloc(m, sizeof *dependent), *other = calloc(m, sizeof *other);
  size_t joint_rank, other_joint_rank;
  mbs_set_position(p.system, 0, model->constants->q0);
  mbs_constraints(p.system, MBS_WANT_PHI | MBS_WANT_C);
  mbs_scaled_lengths(p.system, least, lengths, workspace, workspace + n);
  int rank =
      mbs_dependent_rows_sparse(p.system, least, lengths, workspace, workspace + n, dependent, joint_rows, &joint_rank);
  assert_int_equal(
      rank, mbs_dependent_rows(p.system, MBS_LEVEL_VELOCITY, least, other, joint_rows, &other_joint_rank, workspace));
  assert_int_equal(joint_rank, other_joint_rank);
  if (model->body_formulation) { /* otherwise the start is not assembled yet */
    assert_int_equal(m - (size_t)rank, missing);
    assert_int_equal(joint_rows - joint_rank, missing_of_joints);
  }
  int marked = 0;
  for (size_t r = 0; r < m; r++) marked += dependent[r];
  assert_int_equal(m - (size_t)rank, marked);
  check_kept(&p, dependent, rank);
  free(workspace);
  free(lengths);
  free(dependent);
  free(other);
  probe_close(&p);
  mbs_model_free(model);
  free(document);
}

static void test_as_many(void **unused) {
  (void)unused;
  static const char *const formulations[] = {"body", "joint"};
  for (size_t k = 0; k < 2; k++) {
    check_ranks(models_scissor_lift(20, 1), formulations[k], 0, 0);
    check_ranks(models_scissor_lift(20, 3), formulations[k], 2, 2);
    check_ranks(models_net(5), formulations[k], 0, 0);
    check_ranks(parallelograms(8, 1, 0), formulations[k], 0, 0);
    check_ranks(parallelograms(8, 0, 0), formulations[k], 8, 8);
  }
}

/* A driver's row is removed in preference to that of a joint. */
static void test_drivers(void **unused) {
  (void)unused;
  check_ranks(parallelograms(8, 1, 1), "body", 0, 0);
  check_ranks(parallelograms(8, 1, 3), "body", 16, 0);
}

/* A planar loop in space has three redundant rows. */
static void test_space(void **unused) {
  (void)unused;
  char *document = parallelograms(8, 1, 0);
  check_ranks(models_in_space(document), "body", 24, 24);
  check_ranks(models_in_space(document), "joint", 24, 24);
  free(document);
}

/* Hundreds of rows at a singular start, or with redundant ones, give the same report as a few rows. */
static void test_runs(void **unused) {
  (void)unused;
  for (int flat = 0; flat < 2; flat++)
    for (int space = 0; space < 2; space++) {
      char *planar = parallelograms(40, flat ? 0 : 1, 0), *document = space ? models_in_space(planar) : planar;
      mbs_result *result = models_run(document, JSON({"t_end": 0.01, "dt": 0.01, "formulation": "body"}));
      assert_int_equal(result->report.redundant_count, space ? 120 : 0);
      assert_int_equal(result->report.degrees_of_freedom, 40);
      assert_int_equal(models_note(result, "singular position") != NULL, flat);
      mbs_result_free(result);
      free(document);
      if (space) free(planar);
    }
}

/* Dense matrices of this net would need more than the memory of a run. */
static void test_memory(void **unused) {
  (void)unused;
  char *document = models_net(50);
  mbs_result *result = models_run(document, JSON({"t_end": 0.001, "dt": 0.001, "outputs": ["r"]}));
  assert_int_equal(result->report.redundant_count, 0);
  assert_int_equal(result->report.degrees_of_freedom, 98);
  mbs_result_free(result);
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_many), cmocka_unit_test(test_drivers), cmocka_unit_test(test_space),
      cmocka_unit_test(test_runs),    cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
