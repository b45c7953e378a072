/* report_json.c - see report_json.h. */
#include "api/documents/report_json.h"

#include "api/base/values.h"

#include <assert.h>
#include <math.h>

static json_t *tree_json(const mbs_report *report) {
  json_t *tree = json_array();
  for (size_t i = 0; i < report->bodies; i++) {
    const mbs_tree_entry *entry = &report->tree[i];
    json_t *object = json_object();
    json_object_set_new(object, "body", api_json_text(entry->body));
    json_object_set_new(object, "parent", api_json_text(entry->parent));
    json_object_set_new(object, "joint", api_json_text(entry->joint));
    json_object_set_new(object, "type", api_json_text(entry->type));
    json_object_set_new(object, "freedoms", json_integer(entry->freedoms));
    json_array_append_new(tree, object);
  }
  return tree;
}

/* Adds all constraint rows in their order, and separately the redundant ones. A run that found no start does not know
 * which are redundant. */
static void add_rows(json_t *object, const mbs_report *report) {
  json_t *rows = json_array(), *redundant = json_array();
  for (size_t i = 0; i < report->rows; i++) {
    const mbs_row_entry *entry = &report->constraints[i];
    json_t *row = json_object();
    json_object_set_new(row, "label", api_json_text(entry->label));
    json_object_set_new(row, "element", api_json_text(entry->element));
    json_object_set_new(row, "driver", json_boolean(entry->driver));
    json_object_set_new(row, "redundant", report->ranked ? json_boolean(entry->redundant) : json_null());
    json_array_append_new(rows, row);
    if (!entry->redundant) continue;
    json_t *named = json_object();
    json_object_set_new(named, "joint", api_json_text(entry->element));
    json_object_set_new(named, "row", api_json_text(entry->label));
    json_array_append_new(redundant, named);
  }
  json_object_set_new(object, "rows", rows);
  if (!report->ranked) {
    json_decref(redundant);
    redundant = json_null();
  }
  json_object_set_new(object, "redundant", redundant);
  json_object_set_new(object, "not_unique", api_json_texts(report->not_unique, report->not_unique_count));
}

static json_t *state_json(json_t *coordinates, json_t *velocities) {
  json_t *state = json_object();
  json_object_set_new(state, "coordinates", coordinates);
  json_object_set_new(state, "velocities", velocities);
  return state;
}

static void set_number(json_t *object, const char *key, double value) {
  if (!isnan(value)) json_object_set_new(object, key, api_json_number(value));
}

static json_t *row_json(const mbs_report *report, int row) {
  assert(row < 0 || (size_t)row < report->rows);
  return row < 0 ? json_null() : api_json_text(report->constraints[row].label);
}

static json_t *initial_json(const mbs_report *report) {
  size_t nq = report->coordinates, nv = report->velocities;
  json_t *object = json_object();
  json_object_set_new(
      object, "labels",
      state_json(api_json_texts(report->coordinate_labels, nq), api_json_texts(report->velocity_labels, nv)));
  json_object_set_new(object, "before",
                      state_json(api_json_numbers(report->q_before, nq), api_json_numbers(report->v_before, nv)));
  json_object_set_new(object, "after",
                      state_json(api_json_numbers(report->q_after, nq), api_json_numbers(report->v_after, nv)));
  json_object_set_new(object, "corrected", json_boolean(report->corrected));
  if (report->from_equilibrium) json_object_set_new(object, "start", json_string("equilibrium"));
  json_object_set_new(object, "iterations", json_integer(report->correction_iterations));
  json_object_set_new(object, "position_residual", api_json_number(report->position_residual));
  json_object_set_new(object, "velocity_residual", api_json_number(report->velocity_residual));
  if (report->failed_element) {
    json_t *failed = json_object();
    json_object_set_new(failed, "element",
                        *report->failed_element ? api_json_text(report->failed_element) : json_null());
    json_object_set_new(failed, "row", row_json(report, report->failed_row));
    json_object_set_new(object, "failed", failed);
  }
  return object;
}

