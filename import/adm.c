/* adm.c - simEngine2D models (.adm, JSON) with an analysis (.acf) beside them. Positions are in body frames, whose
 * origins are the mass centres; body 0 is the ground. Members that no reader takes are noted as dropped. */
#include "import/document.h"
#include "import/formats.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct adm_body {
  json_int_t id;
  const char *name; /* name in the document */
  json_t *object;
} adm_body;

static const adm_body ground = {.name = "ground"};

typedef struct adm_model {
  import_context *context;
  const char *file;
  json_t *owner; /* list of the values that were taken */
  adm_body *bodies;
  size_t body_count;
  bool expressions; /* constraints name points of bodies in expressions */
} adm_model;

/* A constraint or force while it is read. */
typedef struct adm_element {
  json_t *object;
  const char *name, *type, *pointer;
  size_t index;
  import_location place;
} adm_element;

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Takes a member out of an object; NULL if there is none. */
static json_t *take(adm_model *model, json_t *object, const char *key) {
  json_t *value = json_object_get(object, key);
  if (!value) return NULL;
  json_array_append(model->owner, value);
  json_object_del(object, key);
  return value;
}

/* Returns a number or an expression of ours as the document has it; `fallback` if there is none. */
static json_t *value_of(adm_model *model, json_t *value, double fallback) {
  import_context *context = model->context;
  if (json_is_string(value) && *json_string_value(value)) {
    char *end;
    const char *text = json_string_value(value);
    const double number = strtod(text, &end);
    return *end ? import_need(context, json_string(text)) : import_number(context, number);
  }
  return import_number(context, json_is_number(value) ? json_number_value(value) : fallback);
}

static json_t *take_value(adm_model *model, json_t *object, const char *key, double fallback) {
  return value_of(model, take(model, object, key), fallback);
}

/* Takes a list of `count` numbers. Returns false if there is none. */
static bool take_numbers(adm_model *model, json_t *object, const char *key, size_t count, json_t **out) {
  json_t *list = take(model, object, key);
  if (!json_is_array(list) || json_array_size(list) < count) return false;
  for (size_t i = 0; i < count; i++) out[i] = json_array_get(list, i);
  return true;
}

/* Returns true if a value does not depend on time. */
static bool is_constant(const json_t *value) {
  const char *text = json_string_value(value);
  for (const char *c = text; text && *c; c++) {
    const bool alone = (c == text || !(isalnum((unsigned char)c[-1]) || c[-1] == '_')) &&
                       !(isalnum((unsigned char)c[1]) || c[1] == '_');
    if (*c == 't' && alone) return false;
  }
  return true;
}

/* Writes a value as a part of an expression. */
static const char *as_text(import_context *context, const json_t *value) {
  return json_is_string(value) ? import_text(context, "(%s)", json_string_value(value))
                               : import_digits(context, json_number_value(value));
}

/* ---- bodies and points ------------------------------------------------------------------------------------------ */

static const adm_body *find_body(adm_model *model, const adm_element *element, const char *key) {
  json_t *value = take(model, element->object, key);
  const json_int_t id = json_integer_value(value);
  if (!value || id == 0) return &ground;
  for (size_t i = 0; i < model->body_count; i++)
    if (model->bodies[i].id == id) return &model->bodies[i];
  import_invalid(model->context, &element->place, "there is no body %" JSON_INTEGER_FORMAT, id);
  return NULL;
}

/* Adds a point or a vector of a body and returns its reference. */
static const char *add_place(adm_model *model, const adm_body *body, const char *map, const char *name, json_t *x,
                             json_t *y) {
  import_context *context = model->context;
  json_t *owner = body->object ? body->object : json_object_get(context->document, "ground");
  json_t *places = import_object_in(context, owner, map);
  const char *chosen = name;
  for (int k = 2; json_object_get(places, chosen); k++) chosen = import_text(context, "%s_%d", name, k);
  import_set(context, places, chosen, json_pack("[o, o]", x, y));
  return import_text(context, "%s.%s", body->name, chosen);
}

static const char *add_point(adm_model *model, const adm_element *element, const adm_body *body, const char *key) {
  json_t *xy[2] = {NULL, NULL};
  take_numbers(model, element->object, key, 2, xy);
  return add_place(model, body, "points", element->name, value_of(model, xy[0], 0), value_of(model, xy[1], 0));
}

