/* contacts.h - contact parameters of curves: which are accepted, and where they become invalid. */
#ifndef MBS_CONTACTS_H
#define MBS_CONTACTS_H

#include "equations/system.h"

/* Accepts the current state: later searches for contact parameters start from it. */
void mbs_accept_contacts(mbs_system *system);
/* Returns MBS_CONTACT_NOT_UNIQUE if curves touch at a second point, too, at the current position. */
mbs_status mbs_check_contacts(mbs_system *system);
/* mbs_read_margins() computes the margins of the joints whose curves may touch at a second point, at the current
 * position: negative if they do. mbs_count_margins() returns their number. mbs_fail_margin() returns
 * MBS_CONTACT_NOT_UNIQUE and sets the fault for margin `index`. */
void mbs_read_margins(const mbs_system *system, double *margins);
size_t mbs_count_margins(const mbs_model *model);
mbs_status mbs_fail_margin(mbs_system *system, size_t index);

#endif