/* Returns named numbers as an object. */
static json_t *named_json(const char *const *names, const double *values, size_t count) {
  json_t *object = json_object();
  for (size_t i = 0; i < count; i++) json_object_set_new(object, names[i], api_json_number(values[i]));
  return object;
}

/* Returns the pose of a body in the form of its `initial` in a document. */
static json_t *pose_json(const mbs_report *report, const struct mbs_found_pose *pose) {
  const bool spatial = strcmp(report->space, "spatial") == 0;
  json_t *object = json_object();
  json_object_set_new(object, "position", api_json_numbers(pose->position, spatial ? 3 : 2));
  if (spatial)
    json_object_set_new(object, "orientation", json_pack("{s:o}", "euler_parameters", api_json_numbers(pose->p, 4)));
  else
    json_object_set_new(object, "angle", api_json_number(pose->angle));
  return object;
}

static json_t *equilibrium_json(const mbs_report *report) {
  const mbs_found_equilibrium *found = report->equilibrium;
  json_t *object = json_object(), *poses = json_object();
  for (size_t b = 0; b < report->bodies; b++)
    json_object_set_new(poses, found->poses[b].body, pose_json(report, &found->poses[b]));
  json_object_set_new(object, "coordinates", named_json(report->coordinate_labels, found->q, report->coordinates));
  json_object_set_new(object, "poses", poses);
  json_object_set_new(object, "states", named_json(found->state_labels, found->x, found->states));
  if (report->stable >= 0) json_object_set_new(object, "stable", json_boolean(report->stable));
  if (report->held_count)
    json_object_set_new(object, "held_by_friction", api_json_texts(report->held_by_friction, report->held_count));
  return object;
}

/* Returns the state of the last row of results. */
static json_t *final_json(const mbs_report *report) {
  json_t *object = json_object();
  json_object_set_new(object, "t", api_json_number(report->final_time));
  if (report->q_final) {
    json_object_set_new(object, "coordinates", api_json_numbers(report->q_final, report->coordinates));
    json_object_set_new(object, "velocities", api_json_numbers(report->v_final, report->velocities));
  }
  set_number(object, "kinetic_energy", report->kinetic_final);
  set_number(object, "potential_energy", report->potential_final);
  return object;
}

static json_t *extremes_json(const char *what, const mbs_extremes *extremes, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *entry = json_object();
    json_object_set_new(entry, what, api_json_text(extremes[i].name));
    json_object_set_new(entry, "unit", api_json_text(extremes[i].unit));
    json_object_set_new(entry, "min", api_json_number(extremes[i].min));
    json_object_set_new(entry, "min_t", api_json_number(extremes[i].min_time));
    json_object_set_new(entry, "max", api_json_number(extremes[i].max));
    json_object_set_new(entry, "max_t", api_json_number(extremes[i].max_time));
    json_array_append_new(list, entry);
  }
  return list;
}

static json_t *modes_json(const mbs_report *report) {
  json_t *list = json_array();
  for (size_t k = 0; k < report->mode_count; k++) {
    const mbs_mode *mode = &report->modes[k];
    json_t *entry = json_object();
    json_object_set_new(entry, "frequency", api_json_number(mode->frequency));
    json_object_set_new(entry, "damping_ratio", api_json_number(mode->damping_ratio));
    json_object_set_new(entry, "real", api_json_number(mode->eigenvalue[0]));
    json_object_set_new(entry, "imaginary", api_json_number(mode->eigenvalue[1]));
    json_array_append_new(list, entry);
  }
  return list;
}

/* Adds the summary of the rows of results. */
static void add_answer(json_t *object, const mbs_report *report) {
  json_object_set_new(object, "recorded", json_integer((json_int_t)report->recorded));
  if (report->recorded == 0) return;
  if (report->stopped_by)
    json_object_set_new(
        object, "stopped",
        json_pack("{s:o, s:o}", "t", api_json_number(report->stopped_at), "by", api_json_text(report->stopped_by)));
  json_object_set_new(object, "final_state", final_json(report));
  json_object_set_new(object, "sensors", extremes_json("array", report->sensors, report->sensor_count));
  json_object_set_new(object, "efforts", extremes_json("driver", report->efforts, report->effort_count));
  if (report->modes) json_object_set_new(object, "modes", modes_json(report));
}

