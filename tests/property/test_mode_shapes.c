/* test_mode_shapes.c - the mode shapes of the bodies against differences of their poses along the velocities of a mode,
 * for random mechanisms in both formulations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/state.h"
#include "kernels/kernels.h"
#include "models.h"

enum { MECHANISMS = 30, POSE = 12 };

typedef struct probe {
  const mbs_model *model;
  mbs_system *system;
  uint64_t seed;
  double *q, *moved, *step; /* state of the linearization, moved state, difference step */
  double *poses;            /* [POSE x nB] derivatives of the poses along a mode */
} probe;

/* Adds `weight` times the poses at q + h dq: mass centres and columns of A, in the order of the document. */
static void add_poses(probe *p, const double *dq, double h, double weight) {
  const mbs_model *model = p->model;
  for (size_t i = 0; i < model->nv; i++) p->step[model->user_v[i]] = h * dq[2 * i];
  mbs_displace(model, p->q, p->step, p->moved);
  mbs_set_position(p->system, model->t_start, p->moved);
  for (size_t b = 0; b < model->nB; b++) {
    double pose[POSE] = {0};
    model->kernels->point(p->system, model->user_body[b], (double[3]){0, 0, 0}, 0, pose);
    for (int k = 0; k < model->dim; k++)
      model->kernels->to_global(p->system, model->user_body[b], (double[3]){k == 0, k == 1, k == 2}, pose + 3 + 3 * k);
    for (int i = 0; i < POSE; i++) p->poses[POSE * b + (size_t)i] += weight * pose[i];
  }
}

/* Computes derivatives along one part of a mode by a fourth-order difference. */
static void differentiate(probe *p, const double *dq) {
  static const double places[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  const double h = 1e-3;
  memset(p->poses, 0, POSE * p->model->nB * sizeof *p->poses);
  for (int k = 0; k < 4; k++) add_poses(p, dq, h * places[k], weights[k] / (12 * h));
}

static void expect_close(const probe *p, size_t body, double value, double wanted) {
  if (!(fabs(value - wanted) <= 1e-7 * (1 + fabs(wanted))))
    fail_msg("mechanism %llu, body %zu: %.12g, by differences %.12g", (unsigned long long)p->seed, body, value, wanted);
}

/* Checks the small rotation of a body's axes at the current state: omega x a_k = da_k. */
static void check_turn(const probe *p, size_t body, const double *shape) {
  const mbs_model *model = p->model;
  const double *moved = p->poses + POSE * body + 3;
  double turn[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++)
    if (model->dim == 3) turn[k] = shape[2 * (model->dim + k)];
  if (model->dim == 2) turn[2] = shape[2 * 2];
  for (int k = 0; k < model->dim; k++) {
    double a[3] = {0, 0, 0};
    model->kernels->to_global(p->system, model->user_body[body], (double[3]){k == 0, k == 1, k == 2}, a);
    for (int i = 0; i < model->dim; i++) {
      int j = (i + 1) % 3, l = (i + 2) % 3;
      expect_close(p, body, turn[j] * a[l] - turn[l] * a[j], moved[3 * k + i]);
    }
  }
}

static void check_part(probe *p, const double *dq, const double *shapes) {
  const mbs_model *model = p->model;
  size_t width = (size_t)model->kernels->width;
  differentiate(p, dq);
  mbs_set_position(p->system, model->t_start, p->q);
  for (size_t b = 0; b < model->nB; b++) {
    const double *shape = shapes + 2 * width * b;
    for (int k = 0; k < model->dim; k++) expect_close(p, b, shape[2 * k], p->poses[POSE * b + (size_t)k]);
    check_turn(p, b, shape);
  }
}

static void check_labels(const mbs_array *shapes, const mbs_model *model) {
  char first[128], last[128];
  const char *const names[] = {model->bodies[model->user_body[0]].name,
                               model->bodies[model->user_body[model->nB - 1]].name};
  snprintf(first, sizeof first, "%s.x.real", names[0]);
  snprintf(last, sizeof last, "%s.%s.imaginary", names[1], model->dim == 3 ? "phi_z" : "phi");
  assert_string_equal(shapes->labels[0], first);
  assert_string_equal(shapes->labels[mbs_array_columns(shapes) - 1], last);
}

static void check_result(probe *p, const mbs_result *result) {
  const mbs_model *model = p->model;
  const mbs_array *modes = mbs_result_array(result, "modes"), *shapes = mbs_result_array(result, "mode_shapes");
  const double *uT = models_row(result, "uT", 0);
  assert_true(shapes->timeless && shapes->rank == 4);
  assert_int_equal(shapes->shape[0], modes->shape[0]);
  assert_int_equal(shapes->shape[1], model->nB);
  check_labels(shapes, model);
  for (size_t i = 0; i < model->nq; i++) p->q[model->user_q[i]] = uT[i];
  for (size_t k = 0; k < modes->shape[0]; k++)
    for (size_t part = 0; part < 2; part++)
      check_part(p, modes->data + k * 2 * model->nv + part, shapes->data + k * mbs_array_columns(shapes) + part);
}

/* Returns the number of modes, or 0 if the mechanism has no linearization. */
static size_t check_document(const char *document, const char *analysis, uint64_t seed) {
  mbs_model *model = models_build(document, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  probe p = {.model = model, .system = mbs_system_new(model, arena), .seed = seed};
  double **arrays[] = {&p.q, &p.moved, &p.step, &p.poses};
  size_t sizes[] = {model->nq, model->nq, model->nv, POSE * model->nB}, modes = 0;
  for (int i = 0; i < 4; i++) *arrays[i] = mbs_arena_alloc(arena, sizes[i] + 1, sizeof(double));
  mbs_result *result = NULL;
  mbs_error error;
  if (mbs_run(model, NULL, &result, &error) == MBS_OK) {
    check_result(&p, result);
    modes = mbs_result_array(result, "modes")->shape[0];
  }
  mbs_result_free(result);
  mbs_arena_free(arena);
  mbs_model_free(model);
  return modes;
}

static void check_random(char *(*make)(uint64_t, size_t, size_t)) {
  static const char about_state[] = "{\"type\": \"linearization\", \"about\": \"state\"}",
                    in_body[] = "{\"type\": \"linearization\", \"formulation\": \"body\"}";
  size_t moved = 0;
  for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
    char *document = make(seed, 2 + seed % 6, seed % 3);
    moved += check_document(document, about_state, seed) > 0;
    moved += check_document(document, in_body, seed) > 0;
    free(document);
  }
  assert_true(moved > MECHANISMS);
}

static void test_planar(void **unused) {
  (void)unused;
  check_random(models_random);
}

static void test_spatial(void **unused) {
  (void)unused;
  check_random(models_random_spatial);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_planar), cmocka_unit_test(test_spatial)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
