/* drawing.c - see drawing.h: reads a scene, and draws its bodies, joints and forces. */
#include "api/drawing/drawing.h"

#include "api/base/array_grow.h"
#include "api/base/text.h"
#include "api/drawing/vector.h"

#include <assert.h>
#include <stdlib.h>

/* Sizes as fractions of the mechanism's extent: the radius of a rod; the thickness of a sheet, the distance between
 * layers of sheets, and half the width of a support. */
static const double rod_share = 0.01, sheet_share = 0.03, layer_share = 0.008, foot_share = 0.03;
enum { LAYERS = 3 };

static const double along_y[3] = {0, 1, 0}, along_z[3] = {0, 0, 1};

size_t api_drawing_vector(const json_t *list, double out[3]) {
  const size_t count = json_array_size(list) < 3 ? json_array_size(list) : 3;
  for (size_t k = 0; k < 3; k++) out[k] = k < count ? json_number_value(json_array_get(list, k)) : 0;
  return count;
}

/* ---- solids ---------------------------------------------------------------------------------------------------- */

static void add_solid(const api_drawing_onto *onto, const api_solid *solid) {
  api_drawing *self = onto->drawing;
  api_solid *list = api_array_grow(self->solids, self->solid_count, &self->solid_capacity, sizeof *list);
  if (list) {
    self->solids = list;
    list[self->solid_count] = *solid;
    list[self->solid_count].carrier = onto->carrier;
    list[self->solid_count++].colour = onto->colour;
  } else {
    self->failed = true;
  }
}

/* Sets the columns of `place` to a rotation, scaled. */
static void set_turn(const double p[4], const double size[3], double place[4][3]) {
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0 ? size[0] : 0, k == 1 ? size[1] : 0, k == 2 ? size[2] : 0};
    api_rotate(p, axis, place[k]);
  }
}

void api_drawing_add(const api_drawing_onto *onto, api_form form, const double at[3], const double size[3],
                     const double *direction) {
  api_solid solid = {.form = form};
  double to[3], p[4];
  api_unit(direction ? direction : along_y, along_y, to);
  api_turn_between(along_y, to, p);
  set_turn(p, size, solid.place);
  memcpy(solid.place[3], at, sizeof solid.place[3]);
  add_solid(onto, &solid);
}

void api_drawing_ball(const api_drawing_onto *onto, const double at[3], double radius) {
  api_drawing_add(onto, API_FORM_BALL, at, (const double[3]){radius, radius, radius}, NULL);
}

void api_drawing_bar(const api_drawing_onto *onto, const double from[3], const double to[3], double radius) {
  double way[3], middle[3];
  api_plus(to, from, -1, way);
  api_plus(from, way, 0.5, middle);
  const double length = api_norm(way);
  if (length > 0) api_drawing_add(onto, API_FORM_BAR, middle, (const double[3]){radius, length, radius}, way);
}

void api_drawing_outline(const api_drawing_onto *onto, api_form form, const api_outline *outline) {
  api_drawing *self = onto->drawing;
  api_outline *list = api_array_grow(self->outlines, self->outline_count, &self->outline_capacity, sizeof *list);
  if (!list) {
    free(outline->points);
    free(outline->triangles);
    self->failed = true;
    return;
  }
  self->outlines = list;
  list[self->outline_count] = *outline;
  add_solid(onto, &(api_solid){.form = form,
                               .outline = self->outline_count++,
                               .place = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}});
}

void api_drawing_sheet(const api_drawing_onto *onto, double (*points)[3], size_t count) {
  api_outline outline = {
      .points = malloc((count + 1) * sizeof *points), .count = count, .way = {0, 0, onto->thickness}};
  if (!outline.points) {
    onto->drawing->failed = true;
    return;
  }
  for (size_t i = 0; i < count; i++) {
    memcpy(outline.points[i], points[i], sizeof outline.points[i]);
    outline.points[i][2] = onto->z - onto->thickness / 2;
  }
  api_drawing_outline(onto, API_FORM_PRISM, &outline);
}

