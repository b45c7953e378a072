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

/* Returns the place of a member of an object at `place`. */
static import_location member_of(adm_model *model, const import_location *place, const char *key) {
  import_location member = *place;
  member.pointer = import_text(model->context, "%s/%s", place->pointer, key);
  return member;
}

/* Takes a member that must be there. Returns NULL after an error. */
static json_t *need(adm_model *model, json_t *object, const import_location *place, const char *key) {
  json_t *value = take(model, object, key);
  if (!value) import_invalid(model->context, place, "the member '%s' is missing", key);
  return value;
}

/* Takes a list of `count` numbers. Returns false, without a change of `out`, if there is none or after an error. */
static bool take_numbers(adm_model *model, json_t *object, const import_location *place, const char *key, size_t count,
                         double *out) {
  json_t *list = take(model, object, key);
  bool good = json_is_array(list) && json_array_size(list) == count;
  for (size_t i = 0; good && i < count; i++) good = json_is_number(json_array_get(list, i));
  for (size_t i = 0; good && i < count; i++) out[i] = json_number_value(json_array_get(list, i));
  const import_location at = member_of(model, place, key);
  if (list && !good) import_invalid(model->context, &at, "'%s' must be a list of %zu numbers", key, count);
  return good;
}

/* Likewise, for a list that must be there. */
static bool need_numbers(adm_model *model, json_t *object, const import_location *place, const char *key, size_t count,
                         double *out) {
  if (json_object_get(object, key)) return take_numbers(model, object, place, key, count, out);
  import_invalid(model->context, place, "the member '%s' is missing", key);
  return false;
}

/* Takes a number that must be there. Returns false after an error. */
static bool need_number(adm_model *model, json_t *object, const import_location *place, const char *key, double *out) {
  const json_t *value = need(model, object, place, key);
  const import_location at = member_of(model, place, key);
  if (value && !json_is_number(value)) import_invalid(model->context, &at, "'%s' must be a number", key);
  if (json_is_number(value)) *out = json_number_value(value);
  return json_is_number(value);
}

/* Returns true if a function of an element is given, and not as "NONE". */
static bool has_function(const json_t *value) {
  return value && !(json_is_string(value) && strcasecmp(json_string_value(value), "NONE") == 0);
}

/* Takes a function of time, which is a number or an expression as the document has it, for the member `target` of the
 * document. Returns NULL if there is none, or after an error. */
static json_t *take_function(adm_model *model, json_t *object, const import_location *place, const char *key,
                             const char *target) {
  import_context *context = model->context;
  json_t *value = take(model, object, key);
  const import_location at = member_of(model, place, key);
  if (!has_function(value)) return NULL;
  if (target) import_locate(context, target, &at);
  if (json_is_number(value)) return import_number(context, json_number_value(value));
  const char *text = json_string_value(value);
  if (!text || !*text) {
    import_invalid(context, &at, "'%s' must be a number or a function of t", key);
    return NULL;
  }
  char *end;
  const double number = strtod(text, &end);
  return *end || !isfinite(number) ? import_need(context, json_string(text)) : import_number(context, number);
}

