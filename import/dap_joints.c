/* dap_joints.c - joints and drivers of DAP_BC (inJoints.m). i and j are the first and the second body of a joint. */
#include "import/dap.h"

#include <math.h>
#include <string.h>

typedef struct joint_reader {
  dap_model *model;
  mfile_struct *object;
  const char *file, *name;
  import_location place;
} joint_reader;

static int index_of(joint_reader *self, const char *field, const dap_list *list) {
  return dap_index(self->model, self->object, self->file, field, list);
}

static double initial_of(const joint_reader *self, int body, const char *member, size_t k) {
  const json_t *value =
      body ? json_object_get(json_object_get(self->model->objects[body - 1], "initial"), member) : NULL;
  return json_number_value(json_is_array(value) ? json_array_get(value, k) : value);
}

static const char *angle_of(joint_reader *self, int body) {
  import_context *context = self->model->context;
  return body ? import_text(context, "%s.phi", dap_body_name(self->model, body)) : "0";
}

static json_t *add(joint_reader *self, const char *type) {
  return import_add(self->model->context, self->model->context->joints, self->name, type);
}

/* Adds a constraint as an expression, with a note. */
static void add_expression(joint_reader *self, const char *suffix, const char *value) {
  import_context *context = self->model->context;
  const char *name =
      import_name(context, IMPORT_NAME_BODY, import_text(context, "%s_%s", self->name, suffix), "joint", 1, NULL);
  import_set_text(context, import_add(context, context->joints, name, "expression"), "value", value);
  import_note(context, IMPORT_MAPPED, "fix", &self->place, import_last(context, "joints"),
              "the row '%s' of '%s' is an expression", suffix, self->name);
}

/* phi_i - phi_j - p0; p0 is that of the start unless it is given. */
static void fix_angle(joint_reader *self, int i, int j) {
  import_context *context = self->model->context;
  const double start = initial_of(self, i, "angle", 0) - initial_of(self, j, "angle", 0);
  const double p0 = dap_number(self->model, self->object, self->file, "p0", start);
  add_expression(
      self, "fix",
      import_text(context, "%s - %s - %s", angle_of(self, i), angle_of(self, j), import_digits(context, p0)));
}

/* u_i.(P_i - P_j) - its start */
static void fix_slide(joint_reader *self, int pi, int pj, int ui, int i) {
  dap_model *model = self->model;
  import_context *c = model->context;
  double u[2] = {1, 0}, x[2][2];
  dap_numbers(model, model->vectors.items[ui - 1], model->list_files[2], "ulocal", 2, u);
  const double length = hypot(u[0], u[1]);
  const int points[2] = {pi, pj};
  for (int k = 0; k < 2; k++) {
    double s[2] = {0, 0};
    mfile_struct *point = model->points.items[points[k] - 1];
    const int body = dap_body_of(model, point, model->list_files[1]);
    dap_numbers(model, point, model->list_files[1], "sPlocal", 2, s);
    const double phi = initial_of(self, body, "angle", 0);
    x[k][0] = initial_of(self, body, "position", 0) + cos(phi) * s[0] - sin(phi) * s[1];
    x[k][1] = initial_of(self, body, "position", 1) + sin(phi) * s[0] + cos(phi) * s[1];
  }
  const double phi = initial_of(self, i, "angle", 0);
  const double ux = (cos(phi) * u[0] - sin(phi) * u[1]) / length, uy = (sin(phi) * u[0] + cos(phi) * u[1]) / length;
  const double start =
      dap_number(model, self->object, self->file, "p0", ux * (x[0][0] - x[1][0]) + uy * (x[0][1] - x[1][1]));
  const char *angle = angle_of(self, i), *a = model->points.names[pi - 1], *b = model->points.names[pj - 1];
  const char *ex = import_digits(c, u[0] / length), *ey = import_digits(c, u[1] / length);
  add_expression(self, "fix",
                 import_text(c,
                             "(%s*cos(%s) - %s*sin(%s))*(%s.x - %s.x) + (%s*sin(%s) + %s*cos(%s))*(%s.y - %s.y) - %s",
                             ex, angle, ey, angle, a, b, ex, angle, ey, angle, a, b, import_digits(c, start)));
}

static int body_of_point(joint_reader *self, int point) {
  return point ? dap_body_of(self->model, self->model->points.items[point - 1], self->model->list_files[1]) : 0;
}

static void add_disc(joint_reader *self) {
  dap_model *model = self->model;
  import_context *c = model->context;
  const int i = index_of(self, "iBindex", &model->bodies);
  const double R = dap_number(model, self->object, self->file, "R", 1);
  if (!i) return;
  const double x0 = dap_number(model, self->object, self->file, "x0", 0),
               p0 = dap_number(model, self->object, self->file, "p0", 0);
  const char *body = dap_body_name(model, i);
  if (dap_has(self->object, "x0") || dap_has(self->object, "p0")) {
    add_expression(self, "y", import_text(c, "%s.y - %s", body, import_digits(c, R)));
    add_expression(self, "x",
                   import_text(c, "%s.x - %s + %s*(%s.phi - %s)", body, import_digits(c, x0), import_digits(c, R), body,
                               import_digits(c, p0)));
    return;
  }
  dap_set_disc(model, add(self, "disc"), i, 0, R);
}