static json_t *events_json(const mbs_report *report) {
  json_t *events = json_array();
  for (size_t i = 0; i < report->event_count; i++) {
    json_t *event = json_object();
    json_object_set_new(event, "t", api_json_number(report->events[i].t));
    json_object_set_new(event, "element", api_json_text(report->events[i].element));
    json_object_set_new(event, "kind", api_json_text(report->events[i].kind));
    json_array_append_new(events, event);
  }
  return events;
}

/* Returns where results are not finite: sensors, each an array of its own. */
static json_t *non_finite_json(const mbs_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; i < report->non_finite_count; i++) {
    const mbs_non_finite *found = &report->non_finite[i];
    json_t *entry = json_object();
    json_object_set_new(entry, "array", api_json_text(found->sensor));
    json_object_set_new(entry, "count", json_integer((json_int_t)found->count));
    json_object_set_new(entry, "first_t", api_json_number(found->first_time));
    json_array_append_new(list, entry);
  }
  return list;
}

/* Returns the errors of `count` states, from number `first` on. */
static json_t *errors_json(const mbs_accuracy *accuracy, const char *const *labels, size_t first, size_t count) {
  json_t *errors = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *entry = json_object();
    json_object_set_new(entry, "label", api_json_text(labels[i]));
    set_number(entry, "local_error", accuracy->local_error[first + i]);
    set_number(entry, "local_error_t", accuracy->local_error_time[first + i]);
    if (accuracy->global_error) {
      set_number(entry, "error_estimate", accuracy->global_error[first + i]);
      set_number(entry, "error_estimate_t", accuracy->global_error_time[first + i]);
    }
    json_array_append_new(errors, entry);
  }
  return errors;
}

static json_t *second_run_json(const mbs_second_run *second) {
  json_t *object = json_object();
  set_number(object, "rtol", second->rtol);
  set_number(object, "atol", second->atol);
  set_number(object, "fixed_step", second->fixed_step);
  json_object_set_new(object, "evaluations", json_integer((json_int_t)second->evaluations));
  json_object_set_new(object, "steps", json_integer((json_int_t)second->steps));
  return object;
}

static json_t *accuracy_json(const mbs_report *report) {
  const mbs_accuracy *accuracy = report->accuracy;
  json_t *object = json_object();
  set_number(object, "rtol", accuracy->rtol);
  set_number(object, "atol", accuracy->atol);
  set_number(object, "fixed_step", accuracy->fixed_step);
  json_object_set_new(object, "row_steps", json_integer((json_int_t)accuracy->row_steps));
  json_object_set_new(object, "coordinates", errors_json(accuracy, report->coordinate_labels, 0, report->coordinates));
  json_object_set_new(object, "velocities",
                      errors_json(accuracy, report->velocity_labels, report->coordinates, report->velocities));
  if (accuracy->global_error) json_object_set_new(object, "second_run", second_run_json(&accuracy->second));
  return object;
}

/* ---- the examination ------------------------------------------------------------------------------------------- */

static json_t *difference_json(const mbs_difference *item) {
  json_t *object = json_object();
  json_object_set_new(object, "quantity", json_string(item->quantity));
  json_object_set_new(object, "unit", json_string(item->unit));
  json_object_set_new(object, "largest", api_json_number(item->largest));
  json_object_set_new(object, "scale", api_json_number(item->scale));
  json_object_set_new(object, "t", api_json_number(item->t));
  json_object_set_new(object, "column", api_json_text(item->column));
  return object;
}

