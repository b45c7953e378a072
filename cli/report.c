/* report.c - mbs report: prints the report of a run. */
#include "cli.h"

#include "report_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of printed names of a long list. */
enum { NAMES_MAX = 60 };

static void print_names(const char *title, const json_t *list, const char *key, FILE *out) {
  size_t count = json_array_size(list), index;
  fprintf(out, "%s: %zu", title, count);
  json_t *item;
  json_array_foreach(list, index, item) {
    if (index == NAMES_MAX) {
      fprintf(out, ", ... and %zu more", count - index);
      break;
    }
    const char *name = key ? cli_text_of(item, key) : json_string_value(item);
    fprintf(out, "%s%s", index ? ", " : " (", name ? name : "");
  }
  fputs(count ? ")\n" : "\n", out);
}

static void print_tree(const json_t *report, FILE *out) {
  cli_columns table = {.columns = 5};
  static const char *const heads[] = {"body", "parent", "joint", "type", "DOF"};
  cli_columns_heads(&table, heads);
  const json_t *tree = json_object_get(report, "tree");
  size_t index;
  json_t *entry;
  json_array_foreach(tree, index, entry) {
    if (index == CLI_ROWS_MAX) break;
    cli_columns_text(&table, cli_text_of(entry, "body"));
    cli_columns_text(&table, cli_text_of(entry, "parent"));
    cli_columns_text(&table, cli_text_of(entry, "joint"));
    cli_columns_text(&table, cli_text_of(entry, "type"));
    cli_columns_number(&table, 6, cli_number_of(entry, "freedoms"));
  }
  fputs("\nTree\n", out);
  cli_columns_print(&table, out);
  cli_print_more(json_array_size(tree), CLI_ROWS_MAX, "see the report as JSON", out);
  print_names("Cut joints", json_object_get(report, "cut"), NULL, out);
  print_names("Constraint rows", json_object_get(report, "rows"), "label", out);
  if (json_is_array(json_object_get(report, "redundant")))
    print_names("Redundant rows", json_object_get(report, "redundant"), "row", out);
  if (json_array_size(json_object_get(report, "not_unique")) > 0)
    print_names("Reactions not unique", json_object_get(report, "not_unique"), NULL, out);
  /* a study does not report the degrees of freedom of its runs, and a run without a start does not know them */
  if (!json_is_integer(json_object_get(report, "mobility"))) return;
  const double positions = cli_number_of(report, "degrees_of_freedom");
  const double velocities = cli_number_of(report, "velocity_freedoms");
  fprintf(out, "Degrees of freedom: %g", positions);
  if (velocities < positions) fprintf(out, " of positions, %g of velocities", velocities);
  const double mobility = cli_number_of(report, "mobility");
  if (mobility != velocities) fprintf(out, " (%g without the drivers)", mobility);
  fputc('\n', out);
}

/* Adds coordinates or velocities before and after the correction, at most `left` rows. */
static size_t add_state(cli_columns *table, const json_t *initial, const char *part, size_t left) {
  const json_t *before = json_object_get(json_object_get(initial, "before"), part);
  const json_t *after = json_object_get(json_object_get(initial, "after"), part);
  const json_t *labels = json_object_get(json_object_get(initial, "labels"), part);
  const size_t count = json_array_size(labels) < left ? json_array_size(labels) : left;
  for (size_t i = 0; i < count; i++) {
    cli_columns_text(table, cli_text(json_array_get(labels, i)));
    cli_columns_json(table, json_array_get(before, i));
    cli_columns_json(table, json_array_get(after, i));
  }
  return left - count;
}

/* Prints "position 2.35, velocity 1e-17", without values that were not computed. */
static void print_start_residuals(const json_t *initial, FILE *out) {
  const double position = cli_number_of(initial, "position_residual"),
               velocity = cli_number_of(initial, "velocity_residual");
  if (!isnan(position)) fprintf(out, "; residuals: position %.3g", position);
  if (!isnan(velocity)) fprintf(out, "%s velocity %.3g", isnan(position) ? "; residuals:" : ",", velocity);
}

