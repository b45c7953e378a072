/* Tables in expressions: jets and gradients against differences within a piece, guards that change sign where the piece
 * changes, ranges that contain the values; for each interpolation and each continuation, over random arguments. */
#include "models.h"

#include "expression/expression.h"
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "close.h"

static const char *const interpolations[] = {"linear", "spline", "akima", "monotone"};
static const char *const continuations[] = {"error", "hold", "extend", "periodic"};
/* The last ones jump, and have two arguments. */
static const char *const expressions[] = {"F(t)", "t*F(1 + t^2/4)", "F(cart.x + t)*F(t)", "S(t)", "G(t, cart.x)"};
enum { INTERPOLATIONS = 4, CONTINUATIONS = 4, EXPRESSIONS = 5, POINTS = 300, INPUTS = 2, SWITCHES_MAX = 20 };

static mbs_model *build(const char *interpolation, const char *outside, const char *expression) {
  MODEL(slider,
      {"space": "planar", "gravity": [0, 0],
       "functions": {
         "F": {"x": [-1, 0, 0.25, 1, 1.5, 3], "y": [0.5, 1, -1, 2, 2, 0.5], "interpolation": "%s", "outside": "%s"},
         "S": {"x": [-1, 0, 0, 1, 3, 3], "y": [1, 2, -1, 0, 4, 1], "outside": "%s"},
         "G": {"x": [-1, 0.5, 3], "y": [0, 1, 1.5, 4], "z": [[1, 2, 0, 1], [0, 3, 1, -1], [1, 2, 0, 1]],
               "outside": "%s"}},
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "cart", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"],
                   "vectors": ["ground.u", "cart.u"]}],
       "sensors": [{"name": "s", "value": "%s"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 1}});
  /* a jump at an end needs a value beyond it */
  const bool beyond = strcmp(outside, "hold") == 0 || strcmp(outside, "periodic") == 0;
  char *document = models_text(slider, interpolation, outside, beyond ? outside : "hold", outside, expression);
  mbs_model *model = models_build(document, NULL);
  free(document);
  return model;
}

/* An expression with its workspace. */
typedef struct subject {
  const mbs_expression *expression;
  double *slots;
  size_t inputs, switches;
} subject;

static double value_at(const subject *self, const double *in, const double *speed, const double *mode, double s) {
  double moved[INPUTS];
  for (size_t k = 0; k < self->inputs; k++) moved[k] = in[k] + s * speed[k];
  return mbs_expression_value(self->expression, moved, mode, self->slots);
}

/* Compares derivatives along a line with differences of order 4, which are exact for cubics up to rounding. */
static void check_derivatives(const subject *self, const double *in, const double *speed, const double *mode) {
  const double h = 1e-3, centre = value_at(self, in, speed, mode, 0);
  double v[5], jets[3 * INPUTS] = {0}, jet[3], gradient[INPUTS] = {0}, slope = 0;
  for (int k = -2; k <= 2; k++) v[k + 2] = value_at(self, in, speed, mode, k * h);
  for (size_t k = 0; k < self->inputs; k++) {
    jets[3 * k] = in[k];
    jets[3 * k + 1] = speed[k];
  }
  mbs_expression_jet(self->expression, jets, mode, self->slots, jet);
  assert_close(mbs_expression_gradient(self->expression, in, mode, self->slots, gradient), centre, 0);
  for (size_t k = 0; k < self->inputs; k++) slope += gradient[k] * speed[k];
  const double size = 1 + fabs(jet[1]) + fabs(jet[2]);
  assert_close(jet[0], centre, 0);
  assert_close(jet[1], (8 * (v[3] - v[1]) - (v[4] - v[0])) / (12 * h), 1e-8 * size);
  assert_close(jet[2], (16 * (v[3] + v[1]) - (v[4] + v[0]) - 30 * v[2]) / (12 * h * h), 1e-6 * size);
  assert_close(slope, jet[1], 1e-12 * size);
}

/* Checks that no margin is negative where the modes are those of the state, and that one is if a mode is not. */
static void check_guards(const subject *self, const double *in, const double *other) {
  double mode[SWITCHES_MAX], there[SWITCHES_MAX], margins[SWITCHES_MAX];
  mbs_expression_mode(self->expression, in, NULL, self->slots, mode);
  mbs_expression_mode(self->expression, other, NULL, self->slots, there);
  mbs_expression_margins(self->expression, in, mode, self->slots, margins);
  for (size_t k = 0; k < self->switches; k++) assert_true(margins[k] >= 0);
  mbs_expression_margins(self->expression, other, mode, self->slots, margins);
  bool left = false, negative = false;
  for (size_t k = 0; k < self->switches; k++) {
    left = left || mode[k] != there[k];
    negative = negative || margins[k] < 0;
  }
  assert_int_equal(left, negative);
}

/* Checks that a range in which the expression is smooth contains no value that is not finite. */
static void check_range(const subject *self, const double *in, const double *other) {
  double low[INPUTS], high[INPUTS];
  for (size_t k = 0; k < self->inputs; k++) {
    low[k] = fmin(in[k], other[k]);
    high[k] = fmax(in[k], other[k]);
  }
  if (!mbs_expression_is_smooth(self->expression, low, high, self->slots)) return;
  for (double s = 0; s <= 1; s += 0.125) {
    double at[INPUTS];
    for (size_t k = 0; k < self->inputs; k++) at[k] = low[k] + s * (high[k] - low[k]);
    assert_true(isfinite(mbs_expression_value(self->expression, at, NULL, self->slots)));
  }
}

static size_t check_expression(const mbs_expression *expression) {
  subject self = {.expression = expression, .slots = malloc(mbs_expression_slots(expression) * sizeof(double))};
  uint64_t seed = 7;
  size_t defined = 0;
  mbs_expression_inputs(expression, &self.inputs);
  self.switches = mbs_expression_switches(expression);
  assert_true(self.inputs <= INPUTS && self.switches <= SWITCHES_MAX);
  for (int n = 0; n < POINTS; n++) {
    double in[INPUTS], other[INPUTS], speed[INPUTS], mode[SWITCHES_MAX], place[2];
    for (size_t k = 0; k < self.inputs; k++) {
      in[k] = 3 * models_uniform(&seed) + 0.7;
      other[k] = 3 * models_uniform(&seed) + 0.7;
      speed[k] = models_uniform(&seed);
    }
    const bool finite = isfinite(mbs_expression_value(expression, in, NULL, self.slots));
    const bool outside = mbs_expression_outside(expression, in, self.slots, place) != NULL;
    assert_int_equal(finite, !outside);
    assert_true(!outside || fabs(place[0] - place[1]) > 0);
    check_guards(&self, in, other);
    check_range(&self, in, other);
    mbs_expression_mode(expression, in, NULL, self.slots, mode);
    if (finite) check_derivatives(&self, in, speed, mode);
    defined += finite;
  }
  free(self.slots);
  return defined;
}

static void test_each_table(void **state) {
  (void)state;
  for (int i = 0; i < INTERPOLATIONS; i++)
    for (int o = 0; o < CONTINUATIONS; o++)
      for (int e = 0; e < EXPRESSIONS; e++) {
        mbs_model *model = build(interpolations[i], continuations[o], expressions[e]);
        const mbs_law *law = model->laws[model->law_count - 1];
        assert_string_equal(law->text, expressions[e]);
        const size_t defined = check_expression(law->expression);
        assert_true(o == 0 ? defined > POINTS / 20 : defined == POINTS);
        mbs_model_free(model);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
