/* Finds the names in expressions, or refuses them with a reason. */
#include "builder/law_names.h"

#include "base/message.h"
#include "builder/named_functions.h"
#include "model/quantities.h"
#include "model/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WHY = 256, SEGMENTS = 3, NAME = 200 };

/* The parts of a dotted name: "bob.B.x". */
typedef struct path_parts {
  char text[NAME];
  const char *part[SEGMENTS];
  size_t count;
} path_parts;

static bool split(const char *path, path_parts *parts) {
  parts->count = 0;
  if (strlen(path) >= sizeof parts->text) return false;
  strcpy(parts->text, path);
  for (char *save, *word = strtok_r(parts->text, ".", &save); word; word = strtok_r(NULL, ".", &save)) {
    if (parts->count == SEGMENTS) return false;
    parts->part[parts->count++] = word;
  }
  return parts->count > 0;
}

static bool same_input(const mbs_input *a, const mbs_input *b) {
  return a->kind == b->kind && a->index == b->index && a->component == b->component && a->level == b->level &&
         a->point == b->point;
}

static int input_number(mbs_builder *builder, const mbs_input *input) {
  mbs_model *model = builder->model;
  /* Only recent inputs are searched: repeated names are near one another, and a full search would be quadratic. */
  size_t from = model->input_count > 64 ? model->input_count - 64 : 0;
  for (size_t i = from; i < model->input_count; i++)
    if (same_input(&model->inputs[i], input)) return (int)i;
  mbs_input *slot =
      mbs_builder_grow(builder, (void **)&model->inputs, &model->input_count, &builder->input_capacity, sizeof *slot);
  if (!slot) return -1;
  *slot = *input;
  return (int)model->input_count - 1;
}

