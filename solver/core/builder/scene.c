/* The scene of a model: its document with names resolved, numbers evaluated, defaults inserted and curves sampled. It
 * uses the class tables, so it contains no names of elements. */
#include "builder/scene_names.h"
#include "kernels/curve.h"

#include <math.h>
#include <string.h>

/* Number of points for which a curve looks smooth. */
enum { OUTLINE_POINTS = 256 };

typedef struct scene_builder {
  const mbs_model *model;
  mbs_arena *arena;
  mbs_binder numbers;
  mbs_scene *scene;
  mbs_scene_names bodies, points, vectors;
  bool failed;
} scene_builder;

static void *take(scene_builder *self, size_t count, size_t size) {
  void *block = mbs_arena_alloc(self->arena, count + 1, size);
  self->failed = self->failed || !block;
  return block;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

/* Returns one number; NaN if it was never evaluated. */
static double number_of(scene_builder *self, const mbs_field *field, const mbs_scalar *scalar) {
  size_t stand_ins = self->numbers.stand_ins;
  double value = mbs_read_scalar(&self->numbers, field, scalar, "");
  return self->numbers.stand_ins == stand_ins ? value : NAN;
}

/* Reads all given numbers; for a field with one per direction of space, always all directions. Returns false if there
 * is no value. */
static bool read_numbers(scene_builder *self, const mbs_field *field, const mbs_value *value, mbs_scene_value *out) {
  size_t given = value->given ? value->count : 0, least = field->max_count == MBS_DIM ? (size_t)self->model->dim : 0;
  if (field->max_count == 0) least = 1;
  out->count = given > least ? given : least;
  out->numbers = take(self, out->count, sizeof *out->numbers);
  for (size_t i = 0; i < out->count && !self->failed; i++) {
    out->numbers[i] = i < given ? number_of(self, field, &value->scalars[i]) : field->fallback;
    if (isnan(out->numbers[i])) return false;
  }
  return out->count > 0;
}

/* Reads rows, which are positions whose third component may be omitted. */
static bool read_rows(scene_builder *self, const mbs_field *field, const mbs_value *value, mbs_scene_value *out) {
  size_t dim = (size_t)self->model->dim;
  out->count = value->given ? value->count * dim : 0;
  out->numbers = take(self, out->count, sizeof *out->numbers);
  for (size_t i = 0; i < out->count && !self->failed; i++) {
    const mbs_value *row = &value->nodes[i / dim].values[0];
    if (i % dim < row->count) out->numbers[i] = number_of(self, field, &row->scalars[i % dim]);
  }
  return out->count > 0;
}

static const mbs_scene_names *names_of(const scene_builder *self, mbs_kind kind, size_t i) {
  if (kind == MBS_KIND_BODY) return &self->bodies;
  return kind == MBS_KIND_VECTOR || (kind == MBS_KIND_LINE && i == 1) ? &self->vectors : &self->points;
}

static bool read_places(scene_builder *self, const mbs_field *field, const mbs_value *value, mbs_scene_value *out) {
  out->count = value->given ? value->count : 0;
  out->places = take(self, out->count, sizeof *out->places);
  for (size_t i = 0; i < out->count && !self->failed; i++)
    out->places[i] = mbs_scene_names_find(names_of(self, field->kind, i), value->scalars[i].text);
  return out->count > 0;
}

/* Reads the joints on whose coordinates a force element acts. */
static bool read_joints(scene_builder *self, const mbs_force *force, const mbs_value *value, mbs_scene_value *out) {
  if (!force || force->coordinate < 0 || !value->given) return false;
  out->count = value->count;
  out->places = take(self, out->count, sizeof *out->places);
  for (size_t i = 0; i < out->count && !self->failed; i++)
    out->places[i] = self->model->coordinates[(size_t)force->coordinate + i].of_joint;
  return true;
}

static bool read_text(const mbs_field *field, const mbs_value *value, mbs_scene_value *out) {
  out->text = value->given && value->count ? value->scalars[0].text : field->fallback_text;
  return out->text != NULL;
}

/* ---- curves -------------------------------------------------------------------------------------------------- */

/* Traces a spline through all its points, with enough points between them to look smooth. */
static void trace_spline(scene_builder *self, const mbs_curve *curve, mbs_scene_curve *out) {
  size_t pieces = curve->knots < OUTLINE_POINTS ? OUTLINE_POINTS / curve->knots : 1;
  out->count = curve->knots * pieces;
  out->points = take(self, 2 * out->count, sizeof *out->points);
  for (size_t i = 0; i < out->count && !self->failed; i++) {
    double from = curve->alpha[i / pieces], to = curve->alpha[i / pieces + 1], at[3][2];
    mbs_curve_at(curve, from + (to - from) * (double)(i % pieces) / (double)pieces, NULL, NULL, at);
    memcpy(out->points + 2 * i, at[0], sizeof at[0]);
  }
}

static void trace_samples(scene_builder *self, const mbs_curve *curve, mbs_scene_curve *out) {
  out->count = curve->count;
  out->first = curve->first;
  out->step = curve->step;
  out->points = take(self, 2 * out->count, sizeof *out->points);
  for (size_t i = 0; i < out->count && !self->failed; i++)
    memcpy(out->points + 2 * i, curve->samples + 4 * i, 2 * sizeof(double));
}

static void trace(scene_builder *self, const mbs_joint *joint, int number, mbs_scene_curve *out) {
  const mbs_curve *curve = &self->model->curves[joint->first_curve + number];
  bool second = number == 1 || joint->shape->second_curve;
  *out = (mbs_scene_curve){.point = second ? joint->frames.point2 : joint->frames.point1,
                           .closed = curve->period > 0,
                           .whole = curve->period > 0 || curve->ends};
  if (curve->kind == MBS_CURVE_SPLINE)
    trace_spline(self, curve, out);
  else
    trace_samples(self, curve, out);
}

/* Traces the curves of a joint; no other objects have curves. */
static bool read_curves(scene_builder *self, const mbs_joint *joint, const mbs_field *field, mbs_scene_value *out) {
  if (!joint || joint->curve_count == 0 || !field->of || mbs_field_index(field->of, "spline") < 0) return false;
  out->count = (size_t)joint->curve_count;
  out->curves = take(self, out->count, sizeof *out->curves);
  for (int c = 0; c < joint->curve_count && !self->failed; c++) trace(self, joint, c, &out->curves[c]);
  return true;
}

/* Reads the path of a belt or rope. */
static bool read_path(scene_builder *self, int path, mbs_scene_value *out) {
  if (path < 0) return false;
  const mbs_strand_path *from = &self->model->paths[path];
  out->count = (size_t)from->strands + !from->closed;
  out->stops = take(self, out->count, sizeof *out->stops);
  for (size_t i = 0; i < out->count && !self->failed; i++) {
    const int end = i == (size_t)from->strands, strand = from->strand0 + (int)i - end;
    out->stops[i] = (mbs_scene_stop){.point = self->model->strands[strand].point[end],
                                     .radius = self->model->constants->strands[strand].c[end]};
  }
  return out->count > 0;
}

/* ---- elements ------------------------------------------------------------------------------------------------ */

/* Reads a value. Returns false if the field has no value, or is not used for drawing. */
static bool read_value(scene_builder *self, const mbs_joint *joint, const mbs_force *force, const mbs_field *field,
                       const mbs_value *value, mbs_scene_value *out) {
  const int path = joint ? joint->path : force ? force->path : -1; /* index of the path of a belt or rope */
  *out = (mbs_scene_value){.field = field};
  switch (field->kind) {
  case MBS_KIND_NUMBER: return read_numbers(self, field, value, out);
  case MBS_KIND_ROW: return read_rows(self, field, value, out);
  case MBS_KIND_BODY:
  case MBS_KIND_POINT:
  case MBS_KIND_VECTOR:
  case MBS_KIND_LINE: return read_places(self, field, value, out);
  case MBS_KIND_JOINT: return read_joints(self, force, value, out);
  case MBS_KIND_COLOR:
  case MBS_KIND_CHOICE: return read_text(field, value, out);
  case MBS_KIND_OBJECT:
    return field->max_count > 1 && path >= 0 ? read_path(self, path, out) : read_curves(self, joint, field, out);
  default: return false;
  }
}

static const char *symbol_of(const mbs_node *joint) {
  static const char *const words[] = {
      [MBS_SYMBOL_DOT] = "dot",     [MBS_SYMBOL_NONE] = "none",     [MBS_SYMBOL_PIN] = "pin",
      [MBS_SYMBOL_BALL] = "ball",   [MBS_SYMBOL_SLIDER] = "slider", [MBS_SYMBOL_BARREL] = "barrel",
      [MBS_SYMBOL_SCREW] = "screw", [MBS_SYMBOL_CROSS] = "cross",   [MBS_SYMBOL_PLATE] = "plate",
      [MBS_SYMBOL_BLOCK] = "block", [MBS_SYMBOL_ROD] = "rod",
  };
  return words[((const mbs_joint_class *)joint->cls)->symbol];
}

/* Reads an element. `joint`, `force`: the joint or force element of this node, or NULL. */
static void read_element(scene_builder *self, const mbs_node *node, const mbs_joint *joint, const mbs_force *force,
                         mbs_scene_element *out) {
  size_t fields = 0;
  while (node->cls->fields[fields].name) fields++;
  *out = (mbs_scene_element){.cls = node->cls, .values = take(self, fields, sizeof *out->values)};
  if (mbs_field_index(node->cls, "name") >= 0) out->name = mbs_read_text(node, "name");
  if (joint) out->symbol = symbol_of(node);
  for (size_t f = 0; f < fields && !self->failed; f++) {
    const mbs_field *field = &node->cls->fields[f];
    if (field->spaces && !(field->spaces & (self->model->dim == 3 ? MBS_SPATIAL : MBS_PLANAR))) continue;
    if (read_value(self, joint, force, field, &node->values[f], &out->values[out->count])) out->count++;
  }
}

static void read_elements(scene_builder *self) {
  const mbs_model *model = self->model;
  mbs_scene *scene = self->scene;
  scene->joint_count = model->joint_count;
  scene->joints = take(self, model->joint_count, sizeof *scene->joints);
  scene->forces = take(self, model->force_count, sizeof *scene->forces);
  for (size_t j = 0; j < model->joint_count && !self->failed; j++)
    read_element(self, model->joints[j].node, &model->joints[j], NULL, &scene->joints[j]);
  for (size_t f = 0; f < model->force_count && !self->failed; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->of_joint >= 0 && force->node == model->joints[force->of_joint].node) continue; /* drawn as the joint */
    read_element(self, force->node, NULL, force, &scene->forces[scene->force_count++]);
  }
}