static void print_failed(const json_t *initial, const json_t *failed, FILE *out) {
  const char *element = cli_text_of(failed, "element"), *row = cli_text_of(failed, "row");
  fprintf(out, "\nInitial conditions, not found");
  if (*element) fprintf(out, *row ? ": '%s' is not satisfied" : "; see the error of '%s'", element);
  if (*row) fprintf(out, " (row %s)", row);
  if (*row || !*element) print_start_residuals(initial, out);
  fprintf(out, "; %g iterations\n", cli_number_of(initial, "iterations"));
}

static void print_initial(const json_t *initial, FILE *out) {
  const json_t *failed = json_object_get(initial, "failed"), *labels = json_object_get(initial, "labels");
  if (failed) {
    print_failed(initial, failed, out);
  } else if (json_object_get(initial, "start")) {
    fprintf(out, "\nInitial conditions, at the static equilibrium (residuals: position %.3g, velocity %.3g)\n",
            cli_number_of(initial, "position_residual"), cli_number_of(initial, "velocity_residual"));
  } else if (json_is_true(json_object_get(initial, "corrected"))) {
    fprintf(out, "\nInitial conditions, corrected in %g iterations (residuals: position %.3g, velocity %.3g)\n",
            cli_number_of(initial, "iterations"), cli_number_of(initial, "position_residual"),
            cli_number_of(initial, "velocity_residual"));
  } else {
    fputs("\nInitial conditions, not corrected\n", out);
  }
  cli_columns table = {.columns = 3};
  cli_columns_text(&table, "coordinate");
  cli_columns_text(&table, "before");
  cli_columns_text(&table, failed ? "reached" : "after");
  add_state(&table, initial, "velocities", add_state(&table, initial, "coordinates", CLI_ROWS_MAX));
  cli_columns_print(&table, out);
  cli_print_more(json_array_size(json_object_get(labels, "coordinates")) +
                     json_array_size(json_object_get(labels, "velocities")),
                 CLI_ROWS_MAX, "see the report as JSON", out);
}

/* Prints the largest change of T + V - work + dissipated from the start, and its ratio to the exchanged energies,
 * which may be rounding only. A single row has no balance. */
static void print_balance(const json_t *report, FILE *out) {
  const json_t *energy = json_object_get(report, "energy");
  const double change = cli_number_of(energy, "largest_change"), scale = cli_number_of(energy, "scale");
  if (isnan(change) || !(cli_number_of(report, "recorded") > 1)) return;
  fprintf(out, "Energy balance: kinetic + potential - work + dissipated is %.10g J at the start and changes by ",
          cli_number_of(energy, "initial"));
  if (scale > change)
    fprintf(out, "at most %.3g J, which is %.2g times the %.3g J exchanged\n", change, change / scale, scale);
  else if (scale > 0)
    fprintf(out, "at most %.3g J; energy exchanged: %.3g J\n", change, scale);
  else
    fprintf(out, "at most %.3g J; no energy was exchanged\n", change);
}

static void print_work(const json_t *report, FILE *out) {
  const json_t *residuals = json_object_get(report, "residuals");
  const char *method = cli_text_of(report, "method");
  fprintf(out, "\nComputation: %s%s%g evaluations, %g steps, %g rejected, %.3g s\n", method, *method ? ", " : "",
          cli_number_of(report, "evaluations"), cli_number_of(report, "steps"), cli_number_of(report, "rejected"),
          cli_number_of(report, "wall_seconds"));
  if (json_is_number(json_object_get(residuals, "position")))
    fprintf(out, "Largest residuals: position %.3g, velocity %.3g, acceleration %.3g\n",
            cli_number_of(residuals, "position"), cli_number_of(residuals, "velocity"),
            cli_number_of(residuals, "acceleration"));
  print_balance(report, out);
}

