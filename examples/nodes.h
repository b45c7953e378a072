/* nodes.h - writes a model document as nodes, which is what a reader of documents makes of a file.
 *
 * A node is an object of the document; its class lists its fields. The fields of every class are those of the manual's
 * reference. Each function ends the program if memory runs out or a class has no such field. */
#ifndef NODES_H
#define NODES_H

#include <stdio.h>
#include <stdlib.h>

#include <mbs.h>

/* Returns `memory`; ends the program if there is none. */
static void *needed(void *memory) {
  if (memory) return memory;
  fputs("out of memory, or no field of that name\n", stderr);
  exit(1);
}

/* Makes an object of a class. `pointer` is its place in the document, which messages name: "/bodies/0". */
static void begin_node(mbs_arena *arena, mbs_node *node, const mbs_class *cls, const char *pointer) {
  size_t count = 0;
  while (cls->fields[count].name) count++;
  *node = (mbs_node){.cls = cls, .pointer = needed(mbs_arena_text(arena, pointer))};
  node->values = needed(mbs_arena_alloc(arena, count + 1, sizeof *node->values));
}

/* Returns the value of a field, which counts as given from now on. */
static mbs_value *give(mbs_arena *arena, mbs_node *node, const char *field, size_t count) {
  const int index = mbs_field_index(node->cls, field);
  mbs_value *value = needed(index < 0 ? NULL : &node->values[index]);
  *value = (mbs_value){.given = true, .list = node->cls->fields[index].max_count != 0, .count = count};
  value->pointer = needed(mbs_arena_format(arena, "%s/%s", node->pointer, field));
  return value;
}

/* Gives a field numbers [count]. */
static inline void set_numbers(mbs_arena *arena, mbs_node *node, const char *field, size_t count,
                               const double *numbers) {
  mbs_value *value = give(arena, node, field, count);
  value->scalars = needed(mbs_arena_alloc(arena, count, sizeof *value->scalars));
  for (size_t i = 0; i < count; i++) value->scalars[i].number = numbers[i];
}

/* Gives a field texts [count]: names, words, references ("rod.A") or expressions ("-c*v"). */
static inline void set_texts(mbs_arena *arena, mbs_node *node, const char *field, size_t count,
                             const char *const *texts) {
  mbs_value *value = give(arena, node, field, count);
  value->scalars = needed(mbs_arena_alloc(arena, count, sizeof *value->scalars));
  for (size_t i = 0; i < count; i++) value->scalars[i].text = needed(mbs_arena_text(arena, texts[i]));
}

static inline void set_number(mbs_arena *arena, mbs_node *node, const char *field, double number) {
  set_numbers(arena, node, field, 1, &number);
}

static inline void set_text(mbs_arena *arena, mbs_node *node, const char *field, const char *text) {
  set_texts(arena, node, field, 1, &text);
}

/* Gives a field one object. `element` is its class if the field permits several (joints, forces), else NULL. */
static inline mbs_node *add_node(mbs_arena *arena, mbs_node *node, const char *field, const mbs_class *element) {
  mbs_value *value = give(arena, node, field, 1);
  const mbs_class *cls = element ? element : node->cls->fields[mbs_field_index(node->cls, field)].of;
  value->nodes = needed(mbs_arena_alloc(arena, 1, sizeof *value->nodes));
  begin_node(arena, value->nodes, cls, value->list ? mbs_arena_format(arena, "%s/0", value->pointer) : value->pointer);
  return value->nodes;
}

/* Gives a map (points, vectors, parameters) its one entry `key` with numbers [count]. */
static inline void set_entry(mbs_arena *arena, mbs_node *node, const char *field, const char *key, size_t count,
                             const double *numbers) {
  mbs_node *entry = add_node(arena, node, field, NULL);
  entry->key = key;
  set_numbers(arena, entry, entry->cls->fields[0].name, count, numbers);
}

/* Builds the model; prints the mistakes of the document and returns NULL if there are any. */
static inline mbs_model *build(const mbs_node *document) {
  mbs_diagnostics list = {0};
  mbs_model *model = mbs_model_build(document, NULL, NULL, &list);
  for (size_t i = 0; i < list.count; i++) fprintf(stderr, "%s: %s\n", list.items[i].pointer, list.items[i].message);
  mbs_diagnostics_free(&list);
  return model;
}

#endif
