/* Paths of belts and ropes: their elements are structure; signed radii, and angles and lengths at the start, are
 * numbers. */
#include "base/rotation.h"
#include "builder/builder.h"
#include "equations/strands.h"

#include <math.h>
#include <string.h>

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* An element of a path, as read from the document. */
typedef struct element {
  int body, point;
  bool grips, round;
} element;

static const mbs_value *given(const mbs_node *node, const char *field) {
  const mbs_value *value = mbs_read_if_known(node, field);
  return value->given ? value : NULL;
}

/* Reports fields that only a drum or a pulley has, and a missing radius. Returns false after a report. */
static bool check_fields(mbs_builder *builder, const mbs_node *node, const char *kind) {
  static const char *const extra[] = {"radius", "sense", "grip"};
  bool good = true;
  for (int k = 0; k < 3; k++) {
    const mbs_value *value = given(node, extra[k]);
    const bool allowed = strcmp(kind, "pulley") == 0 || (strcmp(kind, "drum") == 0 && k < 2);
    if (!value || allowed) continue;
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "a %s has no '%s'; remove it", kind, extra[k]);
    good = false;
  }
  if (strcmp(kind, "point") != 0 && !given(node, "radius")) {
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field 'radius' of this %s", kind);
    good = false;
  }
  return good;
}

/* Returns the kind of an element of a rope, "point", "drum" or "pulley", which is at an end or between the ends.
 * Returns NULL after a report. */
static const char *kind_of(mbs_builder *builder, const mbs_node *node, bool at_end, bool elastic) {
  static const char *const kinds[] = {"point", "drum", "pulley"};
  const char *kind = NULL;
  for (int k = 0; k < 3; k++) {
    if (!given(node, kinds[k])) continue;
    if (kind) {
      mbs_diagnose(builder->list, MBS_INVALID, node->pointer, "this element is a %s and a %s; give one of them", kind,
                   kinds[k]);
      return NULL;
    }
    kind = kinds[k];
  }
  if (!kind) {
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field '%s'",
                 at_end ? "point' or 'drum" : "pulley");
    return NULL;
  }
  const char *pointer = mbs_read_value(node, kind)->pointer, *wrong = NULL;
  if (at_end && strcmp(kind, "pulley") == 0) wrong = "a rope ends at a point or on a drum, not at a pulley";
  if (!at_end && strcmp(kind, "drum") == 0) wrong = "a drum is an end of a rope; between its ends are pulleys";
  if (builder->model->dim == 3 && strcmp(kind, "point") != 0) wrong = "in space a rope runs over points only";
  const mbs_value *grip = given(node, "grip");
  if (!wrong && elastic && grip && mbs_read_bool(node, "grip")) {
    wrong = "an elastic rope slides over its pulleys; remove 'grip', or use the joint 'rope'";
    pointer = grip->pointer;
  }
  if (wrong) mbs_diagnose(builder->list, MBS_INVALID, pointer, "%s", wrong);
  return !wrong && check_fields(builder, node, kind) ? kind : NULL;
}

/* Reads element i of `count`. Returns false after a report. */
static bool read_element(mbs_builder *builder, const mbs_value *elements, size_t i, mbs_strand_path_kind type,
                         element *out) {
  const mbs_node *node = &elements->nodes[i];
  const bool at_end = i == 0 || i + 1 == elements->count;
  const char *kind = type == MBS_PATH_BELT ? "point" : kind_of(builder, node, at_end, type == MBS_PATH_ELASTIC);
  if (!kind || !given(node, kind)) return false;
  out->round = type == MBS_PATH_BELT || strcmp(kind, "point") != 0;
  out->grips = type == MBS_PATH_BELT || strcmp(kind, "drum") == 0 ||
               (strcmp(kind, "pulley") == 0 && type == MBS_PATH_ROPE && mbs_read_bool(node, "grip"));
  const mbs_value *place = mbs_read_value(node, kind);
  return mbs_read_place(builder, place->scalars[0].text, false, place->pointer, &out->body, &out->point);
}

/* ---- paths ----------------------------------------------------------------------------------------------------- */