/* ---- bodies -------------------------------------------------------------------------------------------------- */

static void read_body(scene_builder *self, const mbs_body *body, mbs_scene_body *out) {
  out->name = body->name;
  if (!body->node) return;
  const mbs_value *shapes = mbs_read_value(body->node, "shapes");
  out->shape_count = shapes->given ? shapes->count : 0;
  out->shapes = take(self, out->shape_count, sizeof *out->shapes);
  for (size_t i = 0; i < out->shape_count && !self->failed; i++)
    read_element(self, &shapes->nodes[i], NULL, NULL, &out->shapes[i]);
}

/* Reads points or vectors. `order`: the scene's index of each of the model's bodies. */
static mbs_scene_place *read_all_places(scene_builder *self, const mbs_point_or_vector *places, double (*at)[3],
                                        size_t count, const int *order) {
  mbs_scene_place *out = take(self, count, sizeof *out);
  for (size_t i = 0; i < count && out; i++) {
    out[i] = (mbs_scene_place){.name = places[i].name, .body = order[places[i].body]};
    memcpy(out[i].at, at[i], (size_t)self->model->dim * sizeof(double));
  }
  return out;
}

static void read_bodies(scene_builder *self) {
  const mbs_model *model = self->model;
  const mbs_constants *constants = model->constants;
  mbs_scene *scene = self->scene;
  int *order = take(self, model->nB + 1, sizeof *order);
  scene->body_count = model->nB + 1;
  scene->bodies = take(self, scene->body_count, sizeof *scene->bodies);
  for (size_t b = 0; b <= model->nB && !self->failed; b++) {
    int body = b == 0 ? 0 : model->user_body[b - 1];
    order[body] = (int)b;
    read_body(self, &model->bodies[body], &scene->bodies[b]);
  }
  if (self->failed) return;
  scene->point_count = model->nP;
  scene->vector_count = model->vector_count;
  scene->points = read_all_places(self, model->points, constants->points, model->nP, order);
  scene->vectors = read_all_places(self, model->vectors, constants->vectors, model->vector_count, order);
}

