/* A jump through zero keeps its size however near it is looked at, a zero goes down, a pole up: |t|^-p grows by
 * 2^(10 p) between the two distances that are compared. */
#include "study/crossings.h"

#include "equations/law.h"

#include <float.h>
#include <math.h>

/* Distances from the change, as shares of the piece, and how much larger a value is at the nearer one. */
static const double near_share = 0x1p-36, far_share = 0x1p-26, growth = 4;
/* The time that is left between two signs, in roundings; and the nearer distance. */
static const double between_roundings = 4, near_roundings = 32;
/* A side that has no room for so many of the nearer distances is not looked at. */
static const double least_room = 32;
enum { HALVINGS = 100 };

static mbs_status value_at(const mbs_piece *piece, const mbs_law *law, double t, double *value) {
  mbs_status status = piece->stand(piece->context, t);
  if (status == MBS_OK) *value = mbs_law_value(piece->system, law);
  return status;
}

/* Narrows it down by the sign of the expression. */
static mbs_status halve(const mbs_piece *piece, const mbs_law *law, double least, mbs_crossing *crossing) {
  mbs_status status = MBS_OK;
  for (int k = 0; k < HALVINGS && crossing->high - crossing->low > least && status == MBS_OK; k++) {
    const double middle = 0.5 * (crossing->low + crossing->high);
    double value = NAN;
    status = value_at(piece, law, middle, &value);
    if (value == 0 || isnan(value)) {
      crossing->low = crossing->high = middle;
    } else if ((value > 0) == (crossing->before > 0)) {
      crossing->low = middle;
      crossing->before = value;
    } else {
      crossing->high = middle;
      crossing->after = value;
    }
  }
  return status;
}

/* One side of a change. */
typedef struct side {
  bool known, grows;
  double farther; /* the value there */
} side;

static mbs_status look(const mbs_piece *piece, const mbs_law *law, double t, double sign, double nearer, side *out) {
  const double room = sign > 0 ? piece->t1 - t : t - piece->t;
  double one = NAN;
  *out = (side){.known = room >= least_room * nearer, .farther = NAN};
  if (!out->known) return MBS_OK;
  const double farther = fmin(nearer * (far_share / near_share), room);
  mbs_status status = value_at(piece, law, t + sign * nearer, &one);
  if (status == MBS_OK) status = value_at(piece, law, t + sign * farther, &out->farther);
  out->grows = fabs(one) > growth * fabs(out->farther);
  return status;
}

mbs_status mbs_crossing_judge(const mbs_piece *piece, const mbs_law *law, mbs_crossing *crossing) {
  const double span = piece->t1 - piece->t, rounding = DBL_EPSILON * fmax(fabs(piece->t), fabs(piece->t1));
  const double nearer = fmax(near_share * span, near_roundings * rounding);
  side before, after;
  crossing->pole = false;
  mbs_status status = halve(piece, law, between_roundings * rounding, crossing);
  if (status == MBS_OK) status = look(piece, law, crossing->high, 1, nearer, &after);
  if (status == MBS_OK) status = look(piece, law, crossing->low, -1, nearer, &before);
  if (status != MBS_OK) return status;
  /* where one side is not to be seen, its last value is to be as large as the other side has become */
  if (!before.known) before.grows = after.known && fabs(crossing->before) > growth * fabs(after.farther);
  if (!after.known) after.grows = before.known && fabs(crossing->after) > growth * fabs(before.farther);
  crossing->pole = before.grows && after.grows;
  return MBS_OK;
}