/* Likewise, for a function that must be there; returns 0 after an error. */
static json_t *need_function(adm_model *model, json_t *object, const import_location *place, const char *key,
                             const char *target) {
  const bool given = has_function(json_object_get(object, key));
  json_t *value = take_function(model, object, place, key, target);
  if (!given) import_invalid(model->context, place, "the function '%s' is missing", key);
  return value ? value : import_number(model->context, 0);
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

/* Takes the number of a body; 0 is the ground. Returns NULL after an error. */
static const adm_body *find_body(adm_model *model, const adm_element *element, const char *key) {
  const json_t *value = need(model, element->object, &element->place, key);
  const import_location at = member_of(model, &element->place, key);
  const json_int_t id = json_integer_value(value);
  if (!value) return NULL;
  if (json_is_integer(value) && id == 0) return &ground;
  for (size_t i = 0; json_is_integer(value) && i < model->body_count; i++)
    if (model->bodies[i].id == id) return &model->bodies[i];
  if (json_is_integer(value))
    import_invalid(model->context, &at, "there is no body %" JSON_INTEGER_FORMAT, id);
  else
    import_invalid(model->context, &at, "'%s' must be the id of a body", key);
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

/* Adds the point that a member gives. Returns its reference; after an error that of a point at the origin. */
static const char *add_point(adm_model *model, const adm_element *element, const adm_body *body, const char *key) {
  double at[2] = {0, 0};
  need_numbers(model, element->object, &element->place, key, 2, at);
  return add_place(model, body, "points", element->name, import_number(model->context, at[0]),
                   import_number(model->context, at[1]));
}

static void add_body(adm_model *model, json_t *object, size_t index) {
  import_context *context = model->context;
  import_location place = {.file = model->file, .pointer = import_text(context, "/bodies/%zu", index)};
  if (!json_is_object(object)) {
    import_invalid(context, &place, "a body must be an object");
    return;
  }
  adm_body *body = &model->bodies[model->body_count++];
  const char *name = json_string_value(take(model, object, "name"));
  place.element = name;
  const json_t *id = take(model, object, "id");
  double mass = 0, inertia = 0, q[3] = {0}, v[3] = {0};
  body->id = json_is_integer(id) ? json_integer_value(id) : (json_int_t)index + 1;
  if (id && !json_is_integer(id)) import_invalid(context, &place, "'id' must be an integer");
  for (const adm_body *other = model->bodies; other < body; other++)
    if (other->id == body->id)
      import_invalid(context, &place, "there is already a body with the id %" JSON_INTEGER_FORMAT, body->id);
  body->name = (model->expressions ? import_identifier : import_name)(context, IMPORT_NAME_BODY, name, "body",
                                                                      index + 1, &place);
  import_at(context, &place);
  body->object = import_add(context, context->bodies, body->name, NULL);
  need_number(model, object, &place, "mass", &mass);
  need_number(model, object, &place, "jbar", &inertia);
  need_numbers(model, object, &place, "q0", 3, q);
  if (!json_object_get(object, "qd0"))
    import_note(context, IMPORT_CHANGED, "velocity", &place, import_last(context, "bodies"),
                "the body has no velocity 'qd0': it starts at rest");
  take_numbers(model, object, &place, "qd0", 3, v);
  static const char *const fields[][2] = {{"mass", "mass"}, {"inertia", "jbar"}};
  for (size_t k = 0; k < 2; k++) {
    const import_location at = member_of(model, &place, fields[k][1]);
    import_locate(context, import_text(context, "%s/%s", import_last(context, "bodies"), fields[k][0]), &at);
    import_set_number(context, body->object, fields[k][0], k ? inertia : mass);
  }
  json_t *initial = import_object_in(context, body->object, "initial");
  import_set(context, initial, "position", import_numbers(context, q, 2));
  import_set_number(context, initial, "angle", q[2]);
  import_set(context, initial, "velocity", import_numbers(context, v, 2));
  import_set_number(context, initial, "angular_velocity", v[2]);
}

/* ---- constraints ------------------------------------------------------------------------------------------------ */

static json_t *add_joint(adm_model *model, const adm_element *element, const char *type) {
  return import_add(model->context, model->context->joints, element->name, type);
}

static json_t *add_driver(adm_model *model, const adm_element *element, const char *type) {
  import_context *context = model->context;
  json_t *driver = import_add(context, context->drivers, element->name, type);
  const char *target = import_text(context, "%s/function", import_last(context, "drivers"));
  import_set(context, driver, "function", need_function(model, element->object, &element->place, "fun", target));
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
  const adm_body *one = find_body(model, element, "body1"),
                 *two = grounded ? &ground : find_body(model, element, "body2");
  if (!one || !two) return false;
  out[0] = add_point(model, element, one, "sP1");
  out[1] = add_point(model, element, two, grounded ? "Pground" : "sP2");
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
  json_t *joint = add_joint(model, element, "expression");
  const char *target = import_text(context, "%s/value", import_last(context, "joints"));
  json_t *value = need_function(model, element->object, &element->place, "fun", target);
  import_set_text(
      context, joint, "value",
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

/* Takes a direction: a vector, or from sP to a second point sQ. Returns NULL if there is none, or after an error. */
static const char *add_vector(adm_model *model, const adm_element *element, const adm_body *body, int side) {
  import_context *context = model->context;
  static const char *const names[] = {"vP", "v"};
  double v[2], p[2] = {0, 0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (take_numbers(model, element->object, &element->place, import_text(context, "%s%d", names[i], side), 2, v))
      return add_place(model, body, "vectors", element->name, import_number(context, v[0]),
                       import_number(context, v[1]));
  if (!take_numbers(model, element->object, &element->place, import_text(context, "sQ%d", side), 2, v)) return NULL;
  const json_t *start = json_object_get(element->object, import_text(context, "sP%d", side));
  for (size_t k = 0; k < 2; k++) p[k] = json_number_value(json_array_get(start, k));
  return add_place(model, body, "vectors", element->name, import_number(context, v[0] - p[0]),
                   import_number(context, v[1] - p[1]));
}

static void add_translational(adm_model *model, const adm_element *element) {
  import_context *context = model->context;
  const adm_body *one = find_body(model, element, "body1"), *two = find_body(model, element, "body2");
  if (!one || !two) return;
  const char *first = add_vector(model, element, one, 1), *second = add_vector(model, element, two, 2);
  if (!first || !second) {
    import_invalid(context, &element->place, "a translational joint needs a direction on both bodies, vP1 and vP2");
    return;
  }
  const char *p1 = add_point(model, element, one, "sP1"), *p2 = add_point(model, element, two, "sP2");
  json_t *joint = add_joint(model, element, "translational");
  import_set_pair(context, joint, "points", p1, p2);
  import_set_pair(context, joint, "vectors", first, second);
}

/* Adds the row "the component of P - Q along a unit vector of body 1 is `right`", where c = (x, y) is the vector. */
static void add_component(adm_model *model, const char *name, const adm_body *body, const double c[2], const char *p,
                          const char *q, const char *right) {
  import_context *context = model->context;
  const char *x = import_digits(context, c[0]), *y = import_digits(context, c[1]),
             *phi = body->object ? import_text(context, "%s.phi", body->name) : "0";
  import_set_text(context, import_add(context, context->joints, name, "expression"), "value",
                  import_text(context,
                              "(%s*cos(%s) - %s*sin(%s))*(%s.x - %s.x) + (%s*sin(%s) + %s*cos(%s))*(%s.y - %s.y) "
                              "- %s",
                              x, phi, y, phi, p, q, x, phi, y, phi, p, q, right));
}

/* The rack is body 1, along P1 Q1; the pinion is body 2, with centre P2 and radius R2. With the unit vector e of
 * Q1 - P1, n across it, and alpha = phi1 + theta1 - phi2 - theta2 + 3 pi/2:
 *     (P2 - Q1).e - R2 alpha = 0,   (P2 - P1).n - R2 = 0 */
static void add_rack(adm_model *model, const adm_element *element) {
  import_context *context = model->context;
  const adm_body *rack = find_body(model, element, "body1"), *pinion = find_body(model, element, "body2");
  double p[2], q[2], radius, theta[2];
  if (!rack || !pinion) return;
  json_t *start = json_object_get(element->object, "sP1"); /* add_point() takes it */
  const adm_element plain = with_plain_name(model, element);
  const char *p1 = add_point(model, &plain, rack, "sP1"), *p2 = add_point(model, &plain, pinion, "sP2");
  if (!need_numbers(model, element->object, &element->place, "sQ1", 2, q) ||
      !need_number(model, element->object, &element->place, "R2", &radius) ||
      !need_number(model, element->object, &element->place, "theta1", &theta[0]) ||
      !need_number(model, element->object, &element->place, "theta2", &theta[1]))
    return;
  for (size_t k = 0; k < 2; k++) p[k] = json_number_value(json_array_get(start, k));
  const double length = hypot(q[0] - p[0], q[1] - p[1]);
  if (!(length > 0)) {
    import_invalid(context, &element->place, "the points sP1 and sQ1 of the rack are the same");
    return;
  }
  const double e[2] = {(q[0] - p[0]) / length, (q[1] - p[1]) / length}, n[2] = {-e[1], e[0]};
  const char *q1 =
      add_place(model, rack, "points", plain.name, import_number(context, q[0]), import_number(context, q[1]));
  const char *alpha = import_text(context, "%s*(%s - %s + %s)", import_digits(context, radius),
                                  rack->object ? import_text(context, "%s.phi", rack->name) : "0",
                                  pinion->object ? import_text(context, "%s.phi", pinion->name) : "0",
                                  import_digits(context, theta[0] - theta[1] + 1.5 * acos(-1.0)));
  add_component(model, element->name, rack, e, p2, q1, alpha);
  add_component(model,
                import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_distance", element->name), "constraint",
                            element->index + 1, NULL),
                rack, n, p2, p1, import_digits(context, radius));
}

/* ---- forces ----------------------------------------------------------------------------------------------------- */

static json_t *add_force(adm_model *model, const adm_element *element, const char *type) {
  return import_add(model->context, model->context->forces, element->name, type);
}

/* Reads k, c, the function `fun` and the length or angle `key` without force, which a spring must have. */
static void add_spring(adm_model *model, const adm_element *element, json_t *force, const char *free, const char *key) {
  import_context *context = model->context;
  static const char *const keys[] = {"k", "c", "fun"}, *const fields[] = {"stiffness", "damping", "actuator"};
  const char *own = import_last(context, "forces");
  for (size_t i = 0; i < 3; i++) {
    json_t *value =
        take_function(model, element->object, &element->place, keys[i], import_text(context, "%s/%s", own, fields[i]));
    if (value) import_set(context, force, fields[i], value);
  }
  double rest;
  if (json_object_get(force, "stiffness") || json_object_get(element->object, key)) {
    if (need_number(model, element->object, &element->place, key, &rest)) import_set_number(context, force, free, rest);
  }
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
  const adm_body *one = find_body(model, element, "body1"), *two = alone ? &ground : find_body(model, element, "body2");
  if (!one || !two) return;
  json_t *force = add_force(model, element, "rotational-spring-damper");
  import_set_pair(model->context, force, "bodies", alone ? two->name : one->name, alone ? one->name : two->name);
  add_spring(model, element, force, "free_angle", "theta0");
}

/* Adds a force at a point, in global axes (GRF) or those of the body (LRF). */
static void add_point_force(adm_model *model, const adm_element *element) {
  import_context *context = model->context;
  const adm_body *body = find_body(model, element, "body1");
  if (!body) return;
  const char *point = add_point(model, element, body, "sP1");
  json_t *force = add_force(model, element, "force");
  const char *own = import_last(context, "forces");
  import_set_text(context, force, "point", point);
  json_t *x = need_function(model, element->object, &element->place, "funX", import_text(context, "%s/value/0", own)),
         *y = need_function(model, element->object, &element->place, "funY", import_text(context, "%s/value/1", own));
  import_set(context, force, "value", json_pack("[o, o]", x, y));
  const json_t *frame = take(model, element->object, "frame");
  const char *word = json_string_value(frame);
  const import_location at = member_of(model, &element->place, "frame");
  if (!frame)
    import_note(context, IMPORT_CHANGED, "frame", &element->place, own,
                "the force has no 'frame': it is in global axes");
  else if (word && strcasecmp(word, "LRF") == 0)
    import_set_text(context, force, "frame", "body");
  else if (!word || strcasecmp(word, "GRF") != 0)
    import_invalid(context, &at, "'frame' must be GRF (global axes) or LRF (axes of the body)");
}

static void add_torque(adm_model *model, const adm_element *element) {
  import_context *context = model->context;
  const adm_body *body = find_body(model, element, "body1");
  if (!body) return;
  json_t *force = add_force(model, element, "torque");
  import_set_text(context, force, "body", body->name);
  import_set(context, force, "value",
             need_function(model, element->object, &element->place, "fun",
                           import_text(context, "%s/value", import_last(context, "forces"))));
}

/* Member that marks the partner of a pin. */
static const char taken[] = "(taken)";

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
static const adm_kind forces[] = {{"TSDA", add_tsda},
                                  {"TSDA1", add_tsda},
                                  {"TSDA2", add_tsda},
                                  {"RSDA", add_rsda},
                                  {"RSDA1", add_rsda},
                                  {"RSDA2", add_rsda},
                                  {"PointForce", add_point_force},
                                  {"Torque", add_torque}};

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
  const json_t *f = json_object_get(one, "fun"), *g = json_object_get(other, "fun");
  return pair && json_equal(json_object_get(one, "body1"), json_object_get(other, "body1")) &&
         json_equal(json_object_get(one, "sP1"), json_object_get(other, "sP1")) && has_function(f) && has_function(g) &&
         is_constant(f) && is_constant(g);
}

/* Replaces a constraint and its partner by a pin on the ground. Returns false if there is no partner. */
static bool add_pin(adm_model *model, json_t *list, adm_element *element) {
  import_context *context = model->context;
  static const char *const shared[] = {"name", "id", "type", "body1", "sP1"};
  for (size_t i = element->index + 1; i < json_array_size(list); i++) {
    json_t *other = json_array_get(list, i);
    if (!is_pin(element->object, other)) continue;
    const bool x_first = strcasecmp(element->type, "AbsoluteX") == 0;
    const adm_element partner = open_element(model, other, "constraints", i);
    element->name =
        import_identifier(context, IMPORT_NAME_BODY, element->name, "constraint", element->index + 1, &element->place);
    const char *target = import_text(context, "/ground/points/%s/", element->name);
    const char *at = import_text(context, "%s%d", target, x_first ? 0 : 1),
               *across = import_text(context, "%s%d", target, x_first ? 1 : 0);
    json_t *xy[2] = {need_function(model, element->object, &element->place, "fun", at),
                     need_function(model, other, &partner.place, "fun", across)};
    const char *fixed = add_place(model, &ground, "points", element->name, xy[!x_first], xy[x_first]);
    const adm_body *body = find_body(model, element, "body1");
    if (body) {
      const char *point = add_point(model, element, body, "sP1");
      import_set_pair(context, add_joint(model, element, "revolute"), "points", fixed, point);
      import_note(context, IMPORT_MAPPED, "pin", &element->place, import_last(context, "joints"),
                  "with the constraint '%s' it is the pin '%s' on the ground", partner.name ? partner.name : "",
                  element->name);
    }
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
      take(model, element->object, shared[k]);
      take(model, other, shared[k]);
    }
    json_object_set_new(other, taken, json_true());
    return true;
  }
  return false;
}

static void add_element(adm_model *model, json_t *list, const char *which, size_t index, const adm_kind *kinds,
                        size_t count) {
  import_context *context = model->context;
  adm_element element = open_element(model, json_array_get(list, index), which, index);
  if (!json_is_object(element.object)) {
    import_invalid(context, &element.place, "an element must be an object");
    return;
  }
  if (take(model, element.object, taken)) return; /* the partner of a pin */
  import_at(context, &element.place);
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
    if (!has_function(json_object_get(element.object, "fun"))) take(model, element.object, "fun"); /* "NONE" */
    return;
  }
  if (element.type)
    import_not_mapped(context, &element.place, "the type '%.80s' is not supported", element.type);
  else
    import_invalid(context, &element.place, "the member 'type' is missing");
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
  const char *text = import_file_text(file);
  json_t *root = json_loadb(text, file->size - (size_t)(text - file->data), JSON_REJECT_DUPLICATES, &error);
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
    if (json_is_array(item) && json_array_size(item) == 0) continue;
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

/* Returns the file of the analysis: that with the name of the model, or the only one in its folder. */
static const import_file *find_analysis(adm_model *model, const import_file *main) {
  import_context *context = model->context;
  const char *dot = strrchr(main->path, '.');
  const size_t stem = dot ? (size_t)(dot - main->path) : strlen(main->path), folder = import_folder_length(main->path);
  const import_file *own = import_tree_find(context->tree, import_text(context, "%.*s.acf", (int)stem, main->path));
  const import_file *only = NULL;
  size_t count = 0;
  for (size_t i = 0; !own && i < import_tree_count(context->tree); i++) {
    const import_file *file = import_tree_at(context->tree, i);
    const char *ending = strrchr(file->path, '.');
    if (!ending || strcasecmp(ending, ".acf") != 0 || import_folder_length(file->path) != folder ||
        strncmp(file->path, main->path, folder) != 0)
      continue;
    only = file;
    count++;
  }
  return own ? own : count == 1 ? only : NULL;
}

/* Reads the analysis in the file beside the model. */
static void read_analysis(adm_model *model, const import_file *main) {
  import_context *context = model->context;
  const import_file *file = find_analysis(model, main);
  if (!file) return;
  static const struct {
    const char *word, *type;
  } kinds[] = {{"dynamics", "dynamics"},
               {"kinematics", "kinematics"},
               {"inversedynamics", "inverse-dynamics"},
               {"equilibrium", "equilibrium"}};
  json_t *root = read_json(context, file), *analysis = import_object_in(context, context->document, "analysis");
  const import_location place = {.file = file->path, .pointer = ""};
  const json_t *kind = need(model, root, &place, "simulation");
  const import_location at = member_of(model, &place, "simulation");
  char word[40] = "";
  for (const char *c = json_is_string(kind) ? json_string_value(kind) : ""; *c && strlen(word) + 1 < sizeof word; c++)
    if (isalpha((unsigned char)*c)) word[strlen(word)] = (char)tolower((unsigned char)*c);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(word, kinds[k].word) == 0) import_set_text(context, analysis, "type", kinds[k].type);
  if (kind && !json_object_get(analysis, "type"))
    import_not_mapped(context, &at, "the simulation '%s' is not supported", word);
  import_locate(context, "/analysis", &place);
  double end = 0, steps = 0, step = 0;
  const bool counted = json_object_get(root, "outputSteps") != NULL;
  const bool timed = strcmp(word, "equilibrium") != 0 && need_number(model, root, &place, "tend", &end) &&
                     (counted ? need_number(model, root, &place, "outputSteps", &steps)
                              : need_number(model, root, &place, "stepSize", &step));
  if (timed && !(end > 0 && (counted ? steps : step) > 0))
    import_invalid(context, &place, "'tend' and '%s' must be positive", counted ? "outputSteps" : "stepSize");
  else if (timed) {
    import_set_number(context, analysis, "t_end", end);
    import_set_number(context, analysis, "dt", counted ? end / steps : step);
  }
  report_unread(model, root, file->path, "");
}

/* Returns a list of the model; an empty one if there is none, or after an error. */
static json_t *list_of(adm_model *model, json_t *root, const char *key) {
  json_t *list = json_object_get(root, key);
  const import_location place = {.file = model->file, .pointer = import_text(model->context, "/%s", key)};
  if (!list || json_is_array(list)) return list;
  import_invalid(model->context, &place, "'%s' must be a list", key);
  return NULL;
}

static void set_gravity(adm_model *model, json_t *root) {
  import_context *context = model->context;
  const import_location place = {.file = model->file, .pointer = ""};
  double g[2] = {0, -9.81};
  if (!json_object_get(root, "gravity"))
    import_note(context, IMPORT_CHANGED, "gravity", &place, "/gravity", "gravity is 9.81 m/s^2 along -y, the default");
  take_numbers(model, root, &place, "gravity", 2, g);
  import_set(context, context->document, "gravity", import_numbers(context, g, 2));
}

static void convert(import_context *context, const import_file *main) {
  adm_model *model = import_alloc(context, 1, sizeof *model);
  json_t *root = read_json(context, main);
  *model = (adm_model){.context = context, .file = main->path, .owner = import_need(context, json_array())};
  json_array_append_new(context->sources, model->owner);
  const json_t *name = take(model, root, "name");
  import_document_open(context, json_string_value(name), "planar");
  set_gravity(model, root);
  json_t *bodies = list_of(model, root, "bodies"), *joints = list_of(model, root, "constraints"),
         *laws = list_of(model, root, "forces");
  for (size_t i = 0; i < json_array_size(joints); i++) {
    const char *type = json_string_value(json_object_get(json_array_get(joints, i), "type"));
    model->expressions =
        model->expressions || (type && (strncasecmp(type, "Relative", 8) == 0 || strcasecmp(type, "RackPinion") == 0));
  }
  model->bodies = import_alloc(context, json_array_size(bodies), sizeof *model->bodies);
  for (size_t i = 0; i < json_array_size(bodies); i++) add_body(model, json_array_get(bodies, i), i);
  for (size_t i = 0; i < json_array_size(joints); i++)
    add_element(model, joints, "constraints", i, constraints, sizeof constraints / sizeof *constraints);
  for (size_t i = 0; i < json_array_size(laws); i++)
    add_element(model, laws, "forces", i, forces, sizeof forces / sizeof *forces);
  read_analysis(model, main);
  report_unread(model, root, main->path, "");
}

const import_format import_adm = {.name = "adm", .ending = ".adm", .convert = convert};
