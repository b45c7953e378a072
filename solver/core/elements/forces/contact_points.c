#include "elements/forces/contact_points.h"

#include "base/rotation.h"
#include "elements/forces/contact_rims.h"

#include <stdio.h>
#include <string.h>

/* ---- shapes -------------------------------------------------------------------------------------------------- */

static const struct {
  const char *type;
  mbs_contact_kind kind;
  int dim; /* 0: plane and space */
} kinds[] = {{"circle", MBS_CONTACT_DISC, 0},       {"sphere", MBS_CONTACT_DISC, 3},
             {"rectangle", MBS_CONTACT_POLYGON, 2}, {"polygon", MBS_CONTACT_POLYGON, 2},
             {"line", MBS_CONTACT_POLYGON, 2},      {"arc", MBS_CONTACT_ARC, 2},
             {"capsule", MBS_CONTACT_CAPSULE, 0},   {"box", MBS_CONTACT_BOX, 3},
             {"half-space", MBS_CONTACT_PLANE, 3},  {"cylinder", MBS_CONTACT_CYLINDER, 3}};

static bool kind_of(const mbs_node *shape, int dim, mbs_contact_kind *kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].type, shape->cls->name) == 0 && (kinds[i].dim == 0 || kinds[i].dim == dim)) {
      *kind = kinds[i].kind;
      return true;
    }
  return false;
}

/* Returns the document's node of a body, numbered as in the document. */
static const mbs_node *node_of_body(const mbs_builder *builder, int body) {
  if (body > 0) return &mbs_read_value(builder->document, "bodies")->nodes[body - 1];
  const mbs_value *ground = mbs_read_value(builder->document, "ground");
  return ground->given && ground->count ? &ground->nodes[0] : NULL;
}

/* Finds the shape "body.name". Returns NULL after a report. */
static const mbs_node *find_shape(mbs_builder *builder, const char *reference, const char *pointer, int *body) {
  const char *dot = strchr(reference, '.');
  if (!dot) {
    mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "'%.60s' is not a shape; write \"body.shape\"", reference);
    return NULL;
  }
  char name[200];
  snprintf(name, sizeof name, "%.*s", (int)(dot - reference), reference);
  *body = mbs_read_body(builder, name, pointer);
  if (*body < 0) return NULL;
  const mbs_node *node = node_of_body(builder, *body);
  const mbs_value *shapes = node ? mbs_read_value(node, "shapes") : NULL;
  char known[300] = "";
  size_t used = 0;
  const mbs_node *found = NULL;
  for (size_t i = 0; shapes && i < shapes->count; i++) {
    const char *own = mbs_read_text(&shapes->nodes[i], "name");
    if (!own) continue;
    const bool same = strcmp(own, dot + 1) == 0;
    if (same && found) {
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "'%s' has more than one shape '%.60s'", name, own);
      return NULL;
    }
    if (same) found = &shapes->nodes[i];
    if (used < sizeof known) used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", own);
  }
  if (found) return found;
  mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer,
               used ? "'%s' has no shape '%.60s'; it has %s" : "'%s' has no shape '%.60s'; give a shape of it a 'name'",
               name, dot + 1, known);
  return NULL;
}

static bool read_shape(mbs_builder *builder, const char *reference, const char *pointer, mbs_contact_source *out,
                       int *body) {
  const mbs_node *node = find_shape(builder, reference, pointer, body);
  if (!node) return false;
  *out = (mbs_contact_source){.node = node, .name = reference, .point = -1, .vector = -1};
  if (kind_of(node, builder->model->dim, &out->kind)) return true;
  mbs_diagnose(builder->list, MBS_INVALID, pointer, "a %s cannot touch other shapes; in a %s model %s can",
               node->cls->name, builder->model->kernels->name,
               builder->model->dim == 2 ? "circle, line, rectangle, polygon, arc and capsule"
                                        : "circle, sphere, capsule, cylinder, box and half-space");
  return false;
}