static int refuse(char why[WHY], const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(char why[WHY], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  mbs_message_of(why, WHY, format, arguments);
  va_end(arguments);
  return -1;
}

/* Returns the plural of a quantity, for messages. */
static const char *plural_of(const mbs_quantity *quantity) {
  switch (quantity->kind) {
  case MBS_INPUT_REACTION:
  case MBS_INPUT_TOOTH: return "reactions of joints";
  case MBS_INPUT_MULTIPLIER: return quantity->owner == MBS_OF_DRIVER ? "efforts of drivers" : "multipliers";
  case MBS_INPUT_ENERGY: return "energies";
  case MBS_INPUT_CURVE: return "contact parameters";
  default: return quantity->level == 2 ? "accelerations" : "velocities and accelerations";
  }
}

/* Returns the quantities that expressions of a scope may contain, for a message. */
static const char *scope_text(mbs_scope_level level) {
  switch (level) {
  case MBS_SCOPE_POSITION: return "positions, states and t";
  case MBS_SCOPE_VELOCITY:
  case MBS_SCOPE_TRIGGER: return "velocities, positions, states and t";
  default: return "positions, velocities, outputs of force elements and t";
  }
}

/* Returns true if a scope may read an input of this kind and use; `what` is its plural, for the message. */
static bool is_allowed(const mbs_law_scope *scope, mbs_input_kind kind, mbs_use use, const char *what, char why[WHY]) {
  const mbs_scope_level level = scope->level;
  const bool of_motion = kind != MBS_INPUT_FORCE && (kind != MBS_INPUT_CURVE || level == MBS_SCOPE_TRIGGER);
  const char *constraint = level == MBS_SCOPE_TRIGGER    ? "the 'when' of an event"
                           : level == MBS_SCOPE_VELOCITY ? "a constraint of velocities"
                                                         : "a constraint";
  if (level == MBS_SCOPE_ALL || use == MBS_USE_CONSTRAINTS) return true;
  if (use == MBS_USE_LAWS && (level > MBS_SCOPE_TRIGGER || (level >= MBS_SCOPE_VELOCITY && of_motion))) return true;
  if (use == MBS_USE_REACTIONS && level == MBS_SCOPE_REACTION) return true;
  if (use == MBS_USE_LAWS)
    refuse(why, "%s is an expression of %s, without %s", constraint, scope_text(level), what);
  else
    refuse(why, "%s are available in sensors%s; %s may use %s", what,
           use == MBS_USE_REACTIONS ? ", forces, torques, actuators and rates of states only" : " only",
           level <= MBS_SCOPE_TRIGGER ? constraint : "this law", scope_text(level));
  return false;
}

/* Writes "body 'b' has x, y (in sensors also ax), not 'z'; did you mean 'x'?" `name`, `known` and `more` may be empty,
 * and `nearest` NULL. */
static int refuse_word(const mbs_law_scope *scope, const char *kind, const char *name, const char *known,
                       const char *more, const char *word, const char *nearest, char why[WHY]) {
  const bool hint = nearest && !mbs_too_many_errors(scope->builder);
  if (!*known) {
    known = more;
    more = "";
  }
  return refuse(why, "%s%s%.40s%s has %s%s%s%s, not '%.40s'%s%s%s", kind, *name ? " '" : "", name, *name ? "'" : "",
                known, *more ? " (in sensors also " : "", more, *more ? ")" : "", word, hint ? "; did you mean '" : "",
                hint ? nearest : "", hint ? "'?" : "");
}

/* Returns the word of `owners` nearest to `word`, or NULL. */
static const char *nearest_word(int owners, int dim, const char *word) {
  enum { MOST = 64 };
  const char *words[MOST];
  const mbs_quantity *each;
  size_t count = 0;
  for (; count < MOST && (each = mbs_quantity_at(owners, dim, count)) != NULL; count++) words[count] = each->word;
  return mbs_nearest(word, words, count);
}

/* Rejects a word that bodies, points, drivers or the energy do not have. */
static int refuse_quantity(const mbs_law_scope *scope, const char *kind, const char *name, int owners, const char *word,
                           char why[WHY]) {
  const int dim = scope->builder->model->dim;
  char known[MBS_QUANTITY_LIST], more[MBS_QUANTITY_LIST];
  mbs_quantity_list(owners, dim, MBS_USE_CONSTRAINTS, MBS_USE_LAWS, known);
  mbs_quantity_list(owners, dim, MBS_USE_REACTIONS, MBS_USE_SENSORS, more);
  return refuse_word(scope, kind, name, known, more, word, nearest_word(owners, dim, word), why);
}

/* Rejects a point in place of one of its quantities. */
static int refuse_point(const mbs_law_scope *scope, const char *body, const char *point, char why[WHY]) {
  char known[MBS_QUANTITY_LIST], more[MBS_QUANTITY_LIST];
  mbs_quantity_list(MBS_OF_PLACE, scope->builder->model->dim, MBS_USE_CONSTRAINTS, MBS_USE_LAWS, known);
  mbs_quantity_list(MBS_OF_PLACE, scope->builder->model->dim, MBS_USE_REACTIONS, MBS_USE_SENSORS, more);
  return refuse(why, "'%.40s.%.40s' is a point, which has %s (in sensors also %s); write for example %.40s.%.40s.x",
                body, point, known, more, body, point);
}

/* Returns true if the quantity is available: kinematics computes no multipliers, reactions and work. */
static bool forces_known(const mbs_law_scope *scope, const mbs_quantity *quantity, const char *word, char why[WHY]) {
  if (scope->builder->model->type != MBS_KINEMATICS || !mbs_quantity_needs_forces(quantity)) return true;
  if (scope->builder->force_now >= 0 && scope->level != MBS_SCOPE_ALL) return true; /* no force is evaluated */
  refuse(why, "'%.60s' is not available in a kinematics analysis, which computes no forces; choose inverse-dynamics",
         word);
  return false;
}

static int body_input(mbs_law_scope *scope, int body, const path_parts *parts, char why[WHY]) {
  mbs_builder *builder = scope->builder;
  const mbs_body *owner = &builder->model->bodies[body];
  mbs_input input = {.kind = MBS_INPUT_POINT, .index = body, .point = -1};
  const char *word = parts->part[parts->count - 1];
  if (parts->count == 3) {
    const mbs_point_or_vector *point = mbs_find_place(builder, body, false, parts->part[1]);
    if (point) input.point = (int)(point - builder->model->points);
    if (!point) {
      const char *names[64];
      size_t count = 0;
      for (; count < 64 && count < owner->point_count; count++)
        names[count] = builder->model->points[owner->first_point + count].name;
      const char *nearest = mbs_too_many_errors(builder) ? NULL : mbs_nearest(parts->part[1], names, count);
      snprintf(why, WHY, "no point '%.60s' on '%.60s'%s%.60s%s", parts->part[1], owner->name,
               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
      return -1;
    }
  }
  int owners = parts->count == 3 ? MBS_OF_PLACE : MBS_OF_PLACE | MBS_OF_BODY, number, dim = builder->model->dim;
  const mbs_quantity *found = mbs_quantity_find(owners, dim, word, &number);
  if (!found && parts->count == 2 && mbs_find_place(builder, body, false, word))
    return refuse_point(scope, owner->name, word, why);
  if (!found)
    return refuse_quantity(scope, parts->count == 3 ? "point" : "body", parts->part[parts->count - 2], owners, word,
                           why);
  input.kind = found->kind;
  input.component = found->component;
  input.level = found->level;
  return is_allowed(scope, found->kind, mbs_quantity_use(found), plural_of(found), why) ? input_number(builder, &input)
                                                                                        : -1;
}

/* Lists the words of a joint with these uses: "q1 to q3, qd1 to qd3, alpha1". */
static void list_of_joint(const mbs_joint *joint, int dim, mbs_use first, mbs_use last, char text[MBS_QUANTITY_LIST]) {
  const mbs_quantity *each;
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; (each = mbs_quantity_at(MBS_OF_JOINT | MBS_OF_CURVE, dim, i)) != NULL; i++) {
    size_t count = each->kind == MBS_INPUT_PRIMITIVE ? joint->shape->coordinate_count
                   : each->kind == MBS_INPUT_CURVE   ? (size_t)joint->curve_count
                   : each->kind == MBS_INPUT_TOOTH   ? joint->cls->tooth_force != NULL
                                                     : 1;
    bool plain = count == 1 && each->kind != MBS_INPUT_CURVE && each->kind != MBS_INPUT_MULTIPLIER;
    char ending[32] = "";
    if (count == 0 || mbs_quantity_use(each) < first || mbs_quantity_use(each) > last) continue;
    if (each->kind == MBS_INPUT_MULTIPLIER)
      snprintf(ending, sizeof ending, "1, ...");
    else if (!plain)
      snprintf(ending, sizeof ending, count > 1 ? "1 to %s%zu" : "1", each->word, count);
    used += (size_t)snprintf(text + used, MBS_QUANTITY_LIST - used, "%s%s%s", used ? ", " : "", each->word, ending);
    if (used >= MBS_QUANTITY_LIST) return;
  }
}

static int refuse_joint(const mbs_law_scope *scope, const mbs_joint *joint, const char *word, const char *nearest,
                        char why[WHY]) {
  const int dim = scope->builder->model->dim;
  char known[MBS_QUANTITY_LIST], more[MBS_QUANTITY_LIST];
  list_of_joint(joint, dim, MBS_USE_CONSTRAINTS, MBS_USE_LAWS, known);
  list_of_joint(joint, dim, MBS_USE_REACTIONS, MBS_USE_SENSORS, more);
  return refuse_word(scope, "joint", joint->name, known, more, word, nearest, why);
}

/* Finds the coordinate, or its rate, by the number after the word. */
static int coordinate_input(mbs_law_scope *scope, int j, const mbs_quantity *found, int number, const char *word,
                            char why[WHY]) {
  mbs_builder *builder = scope->builder;
  const mbs_joint *joint = &builder->model->joints[j];
  size_t count = joint->shape->coordinate_count;
  if ((number == 0 && count != 1) || (size_t)number > count) return refuse_joint(scope, joint, word, NULL, why);
  if (!is_allowed(scope, found->kind, mbs_quantity_use(found), plural_of(found), why)) return -1;
  int primitive =
      mbs_builder_add_primitive(builder, &joint->shape->coordinates[number ? number - 1 : 0], &joint->frames, j);
  if (primitive < 0) return -1;
  return input_number(builder,
                      &(mbs_input){.point = -1, .kind = found->kind, .index = primitive, .level = found->level});
}

/* Rejects a word that a force element does not have: it has its outputs and its length. */
static int refuse_force(const mbs_law_scope *scope, const mbs_force *force, const char *word, char why[WHY]) {
  enum { WORDS = 16 };
  char known[MBS_QUANTITY_LIST] = "", copies[WORDS][16];
  const char *words[WORDS], *label = mbs_force_labels(scope->builder->model, force);
  size_t count = 0, used = 0;
  for (; count < (size_t)force->outputs && count < WORDS - 1; count++, label += strcspn(label, "|") + 1)
    snprintf(copies[count], sizeof copies[count], "%.*s", (int)strcspn(label, "|"), label);
  if (force->cls->length) snprintf(copies[count++], sizeof copies[0], "%s", force->cls->length);
  for (size_t i = 0; i < count && used < sizeof known; i++) {
    words[i] = copies[i];
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", words[i]);
  }
  return refuse_word(scope, "force element", force->name, known, "", word, mbs_nearest(word, words, count), why);
}

/* Notes the signals through which the laws of the current force element read an output of force `index`. */
static void note_signals(const mbs_law_scope *scope, int index) {
  mbs_builder *builder = scope->builder;
  mbs_read_through *through = mbs_builder_alloc(builder, 1, sizeof *through);
  const char *names = "";
  for (const mbs_law_scope *each = scope; names && each->outer; each = each->outer)
    names = mbs_arena_format(builder->arena, "'%s'%s%s", each->signal, *names ? ", " : "", names);
  builder->failed |= !names;
  if (builder->failed) return;
  *through = (mbs_read_through){builder->force_now, index, names, builder->reads_through};
  builder->reads_through = through;
}

/* Returns the number of a force element's output, or -1 if it has none of this name. */
static int output_number(const mbs_model *model, const mbs_force *force, const char *word) {
  const char *label = mbs_force_labels(model, force);
  for (int k = 0; k < force->outputs; k++, label += strcspn(label, "|") + 1)
    if (strlen(word) == strcspn(label, "|") && strncmp(word, label, strlen(word)) == 0) return k;
  return -1;
}

static int force_input(mbs_law_scope *scope, int index, const path_parts *parts, char why[WHY]) {
  mbs_builder *builder = scope->builder;
  const mbs_model *model = builder->model;
  const mbs_force *force = &model->forces[index];
  const char *word = parts->part[1];
  if (force->cls->length && strcmp(word, force->cls->length) == 0) {
    const mbs_input length = mbs_force_length(force, 0);
    return input_number(builder, &length);
  }
  const int k = output_number(model, force, word);
  if (k < 0) return refuse_force(scope, force, word, why);
  if (!is_allowed(scope, MBS_INPUT_FORCE, MBS_USE_LAWS, "forces", why)) return -1;
  if (builder->force_now >= 0 && scope->level != MBS_SCOPE_ALL) {
    if (!builder->force_reads)
      return refuse(why,
                    "a law may use the output of another force element only in models with at most %d of them, not %zu",
                    MBS_READABLE_FORCES_MAX, model->force_count);
    builder->force_reads[(size_t)builder->force_now * model->force_count + (size_t)index] = true;
    if (scope->outer) note_signals(scope, index);
  }
  return input_number(builder, &(mbs_input){.point = -1, .kind = MBS_INPUT_FORCE, .index = force->first_output + k});
}

/* Adds the time in place of a quantity of an element with a mistake, which was reported. */
static int stand_in(const mbs_law_scope *scope) {
  scope->builder->binder.stand_ins++;
  return input_number(scope->builder, &(mbs_input){.kind = MBS_INPUT_TIME, .index = -1, .point = -1});
}

/* Returns the number of the first force element, such as a limit, that joint `j` or a later one has. The force elements
 * of joints are behind all others, in the order of the joints. */
static size_t first_force_of(const mbs_model *model, int j) {
  size_t low = 0, high = model->force_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (model->forces[middle].of_joint < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int joint_input(mbs_law_scope *scope, int j, const path_parts *parts, char why[WHY]) {
  mbs_builder *builder = scope->builder;
  const mbs_joint *joint = &builder->model->joints[j];
  int number, owners = joint->curve_count ? MBS_OF_JOINT | MBS_OF_CURVE : MBS_OF_JOINT;
  const char *word = parts->part[1];
  const mbs_quantity *found = mbs_quantity_find(owners, builder->model->dim, word, &number);
  for (size_t f = first_force_of(builder->model, j); f < builder->model->force_count; f++) {
    if (builder->model->forces[f].of_joint != j) break;
    if (output_number(builder->model, &builder->model->forces[f], word) >= 0)
      return force_input(scope, (int)f, parts, why);
  }
  if (strncmp(word, "limit", 5) == 0 && mbs_read_refused(joint->node, "limits")) return stand_in(scope);
  if (found && found->kind == MBS_INPUT_PRIMITIVE) return coordinate_input(scope, j, found, number, word, why);
  if (!found || (found->component == MBS_COMPONENT_WHICH && number == 0) ||
      (found->kind == MBS_INPUT_CURVE && number > joint->curve_count) ||
      (found->kind == MBS_INPUT_TOOTH && !joint->cls->tooth_force))
    return refuse_joint(scope, joint, word, found ? NULL : nearest_word(owners, builder->model->dim, word), why);
  if (!is_allowed(scope, found->kind, mbs_quantity_use(found), plural_of(found), why)) return -1;
  if (found->kind == MBS_INPUT_CURVE)
    return input_number(builder,
                        &(mbs_input){.point = -1, .kind = found->kind, .index = joint->first_curve + number - 1});
  if (!forces_known(scope, found, word, why)) return -1;
  int component = found->component == MBS_COMPONENT_WHICH ? number - 1 : found->component;
  return input_number(builder, &(mbs_input){.point = -1, .kind = found->kind, .index = j, .component = component});
}

static int driver_input(mbs_law_scope *scope, int driver, const path_parts *parts, char why[WHY]) {
  int number, dim = scope->builder->model->dim;
  const mbs_quantity *found = mbs_quantity_find(MBS_OF_DRIVER, dim, parts->part[1], &number);
  if (!found) return refuse_quantity(scope, "driver", parts->part[0], MBS_OF_DRIVER, parts->part[1], why);
  if (!is_allowed(scope, found->kind, mbs_quantity_use(found), plural_of(found), why)) return -1;
  const mbs_input effort = {.point = -1, .kind = found->kind, .index = driver, .component = found->component};
  return forces_known(scope, found, found->word, why) ? input_number(scope->builder, &effort) : -1;
}

enum { NOBODY = -2 };

/* Finds a quantity of a body, joint, force element or driver. A force or a driver may have the name of a body; the
 * element that has the quantity is used. Returns NOBODY if no element has that name. Returns -1 if none of that name
 * has the quantity; `why` is the message of the first one. */
static int owned_input(mbs_law_scope *scope, const path_parts *parts, char why[WHY]) {
  mbs_builder *builder = scope->builder;
  const struct {
    const mbs_names *names;
    int (*read)(mbs_law_scope *, int, const path_parts *, char[WHY]);
    bool known;
  } owners[] = {{&builder->body_names, body_input, parts->count >= 2},
                {&builder->joint_names, joint_input, parts->count == 2},
                {&builder->force_names, force_input, parts->count == 2},
                {&builder->driver_names, driver_input, parts->count == 2}};
  int result = NOBODY;
  for (size_t k = 0; k < sizeof owners / sizeof *owners; k++) {
    int found = owners[k].known ? mbs_names_find(owners[k].names, parts->part[0]) : -1;
    if (found < 0) continue;
    char other[WHY];
    int number = owners[k].read(scope, found, parts, result == NOBODY ? why : other);
    if (number >= 0) return number;
    result = -1;
  }
  return result;
}

static int energy_input(mbs_law_scope *scope, const path_parts *parts, char why[WHY]) {
  int number, dim = scope->builder->model->dim;
  const mbs_quantity *found = mbs_quantity_find(MBS_OF_ENERGY, dim, parts->part[1], &number);
  if (!found) return refuse_quantity(scope, "energy", "", MBS_OF_ENERGY, parts->part[1], why);
  if (!is_allowed(scope, found->kind, mbs_quantity_use(found), plural_of(found), why)) return -1;
  if (!forces_known(scope, found, found->word, why)) return -1;
  return input_number(scope->builder, &(mbs_input){.point = -1, .kind = found->kind, .component = found->component});
}

/* Returns the sensor with this name, or whose name begins with it and a blank; NULL: there is none. */
static const char *sensor_named(const mbs_builder *builder, const char *word) {
  const mbs_value *sensors = mbs_read_value(builder->document, "sensors");
  const size_t length = strlen(word);
  for (size_t i = 0; i < sensors->count; i++) {
    const char *name = mbs_read_text(&sensors->nodes[i], "name");
    if (name && strncmp(name, word, length) == 0 && (name[length] == '\0' || name[length] == ' ')) return name;
  }
  return NULL;
}

static int unknown_input(const mbs_law_scope *scope, const char *path, const path_parts *parts, char why[WHY]) {
  const mbs_builder *builder = scope->builder;
  if (parts->count == 1) {
    const char *sensor = mbs_too_many_errors(builder) ? NULL : sensor_named(builder, path);
    if (sensor)
      return refuse(
          why, "'%.80s' is a sensor, which no expression can read; repeat its expression, or make it a signal", sensor);
    const char *known[66] = {"t", "pi"};
    size_t count = 2;
    for (size_t i = 0; i < builder->model->parameter_count && count < 66; i++)
      known[count++] = builder->model->parameters[i].name;
    for (size_t i = 0; i < builder->declared_names.count && count < 66; i++)
      known[count++] = builder->declared_names.names[i];
    if (strcasecmp(path, "time") == 0) return refuse(why, "no parameter or quantity '%s'; the time is written t", path);
    const char *nearest = mbs_too_many_errors(builder) ? NULL : mbs_nearest(path, known, count);
    snprintf(why, WHY, "no parameter or quantity '%.80s'%s%.60s%s", path, nearest ? "; did you mean '" : "",
             nearest ? nearest : "", nearest ? "'?" : "");
    return -1;
  }
  const mbs_names *kinds[] = {&builder->body_names, &builder->joint_names, &builder->force_names,
                              &builder->driver_names};
  const char *nearest = NULL;
  for (size_t k = 0; k < 4 && !nearest && !mbs_too_many_errors(builder); k++)
    nearest = mbs_nearest(parts->part[0], kinds[k]->names, kinds[k]->count);
  snprintf(why, WHY, "no body, joint, driver or force element '%.60s'%s%.60s%s", parts->part[0],
           nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  return -1;
}

/* Finds an external input. A function of time needs two rates of it, and constraints cannot follow its jumps. */
static int external_input(mbs_law_scope *scope, int index, char why[WHY]) {
  const mbs_external *all = scope->builder->model->externals, *external = &all[index];
  const int first = external->rates[0], second = external->rates[1];
  const char *name = external->name;
  if (scope->level == MBS_SCOPE_POSITION || scope->level == MBS_SCOPE_VELOCITY)
    return refuse(why, "'%.60s' is an input, on which a constraint cannot depend; use a driver", name);
  if (scope->level == MBS_SCOPE_TIME && (first < 0 || second < 0))
    return refuse(why,
                  "'%.60s' is an input, of which a function of time needs the rates; add the inputs '%.60s_d' and "
                  "'%.60s_dd'",
                  name, name, name);
  if (scope->level == MBS_SCOPE_TIME &&
      ((external->count > 0) != (all[first].count > 0) || (external->count > 0) != (all[second].count > 0)))
    return refuse(why, "the analysis must give values of all or none of the inputs '%.60s', '%.60s' and '%.60s'", name,
                  all[first].name, all[second].name);
  return input_number(scope->builder, &(mbs_input){.kind = MBS_INPUT_EXTERNAL, .index = index, .point = -1});
}

/* Finds the input of a state, or refuses it. A signal that is not read as a definition where signals are known has an
 * error, which was reported; the time is its substitute. */
static int declared_input(mbs_law_scope *scope, const mbs_declared *declared, const char *path, char why[WHY]) {
  if (declared->kind == MBS_DECLARED_DISCRETE && scope->level > MBS_SCOPE_TIME)
    return input_number(scope->builder,
                        &(mbs_input){.kind = MBS_INPUT_DISCRETE, .index = declared->index, .point = -1});
  if (declared->kind == MBS_DECLARED_EXTERNAL) return external_input(scope, declared->index, why);
  if (declared->kind == MBS_DECLARED_SIGNAL && scope->level >= MBS_SCOPE_POSITION)
    return input_number(scope->builder, &(mbs_input){.kind = MBS_INPUT_TIME, .index = -1, .point = -1});
  if (scope->level < MBS_SCOPE_POSITION)
    return refuse(why, "'%.60s' is a %s; only t and parameters are allowed in a function of time", path,
                  mbs_declared_word(declared->kind));
  return input_number(scope->builder, &(mbs_input){.kind = MBS_INPUT_STATE, .index = declared->index, .point = -1});
}

static const mbs_local_name *find_local(const mbs_law_scope *scope, const char *path) {
  for (const mbs_local_name *local = scope->locals; local && local->name; local++)
    if (strcmp(local->name, path) == 0) return local;
  return NULL;
}

static int input(void *context, const char *path, char why[WHY]) {
  mbs_law_scope *scope = context;
  mbs_builder *builder = scope->builder;
  path_parts parts;
  if (!split(path, &parts)) return refuse(why, "'%.200s' is not the name of a quantity", path);
  const mbs_local_name *local = find_local(scope, path);
  const mbs_declared *declared = mbs_find_declared(builder, path);
  /* states and rates are inputs of signals only, whose texts no user has written */
  const bool own = local && (local->input.kind == MBS_INPUT_STATE || local->input.kind == MBS_INPUT_RATE);
  if (own && local->input.kind == MBS_INPUT_RATE && scope->level < MBS_SCOPE_TRIGGER)
    return refuse(why, "a constraint cannot depend on the derivative of a signal's input; give the signal a 'filter'");
  if (local && !own && (declared || mbs_find_parameter(builder, path)))
    return refuse(why, "'%s' is both a variable of this law and a %s; rename the %s", path,
                  declared ? "name of the document" : "parameter", declared ? "other" : "parameter");
  if (local) return input_number(builder, &local->input);
  if (scope->level == MBS_SCOPE_PARAMETERS) {
    const char *known = scope->locals ? scope->locals->name : "";
    return refuse(why, "only %s%sparameters are allowed here, not '%.100s'", known, *known ? " and " : "", path);
  }
  if (strcmp(path, "t") == 0) return input_number(builder, &(mbs_input){.point = -1, .kind = MBS_INPUT_TIME});
  if (declared) return declared_input(scope, declared, path, why);
  if (scope->level == MBS_SCOPE_TIME && parts.count > 1)
    return refuse(why, "only t and parameters are allowed in a function of time, not '%.60s'", path);
  bool energy = parts.count == 2 && strcmp(parts.part[0], "energy") == 0; /* also if an element has that name */
  int number = owned_input(scope, &parts, why);
  if (number >= 0 || (number != NOBODY && !energy)) return number;
  if (mbs_is_lost(builder, path, strcspn(path, "."))) return stand_in(scope);
  if (energy) return energy_input(scope, &parts, why);
  return unknown_input(scope, path, &parts, why);
}

bool mbs_is_measure(const char *function) {
  return strcmp(function, "distance") == 0 || strcmp(function, "distance_rate") == 0;
}

static bool is_measure(void *context, const char *function) {
  (void)context;
  return mbs_is_measure(function);
}

static int measure(void *context, const char *function, const char *const *paths, size_t count, char why[WHY]) {
  mbs_law_scope *scope = context;
  mbs_builder *builder = scope->builder;
  mbs_row row = {.primitive = MBS_PRIMITIVE_DISTANCE, .scale = 1};
  mbs_frames frames = MBS_NO_FRAMES;
  if (scope->level < MBS_SCOPE_POSITION) return refuse(why, "%s is not available here", function);
  if (count != 2) return refuse(why, "%s needs two points", function);
  for (int side = 0; side < 2; side++) {
    path_parts parts;
    int body = -1;
    if (split(paths[side], &parts) && parts.count == 2) body = mbs_names_find(&builder->body_names, parts.part[0]);
    const mbs_point_or_vector *found = body < 0 ? NULL : mbs_find_place(builder, body, false, parts.part[1]);
    if (!found) return refuse(why, "no point '%.100s' (write body.point)", paths[side]);
    *(side ? &frames.point2 : &frames.point1) = (int)(found - builder->model->points);
    *(side ? &frames.body2 : &frames.body1) = body;
  }
  int level = strcmp(function, "distance_rate") == 0;
  if (!is_allowed(scope, MBS_INPUT_PRIMITIVE, level ? MBS_USE_LAWS : MBS_USE_CONSTRAINTS,
                  "velocities and accelerations", why))
    return -1;
  int number = mbs_builder_add_primitive(builder, &row, &frames, -1);
  return number < 0
             ? -1
             : input_number(builder,
                            &(mbs_input){.point = -1, .kind = MBS_INPUT_PRIMITIVE, .index = number, .level = level});
}

static bool constant(void *context, const char *path, double *value) {
  mbs_law_scope *scope = context;
  if (find_local(scope, path)) return false; /* l is the spring's length: input() */
  if (strcmp(path, "pi") == 0) {
    *value = 3.14159265358979323846;
    return true;
  }
  const mbs_parameter *parameter = mbs_find_parameter(scope->builder, path);
  if (parameter) *value = parameter->value;
  return parameter != NULL;
}

static const mbs_named_function *function_named(void *context, const char *name) {
  return mbs_find_named_function(((const mbs_law_scope *)context)->builder, name);
}

static int parameter(void *context, const char *path) {
  const mbs_law_scope *scope = context;
  mbs_parameter *found = mbs_find_parameter(scope->builder, path);
  if (!found) return -1;
  mbs_parameter_named(scope->builder, found);
  return (int)(found - scope->builder->model->parameters);
}

static bool definition(void *context, const char *path, const char **text, const mbs_scope **names);

static void set_names(mbs_law_scope *scope) {
  scope->names = (mbs_scope){.context = scope,
                             .constant = constant,
                             .parameter = parameter,
                             .input = input,
                             .is_measure = is_measure,
                             .measure = measure,
                             .definition = definition,
                             .function = function_named};
}

void mbs_law_scopes(mbs_builder *builder, mbs_scope_level level, const mbs_local_name *locals,
                    mbs_law_scope scopes[2]) {
  scopes[0] = scopes[1] = (mbs_law_scope){.builder = builder, .level = level, .plain = &scopes[1]};
  scopes[0].locals = locals;
  set_names(&scopes[0]);
  set_names(&scopes[1]);
}

/* Returns a scope for the text of a signal that is named in `scope`. Returns NULL if memory runs out. */
static const mbs_scope *scope_of_signal(const mbs_law_scope *scope, const mbs_document_signal *signal) {
  mbs_law_scope *made = mbs_builder_alloc(scope->builder, 2, sizeof *made);
  if (!made) return NULL;
  mbs_law_scopes(scope->builder, scope->level, signal->locals, made);
  for (int k = 0; k < 2; k++) {
    made[k].outer = scope;
    made[k].signal = signal->name;
  }
  return &made[0].names;
}

/* Finds an expression by its name: a local one, or a signal. A signal in its own expression is an error, which is
 * reported. */
static bool definition(void *context, const char *path, const char **text, const mbs_scope **names) {
  mbs_law_scope *scope = context;
  const mbs_local_name *local = find_local(scope, path);
  const mbs_declared *declared = local ? NULL : mbs_find_declared(scope->builder, path);
  if (local) {
    *text = local->text;
    *names = local->of_locals ? &scope->names : &scope->plain->names;
    return local->text != NULL;
  }
  if (!declared || declared->kind != MBS_DECLARED_SIGNAL || scope->level < MBS_SCOPE_POSITION) return false;
  mbs_document_signal *signal = &scope->builder->model->signals[declared->index];
  mbs_resolve_signal(scope->builder, signal);
  if (signal->wrong) return false;
  *text = signal->text;
  *names = scope_of_signal(scope, signal);
  return *names != NULL;
}