static void read_view(scene_builder *self) {
  static const char *const axes[] = {"x", "y", "z"};
  const mbs_value *view = mbs_read_value(self->model->document, "view");
  if (!view->given || view->count == 0) return;
  for (int k = 0; k < 3 && k < self->model->dim; k++)
    self->scene->view_given[k] =
        mbs_read_numbers(&self->numbers, &view->nodes[0], axes[k], self->scene->view[k], 2) == 2;
}

const mbs_scene *mbs_model_scene(const mbs_model *model, mbs_arena *arena) {
  mbs_diagnostics list = {0};
  mbs_scene *scene = mbs_arena_alloc(arena, 1, sizeof *scene);
  scene_builder self = {.model = model,
                        .arena = arena,
                        .numbers = {.model = model, .constants = model->constants, .list = &list},
                        .scene = scene};
  if (!scene) return NULL;
  scene->dim = model->dim;
  read_bodies(&self);
  self.failed = self.failed || !mbs_scene_names_of_bodies(scene, arena, &self.bodies) ||
                !mbs_scene_names_of_places(scene, scene->points, scene->point_count, arena, &self.points) ||
                !mbs_scene_names_of_places(scene, scene->vectors, scene->vector_count, arena, &self.vectors);
  if (!self.failed) read_elements(&self);
  if (!self.failed) read_view(&self);
  mbs_diagnostics_free(&list);
  return self.failed ? NULL : scene;
}