/* Reads the line or plane of the element: a point and, on the same body, a vector. */
static bool read_plane(mbs_builder *builder, const mbs_value *line, mbs_contact_source *out, int *body) {
  int of_vector = -1;
  bool good = true;
  *out = (mbs_contact_source){.kind = MBS_CONTACT_PLANE, .name = "line"};
  for (int k = 0; k < 2; k++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(line, (size_t)k, pointer);
    good = mbs_read_place(builder, line->scalars[k].text, k == 1, pointer, k == 0 ? body : &of_vector,
                          k == 0 ? &out->point : &out->vector) &&
           good;
  }
  if (good && of_vector != *body)
    mbs_diagnose(builder->list, MBS_INVALID, line->pointer, "its point and its vector must be on one body");
  return good && of_vector == *body;
}

/* ---- points -------------------------------------------------------------------------------------------------- */

/* Returns the number of round parts of a shape: its corners, ends, or itself; of an arc its circle and its ends. A
 * plane and a cylinder have none. */
static int rounds_of(const mbs_contact_source *source) {
  switch (source->kind) {
  case MBS_CONTACT_DISC: return 1;
  case MBS_CONTACT_BOX: return 8;
  case MBS_CONTACT_CAPSULE: return 2;
  case MBS_CONTACT_ARC: return 3;
  case MBS_CONTACT_POLYGON:
    if (strcmp(source->node->cls->name, "rectangle") == 0) return 4;
    if (strcmp(source->node->cls->name, "line") == 0) return 2;
    return (int)mbs_read_value(source->node, "points")->count;
  case MBS_CONTACT_PLANE:
  case MBS_CONTACT_CYLINDER: break;
  }
  return 0;
}

/* Returns true for an arc that is touched from inside. */
static bool is_inside(const mbs_node *arc) {
  const char *side = mbs_read_text(arc, "side");
  return side && side[0] == 'i';
}

/* Returns true if the round parts of one shape form points of contact with another shape as their target. `second`: the
 * shape with the round parts is the second one of its pair. */
static bool is_watched(mbs_contact_kind round, mbs_contact_kind target, bool second) {
  switch (target) {
  case MBS_CONTACT_DISC: return round == MBS_CONTACT_DISC && second; /* others are the targets of discs */
  case MBS_CONTACT_CAPSULE: return round != MBS_CONTACT_CYLINDER && round != MBS_CONTACT_PLANE;
  case MBS_CONTACT_CYLINDER: return round == MBS_CONTACT_DISC || round == MBS_CONTACT_CAPSULE;
  case MBS_CONTACT_BOX: return round != MBS_CONTACT_CYLINDER && round != MBS_CONTACT_PLANE;
  case MBS_CONTACT_POLYGON:
    return round == MBS_CONTACT_DISC || round == MBS_CONTACT_POLYGON || round == MBS_CONTACT_ARC;
  case MBS_CONTACT_PLANE:
  case MBS_CONTACT_ARC: break;
  }
  return true;
}

static bool may_touch(mbs_contact_kind a, mbs_contact_kind b, int dim) {
  if (a == MBS_CONTACT_DISC || b == MBS_CONTACT_DISC) return true;
  if (a == MBS_CONTACT_PLANE || b == MBS_CONTACT_PLANE) return a != b;
  if (a == MBS_CONTACT_ARC || b == MBS_CONTACT_ARC) return a == MBS_CONTACT_POLYGON || b == MBS_CONTACT_POLYGON;
  if (dim == 3 && (a == MBS_CONTACT_CAPSULE || b == MBS_CONTACT_CAPSULE)) return true;
  return a == b && (a == MBS_CONTACT_POLYGON || a == MBS_CONTACT_BOX);
}

static void add_point(mbs_contact_points *self, int target, int round, int number, double sign) {
  if (self->points)
    self->points[self->count] = (mbs_contact_point){.target = target, .round = round, .number = number, .sign = sign};
  self->count++;
}

