/* findings.c - see findings.h. */
#include "api/certificate/findings.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The error is estimated as the observed difference times this factor. */
static const double error_margin = 2;
/* Factor for reactions: their errors are those of accelerations, of which two runs may have half in common. */
static const double reaction_margin = 4;
/* Derivatives are wrong if their scaled difference from finite differences exceeds this. */
static const double jacobian_wrong = 1e-5;
/* Condition number from which a position counts as nearly singular. */
static const double nearly_singular = 1e6;

static double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static api_finding *add(api_findings *out, const char *check) {
  assert(out->count < API_FINDINGS_MAX);
  api_finding *finding = &out->items[out->count++];
  *finding = (api_finding){.check = check, .examined = true, .digits = API_NO_DIGITS};
  return finding;
}

static void say(api_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(api_finding *finding, const char *format, ...) {
  size_t length = strlen(finding->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding->text + length, sizeof finding->text - length, format, arguments);
  va_end(arguments);
}

/* Returns the digits that a relative error leaves. */
static int digits_of(double share) {
  assert(!(share < 0));
  if (!(share < 1)) return 0;
  if (share <= pow(10, -API_DIGITS_MOST)) return API_DIGITS_MOST;
  return (int)floor(-log10(share));
}

/* ---- findings from the report of a run ------------------------------------------------------------------------ */

/* Appends " at t = 1.5 ('pin x')". */
static void say_where(api_finding *finding, const json_t *place, const char *row) {
  say(finding, " at t = %.6g", number_of(place, "t"));
  if (*text_of(place, row)) say(finding, " (%s)", text_of(place, row));
}

static const char no_rows[] = "the run ended before the first result row";

static void find_constraints(const json_t *report, double condition, api_findings *out) {
  static const char *const levels[] = {"position", "velocity", "acceleration"};
  const json_t *residuals = json_object_get(report, "residuals"), *where = json_object_get(residuals, "where");
  api_finding *finding = add(out, "constraints");
  if (json_array_size(json_object_get(report, "rows")) == 0) {
    say(finding, "the model has no constraint rows");
    return;
  }
  if (isnan(number_of(residuals, "position"))) {
    finding->examined = false;
    say(finding, "%s", no_rows);
    return;
  }
  say(finding, "largest residuals:");
  for (int k = 0; k < 3; k++) {
    say(finding, "%s %s %.2g", k ? "," : "", levels[k], number_of(residuals, levels[k]));
    if (number_of(residuals, levels[k]) > 0) say_where(finding, json_object_get(where, levels[k]), "row");
  }
  /* A residual moves positions by at most its product with the condition number, and near a singular position by its
   * square root. */
  double share = number_of(residuals, "share");
  double moved = isnan(condition) ? share : fmin(share * condition, sqrt(share));
  finding->motion = true;
  finding->digits = digits_of(moved);
  finding->against = !(finding->digits >= API_DIGITS_LEAST) || isnan(share);
}

static void find_energy(const json_t *report, api_findings *out) {
  const json_t *energy = json_object_get(report, "energy");
  double change = number_of(energy, "largest_change"), scale = number_of(energy, "scale");
  api_finding *finding = add(out, "energy");
  if (strcmp(text_of(report, "analysis"), "dynamics") != 0) {
    finding->examined = false;
    say(finding, "the analysis does not integrate the equations of motion, so there is no energy balance to check");
    return;
  }
  if (isnan(change)) {
    finding->examined = false;
    say(finding, "%s", no_rows);
    return;
  }
  if (!(scale > 0)) {
    finding->examined = false;
    say(finding, "no energy was exchanged");
    return;
  }
  say(finding,
      "energy exchanged: %.3g J; kinetic + potential - work of drivers and actuators + dissipated changes by at most "
      "%.2g J",
      scale, change);
  if (change > 0) say_where(finding, energy, "");
  finding->motion = true;
  finding->digits = digits_of(change / scale);
  finding->against = finding->digits < API_DIGITS_LEAST;
}

static void say_names(api_finding *finding, const json_t *names) {
  size_t i;
  json_t *name;
  json_array_foreach(names, i, name) {
    if (i == 8) {
      say(finding, " and %zu more", json_array_size(names) - i);
      break;
    }
    say(finding, "%s '%s'", i ? "," : "", json_string_value(name));
  }
}

static void find_redundancy(const json_t *report, api_findings *out) {
  if (!json_is_array(json_object_get(report, "redundant"))) return; /* no start was found */
  size_t redundant = json_array_size(json_object_get(report, "redundant"));
  const json_t *not_unique = json_object_get(report, "not_unique");
  api_finding *finding = add(out, "redundancy");
  if (redundant == 0) {
    say(finding, "no constraint row is redundant: motion and reactions are unique");
    return;
  }
  say(finding, "%zu of %zu constraint rows are redundant; the motion is unique", redundant,
      json_array_size(json_object_get(report, "rows")));
  if (json_array_size(not_unique) == 0) return;
  say(finding, ", but not the reactions of");
  say_names(finding, not_unique);
  say(finding, ": the smallest that fit are reported");
}

static void find_events(const json_t *report, api_findings *out) {
  const json_t *events = json_object_get(report, "events"), *gaps = json_object_get(report, "non_finite");
  if (json_array_size(events) > 0) {
    say(add(out, "events"),
        "%zu events (such as contacts and switches) interrupt the motion; the first at t = %.6g ('%s', %s)",
        json_array_size(events), number_of(json_array_get(events, 0), "t"),
        text_of(json_array_get(events, 0), "element"), text_of(json_array_get(events, 0), "kind"));
  }
  if (json_array_size(gaps) == 0) return;
  const json_t *first = json_array_get(gaps, 0);
  say(add(out, "sensors"), "the sensor '%s' has no finite value at %g reporting times, the first t = %.6g%s",
      text_of(first, "array"), number_of(first, "count"), number_of(first, "first_t"),
      json_array_size(gaps) > 1 ? "; other sensors also have such times" : "");
}

/* ---- findings from an examination ----------------------------------------------------------------------------- */

/* Returns the largest relative difference; NaN if there is none. */
static double worst_of(const json_t *items, const json_t **worst) {
  double largest = NAN;
  size_t i;
  json_t *item;
  json_array_foreach(items, i, item) {
    double share = number_of(item, "largest") / number_of(item, "scale");
    if (isnan(share)) share = INFINITY;
    if (share <= largest) continue;
    largest = share;
    *worst = item;
  }
  return largest;
}

static void say_worst(api_finding *finding, const json_t *worst) {
  say(finding, "%s differ by at most %.2g%s%s (scale %.3g)", text_of(worst, "quantity"), number_of(worst, "largest"),
      *text_of(worst, "unit") ? " " : "", text_of(worst, "unit"), number_of(worst, "scale"));
  say_where(finding, worst, "column");
}

static void not_examined(api_findings *out, const char *check, const char *why, bool pointless) {
  api_finding *finding = add(out, check);
  finding->examined = false;
  finding->pointless = pointless;
  say(finding, "%s", why);
}

static const char not_asked[] = "not requested; set \"certify\": true in the analysis";

/* Adds the finding of one comparison; `words` names the other run. */
static void find_comparison(const json_t *examination, const char *key, const char *check, const char *words,
                            api_findings *out) {
  const json_t *comparison = json_object_get(examination, key), *worst = NULL;
  const json_t *why_not = json_object_get(comparison, "why_not");
  if (!comparison || json_is_string(why_not)) {
    not_examined(out, check, comparison ? json_string_value(why_not) : not_asked,
                 json_is_true(json_object_get(comparison, "pointless")));
    return;
  }
  api_finding *finding = add(out, check);
  double share = worst_of(json_object_get(comparison, "motion"), &worst);
  say(finding, "%s: ", words);
  if (worst)
    say_worst(finding, worst);
  else
    say(finding, "the mechanism does not move");
  finding->motion = true;
  finding->digits = isnan(share) ? API_NO_DIGITS : digits_of(error_margin * share);
  finding->against = finding->digits < API_DIGITS_LEAST;
}

/* Describes the difference between the finer run and the run. */
static void say_finer(const json_t *report, char *out, size_t size) {
  const json_t *finer = json_object_get(json_object_get(report, "examination"), "finer");
  const double bound = number_of(finer, "max_step");
  if (isnan(bound))
    snprintf(out, size, "compared with a run at one tenth of the tolerances");
  else
    snprintf(out, size, "compared with a run at one tenth of the tolerances and with steps of at most %.2g s", bound);
}

/* Adds the finding about step sizes: a method that chooses its steps from sampled values may miss short events. */
static void find_steps(const json_t *report, api_findings *out) {
  const double longest = number_of(report, "longest_step");
  const double other = number_of(json_object_get(json_object_get(report, "examination"), "finer"), "longest_step");
  if (strcmp(text_of(report, "analysis"), "dynamics") != 0 || !(longest > 0)) return;
  api_finding *finding = add(out, "steps");
  say(finding, "the longest step was %.2g s", longest);
  if (other > 0) say(finding, ", and %.2g s in the run at one tenth of the tolerances", other);
  say(finding, ": these runs may miss a change of a law that is shorter than their steps, such as a pulse; if the "
               "model has one, set 'max_step' ('fixed_step' for a fixed-step method) below its duration");
}

/* Adds the finding about reactions from both comparisons. */
static void find_reactions(const json_t *examination, api_findings *out) {
  static const char *const keys[] = {"finer", "formulations"};
  const json_t *worst = NULL;
  double share = NAN;
  for (int k = 0; k < 2; k++) {
    const json_t *found = NULL;
    double one = worst_of(json_object_get(json_object_get(examination, keys[k]), "reactions"), &found);
    if (!found || one <= share) continue;
    share = one;
    worst = found;
  }
  if (!worst) {
    not_examined(out, "reactions", examination ? "no comparison run has reactions" : not_asked, true);
    return;
  }
  api_finding *finding = add(out, "reactions");
  say(finding, "in these runs, ");
  say_worst(finding, worst);
  finding->digits = digits_of(reaction_margin * share);
}

static void find_jacobian(const json_t *report, api_findings *out) {
  const json_t *examination = json_object_get(report, "examination");
  const json_t *jacobian = json_object_get(examination, "jacobian"), *why_not = json_object_get(jacobian, "why_not");
  if (!jacobian || json_is_string(why_not)) {
    const char *why = jacobian ? json_string_value(why_not) : not_asked;
    bool pointless =
        json_array_size(json_object_get(report, "rows")) == json_array_size(json_object_get(report, "redundant"));
    not_examined(out, "jacobian", why, pointless);
    not_examined(out, "condition", why, pointless);
    return;
  }
  api_finding *finding = add(out, "jacobian");
  double error = number_of(jacobian, "jacobian_error"), condition = number_of(jacobian, "condition");
  say(finding,
      "agrees with central differences of the constraints to within %.2g at %g reporting times; largest difference",
      error, number_of(jacobian, "instants"));
  say(finding, " at t = %.6g (%s)", number_of(jacobian, "jacobian_t"), text_of(jacobian, "jacobian_row"));
  finding->against = !(error <= jacobian_wrong);
  finding = add(out, "condition");
  if (condition < nearly_singular) {
    say(finding,
        "the largest condition number of the constraint matrix at these times is %.3g, at t = %.6g: no singular "
        "position is near",
        condition, number_of(jacobian, "condition_t"));
  } else {
    say(finding,
        "the condition number of the constraint matrix is %.3g at t = %.6g (smallest: %.3g): a singular position is "
        "near, and reactions close to it are less accurate",
        condition, number_of(jacobian, "condition_t"), number_of(jacobian, "least_condition"));
  }
}

static void find_end(const json_t *report, const json_t *error, api_findings *out) {
  if (json_is_object(error)) {
    api_finding *finding = add(out, "run");
    finding->against = true;
    say(finding, "the run ended with the error %s: %.500s", text_of(error, "code"), text_of(error, "detail"));
  } else if (!json_is_object(report)) {
    api_finding *finding = add(out, "run");
    finding->against = true;
    say(finding, "the run has no report");
  }
}

void api_findings_make(const json_t *report, const json_t *error, api_findings *out) {
  const json_t *examination = json_object_get(report, "examination");
  out->count = 0;
  find_end(report, error, out);
  if (!json_is_object(report)) return;
  double condition = number_of(json_object_get(examination, "jacobian"), "condition");
  find_constraints(report, condition, out);
  find_energy(report, out);
  char finer[120];
  say_finer(report, finer, sizeof finer);
  find_comparison(examination, "finer", "tolerance", finer, out);
  find_comparison(examination, "formulations", "formulations",
                  strcmp(text_of(report, "formulation"), "joint") == 0 ? "compared with body coordinates"
                                                                       : "compared with joint coordinates",
                  out);
  find_reactions(examination, out);
  find_jacobian(report, out);
  find_redundancy(report, out);
  find_steps(report, out);
  find_events(report, out);
}
