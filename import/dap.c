/* dap.c - folders of Nikravesh's DAP_JC (joint coordinates) and DAP_BC (body coordinates): bodies, points, vectors,
 * functions, and the tree of DAP_JC. */
#include "import/dap.h"

#include "import/formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- files and lists -------------------------------------------------------------------------------------------- */

const import_file *dap_file(dap_model *model, const char *name) {
  return import_tree_find(model->context->tree, import_text(model->context, "%s%s.m", model->folder, name));
}

/* Reads the list that a file assigns to a global variable. */
static void read_list(dap_model *model, const char *name, const char *variable, dap_list *out, const char **path) {
  const import_file *file = dap_file(model, name);
  if (!file) return;
  mfile *reader = import_alloc(model->context, 1, sizeof *reader);
  reader->context = model->context;
  *path = file->path;
  mfile_read(reader, file);
  const mfile_value *list = mfile_get(reader, variable);
  const import_location place = {.file = file->path};
  if (list && list->kind == MFILE_STRUCT) { /* a list of one */
    out->items = list->list;
    out->count = 1;
  } else if (list && list->kind == MFILE_LIST) {
    out->items = list->list;
    out->count = (size_t)list->rows;
  } else if (list && list->kind == MFILE_MATRIX && list->rows == 0) {
    out->count = 0;
  } else {
    import_invalid(model->context, &place, "%s.m assigns no list to %s", name, variable);
  }
  for (size_t i = 0; i < out->count; i++) /* an element without a variable */
    if (!out->items[i]->name) out->items[i]->name = import_text(model->context, "%.1s%zu", variable, i + 1);
  out->names = import_alloc(model->context, out->count, sizeof *out->names);
}

