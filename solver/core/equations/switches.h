/* switches.h - the branches that are held during a step, and the instants where they change.
 *
 * Laws have the switches of their expressions; elements may have switches and memory of their own (mbs_switching in
 * element.h). All share the numbering of system->mode_held. A step sees them fixed; an integrator locates where a
 * margin becomes negative, and only there they change. */
#ifndef MBS_SWITCHES_H
#define MBS_SWITCHES_H

#include "equations/system.h"

typedef struct mbs_change {
  const char *element; /* joint, driver or force element */
  const char *kind;    /* "switch", "contact begins"; NULL: nothing to report */
} mbs_change;

/* Whose a switch is. */
typedef struct mbs_owner {
  const char *element; /* "" where it is none of these: of a joint whose curves may touch at a second place */
  const char *pointer; /* of its law, or of the element, in the document */
  const char *text;    /* of its law; NULL: an element's own */
} mbs_owner;

mbs_owner mbs_switches_owner(const mbs_model *model, size_t index);
/* Modes and memory of elements for the state (t, q, v), at the start of a run; `report` hears what they have to say of
 * it, and may be NULL. Then mbs_switches_follow(). */
void mbs_switches_settle(mbs_system *system, double t, const double *q, const double *v,
                         void (*report)(void *context, const mbs_change *change), void *context);
/* Modes of laws for the state; those of elements stay. They are held from now on. */
void mbs_switches_follow(mbs_system *system, double t, const double *q, const double *v);
/* Lets laws and elements follow the state from now on, and no law slide. */
void mbs_switches_release(mbs_system *system);
/* Margins [switch_count] at the state. */
void mbs_switches_margins(mbs_system *system, double t, const double *q, const double *v, double *margins);
/* Switch `index` has its event at the state. */
mbs_change mbs_switches_event(mbs_system *system, size_t index, double t, const double *q, const double *v);

#endif
