/* test_blocks.c - the printed equations against the arrays of the solver: the value of each block's term at random and
 * at assembled states, of every shipped model in both formulations, of random mechanisms, and of joints of every kind
 * in the tree, reversed and cut. The text of a closed block holds only at assembled states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models.h"
#include "symbolic/derivation.h"

enum { STATES = 20, ROOM = 36 };

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* Largest relative difference between a block's text and its array, and its place. */
typedef struct comparison {
  double worst;
  char where[400];
  size_t blocks, closed;
} comparison;

static void compare_block(mbs_equations *equations, const mbs_equation_matrix *matrix, size_t r, size_t c,
                          bool assembled, comparison *out) {
  const mbs_equation_block *block = &matrix->blocks[r * matrix->column_count + c];
  int rows = matrix->rows[r].size, columns = matrix->columns[c].size, n = rows * columns;
  double value[ROOM] = {0}, largest = 1;
  if (block->closed) out->closed++;
  if (block->closed && !assembled) return;
  out->blocks++;
  const char *text = mbs_equations_written(equations, block->term, MBS_NOTATION_TEXT);
  if (!mbs_term_is_zero(block->term)) {
    bool fits =
        mbs_term_value(block->term, value, ROOM) && block->term->rows == rows && block->term->columns == columns;
    if (!fits) {
      out->worst = INFINITY;
      snprintf(out->where, sizeof out->where, "%s[%s, %s] = %s has the shape %d x %d, not %d x %d", matrix->name,
               matrix->rows[r].label, matrix->columns[c].label, text, block->term->rows, block->term->columns, rows,
               columns);
      return;
    }
  }
  for (int k = 0; k < n; k++) largest = fmax(largest, fabs(block->value[k]));
  for (int k = 0; k < n; k++) {
    double difference = fabs(value[k] - block->value[k]) / largest;
    if (!(difference > out->worst)) continue;
    out->worst = difference;
    snprintf(out->where, sizeof out->where, "%s[%s, %s] = %s: %.12g is %.12g", matrix->name, matrix->rows[r].label,
             matrix->columns[c].label, text, value[k], block->value[k]);
  }
}

static void compare_all(mbs_equations *equations, bool assembled, comparison *out) {
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    for (size_t r = 0; r < matrix->row_count; r++)
      for (size_t c = 0; c < matrix->column_count; c++) compare_block(equations, matrix, r, c, assembled, out);
  }
}

/* Compares at the start, and at random states near it. */
static comparison compare_model(const char *name, const mbs_model *model, double within, double closed_within) {
  mbs_equations *equations = mbs_equations_new(model);
  assert_non_null(equations);
  mbs_error error = {0};
  comparison start = {0}, away = {0};
  uint64_t seed = 7;
  bool assembled = mbs_equations_start(equations, &error) == MBS_OK;
  compare_all(equations, assembled, &start);
  if (start.worst > closed_within) fail_msg("%s at its start: %s (%g)", name, start.where, start.worst);
  size_t nq = equations->work->model->nq, nv = equations->work->model->nv;
  double *q = calloc(nq + nv + 1, sizeof *q), *q0 = calloc(nq + 1, sizeof *q0), *v = q + nq;
  memcpy(q0, equations->q, nq * sizeof *q0);
  for (int s = 0; s < STATES; s++) {
    for (size_t k = 0; k < nq; k++) q[k] = q0[k] + 0.3 * random_number(&seed);
    for (size_t k = 0; k < nv; k++) v[k] = random_number(&seed);
    if (mbs_equations_at(equations, 0.37, q, v, &error) == MBS_OK) compare_all(equations, false, &away);
  }
  free(q);
  free(q0);
  mbs_equations_free(equations);
  if (away.worst > within) fail_msg("%s at a random state: %s (%g)", name, away.where, away.worst);
  return away;
}

/* The sizes estimated in advance equal the real ones or exceed them slightly: some blocks vanish by their numbers. */
static void check_sizes(const char *name, const mbs_model *model) {
  mbs_equation_size sizes[MBS_EQUATION_MATRICES];
  mbs_equations *equations = mbs_equations_new(model);
  assert_non_null(equations);
  assert_int_equal(mbs_equations_sizes(model, sizes), equations->matrix_count);
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    size_t blocks = 0, products = 0, cells = matrix->row_count * matrix->column_count;
    for (size_t k = 0; k < cells; k++) {
      const mbs_term *term = matrix->blocks[k].term;
      if (!matrix->blocks[k].zero) blocks++;
      if (!matrix->blocks[k].zero) products += term->kind == MBS_TERM_SUM ? term->count : 1;
    }
    assert_string_equal(sizes[m].name, matrix->name);
    assert_int_equal(sizes[m].cells, cells);
    if (sizes[m].blocks < blocks || sizes[m].products < products ||
        sizes[m].blocks > 3 * blocks + 4 * (matrix->row_count + matrix->column_count))
      fail_msg("%s: %s has %zu blocks of %zu products, not %zu of %zu", name, matrix->name, blocks, products,
               sizes[m].blocks, sizes[m].products);
  }
  mbs_equations_free(equations);
}

