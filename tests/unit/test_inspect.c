/* test_inspect.c - numbers of an inspection against values counted manually, and their consistency in all models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspect.h"
#include "models.h"

#define DYNAMICS(formulation) \
  "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"formulation\": \"" formulation "\"}"

typedef struct opened {
  mbs_model *model;
  mbs_inspection *inspection;
} opened;

/* Builds a model and its inspection. Frees the document. */
static opened open_model(char *document, const char *analysis) {
  mbs_model *model = models_build(document, analysis);
  mbs_inspection *inspection = mbs_inspect(model);
  assert_non_null(inspection);
  free(document);
  return (opened){model, inspection};
}

static void close_model(opened *all) {
  mbs_inspection_free(all->inspection);
  mbs_model_free(all->model);
}

/* Counts of coordinates, velocities, rows; packed numbers of C, M and S. */
static void assert_counts(const mbs_inspection *inspection, const size_t counts[3], const size_t packed[3]) {
  assert_int_equal(inspection->report->coordinates, counts[0]);
  assert_int_equal(inspection->report->velocities, counts[1]);
  assert_int_equal(inspection->report->rows, counts[2]);
  assert_int_equal(inspection->jacobian_size, packed[0]);
  assert_int_equal(inspection->masses.size, packed[1]);
  assert_int_equal(inspection->skyline.size, packed[2]);
}

static void test_four_bar_of_bodies(void **unused) {
  (void)unused;
  opened all = open_model(models_named("FourBar"), DYNAMICS("body"));
  const mbs_inspection *it = all.inspection;
  assert_counts(it, (const size_t[]){9, 9, 8}, (const size_t[]){36, 9, 24});
  assert_int_equal(it->element_count, 4);
  assert_int_equal(it->block_count, 4);
  assert_int_equal(it->skyline.pair_count, 7); /* pairs of four blocks in a row, including each with itself */
  assert_int_equal(it->masses.longest, 1);
  assert_false(it->masses.recursive);
  assert_int_equal(it->elements[1].velocities, 6);
  assert_int_equal(it->elements[3].bodies, 1);
  assert_string_equal(it->velocities[3], "coupler.vx");
  assert_int_equal(it->parameters, 4);
  assert_int_equal(it->number_count, 16); /* six numbers of its shapes */
  close_model(&all);
}

static void test_four_bar_of_joints(void **unused) {
  (void)unused;
  opened all = open_model(models_named("FourBar"), DYNAMICS("joint"));
  const mbs_inspection *it = all.inspection;
  assert_counts(it, (const size_t[]){3, 3, 2}, (const size_t[]){6, 4, 3});
  assert_int_equal(it->element_count, 1);
  assert_int_equal(it->elements[0].path[0] + it->elements[0].path[1], 3); /* a loop of four joints */
  assert_int_equal(it->masses.longest, 2);
  assert_int_equal(it->tree[0].level, 1);
  assert_int_equal(it->tree[1].level, 2);
  assert_int_equal(it->tree[1].parent, 0);
  assert_int_equal(it->tree[2].parent, -1);
  close_model(&all);
}

static void test_chain(void **unused) {
  (void)unused;
  opened all = open_model(models_chain(200, 0.1), DYNAMICS("joint"));
  const mbs_inspection *it = all.inspection;
  assert_counts(it, (const size_t[]){200, 200, 0}, (const size_t[]){0, 20100, 0});
  assert_true(it->masses.recursive);
  assert_int_equal(it->masses.longest, 200);
  assert_int_equal(it->masses.before[199], 199);
  assert_int_equal(it->tree[199].level, 200);
  close_model(&all);
}

static void test_in_space(void **unused) {
  (void)unused;
  opened all = open_model(models_named("PistonEngine"), DYNAMICS("joint"));
  const mbs_inspection *it = all.inspection;
  assert_counts(it, (const size_t[]){4, 4, 3}, (const size_t[]){12, 7, 6});
  assert_int_equal(it->elements[0].path[0], 1);
  assert_int_equal(it->elements[0].path[1], 2);
  assert_int_equal(it->stages[0].part, MBS_PART_ACCELERATIONS);
  assert_string_equal(it->stages[0].element, "gas");
  assert_int_equal(it->laws[0].switches, 1);
  assert_true(it->laws[0].depends);
  close_model(&all);
  all = open_model(models_named("PistonEngine"), DYNAMICS("body"));
  assert_int_equal(all.inspection->report->coordinates, 21);
  assert_int_equal(all.inspection->report->velocities, 18);
  assert_int_equal(all.inspection->report->rows, 17);
  close_model(&all);
}

/* Compares the number of compiled expressions with those assigned to stages. */
static void assert_laws(const opened *all) {
  const mbs_inspection *it = all->inspection;
  size_t programs = 0, told = 0;
  for (size_t l = 0; l < all->model->law_count; l++) programs += all->model->laws[l]->expression != NULL;
  for (size_t s = 0; s < it->stage_count; s++) {
    assert_int_equal(it->stages[s].first_law, told);
    told += it->stages[s].laws;
  }
  assert_int_equal(it->law_count, programs);
  assert_int_equal(told, programs);
}

static void assert_patterns(const mbs_inspection *it) {
  size_t packed = 0, rows = 0, skyline = 0;
  for (size_t b = 0; b < it->block_count; b++) {
    assert_int_equal(it->blocks[b].first_row, rows);
    rows += it->blocks[b].rows;
    packed += it->blocks[b].rows * it->blocks[b].columns;
  }
  assert_int_equal(rows, it->report->rows);
  assert_int_equal(packed, it->jacobian_size);
  for (size_t r = 0; r < rows; r++) skyline += r - (size_t)it->skyline.first[r] + 1;
  assert_int_equal(skyline, it->skyline.size);
}

/* Evaluating the parts separately and repeatedly gives the same accelerations as the whole evaluation. */
static void assert_parts(const opened *all, const char *name) {
  mbs_error error = {0};
  if (mbs_inspect_start(all->inspection, &error) != MBS_OK) fail_msg("%s: %s", name, error.message);
  size_t n = all->model->nv;
  double *vdot = malloc((n + 1) * sizeof *vdot);
  const mbs_system *system = all->inspection->run->state.system;
  assert_int_equal(mbs_inspect_evaluate(all->inspection, MBS_PART_EVALUATION, 1), MBS_OK);
  memcpy(vdot, system->vdot, n * sizeof *vdot);
  for (int part = 0; part < MBS_PART_COUNT; part++)
    assert_int_equal(mbs_inspect_evaluate(all->inspection, (mbs_part)part, 3), MBS_OK);
  assert_int_equal(mbs_inspect_evaluate(all->inspection, MBS_PART_ACCELERATIONS, 2), MBS_OK);
  if (memcmp(vdot, system->vdot, n * sizeof *vdot) != 0) fail_msg("%s: other accelerations", name);
  free(vdot);
}

static void test_all_models(void **unused) {
  (void)unused;
  glob_t found;
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    opened all = open_model(models_file(found.gl_pathv[i]), NULL);
    assert_laws(&all);
    assert_patterns(all.inspection);
    assert_true(all.inspection->model_bytes > all.inspection->constants_bytes);
    assert_parts(&all, found.gl_pathv[i]);
    close_model(&all);
  }
  globfree(&found);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_bar_of_bodies),
                                     cmocka_unit_test(test_four_bar_of_joints), cmocka_unit_test(test_chain),
                                     cmocka_unit_test(test_in_space), cmocka_unit_test(test_all_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
