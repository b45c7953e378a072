/* answer.c - prints the answer to an analysis, the first part of a printed report. */
#include "cli.h"

#include "report_table.h"

#include <math.h>
#include <string.h>

static const char in_results[] = "see the results";

static size_t rows_of(const json_t *report) { return (size_t)json_integer_value(json_object_get(report, "recorded")); }

/* Prints coordinates and velocities of the last row in two columns. */
static void print_state(const json_t *report, FILE *out) {
  static const char *const heads[] = {"coordinate", "value", "velocity", "value"};
  static const char *const parts[] = {"coordinates", "velocities"};
  const json_t *labels = json_object_get(json_object_get(report, "initial_conditions"), "labels");
  const json_t *state = json_object_get(report, "final_state");
  size_t count = 0;
  for (int p = 0; p < 2; p++) {
    const size_t size = json_array_size(json_object_get(state, parts[p]));
    if (size > count) count = size;
  }
  if (count == 0) return;
  cli_columns table = {.columns = 4};
  cli_columns_heads(&table, heads);
  for (size_t i = 0; i < count && i < CLI_RESULTS_MAX; i++)
    for (int p = 0; p < 2; p++) {
      const json_t *value = json_array_get(json_object_get(state, parts[p]), i);
      cli_columns_text(&table, cli_text(json_array_get(json_object_get(labels, parts[p]), i)));
      if (value)
        cli_columns_json(&table, value);
      else
        cli_columns_text(&table, "");
    }
  cli_columns_print(&table, out);
  cli_print_more(count, CLI_RESULTS_MAX, in_results, out);
}

/* Prints extremes with their times; for a single row the values. */
static void print_sensors(const json_t *report, FILE *out) {
  static const char *const heads[] = {"sensor", "unit", "min", "at t", "max", "at t"};
  static const char *const single[] = {"sensor", "unit", "value"};
  static const char *const keys[] = {"min", "min_t", "max", "max_t"};
  const json_t *sensors = json_object_get(report, "sensors");
  const size_t rows = rows_of(report);
  if (json_array_size(sensors) == 0) return;
  if (rows > 1)
    fprintf(out, "\nSensors: extremes over %zu rows\n", rows);
  else
    fputs("\nSensors\n", out);
  cli_columns table = {.columns = rows > 1 ? 6 : 3};
  cli_columns_heads(&table, rows > 1 ? heads : single);
  for (size_t i = 0; i < json_array_size(sensors) && i < CLI_RESULTS_MAX; i++) {
    const json_t *sensor = json_array_get(sensors, i);
    cli_columns_text(&table, cli_text_of(sensor, "array"));
    cli_columns_text(&table, cli_text_of(sensor, "unit"));
    for (int k = 0; k < (rows > 1 ? 4 : 1); k++) cli_columns_json(&table, json_object_get(sensor, keys[k]));
  }
  cli_columns_print(&table, out);
  cli_print_more(json_array_size(sensors), CLI_RESULTS_MAX, in_results, out);
}

/* Prints the largest effort of each driver, by absolute value. */
static void print_efforts(const json_t *report, FILE *out) {
  static const char *const heads[] = {"driver", "unit", "effort", "at t"};
  const json_t *efforts = json_object_get(report, "efforts");
  if (json_array_size(efforts) == 0) return;
  fprintf(out, "\nDrivers: largest efforts over %zu rows\n", rows_of(report));
  cli_columns table = {.columns = 4};
  cli_columns_heads(&table, heads);
  for (size_t i = 0; i < json_array_size(efforts) && i < CLI_RESULTS_MAX; i++) {
    const json_t *effort = json_array_get(efforts, i);
    const bool low = fabs(cli_number_of(effort, "min")) > fabs(cli_number_of(effort, "max"));
    cli_columns_text(&table, cli_text_of(effort, "driver"));
    cli_columns_text(&table, cli_text_of(effort, "unit"));
    cli_columns_json(&table, json_object_get(effort, low ? "min" : "max"));
    cli_columns_json(&table, json_object_get(effort, low ? "min_t" : "max_t"));
  }
  cli_columns_print(&table, out);
  cli_print_more(json_array_size(efforts), CLI_RESULTS_MAX, in_results, out);
}

