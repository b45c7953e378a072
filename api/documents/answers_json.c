/* answers_json.c - see answers_json.h. */
#include "api/documents/answers_json.h"

#include "api/base/values.h"

#include <assert.h>
#include <string.h>

api_answers_show api_answers_show_named(const char *name) {
  static const char *const names[API_ANSWERS_SHOWS] = {"all", "slip", "verdict"};
  for (int k = 0; k < API_ANSWERS_SHOWS; k++)
    if (strcmp(names[k], name) == 0) return (api_answers_show)k;
  return API_ANSWERS_SHOWS;
}

/* Returns a hint for a typical error, which does not reveal the correct equation. */
static const char *hint_of(const char *slip) {
  static const char *const hints[][2] = {
      {"sign", "check the sign and the directions of the vectors"},
      {"transposed", "check the transposes"},
      {"missing_rotation", "a ~ is missing"},
      {"extra_rotation", "there is one ~ too many"},
      {"missing_path", "this depends on a coordinate, so it is not 0"},
      {"missing_turn", "this rotates, so it is not 0"},
      {"missing_coupling", "these two are coupled"},
      {"off_path", "this does not depend on the coordinate: follow the path to the ground"},
      {"missing_factor", "a factor is missing"},
      {"factor_2", "check the factors of 2"},
      {"local_axes", "check in which axes the vectors are expressed"},
      {"wrong_point", "check the points"},
      {"wrong_pivot", "check the point at which the vector starts"},
      {"wrong_joint", "check the joint"},
      {"wrong_body", "check the body"},
      {"wrong_axis", "check the axis"},
      {"missing_term", "a product is missing"},
      {"missing_velocity_term", "a product of velocities is missing"},
      {"missing_body", "a body is missing"},
      {"missing_inertia", "a moment of inertia is missing"},
      {"missing_force", "a force or torque is missing"},
      {"not_differentiated", "check which terms must be differentiated"},
      {"relative_for_absolute_rate", "check which angular rate rotates the vector"},
      {"absolute_for_relative_rate", "check whether the rate of the joint or of the body is needed"},
      {"absolute_angle", "coordinates of joints are relative"},
      {"contact_point_held", "the point of contact moves"},
      {"missing_coriolis", "half of the Coriolis acceleration is missing"},
      {"missing_A", "check the axes of the relative angular velocity"},
      {"order", "check the order of the factors"}};
  for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
    if (strcmp(hints[k][0], slip) == 0) return hints[k][1];
  return "this is a typical error";
}

static json_t *numbers_json(const double *values, int rows, int columns) {
  json_t *array = json_array();
  for (int r = 0; r < rows; r++) json_array_append_new(array, api_json_numbers(values + r * columns, (size_t)columns));
  return array;
}

static json_t *labelled(const char *const *labels, const double *values, size_t count) {
  json_t *object = json_object();
  for (size_t k = 0; k < count; k++) json_object_set_new(object, labels[k], api_json_number(values[k]));
  return object;
}

static json_t *state_json(const mbs_check *check, const mbs_check_state *state) {
  const mbs_equations *equations = check->equations;
  return json_pack("{s:o, s:o, s:o, s:b}", "t", api_json_number(state->t), "q",
                   labelled(equations->q_labels, state->q, equations->q_count), "v",
                   labelled(equations->v_labels, state->v, equations->v_count), "assembled", state->assembled);
}

json_t *api_answers_states_json(const mbs_check *check) {
  json_t *states = json_array();
  for (size_t k = 0; k < check->state_count; k++) json_array_append_new(states, state_json(check, &check->states[k]));
  return states;
}

static json_t *slips_json(const mbs_block_verdict *result, api_answers_show show) {
  json_t *array = json_array();
  for (size_t k = 0; k < result->error_count; k++) {
    const mbs_typical_error *slip = &result->errors[k];
    const char *detail = show == API_ANSWERS_ALL ? slip->detail : hint_of(slip->name);
    json_array_append_new(array, json_pack("{s:s, s:o}", "slip", slip->name, "detail", api_json_text(detail)));
  }
  return array;
}

static void add_place(const mbs_block_verdict *result, json_t *object) {
  const mbs_equation_matrix *matrix = result->matrix;
  assert(!matrix || (result->row < matrix->row_count && result->column < matrix->column_count));
  json_t *labels = json_array();
  if (!matrix) {
    json_object_set_new(object, "matrix", json_string("mfile"));
    return;
  }
  json_object_set_new(object, "matrix", json_string(matrix->name));
  json_object_set_new(object, "row", json_integer((json_int_t)result->row));
  json_object_set_new(object, "column", json_integer((json_int_t)result->column));
  json_array_append_new(labels, api_json_text(matrix->rows[result->row].label));
  if (!matrix->vector) json_array_append_new(labels, api_json_text(matrix->columns[result->column].label));
  json_object_set_new(object, "labels", labels);
}

/* Number of answers with the whole state; the others have only its number. */
enum { AT_MAX = 100 };

static void add_numbers(const mbs_check *check, const mbs_block_verdict *result, api_answers_show show,
                        json_t *object) {
  const mbs_equation_matrix *matrix = result->matrix;
  bool known = result->claimed && matrix;
  if (known) json_object_set_new(object, "claimed", numbers_json(result->claimed, result->rows, result->columns));
  if (show == API_ANSWERS_ALL) {
    if (known)
      json_object_set_new(
          object, "value",
          numbers_json(result->value, matrix->rows[result->row].size, matrix->columns[result->column].size));
    if (result->text) json_object_set_new(object, "text", api_json_text(result->text));
  }
  if (!known || result->state >= check->state_count) return;
  json_object_set_new(object, "state", json_integer((json_int_t)result->state));
  if (result - check->results < AT_MAX)
    json_object_set_new(object, "at", state_json(check, &check->states[result->state]));
}

json_t *api_answers_verdict_json(const mbs_check *check, const mbs_block_verdict *result, api_answers_show show) {
  static const char *const verdicts[] = {"right", "wrong", "unreadable", "size"};
  json_t *object = json_object();
  add_place(result, object);
  json_object_set_new(object, "verdict", json_string(verdicts[result->verdict]));
  if (result->other_size) json_object_set_new(object, "problem", json_string("size"));
  if (result->detail) json_object_set_new(object, "detail", api_json_text(result->detail));
  if (result->place > 0)
    json_object_set_new(object, "place",
                        json_pack("{s:I, s:I}", "line", (json_int_t)result->line, "column", (json_int_t)result->place));
  if (show == API_ANSWERS_VERDICT) return object;
  if (result->accidental) json_object_set_new(object, "accidental", json_true());
  if (result->assembled_only) json_object_set_new(object, "assembled_only", json_true());
  json_object_set_new(object, "slips", slips_json(result, show));
  if (result->not_analyzed) json_object_set_new(object, "slips_sought", json_false());
  add_numbers(check, result, show, object);
  return object;
}

json_t *api_answers_size_error_json(const char *matrix, int row, const char *detail) {
  json_t *object = json_pack("{s:s}", "matrix", matrix);
  if (row >= 0) json_object_set_new(object, "row", json_integer(row));
  json_object_set_new(object, "verdict", json_string("size"));
  json_object_set_new(object, "problem", json_string("size"));
  json_object_set_new(object, "detail", api_json_text(detail));
  json_object_set_new(object, "slips", json_array());
  return object;
}
