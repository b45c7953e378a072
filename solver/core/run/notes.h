/* notes.h - notes and events of the report. */
#ifndef MBS_NOTES_H
#define MBS_NOTES_H

#include "equations/switches.h"
#include "run/run.h"

/* Adds a sentence to the report. */
void mbs_run_note(mbs_run_state *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a run that has ended, and of one that is quiet. */
void mbs_report_note(mbs_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An event into the report; the same one at the same instant counts once. */
void mbs_run_event(mbs_run_state *run, double t, const char *element, const char *kind);

/* Events for what changes at the start, and at the instant in hand; `run`: the mbs_run_state. */
void mbs_run_report_start(void *run, const mbs_change *change);
void mbs_run_report_change(void *run, const mbs_change *change);
/* Records a change of a sliding law as an event, and the first law that sticks as a note; `context`: the
 * mbs_run_state. */
void mbs_run_report_sliding(void *context, const mbs_change *change);

#endif
