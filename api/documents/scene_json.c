/* scene_json.c - see scene_json.h. */
#include "api/documents/scene_json.h"

#include "api/base/values.h"

#include <assert.h>

static json_t *integers(const int *values, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_integer(values[i]));
  return array;
}

/* Returns `count` rows of `width` numbers. */
static json_t *rows(const double *numbers, size_t count, size_t width) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, api_json_numbers(numbers + i * width, width));
  return array;
}

static json_t *curve_json(const mbs_scene_curve *curve) {
  json_t *object = json_object();
  json_object_set_new(object, "point", json_integer(curve->point));
  json_object_set_new(object, "closed", json_boolean(curve->closed));
  json_object_set_new(object, "whole", json_boolean(curve->whole));
  if (!curve->closed) {
    json_object_set_new(object, "first", api_json_number(curve->first));
    json_object_set_new(object, "step", api_json_number(curve->step));
  }
  json_object_set_new(object, "outline", rows(curve->points, curve->count, 2));
  return object;
}

static json_t *curves_json(const mbs_scene_value *value) {
  json_t *array = json_array();
  for (size_t c = 0; c < value->count; c++) json_array_append_new(array, curve_json(&value->curves[c]));
  return array;
}

static json_t *stops_json(const mbs_scene_value *value) {
  json_t *array = json_array();
  for (size_t i = 0; i < value->count; i++) {
    json_t *object = json_object();
    json_object_set_new(object, "point", json_integer(value->stops[i].point));
    json_object_set_new(object, "radius", api_json_number(value->stops[i].radius));
    json_array_append_new(array, object);
  }
  return array;
}

/* Returns a value: an array if the document has, or may have, an array there. */
static json_t *value_json(const mbs_scene_value *value, size_t dim) {
  assert(dim == 2 || dim == 3);
  bool list = value->field->max_count != 0;
  switch (value->field->kind) {
  case MBS_KIND_NUMBER:
    return list ? api_json_numbers(value->numbers, value->count) : api_json_number(value->numbers[0]);
  case MBS_KIND_ROW: return rows(value->numbers, value->count / dim, dim);
  case MBS_KIND_LINE: return integers(value->places, value->count);
  case MBS_KIND_BODY:
  case MBS_KIND_JOINT:
  case MBS_KIND_POINT:
  case MBS_KIND_VECTOR: return list ? integers(value->places, value->count) : json_integer(value->places[0]);
  case MBS_KIND_OBJECT: return value->stops ? stops_json(value) : curves_json(value);
  default: return api_json_text(value->text);
  }
}

static json_t *element_json(const mbs_scene_element *element, size_t dim) {
  json_t *object = json_object();
  json_object_set_new(object, "type", api_json_text(element->cls->name));
  if (element->name) json_object_set_new(object, "name", api_json_text(element->name));
  if (element->symbol) json_object_set_new(object, "symbol", api_json_text(element->symbol));
  for (size_t i = 0; i < element->count; i++)
    json_object_set_new(object, element->values[i].field->name, value_json(&element->values[i], dim));
  return object;
}

static json_t *elements_json(const mbs_scene_element *elements, size_t count, size_t dim) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, element_json(&elements[i], dim));
  return array;
}

static json_t *bodies_json(const mbs_scene *scene) {
  json_t *array = json_array();
  for (size_t b = 0; b < scene->body_count; b++) {
    const mbs_scene_body *body = &scene->bodies[b];
    json_t *object = json_object();
    json_object_set_new(object, "name", api_json_text(body->name));
    json_object_set_new(object, "shapes", elements_json(body->shapes, body->shape_count, (size_t)scene->dim));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *places_json(const mbs_scene_place *places, size_t count, size_t dim) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *object = json_object();
    json_object_set_new(object, "name", api_json_text(places[i].name));
    json_object_set_new(object, "body", json_integer(places[i].body));
    json_object_set_new(object, "at", api_json_numbers(places[i].at, dim));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *view_json(const mbs_scene *scene) {
  static const char *const axes[] = {"x", "y", "z"};
  json_t *view = json_object();
  for (int k = 0; k < 3; k++)
    if (scene->view_given[k]) json_object_set_new(view, axes[k], api_json_numbers(scene->view[k], 2));
  return view;
}

static json_t *scene_json(const mbs_scene *scene) {
  size_t dim = (size_t)scene->dim;
  json_t *object = json_object();
  json_object_set_new(object, "dimension", json_integer(scene->dim));
  json_object_set_new(object, "bodies", bodies_json(scene));
  json_object_set_new(object, "points", places_json(scene->points, scene->point_count, dim));
  json_object_set_new(object, "vectors", places_json(scene->vectors, scene->vector_count, dim));
  json_object_set_new(object, "joints", elements_json(scene->joints, scene->joint_count, dim));
  json_object_set_new(object, "forces", elements_json(scene->forces, scene->force_count, dim));
  json_object_set_new(object, "view", view_json(scene));
  return object;
}

json_t *api_scene_json(const mbs_model *model) {
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_scene *scene = arena ? mbs_model_scene(model, arena) : NULL;
  json_t *object = scene ? scene_json(scene) : NULL;
  mbs_arena_free(arena);
  return object;
}
