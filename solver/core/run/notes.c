/* Adds notes and events to the report. */
#include "run/notes.h"

#include "base/message.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void add_note(mbs_result *result, const char *format, va_list arguments) {
  mbs_report *report = &result->report;
  char text[512];
  mbs_message_of(text, sizeof text, format, arguments);
  const char *kept = report->note_count < MBS_NOTES_MAX ? mbs_arena_text(result->arena, text) : NULL;
  if (kept) report->notes[report->note_count++] = kept;
}

void mbs_run_note(mbs_run_state *run, const char *format, ...) {
  va_list arguments;
  if (run->quiet) return;
  va_start(arguments, format);
  add_note(run->result, format, arguments);
  va_end(arguments);
}

void mbs_report_note(mbs_result *result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_note(result, format, arguments);
  va_end(arguments);
}

/* Returns true if the report has this event at t already: several switches of one law may change together, but users
 * see one event. */
static bool is_reported(const mbs_report *report, double t, const char *element, const char *kind) {
  for (size_t i = report->event_count; i > 0 && report->events[i - 1].t >= t; i--)
    if (strcmp(report->events[i - 1].element, element) == 0 && strcmp(report->events[i - 1].kind, kind) == 0)
      return true;
  return false;
}

/* Numbers the names of elements and kinds from 1, in the order of their first event; equal names have equal numbers. */
static void number_event(const mbs_report *report, mbs_event *event) {
  int elements = 0, kinds = 0;
  for (const mbs_event *before = report->events; before < event; before++) {
    if (strcmp(before->element, event->element) == 0) event->element_number = before->element_number;
    if (strcmp(before->kind, event->kind) == 0) event->kind_number = before->kind_number;
    if (before->element_number > elements) elements = before->element_number;
    if (before->kind_number > kinds) kinds = before->kind_number;
  }
  if (event->element_number == 0) event->element_number = elements + 1;
  if (event->kind_number == 0) event->kind_number = kinds + 1;
}

void mbs_run_event(mbs_run_state *run, double t, const char *element, const char *kind) {
  mbs_report *report = &run->result->report;
  if (run->quiet || is_reported(report, t - 8 * DBL_EPSILON * fabs(t), element, kind)) return;
  if (report->event_count == MBS_EVENTS_MAX) {
    if (!run->events_dropped)
      mbs_run_note(run, "events after t = %.9g are not listed; a report holds at most %d", t, MBS_EVENTS_MAX);
    run->events_dropped = true;
    return;
  }
  if (!report->events) {
    report->events = mbs_arena_alloc(run->result->arena, MBS_EVENTS_MAX, sizeof *report->events);
    if (!report->events) return;
  }
  const char *kept = mbs_arena_text(run->result->arena, element); /* results may outlive the model */
  if (!kept) return;
  mbs_event *event = &report->events[report->event_count++];
  *event = (mbs_event){.t = t, .element = kept, .kind = kind};
  number_event(report, event);
}

void mbs_run_report_start(void *run, const mbs_change *change) {
  mbs_run_event(run, ((mbs_run_state *)run)->model->t_start, change->element, change->kind);
}

void mbs_run_report_change(void *run, const mbs_change *change) {
  mbs_run_event(run, ((mbs_run_state *)run)->system->t, change->element, change->kind);
}

void mbs_run_report_sliding(void *context, const mbs_change *change) {
  mbs_run_state *run = context;
  mbs_run_report_change(run, change);
  if (run->sticks || strcmp(change->kind, "sticks") != 0) return;
  run->sticks = true;
  mbs_run_note(run,
               "'%s' sticks at t = %.9g: its law, such as -mu*N*sign(v), holds the argument of sign() or if() at zero; "
               "the events in the report list all such times",
               change->element, run->system->t);
}
