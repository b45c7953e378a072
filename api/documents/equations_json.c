/* equations_json.c - the equations of a model as JSON: matrices in blocks, symbols with their values. Symbols and
 * blocks are printed one by one, because there may be many. */
#include "api/documents/equations.h"

#include "api/base/values.h"
#include "api/documents/equations_laws.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static json_t *written(const api_equations_shown *shown, const struct mbs_term *term, mbs_notation notation) {
  return api_json_text(mbs_equations_written(shown->equations, term, notation));
}

/* Returns the numbers row by row. */
static json_t *block_value(const double *value, int rows, int columns) {
  json_t *array = json_array();
  for (int r = 0; r < rows; r++)
    json_array_append_new(array, api_json_numbers(value + (size_t)r * (size_t)columns, (size_t)columns));
  return array;
}

/* Returns a value by its kind: a number, the components of a vector, the rows of a matrix, also if it has one row. */
static json_t *symbol_value(const mbs_equation_symbol *symbol) {
  size_t size = (size_t)symbol->rows * (size_t)symbol->columns;
  if (size == 1) return api_json_number(symbol->value[0]);
  if (symbol->columns == 1) return api_json_numbers(symbol->value, size);
  return block_value(symbol->value, symbol->rows, symbol->columns);
}

static json_t *names(const char *const pair[2]) { return json_pack("[s?, s?]", pair[0], pair[1]); }

/* Returns a point with the number of its body as in a scene; 0 is the ground. */
static json_t *place_json(const mbs_equations *equations, const mbs_equation_place *place) {
  size_t dimension = (size_t)equations->dimension;
  return json_pack("{s:i, s:o}", "body", (int)place->body, "at", api_json_numbers(place->at, dimension));
}

static json_t *symbol_json(const api_equations_shown *shown, const mbs_equation_symbol *symbol) {
  json_t *object = json_object(), *equal = json_array();
  json_object_set_new(object, "name", api_json_text(symbol->name));
  json_object_set_new(object, "kind", api_json_text(symbol->kind));
  json_object_set_new(object, "latex", written(shown, symbol->term, MBS_NOTATION_LATEX));
  if (shown->query->mathml) json_object_set_new(object, "mathml", written(shown, symbol->term, MBS_NOTATION_MATHML));
  json_object_set_new(object, "meaning", api_json_text(symbol->meaning));
  if (symbol->unit) json_object_set_new(object, "unit", api_json_text(symbol->unit));
  json_object_set_new(object, "value", symbol_value(symbol));
  if (symbol->equal) json_array_append_new(equal, api_json_text(symbol->equal));
  json_object_set_new(object, "equal", equal);
  if (symbol->bodies[1]) json_object_set_new(object, "bodies", names(symbol->bodies));
  if (symbol->points[0] || symbol->points[1]) json_object_set_new(object, "points", names(symbol->points));
  if (symbol->joint) json_object_set_new(object, "joint", api_json_text(symbol->joint));
  if (symbol->from) json_object_set_new(object, "from", place_json(shown->equations, symbol->from));
  if (symbol->to) json_object_set_new(object, "to", place_json(shown->equations, symbol->to));
  return object;
}

/* Returns the labels of rows or columns; `alike`: similar rows, or NULL. */
static json_t *axes_json(const mbs_equation_axis *axes, size_t count, const size_t *alike) {
  json_t *array = json_array();
  for (size_t k = 0; k < count; k++) {
    json_t *axis = json_pack("{s:o, s:i}", "label", api_json_text(axes[k].label), "size", axes[k].size);
    if (axes[k].velocities)
      json_object_set_new(axis, "velocities", api_json_texts(axes[k].velocities, (size_t)axes[k].size));
    if (axes[k].bodies[1])
      json_object_set_new(axis, "bodies", names(axes[k].bodies));
    else if (axes[k].bodies[0])
      json_object_set_new(axis, "bodies", json_pack("[s]", axes[k].bodies[0]));
    if (axes[k].element) json_object_set_new(axis, "element", api_json_text(axes[k].element));
    if (alike && alike[k] != k) json_object_set_new(axis, "like", json_integer((json_int_t)alike[k]));
    json_array_append_new(array, axis);
  }
  return array;
}