/* Returns the largest number of places at which edges of two shapes cross. */
static int crossings_of(mbs_contact_kind target, mbs_contact_kind round, bool first) {
  if (target == MBS_CONTACT_CYLINDER) return round == MBS_CONTACT_CAPSULE ? 1 : 0;
  if (target != MBS_CONTACT_BOX) return 0;
  return round == MBS_CONTACT_CAPSULE ? 2 : round == MBS_CONTACT_BOX && first ? MBS_CONTACT_EDGES_MOST : 0;
}

/* Returns the shapes that one of two kinds may touch, for a message. */
static const char *partners_of(mbs_contact_kind a, mbs_contact_kind b, int dim) {
  if (a == MBS_CONTACT_ARC || b == MBS_CONTACT_ARC)
    return "an arc touches circles, shapes of the types polygon, rectangle and line, and the line of a contact";
  if (a == MBS_CONTACT_PLANE || b == MBS_CONTACT_PLANE) return "a plane touches spheres, boxes, capsules and cylinders";
  return dim == 3 ? "boxes touch boxes, capsules, spheres and planes; cylinders touch capsules, spheres and planes"
                  : "a capsule touches circles and the line of a contact";
}

/* Adds the points of one shape's round parts against another shape. Two capsules touch at their nearest places; rigid
 * ones also at their ends, so that parallel ones rest on each other. */
static void add_points(mbs_contact_points *self, int target, int round, double sign, bool rigid) {
  const mbs_contact_kind from = self->shapes[round].kind, to = self->shapes[target].kind;
  const bool capsules = from == MBS_CONTACT_CAPSULE && to == MBS_CONTACT_CAPSULE;
  const int count = rounds_of(&self->shapes[round]) + (capsules && sign > 0);
  int first = capsules && !rigid ? MBS_CONTACT_CROSSING : 0;
  if (!is_watched(from, to, sign > 0)) return;
  /* corners touch an arc from inside; outside, its circle touches them, as that of a disc */
  if (from == MBS_CONTACT_POLYGON && to == MBS_CONTACT_ARC && !is_inside(self->shapes[target].node)) return;
  if (from == MBS_CONTACT_ARC && to == MBS_CONTACT_POLYGON && is_inside(self->shapes[round].node)) first = 1;
  for (int i = first; i < count; i++) add_point(self, target, round, i, sign);
  for (int i = 0; i < crossings_of(to, from, sign > 0); i++)
    add_point(self, target, round, MBS_CONTACT_EDGES + i, sign);
  for (int i = 0; i < MBS_CONTACT_RIMS_MOST && from == MBS_CONTACT_CAPSULE && to == MBS_CONTACT_CYLINDER; i++)
    add_point(self, target, round, MBS_CONTACT_RIMS + i, sign);
  if (from != MBS_CONTACT_CYLINDER) return;
  const int kind = rigid ? MBS_RIM_LOWEST : MBS_RIM_COMPLIANT, end = rigid ? MBS_RIM_COMPLIANT : MBS_RIM_KINDS;
  for (int i = 2 * kind; i < 2 * end; i++) add_point(self, target, round, i, sign);
}

/* Adds the points of all pairs of different bodies. Returns false after a report. */
static bool add_pairs(mbs_builder *builder, const mbs_node *node, const mbs_force *force, mbs_contact_points *self) {
  const char *law = mbs_read_text(node, "law");
  const bool rigid = law && strcmp(law, "rigid") == 0;
  bool good = true, any = false;
  self->count = 0;
  for (int b = 1; b < (int)self->shape_count; b++)
    for (int a = 0; a < b; a++) {
      if (self->pair0) self->pair0[b * (b - 1) / 2 + a] = (int)self->count;
      const mbs_contact_source *one = &self->shapes[a], *two = &self->shapes[b];
      if (force->bodies[a] == force->bodies[b]) continue;
      any = true;
      if (!may_touch(one->kind, two->kind, builder->model->dim)) {
        if (!self->points)
          mbs_diagnose(builder->list, MBS_INVALID, node->pointer,
                       "the contact of '%s' with '%s' cannot be computed; %s", one->name, two->name,
                       partners_of(one->kind, two->kind, builder->model->dim));
        good = false;
        continue;
      }
      add_points(self, a, b, 1, rigid);
      add_points(self, b, a, -1, rigid);
    }
  if (self->pair0) self->pair0[self->shape_count * (self->shape_count - 1) / 2] = (int)self->count;
  if (!any && !self->points)
    mbs_diagnose(builder->list, MBS_INVALID, node->pointer, "a contact needs shapes of at least two bodies");
  return good && any;
}

