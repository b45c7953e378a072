/* answers.c - see answers.h. Expressions of the document's language become sensors of the model, so that they have
 * their usual meaning. An invalid expression makes only its own entry unreadable. */
#include "api/documents/answers.h"

#include "api/base/name_list.h"
#include "api/base/values.h"
#include "api/documents/answers_json.h"
#include "api/documents/equations.h"
#include "api/documents/equations_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATRICES API_EQUATIONS_MATRICES "|gamma|r"
#define VECTORS "Bdot_thetad|rhsV|rhsA|h|gamma|r"

enum { EXPRESSIONS_MAX = 2000 };

/* An expression in an answer of numbers. */
typedef struct expression {
  const json_t *text;
  const char *unread; /* the error in it; NULL: none */
  int sensor;
} expression;

typedef struct claims_request {
  const api_document *document;
  json_t *claim; /* borrowed: an object */
  const json_t *at;
  const char *formulation;
  double tolerance;
  api_answers_show show;
  expression *expressions;
  size_t expression_count;
  mbs_arena *arena;
} claims_request;

static bool is_in(const char *list, const char *name) {
  api_name_list names;
  api_name_list_split(&names, list);
  return api_name_list_has(&names, name);
}

/* ---- the request --------------------------------------------------------------------------------------------- */

static void read_claim(const json_t *claim, mbs_diagnostics *list) {
  api_name_list known;
  const char *key;
  json_t *value;
  if (!json_is_object(claim)) {
    mbs_diagnose(list, claim ? MBS_WRONG_TYPE : MBS_MISSING, "/claim",
                 "\"claim\" must be an object of matrices, for example {\"B\": [[\"u_1\", 0], ...]}");
    return;
  }
  api_name_list_split(&known, MATRICES "|mfile");
  json_object_foreach((json_t *)claim, key, value) {
    char hint[256], pointer[256];
    snprintf(pointer, sizeof pointer, "/claim/%.200s", key);
    if (!api_name_list_has(&known, key))
      mbs_diagnose(list, MBS_UNKNOWN_NAME, pointer, "unknown matrix '%.60s'; %s", key,
                   api_name_list_hint(&known, key, hint, sizeof hint));
    else if (!json_is_string(value) && (strcmp(key, "mfile") == 0 || !json_is_array(value)))
      mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "%s",
                   strcmp(key, "mfile") == 0
                       ? "\"mfile\" must be a string with the statements of an M-file"
                       : "a matrix must be an array of blocks, or a string with M-file statements");
  }
}

static bool read_request(const api_document *document, claims_request *request, mbs_diagnostics *list) {
  size_t before = list->count;
  const json_t *root = document->root, *tolerance = json_object_get(root, "tolerance");
  const json_t *show = json_object_get(root, "show"), *formulation = json_object_get(root, "formulation");
  *request = (claims_request){.document = document, .claim = json_object_get(root, "claim")};
  request->at = json_object_get(root, "at");
  request->formulation = json_string_value(formulation);
  request->tolerance = json_number_value(tolerance);
  request->show = show ? API_ANSWERS_SHOWS : API_ANSWERS_ALL;
  if (json_is_string(show)) request->show = api_answers_show_named(json_string_value(show));
  if (!document->wrapped) mbs_diagnose(list, MBS_MISSING, "/model", "missing field 'model' beside \"claim\"");
  read_claim(request->claim, list);
  bool joint = request->formulation && strcmp(request->formulation, "joint") == 0;
  if (formulation && !joint && (!request->formulation || strcmp(request->formulation, "body") != 0))
    mbs_diagnose(list, MBS_INVALID, "/formulation", "\"formulation\" must be \"joint\" or \"body\"");
  if (request->at && !json_is_object(request->at))
    mbs_diagnose(list, MBS_WRONG_TYPE, "/at", "\"at\" must be an object with the fields \"t\", \"q\" and \"v\"");
  if (tolerance && !(json_is_number(tolerance) && request->tolerance > 0 && request->tolerance < 1))
    mbs_diagnose(list, MBS_INVALID, "/tolerance", "\"tolerance\" must be a number between 0 and 1");
  if (request->show == API_ANSWERS_SHOWS)
    mbs_diagnose(list, MBS_INVALID, "/show", "\"show\" must be \"all\", \"slip\" or \"verdict\"");
  return list->count == before;
}

/* ---- expressions --------------------------------------------------------------------------------------------- */

