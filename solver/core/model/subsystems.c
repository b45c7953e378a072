/* Bodies that the tree, constraint rows or forces connect, by union-find. */
#include "model/subsystems.h"

#include <stdlib.h>
#include <string.h>

/* If a force involves more bodies than this, there is one part. */
enum { BODIES_MAX = 64 };

typedef struct search {
  const mbs_model *model;
  int *leader;            /* [nB + 1] union-find; without the ground */
  int bodies[BODIES_MAX]; /* bodies that a force involves */
  size_t count;
  bool unknown; /* a law reads what any motion may change */
  bool slides;  /* a law has switches, along which the motion may slide: forces then couple the bodies directly */
  bool whole;   /* every force couples its bodies directly */
} search;

static int leader_of(const search *self, int body) {
  while (self->leader[body] != body) body = self->leader[body] = self->leader[self->leader[body]];
  return body;
}

static void join(const search *self, int one, int two) {
  if (one <= 0 || two <= 0) return;
  const int a = leader_of(self, one), b = leader_of(self, two);
  self->leader[a > b ? a : b] = a > b ? b : a;
}

static void add_body(search *self, int body) {
  if (body <= 0) return;
  for (size_t k = 0; k < self->count; k++)
    if (self->bodies[k] == body) return;
  if (self->count == BODIES_MAX)
    self->unknown = true;
  else
    self->bodies[self->count++] = body;
}

static void add_force(search *self, const mbs_force *force);

static void add_output(search *self, int output) {
  for (size_t f = 0; f < self->model->force_count; f++) {
    const mbs_force *force = &self->model->forces[f];
    if (output >= force->first_output && output < force->first_output + force->outputs) add_force(self, force);
  }
}

static void add_input(search *self, const mbs_input *input) {
  switch (input->kind) {
  case MBS_INPUT_TIME:
  case MBS_INPUT_DISCRETE:
  case MBS_INPUT_EXTERNAL: return;
  case MBS_INPUT_POINT:
  case MBS_INPUT_ANGLE:
  case MBS_INPUT_EULER:
  case MBS_INPUT_MATRIX: add_body(self, input->index); return;
  case MBS_INPUT_PRIMITIVE:
    add_body(self, self->model->coordinates[input->index].frames.body1);
    add_body(self, self->model->coordinates[input->index].frames.body2);
    return;
  case MBS_INPUT_FORCE: add_output(self, input->index); return;
  case MBS_INPUT_STATE:
  case MBS_INPUT_RATE:
  case MBS_INPUT_CURVE:
  case MBS_INPUT_REACTION:
  case MBS_INPUT_MULTIPLIER:
  case MBS_INPUT_TOOTH:
  case MBS_INPUT_ENERGY: self->unknown = true;
  }
}

/* Adds the bodies that a force acts on or reads. (Laws read only forces before their own.) */
static void add_force(search *self, const mbs_force *force) {
  add_body(self, force->frames.body1);
  add_body(self, force->frames.body2);
  for (size_t b = 0; b < force->body_count; b++) add_body(self, force->bodies[b]);
  if (force->coordinate >= 0) {
    add_body(self, self->model->coordinates[force->coordinate].frames.body1);
    add_body(self, self->model->coordinates[force->coordinate].frames.body2);
  }
  for (size_t l = 0; l < force->law_count && !self->unknown; l++) {
    self->slides |= force->laws[l].switches > 0;
    for (size_t i = 0; i < force->laws[l].input_count; i++)
      add_input(self, &self->model->inputs[force->laws[l].inputs[i]]);
  }
}

/* Joins the bodies whose joints have the velocities of a block. */
static void join_block(const search *self, const mbs_block *block) {
  const mbs_model *model = self->model;
  for (int c = 1; c < block->columns; c++)
    join(self, model->velocity_body[model->pattern[block->pattern0]],
         model->velocity_body[model->pattern[block->pattern0 + c]]);
}

static void join_tied(const search *self) {
  const mbs_model *model = self->model;
  for (int b = 1; b <= (int)model->nB; b++) join(self, b, model->parent[b]);
  for (size_t b = 0; b < model->block_count; b++) join_block(self, &model->blocks[b]);
  for (size_t i = 0; i < model->rotor_count; i++)
    if (model->rotors[i].coupled) join_block(self, &model->rotors[i].block);
}

typedef struct pair {
  int one, two;
} pair;