/* Reads the shapes of the element into self->shapes, and their bodies into force->bodies. */
static bool read_shapes(mbs_builder *builder, const mbs_node *node, mbs_force *force, mbs_contact_points *self) {
  const mbs_value *list = mbs_read_value(node, "shapes"), *point = mbs_read_value(node, "point");
  const mbs_value *line = mbs_read_value(node, builder->model->dim == 3 ? "plane" : "line");
  bool good = true;
  if (mbs_read_refused(node, "point") || mbs_read_refused(node, "shapes") || (line->pointer && !line->given))
    return false;
  if (point->given == list->given) {
    mbs_diagnose(builder->list, point->given ? MBS_INVALID : MBS_MISSING, node->pointer,
                 "give 'point' or 'shapes', one of them");
    return false;
  }
  if (point->given && !line->given) {
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field '%s' of contact",
                 builder->model->dim == 3 ? "plane" : "line");
    return false;
  }
  if (list->given && mbs_read_given(node, "radius"))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "radius")->pointer,
                 "'radius' belongs to a 'point'; shapes have their own; remove it");
  size_t most = list->count + 2;
  self->shapes = mbs_builder_alloc(builder, most, sizeof *self->shapes);
  force->bodies = mbs_builder_alloc(builder, most, sizeof *force->bodies);
  if (!self->shapes || !force->bodies) return false;
  if (line->given) {
    int body = -1;
    good = read_plane(builder, line, &self->shapes[0], &body);
    if (good) force->bodies[self->shape_count++] = body;
  }
  if (point->given) {
    mbs_contact_source *source = &self->shapes[self->shape_count];
    int body = -1;
    *source = (mbs_contact_source){.kind = MBS_CONTACT_DISC, .vector = -1, .name = point->scalars[0].text};
    good = mbs_read_place(builder, point->scalars[0].text, false, point->pointer, &body, &source->point) && good;
    if (good && body == force->bodies[0]) {
      mbs_diagnose(builder->list, MBS_INVALID, point->pointer,
                   "this point is on the same body as the line or plane; choose a point of another body");
      good = false;
    }
    force->bodies[self->shape_count++] = body;
  }
  for (size_t i = 0; i < list->count; i++) {
    char pointer[MBS_POINTER_SIZE];
    int body = -1;
    mbs_item_pointer(list, i, pointer);
    if (!list->scalars[i].text ||
        !read_shape(builder, list->scalars[i].text, pointer, &self->shapes[self->shape_count], &body)) {
      good = false;
      continue;
    }
    force->bodies[self->shape_count++] = body;
  }
  force->body_count = self->shape_count;
  return good;
}

/* Returns true for a sharp part at a segment. */
static bool is_sided(const mbs_contact_points *self, const mbs_contact_point *point) {
  const mbs_contact_source *target = &self->shapes[point->target];
  const mbs_contact_kind round = self->shapes[point->round].kind;
  const bool sharp = round == MBS_CONTACT_POLYGON || (round == MBS_CONTACT_ARC && point->number > 0);
  return sharp && target->kind == MBS_CONTACT_POLYGON && rounds_of(target) == 2;
}

static bool find_sided(mbs_builder *builder, mbs_contact_points *self) {
  self->sided = mbs_builder_alloc(builder, self->count, sizeof *self->sided);
  for (size_t k = 0; k < self->count && self->sided; k++)
    if (is_sided(self, &self->points[k])) self->sided[self->sided_count++] = (int)k;
  return self->sided != NULL;
}