static void add_errors(cli_columns *table, const json_t *states) {
  size_t index;
  json_t *entry;
  json_array_foreach(states, index, entry) {
    cli_columns_text(table, cli_text_of(entry, "label"));
    if (json_is_number(json_object_get(entry, "local_error")))
      cli_columns_add(table, "%.3g", cli_number_of(entry, "local_error"));
    else
      cli_columns_text(table, "-"); /* steps of fixed length have none */
    cli_columns_add(table, "%.3g", cli_number_of(entry, "error_estimate"));
    cli_columns_add(table, "%.10g", cli_number_of(entry, "error_estimate_t"));
  }
}

/* Prints estimated errors if they were requested; the tolerances are in the document. */
static void print_accuracy(const json_t *accuracy, FILE *out) {
  const json_t *second = json_object_get(accuracy, "second_run");
  if (!second) return;
  fprintf(out, "\nEstimated errors, from a second run with %g evaluations\n", cli_number_of(second, "evaluations"));
  static const char *const heads[] = {"state", "one step", "whole run", "at t"};
  cli_columns table = {.columns = 4};
  cli_columns_heads(&table, heads);
  add_errors(&table, json_object_get(accuracy, "coordinates"));
  add_errors(&table, json_object_get(accuracy, "velocities"));
  cli_columns_print(&table, out);
}

static void print_notes(const json_t *report, FILE *out) {
  size_t index;
  json_t *note;
  json_array_foreach(json_object_get(report, "notes"), index, note) fprintf(out, "Note: %s\n", json_string_value(note));
}

static void print_remarks(const json_t *report, FILE *out) {
  const json_t *events = json_object_get(report, "events");
  if (json_array_size(events) > 0) fputs("\nEvents\n", out);
  cli_columns table = {.columns = 3};
  size_t index;
  json_t *item;
  json_array_foreach(events, index, item) {
    if (index == CLI_ROWS_MAX) break;
    cli_columns_add(&table, "t = %.10g", cli_number_of(item, "t"));
    cli_columns_text(&table, cli_text_of(item, "element"));
    cli_columns_text(&table, cli_text_of(item, "kind"));
  }
  cli_columns_print(&table, out);
  cli_print_more(json_array_size(events), CLI_ROWS_MAX, "see the array events", out);
  print_notes(report, out);
}

static void print_statistics(const json_t *statistics, FILE *out) {
  static const char *const heads[] = {"output", "mean", "sd", "min", "in run", "max", "in run"};
  static const char *const keys[] = {"mean", "sd", "min", "argmin", "max", "argmax"};
  cli_columns table = {.columns = 7};
  cli_columns_heads(&table, heads);
  size_t index;
  json_t *item;
  json_array_foreach(statistics, index, item) {
    cli_columns_text(&table, cli_text_of(item, "output"));
    for (size_t k = 0; k < 6; k++) {
      const double number = cli_number_of(item, keys[k]); /* null: no run has it, or there are fewer than two runs */
      if (isnan(number))
        cli_columns_text(&table, "-");
      else
        cli_columns_add(&table, "%.8g", number);
    }
  }
  cli_columns_print(&table, out);
}

/* "a = 0.3, b = 0.8" */
static void print_values(const char *what, const json_t *values, FILE *out) {
  const char *name, *before = "";
  json_t *value;
  if (json_object_size(values) == 0) return;
  fprintf(out, "  %-11s", what);
  json_object_foreach((json_t *)values, name, value) {
    fprintf(out, "%s%s = %.10g", before, name, json_number_value(value));
    before = ", ";
  }
  fputc('\n', out);
}

/* Prints each name on its own line. */
static void print_each(const char *what, const json_t *names, FILE *out) {
  size_t index;
  json_t *name;
  json_array_foreach(names, index, name) fprintf(out, "  %s: %s\n", what, json_string_value(name));
}

