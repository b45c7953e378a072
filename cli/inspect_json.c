/* inspect_json.c - prints an inspection as JSON, complete. */
#include "inspect.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"

#include <math.h>

static json_t *count_json(size_t count) { return json_integer((json_int_t)count); }

static json_t *ints_json(const int *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer(values[i]));
  return list;
}

/* ---- tree and rows --------------------------------------------------------------------------------------------- */

static json_t *tree_json(const mbs_inspection *inspection) {
  const mbs_report *report = inspection->report;
  json_t *tree = json_array();
  for (size_t b = 0; b < report->bodies; b++) {
    const mbs_tree_entry *entry = &report->tree[b];
    const mbs_inspected_body *body = &inspection->tree[b];
    json_t *object = json_object();
    json_object_set_new(object, "body", api_json_text(entry->body));
    json_object_set_new(object, "parent", api_json_text(entry->parent));
    json_object_set_new(object, "joint", api_json_text(entry->joint));
    json_object_set_new(object, "type", api_json_text(entry->type));
    json_object_set_new(object, "level", count_json(body->level));
    json_object_set_new(object, "velocities", json_integer(entry->freedoms));
    json_object_set_new(object, "coordinates",
                        api_json_texts(report->coordinate_labels + body->first_coordinate, body->coordinates));
    json_array_append_new(tree, object);
  }
  return tree;
}