static void add_body(adm_model *model, json_t *object, size_t index) {
  import_context *context = model->context;
  adm_body *body = &model->bodies[model->body_count++];
  import_location place = {.file = model->file, .pointer = import_text(context, "/bodies/%zu", index)};
  const char *name = json_string_value(take(model, object, "name"));
  place.element = name;
  json_t *id = take(model, object, "id"), *q[3], *v[3];
  body->id = id ? json_integer_value(id) : (json_int_t)index + 1;
  body->name = (model->expressions ? import_identifier : import_name)(context, IMPORT_NAME_BODY, name, "body",
                                                                      index + 1, &place);
  body->object = import_add(context, context->bodies, body->name, NULL);
  import_set(context, body->object, "mass", take_value(model, object, "mass", 0));
  import_set(context, body->object, "inertia", take_value(model, object, "jbar", 0));
  json_t *initial = import_object_in(context, body->object, "initial");
  if (take_numbers(model, object, "q0", 3, q)) {
    import_set(context, initial, "position", json_pack("[o, o]", value_of(model, q[0], 0), value_of(model, q[1], 0)));
    import_set(context, initial, "angle", value_of(model, q[2], 0));
  }
  if (take_numbers(model, object, "qd0", 3, v)) {
    import_set(context, initial, "velocity", json_pack("[o, o]", value_of(model, v[0], 0), value_of(model, v[1], 0)));
    import_set(context, initial, "angular_velocity", value_of(model, v[2], 0));
  }
}

/* ---- constraints ------------------------------------------------------------------------------------------------ */

static json_t *add_joint(adm_model *model, const adm_element *element, const char *type) {
  return import_add(model->context, model->context->joints, element->name, type);
}

static json_t *add_driver(adm_model *model, const adm_element *element, const char *type) {
  json_t *driver = import_add(model->context, model->context->drivers, element->name, type);
  import_set(model->context, driver, "function", take_value(model, element->object, "fun", 0));
  return driver;
}

static void add_absolute(adm_model *model, const adm_element *element, const char *axis) {
  const adm_body *body = find_body(model, element, "body1");
  if (!body) return;
  const char *point = add_point(model, element, body, "sP1");
  import_set_text(model->context, add_driver(model, element, axis), "point", point);
}

static void add_absolute_x(adm_model *model, const adm_element *element) { add_absolute(model, element, "x"); }
static void add_absolute_y(adm_model *model, const adm_element *element) { add_absolute(model, element, "y"); }

static void add_angle(adm_model *model, const adm_element *element) {
  const adm_body *body = find_body(model, element, "body1");
  if (body) import_set_text(model->context, add_driver(model, element, "angle"), "body", body->name);
}

static void add_relative_angle(adm_model *model, const adm_element *element) {
  const adm_body *one = find_body(model, element, "body1"), *two = find_body(model, element, "body2");
  if (one && two)
    import_set_pair(model->context, add_driver(model, element, "relative-angle"), "bodies", one->name, two->name);
}

/* The points of two bodies; Pground is a point of the ground. Returns false after an error. */
static bool read_points(adm_model *model, const adm_element *element, const char *out[2]) {
  const bool grounded = json_object_get(element->object, "Pground") != NULL;
  const adm_body *one = find_body(model, element, "body1"), *two = find_body(model, element, "body2");
  if (!one || !two) return false;
  out[0] = add_point(model, element, one, "sP1");
  out[1] = add_point(model, element, grounded ? &ground : two, grounded ? "Pground" : "sP2");
  return true;
}

static void add_distance(adm_model *model, const adm_element *element) {
  const char *points[2];
  if (read_points(model, element, points))
    import_set_pair(model->context, add_driver(model, element, "distance"), "points", points[0], points[1]);
}

/* Returns the element with a name that its points may have in expressions. */
static adm_element with_plain_name(adm_model *model, const adm_element *element) {
  adm_element plain = *element;
  plain.name = import_text(model->context, "P%zu", element->index + 1);
  return plain;
}

/* x2 - x1 = C, likewise y. */
static void add_relative(adm_model *model, const adm_element *element, char axis) {
  import_context *context = model->context;
  const char *points[2];
  const adm_element plain = with_plain_name(model, element);
  if (!read_points(model, &plain, points)) return;
  json_t *fun = take(model, element->object, "fun"), *value = value_of(model, fun, 0);
  import_set_text(
      context, add_joint(model, element, "expression"), "value",
      import_text(context, "%s.%c - %s.%c - %s", points[1], axis, points[0], axis, as_text(context, value)));
  json_decref(value);
}