void api_drawing_disc(const api_drawing_onto *onto, const double at[3], double radius) {
  const double from[3] = {at[0], at[1], onto->z - onto->thickness / 2},
               to[3] = {at[0], at[1], from[2] + onto->thickness};
  api_drawing_bar(onto, from, to, radius);
}

static void add_link(api_drawing *self, int from, int to, bool spring) {
  if (from < 0 || to < 0) return;
  api_link *list = api_array_grow(self->links, self->link_count, &self->link_capacity, sizeof *list);
  if (list) {
    self->links = list;
    list[self->link_count++] = (api_link){from, to, spring};
  } else {
    self->failed = true;
  }
}

/* ---- the scene ------------------------------------------------------------------------------------------------- */

/* A scene that is being drawn. */
typedef struct scene {
  api_drawing *out;
  const json_t *bodies, *points, *vectors, *joints, *forces;
  size_t dimension;
  double extent, middle[3];
  bool *supports; /* [points] points of the ground at which joints and springs are attached */
  bool *shaped;   /* [bodies] bodies that need no rods to their points */
} scene;

/* A point, or a vector, in the axes of its body. */
typedef struct place {
  int body;
  double at[3];
} place;

static place read_place(const json_t *list, long index) {
  const json_t *item = index >= 0 ? json_array_get(list, (size_t)index) : NULL;
  place found = {.body = (int)json_number_value(json_object_get(item, "body"))};
  api_drawing_vector(json_object_get(item, "at"), found.at);
  return found;
}

/* Returns a number of a list; -1 if there is none. */
static long index_at(const json_t *list, size_t i) {
  const json_t *value = json_array_get(list, i);
  return json_is_number(value) ? (long)json_number_value(value) : -1;
}

static place point_at(const scene *self, const json_t *list, size_t i) {
  return read_place(self->points, index_at(list, i));
}

static place vector_at(const scene *self, const json_t *list, size_t i) {
  return read_place(self->vectors, index_at(list, i));
}

static const char *text_of(const json_t *element, const char *name) {
  const char *text = json_string_value(json_object_get(element, name));
  return text ? text : "";
}

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(word, *words) == 0) return true;
  return false;
}

/* The colours of the page's palette. */
static unsigned body_colour(int body) {
  static const unsigned palette[] = {0x1d6fe0, 0xe0641b, 0x1a9a5c, 0xb0339b, 0xb08a00, 0x0f93a8, 0xd43a50, 0x6d56d6};
  return body > 0 ? palette[(body - 1) % 8] : API_COLOUR_FAINT;
}

static api_drawing_onto onto(const scene *self, int carrier, unsigned colour) {
  const int layer = carrier > 0 ? (carrier - 1) % LAYERS : 0;
  return (api_drawing_onto){.drawing = self->out,
                            .carrier = carrier,
                            .colour = colour,
                            .z = self->out->planar ? (layer - 1) * LAYERS * layer_share * self->extent : 0,
                            .thickness = sheet_share * self->extent};
}

/* Computes the centre and the longest side of the box around all mass centres and points. */
static void find_extent(scene *self, const double *centres, const double *points) {
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  const size_t counts[2] = {json_array_size(self->bodies) - 1, json_array_size(self->points)};
  const double *const lists[2] = {centres, points};
  for (int l = 0; l < 2; l++)
    for (size_t i = 0; i < counts[l] * self->dimension; i++) {
      const size_t k = i % self->dimension;
      if (!isfinite(lists[l][i])) continue;
      least[k] = fmin(least[k], lists[l][i]);
      most[k] = fmax(most[k], lists[l][i]);
    }
  for (size_t k = 0; k < self->dimension; k++) {
    if (!(most[k] >= least[k])) continue;
    self->extent = fmax(self->extent, most[k] - least[k]);
    self->middle[k] = (most[k] + least[k]) / 2;
  }
  if (!(self->extent > 0)) self->extent = 1;
}

/* ---- bodies ---------------------------------------------------------------------------------------------------- */