/* Returns a comparison, without quantities for which there is nothing to compare. */
static json_t *comparison_json(const mbs_comparison *comparison) {
  json_t *object = json_object(), *items = json_array(), *motion = json_array();
  for (size_t q = 0; q < MBS_QUANTITIES && !comparison->why_not; q++)
    if (comparison->items[q].scale > 0)
      json_array_append_new(q < MBS_MOTION_QUANTITIES ? motion : items, difference_json(&comparison->items[q]));
  json_object_set_new(object, "why_not", api_json_text(comparison->why_not));
  json_object_set_new(object, "pointless", json_boolean(comparison->pointless));
  if (!comparison->why_not) {
    set_number(object, "rtol", comparison->rtol);
    set_number(object, "atol", comparison->atol);
    set_number(object, "fixed_step", comparison->fixed_step);
    set_number(object, "max_step", comparison->max_step);
    set_number(object, "longest_step", comparison->longest_step);
    json_object_set_new(object, "rows", json_integer((json_int_t)comparison->rows));
  }
  json_object_set_new(object, "evaluations", json_integer((json_int_t)comparison->evaluations));
  json_object_set_new(object, "motion", motion);
  json_object_set_new(object, "reactions", items);
  return object;
}

static json_t *jacobian_json(const mbs_report *report) {
  const mbs_jacobian_samples *jacobian = &report->examination->jacobian;
  json_t *object = json_object();
  json_object_set_new(object, "why_not", api_json_text(jacobian->why_not));
  json_object_set_new(object, "instants", json_integer((json_int_t)jacobian->looked_at));
  if (jacobian->looked_at == 0) return object;
  json_object_set_new(object, "jacobian_error", api_json_number(jacobian->jacobian_error));
  json_object_set_new(object, "jacobian_t", api_json_number(jacobian->jacobian_time));
  json_object_set_new(object, "jacobian_row", row_json(report, jacobian->jacobian_row));
  json_object_set_new(object, "condition", api_json_number(jacobian->condition));
  json_object_set_new(object, "condition_t", api_json_number(jacobian->condition_time));
  json_object_set_new(object, "least_condition", api_json_number(jacobian->least_condition));
  return object;
}

static json_t *examination_json(const mbs_report *report) {
  json_t *object = json_object();
  json_object_set_new(object, "finer", comparison_json(&report->examination->finer));
  json_object_set_new(object, "formulations", comparison_json(&report->examination->other));
  json_object_set_new(object, "jacobian", jacobian_json(report));
  return object;
}

static json_t *residuals_json(const mbs_report *report) {
  static const char *const levels[] = {"position", "velocity", "acceleration"};
  json_t *residuals = json_object(), *where = json_object();
  const bool known = report->recorded > 0;
  for (int k = 0; k < 3; k++) {
    json_object_set_new(residuals, levels[k], api_json_number(known ? report->residual_max[k] : NAN));
    json_t *place = json_object();
    json_object_set_new(place, "t", api_json_number(known ? report->residual_time[k] : NAN));
    json_object_set_new(place, "row", row_json(report, report->residual_row[k]));
    json_object_set_new(where, levels[k], place);
  }
  json_object_set_new(residuals, "share", api_json_number(known ? report->residual_share : NAN));
  json_object_set_new(residuals, "where", where);
  return residuals;
}

/* Returns the balance of energy; its numbers are null if the run computed no forces or recorded no row. */
static json_t *energy_json(const mbs_report *report) {
  const bool known = report->recorded > 0 && !isnan(report->energy_start);
  json_t *energy = json_object();
  json_object_set_new(energy, "initial", api_json_number(report->energy_start));
  json_object_set_new(energy, "largest_change", api_json_number(known ? report->energy_change_max : NAN));
  json_object_set_new(energy, "t", api_json_number(known ? report->energy_time : NAN));
  json_object_set_new(energy, "scale", api_json_number(known ? report->energy_scale : NAN));
  return energy;
}

/* Adds the structure of the model, as it was understood. */
static void add_structure(json_t *object, const mbs_report *report) {
  json_t *bodies = json_array();
  for (size_t i = 0; i < report->bodies; i++) json_array_append_new(bodies, api_json_text(report->tree[i].body));
  json_object_set_new(object, "model_name", *report->model_name ? api_json_text(report->model_name) : json_null());
  json_object_set_new(object, "space", api_json_text(report->space));
  json_object_set_new(object, "analysis", api_json_text(report->analysis));
  json_object_set_new(object, "formulation", api_json_text(report->formulation));
  json_object_set_new(object, "bodies", bodies);
  json_object_set_new(object, "tree", tree_json(report));
  json_object_set_new(object, "cut", api_json_texts(report->cut, report->cut_count));
  add_rows(object, report);
}

