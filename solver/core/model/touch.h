/* touch.h - unilateral constraints and dry friction. A touch has rows that hold only while its conditions do: at most
 * one normal row (a contact, a limit), and up to three tangential rows of velocity level (friction that sticks).
 *
 * All these rows belong to the model from the start, after those of joints and drivers, and are switched on and off
 * (equations/touches.h). So a closed contact and a sticking surface are ordinary constraints: projection, partitioning,
 * reactions and linearization need no special code for them. */
#ifndef MBS_TOUCH_H
#define MBS_TOUCH_H

#include "model/model.h"

enum { MBS_TANGENTS_MAX = 3 };

/* Dry friction under the normal force N: it sticks up to mu_static N; at the slip s it is mu(s) N against the slip,
 *
 *     mu(s) = mu_dynamic + (mu_static - mu_dynamic) exp(-(s / stribeck)^exponent) + viscous s */
typedef struct mbs_dry_friction {
  double mu_static, mu_dynamic;
  double stribeck; /* [m/s]; 0: mu_dynamic at any slip */
  double exponent;
  double viscous; /* [s/m] */
} mbs_dry_friction;

typedef struct mbs_touch mbs_touch;
struct mbs_touch_state;

typedef struct mbs_touch_class {
  /* Computes row `number`: the normal row first if there is one, then the tangential ones. `side` selects the limit of
   * a normal row with two sides: 0 is the lower one. The normal row is positive where the lower limit leaves room, and
   * its multiplier pushes in that direction; at the upper limit (side 1) both signs are the opposite. Without `D` only
   * the value of a normal row is wanted. */
  void (*row)(struct mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out);
  /* Returns the normal force N of a touch without a normal row, at the current reactions. NULL: it has a normal row. */
  double (*load)(const struct mbs_system *system, const mbs_touch *touch);
  /* Returns true if that load is zero until an event of the element, so that there is no friction. NULL: false. */
  bool (*idle)(const struct mbs_system *system, const mbs_touch *touch);
  /* Returns the numbers of its friction; NULL if it has none. */
  const mbs_dry_friction *(*friction)(const struct mbs_system *system, const mbs_touch *touch);
  /* Returns the coefficient of restitution and the approach speed [m/s] below which it counts as 0. NULL: 0. */
  double (*restitution)(const struct mbs_system *system, const mbs_touch *touch, double *least_approach);
  /* Stores the outputs of the element. */
  void (*show)(struct mbs_system *system, const mbs_touch *touch, const struct mbs_touch_state *state);
  /* Returns the side or face of a surface at which an open touch is; 0: the surface has one. May be NULL. */
  int (*face)(const struct mbs_system *system, const mbs_touch *touch);
  /* Returns true if `face` is also needed of a closed touch, at the last accepted state. NULL: false. */
  bool (*moves)(const struct mbs_system *system, const mbs_touch *touch);
  /* Limits that follow their coordinate upwards while the touch is open; the row subtracts `bound` of the state, their
   * position. `rate` returns the rate of the coordinate, which a limit follows at once: then the touch closes where
   * that rate becomes zero. `pitch` returns the length of the steps in which a limit follows. NULL: it does not. */
  double (*rate)(const struct mbs_system *system, const mbs_touch *touch);
  double (*pitch)(const struct mbs_system *system, const mbs_touch *touch);
  /* Returns true if the touch must remember on which side it is, also while its surfaces are far. NULL: false. */
  bool (*sided)(const struct mbs_system *system, const mbs_touch *touch);
  /* Returns the distance [m] by which a closed touch has left the face that it touches, which ends it; negative: it is
   * within. May be NULL. */
  double (*beside)(const struct mbs_system *system, const mbs_touch *touch);
  const char *begins, *ends, *impact; /* kinds of the events at its normal row; NULL: none */
} mbs_touch_class;

struct mbs_touch {
  mbs_joint joint; /* the bodies and frames of its rows; the first member, so that the row's joint is the touch */
  const mbs_touch_class *cls;
  const char *name, *pointer; /* name and pointer of its element in the document */
  int force;                  /* index of its force element */
  int carrier;                /* 1 + index of the contact that opens it, and whose N is its load; 0: none */
  int of_joint;               /* joint to which it belongs, or -1 */
  int number;                 /* index among the touches of its element */
  int pair;                   /* points of one pair of bodies receive their impulses together */
  int sides;                  /* number of sides of the normal row: 0 (there is none), 1 or 2 */
  int tangents;               /* number of tangential rows */
  bool reacts;                /* the load depends on the joint's reaction */
  int coordinate[2];          /* primitives in model->coordinates on which its rows depend, or -1 */
  int first_row;              /* index of its normal row, or of its first tangential row */
  int switch0; /* first of its switches: one for each side, then one for friction, or for the next step */
};

/* Number of rows, and of switches. */
static inline int mbs_touch_rows(const mbs_touch *touch) { return (touch->sides > 0) + touch->tangents; }
static inline int mbs_touch_switches(const mbs_touch *touch) {
  return touch->sides + (touch->tangents > 0 || touch->cls->pitch);
}
/* Returns the touch whose normal row a touch opens and closes with: its carrier, or itself. */
static inline const mbs_touch *mbs_touch_carrier(const mbs_model *model, const mbs_touch *touch) {
  return touch->carrier ? &model->touches[touch->carrier - 1] : touch;
}
/* Returns true for a touch that is always closed: it has no normal row, and no carrier has one. */
static inline bool mbs_touch_never_opens(const mbs_touch *touch) { return touch->sides == 0 && !touch->carrier; }
/* Returns true if the touch limits a coordinate. */
static inline bool mbs_touch_is_limit(const mbs_touch *touch) {
  return touch->sides == 2 || touch->cls->rate || touch->cls->pitch;
}
/* Index of the normal row, which must exist, and of the first tangential row. */
static inline int mbs_touch_normal(const mbs_touch *touch) { return touch->first_row; }
static inline int mbs_touch_tangent(const mbs_touch *touch) { return touch->first_row + (touch->sides > 0); }

#endif