static void collect(claims_request *request, const json_t *value) {
  size_t k;
  json_t *item;
  if (json_is_string(value) && request->expression_count < EXPRESSIONS_MAX)
    request->expressions[request->expression_count++] = (expression){.text = value, .sensor = -1};
  json_array_foreach(value, k, item) collect(request, item);
}

/* Collects the texts within blocks that are given as rows of numbers. */
static void collect_all(claims_request *request) {
  const char *key;
  json_t *matrix, *row, *entry;
  size_t r, c;
  json_object_foreach(request->claim, key, matrix) {
    bool vector = is_in(VECTORS, key);
    json_array_foreach(matrix, r, row) {
      if (vector && json_is_array(row)) collect(request, row);
      if (vector) continue;
      json_array_foreach(row, c, entry) if (json_is_array(entry)) collect(request, entry);
    }
  }
}

static const expression *find_expression(const claims_request *request, const json_t *text) {
  for (size_t k = 0; k < request->expression_count; k++)
    if (request->expressions[k].text == text) return &request->expressions[k];
  return NULL;
}

/* Adds the readable expressions to the model's sensors, after its own. Returns the number of its own. */
static size_t add_sensors(claims_request *request, api_document *document) {
  const json_t *own = json_object_get(document->model, "sensors");
  json_t *sensors = json_is_array(own) ? json_copy((json_t *)own) : json_array();
  size_t count = json_array_size(sensors);
  for (size_t k = 0; k < request->expression_count; k++) {
    expression *one = &request->expressions[k];
    if (one->unread) continue;
    one->sensor = (int)json_array_size(sensors);
    json_array_append_new(
        sensors, json_pack("{s:o, s:O}", "name", json_sprintf("claimed expression %zu", k + 1), "value", one->text));
  }
  json_t *model = json_copy(document->model);
  json_object_set_new(model, "sensors", sensors);
  json_object_set_new(document->root, "model", model);
  document->model = model;
  return count;
}

/* Removes errors of these expressions from the list, and marks the expressions. Returns true if there were any. */
static bool take_mistakes(claims_request *request, size_t own, mbs_diagnostics *list) {
  static const char path[] = "/model/sensors/";
  size_t kept = 0;
  bool any = false;
  for (size_t i = 0; i < list->count; i++) {
    const mbs_error *error = &list->items[i];
    bool sensor = strncmp(error->pointer, path, sizeof path - 1) == 0;
    int number = sensor ? (int)strtol(error->pointer + sizeof path - 1, NULL, 10) : -1;
    expression *one = NULL;
    for (size_t k = 0; k < request->expression_count && number >= (int)own; k++)
      if (!request->expressions[k].unread && request->expressions[k].sensor == number) one = &request->expressions[k];
    if (one && !one->unread) one->unread = mbs_arena_text(request->arena, error->message);
    any = any || one;
    if (!one) list->items[kept++] = *error;
  }
  list->count = kept;
  return any;
}

/* Builds the model with the expressions among its sensors; marks invalid expressions. */
static mbs_model *build(claims_request *request, api_document *plain, const mbs_limits *limits, mbs_diagnostics *list) {
  for (int attempt = 0; attempt < 3; attempt++) {
    api_equations_document(request->document, API_ANSWERS_MEMBERS, request->formulation, plain);
    size_t own = json_is_object(plain->model) && request->expression_count ? add_sensors(request, plain) : 0;
    mbs_model *model = api_document_build(plain, limits, list);
    if (model || !take_mistakes(request, own, list) || list->count > 0) return model;
    api_document_free(plain);
    *plain = (api_document){0};
  }
  mbs_diagnose(list, MBS_INVALID, "/claim", "the expressions in \"claim\" cannot be read");
  return NULL;
}

/* ---- blocks -------------------------------------------------------------------------------------------------- */

typedef struct claimant {
  const claims_request *request;
  mbs_check *check;
  json_t *misfits;
  bool failed; /* memory ran out */
} claimant;

/* Adds an answer that cannot be read. */
static void add_unread(claimant *c, mbs_answer claim, const char *why) {
  claim.unread = why;
  c->failed = c->failed || !mbs_check_add_answer(c->check, &claim);
}