/* Prints the result of an optimization or a fit. */
static void print_best(const json_t *study, FILE *out) {
  const json_t *best = json_object_get(study, "best"), *deviations = json_object_get(study, "covariance");
  if (!best) return;
  fprintf(out, "Stopped: %s (%s: %s)\n", cli_text_of(study, "stopped"), cli_text_of(study, "algorithm"),
          cli_text_of(study, "why"));
  if (!json_is_object(best)) return;
  fprintf(out, "Best: trial %.0f, objective %.10g, constraint violation %.3g\n", cli_number_of(best, "index"),
          cli_number_of(best, "objective"), cli_number_of(best, "violation"));
  print_values("parameters", json_object_get(best, "parameters"), out);
  print_values("outputs", json_object_get(best, "outputs"), out);
  if (json_is_array(deviations)) {
    const char *name, *before = "";
    json_t *value;
    size_t j = 0;
    fputs("  std. dev.  ", out);
    json_object_foreach(json_object_get(best, "parameters"), name, value) {
      const json_t *entry = json_array_get(json_array_get(deviations, j), j);
      const double variance = json_number_value(entry);
      fprintf(out, "%s%s: ", before, name);
      if (variance > 0)
        fprintf(out, "%.3g", sqrt(variance));
      else
        fputs(json_is_null(entry) ? "not determined, too few data" : "at its bound", out);
      before = ", ";
      j++;
    }
    fputc('\n', out);
  }
  if (!json_is_array(deviations)) print_each("at its bound", json_object_get(study, "at_bound"), out);
  const json_t *dependence = json_object_get(study, "not_identifiable");
  if (dependence) {
    fprintf(out, "  not identifiable: %s\n", cli_text_of(dependence, "detail"));
    print_values("direction", json_object_get(dependence, "combination"), out);
  }
  print_each("without influence", json_object_get(study, "without_influence"), out);
}

static void print_study(const json_t *report, FILE *out) {
  const json_t *study = json_object_get(report, "study");
  double seconds = cli_number_of(report, "wall_seconds"), done = cli_number_of(study, "done");
  fprintf(out, "\nStudy: %.0f of %.0f runs in %.3g s (%.4g per second), %.0f failed\n", done,
          cli_number_of(study, "runs"), seconds, done / seconds, cli_number_of(study, "failed"));
  if (json_object_get(study, "alone"))
    fprintf(out, "Runs were computed one by one, not several at a time, because of %s\n", cli_text_of(study, "alone"));
  if (json_array_size(json_object_get(study, "statistics")) > 0)
    print_statistics(json_object_get(study, "statistics"), out);
  print_best(study, out);
  size_t index;
  json_t *item;
  json_array_foreach(json_object_get(study, "failures"), index, item)
      fprintf(out, "%.0f failed, first in run %.0f: %s: %s\n", cli_number_of(item, "count"),
              cli_number_of(item, "first"), cli_text_of(item, "code"), cli_text_of(item, "detail"));
  print_notes(report, out);
}

void cli_print_report(const json_t *report, FILE *out) {
  const char *name = cli_text_of(report, "model_name");
  fprintf(out, "%s: %s, %s, %s coordinates (mbs %s)\n", *name ? name : "Model", cli_text_of(report, "analysis"),
          cli_text_of(report, "space"), cli_text_of(report, "formulation"), cli_text_of(report, "version"));
  if (json_object_get(report, "recorded"))
    cli_print_answer(report, out); /* a run's report, not one of `mbs validate` or of a study */
  print_tree(report, out);
  if (json_object_get(report, "study")) {
    print_study(report, out);
    return;
  }
  print_initial(json_object_get(report, "initial_conditions"), out);
  print_work(report, out);
  print_accuracy(json_object_get(report, "accuracy"), out);
  print_remarks(report, out);
}

