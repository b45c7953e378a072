/* verdict.c - see verdict.h. A verdict is never better than the worst finding. */
#include "api/certificate/verdict.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const api_finding *find(const api_findings *findings, const char *check) {
  for (size_t i = 0; i < findings->count; i++)
    if (strcmp(findings->items[i].check, check) == 0) return &findings->items[i];
  return NULL;
}

static void say(api_verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(api_verdict *verdict, const char *format, ...) {
  size_t length = strlen(verdict->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(verdict->text + length, sizeof verdict->text - length, format, arguments);
  va_end(arguments);
}

static void refuse(const api_findings *findings, api_verdict *out) {
  out->level = "not_vouched";
  out->digits = out->reaction_digits = API_NO_DIGITS;
  say(out, "Not verified: ");
  bool first = true;
  for (size_t i = 0; i < findings->count; i++) {
    const api_finding *finding = &findings->items[i];
    if (!finding->against) continue;
    say(out, "%s%s: %s", first ? "" : "; ", finding->check, finding->text);
    first = false;
  }
  assert(!first);
  say(out, ".");
}

/* Returns the finding that permits the fewest digits of the motion; NULL if none determines digits. */
static const api_finding *least_of(const api_findings *findings) {
  const api_finding *least = NULL;
  for (size_t i = 0; i < findings->count; i++) {
    const api_finding *finding = &findings->items[i];
    if (finding->motion && finding->digits != API_NO_DIGITS && (!least || finding->digits < least->digits))
      least = finding;
  }
  return least;
}

static void say_missing(const api_findings *findings, api_verdict *out) {
  static const char *const checks[] = {"tolerance", "formulations", "jacobian"};
  bool first = true;
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    const api_finding *finding = find(findings, checks[i]);
    if (!finding || finding->examined || finding->pointless) continue;
    say(out, "%s%s", first ? " Not examined: " : ", ", checks[i]);
    first = false;
  }
  if (!first) say(out, ".");
}

static void say_caveats(const json_t *report, const api_findings *findings, api_verdict *out) {
  const api_finding *condition = find(findings, "condition"), *sensors = find(findings, "sensors");
  if (json_array_size(json_object_get(report, "not_unique")) > 0)
    say(out, " Some reactions are not unique, because constraints are redundant.");
  if (condition && condition->examined && strstr(condition->text, "singular position is near, and"))
    say(out, " The motion passes near a singular position.");
  if (find(findings, "events")) say(out, " Events, such as contacts, interrupt the motion.");
  if (sensors) say(out, " Some sensors have no finite value.");
  if (find(findings, "steps"))
    say(out, " Changes of laws, such as pulses, may be missed if they are shorter than the steps: if the "
             "model has any, set 'max_step'.");
}

/* Returns true if everything that can be examined was examined. */
static bool is_whole(const api_findings *findings) {
  static const char *const checks[] = {"tolerance", "formulations", "jacobian"};
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    const api_finding *finding = find(findings, checks[i]);
    if (!finding || !(finding->examined || finding->pointless)) return false;
  }
  return true;
}

void api_verdict_compute(const json_t *report, const api_findings *findings, api_verdict *out) {
  *out = (api_verdict){.level = "unexamined", .digits = API_NO_DIGITS, .reaction_digits = API_NO_DIGITS};
  for (size_t i = 0; i < findings->count; i++)
    if (findings->items[i].against) {
      refuse(findings, out);
      return;
    }
  const api_finding *least = least_of(findings), *tolerance = find(findings, "tolerance"),
                    *formulations = find(findings, "formulations"), *reactions = find(findings, "reactions");
  bool compared = (tolerance && tolerance->examined) || (formulations && formulations->examined);
  if (!compared) {
    say(out, "No check of the run failed, but the accuracy of its motion was not examined.");
    say_missing(findings, out);
    say_caveats(report, findings, out);
    return;
  }
  bool whole = is_whole(findings);
  out->level = whole ? "trusted" : "partly_examined";
  if (least) {
    out->digits = least->digits;
    say(out, whole ? "Verified to about %d digits" : "Partly examined: accurate to about %d digits", least->digits);
    say(out, " (%s).", least->check);
  } else {
    say(out, "The mechanism does not move, and no check failed.");
  }
  if (reactions && reactions->examined && reactions->digits != API_NO_DIGITS) {
    out->reaction_digits = reactions->digits;
    if (reactions->digits > 0)
      say(out, " Reactions: about %d digits.", reactions->digits);
    else
      say(out, " Reactions are not verified.");
  }
  say_missing(findings, out);
  say_caveats(report, findings, out);
}
