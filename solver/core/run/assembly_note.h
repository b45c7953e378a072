/* assembly_note.h - a note on joints that the assembly moved far. */
#ifndef MBS_ASSEMBLY_NOTE_H
#define MBS_ASSEMBLY_NOTE_H

#include "run/run.h"

/* Adds a note that names the joints which the assembly at run->q rotated by more than 90 degrees from their guesses.
 * Sets the system to run->q. Returns MBS_NO_MEMORY or MBS_OK. */
mbs_status mbs_note_moved(mbs_run_state *run);

#endif