/* Adds a body without shapes: rods from the mass centre to its points. */
static void add_points(const scene *self, int body, bool shaped) {
  const double r = self->out->radius;
  const api_drawing_onto to = onto(self, body, body_colour(body));
  double farthest = 0;
  for (size_t i = 0; i < json_array_size(self->points); i++) {
    const place point = read_place(self->points, (long)i);
    if (point.body != body) continue;
    farthest = fmax(farthest, api_norm(point.at));
    api_drawing_ball(&to, point.at, 1.4 * r);
    if (shaped) continue;
    api_drawing_bar(&to, (const double[3]){0, 0, 0}, point.at, r);
    api_drawing_ball(&to, (const double[3]){0, 0, 0}, r);
  }
  if (!shaped && farthest <= r)
    api_drawing_add(&to, API_FORM_BLOCK, (const double[3]){0, 0, 0}, (const double[3]){8 * r, 5 * r, 4 * r}, NULL);
}

static void add_shapes(const scene *self, int body) {
  const json_t *shapes = json_object_get(json_array_get(self->bodies, (size_t)body), "shapes");
  const api_drawing_onto to = onto(self, body, body_colour(body));
  size_t i;
  json_t *shape;
  json_array_foreach(shapes, i, shape) api_drawing_shape(&to, shape);
}

/* ---- floors ---------------------------------------------------------------------------------------------------- */

static void add_floor(const scene *self, int carrier, const double at[3], const double normal[3], double side) {
  api_drawing_onto to = onto(self, carrier, API_COLOUR_FAINT);
  const size_t before = self->out->solid_count;
  const double thin = self->out->radius / 8, depth = self->out->planar ? self->extent / 4 : side;
  api_drawing_add(&to, API_FORM_BLOCK, at, (const double[3]){side, thin, depth}, normal);
  for (size_t i = before; i < self->out->solid_count; i++) self->out->solids[i].clear = true;
}

/* Sets the normal of a line in the plane, or of a plane, from the direction by which a document defines it. */
static void normal_of(const scene *self, const place *direction, double normal[3]) {
  memcpy(normal, direction->at, 3 * sizeof *normal);
  if (!self->out->planar) return;
  normal[0] = -direction->at[1];
  normal[1] = direction->at[0];
}

/* Adds a plane without end, around the point of it that is nearest to the mechanism. */
static void add_plane(const scene *self, int carrier, const double at[3], const double direction[3]) {
  double normal[3], foot[3], way[3];
  api_unit(direction, along_z, normal);
  memcpy(foot, at, sizeof foot);
  if (carrier == 0) {
    api_plus(self->middle, at, -1, way);
    api_plus(self->middle, normal, -api_dot(normal, way), foot);
  }
  add_floor(self, carrier, foot, normal, 2 * self->extent);
}

static void add_half_spaces(const scene *self, int body) {
  size_t i;
  json_t *shape;
  json_array_foreach(json_object_get(json_array_get(self->bodies, (size_t)body), "shapes"), i, shape) {
    double at[3], normal[3];
    api_drawing_vector(json_object_get(shape, "at"), at);
    api_drawing_vector(json_object_get(shape, "normal"), normal);
    if (strcmp(text_of(shape, "type"), "half-space") == 0) add_plane(self, body, at, normal);
  }
}

/* ---- wheels, balls and gears ----------------------------------------------------------------------------------- */

/* Adds a disc or ball around a point of a body. `axis` is the axis of a wheel in space, NULL for a ball. A body whose
 * shapes are round has them in place of a wheel. */
static void add_round(const scene *self, const place *point, double radius, const double *axis) {
  const api_drawing_onto to = onto(self, point->body, body_colour(point->body));
  const json_t *shapes = json_object_get(json_array_get(self->bodies, (size_t)point->body), "shapes");
  static const char *const round[] = {"circle", "sphere", "cylinder", NULL};
  const double r = self->out->radius;
  bool shown = false;
  size_t i;
  json_t *shape;
  if (!(radius > 0)) return;
  json_array_foreach(shapes, i, shape) shown = shown || is_one_of(text_of(shape, "type"), round);
  if (self->out->planar) self->shaped[point->body] = true;
  if (self->out->planar)
    api_drawing_disc(&to, point->at, radius);
  else if (!axis)
    api_drawing_ball(&to, point->at, radius);
  else if (!shown)
    api_drawing_add(&to, API_FORM_BAR, point->at, (const double[3]){radius, 2 * r, radius}, axis);
}

