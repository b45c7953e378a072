/* perturbed_model.c - copies a model and displaces its points. The copy shows answers that are correct only by the
 * numbers of a document, such as ~r_2 for ~d_{2,1} if the pin is at the origin. Points at one position of a body stay
 * together. Points at mass centres stay there, because that is the intention of the document. */
#include "symbolic/answers/answer.h"

#include <math.h>
#include <string.h>

typedef struct mover {
  mbs_arena *arena;
  const mbs_model *model;
  double by; /* displacement, from the size of the model */
} mover;

/* Copies of `count` items. */
static void *copied(const mover *m, const void *items, size_t count, size_t size) {
  void *copy = mbs_arena_alloc(m->arena, count + 1, size);
  if (copy && count) memcpy(copy, items, count * size);
  return copy;
}

static size_t field_count(const mbs_class *cls) {
  size_t count = 0;
  while (cls->fields[count].name) count++;
  return count;
}

/* Copies a node with its own array of values. */
static bool copy_node(const mover *m, const mbs_node *node, mbs_node *out) {
  *out = *node;
  out->values = copied(m, node->values, field_count(node->cls), sizeof *node->values);
  return out->values != NULL;
}

/* Returns a number between -1 and 1 that depends only on the position. */
static double scattered(const double at[3], int body, int component) {
  double x = 12.9898 * at[0] + 78.233 * at[1] + 37.719 * at[2] + 4.1414 * (body + 1) + 1.7 * component;
  return sin(43.7 * x + 1.3);
}

/* Sets the point's position, as numbers: the old one plus a displacement. */
static bool move_point(const mover *m, int body, mbs_node *node) {
  const mbs_model *model = m->model;
  for (size_t p = 0; p < model->nP; p++) {
    if (model->points[p].body != body || strcmp(model->points[p].name, node->key) != 0) continue;
    const double *at = model->constants->points[p];
    bool centre = body != 0 && at[0] == 0 && at[1] == 0 && at[2] == 0;
    mbs_value *value = &node->values[0];
    value->scalars = copied(m, value->scalars, value->count, sizeof *value->scalars);
    if (!value->scalars) return false;
    for (size_t k = 0; k < value->count && k < 3; k++)
      value->scalars[k] = (mbs_scalar){.number = at[k] + (centre ? 0 : m->by * scattered(at, body, (int)k))};
    return true;
  }
  return true;
}

static bool move_points(const mover *m, int body, mbs_node *owner) {
  int field = mbs_field_index(owner->cls, "points");
  if (field < 0 || !owner->values[field].given) return true;
  mbs_value *points = &owner->values[field];
  points->nodes = copied(m, points->nodes, points->count, sizeof *points->nodes);
  if (!points->nodes) return false;
  for (size_t k = 0; k < points->count; k++) {
    mbs_node *node = &points->nodes[k];
    if (!copy_node(m, node, node) || !move_point(m, body, node)) return false;
  }
  return true;
}

/* Displaces the points of the bodies in a field of the document; `first` is the number of the first body. */
static bool move_owners(const mover *m, const char *name, mbs_node *document) {
  int field = mbs_field_index(document->cls, name);
  if (field < 0 || !document->values[field].given) return true;
  bool ground = strcmp(name, "ground") == 0;
  mbs_value *owners = &document->values[field];
  owners->nodes = copied(m, owners->nodes, owners->count, sizeof *owners->nodes);
  if (!owners->nodes) return false;
  for (size_t b = 0; b < owners->count; b++)
    if (!copy_node(m, &owners->nodes[b], &owners->nodes[b]) ||
        !move_points(m, ground ? 0 : m->model->user_body[b], &owners->nodes[b]))
      return false;
  return true;
}

mbs_model *mbs_model_perturbed(const mbs_model *model) {
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  const mover m = {.arena = arena, .model = model, .by = 0.02 * model->constants->extent};
  mbs_node document;
  mbs_documents documents = model->documents;
  mbs_diagnostics list = {0};
  mbs_model *moved = NULL;
  documents.model = &document;
  documents.study = NULL;
  if (arena && copy_node(&m, model->document, &document) && move_owners(&m, "ground", &document) &&
      move_owners(&m, "bodies", &document))
    moved = mbs_model_build_for(&documents, NULL, &model->limits, &list);
  mbs_diagnostics_free(&list);
  mbs_arena_free(arena);
  return moved;
}
