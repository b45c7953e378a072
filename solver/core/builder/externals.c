/* Reads the inputs of the document, and their values over time in the analysis. */
#include "builder/builder.h"

#include <stdio.h>
#include <string.h>

/* Returns the index of the input NAME followed by `ending`, or -1. */
static int find_external(const mbs_model *model, const char *name, const char *ending) {
  const size_t length = strlen(name);
  for (size_t i = 0; i < model->external_count; i++) {
    const char *other = model->externals[i].name;
    if (strncmp(other, name, length) == 0 && strcmp(other + length, ending) == 0) return (int)i;
  }
  return -1;
}

void mbs_external_numbers(mbs_binder *binder, mbs_constants *constants) {
  const mbs_model *model = binder->model;
  for (size_t i = 0; i < model->external_count; i++)
    constants->external_starts[i] = mbs_read_number(binder, model->externals[i].node, "value");
}

void mbs_declare_externals(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *map = mbs_read_value(builder->document, "inputs");
  model->externals = mbs_builder_alloc(builder, map->count, sizeof *model->externals);
  model->constants->external_starts = mbs_builder_alloc(builder, map->count, sizeof *model->constants->external_starts);
  if (builder->failed) return;
  model->external_count = map->count;
  for (size_t i = 0; i < map->count; i++) {
    const mbs_node *node = &map->nodes[i];
    model->externals[i] = (mbs_external){.name = node->key, .node = node};
    mbs_declare_name(builder, node->key, node->pointer, (mbs_declared){MBS_DECLARED_EXTERNAL, (int)i});
  }
  for (size_t i = 0; i < map->count; i++) {
    mbs_external *external = &model->externals[i];
    external->rates[0] = find_external(model, external->name, "_d");
    external->rates[1] = find_external(model, external->name, "_dd");
  }
  builder->binder.loads = true;
  mbs_external_numbers(mbs_numbers_of(builder), model->constants);
  builder->binder.loads = false;
}

/* ---- values over time -------------------------------------------------------------------------------------------- */

/* Reads an array. Returns NULL if a number of it is invalid, which is reported. */
static double *read_array(mbs_builder *builder, const mbs_node *node, const char *field) {
  mbs_binder *binder = mbs_structure_of(builder);
  const mbs_value *value = mbs_read_value(node, field);
  const size_t stand_ins = binder->stand_ins;
  double *out = mbs_builder_alloc(builder, value->count, sizeof *out);
  if (!out || !value->given || value->count == 0) return NULL;
  mbs_read_numbers(binder, node, field, out, value->count);
  return binder->stand_ins == stand_ins ? out : NULL;
}

/* Reports times that do not ascend. */
static bool ascends(mbs_builder *builder, const mbs_value *value, const double *t) {
  bool good = true;
  for (size_t i = 1; i < value->count; i++) {
    if (t[i] > t[i - 1]) continue;
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(value, i, pointer);
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, pointer, "t must ascend: %.9g comes after %.9g", t[i], t[i - 1]);
    good = false;
  }
  return good;
}

static void read_table(mbs_builder *builder, const mbs_node *node, mbs_external *out) {
  const mbs_value *times = mbs_read_value(node, "t"), *values = mbs_read_value(node, "values");
  double *t = read_array(builder, node, "t"), *u = read_array(builder, node, "values");
  bool good = t && u && ascends(builder, times, t);
  if (times->given && values->given && times->count != values->count) {
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, values->pointer, "%zu numbers in t need %zu in values, not %zu",
                 times->count, times->count, values->count);
    good = false;
  }
  if (!good) return;
  out->t = t;
  out->values = u;
  out->count = times->count;
}

void mbs_read_external_tables(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *map = mbs_read_value(mbs_analysis_node(builder), "inputs");
  mbs_names known = {0};
  for (size_t i = 0; i < model->external_count && map->count && !builder->failed; i++)
    if (mbs_names_find(&known, model->externals[i].name) < 0)
      mbs_names_add(builder, &known, model->externals[i].name, "input", map->pointer);
  for (size_t i = 0; i < map->count && !builder->failed; i++) {
    const mbs_node *entry = &map->nodes[i];
    const int index = mbs_names_find(&known, entry->key);
    mbs_external unknown;
    if (index < 0) mbs_unknown_name(builder, &known, "input", entry->key, entry->pointer);
    read_table(builder, entry, index < 0 ? &unknown : &model->externals[index]);
  }
  mbs_names_free(&known);
}