static void add_strand(mbs_builder *builder, const element *first, const element *second) {
  mbs_model *model = builder->model;
  size_t known = model->strand_count;
  mbs_strand_constants *numbers = mbs_builder_grow(builder, (void **)&model->constants->strands, &known,
                                                   &builder->strand_number_capacity, sizeof *numbers);
  mbs_strand *strand = mbs_builder_grow(builder, (void **)&model->strands, &model->strand_count,
                                        &builder->strand_capacity, sizeof *strand);
  if (!strand || !numbers) return;
  *strand = (mbs_strand){.body = {first->body, second->body},
                         .point = {first->point, second->point},
                         .grips = {first->grips, second->grips},
                         .turn = -1};
  if (first->round || second->round) strand->turn = (int)model->strand_turns++;
}

/* Divides a path into runs: a strand of a belt is a run; those of a rope end where it does not slip. */
static void find_runs(mbs_builder *builder, const element *elements, mbs_strand_path *path) {
  path->run = mbs_builder_alloc(builder, (size_t)path->strands + 1, sizeof *path->run);
  for (int k = 1; k <= path->strands && path->run; k++)
    if (k == path->strands || elements[k].grips) path->run[++path->runs] = k;
}

int mbs_read_path(mbs_builder *builder, const mbs_node *node, const char *field, mbs_strand_path_kind kind) {
  mbs_model *model = builder->model;
  const mbs_value *value = mbs_read_value(node, field);
  const size_t n = value->given ? value->count : 0;
  if (n < 2) return -1; /* reported by the reader */
  element *elements = mbs_builder_alloc(builder, n, sizeof *elements);
  bool good = elements != NULL, moves = false;
  for (size_t i = 0; i < n && elements; i++) {
    const bool read = read_element(builder, value, i, kind, &elements[i]);
    good = good && read;
    moves = moves || !read || elements[i].body != elements[0].body;
  }
  if (good && !moves)
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "all elements of this path are on '%s'; it does nothing",
                 model->bodies[elements[0].body].name);
  if (!good || !moves) return -1;
  mbs_strand_path *path =
      mbs_builder_grow(builder, (void **)&model->paths, &model->path_count, &builder->path_capacity, sizeof *path);
  if (!path) return -1;
  const char *name = mbs_read_text(node, "name");
  *path = (mbs_strand_path){.elements = value,
                            .name = name ? name : "",
                            .strand0 = (int)model->strand_count,
                            .strands = (int)(kind == MBS_PATH_BELT ? n : n - 1),
                            .closed = kind == MBS_PATH_BELT};
  find_runs(builder, elements, path);
  for (int k = 0; k < path->strands; k++) add_strand(builder, &elements[k], &elements[mbs_strand_path_next(path, k)]);
  return (int)model->path_count - 1;
}

void mbs_strand_path_bodies(mbs_builder *builder, int path, mbs_joint *joint) {
  const mbs_model *model = builder->model;
  const mbs_strand_path *self = &model->paths[path];
  const mbs_strand *first = &model->strands[self->strand0], *last = first + self->strands - 1;
  const int end = self->closed ? 0 : 1; /* the last element of a belt is the first one of its last strand */
  joint->bodies = mbs_builder_alloc(builder, (size_t)self->strands + 1, sizeof *joint->bodies);
  joint->frames.body1 = first->body[0];
  joint->frames.point1 = first->point[0];
  joint->frames.body2 = last->body[end];
  joint->frames.point2 = last->point[end];
  for (int k = 0; k < self->strands && joint->bodies; k++)
    for (int side = 0; side < 2; side++) mbs_joint_add_body(joint, first[k].body[side]);
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

void mbs_strand_path_numbers(mbs_binder *binder, int path) {
  if (path < 0) return;
  const mbs_strand_path *self = &binder->model->paths[path];
  mbs_strand_constants *strands = binder->constants->strands + self->strand0;
  const bool loads = binder->loads;
  binder->loads = false; /* positions depend on these numbers */
  for (int i = 0; i <= self->strands - self->closed; i++) {
    const mbs_node *node = &self->elements->nodes[i];
    double c = 0;
    if (given(node, "radius")) {
      const double radius = mbs_read_number(binder, node, "radius"), sense = mbs_read_number(binder, node, "sense");
      if (fabs(sense) != 1)
        mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "sense")->pointer,
                     "the sense must be 1 (the path runs counterclockwise about this element) or -1, not %g", sense);
      c = sense * radius;
    }
    if (i < self->strands) strands[i].c[0] = c;
    if (i > 0) strands[i - 1].c[1] = c;
    if (i == 0 && self->closed) strands[self->strands - 1].c[1] = c;
  }
  binder->loads = loads;
}