static json_t *block_json(const api_equations_shown *shown, const mbs_equation_matrix *matrix, size_t r, size_t c) {
  assert(r < matrix->row_count && c < matrix->column_count);
  const mbs_equation_block *block = &matrix->blocks[r * matrix->column_count + c];
  json_t *object = json_object();
  if (shown->sparse) {
    json_object_set_new(object, "row", json_integer((json_int_t)r));
    if (!matrix->vector) json_object_set_new(object, "column", json_integer((json_int_t)c));
  }
  json_object_set_new(object, "text", written(shown, block->term, MBS_NOTATION_TEXT));
  json_object_set_new(object, "latex", written(shown, block->term, MBS_NOTATION_LATEX));
  if (shown->query->mathml) json_object_set_new(object, "mathml", written(shown, block->term, MBS_NOTATION_MATHML));
  json_object_set_new(object, "value", block_value(block->value, matrix->rows[r].size, matrix->columns[c].size));
  if (block->closed) json_object_set_new(object, "closed", json_true());
  return object;
}

/* Appends the text of a value. */
static void put(api_buffer *out, json_t *value) {
  char *text = api_json_string(value);
  if (text)
    api_buffer_text(out, text);
  else
    out->failed = true;
  free(text);
}

/* Appends a comma between the items of an array. */
static void put_comma(api_buffer *out, bool *first) {
  if (!*first) api_buffer_text(out, ",");
  *first = false;
}

/* Appends the blocks of a row; if sparse, only the nonzero ones, each with its position. */
static void put_row(api_buffer *out, const api_equations_shown *shown, const mbs_equation_matrix *matrix, size_t r,
                    bool *first) {
  for (size_t c = 0; c < matrix->column_count; c++) {
    if (shown->sparse && matrix->blocks[r * matrix->column_count + c].zero) continue;
    put_comma(out, first);
    put(out, block_json(shown, matrix, r, c));
  }
}

/* Appends the rows of blocks; for a vector, or if sparse, a flat list of blocks. */
static void put_blocks(api_buffer *out, const api_equations_shown *shown, const mbs_equation_matrix *matrix) {
  bool flat = shown->sparse || matrix->vector, first = true;
  api_buffer_text(out, "[");
  for (size_t r = 0; r < matrix->row_count; r++) {
    bool first_of_row = true;
    if (!flat) put_comma(out, &first);
    if (!flat) api_buffer_text(out, "[");
    put_row(out, shown, matrix, r, flat ? &first : &first_of_row);
    if (!flat) api_buffer_text(out, "]");
  }
  api_buffer_text(out, "]");
}

static void put_matrix(api_buffer *out, const api_equations_shown *shown, const mbs_equation_matrix *matrix) {
  put(out, json_string(matrix->name));
  api_buffer_text(out, ":{\"rows\":");
  put(out, axes_json(matrix->rows, matrix->row_count, matrix->alike));
  if (!matrix->vector) {
    api_buffer_text(out, ",\"columns\":");
    put(out, axes_json(matrix->columns, matrix->column_count, NULL));
  }
  api_buffer_text(out, ",\"blocks\":");
  put_blocks(out, shown, matrix);
  api_buffer_text(out, "}");
}

static void put_symbols(api_buffer *out, const api_equations_shown *shown) {
  bool first = true;
  api_buffer_text(out, "\"symbols\":[");
  for (size_t k = 0; k < shown->equations->symbol_count; k++) {
    if (!api_equations_named(shown, &shown->equations->symbols[k])) continue;
    put_comma(out, &first);
    put(out, symbol_json(shown, &shown->equations->symbols[k]));
  }
  api_buffer_text(out, "]");
}

