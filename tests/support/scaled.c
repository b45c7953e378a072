/* Converts a document to other units of length, mass and time, by the units of its fields; see models.h. */
#include "models.h"

#include "model/element.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scaling {
  models_scale by;
  json_t *root, *parameters; /* root of the document; names that expressions may use */
  bool refused;              /* an expression depends on the state, or a default has a unit */
} scaling;

/* ---- units --------------------------------------------------------------------------------------------------- */

static double base_unit(const models_scale *by, const char *word, size_t length) {
  if (length == 1 && *word == 'm') return by->length;
  if (length == 1 && *word == 's') return by->time;
  if (length == 2 && strncmp(word, "kg", 2) == 0) return by->mass;
  if (length == 1 && *word == 'N') return by->mass * by->length / (by->time * by->time);
  if (length == 1 && *word == '1') return 1;
  if (length == 3 && strncmp(word, "rad", 3) == 0) return 1;
  return NAN;
}

/* Returns the factor of a unit such as "N m/rad": factors before the slash, divisors after it. */
static double unit_factor(const models_scale *by, const char *unit) {
  double factor = 1;
  bool below = false;
  for (const char *at = unit; *at;) {
    size_t length = strcspn(at, " /^"), power = 1;
    double base = base_unit(by, at, length);
    at += length;
    if (*at == '^') {
      power = (size_t)(at[1] - '0');
      at += 2;
    }
    for (size_t k = 0; k < power; k++) factor *= below ? 1 / base : base;
    if (*at == '/') below = true;
    if (*at) at++;
  }
  return factor;
}

/* ---- numbers and laws ---------------------------------------------------------------------------------------- */

/* Returns the factor of a word of an expression: time, the length of a spring, a reading of a body, else 1. NaN if the
 * word is unknown. */
static double word_factor(const scaling *self, const char *word, size_t length, bool called) {
  const models_scale *by = &self->by;
  const struct {
    const char *name;
    double factor;
  } names[] = {{"t", by->time},
               {"l", by->length},
               {"ld", by->length / by->time},
               {".x", by->length},
               {".y", by->length},
               {".z", by->length},
               {".vx", by->length / by->time},
               {".vy", by->length / by->time},
               {".vz", by->length / by->time},
               {".phi", 1},
               {".omega", 1 / by->time},
               {".omega_y", 1 / by->time},
               {".A12", 1},
               {".e2", 1},
               {"pi", 1},
               {"alpha", 1}};
  const char *dot = memrchr(word, '.', length), *end = word + length;
  char name[64];
  snprintf(name, sizeof name, "%.*s", dot ? (int)(end - dot) : (int)length, dot ? dot : word);
  if (called) return dot || strcmp(name, "distance") == 0 ? NAN : 1;
  if (json_object_get(self->parameters, name)) return 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i].name) == 0) return names[i].factor;
  return NAN;
}

/* Returns an expression that converts every quantity it reads to the old units and multiplies the value by `factor`. */
static json_t *scaled_law(scaling *self, const char *law, double factor) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) abort();
  fputc('(', out);
  for (const char *at = law; *at;) {
    size_t number = strspn(at, "0123456789.");
    if (number) number += (at[number] == 'e' || at[number] == 'E') ? 1 + strspn(at + number + 1, "+-0123456789") : 0;
    size_t word = number ? 0 : strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
    size_t length = number + word ? number + word : 1;
    double read = word ? word_factor(self, at, word, at[word + strspn(at + word, " ")] == '(') : 1;
    if (isnan(read)) self->refused = true;
    fprintf(out, read == 1 ? "%.*s" : "(%.*s/%.17g)", (int)length, at, read);
    at += length;
  }
  fprintf(out, ")*%.17g", factor);
  if (fclose(out) != 0) abort();
  json_t *scaled = json_string(text);
  free(text);
  return scaled;
}

static json_t *scaled_value(scaling *self, const json_t *value, double factor) {
  if (json_is_number(value)) return json_real(json_number_value(value) * factor);
  if (json_is_string(value)) return scaled_law(self, json_string_value(value), factor);
  if (!json_is_array(value)) return json_deep_copy(value);
  json_t *list = json_array(), *item;
  size_t i;
  json_array_foreach((json_t *)value, i, item) json_array_append_new(list, scaled_value(self, item, factor));
  return list;
}

/* ---- objects ------------------------------------------------------------------------------------------------- */

/* Returns the factor of a joint coordinate: sliding coordinates are lengths. */
static double coordinate_factor(const scaling *self, const json_t *joint, size_t number) {
  const char *type = json_string_value(json_object_get(joint, "type"));
  const mbs_joint_class *cls = (const mbs_joint_class *)mbs_class_find(MBS_FAMILY_JOINT, type);
  bool planar = strcmp(json_string_value(json_object_get(self->root, "space")), "planar") == 0;
  const mbs_joint_shape *shape = planar ? &cls->planar : &cls->spatial;
  return number < shape->coordinate_count && !mbs_is_turn(shape->coordinates[number].primitive) ? self->by.length : 1;
}