static bool read_cell(const claimant *c, const json_t *value, mbs_answer_cell *cell, const char **why) {
  const expression *said = json_is_string(value) ? find_expression(c->request, value) : NULL;
  *cell = (mbs_answer_cell){.number = json_number_value(value), .sensor = said ? said->sensor : -1};
  if (json_is_number(value) || (said && !said->unread)) return true;
  *why = said && said->unread ? said->unread : "a row may contain only numbers and expressions";
  return false;
}

/* Adds rows of numbers and expressions. A single list is a column, or a row if the block is a row. */
static void add_rows(claimant *c, const json_t *value, const mbs_equation_matrix *matrix, mbs_answer claim) {
  size_t outer = json_array_size(value);
  bool nested = outer > 0 && json_is_array(json_array_get(value, 0));
  bool across = !nested && matrix->rows[claim.row].size == 1 && matrix->columns[claim.column].size > 1;
  claim.rows = across ? 1 : outer;
  claim.columns = nested ? json_array_size(json_array_get(value, 0)) : across ? outer : 1;
  mbs_answer_cell *cells = mbs_arena_alloc(c->request->arena, claim.rows * claim.columns + 1, sizeof *cells);
  const char *why = "the rows of the block differ in length";
  if (!cells) {
    c->failed = true;
    return;
  }
  claim.cells = cells;
  bool read = claim.rows * claim.columns > 0;
  for (size_t k = 0; k < claim.rows * claim.columns && read; k++) {
    const json_t *row = nested ? json_array_get(value, k / claim.columns) : value;
    read = json_array_size(row) == (nested ? claim.columns : outer) &&
           read_cell(c, json_array_get(row, k % (nested ? claim.columns : outer)), &cells[k], &why);
  }
  if (read)
    c->failed = c->failed || !mbs_check_add_answer(c->check, &claim);
  else
    add_unread(c, claim, why);
}

static void add_block(claimant *c, const json_t *value, const mbs_equation_matrix *matrix, mbs_answer claim) {
  if (!value || json_is_null(value)) return; /* not answered */
  mbs_answer_cell cell = {.number = json_number_value(value), .sensor = -1}, *kept;
  if (json_is_array(value)) {
    add_rows(c, value, matrix, claim);
  } else if (json_is_string(value)) {
    claim.text = json_string_value(value);
    c->failed = c->failed || !mbs_check_add_answer(c->check, &claim);
  } else if (json_is_number(value) && (kept = mbs_arena_alloc(c->request->arena, 1, sizeof *kept))) {
    *kept = cell;
    claim.cells = kept;
    claim.rows = claim.columns = 1;
    c->failed = c->failed || !mbs_check_add_answer(c->check, &claim);
  } else {
    add_unread(c, claim, "a block must be a string, a number, or rows of numbers and expressions");
  }
}

static void add_misfit(claimant *c, const char *matrix, int row, const char *what, size_t right, size_t given) {
  char detail[200];
  snprintf(detail, sizeof detail, "%s has %zu %s, not %zu", row < 0 ? matrix : "this row", right, what, given);
  json_array_append_new(c->misfits, api_answers_size_error_json(matrix, row, detail));
}

/* ---- matrices ------------------------------------------------------------------------------------------------ */

static size_t length_of(const mbs_equation_axis *axes, size_t count) {
  size_t length = 0;
  for (size_t k = 0; k < count; k++) length += (size_t)axes[k].size;
  return length;
}

/* Returns number (r, c) of a dense matrix; NULL if it is not a number. A row of a vector may be a plain number. */
static const json_t *dense_number(const json_t *value, size_t r, size_t c) {
  const json_t *row = json_array_get(value, r), *number = json_is_array(row) ? json_array_get(row, c) : row;
  return json_is_number(number) && (json_is_array(row) || c == 0) ? number : NULL;
}

/* Returns true for rows of numbers that form the whole matrix. */
static bool is_dense(const json_t *value, const mbs_equation_matrix *matrix) {
  size_t rows = length_of(matrix->rows, matrix->row_count), columns = length_of(matrix->columns, matrix->column_count);
  if (json_array_size(value) != rows) return false;
  for (size_t r = 0; r < rows; r++) {
    const json_t *row = json_array_get(value, r);
    if (json_is_array(row) ? json_array_size(row) != columns : !matrix->vector) return false;
    for (size_t c = 0; c < columns; c++)
      if (!dense_number(value, r, c)) return false;
  }
  return true;
}