/* Adds the disc or ball of a joint or contact, around `centre`, and the line or plane that it touches. `axis` is that
 * of a wheel; NULL for a ball, and in the plane. */
static void add_touch(const scene *self, const place *through, const place *direction, const place *centre,
                      double radius, const place *axis) {
  double normal[3];
  normal_of(self, direction, normal);
  add_floor(self, through->body, through->at, normal, self->extent);
  add_round(self, centre, radius, axis ? axis->at : NULL);
}

/* Adds the pitch circles of a joint between teeth. */
static void add_pitch_circles(const scene *self, const json_t *joint) {
  const json_t *points = json_object_get(joint, "points"), *vectors = json_object_get(joint, "vectors");
  const json_t *radii = json_object_get(joint, "radii"), *teeth = json_object_get(joint, "teeth");
  const double radius = json_number_value(json_object_get(joint, "radius")),
               module = json_number_value(json_object_get(joint, "module"));
  const bool internal = strcmp(text_of(joint, "mesh"), "internal") == 0;
  double sizes[2] = {0}, most = 0;
  for (size_t i = 0; i < 2; i++) {
    const json_t *count = json_is_array(teeth) ? json_array_get(teeth, i) : i == 0 ? teeth : NULL;
    sizes[i] = radii ? json_number_value(json_array_get(radii, i)) : json_number_value(count) * module / 2;
    if (!radii && radius > 0) sizes[i] = i == 0 ? radius : 0;
    most = fmax(most, sizes[i]);
  }
  for (size_t i = 0; i < 2; i++) {
    const place point = point_at(self, points, i), axis = vector_at(self, vectors, i);
    /* A ring around the other gear is not filled; the gears of a cone lie beside their common point. */
    if ((internal && sizes[i] == most) || strcmp(text_of(joint, "type"), "bevel-gear") == 0) continue;
    add_round(self, &point, sizes[i], index_at(vectors, i) >= 0 ? axis.at : along_z);
  }
}

/* Adds a belt or rope with its pulleys and drums. */
static void add_rope(const scene *self, const json_t *element) {
  api_drawing *out = self->out;
  const json_t *pulleys = json_object_get(element, "pulleys"),
               *list = pulleys ? pulleys : json_object_get(element, "path");
  api_rope rope = {.count = json_array_size(list), .closed = pulleys != NULL};
  size_t i;
  json_t *stop;
  if (rope.count == 0) return;
  api_rope *ropes = api_array_grow(out->ropes, out->rope_count, &out->rope_capacity, sizeof *ropes);
  if (ropes) out->ropes = ropes;
  rope.stops = calloc(rope.count, sizeof *rope.stops);
  if (!ropes || !rope.stops) {
    free(rope.stops);
    out->failed = true;
    return;
  }
  json_array_foreach(list, i, stop) {
    rope.stops[i].point = (int)json_number_value(json_object_get(stop, "point"));
    rope.stops[i].radius = json_number_value(json_object_get(stop, "radius"));
    const place point = read_place(self->points, rope.stops[i].point);
    add_round(self, &point, fabs(rope.stops[i].radius), along_z);
  }
  ropes[out->rope_count++] = rope;
}

/* Adds closed curves, of cams, as sheets. */
static void add_curves(const scene *self, const json_t *joint) {
  size_t i;
  json_t *curve;
  json_array_foreach(json_object_get(joint, "curve"), i, curve) {
    const place from = read_place(self->points, (long)json_number_value(json_object_get(curve, "point")));
    const json_t *list = json_object_get(curve, "outline");
    const size_t count = json_array_size(list);
    double(*points)[3] = json_is_true(json_object_get(curve, "closed")) ? calloc(count + 1, sizeof *points) : NULL;
    const api_drawing_onto to = onto(self, from.body, body_colour(from.body));
    for (size_t k = 0; points && k < count; k++) {
      api_drawing_vector(json_array_get(list, k), points[k]);
      api_plus(points[k], from.at, 1, points[k]);
    }
    if (points && self->out->planar) {
      api_drawing_sheet(&to, points, count);
      self->shaped[from.body] = true;
    }
    free(points);
  }
}