/* Requesting some of the matrices gives the same as requesting all. */
static void check_some(const char *name, const mbs_model *model) {
  mbs_equations *all = mbs_equations_new(model);
  assert_non_null(all);
  mbs_error error;
  (void)mbs_equations_start(all, &error);
  for (size_t m = 0; m < all->matrix_count; m++) {
    const mbs_equation_matrix *whole = &all->matrices[m];
    mbs_equations *one = mbs_equations_new_of(model, whole->name);
    assert_non_null(one);
    (void)mbs_equations_start(one, &error);
    assert_int_equal(one->matrix_count, 1);
    const mbs_equation_matrix *alone = &one->matrices[0];
    for (size_t k = 0; k < whole->row_count * whole->column_count; k++) {
      size_t size =
          (size_t)whole->rows[k / whole->column_count].size * (size_t)whole->columns[k % whole->column_count].size;
      const char *text = mbs_equations_written(all, whole->blocks[k].term, MBS_NOTATION_TEXT);
      const char *other = mbs_equations_written(one, alone->blocks[k].term, MBS_NOTATION_TEXT);
      if (strcmp(text, other) != 0 ||
          memcmp(whole->blocks[k].value, alone->blocks[k].value, size * sizeof(double)) != 0)
        fail_msg("%s: %s, block %zu: %s is %s", name, whole->name, k, other, text);
    }
    mbs_equations_free(one);
  }
  mbs_equations_free(all);
}

static void check(const char *name, const char *document, const char *analysis) {
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build(document, analysis, &list);
  mbs_diagnostics_free(&list);
  if (!model) return;
  comparison found = compare_model(name, model, 1e-12, 1e-8);
  printf("%-24s %6zu blocks, %4zu closed, largest difference %.1e\n", name, found.blocks / STATES,
         found.closed / STATES, found.worst);
  check_sizes(name, model);
  check_some(name, model);
  mbs_model_free(model);
}

static void test_shipped_models(void **state) {
  (void)state;
  DIR *folder = opendir("models");
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));) {
    char name[300];
    snprintf(name, sizeof name, "%s", entry->d_name);
    char *end = strstr(name, ".json");
    if (!end) continue;
    *end = 0;
    char *document = models_named(name);
    check(name, document, JSON({"type": "assembly", "formulation": "joint"}));
    strcat(name, " (body)");
    check(name, document, JSON({"type": "assembly", "formulation": "body"}));
    free(document);
  }
  closedir(folder);
}

/* Random trees and loops, joints of all kinds in either direction, in both formulations. */
static void test_random_mechanisms(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    char name[60], *document = seed % 2 ? models_random(seed, 5, 2) : models_random_spatial(seed, 4, 2);
    snprintf(name, sizeof name, "random %d", (int)seed);
    check(name, document, JSON({"type": "assembly", "formulation": "joint"}));
    check(name, document, JSON({"type": "assembly", "formulation": "body"}));
    free(document);
  }
}

/* Inertias along coordinates of all kinds: in the tree, of a cut joint, and in body coordinates. */
static void test_rotors(void **state) {
  static const char *const spatial[] = {"cylindrical", "universal", "planar"};
  (void)state;
  for (int k = 0; k < 6; k++) {
    char name[60], *document = k < 2 ? models_rotors(k) : models_spatial_rotors(k < 5 ? spatial[k - 2] : NULL);
    snprintf(name, sizeof name, "rotors %d", k);
    check(name, document, JSON({"type": "assembly", "formulation": "joint"}));
    check(name, document, JSON({"type": "assembly", "formulation": "body"}));
    free(document);
  }
}

/* The legs of a walking linkage have equal equations except for indices; their rows are recognized as equal and shown
 * once. */
static void test_equal_legs(void **state) {
  (void)state;
  enum { LEGS = 12 };
  char *document = models_strandbeest(LEGS);
  mbs_model *model = models_build(document, JSON({"type": "assembly"}));
  clock_t begun = clock();
  mbs_equations *equations = mbs_equations_new(model);
  mbs_error error = {0};
  assert_non_null(equations);
  assert_int_equal(mbs_equations_start(equations, &error), MBS_OK);
  printf("%d legs: %.1f ms, %zu symbols\n", LEGS, 1e3 * (double)(clock() - begun) / CLOCKS_PER_SEC,
         equations->symbol_count);
  comparison start = {0};
  compare_all(equations, true, &start);
  if (start.worst > 1e-8) fail_msg("%s", start.where);
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    size_t first = 0;
    for (size_t r = 0; r < matrix->row_count; r++) {
      assert_true(matrix->alike[r] <= r && matrix->alike[matrix->alike[r]] == matrix->alike[r]);
      first += matrix->alike[r] == r;
    }
    printf("%-12s %4zu rows, %3zu that differ\n", matrix->name, matrix->row_count, first);
    if (strcmp(matrix->name, "B") == 0) assert_true(first < matrix->row_count / 3);
  }
  mbs_equations_free(equations);
  mbs_model_free(model);
  free(document);
}