/* A rigid joint, between bodies: at the mass centre of the first. */
static void add_rigid(joint_reader *self) {
  dap_model *model = self->model;
  import_context *c = model->context;
  const int i = (int)dap_number(model, self->object, self->file, "iBindex", 0),
            j = (int)dap_number(model, self->object, self->file, "jBindex", 0);
  if (i < 0 || j < 0 || (size_t)i > model->bodies.count || (size_t)j > model->bodies.count || i == j) {
    import_invalid(c, &self->place, "a rigid joint needs two bodies, iBindex and jBindex");
    return;
  }
  const double phi = initial_of(self, j, "angle", 0);
  double at[2], own[2];
  for (size_t k = 0; k < 2; k++) at[k] = initial_of(self, i, "position", k) - initial_of(self, j, "position", k);
  own[0] = cos(phi) * at[0] + sin(phi) * at[1];
  own[1] = -sin(phi) * at[0] + cos(phi) * at[1];
  json_t *ground = json_object_get(c->document, "ground");
  json_t *first = i ? model->objects[i - 1] : ground, *second = j ? model->objects[j - 1] : ground;
  import_set(c, import_object_in(c, first, "points"), self->name, import_numbers(c, (double[]){0, 0}, 2));
  import_set(c, import_object_in(c, second, "points"), self->name, import_numbers(c, own, 2));
  import_set_pair(c, add(self, "rigid"), "points", import_text(c, "%s.%s", dap_body_name(model, i), self->name),
                  import_text(c, "%s.%s", dap_body_name(model, j), self->name));
}

static void add_driver(joint_reader *self, bool turns) {
  dap_model *model = self->model;
  import_context *c = model->context;
  json_t *function = dap_function(model, (int)dap_number(model, self->object, self->file, "iFunct", 0), &self->place);
  if (!function) return;
  const char *name = import_name(c, IMPORT_NAME_DRIVER, self->object->name, "driver", 1, &self->place);
  if (turns) {
    const int i = (int)dap_number(model, self->object, self->file, "iBindex", 0),
              j = (int)dap_number(model, self->object, self->file, "jBindex", 0);
    json_t *driver = import_add(c, c->drivers, name, "relative-angle");
    if (i < 0 || j < 0 || (size_t)i > model->bodies.count || (size_t)j > model->bodies.count)
      import_invalid(c, &self->place, "iBindex or jBindex is outside of the bodies");
    else
      import_set_pair(c, driver, "bodies", dap_body_name(model, j), dap_body_name(model, i));
    import_set(c, driver, "function", function);
    return;
  }
  const int pi = index_of(self, "iPindex", &model->points), pj = index_of(self, "jPindex", &model->points);
  json_t *driver = import_add(c, c->drivers, name, "distance");
  if (pi && pj) import_set_pair(c, driver, "points", model->points.names[pi - 1], model->points.names[pj - 1]);
  import_set(c, driver, "function", function);
}

/* Adds a joint between points P_i and P_j. */
static void add_pair(joint_reader *self, const char *type, const char *known) {
  dap_model *model = self->model;
  import_context *c = model->context;
  const int pi = index_of(self, "iPindex", &model->points), pj = index_of(self, "jPindex", &model->points);
  const bool slides = strcmp(known, "translational") == 0, slot = strcmp(known, "revolute-translational") == 0;
  const int ui = slides || slot ? index_of(self, "iUindex", &model->vectors) : 1,
            uj = slides ? index_of(self, "jUindex", &model->vectors) : 1;
  const bool fixed = dap_number(model, self->object, self->file, "fix", 0) != 0;
  const double L = dap_number(model, self->object, self->file, "L", 0);
  if (!pi || !pj || !ui || !uj) return;
  const int i = body_of_point(self, pi), j = body_of_point(self, pj);
  json_t *joint = add(self, known);
  import_set_pair(c, joint, "points", model->points.names[pi - 1], model->points.names[pj - 1]);
  if (slides) import_set_pair(c, joint, "vectors", model->vectors.names[ui - 1], model->vectors.names[uj - 1]);
  if (slot) {
    import_set(c, joint, "vectors", json_pack("[s]", model->vectors.names[ui - 1]));
    double u[2] = {1, 0};
    dap_numbers(model, model->vectors.items[ui - 1], model->list_files[2], "ulocal", 2, u);
    import_set_number(c, joint, "offset", -L / hypot(u[0], u[1])); /* perp(u_i).(P_i - P_j) = L */
  }
  if (strcmp(type, "rev-rev") == 0) import_set_number(c, joint, "length", L);
  if (fixed && strcmp(type, "rev") == 0) fix_angle(self, i, j);
  if (fixed && slides) fix_slide(self, pi, pj, ui, i);
}

static void add_joint(joint_reader *self) {
  static const char *const pairs[][2] = {
      {"rev", "revolute"}, {"tran", "translational"}, {"rev-rev", "rod"}, {"rev-tran", "revolute-translational"}};
  const char *type = dap_word(self->object, "type", "rev");
  const bool turns = strcmp(type, "rel-rot") == 0;
  if (turns || strcmp(type, "rel-tran") == 0) {
    add_driver(self, turns);
    return;
  }
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    if (strcmp(type, pairs[k][0]) == 0) {
      add_pair(self, type, pairs[k][1]);
      return;
    }
  if (strcmp(type, "disc") == 0)
    add_disc(self);
  else if (strcmp(type, "rigid") == 0 || strcmp(type, "Fixed") == 0)
    add_rigid(self);
  else
    import_not_mapped(self->model->context, &self->place, "the joint type '%.40s' is not supported", type);
}

void dap_add_joints(dap_model *model) {
  for (size_t k = 0; k < model->joints.count; k++) {
    mfile_struct *object = model->joints.items[k];
    joint_reader self = {.model = model, .object = object, .file = model->list_files[4]};
    self.place = dap_location(object, self.file);
    import_at(model->context, &self.place);
    self.name = import_name(model->context, IMPORT_NAME_BODY, object->name, "joint", k + 1, &self.place);
    add_joint(&self);
  }
}