static json_t *state_json(const char *const *labels, const double *values, size_t count) {
  json_t *object = json_object();
  for (size_t k = 0; k < count; k++) json_object_set_new(object, labels[k], api_json_number(values[k]));
  return object;
}

/* Returns everything except symbols and matrices. */
static json_t *head_json(const api_equations_shown *shown) {
  const mbs_equations *equations = shown->equations;
  json_t *answer = json_object(), *tree = json_array();
  json_object_set_new(answer, "model_name", api_json_text(shown->model_name));
  json_object_set_new(answer, "formulation", api_json_text(equations->formulation));
  json_object_set_new(answer, "t", api_json_number(equations->t));
  json_object_set_new(answer, "q", state_json(equations->q_labels, equations->q, equations->q_count));
  json_object_set_new(answer, "v", state_json(equations->v_labels, equations->v, equations->v_count));
  json_object_set_new(answer, "residual", api_json_number(equations->residual));
  if (shown->note) json_object_set_new(answer, "note", api_json_text(shown->note));
  for (size_t b = 0; b < equations->body_count; b++)
    json_array_append_new(tree, json_pack("{s:s, s:s, s:s*}", "body", equations->tree[b].body, "on",
                                          equations->tree[b].on, "joint", equations->tree[b].joint));
  json_object_set_new(answer, "tree", tree);
  json_object_set_new(answer, "words", api_json_texts(equations->words, equations->word_count));
  json_object_set_new(answer, "system", api_json_texts(equations->system, equations->system_count));
  bool mathml = shown->query->mathml;
  json_object_set_new(answer, "forces", api_equations_laws(equations, MBS_ROLE_FORCE, mathml));
  json_object_set_new(answer, "drivers", api_equations_laws(equations, MBS_ROLE_DRIVER, mathml));
  json_object_set_new(answer, "constraints", api_equations_laws(equations, MBS_ROLE_CONSTRAINT, mathml));
  return answer;
}

char *api_equations_json(const api_equations_shown *shown) {
  const mbs_equations *equations = shown->equations;
  api_buffer out = {0};
  put(&out, head_json(shown));
  if (out.size > 0) out.size--; /* the closing brace is appended at the end */
  api_buffer_text(&out, ",");
  put_symbols(&out, shown);
  for (size_t m = 0; m < equations->matrix_count; m++) {
    if (!api_equations_wanted(shown->query, equations->matrices[m].name)) continue;
    api_buffer_text(&out, ",");
    put_matrix(&out, shown, &equations->matrices[m]);
  }
  api_buffer_add(&out, "}", 2); /* with the terminating 0 */
  if (!out.failed) return out.data;
  api_buffer_free(&out);
  return NULL;
}

static json_t *matrix_values(const api_equations_shown *shown, const mbs_equation_matrix *matrix) {
  json_t *array = json_array();
  for (size_t r = 0; r < matrix->row_count; r++)
    for (size_t c = 0; c < matrix->column_count; c++) {
      const mbs_equation_block *block = &matrix->blocks[r * matrix->column_count + c];
      if (!shown->sparse || !block->zero)
        json_array_append_new(array, block_value(block->value, matrix->rows[r].size, matrix->columns[c].size));
    }
  return array;
}

json_t *api_equations_values_json(const api_equations_shown *shown) {
  const mbs_equations *equations = shown->equations;
  json_t *answer = json_object(), *symbols = json_array(), *matrices = json_object();
  for (size_t k = 0; k < equations->symbol_count; k++)
    if (api_equations_named(shown, &equations->symbols[k]))
      json_array_append_new(symbols, symbol_value(&equations->symbols[k]));
  for (size_t m = 0; m < equations->matrix_count; m++)
    if (api_equations_wanted(shown->query, equations->matrices[m].name))
      json_object_set_new(matrices, equations->matrices[m].name, matrix_values(shown, &equations->matrices[m]));
  json_object_set_new(answer, "t", api_json_number(equations->t));
  json_object_set_new(answer, "symbols", symbols);
  json_object_set_new(answer, "matrices", matrices);
  return answer;
}
