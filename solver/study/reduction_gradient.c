/* Derivatives of outputs along tangents. */
#include "study/reduction_gradient.h"

#include "model/quantities.h"
#include "study/chebyshev.h"

#include <assert.h>
#include <math.h>

/* A derivative along a piece is a polynomial if its last coefficients are below this share of the largest one. */
static const double polynomial_share = 1e-8;
/* Rounding level, as a share of the model's scale in the quantity's dimension. */
static const double rounding_share = 1e-13;
/* Derivatives at two instants of an extreme are equal if they differ by less than this share of the largest one. */
static const double same_share = 1e-6;

/* Returns the rounding level of a law: a share of the product of the model's mass, length and time in its dimension. */
static double rounding_of(const mbs_constants *constants, const mbs_law *law, mbs_arena *arena) {
  const mbs_model *model = constants->model;
  const mbs_dimension of = mbs_law_dimension(model, law, arena);
  double mass = 0;
  if (!of.known) return 0;
  for (size_t b = 1; b <= model->nB; b++) mass = fmax(mass, constants->bodies[b].mass);
  return rounding_share * pow(mass > 0 ? mass : 1, of.kg) * pow(constants->extent, of.m) * pow(constants->time, of.s);
}

void mbs_reduction_gradient_init(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                 const mbs_constants *constants, mbs_arena *arena) {
  slopes->noise = rounding_of(constants, output->of, arena);
  slopes->noise_when = output->has_when ? rounding_of(constants, &output->when, arena) : 0;
}

bool mbs_reduction_gradient_begin(mbs_reduction_gradient *slopes, size_t count, mbs_arena *arena) {
  assert(slopes->row != NULL || slopes->room == 0);
  if (slopes->room < count) {
    slopes->room = 0;
    slopes->row = mbs_arena_alloc(arena, count, sizeof *slopes->row);
    slopes->other = mbs_arena_alloc(arena, count, sizeof *slopes->other);
    slopes->doubts = mbs_arena_alloc(arena, count, sizeof *slopes->doubts);
    if (!slopes->row || !slopes->other || !slopes->doubts) return false;
    slopes->room = count;
  }
  slopes->count = count;
  slopes->stale = slopes->ambiguous = false;
  slopes->ties = 0;
  slopes->time = NAN;
  for (size_t j = 0; j < count; j++) slopes->row[j] = slopes->doubts[j] = 0;
  return true;
}

/* Computes the derivatives of the value at t, where t has this uncertainty. */
static mbs_status value_slopes(const mbs_reduction_gradient *slopes, const mbs_law *of, const mbs_piece *piece,
                               double t, double time_uncertainty, double *row) {
  for (size_t j = 0; j < slopes->count; j++) {
    mbs_slope slope;
    double bend = 0;
    mbs_status status = piece->slope(piece->context, t, of, NULL, (int)j, 0, slopes->noise, &slope);
    if (status == MBS_OK && time_uncertainty > 0) status = piece->bend(piece->context, t, of, (int)j, &bend);
    if (status != MBS_OK) return status;
    row[j] = slope.value;
    slopes->doubts[j] = slope.doubt + time_uncertainty * fabs(bend);
  }
  return MBS_OK;
}

/* Computes the derivatives of the instant t of an extreme: dt = -dg' / g''. theory (19.13) */
static mbs_status instant_slopes(const mbs_reduction_gradient *slopes, const mbs_law *of, const mbs_piece *piece,
                                 double t, double *row) {
  double bend = 0;
  mbs_slope rate = {0, 0};
  mbs_status status = piece->slope(piece->context, t, of, NULL, -1, 1, slopes->noise, &rate);
  if (status == MBS_OK) status = piece->bend(piece->context, t, of, -1, &bend);
  /* t - g' / g'' corrects t, because the polynomial's zero is less exact */
  const double exact = fmin(fmax(t - rate.value / bend, piece->t), piece->t1), at = isfinite(exact) ? exact : t;
  for (size_t j = 0; j < slopes->count && status == MBS_OK; j++) {
    status = piece->bend(piece->context, at, of, (int)j, &row[j]);
    row[j] /= -bend;
  }
  return status;
}

/* Computes the derivatives of the value at the zero t of `when`. theory (19.13) */
static mbs_status zero_slopes(mbs_reduction_gradient *slopes, const mbs_planned_output *output, const mbs_piece *piece,
                              double t, double *row) {
  const mbs_law *of = output->of, *when = &output->when;
  mbs_slope rate = {0, 0}, own = rate, moved = rate, slope = rate;
  mbs_status status = piece->slope(piece->context, t, when, NULL, -1, 1, slopes->noise_when, &rate);
  if (status == MBS_OK) status = piece->slope(piece->context, t, of, NULL, -1, 1, slopes->noise, &own);
  slopes->rate = rate.value;
  for (size_t j = 0; j < slopes->count && status == MBS_OK; j++) {
    status = piece->slope(piece->context, t, when, NULL, (int)j, 0, slopes->noise_when, &moved);
    /* dt = -dw / w' */
    if (status == MBS_OK)
      status = piece->slope(piece->context, t, of, NULL, (int)j, -moved.value / rate.value, slopes->noise, &slope);
    row[j] = slope.value;
    slopes->doubts[j] = slope.doubt + fabs(own.value / rate.value) * moved.doubt;
  }
  return status;
}