static void scale_initial(scaling *self, const json_t *joint) {
  static const char *const fields[] = {"position", "velocity"};
  json_t *initial = json_object_get(joint, "initial");
  for (int k = 0; k < 2; k++) {
    json_t *value = json_object_get(initial, fields[k]), *item;
    double rate = k ? 1 / self->by.time : 1;
    size_t i;
    if (!value) continue;
    if (!json_is_array(value)) {
      json_object_set_new(initial, fields[k], scaled_value(self, value, coordinate_factor(self, joint, 0) * rate));
      continue;
    }
    json_array_foreach(value, i, item)
        json_array_set_new(value, i, scaled_value(self, item, coordinate_factor(self, joint, i) * rate));
  }
}

/* Returns the factor of the value of a driver's function of time. */
static double driver_factor(const scaling *self, const json_t *driver) {
  static const char *const lengths[] = {"x", "y", "z", "distance"};
  const char *type = json_string_value(json_object_get(driver, "type"));
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    if (strcmp(type, lengths[i]) == 0) return self->by.length;
  if (strcmp(type, "joint") != 0) return 1;
  const char *name = json_string_value(json_object_get(driver, "joint"));
  size_t j, number = (size_t)json_number_value(json_object_get(driver, "coordinate"));
  json_t *joint;
  json_array_foreach(json_object_get(self->root, "joints"), j, joint) {
    const char *other = json_string_value(json_object_get(joint, "name"));
    if (other && strcmp(other, name) == 0) return coordinate_factor(self, joint, number ? number - 1 : 0);
  }
  return 1;
}

/* Scales the function of a driver: an expression, or the fields of a ramp. Refuses other objects. */
static void scale_function(scaling *self, json_t *driver) {
  double factor = driver_factor(self, driver);
  json_t *function = json_object_get(driver, "function"), *ramp = json_object_get(function, "ramp");
  if (!json_is_object(function)) {
    json_object_set_new(driver, "function", scaled_value(self, function, factor));
    return;
  }
  if (!ramp) self->refused = true;
  const struct {
    const char *name;
    double factor;
  } fields[] = {{"t0", self->by.time}, {"t1", self->by.time}, {"f0", factor}, {"speed", factor / self->by.time}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields && ramp; i++) {
    json_t *value = json_object_get(ramp, fields[i].name);
    if (value) json_object_set_new(ramp, fields[i].name, scaled_value(self, value, fields[i].factor));
  }
}

static void scale_object(scaling *self, json_t *object, const mbs_class *cls);

static void scale_element(scaling *self, json_t *element, mbs_family family) {
  const char *type = json_string_value(json_object_get(element, "type"));
  if (family == MBS_FAMILY_JOINT) scale_initial(self, element);
  if (family == MBS_FAMILY_DRIVER) scale_function(self, element);
  /* laws and lists whose entries differ in dimension, and a least speed of approach, which no scale changes */
  static const char *const refused[] = {"contact",  "friction",       "expression", "velocity",
                                        "backlash", "one-way-clutch", "bushing"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) self->refused |= strcmp(type, refused[i]) == 0;
  scale_object(self, element, mbs_class_find(family, type));
}

static void scale_part(scaling *self, json_t *value, const mbs_field *field) {
  const char *name;
  json_t *entry;
  size_t i;
  if (json_is_array(value)) {
    json_array_foreach(value, i, entry) scale_part(self, entry, field);
  } else if (field->kind == MBS_KIND_ELEMENT) {
    scale_element(self, value, field->family);
  } else if (field->kind == MBS_KIND_OBJECT) {
    scale_object(self, value, field->of);
  } else if (field->kind == MBS_KIND_MAP && field->of->fields[0].unit) {
    double factor = unit_factor(&self->by, field->of->fields[0].unit);
    json_object_foreach(value, name, entry) json_object_set_new(value, name, scaled_value(self, entry, factor));
  }
}

static void scale_object(scaling *self, json_t *object, const mbs_class *cls) {
  for (const mbs_field *field = cls->fields; field->name; field++) {
    json_t *value = json_object_get(object, field->name);
    if (!value || (field->kind == MBS_KIND_ELEMENT && field->family == MBS_FAMILY_FUNCTION)) continue;
    if (field->kind == MBS_KIND_NUMBER || field->kind == MBS_KIND_LAW || field->kind == MBS_KIND_ROW) {
      if (field->unit && !strstr(field->unit, " or ") && field->unit[0])
        json_object_set_new(object, field->name, scaled_value(self, value, unit_factor(&self->by, field->unit)));
    } else {
      scale_part(self, value, field);
    }
  }
}

static char *scale(scaling *self, json_t *root, const mbs_class *cls) {
  /* their expressions have no units */
  static const char *const refused[] = {"states", "signals", "variables", "events", "sampled", "functions"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    self->refused |= json_object_get(root, refused[i]) != NULL;
  if (!self->refused) scale_object(self, root, cls);
  char *text = self->refused ? NULL : json_dumps(root, JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

char *models_scaled(const char *document, const models_scale *by) {
  json_t *root = json_loads(document, JSON_DECODE_INT_AS_REAL, NULL);
  scaling self = {.by = *by, .root = root, .parameters = json_object_get(root, "parameters")};
  json_object_del(root, "sensors");
  return scale(&self, root, mbs_class_model());
}

char *models_scaled_analysis(const char *analysis, const models_scale *by) {
  scaling self = {.by = *by};
  return scale(&self, json_loads(analysis, JSON_DECODE_INT_AS_REAL, NULL), mbs_class_analysis());
}