mbs_contact_points *mbs_read_contact_points(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  mbs_contact_points *self = mbs_builder_alloc(builder, 1, sizeof *self);
  if (!self || !read_shapes(builder, node, force, self) || !add_pairs(builder, node, force, self)) {
    force->body_count = 0;
    return NULL;
  }
  self->points = mbs_builder_alloc(builder, self->count, sizeof *self->points);
  self->pair0 = mbs_builder_alloc(builder, self->shape_count * (self->shape_count - 1) / 2 + 1, sizeof *self->pair0);
  if (!self->points || !self->pair0 || !add_pairs(builder, node, force, self)) return NULL;
  if (!find_sided(builder, self)) return NULL;
  return self;
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

/* Reads a position of a shape; an omitted one is the origin. */
static void read_at(mbs_binder *binder, const mbs_node *node, const char *field, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  (void)mbs_read_numbers(binder, node, field, out, 3);
}

static void read_rectangle(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  const double w = 0.5 * mbs_read_number(binder, node, "width"), h = 0.5 * mbs_read_number(binder, node, "height");
  const double angle = mbs_read_number(binder, node, "angle"), c = cos(angle), s = sin(angle);
  static const double x[4] = {-1, 1, 1, -1}, y[4] = {-1, -1, 1, 1};
  read_at(binder, node, "at", out->at);
  out->count = 4;
  for (int i = 0; i < 4; i++) {
    out->corners[i][0] = out->at[0] + c * x[i] * w - s * y[i] * h;
    out->corners[i][1] = out->at[1] + s * x[i] * w + c * y[i] * h;
  }
}

/* Makes the corners counterclockwise, and reports a polygon that is not convex. */
static void orient(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  int left = 0, right = 0, same = 0;
  double turned = 0;
  const int n = out->count;
  for (int i = 0; i < n; i++) {
    const double *a = out->corners[i], *b = out->corners[(i + 1) % n], *c = out->corners[(i + 2) % n];
    const double turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
    turned += atan2(turn, (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]));
    left += turn > 0;
    right += turn < 0;
    same += a[0] == b[0] && a[1] == b[1];
  }
  if (same || (n > 2 && !left && !right)) {
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "points")->pointer,
                 same ? "a polygon that touches other shapes must not have two equal corners side by side"
                      : "a polygon that touches other shapes must have an area");
    return;
  }
  /* a polygon whose edges turn by more than one revolution crosses itself */
  if (n > 2 && ((left && right) || fabs(turned) > 1.5 * mbs_full_turn))
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "points")->pointer,
                 "only a convex polygon can touch other shapes; divide it into convex ones");
  for (int i = 0; right && !left && i < n / 2; i++)
    for (int k = 0; k < 2; k++) {
      const double kept = out->corners[i][k];
      out->corners[i][k] = out->corners[n - 1 - i][k];
      out->corners[n - 1 - i][k] = kept;
    }
}

static void read_polygon(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  const mbs_value *points = mbs_read_value(node, "points");
  if (points->count > MBS_CONTACT_CORNERS) {
    mbs_diagnose(binder->list, MBS_TOO_LARGE, points->pointer, "a polygon in a contact has at most %d corners, not %zu",
                 MBS_CONTACT_CORNERS, points->count);
    return;
  }
  out->count = (int)points->count;
  for (size_t i = 0; i < points->count; i++) {
    const mbs_value *row = &points->nodes[i].values[0];
    for (size_t k = 0; k < 2 && k < row->count; k++)
      out->corners[i][k] = mbs_read_item(binder, mbs_field_of(node, "points"), row, k);
  }
  orient(binder, node, out);
}

static void read_line(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  double ends[2][3];
  read_at(binder, node, "from", ends[0]);
  read_at(binder, node, "to", ends[1]);
  out->count = 2;
  for (int i = 0; i < 2; i++) memcpy(out->corners[i], ends[i], 2 * sizeof(double));
  if (ends[0][0] == ends[1][0] && ends[0][1] == ends[1][1] && mbs_read_given(node, "to"))
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "to")->pointer,
                 "a line of length 0 cannot touch other shapes");
}

