/* friction_law.h - smooth friction: the coefficient is an odd function mu(v) of the slip velocity, so that friction
 * under a normal load N is N mu(v) against the slip.
 *
 *     tanh           mu_d tanh(v / v_t)
 *     anderson       (mu_d + (mu_s - mu_d) exp(-(|v| / v_s)^p)) tanh(v / v_t)
 *     brown-mcphee   mu_d tanh(4 v / v_t) + (mu_s - mu_d) (v / v_t) / ((v / (2 v_t))^2 + 3/4)^2
 *
 * each plus c v. Where real friction sticks, these laws creep: they hold a load at a slip of the order of v_t. Sources:
 * Nikravesh, Planar Multibody Dynamics, 2nd ed.; Brown, McPhee, A continuous velocity-based friction model for dynamics
 * and control with physically meaningful parameters, J. Comput. Nonlinear Dynam. 11 (2016). */
#ifndef MBS_FRICTION_LAW_H
#define MBS_FRICTION_LAW_H

#include "elements/forces/force.h"
#include "model/touch.h"

typedef struct mbs_friction_law {
  enum { MBS_FRICTION_TANH, MBS_FRICTION_ANDERSON, MBS_FRICTION_BROWN_MCPHEE } kind;
  double mu_static, mu_dynamic;
  double transition; /* v_t [m/s] */
  double stribeck;   /* v_s [m/s] */
  double exponent;   /* p */
  double viscous;    /* c [s/m] */
} mbs_friction_law;

/* Fields of a friction law, for the classes that have one. */
#define MBS_FRICTION_FIELDS                                                                                           \
  {.name = "law",                                                                                                     \
   .kind = MBS_KIND_CHOICE,                                                                                           \
   .choices = "coulomb|tanh|anderson|brown-mcphee",                                                                   \
   .fallback_text = "brown-mcphee",                                                                                   \
   .doc =                                                                                                             \
       "coulomb: dry friction, which sticks exactly; the others are smooth functions of the slip velocity. coulomb "  \
       "with a transition_velocity means tanh"},                                                                      \
      {.name = "mu_static",                                                                                           \
       .kind = MBS_KIND_NUMBER,                                                                                       \
       .fallback = NAN,                                                                                               \
       .low = 0,                                                                                                      \
       .high = INFINITY,                                                                                              \
       .doc = "largest coefficient before slip; default: mu_dynamic. Not for tanh"},                                  \
      {.name = "mu_dynamic",                                                                                          \
       .kind = MBS_KIND_NUMBER,                                                                                       \
       .required = true,                                                                                              \
       .fallback = NAN,                                                                                               \
       .low = 0,                                                                                                      \
       .high = INFINITY,                                                                                              \
       .doc = "coefficient of sliding"},                                                                              \
      {.name = "transition_velocity",                                                                                 \
       .kind = MBS_KIND_NUMBER,                                                                                       \
       .fallback = 1e-3,                                                                                              \
       .low = 0,                                                                                                      \
       .high = INFINITY,                                                                                              \
       .low_open = true,                                                                                              \
       .unit = "m/s",                                                                                                 \
       .doc = "v_t: slip velocity over which friction builds up; for brown-mcphee the slip velocity of the largest "  \
              "coefficient"},                                                                                         \
      {.name = "stribeck_velocity",                                                                                   \
       .kind = MBS_KIND_NUMBER,                                                                                       \
       .fallback = NAN,                                                                                               \
       .low = 0,                                                                                                      \
       .high = INFINITY,                                                                                              \
       .unit = "m/s",                                                                                                 \
       .doc = "v_s: slip velocity over which static friction falls to dynamic friction; default: 0.01 for anderson, " \
              "0 (at once) for coulomb"},                                                                             \
      {.name = "stribeck_exponent",                                                                                   \
       .kind = MBS_KIND_NUMBER,                                                                                       \
       .fallback = 2,                                                                                                 \
       .low = 0,                                                                                                      \
       .high = 100,                                                                                                   \
       .low_open = true,                                                                                              \
       .doc = "p of anderson and coulomb"},                                                                           \
  {                                                                                                                   \
    .name = "viscous", .kind = MBS_KIND_NUMBER, .fallback = 0, .low = 0, .high = INFINITY, .unit = "s/m",             \
    .doc = "c: viscous part of the coefficient, per m/s of slip"                                                      \
  }

/* Reads MBS_FRICTION_FIELDS of a node. */
void mbs_friction_read(mbs_binder *binder, const mbs_node *node, mbs_friction_law *law);
/* Returns true if the law is dry friction, which sticks. `coulomb` with a transition_velocity means tanh. */
bool mbs_friction_is_dry(const mbs_node *node);
/* Returns the note for a law `coulomb` that means tanh, or NULL. */
const char *mbs_friction_note(const mbs_node *node);
/* Reports a law of the element, the speed of a belt, that depends on more than time. */
void mbs_friction_check_belt(mbs_builder *builder, const mbs_force *force, size_t law, const char *field);
/* Subtracts the speed of a belt, which depends on time only, times `scale` from a row. */
void mbs_friction_subtract_belt(mbs_system *system, const mbs_law *belt, double scale, mbs_custom_row *out);
/* Reads the numbers of dry friction. */
void mbs_dry_friction_read(mbs_binder *binder, const mbs_node *node, mbs_dry_friction *law);
/* Returns mu(v). */
double mbs_friction_coefficient(const mbs_friction_law *law, double v);
/* Returns |v| if friction is still building up and |v| is not negligible, else 0. Sets `*transition` to v_t. */
double mbs_friction_creep(const mbs_friction_law *law, double v, double *transition);

#endif
