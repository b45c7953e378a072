/* Steps of differences along a direction. The accuracy of a difference over h is estimated from its second-order and
 * its fourth-order value. Second differences show corners: without one they fall with h^2. If a change of the parameter
 * by its size has little effect, the difference is made over a larger change. theory (19.13) */
#include "derivatives/sensitivity_internal.h"

#include <assert.h>
#include <math.h>

/* First and largest steps, as shares; the smallest step that rounding allows. */
const double mbs_fd_step_max = 0x1p-8, mbs_fd_step_read = 0x1p-12;
static const double least_share = 0x1p-26;
/* Second-order error, as a share of the difference, above which it is repeated; above which the next step is shorter;
 * below which the next step is longer. The error of the fourth order is about its square. */
static const double repeat_share = 1e-3, shorten_share = 1e-5, lengthen_share = 1e-8;
/* Second differences above this share of the first are a corner if they do not fall with the square of the step. */
static const double corner_share = 1e-5;
/* Differences below these shares of their terms are rounding: second differences, and first differences. */
static const double rounding_share = 1e-12, zero_share = 1e-14;
/* Differences below this multiple of the residual at the state itself, which should be zero, are rounding, too. */
static const double noise_factor = 8;
/* If a difference by the parameter changes less than the share `weak_share` of the differentiated terms, the width
 * grows by the factor `width_factor`, up to `width_max` sizes. */
static const double weak_share = 0x1p-24;
static const double width_factor = 16, width_max = 0x1p60;
/* The present step is kept while it is between this share and all of the desired step. */
static const double kept_share = 1.0 / 16;

void mbs_fd_step_init(mbs_fd_step *fd, const mbs_parameter_direction *direction, double size, double share) {
  assert(share > 0);
  fd->direction = *direction;
  fd->size = fd->width = size;
  fd->share = share;
  fd->step = 0;
  fd->bounded = false;
}

void mbs_tangent_begin(mbs_tangent *tangent, size_t index) {
  static const double one = 1;
  const mbs_parameter_direction direction = {.count = 1, .of = &tangent->index, .by = &one};
  tangent->index = index;
  mbs_fd_step_init(&tangent->motion, &direction, tangent->size, mbs_fd_step_max);
  mbs_fd_step_init(&tangent->reads, &direction, tangent->size, mbs_fd_step_read);
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

/* Multiplies the width by `by`, up to the widest. Returns false if the parameter does not limit the step or if the
 * model rejected a larger width. */
static bool widen_by(mbs_fd_step *fd, double by) {
  const bool by_parameter = fd->step >= 0.25 * fd->share * fd->width; /* the parameter, not s_j, limits the step */
  if (!by_parameter || fd->bounded || fd->width >= width_max * fd->size) return false;
  fd->width = fmin(fd->width * by, width_max * fd->size);
  fd->step = 0;
  return true;
}

bool mbs_fd_step_shrink(mbs_fd_step *fd) {
  if (!(fd->width > fd->size)) return false;
  fd->width = fmax(fd->width / width_factor, fd->size);
  fd->bounded = true;
  fd->step = 0;
  return true;
}

bool mbs_fd_step_choose(const mbs_tangent_work *work, mbs_fd_step *fd, const double *y, const double *s) {
  const mbs_tangents *tangents = work->tangents;
  if (fd->share < least_share) return false;
  /* share / max(|s|, 1 / p) */
  const double want = fd->share / fmax(1 / fd->width, mbs_tangent_extent(work, y, s));
  if (fd->step > 0 && fd->step <= want && fd->step >= kept_share * want) return true;
  fd->step = exp2(floor(log2(0.5 * want)));
  for (int k = 0; k < MBS_FD_POINTS && fd->direction.count > 0; k++) {
    if (!tangents->bind(tangents->user, &fd->direction, mbs_fd_offsets[k] * fd->step, fd->displaced[k]))
      return mbs_fd_step_shrink(fd) && mbs_fd_step_choose(work, fd, y, s);
    if (fd->lanes) mbs_lane_numbers_set(fd->lanes, fd->displaced[k], k);
  }
  return true;
}

/* ---- assessment of differences --------------------------------------------------------------------------------- */

mbs_fd_verdict mbs_fd_assess(const double *f, size_t count, const double *units, bool divide, double size,
                             double noise) {
  double change = 0, order = 0, bend = 0, far_bend = 0;
  for (size_t i = 0; i < count; i++, f += MBS_FD_POINTS) {
    const double unit = divide ? 1 / units[i] : units[i];
    const mbs_tangent_difference entry = mbs_tangent_difference_of(f, 0);
    change = mbs_larger(fabs(entry.near) * unit, change);
    order = mbs_larger(fabs(entry.near - entry.far) * unit, order);
    bend = mbs_larger(entry.bend * unit, bend);
    far_bend = mbs_larger(entry.far_bend * unit, far_bend);
  }
  order /= 3;
  if (bend > corner_share * change + rounding_share * size + noise_factor * noise &&
      far_bend < mbs_corner_growth * bend)
    return MBS_FD_CORNER;
  if (order <= fmax(zero_share * size, noise))
    return change == 0 ? MBS_FD_ZERO : change <= weak_share * size ? MBS_FD_WEAK : MBS_FD_LONGER;
  return order > repeat_share * change     ? MBS_FD_REPEAT
         : order > shorten_share * change  ? MBS_FD_SHORTER
         : order < lengthen_share * change ? MBS_FD_LONGER
                                           : MBS_FD_GOOD;
}

mbs_fd_verdict mbs_fd_verdict_worse(mbs_fd_verdict one, mbs_fd_verdict other) {
  static const mbs_fd_verdict bad[] = {MBS_FD_CORNER, MBS_FD_REPEAT, MBS_FD_SHORTER};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (one == bad[i] || other == bad[i]) return bad[i];
  return one < other ? one : other;
}

bool mbs_fd_step_update(mbs_fd_step *fd, mbs_fd_verdict one, mbs_fd_verdict other) {
  const bool again = one == MBS_FD_REPEAT || other == MBS_FD_REPEAT,
             shorter = one == MBS_FD_SHORTER || other == MBS_FD_SHORTER;
  if ((again || shorter) && mbs_fd_step_shrink(fd)) return !again;
  if (again)
    fd->share *= 1.0 / 16;
  else if (shorter)
    fd->share *= 0.25;
  else if (one >= MBS_FD_LONGER && other >= MBS_FD_LONGER && fd->share < mbs_fd_step_max)
    fd->share = fmin(2 * fd->share, mbs_fd_step_max);
  else if (one == MBS_FD_ZERO && other == MBS_FD_ZERO)
    return true;
  else if (one >= MBS_FD_WEAK && other >= MBS_FD_WEAK)
    return !widen_by(fd, width_factor);
  return !again;
}
