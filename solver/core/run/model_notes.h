/* model_notes.h - notes on elements of the document that do nothing, or less than their user may expect. */
#ifndef MBS_MODEL_NOTES_H
#define MBS_MODEL_NOTES_H

#include "run/run.h"

/* Adds notes that name loads on the ground, sensors of what never changes, gears whose centres can move against each
 * other, and the bearings whose reactions leave out the tooth forces of gears. Returns MBS_NO_MEMORY or MBS_OK. */
mbs_status mbs_note_model(mbs_run_state *run);

#endif
