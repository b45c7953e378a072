/* model_notes.h - notes on elements of the document that have no effect, or less effect than expected. */
#ifndef MBS_MODEL_NOTES_H
#define MBS_MODEL_NOTES_H

#include "run/run.h"

/* Adds notes on loads on the ground, sensors of constants, gears whose centres can move against each other, and
 * bearings whose reactions omit the tooth forces of gears. Returns MBS_NO_MEMORY or MBS_OK. */
mbs_status mbs_note_model(mbs_run_state *run);

#endif