static mbs_status slopes_at(mbs_reduction_gradient *slopes, const mbs_planned_output *output, const mbs_piece *piece,
                            bool inside, double t, double time_uncertainty, double *row) {
  const bool instant = output->take == MBS_REDUCE_TIME_OF_MIN || output->take == MBS_REDUCE_TIME_OF_MAX;
  if (output->has_when) return zero_slopes(slopes, output, piece, t, row);
  if (!instant) return value_slopes(slopes, output->of, piece, t, time_uncertainty, row);
  if (inside) return instant_slopes(slopes, output->of, piece, t, row);
  for (size_t j = 0; j < slopes->count; j++) row[j] = 0;
  return MBS_OK;
}

/* Returns true if the derivatives at the tie equal those at the stored instant. */
static bool agree(const mbs_reduction_gradient *slopes) {
  double most = 0, apart = 0;
  for (size_t j = 0; j < slopes->count; j++) {
    most = fmax(most, fmax(fabs(slopes->row[j]), fabs(slopes->other[j])));
    apart = fmax(apart, fabs(slopes->row[j] - slopes->other[j]));
  }
  return apart <= same_share * most;
}

mbs_status mbs_reduction_gradient_update(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                         const mbs_piece *piece, bool inside, double value, double time_uncertainty) {
  mbs_status status = MBS_OK;
  if (slopes->stale) {
    status = slopes_at(slopes, output, piece, inside, fmin(fmax(slopes->time, piece->t), piece->t1), time_uncertainty,
                       slopes->row);
    slopes->stale = false;
  }
  for (size_t k = 0; k < slopes->ties && status == MBS_OK; k++) {
    status = slopes_at(slopes, output, piece, true, slopes->tie_times[k], 0, slopes->other);
    if (status != MBS_OK || agree(slopes)) continue;
    slopes->ambiguous = true;
    slopes->ambiguous_value = value;
  }
  slopes->ties = 0;
  return status;
}

/* Computes dg, or 2 g dg, at every `stride`-th node; unless `all`, only at those that are not nodes of twice the
 * stride. The branches are those in `mode`. At the middle they are those of the state, so that a corner at the values
 * of the parameters, as of abs(p) at 0, is found. Updates the largest uncertainty. */
static mbs_status read_nodes(const mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                             const mbs_piece *piece, const mbs_chebyshev_piece *smooth, const double *mode, int tangent,
                             int stride, bool all, double *values, double *doubt) {
  assert(tangent >= 0 && (size_t)tangent < slopes->count);
  const int n = smooth->degree;
  for (int k = all ? 0 : stride; k <= n; k += all ? stride : 2 * stride) {
    const double t = mbs_chebyshev_piece_time(smooth, mbs_chebyshev_node(n, k));
    const double times = output->take == MBS_REDUCE_RMS ? 2 * smooth->values[k] : 1;
    mbs_slope slope;
    mbs_status status =
        piece->slope(piece->context, t, output->of, 2 * k == n ? NULL : mode, tangent, 0, slopes->noise, &slope);
    if (status != MBS_OK) return status;
    values[k] = times * slope.value;
    *doubt = fmax(*doubt, fabs(times) * slope.doubt);
  }
  return MBS_OK;
}

/* Integrates the values at every `stride`-th node over x. Returns false if they are not those of a polynomial. */
static bool integrate_nodes(const mbs_chebyshev_piece *smooth, int stride, const double *values, double *out) {
  assert(stride > 0 && smooth->degree % stride == 0);
  const int n = smooth->degree / stride;
  double nodes[MBS_CHEBYSHEV_MAX + 1], c[MBS_CHEBYSHEV_MAX + 1], most = 0;
  for (int k = 0; k <= n; k++) nodes[k] = values[k * stride];
  mbs_chebyshev_fit(n, nodes, c);
  *out = mbs_chebyshev_integral(n, c);
  for (int k = 0; k <= n; k++) most = fmax(most, fabs(c[k]));
  return n >= 4 && fmax(fabs(c[n]), fabs(c[n - 1])) <= polynomial_share * most;
}

/* Computes the derivative of an integral, from half the nodes of the expression if these suffice. */
static mbs_status integral_slope(const mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                 const mbs_piece *piece, const mbs_chebyshev_piece *smooth, const double *mode,
                                 int tangent, mbs_slope *out) {
  double values[MBS_CHEBYSHEV_MAX + 1];
  int stride = smooth->degree >= 8 ? smooth->degree / 4 : 1;
  mbs_status status = read_nodes(slopes, output, piece, smooth, mode, tangent, stride, true, values, &out->doubt);
  while (status == MBS_OK && !integrate_nodes(smooth, stride, values, &out->value) && stride > 1) {
    stride /= 2;
    status = read_nodes(slopes, output, piece, smooth, mode, tangent, stride, false, values, &out->doubt);
  }
  out->doubt *= 2; /* the length of the interval in x */
  return status;
}

mbs_status mbs_reduction_gradient_integrate(mbs_reduction_gradient *slopes, const mbs_planned_output *output,
                                            const mbs_piece *piece, const mbs_chebyshev_piece *smooth,
                                            const double *mode) {
  const double half = 0.5 * (smooth->b - smooth->a);
  for (size_t j = 0; j < slopes->count; j++) {
    mbs_slope sum = {0, 0};
    mbs_status status = integral_slope(slopes, output, piece, smooth, mode, (int)j, &sum);
    if (status != MBS_OK) return status;
    slopes->row[j] += half * sum.value;
    slopes->doubts[j] += half * sum.doubt;
  }
  return MBS_OK;
}
