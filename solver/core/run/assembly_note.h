/* assembly_note.h - the note on joints that assembly moved far. */
#ifndef MBS_ASSEMBLY_NOTE_H
#define MBS_ASSEMBLY_NOTE_H

#include "run/run.h"

/* A note that names the joints which the assembly at run->q has turned by more than 90 degrees from their guesses.
 * MBS_NO_MEMORY. Leaves the system at run->q. */
mbs_status mbs_note_moved(mbs_run_state *run);

#endif