import_location dap_location(const mfile_struct *object, const char *file) {
  return (import_location){.file = file, .line = object->line, .element = object->name};
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

bool dap_has(const mfile_struct *object, const char *field) { return mfile_find_field(object, field) != NULL; }

bool dap_numbers(dap_model *model, mfile_struct *object, const char *file, const char *field, size_t count,
                 double *out) {
  mfile_field *entry = (mfile_field *)mfile_find_field(object, field);
  if (!entry) return false;
  entry->taken = true;
  if (mfile_numbers_of(&entry->value, count, out)) return true;
  const import_location place = {.file = file, .line = entry->line, .element = object->name};
  import_invalid(model->context, &place, "%s.%s must have %zu number%s", object->name, field, count,
                 count == 1 ? "" : "s");
  return false;
}

double dap_number(dap_model *model, mfile_struct *object, const char *file, const char *field, double fallback) {
  double value = fallback;
  dap_numbers(model, object, file, field, 1, &value);
  return value;
}

const char *dap_word(mfile_struct *object, const char *field, const char *fallback) {
  mfile_field *entry = (mfile_field *)mfile_find_field(object, field);
  if (!entry) return fallback;
  entry->taken = true;
  return entry->value.kind == MFILE_STRING ? entry->value.text : fallback;
}

int dap_index(dap_model *model, mfile_struct *object, const char *file, const char *field, const dap_list *list) {
  const double index = dap_number(model, object, file, field, 0);
  if (index >= 1 && index <= (double)list->count && index == floor(index)) return (int)index;
  const import_location place = dap_location(object, file);
  import_invalid(model->context, &place, "%s.%s is %g, outside of 1 to %zu", object->name, field, index, list->count);
  return 0;
}

int dap_body_of(dap_model *model, mfile_struct *object, const char *file) {
  const double index = dap_number(model, object, file, "Bindex", 0);
  if (index >= 0 && index <= (double)model->bodies.count && index == floor(index)) return (int)index;
  const import_location place = dap_location(object, file);
  import_invalid(model->context, &place, "%s.Bindex is %g; there are %zu bodies", object->name, index,
                 model->bodies.count);
  return 0;
}

const char *dap_body_name(const dap_model *model, int body) {
  return body > 0 ? model->bodies.names[body - 1] : "ground";
}

/* Adds a note for each field that no reader has used. */
static void report_unread(dap_model *model, const dap_list *list, const char *file) {
  for (size_t i = 0; i < list->count; i++)
    for (const mfile_field *field = list->items[i]->fields; field; field = field->next) {
      if (field->taken) continue;
      const import_location place = {.file = file, .line = field->line, .element = list->items[i]->name};
      const mfile_value *v = &field->value;
      const char *text = v->kind == MFILE_STRING ? v->text : v->kind == MFILE_MATRIX ? "" : "(a list)";
      for (int k = 0; v->kind == MFILE_MATRIX && k < v->rows * v->columns && k < 8; k++)
        text = import_text(model->context, "%s%s%s", text, k ? " " : "", mfile_print(model->context, v->cells[k]));
      import_note(model->context, IMPORT_DROPPED, "field", &place, NULL, "the model does not contain: %s.%s = %.200s",
                  list->items[i]->name, field->name, text);
    }
}

/* ---- bodies, points, vectors ------------------------------------------------------------------------------------ */

static void add_shape(dap_model *model, mfile_struct *body, const char *file, json_t *object) {
  import_context *context = model->context;
  const char *type = dap_word(body, "shape", " ");
  const double R = dap_number(model, body, file, "R", 1), W = dap_number(model, body, file, "W", 0),
               H = dap_number(model, body, file, "H", 0);
  dap_word(body, "color", "k");
  json_t *shape = import_need(context, json_object());
  if (strcasecmp(type, "circle") == 0) {
    import_set_text(context, shape, "type", "circle");
    import_set_number(context, shape, "radius", R);
  } else if (strncasecmp(type, "rect", 4) == 0 && W > 0 && H > 0) {
    import_set_text(context, shape, "type", "rectangle");
    import_set_number(context, shape, "width", W);
    import_set_number(context, shape, "height", H);
  } else if (strcasecmp(type, "line") == 0 && (W > 0 || H > 0)) {
    import_set_text(context, shape, "type", "line");
    const double x = W > H ? W / 2 : 0, y = W > H ? 0 : H / 2;
    import_set(context, shape, "from", import_numbers(context, (double[]){-x, -y}, 2));
    import_set(context, shape, "to", import_numbers(context, (double[]){x, y}, 2));
  } else {
    json_decref(shape);
    return;
  }
  import_set(context, object, "shapes", json_pack("[o]", shape));
}

static void add_bodies(dap_model *model, bool body_coordinates) {
  import_context *context = model->context;
  const char *file = model->list_files[0];
  model->objects = import_alloc(context, model->bodies.count, sizeof *model->objects);
  for (size_t i = 0; i < model->bodies.count; i++) {
    mfile_struct *body = model->bodies.items[i];
    const import_location place = dap_location(body, file);
    const char *name = import_identifier(context, IMPORT_NAME_BODY, body->name, "body", i + 1, &place);
    model->bodies.names[i] = name;
    import_at(context, &place);
    json_t *object = model->objects[i] = import_add(context, context->bodies, name, NULL);
    import_set_number(context, object, "mass", dap_number(model, body, file, "m", 1));
    import_set_number(context, object, "inertia", dap_number(model, body, file, "J", 1));
    add_shape(model, body, file, object);
    if (!body_coordinates) continue;
    double r[2] = {0, 0}, v[2] = {0, 0};
    json_t *initial = import_object_in(context, object, "initial");
    dap_numbers(model, body, file, "r", 2, r);
    dap_numbers(model, body, file, "r_d", 2, v);
    import_set(context, initial, "position", import_numbers(context, r, 2));
    import_set_number(context, initial, "angle", dap_number(model, body, file, "p", 0));
    import_set(context, initial, "velocity", import_numbers(context, v, 2));
    import_set_number(context, initial, "angular_velocity", dap_number(model, body, file, "p_d", 0));
  }
}

static void add_places(dap_model *model, dap_list *list, const char *file, const char *field, const char *map) {
  import_context *context = model->context;
  const bool unit = strcmp(map, "vectors") == 0;
  for (size_t i = 0; i < list->count; i++) {
    mfile_struct *place = list->items[i];
    double at[2] = {unit ? 1 : 0, 0};
    const int body = dap_body_of(model, place, file);
    dap_numbers(model, place, file, field, 2, at);
    const double length = hypot(at[0], at[1]);
    const import_location where = dap_location(place, file);
    if (unit && !(length > 0)) import_invalid(context, &where, "the vector %s has length 0", place->name);
    if (unit && fabs(length - 1) > 1e-9)
      import_note(context, IMPORT_CHANGED, "normalized", &where, NULL, "the vector %s has length %g and is normalized",
                  place->name, length);
    json_t *owner = body ? model->objects[body - 1] : json_object_get(context->document, "ground");
    json_t *places = import_object_in(context, owner, map);
    const char *name = place->name;
    for (int k = 2; json_object_get(places, name); k++) name = import_text(context, "%s_%d", place->name, k);
    import_set(context, places, name, import_numbers(context, at, 2));
    list->names[i] = import_text(context, "%s.%s", dap_body_name(model, body), name);
  }
}

void dap_set_disc(dap_model *model, json_t *joint, int body, double x0, double radius) {
  import_context *context = model->context;
  const char *name = json_string_value(json_object_get(joint, "name"));
  json_t *ground = json_object_get(context->document, "ground");
  import_set(context, import_object_in(context, ground, "points"), name, import_numbers(context, (double[]){x0, 0}, 2));
  import_set(context, import_object_in(context, ground, "vectors"), name, import_numbers(context, (double[]){1, 0}, 2));
  import_set(context, import_object_in(context, model->objects[body - 1], "points"), name,
             import_numbers(context, (double[]){0, 0}, 2));
  import_set_pair(context, joint, "points", import_text(context, "ground.%s", name),
                  import_text(context, "%s.%s", dap_body_name(model, body), name));
  import_set(context, joint, "vectors", json_pack("[s]", import_text(context, "ground.%s", name)));
  import_set_number(context, joint, "radius", radius);
}

/* ---- terms of the state ----------------------------------------------------------------------------------------- */

static mfile_value pair(import_context *context, const mfile_term *x, const mfile_term *y) {
  mfile_value value = mfile_matrix(context, 2, 1);
  value.cells[0] = x;
  value.cells[1] = y;
  return value;
}

static mfile_value atoms(import_context *context, const char *owner, const char *x, const char *y) {
  return pair(context, mfile_atom(context, import_text(context, "%s.%s", owner, x)),
              mfile_atom(context, import_text(context, "%s.%s", owner, y)));
}

static mfile_value constants(import_context *context, const double v[2]) {
  return pair(context, mfile_number(context, v[0]), mfile_number(context, v[1]));
}

/* Returns A s', or perp(A s'), of a vector fixed to a body. */
static mfile_value turned(dap_model *model, int body, const double s[2], bool across) {
  import_context *c = model->context;
  const double own[2] = {across ? -s[1] : s[0], across ? s[0] : s[1]};
  if (body == 0) return constants(c, own);
  const char *phi = import_text(c, "%s.phi", dap_body_name(model, body));
  const mfile_term *cosine = mfile_atom(c, import_text(c, "cos(%s)", phi)),
                   *sine = mfile_atom(c, import_text(c, "sin(%s)", phi));
  const mfile_term *x = mfile_number(c, own[0]), *y = mfile_number(c, own[1]);
  return pair(c, mfile_operate(c, "-", mfile_operate(c, "*", x, cosine), mfile_operate(c, "*", y, sine)),
              mfile_operate(c, "+", mfile_operate(c, "*", x, sine), mfile_operate(c, "*", y, cosine)));
}

/* Returns the rate of a vector fixed to a body: perp(A s') times its angular velocity. */
static mfile_value rate_of(dap_model *model, int body, const double s[2]) {
  import_context *c = model->context;
  static const double zero[2] = {0, 0};
  if (body == 0) return constants(c, zero);
  mfile_value across = turned(model, body, s, true);
  const mfile_term *omega = mfile_atom(c, import_text(c, "%s.omega", dap_body_name(model, body)));
  for (int k = 0; k < 2; k++) across.cells[k] = mfile_operate(c, "*", across.cells[k], omega);
  return across;
}

static bool point_member(dap_model *model, int index, const char *field, mfile_value *out) {
  import_context *context = model->context;
  mfile_struct *point = model->points.items[index - 1];
  static const double zero[2] = {0, 0};
  double at[2] = {0, 0};
  const int body = dap_body_of(model, point, model->list_files[1]);
  dap_numbers(model, point, model->list_files[1], "sPlocal", 2, at);
  const char *name = model->points.names[index - 1];
  if (strcmp(field, "rP") == 0)
    *out = atoms(context, name, "x", "y");
  else if (strcmp(field, "rP_d") == 0)
    *out = body ? atoms(context, name, "vx", "vy") : constants(context, zero);
  else if (strcmp(field, "sP") == 0 || strcmp(field, "sP_r") == 0)
    *out = turned(model, body, at, field[2] == '_');
  else if (strcmp(field, "sP_d") == 0)
    *out = rate_of(model, body, at);
  else if (strcmp(field, "sPlocal") == 0)
    *out = constants(context, at);
  else
    return false;
  return true;
}

static bool body_member(dap_model *model, int index, const char *field, mfile_value *out) {
  import_context *context = model->context;
  static const double zero[2] = {0, 0};
  mfile_struct *body = model->bodies.items[index - 1];
  const char *name = model->bodies.names[index - 1];
  if (strcmp(field, "r") == 0)
    *out = atoms(context, name, "x", "y");
  else if (strcmp(field, "r_d") == 0)
    *out = atoms(context, name, "vx", "vy");
  else if (strcmp(field, "p") == 0 || strcmp(field, "p_d") == 0)
    *out = mfile_scalar(context, mfile_atom(context, import_text(context, "%s.%s", name, field[1] ? "omega" : "phi")));
  else if (strcmp(field, "A") == 0) {
    static const double x[2] = {1, 0}, y[2] = {0, 1};
    const mfile_value columns[2] = {turned(model, index, x, false), turned(model, index, y, false)};
    *out = mfile_matrix(context, 2, 2);
    for (int k = 0; k < 4; k++) out->cells[k] = columns[k % 2].cells[k / 2];
  } else if (strcmp(field, "m") == 0 || strcmp(field, "J") == 0)
    *out = mfile_scalar(context, mfile_number(context, dap_number(model, body, model->list_files[0], field, 1)));
  else if (strcmp(field, "f") == 0)
    *out = constants(context, zero);
  else if (strcmp(field, "n") == 0)
    *out = mfile_scalar(context, mfile_number(context, 0));
  else
    return false;
  return true;
}

bool dap_member(mfile *reader, const char *global, int index, const char *field, mfile_value *out) {
  dap_model *model = reader->owner;
  import_context *context = model->context;
  double u[2] = {1, 0};
  if (strcmp(global, "Points") == 0 && index >= 1 && (size_t)index <= model->points.count)
    return point_member(model, index, field, out);
  if (strcmp(global, "Bodies") == 0 && index >= 1 && (size_t)index <= model->bodies.count)
    return body_member(model, index, field, out);
  if (strcmp(global, "Uvectors") == 0 && index >= 1 && (size_t)index <= model->vectors.count) {
    mfile_struct *vector = model->vectors.items[index - 1];
    const int body = dap_body_of(model, vector, model->list_files[2]);
    dap_numbers(model, vector, model->list_files[2], "ulocal", 2, u);
    const bool rate = strcmp(field, "u_d") == 0;
    if (!rate && strcmp(field, "u") != 0 && strcmp(field, "u_r") != 0) return false;
    *out = rate ? rate_of(model, body, u) : turned(model, body, u, field[1] != 0);
    return true;
  }
  if (strcmp(global, "Forces") == 0 && index >= 1 && (size_t)index <= model->forces.count) {
    mfile_field *entry = (mfile_field *)mfile_find_field(model->forces.items[index - 1], field);
    if (!entry) return false;
    entry->taken = true;
    *out = entry->value;
    return true;
  }
  if ((strcmp(global, "theta") == 0 || strcmp(global, "theta_d") == 0 || strcmp(global, "functs") == 0) && !*field) {
    *out = mfile_scalar(context, mfile_atom(context, import_text(context, "%s(%d)", global, index)));
    return true;
  }
  return false;
}

json_t *dap_law(import_context *context, const mfile_term *term) {
  return term->kind == MFILE_NUMBER ? import_number(context, term->number)
                                    : import_need(context, json_string(mfile_print(context, term)));
}

/* ---- functions of time ------------------------------------------------------------------------------------------ */

json_t *dap_function(dap_model *model, int index, const import_location *place) {
  import_context *c = model->context;
  if (index < 1 || (size_t)index > model->functions.count) {
    import_invalid(c, place, "there is no function %d", index);
    return NULL;
  }
  mfile_struct *object = model->functions.items[index - 1];
  const char *file = model->list_files[5], *type = dap_word(object, "type", "a");
  const double t0 = dap_number(model, object, file, "t_start", 0), t1 = dap_number(model, object, file, "t_end", 1);
  const double f0 = dap_number(model, object, file, "f_start", 0), f1 = dap_number(model, object, file, "f_end", 1);
  const double rate = dap_number(model, object, file, "dfdt_end", 1);
  const import_location own = dap_location(object, file);
  if (strcmp(type, "a") == 0) {
    double a[3] = {0, 0, 0};
    dap_numbers(model, object, file, "coeff", 3, a);
    return json_pack("{s:[o, o, o]}", "polynomial", import_number(c, a[0]), import_number(c, a[1]),
                     import_number(c, a[2]));
  }
  if (strcmp(type, "b") != 0 && strcmp(type, "c") != 0) {
    import_not_mapped(c, &own, "the function type '%.40s' is not one of a, b, c", type);
    return NULL;
  }
  import_note(c, IMPORT_CHANGED, "function", &own, NULL, "after t_end the function %s continues without a jump",
              object->name);
  if (strcmp(type, "b") == 0)
    return json_pack("{s:{s:o, s:o, s:o, s:o}}", "step", "t0", import_number(c, t0), "t1", import_number(c, t1), "f0",
                     import_number(c, f0), "f1", import_number(c, f1));
  return json_pack("{s:{s:o, s:o, s:o, s:o}}", "ramp", "t0", import_number(c, t0), "t1", import_number(c, t1), "f0",
                   import_number(c, f0), "speed", import_number(c, rate));
}

/* ---- the tree of DAP_JC ----------------------------------------------------------------------------------------- */

/* Returns the 1-based index of an argument within a list; 0 if it is not one. */
static int argument(const mfile_value *value, const dap_list *list) {
  double index;
  if (!mfile_numbers_of(value, 1, &index) || index < 1 || index > (double)list->count) return 0;
  return (int)index;
}

/* Sets the joint's initial coordinates from theta and theta_d of its body, and notes which coordinates it has. */
static void set_coordinates(dap_model *model, int body, json_t *joint, const mfile_value *theta, size_t count,
                            const import_location *place) {
  import_context *context = model->context;
  mfile_struct *object = model->bodies.items[body - 1];
  const char *file = model->list_files[0], *name = json_string_value(json_object_get(joint, "name"));
  int first = 0;
  if (theta->kind == MFILE_MATRIX && theta->rows * theta->columns > 0 && theta->cells[0]->kind == MFILE_ATOM)
    sscanf(theta->cells[0]->text, "theta(%d)", &first);
  if (first < 1 || theta->kind != MFILE_MATRIX || (size_t)(theta->rows * theta->columns) != count)
    import_not_mapped(context, place, "the last argument must be %s", count == 1 ? "theta(i)" : "theta(i:i+2)");
  if (model->coordinate_count < DAP_COORDINATES)
    model->coordinates[model->coordinate_count++] = (dap_coordinate){name, first, (int)count};
  json_t *initial = import_object_in(context, joint, "initial");
  static const char *const fields[] = {"theta", "theta_d"}, *const members[] = {"position", "velocity"};
  for (int k = 0; k < 2; k++) {
    double q[3] = {0, 0, 0};
    mfile_field *entry = (mfile_field *)mfile_find_field(object, fields[k]);
    if (entry) entry->taken = true;
    if (entry && !mfile_numbers_of(&entry->value, count, q)) {
      const import_location at = {.file = file, .line = entry->line, .element = object->name};
      import_note(context, IMPORT_CHANGED, "theta", &at, NULL, "%s.%s has not %zu number%s, so it is 0 as in DAP",
                  object->name, fields[k], count, count == 1 ? "" : "s");
    }
    import_set(context, initial, members[k],
               count == 1 ? import_number(context, *q) : import_numbers(context, q, count));
  }
}

static bool chain_call(mfile *reader, const char *name, const mfile_value *a, size_t count, int line) {
  dap_model *model = reader->owner;
  import_context *context = model->context;
  const import_location place = mfile_location(reader, line, NULL);
  if (strcmp(name, "Update_P") == 0 || strcmp(name, "Update_U") == 0) return true;
  const bool turns = strcmp(name, "Coord_Rev") == 0 && count == 3,
             slides = strcmp(name, "Coord_Tran") == 0 && count == 5,
             floats = strcmp(name, "Coord_Float") == 0 && count == 2,
             rolls = strcmp(name, "Coord_Disc") == 0 && (count == 3 || count == 4);
  if (!turns && !slides && !floats && !rolls) return false;
  const int p1 = turns || slides ? argument(&a[0], &model->points) : 0,
            p2 = turns    ? argument(&a[1], &model->points)
                 : slides ? argument(&a[2], &model->points)
                          : 0,
            u1 = slides ? argument(&a[1], &model->vectors) : 0, u2 = slides ? argument(&a[3], &model->vectors) : 0;
  const int body = floats || rolls ? argument(&a[0], &model->bodies)
                   : p2            ? dap_body_of(model, model->points.items[p2 - 1], model->list_files[1])
                                   : 0;
  if (!body || ((turns || slides) && (!p1 || !p2)) || (slides && (!u1 || !u2))) {
    import_invalid(context, &place, "an index in %s is wrong, or the joint carries no body", name);
    return true;
  }
  const char *joint = import_name(context, IMPORT_NAME_BODY, import_text(context, "theta%d", body), "joint", 1, &place);
  import_at(context, &place);
  json_t *object = import_add(context, context->joints, joint,
                              turns    ? "revolute"
                              : slides ? "translational"
                              : floats ? "floating"
                                       : "disc");
  if (turns || slides)
    import_set_pair(context, object, "points", model->points.names[p1 - 1], model->points.names[p2 - 1]);
  if (slides) import_set_pair(context, object, "vectors", model->vectors.names[u1 - 1], model->vectors.names[u2 - 1]);
  if (floats) import_set_text(context, object, "body", dap_body_name(model, body));
  if (rolls) { /* Coord_Disc(body, R, x0, theta): (x - x0) + R theta = 0 */
    double R = 1, x0 = 0;
    if (!mfile_numbers_of(&a[1], 1, &R) || (count == 4 && !mfile_numbers_of(&a[2], 1, &x0)))
      import_not_mapped(context, &place, "the arguments of Coord_Disc are (body, R, x0, theta)");
    dap_set_disc(model, object, body, x0, R);
  }
  set_coordinates(model, body, object, &a[count - 1], floats ? 3 : 1, &place);
  return true;
}

mfile *dap_read_state(dap_model *model, const import_file *file, mfile_call *call) {
  import_context *context = model->context;
  mfile *reader = import_alloc(context, 1, sizeof *reader);
  *reader = (mfile){.context = context, .owner = model, .member = dap_member, .call = call, .tolerant = true};
  const mfile_value check = mfile_scalar(context, mfile_number(context, 1)),
                    t = mfile_scalar(context, mfile_atom(context, "t"));
  mfile_set(reader, "check", &check);
  mfile_set(reader, "t", &t);
  mfile_read(reader, file);
  return reader;
}

static void add_tree(dap_model *model, const import_file *file) {
  import_context *context = model->context;
  const mfile *reader = dap_read_state(model, file, chain_call);
  for (size_t i = 0; i < model->bodies.count; i++) {
    const mfile_value *r = mfile_get(reader, import_text(context, "Bodies(%zu).r", i + 1));
    const import_location place = mfile_location(reader, r ? r->line : 0, model->bodies.items[i]->name);
    if (r)
      import_not_mapped(
          context, &place,
          "the position of %s is computed here; joints are those of Coord_Rev, Coord_Tran, Coord_Disc and "
          "Coord_Float",
          model->bodies.items[i]->name);
  }
  for (size_t i = 0; i < model->bodies.count; i++) {
    const char *name = import_text(context, "theta%zu", i + 1);
    const import_location place = dap_location(model->bodies.items[i], model->list_files[0]);
    if (!json_object_get(context->names[IMPORT_NAME_BODY], name))
      import_not_mapped(context, &place, "no joint of ChainOpen carries the body %s", model->bodies.items[i]->name);
  }
}

/* ---- inAnimate -------------------------------------------------------------------------------------------------- */

/* Sets a field of a structure. */
static void set_field(import_context *context, mfile_struct *object, const char *name, const mfile_value *value) {
  mfile_field *field = (mfile_field *)mfile_find_field(object, name);
  if (!field) {
    field = import_alloc(context, 1, sizeof *field);
    field->next = object->fields;
    object->fields = field;
  }
  field->name = import_text(context, "%s", name);
  field->value = *value;
  field->line = value->line;
}

/* Reads inAnimate.m: Bodies(i).shape and the like belong to the bodies; all else is dropped. */
static void read_animation(dap_model *model) {
  import_context *context = model->context;
  const import_file *file = dap_file(model, "inAnimate");
  if (!file) return;
  const bool partial = context->options.partial;
  context->options.partial = true; /* drawing: what cannot be read is no error */
  mfile *reader = import_alloc(context, 1, sizeof *reader);
  reader->context = context;
  mfile_read(reader, file);
  context->options.partial = partial;
  for (size_t k = 0; k < reader->count; k++) {
    static const char *const known[] = {"shape", "R", "W", "H", "color"};
    const mfile_value *value = &reader->variables[k].value;
    const char *name = reader->variables[k].name;
    char field[16];
    unsigned body = 0;
    bool used = false;
    if (sscanf(name, "Bodies(%u).%15s", &body, field) == 2 && body >= 1 && body <= model->bodies.count)
      for (size_t i = 0; i < sizeof known / sizeof *known; i++) used = used || strcmp(field, known[i]) == 0;
    if (used) {
      set_field(context, model->bodies.items[body - 1], field, value);
      continue;
    }
    const import_location place = mfile_location(reader, value->line, name);
    import_note(
        context, IMPORT_DROPPED, "animation", &place, NULL, "the model does not contain: %s of the animation%s%s", name,
        value->kind == MFILE_MATRIX && value->rows * value->columns == 1 ? " = " : "",
        value->kind == MFILE_MATRIX && value->rows * value->columns == 1 ? mfile_print(context, value->cells[0]) : "");
  }
}

/* ---- the folder ------------------------------------------------------------------------------------------------- */

static void convert(import_context *context, const import_file *main) {
  dap_model *model = import_alloc(context, 1, sizeof *model);
  model->context = context;
  model->folder = import_text(context, "%.*s", (int)import_folder_length(main->path), main->path);
  const char *name = model->folder;
  size_t end = strlen(name);
  while (end > 1 && name[end - 2] != '/') end--;
  import_document_open(
      context, *name ? import_text(context, "%.*s", (int)strlen(name + end - 1) - 1, name + end - 1) : NULL, "planar");
  read_list(model, "inBodies", "Bodies", &model->bodies, &model->list_files[0]);
  read_list(model, "inPoints", "Points", &model->points, &model->list_files[1]);
  read_list(model, "inUvectors", "Uvectors", &model->vectors, &model->list_files[2]);
  read_list(model, "inForces", "Forces", &model->forces, &model->list_files[3]);
  read_list(model, "inJoints", "Joints", &model->joints, &model->list_files[4]);
  read_list(model, "inFuncts", "Functs", &model->functions, &model->list_files[5]);
  const import_file *chain = dap_file(model, "ChainOpen");
  const import_location place = {.file = main->path};
  read_animation(model);
  add_bodies(model, chain == NULL);
  add_places(model, &model->points, model->list_files[1], "sPlocal", "points");
  add_places(model, &model->vectors, model->list_files[2], "ulocal", "vectors");
  if (chain) {
    add_tree(model, chain);
    dap_add_cuts(model);
  } else if (dap_file(model, "inJoints")) {
    dap_add_joints(model);
    json_t *analysis = import_object_in(context, context->document, "analysis");
    import_set_text(context, analysis, "type", "assembly");
    import_set_text(context, analysis, "formulation", "body");
  } else {
    import_leave(context, 422, "not_mapped", &place,
                 "the folder has neither ChainOpen.m (DAP_JC) nor inJoints.m (DAP_BC)");
  }
  dap_add_forces(model);
  const dap_list *lists[] = {&model->bodies, &model->points, &model->vectors,
                             &model->forces, &model->joints, &model->functions};
  for (size_t i = 0; i < 6; i++) report_unread(model, lists[i], model->list_files[i]);
}

const import_format import_dap = {.name = "dap", .main_name = "inBodies.m", .convert = convert};
