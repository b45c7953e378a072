/* notes.h - notes and events of the report. */
#ifndef MBS_NOTES_H
#define MBS_NOTES_H

#include "equations/switches.h"
#include "run/run.h"

/* Adds a note, a sentence, to the report. Does nothing in a quiet run. */
void mbs_run_note(mbs_run_state *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a note to the report, even after the run has ended or if it is quiet. */
void mbs_report_note(mbs_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds an event to the report, unless the same event at this instant is there already. */
void mbs_run_event(mbs_run_state *run, double t, const char *element, const char *kind);

/* Adds an event for a change at the start, and at the current time. `run` is the mbs_run_state. */
void mbs_run_report_start(void *run, const mbs_change *change);
void mbs_run_report_change(void *run, const mbs_change *change);
/* Adds an event for a change of a sliding law, and a note for the first law that sticks. `context` is the
 * mbs_run_state. */
void mbs_run_report_sliding(void *context, const mbs_change *change);

#endif