static void add_relative_x(adm_model *model, const adm_element *element) { add_relative(model, element, 'x'); }
static void add_relative_y(adm_model *model, const adm_element *element) { add_relative(model, element, 'y'); }

static void add_revolute(adm_model *model, const adm_element *element) {
  const char *points[2];
  if (read_points(model, element, points))
    import_set_pair(model->context, add_joint(model, element, "revolute"), "points", points[0], points[1]);
}

/* Takes a direction: a vector, or from sP to a second point sQ. */
static const char *add_vector(adm_model *model, const adm_element *element, const adm_body *body, int side) {
  import_context *context = model->context;
  static const char *const names[] = {"vP", "v", "sV", "u"};
  json_t *xy[2], *p = json_object_get(element->object, import_text(context, "sP%d", side));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (take_numbers(model, element->object, import_text(context, "%s%d", names[i], side), 2, xy))
      return add_place(model, body, "vectors", element->name, value_of(model, xy[0], 0), value_of(model, xy[1], 0));
  if (!take_numbers(model, element->object, import_text(context, "sQ%d", side), 2, xy)) return NULL;
  return add_place(model, body, "vectors", element->name,
                   import_number(context, json_number_value(xy[0]) - json_number_value(json_array_get(p, 0))),
                   import_number(context, json_number_value(xy[1]) - json_number_value(json_array_get(p, 1))));
}

static void add_translational(adm_model *model, const adm_element *element) {
  import_context *context = model->context;
  const adm_body *one = find_body(model, element, "body1"), *two = find_body(model, element, "body2");
  if (!one || !two) return;
  const char *first = add_vector(model, element, one, 1), *second = add_vector(model, element, two, 2);
  if (!first || !second) {
    import_not_mapped(context, &element->place, "a translational joint needs a direction on both bodies, v1 and v2");
    return;
  }
  const char *p1 = add_point(model, element, one, "sP1"), *p2 = add_point(model, element, two, "sP2");
  json_t *joint = add_joint(model, element, "translational");
  import_set_pair(context, joint, "points", p1, p2);
  import_set_pair(context, joint, "vectors", first, second);
}

/* The rack (body 2) moves along its direction by R for each radian of the pinion (body 1). */
static void add_rack(adm_model *model, const adm_element *element) {
  import_context *context = model->context;
  const adm_body *pinion = find_body(model, element, "body1"), *rack = find_body(model, element, "body2");
  json_t *radius = take(model, element->object, "R"), *v[2];
  if (!radius) radius = take(model, element->object, "R1");
  const bool directed =
      take_numbers(model, element->object, "v2", 2, v) || take_numbers(model, element->object, "vP2", 2, v);
  if (!pinion || !rack) return;
  if (!radius || !directed || !rack->object) {
    import_not_mapped(context, &element->place, "a rack and pinion needs R, and the direction v2 of the rack");
    return;
  }
  const double x = json_number_value(v[0]), y = json_number_value(v[1]), length = hypot(x, y);
  json_t *fun = take(model, element->object, "fun"), *value = value_of(model, fun, 0);
  const adm_element plain = with_plain_name(model, element);
  const char *p1 = add_point(model, &plain, pinion, "sP1"), *p2 = add_point(model, &plain, rack, "sP2");
  import_set_text(
      context, add_joint(model, element, "expression"), "value",
      import_text(context,
                  "(%s*cos(%s.phi) - %s*sin(%s.phi))*(%s.x - %s.x) + (%s*sin(%s.phi) + %s*cos(%s.phi))*(%s.y - %s.y) "
                  "+ %s*(%s.phi - %s.phi) - %s",
                  import_digits(context, x / length), rack->name, import_digits(context, y / length), rack->name, p1,
                  p2, import_digits(context, x / length), rack->name, import_digits(context, y / length), rack->name,
                  p1, p2, import_digits(context, json_number_value(radius)), pinion->object ? pinion->name : rack->name,
                  rack->name, as_text(context, value)));
  json_decref(value);
}

/* ---- forces ----------------------------------------------------------------------------------------------------- */

static json_t *add_force(adm_model *model, const adm_element *element, const char *type) {
  return import_add(model->context, model->context->forces, element->name, type);
}

static void add_spring(adm_model *model, const adm_element *element, json_t *force, const char *free, const char *key) {
  import_context *context = model->context;
  import_set(context, force, "stiffness", take_value(model, element->object, "k", 0));
  import_set(context, force, free, take_value(model, element->object, key, 0));
  import_set(context, force, "damping", take_value(model, element->object, "c", 0));
  import_set(context, force, "actuator", take_value(model, element->object, "fun", 0));
}

