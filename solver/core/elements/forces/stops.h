/* stops.h - stops at both ends of a coordinate x: limits of joints and backlash. Rigid ones are touches with two sides,
 * compliant ones springs and dampers that never pull:
 *
 *     d = lower - x, or x - upper     F = max(0, K d^n + c d')     on x: F at lower, -F at upper */
#ifndef MBS_STOPS_H
#define MBS_STOPS_H

#include "elements/forces/coordinate_pair.h"
#include "elements/forces/one_sided.h"
#include "equations/touches.h"

/* Fields of the law of stops. */
#define MBS_STOPS_FIELDS                                                                   \
  {.name = "restitution",                                                                  \
   .kind = MBS_KIND_NUMBER,                                                                \
   .fallback = 0,                                                                          \
   .low = 0,                                                                               \
   .high = 1,                                                                              \
   .doc = "e of a rigid stop: the coordinate leaves with e times the speed of arrival"},   \
      {.name = "stiffness",                                                                \
       .kind = MBS_KIND_NUMBER,                                                            \
       .fallback = NAN,                                                                    \
       .low = 0,                                                                           \
       .high = INFINITY,                                                                   \
       .low_open = true,                                                                   \
       .doc = "K of a compliant stop [N/m^n or N m/rad^n]; default: the stop is rigid"},   \
  {                                                                                        \
    .name = "damping", .kind = MBS_KIND_NUMBER, .fallback = 0, .low = 0, .high = INFINITY, \
    .doc = "c of a compliant stop"                                                         \
  }

/* Numbers of stops: the force class's data begin with them. Coordinate k of the element is force->coordinate + k; with
 * a second coordinate (mbs_second_coordinate) the only one is x = qa - ratio qb. */
typedef struct mbs_stops {
  double bound[MBS_COORDINATES_MAX][2]; /* lower, upper; NaN: none */
  double ratio, restitution;
  mbs_one_sided law; /* law of compliant stops */
} mbs_stops;

/* Returns true if the stops of a document's node are rigid. */
bool mbs_stops_rigid(const mbs_node *node);
/* Reads the fields of the law, and reports those that do not go together. */
void mbs_stops_numbers(mbs_binder *binder, const mbs_node *node, mbs_stops *stops);

/* Touches of rigid stops: two sides, `number` is k. */
extern const mbs_touch_class mbs_rigid_stops;

/* Compliant stops: force->points is twice the number of coordinates. Output k is the force on x. Does nothing if the
 * element has touches. */
void mbs_stops_apply(mbs_system *system, const mbs_force *force, size_t index);
const char *mbs_stops_settle(mbs_system *system, const mbs_force *force, size_t number);
void mbs_stops_margins(const mbs_system *system, const mbs_force *force, size_t number, double *out);
const char *mbs_stops_event(mbs_system *system, const mbs_force *force, size_t which);
#define MBS_STOPS_SWITCHING \
  { .switches = 2, .settle = mbs_stops_settle, .margins = mbs_stops_margins, .event = mbs_stops_event }

#endif