/* ---- joints ---------------------------------------------------------------------------------------------------- */

/* The place of a joint's symbol: on a body, along an axis. */
typedef struct symbol {
  api_drawing_onto to;
  double at[3], along[3], r;
} symbol;

/* Adds a cylinder along the axis of a symbol, `shift` along it from its place; sizes in radii of a rod. */
static void add_pin(const symbol *self, double radius, double length, double shift) {
  double at[3];
  api_plus(self->at, self->along, shift * self->r, at);
  api_drawing_add(&self->to, API_FORM_BAR, at, (const double[3]){radius * self->r, length * self->r, radius * self->r},
                  self->along);
}

static void add_block(const symbol *self, api_form form, double x, double y, double z) {
  api_drawing_add(&self->to, form, self->at, (const double[3]){x * self->r, y * self->r, z * self->r}, self->along);
}

static void add_screw(const symbol *self) {
  add_pin(self, 1, 14, 0);
  for (int i = -6; i <= 6; i++) add_pin(self, 1.4, 0.4, i);
  add_block(self, API_FORM_NUT, 3, 4, 3);
}

/* Adds the arms of a cross, each with its bearings at both ends. */
static void add_cross(const scene *self, const symbol *at, const json_t *points, const json_t *vectors) {
  for (size_t i = 0; i < json_array_size(vectors); i++) {
    const place axis = vector_at(self, vectors, i), point = point_at(self, points, i);
    symbol arm = *at;
    if (point.body != axis.body) continue;
    arm.to = onto(self, axis.body, API_COLOUR_FAINT);
    memcpy(arm.at, point.at, sizeof arm.at);
    api_unit(axis.at, along_y, arm.along);
    add_pin(&arm, 1.2, 8, 0);
    add_pin(&arm, 1.9, 1.4, -3.4);
    add_pin(&arm, 1.9, 1.4, 3.4);
  }
}

static void add_symbol(const scene *self, const char *name, const symbol *at, const json_t *points,
                       const json_t *vectors) {
  const double r = at->r;
  if (strcmp(name, "dot") == 0) {
    api_drawing_ball(&at->to, at->at, 2 * r);
  } else if (strcmp(name, "pin") == 0) {
    add_pin(at, 2.2, 5, 0);
    add_pin(at, 1.2, 8, 0);
  } else if (strcmp(name, "ball") == 0) {
    api_drawing_ball(&at->to, at->at, 2.6 * r);
  } else if (strcmp(name, "slider") == 0) {
    add_block(at, API_FORM_BLOCK, 4.4, 7, 4.4);
  } else if (strcmp(name, "barrel") == 0) {
    add_pin(at, 2.2, 7, 0);
    add_pin(at, 1.2, 12, 0);
  } else if (strcmp(name, "screw") == 0) {
    add_screw(at);
  } else if (strcmp(name, "cross") == 0) {
    add_cross(self, at, points, vectors);
  } else if (strcmp(name, "plate") == 0) {
    add_block(at, API_FORM_BLOCK, 12, 0.8, 12);
  } else if (strcmp(name, "block") == 0) {
    add_block(at, API_FORM_BLOCK, 4.4, 4.4, 4.4);
  } else if (strcmp(name, "rod") == 0) {
    for (size_t i = 0; i < json_array_size(points); i++) {
      const place point = point_at(self, points, i);
      const api_drawing_onto to = onto(self, point.body, API_COLOUR_FAINT);
      api_drawing_ball(&to, point.at, 2 * r);
    }
  }
}

/* Adds the symbol of a joint: at one of its points, on the body of its first axis, or on a moving body. In the plane
 * pins are along z. */
