/* contacts.h - contact parameters of curves: which are accepted, and where they end. */
#ifndef MBS_CONTACTS_H
#define MBS_CONTACTS_H

#include "equations/system.h"

/* Tells that the state in hand is accepted: the search for contact parameters starts from it from now on. */
void mbs_keep_contacts(mbs_system *system);
/* MBS_CONTACT_NOT_UNIQUE where curves touch at another place, too, at the position in hand. */
mbs_status mbs_check_contacts(mbs_system *system);
/* Margins of the joints whose curves may touch at another place, too, at the position in hand: negative where they do.
 * How many there are; MBS_CONTACT_NOT_UNIQUE as the fault of the one number `index`. */
void mbs_read_margins(const mbs_system *system, double *margins);
size_t mbs_count_margins(const mbs_model *model);
mbs_status mbs_fail_margin(mbs_system *system, size_t index);

#endif