static json_t *elements_json(const mbs_inspection *inspection) {
  json_t *list = json_array();
  for (size_t e = 0; e < inspection->element_count; e++) {
    const mbs_inspected_element *element = &inspection->elements[e];
    json_t *object = json_object();
    json_object_set_new(object, "name", api_json_text(element->name));
    json_object_set_new(object, "type", api_json_text(element->type));
    json_object_set_new(object, "driver", json_boolean(element->driver));
    json_object_set_new(object, "first_row", count_json(element->first_row));
    json_object_set_new(object, "rows", count_json(element->rows));
    json_object_set_new(object, "bodies", count_json(element->bodies));
    json_object_set_new(object, "path",
                        json_pack("[I, I]", (json_int_t)element->path[0], (json_int_t)element->path[1]));
    json_object_set_new(object, "velocities", count_json(element->velocities));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *rows_json(const mbs_report *report, bool ranked) {
  json_t *rows = json_array();
  for (size_t r = 0; r < report->rows; r++) {
    json_t *row = json_object();
    json_object_set_new(row, "label", api_json_text(report->constraints[r].label));
    json_object_set_new(row, "redundant", ranked ? json_boolean(report->constraints[r].redundant) : json_null());
    json_array_append_new(rows, row);
  }
  return rows;
}

/* ---- patterns -------------------------------------------------------------------------------------------------- */

static json_t *jacobian_json(const mbs_inspection *inspection) {
  json_t *blocks = json_array(), *object = json_object();
  for (size_t b = 0; b < inspection->block_count; b++) {
    const mbs_inspected_block *block = &inspection->blocks[b];
    json_t *entry = json_object();
    json_object_set_new(entry, "element", count_json(block->element));
    json_object_set_new(entry, "first_row", count_json(block->first_row));
    json_object_set_new(entry, "rows", count_json(block->rows));
    json_object_set_new(entry, "velocities", ints_json(block->velocities, block->columns));
    json_array_append_new(blocks, entry);
  }
  json_object_set_new(object, "packed", count_json(inspection->jacobian_size));
  json_object_set_new(object, "blocks", blocks);
  return object;
}

static json_t *masses_json(const mbs_inspection *inspection) {
  const mbs_inspected_masses *masses = &inspection->masses;
  json_t *object = json_object();
  json_object_set_new(object, "back_end", json_string(masses->recursive ? "recursive" : "packed"));
  json_object_set_new(object, "recursive_from", count_json(masses->recursive_from));
  json_object_set_new(object, "longest_branch", count_json(masses->longest));
  json_object_set_new(object, "packed", count_json(masses->size));
  json_object_set_new(object, "before", ints_json(masses->before, inspection->report->velocities));
  return object;
}

static json_t *skyline_json(const mbs_inspection *inspection) {
  const mbs_inspected_skyline *skyline = &inspection->skyline;
  json_t *object = json_object(), *pairs = json_array();
  for (size_t p = 0; p < skyline->pair_count; p++) {
    json_t *pair = json_object();
    json_object_set_new(
        pair, "blocks",
        json_pack("[I, I]", (json_int_t)skyline->pairs[p].block1, (json_int_t)skyline->pairs[p].block2));
    json_object_set_new(pair, "velocities", count_json(skyline->pairs[p].velocities));
    json_array_append_new(pairs, pair);
  }
  json_object_set_new(object, "packed", count_json(skyline->size));
  json_object_set_new(object, "position", ints_json(skyline->position, inspection->report->rows));
  json_object_set_new(object, "first", ints_json(skyline->first, inspection->report->rows));
  json_object_set_new(object, "pairs", pairs);
  return object;
}

/* ---- evaluation ------------------------------------------------------------------------------------------------ */

static json_t *law_json(const mbs_inspected_law *law) {
  json_t *object = json_object();
  json_object_set_new(object, "pointer", api_json_text(law->pointer));
  json_object_set_new(object, "text", api_json_text(law->text));
  json_object_set_new(object, "instructions", count_json(law->instructions));
  json_object_set_new(object, "inputs", count_json(law->inputs));
  json_object_set_new(object, "switches", count_json(law->switches));
  json_object_set_new(object, "depends", json_boolean(law->depends));
  json_object_set_new(object, "structural", json_boolean(law->structural));
  return object;
}

static json_t *order_json(const mbs_inspection *inspection) {
  json_t *order = json_array();
  for (size_t s = 0; s < inspection->stage_count; s++) {
    const mbs_inspected_stage *stage = &inspection->stages[s];
    json_t *object = json_object(), *laws = json_array();
    for (size_t l = 0; l < stage->laws; l++)
      json_array_append_new(laws, law_json(&inspection->laws[stage->first_law + l]));
    json_object_set_new(object, "part", json_string(cli_part_name(stage->part)));
    json_object_set_new(object, "element", api_json_text(stage->element));
    json_object_set_new(object, "type", api_json_text(stage->type));
    json_object_set_new(object, "laws", laws);
    json_array_append_new(order, object);
  }
  return order;
}

static json_t *numbers_json(const mbs_inspection *inspection) {
  json_t *list = json_array();
  for (size_t i = 0; i < inspection->number_count; i++) {
    json_t *object = json_object();
    json_object_set_new(object, "pointer", api_json_text(inspection->numbers[i].pointer));
    json_object_set_new(object, "structural", json_boolean(inspection->numbers[i].structural));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *memory_json(const mbs_inspection *inspection) {
  json_t *object = json_object();
  json_object_set_new(object, "model", count_json(inspection->model_bytes));
  json_object_set_new(object, "constants", count_json(inspection->constants_bytes));
  json_object_set_new(object, "system", count_json(inspection->system_bytes));
  return object;
}

static json_t *cost_json(const cli_cost *cost) {
  json_t *object = json_object();
  json_object_set_new(object, "microseconds", api_json_number(cost->microseconds));
  json_object_set_new(object, "calls", count_json(cost->calls));
  json_object_set_new(object, "error",
                      cost->status == MBS_OK ? json_null() : json_string(mbs_status_code(cost->status)));
  return object;
}

static json_t *costs_json(const cli_inspected *inspected) {
  json_t *object = json_object();
  for (int part = 0; part < MBS_PART_COUNT; part++)
    json_object_set_new(object, cli_part_name((mbs_part)part), cost_json(&inspected->costs[part]));
  return object;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

/* Adds the counts of a model in one formulation. */
static void add_counts(json_t *object, const cli_inspected *inspected) {
  const mbs_report *report = inspected->inspection->report;
  bool ranked = inspected->started && inspected->status == MBS_OK;
  size_t driven = 0;
  for (size_t r = 0; r < report->rows; r++) driven += report->constraints[r].driver;
  json_object_set_new(object, "formulation", json_string(report->formulation));
  json_object_set_new(object, "bodies", count_json(report->bodies));
  json_object_set_new(object, "coordinates", count_json(report->coordinates));
  json_object_set_new(object, "velocities", count_json(report->velocities));
  json_object_set_new(object, "joint_rows", count_json(report->rows - driven));
  json_object_set_new(object, "driver_rows", count_json(driven));
  json_object_set_new(object, "redundant_rows", ranked ? count_json(report->redundant_count) : json_null());
  json_object_set_new(object, "degrees_of_freedom", ranked ? json_integer(report->degrees_of_freedom) : json_null());
  json_object_set_new(object, "velocity_freedoms", ranked ? json_integer(report->velocity_freedoms) : json_null());
}

static json_t *other_json(const cli_inspected *other) {
  if (!other->inspection) return json_null();
  json_t *object = json_object();
  add_counts(object, other);
  json_object_set_new(object, "evaluation", cost_json(&other->costs[MBS_PART_EVALUATION]));
  return object;
}

json_t *cli_inspect_json(const cli_inspected *inspected, const cli_inspected *other) {
  const mbs_inspection *inspection = inspected->inspection;
  const mbs_report *report = inspection->report;
  json_t *object = json_object();
  json_object_set_new(object, "version", json_string(MBS_VERSION));
  json_object_set_new(object, "model_name", api_json_text(report->model_name));
  json_object_set_new(object, "analysis", api_json_text(report->analysis));
  json_object_set_new(object, "space", api_json_text(report->space));
  add_counts(object, inspected);
  json_object_set_new(object, "other_formulation", other_json(other));
  json_object_set_new(object, "tree", tree_json(inspection));
  json_object_set_new(object, "elements", elements_json(inspection));
  json_object_set_new(object, "rows", rows_json(report, inspected->started && inspected->status == MBS_OK));
  json_object_set_new(object, "velocity_labels", api_json_texts(inspection->velocities, report->velocities));
  json_object_set_new(object, "C", jacobian_json(inspection));
  json_object_set_new(object, "M", masses_json(inspection));
  json_object_set_new(object, "S", skyline_json(inspection));
  json_object_set_new(object, "order", order_json(inspection));
  json_object_set_new(object, "parameters", count_json(inspection->parameters));
  json_object_set_new(object, "numbers", numbers_json(inspection));
  json_object_set_new(object, "bytes", memory_json(inspection));
  json_object_set_new(object, "costs", costs_json(inspected));
  json_object_set_new(object, "error", inspected->status == MBS_OK ? json_null() : api_error_json(&inspected->error));
  return object;
}
