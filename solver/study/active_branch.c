/* Margins of held switches are smooth functions of time. As polynomials they have their zeros between the nodes,
 * too. */
#include "study/active_branch.h"

#include "equations/input.h"
#include "model/constants.h"

#include <assert.h>
#include <math.h>

/* A margin is a polynomial if its last coefficients are below this share of the largest one. */
static const double margin_share = 1e-8;
/* Margins below this share of the largest margin in the run count as zero. */
static const double zero_share = 1e-12;

static bool grow(double **array, size_t count, mbs_arena *arena) {
  *array = mbs_arena_alloc(arena, count + 1, sizeof **array);
  return *array != NULL;
}

bool mbs_active_branch_begin(mbs_active_branch *branches, const mbs_constants *constants, const mbs_law *law,
                             mbs_arena *arena) {
  const mbs_law_constants *numbers = mbs_law_numbers(constants, law);
  branches->law = law;
  branches->expression = numbers->expression;
  branches->value = numbers->value;
  branches->inputs = branches->switches = 0;
  branches->input = -1;
  branches->may_be_localized = false;
  if (!branches->expression) return true;
  branches->inputs = law->input_count;
  branches->input = mbs_expression_is_input(branches->expression);
  branches->switches = mbs_expression_switches(branches->expression);
  branches->may_be_localized = mbs_expression_may_be_localized(branches->expression);
  if (!branches->in || branches->inputs > branches->input_capacity) {
    branches->input_capacity = branches->inputs;
    if (!grow(&branches->in, (MBS_CHEBYSHEV_MAX + 2) * branches->inputs, arena) ||
        !grow(&branches->ends, 2 * branches->inputs, arena))
      return false;
  }
  if (!branches->mode || branches->switches > branches->switch_capacity) {
    branches->switch_capacity = branches->switches;
    if (!grow(&branches->mode, branches->switches, arena) ||
        !grow(&branches->margins, (MBS_CHEBYSHEV_MAX + 1) * branches->switches, arena) ||
        !grow(&branches->sizes, branches->switches, arena))
      return false;
  }
  for (size_t s = 0; s < branches->switches; s++) branches->sizes[s] = 0;
  return true;
}

static double *inputs_at(const mbs_active_branch *branches, int k) {
  return branches->in + (size_t)k * branches->inputs;
}

void mbs_active_branch_read(mbs_active_branch *branches, const mbs_system *system, int k) {
  assert(k >= 0 && k <= MBS_ACTIVE_BRANCH_BETWEEN);
  double *in = inputs_at(branches, k);
  for (size_t i = 0; i < branches->inputs; i++)
    in[i] = mbs_input_value(system, &system->model->inputs[branches->law->inputs[i]]);
}

void mbs_active_branch_set_inputs(mbs_active_branch *branches, const double *inputs, int k) {
  for (size_t i = 0; i < branches->inputs; i++) inputs_at(branches, k)[i] = inputs[i];
}

void mbs_active_branch_repeat(mbs_active_branch *branches, int from, int k) {
  for (size_t i = 0; i < branches->inputs; i++) inputs_at(branches, k)[i] = inputs_at(branches, from)[i];
}

void mbs_active_branch_hold(mbs_active_branch *branches, double *slots) {
  assert(branches->expression != NULL);
  mbs_expression_mode(branches->expression, inputs_at(branches, MBS_CHEBYSHEV_MAX / 2), NULL, slots, branches->mode);
}

double mbs_active_branch_value(const mbs_active_branch *branches, int k, bool held, double *slots) {
  if (!branches->expression) return branches->value;
  if (branches->input >= 0) return inputs_at(branches, k)[branches->input];
  return mbs_expression_value(branches->expression, inputs_at(branches, k), held ? branches->mode : NULL, slots);
}

double mbs_active_branch_travel(mbs_active_branch *branches, int stride, double *slots) {
  assert(stride > 0 && MBS_CHEBYSHEV_MAX % stride == 0);
  const int n = MBS_CHEBYSHEV_MAX / stride;
  double *low = branches->ends, *high = low + branches->inputs;
  for (size_t i = 0; i < branches->inputs; i++) {
    double values[MBS_CHEBYSHEV_MAX + 1] = {0}, c[MBS_CHEBYSHEV_MAX + 1], around = 0;
    for (int k = 0; k <= n; k++) values[k] = inputs_at(branches, k * stride)[i];
    mbs_chebyshev_fit(n, values, c);
    for (int k = 1; k <= n; k++) around += fabs(c[k]);
    low[i] = c[0] - around;
    high[i] = c[0] + around;
  }
  return mbs_expression_argument_travel(branches->expression, low, high, true, slots);
}

/* Shrinks `out` to the part around the middle where the margin of one switch is not negative. Returns false if the
 * margin is not a polynomial through the nodes. */
static bool shrink(const mbs_active_branch *branches, int index, int stride, double resolution,
                   mbs_branch_interval *out) {
  assert(index >= 0 && (size_t)index < branches->switches);
  const int n = MBS_CHEBYSHEV_MAX / stride;
  double values[MBS_CHEBYSHEV_MAX + 1] = {0}, c[MBS_CHEBYSHEV_MAX + 1], rate[MBS_CHEBYSHEV_MAX],
                                    roots[MBS_CHEBYSHEV_MAX], around = 0, tail = 0, *size = &branches->sizes[index];
  for (int k = 0; k <= n; k++) {
    values[k] = branches->margins[(size_t)(k * stride) * branches->switches + (size_t)index];
    *size = fmax(*size, fabs(values[k]));
  }
  const double zero = zero_share * *size;
  mbs_chebyshev_fit(n, values, c);
  for (int k = 1; k <= n; k++) around += fabs(c[k]);
  for (int k = n - 2; k <= n; k++) tail = fmax(tail, fabs(c[k]));
  if (tail > fmax(zero, margin_share * fmax(fabs(c[0]), around))) return false;
  c[0] += zero;
  if (c[0] - around > 0 || zero == 0) return true;
  const int count = mbs_chebyshev_roots(n, c, MBS_CHEBYSHEV_MAX, roots);
  mbs_chebyshev_derivative(n, c, rate);
  for (int k = 0; k < count; k++) {
    const double x = roots[k], slope = mbs_chebyshev_value(n - 1, rate, x);
    if (x <= 0 && x > fmax(out->left, -1 + resolution)) {
      out->left = x;
      out->left_switch = index;
      out->left_slope = slope;
    }
    if (x > 0 && x < fmin(out->right, 1 - resolution)) {
      out->right = x;
      out->right_switch = index;
      out->right_slope = slope;
    }
  }
  return true;
}

bool mbs_active_branch_ends(mbs_active_branch *branches, int stride, double resolution, double *slots,
                            mbs_branch_interval *out) {
  assert(stride > 0 && MBS_CHEBYSHEV_MAX % stride == 0);
  *out = (mbs_branch_interval){.left = -1, .right = 1, .left_switch = -1, .right_switch = -1};
  for (int k = 0; k <= MBS_CHEBYSHEV_MAX; k += stride)
    mbs_expression_margins(branches->expression, inputs_at(branches, k), branches->mode, slots,
                           branches->margins + (size_t)k * branches->switches);
  for (size_t s = 0; s < branches->switches; s++)
    if (!shrink(branches, (int)s, stride, resolution, out)) return false;
  return true;
}

double mbs_active_branch_margin(mbs_active_branch *branches, int k, int index, double *slots) {
  assert(index >= 0 && (size_t)index < branches->switches);
  mbs_expression_margins(branches->expression, inputs_at(branches, k), branches->mode, slots, branches->margins);
  return branches->margins[index];
}