static int compare_pairs(const void *a, const void *b) {
  const pair *x = a, *y = b;
  return x->one != y->one ? (x->one > y->one) - (x->one < y->one) : (x->two > y->two) - (x->two < y->two);
}

/* Finds the pairs, both ways, of parts that one force involves. Parts of a law that slides become one. If `out` is
 * NULL, only joins and counts. Returns false if the inputs of a force are not known. */
static bool find_pairs(search *self, const int *part, pair *out, size_t *count) {
  *count = 0;
  for (size_t f = 0; f < self->model->force_count; f++) {
    self->count = 0;
    self->slides = false;
    add_force(self, &self->model->forces[f]);
    if (self->unknown) return false;
    for (size_t i = 0; i < self->count; i++)
      for (size_t j = 0; j < self->count; j++) {
        if ((self->slides || self->whole) && !out) join(self, self->bodies[i], self->bodies[j]);
        if (out && part[self->bodies[i]] != part[self->bodies[j]])
          out[*count] = (pair){part[self->bodies[i]], part[self->bodies[j]]};
        if (!out || part[self->bodies[i]] != part[self->bodies[j]]) ++*count;
      }
  }
  return true;
}

/* Numbers the parts into part[body], by the order of the bodies. Returns their number. */
static size_t number_parts(const search *self, int *part) {
  size_t parts = 0;
  for (int b = 1; b <= (int)self->model->nB; b++)
    part[b] = leader_of(self, b) == b ? (int)parts++ : part[leader_of(self, b)];
  return parts;
}

/* Lists the sorted pairs, each once, in first [parts + 1] and others. */
static void list_others(const pair *pairs, size_t count, int *first, int *others) {
  int filled = 0;
  for (size_t k = 0; k < count; k++) {
    if (k && compare_pairs(&pairs[k - 1], &pairs[k]) == 0) continue;
    others[filled++] = pairs[k].two;
    first[pairs[k].one + 1]++;
  }
}

/* Starts a search with every body in the part of those that are tied to it. Returns false if memory runs out. */
static bool start(search *self, const mbs_model *model, mbs_arena *arena, bool whole) {
  *self = (search){.model = model, .leader = mbs_arena_alloc(arena, model->nB + 1, sizeof *self->leader)};
  if (!self->leader) return false;
  for (int b = 1; b <= (int)model->nB; b++) self->leader[b] = b;
  self->whole = whole;
  self->unknown = model->nz > 0; /* the coupling by states is not known */
  join_tied(self);
  return true;
}

bool mbs_subsystems_find(const mbs_model *model, mbs_arena *arena, mbs_subsystems *out) {
  search found;
  int *part = mbs_arena_alloc(arena, model->nB + 1, sizeof *part);
  size_t count = 0;
  *out = (mbs_subsystems){.count = 1, .of = part};
  if (!part || !start(&found, model, arena, false)) return false;
  if (found.unknown || !find_pairs(&found, part, NULL, &count)) return true;
  const size_t parts = number_parts(&found, part);
  if (parts < 2) return true;
  pair *pairs = mbs_arena_alloc(arena, count + 1, sizeof *pairs);
  int *first = mbs_arena_alloc(arena, parts + 1, sizeof *first);
  int *others = mbs_arena_alloc(arena, count + 1, sizeof *others);
  if (!pairs || !first || !others) return false;
  find_pairs(&found, part, pairs, &count);
  qsort(pairs, count, sizeof *pairs, compare_pairs);
  list_others(pairs, count, first, others);
  for (size_t p = 0; p < parts; p++) first[p + 1] += first[p];
  *out = (mbs_subsystems){parts, part, first, others};
  return true;
}

bool mbs_subsystems_divide(mbs_model *model) {
  search found;
  int *part = mbs_arena_alloc(model->arena, model->nB + 1, sizeof *part);
  mbs_parts *parts = &model->parts;
  size_t count;
  if (!part || !start(&found, model, model->arena, true) ||
      !mbs_parts_open(parts, model->arena, model->nv, model->nB + 1))
    return false;
  if (found.unknown || !find_pairs(&found, part, NULL, &count) || model->nB == 0) return true;
  parts->count = number_parts(&found, part);
  for (size_t k = 0; k < model->nv; k++) parts->of[k] = part[model->velocity_body[k]];
  mbs_parts_list(parts, model->nv);
  return true;
}