/* Computes a point of a body at its pose at the start. */
static void start_point(const mbs_binder *binder, int body, int point, double out[3]) {
  const mbs_pose *pose = &binder->constants->poses[body];
  const double *s = binder->constants->points[point];
  double A[9];
  if (binder->model->dim == 3)
    mbs_euler_matrix(pose->p, A);
  else
    memcpy(A, (const double[]){cos(pose->angle), -sin(pose->angle), 0, sin(pose->angle), cos(pose->angle), 0, 0, 0, 1},
           sizeof A);
  mbs_rotate(A, s, out);
  for (int k = 0; k < binder->model->dim; k++) out[k] += pose->r[k];
}

/* Computes direction and length of a strand at the start. Returns false after a report. */
static bool start_tangent(mbs_binder *binder, const mbs_strand_path *path, int k, double u[3], double *L) {
  const mbs_strand *strand = &binder->model->strands[path->strand0 + k];
  const double *c = binder->constants->strands[path->strand0 + k].c;
  const char *pointer = path->elements->nodes[mbs_strand_path_next(path, k)].pointer;
  double r1[3], r2[3], d[3];
  start_point(binder, strand->body[0], strand->point[0], r1);
  start_point(binder, strand->body[1], strand->point[1], r2);
  for (int i = 0; i < 3; i++) d[i] = r2[i] - r1[i];
  const double distance = sqrt(mbs_dot(d, d));
  const bool tangent = mbs_tangent(d, c[0], c[1], u, L);
  if (tangent && !(c[0] != 0 && c[1] != 0 && distance < fabs(c[0]) + fabs(c[1]))) return true;
  if (c[0] != 0 && c[1] != 0)
    mbs_diagnose(binder->list, MBS_INVALID, pointer,
                 "the pulleys overlap at the start: their centres are %.9g m apart, their radii are %.9g m and %.9g m",
                 distance, fabs(c[0]), fabs(c[1]));
  else if (c[0] != 0 || c[1] != 0)
    mbs_diagnose(binder->list, MBS_INVALID, pointer,
                 "no tangent at the start: the point is %.9g m from the centre of a pulley with radius %.9g m",
                 distance, fabs(c[0]) + fabs(c[1]));
  else
    mbs_diagnose(binder->list, MBS_INVALID, pointer, "two points of the path coincide at the start");
  return false;
}

/* Returns the angle of wrap, in [0, 2 pi), that differs from w by full turns. If w is below 0 by rounding only, returns
 * 0 up to rounding, not 2 pi. */
static double wrap_of(double w) { return 0.5 * mbs_full_turn - mbs_wrap_angle(0.5 * mbs_full_turn - w); }

/* theory (22.5) */
void mbs_strand_path_start(mbs_binder *binder, int path) {
  const mbs_model *model = binder->model;
  const mbs_strand_path *self = &model->paths[path];
  mbs_strand_path_constants *out = &binder->constants->paths[path];
  mbs_strand_constants *strands = binder->constants->strands + self->strand0;
  double b = 0;
  *out = (mbs_strand_path_constants){.length = 0};
  for (int k = 0; k < self->strands; k++) {
    const mbs_strand *strand = &model->strands[self->strand0 + k];
    mbs_strand_constants *own = &strands[k];
    double u[3], L;
    if (!start_tangent(binder, self, k, u, &L)) return;
    const double raw = atan2(u[1], u[0]), sense = copysign(1, own->c[0]);
    own->angle = k == 0 || own->c[0] == 0 ? raw : b + sense * wrap_of(sense * (raw - b));
    out->length += L;
    if (k > 0) out->length += own->c[0] * (own->angle - b);
    b = own->angle;
    own->start = L;
    for (int end = 0; end < 2 && model->dim == 2; end++) {
      const double psi = strand->grips[end] ? binder->constants->poses[strand->body[end]].angle : 0;
      own->start += (end ? own->c[1] : -own->c[0]) * (psi - b);
    }
  }
  if (!self->closed) return;
  const double sense = copysign(1, strands[0].c[0]), last = sense * (strands[0].angle - b);
  out->closing = fabs(strands[0].c[0]) * (wrap_of(last) - last);
  out->length += fabs(strands[0].c[0]) * wrap_of(last);
}
