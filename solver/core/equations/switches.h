/* switches.h - branches that are held during a step, and the instants at which they change.
 *
 * Laws have the switches of their expressions; elements may have switches and memory of their own (mbs_switching in
 * element.h). All share the numbering of system->mode_held. They are fixed during a step. An integrator locates the
 * instant at which a margin becomes negative, and they change only there. */
#ifndef MBS_SWITCHES_H
#define MBS_SWITCHES_H

#include "equations/system.h"

typedef struct mbs_change {
  const char *element; /* joint, driver or force element */
  const char *kind;    /* "switch", "contact begins"; NULL: nothing to report */
} mbs_change;

/* The owner of a switch. */
typedef struct mbs_owner {
  const char *element; /* "" for a joint whose curves may touch at a second point */
  const char *pointer; /* pointer of its law, or of the element, in the document */
  const char *text;    /* text of its law; NULL: a switch of the element itself */
} mbs_owner;

mbs_owner mbs_switches_owner(const mbs_model *model, size_t index);
/* Finds a table without a value in a law, at the current state or at the time `later`. Returns its name, in out[2] its
 * argument and the end of the table, and the owner of the law; NULL if there is none. */
const char *mbs_switches_outside(const mbs_system *system, double later, double out[2], mbs_owner *owner);
/* Sets modes and memory of elements for the state (t, q, v), at the start of a run, then calls mbs_switches_follow().
 * `report` receives the changes to report, and may be NULL. */
void mbs_switches_settle(mbs_system *system, double t, const double *q, const double *v,
                         void (*report)(void *context, const mbs_change *change), void *context);
/* Sets the modes of laws for the state; those of elements do not change. All modes are held afterwards. */
void mbs_switches_follow(mbs_system *system, double t, const double *q, const double *v);
/* Stops holding modes: laws and elements follow the state, and no law slides. */
void mbs_switches_release(mbs_system *system);
/* Computes the margins [switch_count] at the state. */
void mbs_switches_margins(mbs_system *system, double t, const double *q, const double *v, double *margins);
/* Computes the margin of switch `index` alone if it is one of an element itself. Returns false, without a result, if it
 * is not. */
bool mbs_switches_element_margin(mbs_system *system, size_t index, double t, const double *q, const double *v,
                                 double *margin);
/* Handles the event of switch `index` at the state. */
mbs_change mbs_switches_event(mbs_system *system, size_t index, double t, const double *q, const double *v);

#endif
