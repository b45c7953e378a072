/* dap_forces.c - forces of both programs: inForces.m; and user_force.m, whose sums into Bodies(i).f and Bodies(i).n
 * become laws of forces and torques. */
#include "import/dap.h"

#include <stdio.h>
#include <string.h>

typedef struct force_reader {
  dap_model *model;
  mfile_struct *object;
  const char *file;
  import_location place;
} force_reader;

static double number(force_reader *self, const char *field, double fallback) {
  return dap_number(self->model, self->object, self->file, field, fallback);
}

static json_t *add(force_reader *self, const char *type) {
  import_context *context = self->model->context;
  const char *name = import_name(context, IMPORT_NAME_FORCE, self->object->name, "force", 1, &self->place);
  return import_add(context, context->forces, name, type);
}

static void add_weight(force_reader *self) {
  import_context *context = self->model->context;
  double direction[2] = {0, -1};
  const double g = number(self, "gravity", 9.81);
  dap_numbers(self->model, self->object, self->file, "wgt", 2, direction);
  for (int k = 0; k < 2; k++) direction[k] *= g;
  import_set(context, context->document, "gravity", import_numbers(context, direction, 2));
  if (!dap_has(self->object, "gravity") && !dap_has(self->object, "wgt"))
    import_note(context, IMPORT_CHANGED, "gravity", &self->place, "/gravity",
                "gravity is 9.81 m/s^2 along -y, the default");
}

static void add_spring(force_reader *self) {
  dap_model *model = self->model;
  import_context *c = model->context;
  const int i = dap_index(model, self->object, self->file, "iPindex", &model->points),
            j = dap_index(model, self->object, self->file, "jPindex", &model->points);
  if (!i || !j) return;
  json_t *force = add(self, "spring-damper");
  import_set_pair(c, force, "points", model->points.names[i - 1], model->points.names[j - 1]);
  import_set_number(c, force, "stiffness", number(self, "k", 0));
  import_set_number(c, force, "free_length", number(self, "L0", 0));
  import_set_number(c, force, "damping", number(self, "dc", 0));
  import_set_number(c, force, "actuator", number(self, "f_a", 0));
}

/* The angle is phi_i - phi_j; the torque acts as -n on body i. */
static void add_rotational(force_reader *self) {
  dap_model *model = self->model;
  import_context *c = model->context;
  const double i = number(self, "iBindex", 0), j = number(self, "jBindex", 0);
  if (!(i >= 0 && j >= 0 && i <= (double)model->bodies.count && j <= (double)model->bodies.count)) {
    import_invalid(c, &self->place, "iBindex or jBindex is outside of the bodies");
    return;
  }
  json_t *force = add(self, "rotational-spring-damper");
  import_set_pair(c, force, "bodies", dap_body_name(model, (int)j), dap_body_name(model, (int)i));
  import_set_number(c, force, "stiffness", number(self, "k", 0));
  import_set_number(c, force, "free_angle", number(self, "theta0", 0));
  import_set_number(c, force, "damping", number(self, "dc", 0));
  import_set_number(c, force, "actuator", number(self, "T_a", 0));
}

static void add_constant(force_reader *self, const char *field, bool local) {
  dap_model *model = self->model;
  import_context *c = model->context;
  double f[2] = {0, 0};
  const int i = dap_index(model, self->object, self->file, "iBindex", &model->bodies);
  dap_numbers(model, self->object, self->file, field, 2, f);
  if (!i) return;
  json_t *force = add(self, "force");
  import_set_text(c, force, "body", dap_body_name(model, i));
  import_set(c, force, "value", import_numbers(c, f, 2));
  if (local) import_set_text(c, force, "frame", "body");
}

static void add_torque(force_reader *self) {
  dap_model *model = self->model;
  const int i = dap_index(model, self->object, self->file, "iBindex", &model->bodies);
  if (!i) return;
  json_t *force = add(self, "torque");
  import_set_text(model->context, force, "body", dap_body_name(model, i));
  import_set_number(model->context, force, "value", number(self, "T", 0));
}

/* Adds the forces that user_force.m sums up. */
static void add_user_forces(force_reader *self) {
  dap_model *model = self->model;
  import_context *c = model->context;
  const import_file *file = dap_file(model, "user_force");
  if (!file) {
    import_not_mapped(c, &self->place, "the force %s needs user_force.m, which is not in the source",
                      self->object->name);
    return;
  }
  mfile *reader = import_alloc(c, 1, sizeof *reader);
  *reader = (mfile){.context = c, .owner = model, .member = dap_member};
  const mfile_value t = mfile_scalar(c, mfile_atom(c, "t"));
  mfile_set(reader, "t", &t);
  mfile_read(reader, file);
  for (size_t k = 0; k < reader->count; k++) {
    int body = 0;
    char field = 0;
    const mfile_value *value = &reader->variables[k].value;
    const import_location place = mfile_location(reader, value->line, reader->variables[k].name);
    if (sscanf(reader->variables[k].name, "Bodies(%d).%c", &body, &field) != 2) continue;
    const bool force = field == 'f';
    if (body < 1 || (size_t)body > model->bodies.count || !strchr("fn", field) || value->kind != MFILE_MATRIX ||
        value->rows * value->columns != (force ? 2 : 1)) {
      import_not_mapped(c, &place, "%s is not a force or a torque%s%s", reader->variables[k].name,
                        value->kind == MFILE_UNREAD ? ": " : "", value->kind == MFILE_UNREAD ? value->text : "");
      continue;
    }
    const char *name = import_name(c, IMPORT_NAME_FORCE,
                                   import_text(c, "%s_%s_%c", self->object->name, dap_body_name(model, body), field),
                                   "force", 1, NULL);
    json_t *object = import_add(c, c->forces, name, force ? "force" : "torque");
    import_set_text(c, object, "body", dap_body_name(model, body));
    import_set(c, object, "value",
               force ? json_pack("[o, o]", dap_law(c, value->cells[0]), dap_law(c, value->cells[1]))
                     : dap_law(c, value->cells[0]));
    import_note(c, IMPORT_MAPPED, "user_force", &place, import_last(c, "forces"), "%s of user_force is the law of '%s'",
                reader->variables[k].name, name);
  }
}

void dap_add_forces(dap_model *model) {
  import_context *context = model->context;
  import_set(context, context->document, "gravity", json_pack("[i, i]", 0, 0));
  bool user = false;
  for (size_t k = 0; k < model->forces.count; k++) {
    force_reader self = {.model = model, .object = model->forces.items[k], .file = model->list_files[3]};
    self.place = dap_location(self.object, self.file);
    const char *type = dap_word(self.object, "type", "ptp");
    import_at(context, &self.place);
    if (strcmp(type, "weight") == 0)
      add_weight(&self);
    else if (strcmp(type, "ptp") == 0)
      add_spring(&self);
    else if (strcmp(type, "rot_sda") == 0 || strcmp(type, "rot-sda") == 0)
      add_rotational(&self);
    else if (strcmp(type, "flocal") == 0)
      add_constant(&self, "flocal", true);
    else if (strcmp(type, "f") == 0)
      add_constant(&self, "f", false);
    else if (strcmp(type, "T") == 0 || strcmp(type, "trq") == 0)
      add_torque(&self);
    else if (strcmp(type, "user") == 0 && !user) {
      user = true;
      add_user_forces(&self);
    } else if (strcmp(type, "user") == 0)
      import_not_mapped(context, &self.place,
                        "a second force of type user, which applies user_force again, is not supported");
    else
      import_not_mapped(context, &self.place, "the force type '%.40s' is not supported", type);
  }
}