static void add_tsda(adm_model *model, const adm_element *element) {
  const char *points[2];
  if (!read_points(model, element, points)) return;
  json_t *force = add_force(model, element, "spring-damper");
  import_set_pair(model->context, force, "points", points[0], points[1]);
  add_spring(model, element, force, "free_length", "l0");
}

/* Adds a rotational spring-damper-actuator. On one body (RSDA1), it acts against the ground, with the angle of the
 * body. */
static void add_rsda(adm_model *model, const adm_element *element) {
  const bool alone = !json_object_get(element->object, "body2");
  const adm_body *one = find_body(model, element, "body1"), *two = find_body(model, element, "body2");
  if (!one || !two) return;
  json_t *force = add_force(model, element, "rotational-spring-damper");
  import_set_pair(model->context, force, "bodies", alone ? two->name : one->name, alone ? one->name : two->name);
  add_spring(model, element, force, "free_angle", "theta0");
}

static void add_applied(adm_model *model, const adm_element *element) {
  import_context *context = model->context;
  const adm_body *body = find_body(model, element, "body1");
  if (!body) return;
  json_t *x = take(model, element->object, "funX"), *y = take(model, element->object, "funY"),
         *torque = take(model, element->object, "funT");
  const char *frame = json_string_value(take(model, element->object, "frame"));
  if (x || y) {
    const char *point = add_point(model, element, body, "sP1");
    json_t *force = add_force(model, element, "force");
    import_set_text(context, force, "point", point);
    import_set(context, force, "value", json_pack("[o, o]", value_of(model, x, 0), value_of(model, y, 0)));
    if (frame && strcasecmp(frame, "LRF") == 0) import_set_text(context, force, "frame", "body");
  }
  if (!torque) return;
  adm_element other = *element;
  if (x || y)
    other.name =
        import_name(context, IMPORT_NAME_FORCE, import_text(context, "%s_torque", element->name), "force", 1, NULL);
  json_t *force = add_force(model, &other, "torque");
  import_set_text(context, force, "body", body->name);
  import_set(context, force, "value", value_of(model, torque, 0));
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

typedef struct adm_kind {
  const char *type;
  void (*add)(adm_model *model, const adm_element *element);
} adm_kind;

static const adm_kind constraints[] = {{"AbsoluteX", add_absolute_x},
                                       {"AbsoluteY", add_absolute_y},
                                       {"AbsoluteAngle", add_angle},
                                       {"AbsolutePhi", add_angle},
                                       {"AbsoluteDistance", add_distance},
                                       {"RelativeDistance", add_distance},
                                       {"RelativeAngle", add_relative_angle},
                                       {"RelativeX", add_relative_x},
                                       {"RelativeY", add_relative_y},
                                       {"Revolute", add_revolute},
                                       {"RevoluteJoint", add_revolute},
                                       {"Translational", add_translational},
                                       {"TranslationalJoint", add_translational},
                                       {"RackPinion", add_rack}};
static const adm_kind forces[] = {{"TSDA", add_tsda},     {"TSDA1", add_tsda},         {"RSDA", add_rsda},
                                  {"RSDA1", add_rsda},    {"PointForce", add_applied}, {"AppliedForce", add_applied},
                                  {"Force", add_applied}, {"Torque", add_applied}};

static adm_element open_element(adm_model *model, json_t *object, const char *list, size_t index) {
  adm_element element = {.object = object, .index = index};
  element.pointer = import_text(model->context, "/%s/%zu", list, index);
  element.type = json_string_value(json_object_get(object, "type"));
  element.name = json_string_value(json_object_get(object, "name"));
  element.place = (import_location){.file = model->file, .pointer = element.pointer, .element = element.name};
  return element;
}

/* Returns true if both constraints keep one point of a body at a constant place of the ground. */
static bool is_pin(const json_t *one, const json_t *other) {
  const char *type = json_string_value(json_object_get(one, "type")),
             *partner = json_string_value(json_object_get(other, "type"));
  const bool pair = type && partner &&
                    ((strcasecmp(type, "AbsoluteX") == 0 && strcasecmp(partner, "AbsoluteY") == 0) ||
                     (strcasecmp(type, "AbsoluteY") == 0 && strcasecmp(partner, "AbsoluteX") == 0));
  return pair && json_equal(json_object_get(one, "body1"), json_object_get(other, "body1")) &&
         json_equal(json_object_get(one, "sP1"), json_object_get(other, "sP1")) &&
         is_constant(json_object_get(one, "fun")) && is_constant(json_object_get(other, "fun"));
}

/* Replaces a constraint and its partner by a pin on the ground. Returns false if there is no partner. */
static bool add_pin(adm_model *model, json_t *list, adm_element *element) {
  import_context *context = model->context;
  static const char *const shared[] = {"name", "id", "type", "body1", "sP1"};
  for (size_t i = element->index + 1; i < json_array_size(list); i++) {
    json_t *other = json_array_get(list, i);
    if (!is_pin(element->object, other)) continue;
    const bool x_first = strcasecmp(element->type, "AbsoluteX") == 0;
    const char *partner = json_string_value(json_object_get(other, "name"));
    element->name =
        import_identifier(context, IMPORT_NAME_BODY, element->name, "constraint", element->index + 1, &element->place);
    json_t *at = take_value(model, element->object, "fun", 0), *across = take_value(model, other, "fun", 0);
    const adm_body *body = find_body(model, element, "body1");
    if (body) {
      const char *fixed =
          add_place(model, &ground, "points", element->name, x_first ? at : across, x_first ? across : at);
      const char *point = add_point(model, element, body, "sP1");
      import_set_pair(context, add_joint(model, element, "revolute"), "points", fixed, point);
      import_note(context, IMPORT_MAPPED, "pin", &element->place, import_last(context, "joints"),
                  "with the constraint '%s' it is the pin '%s' on the ground", partner ? partner : "", element->name);
    }
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
      take(model, element->object, shared[k]);
      take(model, other, shared[k]);
    }
    return true;
  }
  return false;
}