static void add_dense(claimant *c, const char *name, const json_t *value, const mbs_equation_matrix *matrix) {
  size_t row0 = 0;
  for (size_t r = 0; r < matrix->row_count; row0 += (size_t)matrix->rows[r++].size) {
    size_t column0 = 0;
    for (size_t k = 0; k < matrix->column_count; column0 += (size_t)matrix->columns[k++].size) {
      size_t rows = (size_t)matrix->rows[r].size, columns = (size_t)matrix->columns[k].size;
      mbs_answer_cell *cells = mbs_arena_alloc(c->request->arena, rows * columns, sizeof *cells);
      if (!cells) {
        c->failed = true;
        return;
      }
      for (size_t i = 0; i < rows * columns; i++)
        cells[i] =
            (mbs_answer_cell){json_number_value(dense_number(value, row0 + i / columns, column0 + i % columns)), -1};
      const mbs_answer claim = {
          .matrix = name, .row = r, .column = k, .rows = rows, .columns = columns, .cells = cells, .given_only = true};
      c->failed = c->failed || !mbs_check_add_answer(c->check, &claim);
    }
  }
}

/* Returns true if a value has only numbers: it then refers to the given state. */
static bool only_numbers(const json_t *value) {
  size_t k;
  json_t *item;
  if (json_is_number(value) || json_is_null(value)) return true;
  if (!json_is_array(value)) return false;
  json_array_foreach(value, k, item) if (!only_numbers(item)) return false;
  return true;
}

static void add_vector(claimant *c, const char *name, const json_t *value, const mbs_equation_matrix *matrix) {
  bool given_only = c->request->at && only_numbers(value);
  if (json_array_size(value) != matrix->row_count) {
    add_misfit(c, name, -1, "blocks", matrix->row_count, json_array_size(value));
    return;
  }
  for (size_t r = 0; r < matrix->row_count; r++)
    add_block(c, json_array_get(value, r), matrix,
              (mbs_answer){.matrix = matrix->name, .row = r, .given_only = given_only});
}

static void add_blocks(claimant *c, const char *name, const json_t *value, const mbs_equation_matrix *matrix) {
  bool given_only = c->request->at && only_numbers(value);
  if (json_array_size(value) != matrix->row_count) {
    add_misfit(c, name, -1, "rows of blocks", matrix->row_count, json_array_size(value));
    return;
  }
  for (size_t r = 0; r < matrix->row_count; r++) {
    const json_t *row = json_array_get(value, r);
    if (json_is_null(row)) continue;
    if (json_array_size(row) != matrix->column_count) {
      add_misfit(c, name, (int)r, "blocks", matrix->column_count, json_array_size(row));
      continue;
    }
    for (size_t k = 0; k < matrix->column_count; k++)
      add_block(c, json_array_get(row, k), matrix,
                (mbs_answer){.matrix = matrix->name, .row = r, .column = k, .given_only = given_only});
  }
}

static void add_matrix(claimant *c, const char *name, const json_t *value) {
  const mbs_equation_matrix *matrix = mbs_check_matrix(c->check, name);
  if (json_is_string(value)) {
    bool all = strcmp(name, "mfile") == 0;
    c->failed = c->failed || !mbs_check_add_mfile(c->check, json_string_value(value), all ? NULL : name);
  } else if (!matrix) {
    char detail[200];
    snprintf(detail, sizeof detail, "the model has no constraints, so it has no %s", name);
    json_array_append_new(c->misfits, api_answers_size_error_json(name, -1, detail));
  } else if (c->request->at && is_dense(value, matrix)) {
    add_dense(c, name, value, matrix);
  } else if (is_dense(value, matrix) && json_array_size(value) != matrix->row_count) {
    json_array_append_new(c->misfits, api_answers_size_error_json(
                                          name, -1, "a matrix of numbers needs the state that it is for: give \"at\""));
  } else if (matrix->vector) {
    add_vector(c, name, value, matrix);
  } else {
    add_blocks(c, name, value, matrix);
  }
}

/* ---- the answer ---------------------------------------------------------------------------------------------- */

/* Number of blocks with a complete report; the others have only a verdict. */
enum { TOLD_MAX = 2000 };