static void read_axis(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  read_at(binder, node, "from", out->ends[0]);
  read_at(binder, node, "to", out->ends[1]);
  out->radius = mbs_read_number(binder, node, "radius");
  if (memcmp(out->ends[0], out->ends[1], sizeof out->ends[0]) == 0 && mbs_read_given(node, "to"))
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "to")->pointer,
                 "a %s of length 0 cannot touch other shapes", node->cls->name);
}

static void read_box(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  double size[3] = {0}, axis[3] = {0, 0, 1}, given[3], p[4], A[9];
  (void)mbs_read_numbers(binder, node, "size", size, 3);
  read_at(binder, node, "at", out->at);
  if (mbs_read_numbers(binder, node, "axis", given, 3) == 3) memcpy(axis, given, sizeof axis);
  const double length = sqrt(mbs_dot(axis, axis));
  for (int k = 0; k < 3; k++) axis[k] /= length > 0 ? length : 1;
  mbs_euler_of_turn(axis, mbs_read_number(binder, node, "angle"), p);
  mbs_euler_matrix(p, A);
  for (int a = 0; a < 3; a++) {
    out->half[a] = 0.5 * size[a];
    const double own[3] = {a == 0, a == 1, a == 2};
    mbs_rotate(A, own, out->A + 3 * a);
  }
}

static void read_plane_of(mbs_binder *binder, const mbs_contact_source *source, mbs_contact_shape *out) {
  const double *u = binder->constants->vectors[source->vector];
  const bool spatial = binder->model->dim == 3;
  memcpy(out->at, binder->constants->points[source->point], sizeof out->at);
  memcpy(out->normal, (const double[3]){spatial ? u[0] : -u[1], spatial ? u[1] : u[0], spatial ? u[2] : 0},
         sizeof out->normal);
}

static void read_half_space(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  read_at(binder, node, "at", out->at);
  read_at(binder, node, "normal", out->normal);
  const double length = sqrt(mbs_dot(out->normal, out->normal));
  if (length == 0 && mbs_read_given(node, "normal"))
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "normal")->pointer, "a normal of length 0");
  for (int k = 0; k < 3; k++) out->normal[k] /= length > 0 ? length : 1;
}

static void read_arc(mbs_binder *binder, const mbs_node *node, mbs_contact_shape *out) {
  read_at(binder, node, "at", out->at);
  out->radius = mbs_read_number(binder, node, "radius");
  out->from = mbs_read_number(binder, node, "from");
  out->to = mbs_read_number(binder, node, "to");
  out->inside = is_inside(node);
  if (out->to <= out->from) /* false if one is missing, which is reported elsewhere */
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "to")->pointer,
                 "an arc goes counterclockwise: 'to' (%g) must be above 'from' (%g)", out->to, out->from);
}

void mbs_contact_shape_numbers(mbs_binder *binder, const mbs_contact_source *source, double radius,
                               mbs_contact_shape *out) {
  const mbs_node *node = source->node;
  *out = (mbs_contact_shape){.kind = source->kind};
  if (!node && source->kind == MBS_CONTACT_PLANE) {
    read_plane_of(binder, source, out);
  } else if (!node) {
    memcpy(out->at, binder->constants->points[source->point], sizeof out->at);
    out->radius = radius;
  } else if (source->kind == MBS_CONTACT_DISC) {
    read_at(binder, node, "at", out->at);
    out->radius = mbs_read_number(binder, node, "radius");
  } else if (source->kind == MBS_CONTACT_CAPSULE || source->kind == MBS_CONTACT_CYLINDER) {
    read_axis(binder, node, out);
  } else if (source->kind == MBS_CONTACT_BOX) {
    read_box(binder, node, out);
  } else if (source->kind == MBS_CONTACT_PLANE) {
    read_half_space(binder, node, out);
  } else if (source->kind == MBS_CONTACT_ARC) {
    read_arc(binder, node, out);
  } else if (strcmp(node->cls->name, "rectangle") == 0) {
    read_rectangle(binder, node, out);
  } else if (strcmp(node->cls->name, "line") == 0) {
    read_line(binder, node, out);
  } else {
    read_polygon(binder, node, out);
  }
}