static void add_element(adm_model *model, json_t *list, const char *which, size_t index, const adm_kind *kinds,
                        size_t count) {
  import_context *context = model->context;
  adm_element element = open_element(model, json_array_get(list, index), which, index);
  if (json_object_size(element.object) == 0) return; /* the partner of a pin */
  if (kinds == constraints && add_pin(model, list, &element)) return;
  for (size_t k = 0; k < count; k++) {
    if (!element.type || strcasecmp(kinds[k].type, element.type) != 0) continue;
    take(model, element.object, "name");
    take(model, element.object, "id");
    take(model, element.object, "type");
    /* constraints share names, whether they become joints or drivers */
    element.name = kinds == constraints
                       ? import_name(context, IMPORT_NAME_BODY, element.name, "constraint", index + 1, &element.place)
                       : import_name(context, IMPORT_NAME_FORCE, element.name, "force", index + 1, &element.place);
    kinds[k].add(model, &element);
    return;
  }
  import_not_mapped(context, &element.place, "the type '%.80s' is not supported", element.type ? element.type : "");
  json_object_clear(element.object);
}

/* ---- the files -------------------------------------------------------------------------------------------------- */

static int depth_of(const json_t *value, int depth) {
  int most = depth;
  const char *key;
  size_t index;
  json_t *item;
  if (depth > IMPORT_DEPTH_MAX) return depth;
  json_object_foreach((json_t *)value, key, item) {
    const int below = depth_of(item, depth + 1);
    most = below > most ? below : most;
  }
  json_array_foreach(value, index, item) {
    const int below = depth_of(item, depth + 1);
    most = below > most ? below : most;
  }
  return most;
}

static json_t *read_json(import_context *context, const import_file *file) {
  json_error_t error;
  json_t *root = json_loadb(file->data, file->size, JSON_REJECT_DUPLICATES, &error);
  const import_location place = {.file = file->path, .line = root ? 0 : error.line, .column = root ? 0 : error.column};
  if (!root) import_leave(context, 400, "not_well_formed", &place, "the JSON is not well-formed: %s", error.text);
  json_array_append_new(context->sources, root);
  if (depth_of(root, 0) > IMPORT_DEPTH_MAX)
    import_leave(context, 413, "too_large", &place, "values are nested more than %d deep", IMPORT_DEPTH_MAX);
  if (!json_is_object(root)) import_leave(context, 422, "invalid", &place, "the file is not a JSON object");
  return root;
}