void cli_print_error(const json_t *error, const cli_files *files, FILE *out) {
  const json_t *errors = json_object_get(error, "errors");
  if (json_array_size(errors) > 0) {
    cli_print_mistakes(errors, files, out);
    return;
  }
  const char *detail = cli_text_of(error, "detail"), *element = cli_text_of(error, "element");
  double t = cli_number_of(error, "t");
  /* Most messages contain the element and the time. Otherwise these follow the first clause, before the remedy. */
  const bool timed = strstr(detail, "t = ") || strstr(detail, "at the start") || strstr(detail, "starts at");
  const char *remedy = strstr(detail, "; ");
  if (!remedy) remedy = detail + strlen(detail);
  fprintf(out, "%s: %.*s", cli_text_of(error, "code"), (int)(remedy - detail), detail);
  if (*element && !strstr(detail, element)) fprintf(out, " (%s)", element);
  if (isfinite(t) && !timed) fprintf(out, " at t = %.10g", t);
  fprintf(out, "%s\n", remedy);
}

/* ---- answers of the service -------------------------------------------------------------------------------------- */

static bool is_report(const json_t *value) {
  return json_is_array(json_object_get(value, "tree")) &&
         (json_is_object(json_object_get(value, "initial_conditions")) ||
          json_is_object(json_object_get(value, "study"))) &&
         json_is_string(json_object_get(value, "analysis"));
}

static bool is_job(const json_t *value) {
  return json_is_string(json_object_get(value, "id")) && json_is_string(json_object_get(value, "status"));
}

static int print_job(const json_t *job) {
  const json_t *report = json_object_get(job, "report");
  const char *status = cli_text_of(job, "status");
  printf("Job %s: %s\n", cli_text_of(job, "id"), status);
  if (is_report(report)) cli_print_report(report, stdout);
  if (json_is_object(json_object_get(job, "error"))) cli_print_error(json_object_get(job, "error"), NULL, stdout);
  return strcmp(status, "failed") == 0 || strcmp(status, "cancelled") == 0 ? CLI_RUN_FAILED : CLI_DONE;
}

static int print_jobs(const json_t *jobs) {
  cli_columns table = {.columns = 5};
  static const char *const heads[] = {"id", "status", "created", "analysis", "model"};
  cli_columns_heads(&table, heads);
  size_t index;
  json_t *job;
  json_array_foreach(jobs, index, job) {
    cli_columns_text(&table, cli_text_of(job, "id"));
    cli_columns_text(&table, cli_text_of(job, "status"));
    cli_columns_text(&table, cli_text_of(job, "created"));
    cli_columns_text(&table, cli_text_of(json_object_get(job, "analysis"), "type"));
    cli_columns_text(&table, cli_text_of(job, "model_name"));
  }
  cli_columns_print(&table, stdout);
  return CLI_DONE;
}

static int print_problem(const json_t *problem) {
  const json_t *errors = json_object_get(problem, "errors");
  printf("%s: %s\n", cli_text_of(problem, "title"), cli_text_of(problem, "detail"));
  cli_print_mistakes(errors, NULL, stdout);
  return json_array_size(errors) > 0 ? CLI_WRONG_DOCUMENT : CLI_RUN_FAILED;
}

static int print_answer(const json_t *answer, const char *path) {
  const json_t *jobs = json_object_get(answer, "jobs");
  if (is_job(answer)) return print_job(answer);
  if (json_is_array(jobs)) return print_jobs(jobs);
  if (json_is_string(json_object_get(answer, "title")) && json_is_integer(json_object_get(answer, "status")))
    return print_problem(answer);
  if (is_report(answer)) {
    cli_print_report(answer, stdout);
    return CLI_DONE;
  }
  fprintf(stderr, "mbs: %s: expected a job, a list of jobs, a report or a problem document of the service\n", path);
  return CLI_USAGE;
}

int cli_report(int argc, char **argv) {
  if (!cli_takes(argc, argv, "FILE")) return cli_say_usage(argv[0]);
  size_t size;
  char *text = cli_read_file(argv[1], &size);
  if (!text) return CLI_USAGE;
  json_error_t place;
  json_t *answer = json_loadb(text, size, 0, &place);
  int code = CLI_WRONG_DOCUMENT;
  if (answer)
    code = print_answer(answer, argv[1]);
  else
    fprintf(stderr, "%s:%d:%d: %s\n", argv[1], place.line, place.column, place.text);
  json_decref(answer);
  free(text);
  return code;
}
