/* The choice of the tree: a minimum spanning tree (Prim). Its weights prefer few coordinates, then short branches, then
 * the order of the document. A joint that the document requires in the tree precedes all others. */
#include <assert.h>

#include "builder/builder.h"

typedef struct candidate {
  int joint, child, parent, depth;
  int rank; /* smaller first */
} candidate;

typedef struct heap {
  candidate *items;
  size_t count;
} heap;

static bool before(const candidate *a, const candidate *b) {
  if (a->rank != b->rank) return a->rank < b->rank;
  if (a->depth != b->depth) return a->depth < b->depth;
  return a->joint < b->joint;
}

static void heap_push(heap *h, candidate item) {
  size_t at = h->count++;
  while (at > 0 && before(&item, &h->items[(at - 1) / 2])) {
    h->items[at] = h->items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  h->items[at] = item;
}

static candidate heap_pop(heap *h) {
  assert(h->count > 0);
  candidate top = h->items[0], last = h->items[--h->count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child + 1 < h->count && before(&h->items[child + 1], &h->items[child])) child++;
    if (child >= h->count || !before(&h->items[child], &last)) break;
    h->items[at] = h->items[child];
    at = child;
  }
  h->items[at] = last;
  return top;
}

/* Joints at each body: joints[first[b] .. first[b + 1]). */
typedef struct adjacency {
  int *first, *joints;
} adjacency;

static bool usable(const mbs_joint *joint) { return joint->shape->in_tree && joint->cut != MBS_CUT_YES; }

static adjacency find_adjacency(mbs_builder *builder) {
  const mbs_model *model = builder->model;
  adjacency a = {mbs_builder_alloc(builder, model->nB + 2, sizeof *a.first),
                 mbs_builder_alloc(builder, 2 * model->joint_count, sizeof *a.joints)};
  int *fill = mbs_builder_alloc(builder, model->nB + 2, sizeof *fill);
  if (builder->failed) return a;
  for (size_t j = 0; j < model->joint_count; j++) {
    a.first[model->joints[j].frames.body1 + 1]++;
    a.first[model->joints[j].frames.body2 + 1]++;
  }
  for (size_t b = 0; b <= model->nB; b++) a.first[b + 1] += a.first[b];
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_frames *frames = &model->joints[j].frames;
    a.joints[a.first[frames->body1] + fill[frames->body1]++] = (int)j;
    a.joints[a.first[frames->body2] + fill[frames->body2]++] = (int)j;
  }
  return a;
}

static void reach(const mbs_builder *builder, const adjacency *adjacent, int body, int depth, const bool *reached,
                  heap *h) {
  for (int k = adjacent->first[body]; k < adjacent->first[body + 1]; k++) {
    const mbs_joint *joint = &builder->model->joints[adjacent->joints[k]];
    int other = joint->frames.body1 == body ? joint->frames.body2 : joint->frames.body1;
    assert(other >= 0 && (size_t)other <= builder->model->nB);
    if (!usable(joint) || reached[other]) continue;
    bool kept = joint->cut == MBS_CUT_NO || joint->shape->row_count == 0 ||
                builder->model->held_joint[adjacent->joints[k]] || /* a held coordinate must be one of the tree's */
                (builder->model->steady_joint && builder->model->steady_joint[adjacent->joints[k]]);
    heap_push(h, (candidate){.joint = adjacent->joints[k],
                             .child = other,
                             .parent = body,
                             .depth = depth + 1,
                             .rank = kept ? -1 : (int)joint->shape->coordinate_count});
  }
}

/* Reports joints that are required in the tree but are not in it. */
static void check_kept(mbs_builder *builder, const mbs_tree_choice *tree) {
  const mbs_model *model = builder->model;
  bool *carries = mbs_builder_alloc(builder, model->joint_count, sizeof *carries);
  if (!carries) return;
  for (size_t b = 1; b <= model->nB; b++)
    if (tree->carrier[b] >= 0) carries[tree->carrier[b]] = true;
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cut == MBS_CUT_NO && !carries[j])
      mbs_diagnose(builder->list, MBS_INVALID, model->joints[j].pointer,
                   "joint '%s' cannot be in the tree: the joints with \"cut\": false form a loop; remove \"cut\": "
                   "false from one of them",
                   model->joints[j].name);
}

bool mbs_choose_tree(mbs_builder *builder, mbs_tree_choice *tree) {
  const mbs_model *model = builder->model;
  size_t n = model->nB;
  tree->carrier = mbs_builder_alloc(builder, n + 1, sizeof *tree->carrier);
  tree->parent = mbs_builder_alloc(builder, n + 1, sizeof *tree->parent);
  tree->order = mbs_builder_alloc(builder, n, sizeof *tree->order);
  bool *reached = mbs_builder_alloc(builder, n + 1, sizeof *reached);
  heap candidates = {mbs_builder_alloc(builder, 2 * model->joint_count, sizeof *candidates.items), 0};
  adjacency adjacent = find_adjacency(builder);
  if (builder->failed) return false;
  size_t count = 0, next = 1;
  reached[0] = true;
  reach(builder, &adjacent, 0, 0, reached, &candidates);
  while (count < n) {
    candidate best = {.joint = -1, .parent = 0, .depth = 1};
    if (candidates.count) {
      best = heap_pop(&candidates);
    } else { /* no joint leads to the remaining bodies: the first of them floats */
      while (reached[next]) next++;
      assert(next <= n);
      best.child = (int)next;
    }
    if (reached[best.child]) continue;
    reached[best.child] = true;
    tree->carrier[best.child] = best.joint;
    tree->parent[best.child] = best.parent;
    tree->order[count++] = best.child;
    assert(count <= n);
    reach(builder, &adjacent, best.child, best.depth, reached, &candidates);
  }
  check_kept(builder, tree);
  return mbs_builder_ok(builder);
}
