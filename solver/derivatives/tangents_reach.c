/* How far differences along a tangent reach. Of a step h the difference of the second order beside that of the fourth
 * tells how long it may be, and second differences whether there is a corner: they fall with h^2 where there is none. A
 * difference by the parameter that changes little is made over more of it than its size. theory (19.13) */
#include "derivatives/dynamics_tangents.h"

#include <assert.h>
#include <math.h>

/* How far differences reach: at first, and at most; the least that rounding lets be told. */
const double mbs_reach_largest = 0x1p-8, mbs_reach_read = 0x1p-12;
static const double least_share = 0x1p-26;
/* The share of a difference that its order is worth: above the first it is made again, above the second the next one is
 * shorter, below the third longer. The error of the fourth order is about its square. */
static const double spoilt = 1e-3, too_long = 1e-5, too_short = 1e-8;
/* Second differences above this share of the first, and that do not fall with the square of the step, are a corner. */
static const double corner_share = 1e-5;
/* Differences by less than these shares of what they are sums of are rounding: of second order, and at all. */
static const double rounding = 1e-12, nothing = 1e-14;
/* So many times what is at the state itself, where zero should be, is rounding, too. */
static const double noises = 8;
/* Where a difference by the parameter changes less than this share of what is differentiated the next one is wider by
 * so much, up to so many sizes. */
static const double weak = 0x1p-24;
static const double wider = 16, widest = 0x1p60;
/* A step is kept while it is between this share and all of what is wanted. */
static const double kept_share = 1.0 / 16;

void mbs_reach_begin(mbs_reach *reach, const mbs_changes *changes, double size, double share) {
  assert(share > 0);
  reach->changes = *changes;
  reach->size = reach->width = size;
  reach->share = share;
  reach->step = 0;
  reach->bounded = false;
}

void mbs_tangent_begin(mbs_tangent *tangent, size_t index) {
  static const double one = 1;
  const mbs_changes changes = {.count = 1, .of = &tangent->index, .by = &one};
  tangent->index = index;
  mbs_reach_begin(&tangent->motion, &changes, tangent->size, mbs_reach_largest);
  mbs_reach_begin(&tangent->reads, &changes, tangent->size, mbs_reach_read);
}

double mbs_tangent_extent(const mbs_tangent_work *work, const double *y, const double *s) {
  const mbs_model *model = work->self->run->model;
  const double *units = work->self->units;
  const size_t n = model->state.motion;
  double fastest = 1, extent = 0;
  for (size_t i = model->nq; i < n; i++) fastest = mbs_larger(fabs(y[i]) / units[i], fastest);
  for (size_t i = 0; i < model->nq; i++) extent = mbs_larger(fabs(s[i]) / units[i], extent);
  for (size_t i = model->nq; i < n; i++) extent = mbs_larger(fabs(s[i]) / (units[i] * fastest), extent);
  return extent;
}

/* Makes a width so many times as large, or the widest; false: the parameter is not what limits the step, or the model
 * refused it there. */
static bool widen_by(mbs_reach *reach, double by) {
  const bool by_parameter = reach->step >= 0.25 * reach->share * reach->width; /* it, not s_j, is the limit */
  if (!by_parameter || reach->bounded || reach->width >= widest * reach->size) return false;
  reach->width = fmin(reach->width * by, widest * reach->size);
  reach->step = 0;
  return true;
}

bool mbs_reach_narrow(mbs_reach *reach) {
  if (!(reach->width > reach->size)) return false;
  reach->width = fmax(reach->width / wider, reach->size);
  reach->bounded = true;
  reach->step = 0;
  return true;
}

bool mbs_tangent_reach(const mbs_tangent_work *work, mbs_reach *reach, const double *y, const double *s) {
  const mbs_tangents *tangents = work->tangents;
  if (reach->share < least_share) return false;
  /* share / max(|s|, 1 / p) */
  const double want = reach->share / fmax(1 / reach->width, mbs_tangent_extent(work, y, s));
  if (reach->step > 0 && reach->step <= want && reach->step >= kept_share * want) return true;
  reach->step = exp2(floor(log2(0.5 * want)));
  for (int k = 0; k < MBS_BESIDE && reach->changes.count > 0; k++) {
    if (!tangents->bind(tangents->user, &reach->changes, mbs_beside_places[k] * reach->step, reach->beside[k]))
      return mbs_reach_narrow(reach) && mbs_tangent_reach(work, reach, y, s);
    if (reach->lanes) mbs_lane_numbers_set(reach->lanes, reach->beside[k], k);
  }
  return true;
}

/* ---- what a difference is worth ------------------------------------------------------------------------------ */

mbs_reach_verdict mbs_tangent_judge(const double *f, size_t count, const double *units, bool divide, double size,
                                    double noise) {
  double change = 0, order = 0, bend = 0, far_bend = 0;
  for (size_t i = 0; i < count; i++, f += MBS_BESIDE) {
    const double unit = divide ? 1 / units[i] : units[i];
    const mbs_tangent_difference entry = mbs_tangent_difference_of(f, 0);
    change = mbs_larger(fabs(entry.near) * unit, change);
    order = mbs_larger(fabs(entry.near - entry.far) * unit, order);
    bend = mbs_larger(entry.bend * unit, bend);
    far_bend = mbs_larger(entry.far_bend * unit, far_bend);
  }
  order /= 3;
  if (bend > corner_share * change + rounding * size + noises * noise && far_bend < mbs_corner_growth * bend)
    return MBS_REACH_CORNER;
  if (order <= fmax(nothing * size, noise))
    return change == 0 ? MBS_REACH_NOTHING : change <= weak * size ? MBS_REACH_WEAK : MBS_REACH_LONGER;
  return order > spoilt * change      ? MBS_REACH_AGAIN
         : order > too_long * change  ? MBS_REACH_SHORTER
         : order < too_short * change ? MBS_REACH_LONGER
                                      : MBS_REACH_GOOD;
}

mbs_reach_verdict mbs_reach_worse(mbs_reach_verdict one, mbs_reach_verdict other) {
  static const mbs_reach_verdict bad[] = {MBS_REACH_CORNER, MBS_REACH_AGAIN, MBS_REACH_SHORTER};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (one == bad[i] || other == bad[i]) return bad[i];
  return one < other ? one : other;
}

bool mbs_reach_take(mbs_reach *reach, mbs_reach_verdict one, mbs_reach_verdict other) {
  const bool again = one == MBS_REACH_AGAIN || other == MBS_REACH_AGAIN,
             shorter = one == MBS_REACH_SHORTER || other == MBS_REACH_SHORTER;
  if ((again || shorter) && mbs_reach_narrow(reach)) return !again;
  if (again)
    reach->share *= 1.0 / 16;
  else if (shorter)
    reach->share *= 0.25;
  else if (one >= MBS_REACH_LONGER && other >= MBS_REACH_LONGER && reach->share < mbs_reach_largest)
    reach->share = fmin(2 * reach->share, mbs_reach_largest);
  else if (one == MBS_REACH_NOTHING && other == MBS_REACH_NOTHING)
    return true;
  else if (one >= MBS_REACH_WEAK && other >= MBS_REACH_WEAK)
    return !widen_by(reach, wider);
  return !again;
}