static json_t *answer_of(const claimant *c) {
  const mbs_check *check = c->check;
  const api_answers_show show = c->request->show;
  json_t *entries = json_incref(c->misfits), *answer;
  bool right = json_array_size(entries) == 0, numbers = show != API_ANSWERS_VERDICT;
  for (size_t k = 0; k < check->result_count; k++) {
    right = right && check->results[k].verdict == MBS_VERDICT_RIGHT;
    json_array_append_new(
        entries, api_answers_verdict_json(check, &check->results[k], k < TOLD_MAX ? show : API_ANSWERS_VERDICT));
  }
  right = right && json_array_size(entries) > 0;
  answer = json_pack("{s:o, s:b, s:o}", "model_name", api_json_text(api_document_name(c->request->document)), "right",
                     right, "entries", entries);
  if (numbers && check->result_count > 0) json_object_set_new(answer, "states", api_answers_states_json(check));
  return answer;
}

static bool run(claimant *c, const api_document *plain, const mbs_limits *limits, mbs_diagnostics *list) {
  const claims_request *request = c->request;
  api_equations_state state = {.q = NULL};
  mbs_check_options options = {.tolerance = request->tolerance, .verdicts = request->show == API_ANSWERS_VERDICT};
  mbs_error error = {0};
  bool good = true;
  if (request->at) {
    mbs_equations_start(c->check->equations, &error);
    good = api_equations_state_read(c->check->equations, plain, request->at, limits, list, &state);
    options.given = true;
    options.t = state.t;
    options.q = state.q;
    options.v = state.v;
  }
  mbs_status status = good ? mbs_check_run(c->check, &options, &error) : MBS_OK;
  free(state.q);
  if (status == MBS_NO_MEMORY)
    mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
  else if (status != MBS_OK)
    mbs_diagnose(list, status, "/at", "the equations cannot be evaluated at this state: %s", error.message);
  return good && status == MBS_OK;
}

/* Lists the matrices that are answered, "B,C,D,rhsV,rhsA", and those of the constraints, which name the cuts. Returns
 * false if the list is not known in advance, because of statements in an M-file. */
static bool claimed_matrices(const claims_request *request, char *only, size_t size) {
  const char *key;
  json_t *value;
  snprintf(only, size, "C,rhsV,rhsA");
  json_object_foreach(request->claim, key, value) {
    size_t end = strlen(only);
    if (strcmp(key, "mfile") == 0) return false;
    snprintf(only + end, size - end, ",%s", key);
  }
  return true;
}

/* Creates the check of the model; for large models only with the answered matrices. Returns NULL and fills `excess` if
 * the equations are too large. */
static mbs_check *open_check(const claims_request *request, const mbs_model *model, api_equations_excess *excess) {
  char only[200] = "";
  api_equations_query query = {.format = API_EQUATIONS_JSON};
  if (api_equations_exceed(model, &query, true, excess)) {
    if (!claimed_matrices(request, only, sizeof only)) return NULL;
    query.only = only;
    if (api_equations_exceed(model, &query, true, excess)) return NULL;
  }
  mbs_check *check = mbs_check_new_of(model, query.only);
  if (!check) snprintf(excess->detail, sizeof excess->detail, "not enough memory for the equations");
  return check;
}

static json_t *check_model(const claims_request *request, const mbs_model *model, const api_document *plain,
                           const mbs_limits *limits, mbs_diagnostics *list, api_equations_excess *excess) {
  claimant c = {.request = request, .check = open_check(request, model, excess), .misfits = json_array()};
  const char *key;
  json_t *value, *answer = NULL;
  if (c.check) json_object_foreach(request->claim, key, value) add_matrix(&c, key, value);
  if (c.failed)
    mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
  else if (c.check && run(&c, plain, limits, list))
    answer = answer_of(&c);
  json_decref(c.misfits);
  mbs_check_free(c.check);
  return answer;
}

json_t *api_document_check_answers(api_document *document, const mbs_limits *limits, mbs_diagnostics *list,
                                   api_equations_excess *excess) {
  claims_request request;
  json_t *answer = NULL;
  *excess = (api_equations_excess){0};
  if (!read_request(document, &request, list)) return NULL;
  request.arena = mbs_arena_new(limits->memory);
  request.expressions =
      request.arena ? mbs_arena_alloc(request.arena, EXPRESSIONS_MAX, sizeof *request.expressions) : NULL;
  if (!request.expressions) {
    mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
    mbs_arena_free(request.arena);
    return NULL;
  }
  collect_all(&request);
  api_document plain = {0};
  mbs_model *model = build(&request, &plain, limits, list);
  if (model) answer = check_model(&request, model, &plain, limits, list, excess);
  mbs_model_free(model);
  api_document_free(&plain);
  mbs_arena_free(request.arena);
  return answer;
}