static void add_joint_symbol(const scene *self, const json_t *joint) {
  const json_t *points = json_object_get(joint, "points"), *vectors = json_object_get(joint, "vectors");
  const char *name = text_of(joint, "symbol");
  const size_t count = json_array_size(points);
  if (count == 0) return;
  const bool upright = self->out->planar && (strcmp(name, "pin") == 0 || index_at(vectors, 0) < 0);
  const place axis = vector_at(self, vectors, 0);
  const bool directed = !upright && index_at(vectors, 0) >= 0;
  /* Prefer the point on the body of the axis, or else on a moving body. */
  size_t chosen = 0;
  for (size_t i = count; i-- > 0;) {
    const int body = point_at(self, points, i).body;
    if (directed ? body == axis.body : body > 0) chosen = i;
  }
  const place point = point_at(self, points, chosen);
  symbol at = {.to = onto(self, point.body, API_COLOUR_FAINT), .r = self->out->radius};
  memcpy(at.at, point.at, sizeof at.at);
  memcpy(at.along, upright ? along_z : along_y, sizeof at.along);
  if (directed && axis.body == point.body) api_unit(axis.at, along_y, at.along);
  add_symbol(self, name, &at, points, vectors);
}

static void add_joint(const scene *self, const json_t *joint) {
  static const char *const rolling[] = {"disc", "rolling", NULL};
  static const char *const toothed[] = {"gear-pair", "rack-and-pinion", "bevel-gear", "worm-gear", NULL};
  static const char *const sliding[] = {"translational", "revolute-translational", NULL};
  const json_t *points = json_object_get(joint, "points"), *vectors = json_object_get(joint, "vectors");
  const char *type = text_of(joint, "type"), *name = text_of(joint, "symbol");
  const size_t axes = json_array_size(vectors);
  add_joint_symbol(self, joint);
  const bool rail = self->out->planar && is_one_of(type, sliding);
  for (size_t i = 0; i < json_array_size(points); i++)
    if (strcmp(name, "none") != 0 && !rail && index_at(points, i) >= 0) self->supports[index_at(points, i)] = true;
  if (strcmp(name, "rod") == 0 && json_array_size(points) > 1)
    add_link(self->out, (int)index_at(points, 0), (int)index_at(points, 1), false);
  if (is_one_of(type, rolling) && json_array_size(points) > 1) {
    const place through = point_at(self, points, 0), centre = point_at(self, points, 1);
    const place direction = vector_at(self, vectors, 0), axis = vector_at(self, vectors, 1);
    add_touch(self, &through, &direction, &centre, json_number_value(json_object_get(joint, "radius")),
              !self->out->planar && axes > 1 ? &axis : NULL);
  }
  if (strcmp(type, "knife-edge") == 0 && axes > 0 && json_array_size(points) > 1) {
    const place at = point_at(self, points, 1), axis = vector_at(self, vectors, axes - 1);
    const api_drawing_onto to = onto(self, axis.body, API_COLOUR_FAINT);
    const double r = self->out->radius;
    if (at.body == axis.body)
      api_drawing_add(&to, API_FORM_BLOCK, at.at, (const double[3]){0.6 * r, 14 * r, 2 * r}, axis.at);
  }
  if (is_one_of(type, toothed)) add_pitch_circles(self, joint);
  add_curves(self, joint);
  add_rope(self, joint);
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

static void add_contact(const scene *self, const json_t *force) {
  const json_t *line = json_object_get(force, "line"), *index = json_object_get(force, "point");
  if (!line) line = json_object_get(force, "plane");
  if (!line) return;
  const place from = point_at(self, line, 0), direction = vector_at(self, line, 1);
  if (json_is_number(index)) {
    const place point = read_place(self->points, (long)json_number_value(index)), axis = vector_at(self, line, 2);
    add_touch(self, &from, &direction, &point, json_number_value(json_object_get(force, "radius")),
              json_array_size(line) > 2 ? &axis : NULL);
  } else {
    double normal[3];
    normal_of(self, &direction, normal);
    add_plane(self, from.body, from.at, normal);
  }
}

static void add_force(const scene *self, const json_t *force) {
  const json_t *points = json_object_get(force, "points");
  const char *type = text_of(force, "type");
  const bool spring = strcmp(type, "spring-damper") == 0;
  if ((spring || strcmp(type, "beam") == 0) && json_array_size(points) > 1) {
    add_link(self->out, (int)index_at(points, 0), (int)index_at(points, 1), spring);
    for (size_t i = 0; spring && i < 2; i++)
      if (index_at(points, i) >= 0) self->supports[index_at(points, i)] = true;
  }
  if (strcmp(type, "contact") == 0) add_contact(self, force);
  add_rope(self, force);
}

/* Adds the supports of points of the ground: a triangle with its top at the point, in space a pyramid. */
static void add_supports(const scene *self) {
  const api_drawing_onto to = onto(self, 0, API_COLOUR_FAINT);
  const double size = foot_share * self->extent, r = self->out->radius;
  for (size_t i = 0; i < json_array_size(self->points); i++) {
    const place point = read_place(self->points, (long)i);
    const double *at = point.at;
    double feet[3][3] = {
        {at[0], at[1], 0}, {at[0] - size, at[1] - 1.5 * size, 0}, {at[0] + size, at[1] - 1.5 * size, 0}};
    const double middle[3] = {at[0], at[1], at[2] - 2.5 * r};
    if (point.body != 0 || !self->supports[i]) continue;
    if (self->out->planar)
      api_drawing_sheet(&to, feet, 3);
    else
      api_drawing_add(&to, API_FORM_FOOT, middle, (const double[3]){3 * r, 5 * r, 3 * r}, along_z);
  }
}

/* ---- the drawing ----------------------------------------------------------------------------------------------- */

static void draw(const scene *self) {
  size_t i;
  json_t *item;
  add_shapes(self, 0);
  for (int body = 1; body < (int)self->out->body_count; body++) {
    const json_t *shapes = json_object_get(json_array_get(self->bodies, (size_t)body), "shapes");
    add_shapes(self, body);
    self->shaped[body] = json_array_size(shapes) > 0;
  }
  for (int body = 0; body < (int)self->out->body_count; body++) add_half_spaces(self, body);
  json_array_foreach(self->forces, i, item) add_force(self, item);
  json_array_foreach(self->joints, i, item) add_joint(self, item);
  for (int body = 1; body < (int)self->out->body_count; body++) add_points(self, body, self->shaped[body]);
  add_supports(self);
}

static bool name_bodies(const scene *self) {
  api_drawing *out = self->out;
  out->body_count = json_array_size(self->bodies);
  out->names = calloc(out->body_count + 1, sizeof *out->names);
  for (size_t i = 0; out->names && i < out->body_count; i++) {
    out->names[i] = api_text_copy(text_of(json_array_get(self->bodies, i), "name"));
    if (!out->names[i]) return false;
  }
  return out->names != NULL;
}

api_drawing *api_drawing_new(const json_t *from, const double *centres, const double *points) {
  api_drawing *out = calloc(1, sizeof *out);
  if (!out) return NULL;
  scene self = {.out = out,
                .bodies = json_object_get(from, "bodies"),
                .points = json_object_get(from, "points"),
                .vectors = json_object_get(from, "vectors"),
                .joints = json_object_get(from, "joints"),
                .forces = json_object_get(from, "forces"),
                .dimension = json_number_value(json_object_get(from, "dimension")) == 3 ? 3 : 2};
  assert(json_array_size(self.bodies) > 0);
  self.supports = calloc(json_array_size(self.points) + 1, sizeof *self.supports);
  self.shaped = calloc(json_array_size(self.bodies) + 1, sizeof *self.shaped);
  out->planar = self.dimension == 2;
  out->failed = !self.supports || !self.shaped || !name_bodies(&self);
  find_extent(&self, centres, points);
  out->radius = rod_share * self.extent;
  if (!out->failed) draw(&self);
  free(self.supports);
  free(self.shaped);
  if (!out->failed) return out;
  api_drawing_free(out);
  return NULL;
}

void api_drawing_free(api_drawing *drawing) {
  if (!drawing) return;
  for (size_t i = 0; drawing->names && i < drawing->body_count; i++) free(drawing->names[i]);
  for (size_t i = 0; i < drawing->outline_count; i++) {
    free(drawing->outlines[i].points);
    free(drawing->outlines[i].triangles);
  }
  free(drawing->names);
  free(drawing->solids);
  free(drawing->outlines);
  for (size_t i = 0; i < drawing->rope_count; i++) free(drawing->ropes[i].stops);
  free(drawing->ropes);
  free(drawing->links);
  free(drawing);
}