/* Returns the largest difference between a vector's value and the places of its ends on bodies with the poses [x, y,
 * angle]. */
static double apart(const mbs_equation_symbol *symbol, const double *poses) {
  double place[2][2] = {{0}};
  for (int end = 0; end < 2; end++) {
    const mbs_equation_place *at = end == 0 ? symbol->from : symbol->to;
    const double fixed[3] = {0}, *pose = at->body ? poses + 3 * (at->body - 1) : fixed;
    place[end][0] = pose[0] + cos(pose[2]) * at->at[0] - sin(pose[2]) * at->at[1];
    place[end][1] = pose[1] + sin(pose[2]) * at->at[0] + cos(pose[2]) * at->at[1];
  }
  return fmax(fabs(place[1][0] - place[0][0] - symbol->value[0]), fabs(place[1][1] - place[0][1] - symbol->value[1]));
}

/* Checks where vectors begin and end, as needed to draw them, at the position of a session. */
static void check_places(const char *name) {
  char *document = models_named(name);
  mbs_model *model = models_build(document, JSON({"type": "assembly"}));
  mbs_error error = {0};
  mbs_session *session = mbs_session_new(model, NULL, &error);
  mbs_equations *equations = mbs_equations_new(model);
  assert_non_null(session);
  assert_non_null(equations);
  double q[60], v[60];
  assert_true(equations->q_count <= 60 && equations->v_count <= 60);
  assert_false(mbs_session_coordinates(session, equations->q_count + 1, q, equations->v_count, v));
  assert_true(mbs_session_coordinates(session, equations->q_count, q, equations->v_count, v));
  assert_int_equal(mbs_equations_at(equations, mbs_session_time(session), q, v, &error), MBS_OK);
  assert_true(equations->residual < 1e-9);
  size_t vectors = 0, axes = 0;
  for (size_t k = 0; k < equations->symbol_count; k++) {
    const mbs_equation_symbol *symbol = &equations->symbols[k];
    bool vector = symbol->from && symbol->to && strchr("drs", symbol->name[0]) && symbol->name[1] == '_';
    if (vector && apart(symbol, mbs_session_poses(session)) > 1e-9) fail_msg("%s: %s", name, symbol->name);
    if (strncmp(symbol->name, "u_", 2) == 0 && symbol->name[2] != '0') {
      axes++;
      assert_non_null(symbol->from);
      assert_non_null(symbol->joint);
    }
    vectors += vector;
  }
  if (strcmp(name, "SC") == 0) assert_true(vectors > 0);
  if (strcmp(name, "SC") == 0) {
    assert_int_equal(axes, 1);
    assert_string_equal(equations->tree[1].body, "rod");
    assert_string_equal(equations->tree[1].on, "crank");
    assert_string_equal(equations->tree[1].joint, "A");
  }
  mbs_equations_free(equations);
  mbs_session_free(session);
  mbs_model_free(model);
  free(document);
}

/* Rows of velocity level with a term that depends on neither velocities nor time, beside rolling and a blade. */
static void test_rows_of_velocities(void **state) {
  (void)state;
  MODEL(mixed,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "wheel", "mass": 2, "inertia": [0.1, 0.2, 0.1], "points": {"C": [0, 0, 0]},
          "vectors": {"a": [0, 1, 0]}, "initial": {"position": [0, 0, 0.5]}},
         {"name": "arm", "mass": 1, "inertia": [0.1, 0.1, 0.1], "points": {"C": [-1, 0, 0], "P": [0.2, 0, 0]},
          "vectors": {"a": [0, 1, 0], "u": [1, 0, 0]}, "initial": {"position": [1, 0, 0.5]}}],
       "joints": [
         {"name": "hub", "type": "revolute", "points": ["wheel.C", "arm.C"], "vectors": ["wheel.a", "arm.a"]},
         {"name": "roll", "type": "rolling", "points": ["ground.O", "wheel.C"], "vectors": ["ground.z", "wheel.a"],
          "radius": 0.5},
         {"name": "blade", "type": "knife-edge", "points": ["ground.O", "arm.P"], "vectors": ["ground.z", "arm.u"]},
         {"name": "own", "type": "velocity", "value": "wheel.vx*arm.A11 + arm.P.vz - 0.3*arm.x - 2"}]});
  check("rolling", mixed, JSON({"type": "assembly", "formulation": "joint"}));
  check("rolling (body)", mixed, JSON({"type": "assembly", "formulation": "body"}));
}

static void test_places(void **state) {
  (void)state;
  static const char *const names[] = {"SC", "SP", "FourBar", "FiveBar", "AA", "Gears", "WebCutter", "Cam"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) check_places(names[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shipped_models), cmocka_unit_test(test_random_mechanisms),  cmocka_unit_test(test_rotors),
      cmocka_unit_test(test_equal_legs),     cmocka_unit_test(test_rows_of_velocities), cmocka_unit_test(test_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
