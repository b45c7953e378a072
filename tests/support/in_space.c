/* Converts a planar document to a spatial one; see models.h. */
#include "models.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Replaces [x, y] by [x, y, 0]. */
static void lift(json_t *object, const char *key) {
  json_t *pair = json_object_get(object, key);
  if (json_array_size(pair) == 2) json_array_append_new(pair, json_integer(0));
}

/* Replaces a number n by [0, 0, n]. */
static void turn_up(json_t *object, const char *key) {
  json_t *value = json_object_get(object, key);
  if (value && !json_is_array(value)) json_object_set_new(object, key, json_pack("[i,i,O]", 0, 0, value));
}

static void lift_body(json_t *body) {
  static const char *const maps[] = {"points", "vectors"};
  for (int k = 0; k < 2; k++) {
    const char *name;
    json_t *place, *map = json_object_get(body, maps[k]);
    json_object_foreach(map, name, place) lift(map, name);
  }
  if (!json_object_get(body, "vectors")) json_object_set_new(body, "vectors", json_object());
  json_object_set_new(json_object_get(body, "vectors"), "normal", json_pack("[i,i,i]", 0, 0, 1));
  json_object_del(body, "shapes");
  json_t *inertia = json_object_get(body, "inertia"), *initial = json_object_get(body, "initial");
  if (inertia) json_object_set_new(body, "inertia", json_pack("[O,O,O]", inertia, inertia, inertia));
  lift(initial, "position");
  lift(initial, "velocity");
  turn_up(initial, "angular_velocity");
  json_t *angle = json_object_get(initial, "angle");
  if (angle)
    json_object_set_new(initial, "orientation", json_pack("{s:[i,i,i], s:O}", "axis", 0, 0, 1, "angle", angle));
  json_object_del(initial, "angle");
}

/* Returns "body.normal" for a joint end "body.point". */
static json_t *normal_of(const json_t *joint, size_t side) {
  const char *point = json_string_value(json_array_get(json_object_get(joint, "points"), side));
  return json_sprintf("%.*s.normal", (int)(strchr(point, '.') - point), point);
}

static bool lift_joint(json_t *joint) {
  static const char *const names[][2] = {
      {"revolute", "revolute"}, {"translational", "prismatic"}, {"rigid", "fixed"}, {"rod", "rod"}};
  const char *type = json_string_value(json_object_get(joint, "type")), *spatial = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(type, names[k][0]) == 0) spatial = names[k][1];
  if (!spatial) return false;
  if (strcmp(type, "revolute") == 0)
    json_object_set_new(joint, "vectors", json_pack("[o,o]", normal_of(joint, 0), normal_of(joint, 1)));
  json_object_set_new(joint, "type", json_string(spatial));
  return true;
}

static bool lift_force(json_t *force) {
  const char *type = json_string_value(json_object_get(force, "type"));
  static const char *const refused[] = {"tyre", "bushing", "beam"};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (strcmp(type, refused[k]) == 0) return false;
  if (strcmp(type, "torque") == 0)
    turn_up(force, "value");
  else
    lift(force, "value");
  return true;
}

static bool lift_elements(json_t *root) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(root, "joints"), i, item) if (!lift_joint(item)) return false;
  json_array_foreach(json_object_get(root, "forces"), i, item) if (!lift_force(item)) return false;
  return true;
}

char *models_in_space(const char *document) {
  json_t *root = json_loads(document, 0, NULL), *body;
  size_t i;
  char *text = NULL;
  json_object_set_new(root, "space", json_string("spatial"));
  json_object_del(root, "sensors");
  lift(root, "gravity");
  if (!json_object_get(root, "ground")) json_object_set_new(root, "ground", json_object());
  lift_body(json_object_get(root, "ground"));
  json_array_foreach(json_object_get(root, "bodies"), i, body) lift_body(body);
  if (lift_elements(root)) text = json_dumps(root, 0);
  json_decref(root);
  return text;
}