/* Adds a note for each member that was not taken. */
static void report_unread(adm_model *model, const json_t *value, const char *file, const char *pointer) {
  import_context *context = model->context;
  const char *key;
  size_t index;
  json_t *item;
  json_array_foreach(value, index, item) {
    if (json_is_object(item)) report_unread(model, item, file, import_text(context, "%s/%zu", pointer, index));
  }
  json_object_foreach((json_t *)value, key, item) {
    const bool list = json_is_array(item) && json_is_object(json_array_get(item, 0)) && !*pointer;
    const char *at = import_text(context, "%s/%s", pointer, key);
    if (list) {
      report_unread(model, item, file, at);
      continue;
    }
    char *text = json_dumps(item, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    const import_location place = {.file = file, .pointer = at};
    import_note(context, IMPORT_DROPPED, "member", &place, NULL, "the model does not contain: %.80s = %.200s", key,
                text ? text : "");
    free(text);
  }
}

/* Reads the analysis in the file beside the model. */
static void read_analysis(adm_model *model, const import_file *main) {
  import_context *context = model->context;
  const char *dot = strrchr(main->path, '.');
  const import_file *file =
      import_tree_find(context->tree, import_text(context, "%.*s.acf",
                                                  dot ? (int)(dot - main->path) : (int)strlen(main->path), main->path));
  if (!file) return;
  static const struct {
    const char *word, *type;
  } kinds[] = {{"dynamics", "dynamics"},
               {"kinematics", "kinematics"},
               {"inversedynamics", "inverse-dynamics"},
               {"equilibrium", "equilibrium"}};
  json_t *root = read_json(context, file), *kind = take(model, root, "simulation");
  json_t *analysis = import_object_in(context, context->document, "analysis");
  const import_location place = {.file = file->path, .pointer = "/simulation"};
  char word[40] = "";
  for (const char *c = json_is_string(kind) ? json_string_value(kind) : "dynamics";
       *c && strlen(word) + 1 < sizeof word; c++)
    if (isalpha((unsigned char)*c)) word[strlen(word)] = (char)tolower((unsigned char)*c);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(word, kinds[k].word) == 0) import_set_text(context, analysis, "type", kinds[k].type);
  if (!json_object_get(analysis, "type"))
    import_not_mapped(context, &place, "the simulation '%s' is not supported", word);
  json_t *end = take(model, root, "tend"), *steps = take(model, root, "outputSteps");
  const double t_end = json_number_value(end), count = json_number_value(steps);
  if (t_end > 0) import_set_number(context, analysis, "t_end", t_end);
  if (t_end > 0 && count > 0) import_set_number(context, analysis, "dt", t_end / count);
  if (t_end > 0 && !(count > 0)) import_set(context, analysis, "dt", take_value(model, root, "stepSize", t_end / 100));
  report_unread(model, root, file->path, "");
}

static void convert(import_context *context, const import_file *main) {
  adm_model *model = import_alloc(context, 1, sizeof *model);
  json_t *root = read_json(context, main), *list, *g[2];
  *model = (adm_model){.context = context, .file = main->path, .owner = import_need(context, json_array())};
  json_array_append_new(context->sources, model->owner);
  json_t *name = take(model, root, "name");
  import_document_open(context, json_string_value(name), "planar");
  json_t *gravity = json_object_get(context->document, "gravity");
  if (take_numbers(model, root, "gravity", 2, g)) {
    for (int k = 0; k < 2; k++) json_array_append_new(gravity, value_of(model, g[k], 0));
  } else {
    const import_location place = {.file = main->path, .pointer = ""};
    import_set(context, context->document, "gravity", json_pack("[i, f]", 0, -9.81));
    import_note(context, IMPORT_CHANGED, "gravity", &place, "/gravity", "gravity is 9.81 m/s^2 along -y, the default");
  }
  list = json_object_get(root, "constraints");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *type = json_string_value(json_object_get(json_array_get(list, i), "type"));
    model->expressions =
        model->expressions || (type && (strncasecmp(type, "Relative", 8) == 0 || strcasecmp(type, "RackPinion") == 0));
  }
  list = json_object_get(root, "bodies");
  model->bodies = import_alloc(context, json_array_size(list), sizeof *model->bodies);
  for (size_t i = 0; i < json_array_size(list); i++) add_body(model, json_array_get(list, i), i);
  list = json_object_get(root, "constraints");
  for (size_t i = 0; i < json_array_size(list); i++)
    add_element(model, list, "constraints", i, constraints, sizeof constraints / sizeof *constraints);
  list = json_object_get(root, "forces");
  for (size_t i = 0; i < json_array_size(list); i++)
    add_element(model, list, "forces", i, forces, sizeof forces / sizeof *forces);
  read_analysis(model, main);
  report_unread(model, root, main->path, "");
}

const import_format import_adm = {.name = "adm", .ending = ".adm", .convert = convert};