json_t *api_study_report_json(const mbs_report *model) {
  json_t *object = json_object();
  json_object_set_new(object, "version", json_string(MBS_VERSION));
  add_structure(object, model);
  json_object_set_new(object, "method", api_json_text(model->method));
  return object;
}

static json_t *report_json(const mbs_report *report, bool all_errors) {
  json_t *object = json_object();
  json_object_set_new(object, "version", json_string(MBS_VERSION));
  add_structure(object, report);
  const bool ranked = report->ranked;
  json_object_set_new(object, "degrees_of_freedom", ranked ? json_integer(report->degrees_of_freedom) : json_null());
  json_object_set_new(object, "velocity_freedoms", ranked ? json_integer(report->velocity_freedoms) : json_null());
  json_object_set_new(object, "mobility", ranked ? json_integer(report->mobility) : json_null());
  add_answer(object, report);
  json_object_set_new(object, "initial_conditions", initial_json(report));
  json_object_set_new(object, "method", api_json_text(report->method));
  json_object_set_new(object, "evaluations", json_integer((json_int_t)report->evaluations));
  json_object_set_new(object, "steps", json_integer((json_int_t)report->steps));
  json_object_set_new(object, "rejected", json_integer((json_int_t)report->rejected));
  json_object_set_new(object, "longest_step", api_json_number(report->longest_step));

  json_object_set_new(object, "residuals", residuals_json(report));
  if (!isnan(report->jacobian_error))
    json_object_set_new(object, "jacobian_error", api_json_number(report->jacobian_error));

  if (report->accuracy && (all_errors || report->accuracy->global_error))
    json_object_set_new(object, "accuracy", accuracy_json(report));

  json_object_set_new(object, "energy", energy_json(report));
  if (report->examination) json_object_set_new(object, "examination", examination_json(report));

  json_object_set_new(object, "events", events_json(report));
  if (report->sticking_count)
    json_object_set_new(object, "sticking", api_json_texts(report->sticking, report->sticking_count));
  if (report->equilibrium) json_object_set_new(object, "equilibrium", equilibrium_json(report));
  if (report->stable >= 0) json_object_set_new(object, "stable", json_boolean(report->stable));
  json_object_set_new(object, "non_finite", non_finite_json(report));
  json_object_set_new(object, "notes", api_json_texts(report->notes, report->note_count));
  json_object_set_new(object, "wall_seconds", api_json_number(report->wall_seconds));
  return object;
}

json_t *api_report_json(const mbs_report *report) { return report_json(report, true); }

json_t *api_report_short_json(const mbs_report *report) { return report_json(report, false); }

json_t *api_error_json(const mbs_error *error) {
  assert(error->status != MBS_OK && error->status < MBS_STATUS_COUNT);
  json_t *object = json_object();
  json_object_set_new(object, "code", json_string(mbs_status_code(error->status)));
  json_object_set_new(object, "detail", api_json_text(error->message));
  json_object_set_new(object, "t", api_json_number(error->time));
  json_object_set_new(object, "element", error->element[0] ? api_json_text(error->element) : json_null());
  json_object_set_new(object, "pointer", error->pointer[0] ? api_json_text(error->pointer) : json_null());
  return object;
}

json_t *api_plain_error_json(const char *code, const char *detail) {
  assert(code && detail);
  json_t *error = json_object();
  json_object_set_new(error, "code", json_string(code));
  json_object_set_new(error, "detail", api_json_text(detail));
  json_object_set_new(error, "t", json_null());
  json_object_set_new(error, "element", json_null());
  json_object_set_new(error, "pointer", json_null());
  return error;
}

json_t *api_errors_json(const mbs_diagnostics *list) {
  json_t *errors = json_array();
  for (size_t i = 0; i < list->count; i++) {
    json_t *error = json_object();
    json_object_set_new(error, "pointer", api_json_text(list->items[i].pointer));
    json_object_set_new(error, "detail", api_json_text(list->items[i].message));
    json_object_set_new(error, "code", json_string(mbs_status_code(list->items[i].status)));
    json_array_append_new(errors, error);
  }
  return errors;
}