/* Returns ", stable" or ", unstable"; "" if it is not known. */
static const char *stability(const json_t *report) {
  const json_t *stable = json_object_get(report, "stable");
  return !stable ? "" : json_is_true(stable) ? ", stable" : ", unstable";
}

/* Prints "Sticking: a, b"; nothing if the list is empty. */
static void print_elements(const char *what, const json_t *names, FILE *out) {
  size_t index;
  json_t *name;
  if (json_array_size(names) == 0) return;
  fprintf(out, "%s: ", what);
  json_array_foreach(names, index, name) {
    if (index == CLI_ROWS_MAX) break;
    fprintf(out, "%s%s", index ? ", " : "", json_string_value(name));
  }
  fputs(json_array_size(names) > CLI_ROWS_MAX ? ", ...\n" : "\n", out);
}

/* Prints the states of an equilibrium; nothing if there are none. */
static void print_states(const json_t *states, FILE *out) {
  static const char *const heads[] = {"state", "at equilibrium"};
  if (json_object_size(states) == 0) return;
  cli_columns table = {.columns = 2};
  size_t count = 0;
  const char *name;
  json_t *value;
  fputs("\nStates\n", out);
  cli_columns_heads(&table, heads);
  json_object_foreach((json_t *)states, name, value) {
    if (count++ == CLI_RESULTS_MAX) break;
    cli_columns_text(&table, name);
    cli_columns_json(&table, value);
  }
  cli_columns_print(&table, out);
  cli_print_more(json_object_size(states), CLI_RESULTS_MAX, in_results, out);
}

/* Prints the poses of the bodies at an equilibrium. */
static void print_poses(const json_t *poses, FILE *out) {
  static const char *const planar[] = {"body", "x", "y", "angle"}, *const spatial[] = {"body", "x",  "y",  "z",
                                                                                       "e0",   "e1", "e2", "e3"};
  const char *name;
  json_t *pose;
  size_t count = 0;
  if (json_object_size(poses) == 0) return;
  const bool planar_model = json_object_get(json_object_iter_value(json_object_iter((json_t *)poses)), "angle") != NULL;
  cli_columns table = {.columns = planar_model ? 4 : 8};
  fputs("\nPoses\n", out);
  cli_columns_heads(&table, planar_model ? planar : spatial);
  json_object_foreach((json_t *)poses, name, pose) {
    const json_t *position = json_object_get(pose, "position"),
                 *euler = json_object_get(json_object_get(pose, "orientation"), "euler_parameters");
    if (count++ == CLI_RESULTS_MAX) break;
    cli_columns_text(&table, name);
    for (size_t k = 0; k < json_array_size(position); k++) cli_columns_json(&table, json_array_get(position, k));
    if (planar_model) cli_columns_json(&table, json_object_get(pose, "angle"));
    for (size_t k = 0; k < json_array_size(euler); k++) cli_columns_json(&table, json_array_get(euler, k));
  }
  cli_columns_print(&table, out);
  cli_print_more(json_object_size(poses), CLI_RESULTS_MAX, in_results, out);
}

static void print_rest(const json_t *report, FILE *out) {
  static const char *const heads[] = {"coordinate", "at the start", "at equilibrium"};
  const json_t *initial = json_object_get(report, "initial_conditions"),
               *final = json_object_get(report, "final_state");
  const json_t *labels = json_object_get(json_object_get(initial, "labels"), "coordinates");
  const json_t *start = json_object_get(json_object_get(initial, "after"), "coordinates");
  const json_t *rest = json_object_get(final, "coordinates");
  fprintf(out, "\nEquilibrium position%s; potential energy %.10g J\n", stability(report),
          cli_number_of(final, "potential_energy"));
  print_elements("Held by the dry friction of",
                 json_object_get(json_object_get(report, "equilibrium"), "held_by_friction"), out);
  cli_columns table = {.columns = 3};
  cli_columns_heads(&table, heads);
  for (size_t i = 0; i < json_array_size(rest) && i < CLI_RESULTS_MAX; i++) {
    cli_columns_text(&table, cli_text(json_array_get(labels, i)));
    cli_columns_json(&table, json_array_get(start, i));
    cli_columns_json(&table, json_array_get(rest, i));
  }
  cli_columns_print(&table, out);
  cli_print_more(json_array_size(rest), CLI_RESULTS_MAX, in_results, out);
  print_states(json_object_get(json_object_get(report, "equilibrium"), "states"), out);
  print_poses(json_object_get(json_object_get(report, "equilibrium"), "poses"), out);
}

/* Prints the modes: one of each pair of conjugates. */
static void print_modes(const json_t *report, FILE *out) {
  static const char *const heads[] = {"frequency [Hz]", "damping ratio", "eigenvalue [1/s]"};
  const json_t *modes = json_object_get(report, "modes");
  if (!modes) {
    fputs("\nNo modes were computed\n", out);
    return;
  }
  fprintf(out, "\nModes%s\n", stability(report));
  cli_columns table = {.columns = 3};
  cli_columns_heads(&table, heads);
  for (size_t i = 0; i < json_array_size(modes) && i < CLI_RESULTS_MAX; i++) {
    const json_t *mode = json_array_get(modes, i);
    const double imaginary = cli_number_of(mode, "imaginary");
    cli_columns_json(&table, json_object_get(mode, "frequency"));
    cli_columns_json(&table, json_object_get(mode, "damping_ratio"));
    if (imaginary == 0)
      cli_columns_json(&table, json_object_get(mode, "real"));
    else
      cli_columns_add(&table, "%.10g +- %.10gi", cli_number_of(mode, "real"), fabs(imaginary));
  }
  cli_columns_print(&table, out);
  cli_print_more(json_array_size(modes), CLI_RESULTS_MAX, in_results, out);
  fputs("\nLinearization point\n", out);
  print_elements("Dry friction sticks", json_object_get(report, "sticking"), out);
  print_state(report, out);
}

static void print_assembly(const json_t *report, FILE *out) {
  const json_t *residuals = json_object_get(report, "residuals");
  fprintf(out, "\nAssembled state; residuals: position %.3g, velocity %.3g, acceleration %.3g\n",
          cli_number_of(residuals, "position"), cli_number_of(residuals, "velocity"),
          cli_number_of(residuals, "acceleration"));
  print_elements("Dry friction sticks", json_object_get(report, "sticking"), out);
  print_state(report, out);
}

static void print_motion(const json_t *report, FILE *out) {
  fprintf(out, "\nState at t = %.10g (last of %zu rows)\n", cli_number_of(json_object_get(report, "final_state"), "t"),
          rows_of(report));
  const json_t *stopped = json_object_get(report, "stopped");
  if (stopped) fprintf(out, "The run ended there by 'stop_when': %s\n", cli_text_of(stopped, "by"));
  print_state(report, out);
}

void cli_print_answer(const json_t *report, FILE *out) {
  const char *analysis = cli_text_of(report, "analysis");
  if (rows_of(report) == 0) {
    fputs("\nNo results: the run ended before the first row\n", out);
    return;
  }
  if (strcmp(analysis, "inverse-dynamics") == 0) print_efforts(report, out);
  if (strcmp(analysis, "equilibrium") == 0 || strcmp(analysis, "relative-equilibrium") == 0)
    print_rest(report, out);
  else if (strcmp(analysis, "linearization") == 0)
    print_modes(report, out);
  else if (strcmp(analysis, "assembly") == 0)
    print_assembly(report, out);
  else
    print_motion(report, out);
  print_sensors(report, out);
}
