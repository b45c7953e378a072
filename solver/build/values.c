/* Fields of nodes: numbers, words, references. */
#include "build.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A parameter may name one that comes after it in the document, which may name one after that: as deep as this. */
enum { PARAMETER_DEPTH_MAX = 100 };

/* Numbers are usually read where they stand: names resolve to parameters only. */
mbs_parameter *mbs_find_parameter(const mbs_build *build, const char *name) {
  int number = mbs_names_find(&build->parameter_names, name);
  return number < 0 ? NULL : &build->parameters[number];
}

static void resolve_parameter(mbs_build *build, mbs_parameter *parameter);

static bool parameter_value(void *context, const char *path, double *value) {
  mbs_build *build = context;
  if (strcmp(path, "pi") == 0) {
    *value = 3.14159265358979323846;
    return true;
  }
  mbs_parameter *parameter = mbs_find_parameter(build, path);
  if (!parameter) return false;
  if (parameter->state == MBS_PARAMETER_READING) {
    mbs_diagnose(build->list, MBS_BAD_EXPRESSION, parameter->pointer, "parameter '%s' is defined by itself", path);
    *value = 1;
    return true;
  }
  if (parameter->state == MBS_PARAMETER_UNREAD) resolve_parameter(build, parameter);
  if (parameter->wrong) build->stand_ins++;
  *value = parameter->value;
  return true;
}

/* A value for text that must be constant; NaN after a report. */
static double constant_expression(mbs_build *build, const char *text, const char *pointer) {
  mbs_scope scope = {.context = build, .constant = parameter_value};
  char message[512];
  double value;
  size_t before = build->list->count;
  mbs_expression *expression = mbs_expression_compile(build->arena, text, &scope, message);
  if (!expression || !mbs_expression_is_constant(expression, &value)) {
    if (!expression) mbs_diagnose(build->list, MBS_BAD_EXPRESSION, pointer, "in '%.200s' %s", text, message);
    return NAN;
  }
  return build->list->count == before ? value : NAN;
}

static void resolve_parameter(mbs_build *build, mbs_parameter *parameter) {
  parameter->state = MBS_PARAMETER_READING;
  parameter->value = parameter->scalar.number;
  if (build->parameter_depth >= PARAMETER_DEPTH_MAX) {
    mbs_diagnose(build->list, MBS_BAD_EXPRESSION, parameter->pointer,
                 "more than %d parameters name one after another here; put '%s' before those that need it",
                 PARAMETER_DEPTH_MAX, parameter->name);
    parameter->value = NAN;
  } else if (parameter->scalar.text) {
    build->parameter_depth++;
    parameter->value = constant_expression(build, parameter->scalar.text, parameter->pointer);
    build->parameter_depth--;
  }
  parameter->wrong = isnan(parameter->value);
  if (parameter->wrong) parameter->value = 1; /* reported; a number lets reading go on */
  parameter->state = MBS_PARAMETER_READ;
}

/* The names that expressions know. */
static bool can_be_named(const char *name) {
  if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
  for (; *name; name++)
    if (!isalnum((unsigned char)*name) && *name != '_') return false;
  return true;
}

void mbs_read_parameters(mbs_build *build) {
  const mbs_value *map = mbs_read_value(build->document, "parameters");
  build->parameters = mbs_build_alloc(build, map->count, sizeof *build->parameters);
  if (!build->parameters) return;
  for (size_t i = 0; i < map->count; i++) {
    const mbs_value *value = &map->nodes[i].values[0];
    if (!value->given || value->count == 0) continue;
    const char *name = map->nodes[i].key;
    if (strcmp(name, "pi") == 0 || strcmp(name, "t") == 0)
      mbs_diagnose(build->list, MBS_DUPLICATE_NAME, map->nodes[i].pointer, "'%s' is known already; choose another name",
                   name);
    else if (!can_be_named(name))
      mbs_diagnose(build->list, MBS_INVALID, map->nodes[i].pointer,
                   "no expression can name a parameter '%s'; use letters, digits and _, a letter first", name);
    mbs_names_add(build, &build->parameter_names, name, "parameter", map->nodes[i].pointer);
    build->parameters[build->parameter_count++] =
        (mbs_parameter){.name = name, .pointer = value->pointer, .scalar = value->scalars[0]};
  }
  for (size_t i = 0; i < build->parameter_count; i++)
    if (build->parameters[i].state == MBS_PARAMETER_UNREAD) resolve_parameter(build, &build->parameters[i]);
}

const char *mbs_name_pointer(const mbs_node *node) {
  const mbs_value *name = mbs_read_value(node, "name");
  return name->given ? name->pointer : node->pointer;
}

void mbs_item_pointer(const mbs_value *value, size_t i, char pointer[MBS_POINTER_SIZE]) {
  if (value->list)
    snprintf(pointer, MBS_POINTER_SIZE, "%s/%zu", value->pointer, i);
  else
    snprintf(pointer, MBS_POINTER_SIZE, "%s", value->pointer);
}

const mbs_value *mbs_read_value(const mbs_node *node, const char *field) {
  static const mbs_value none = {0};
  int index = node ? mbs_field_index(node->cls, field) : -1;
  return index < 0 ? &none : &node->values[index];
}

bool mbs_read_given(const mbs_node *node, const char *field) { return mbs_read_value(node, field)->given; }

double mbs_read_scalar(mbs_build *build, const mbs_field *field, const mbs_scalar *scalar, const char *pointer) {
  size_t stand_ins = build->stand_ins;
  double value = scalar->text ? constant_expression(build, scalar->text, pointer) : scalar->number;
  if (scalar->text && isnan(value)) build->stand_ins++;
  if (build->stand_ins != stand_ins) return field->low > 0 ? field->low : 1; /* reported already */
  bool low = field->low_open ? value <= field->low : value < field->low;
  if (field->low < field->high && (low || value > field->high)) {
    if (field->high == INFINITY)
      mbs_diagnose(build->list, MBS_OUT_OF_RANGE, pointer, "%s must be %s %g, not %g", field->name,
                   field->low_open ? "greater than" : "at least", field->low, value);
    else
      mbs_diagnose(build->list, MBS_OUT_OF_RANGE, pointer, "%s must be %s %g and at most %g, not %g", field->name,
                   field->low_open ? "greater than" : "at least", field->low, field->high, value);
  }
  return value;
}

double mbs_read_number(mbs_build *build, const mbs_node *node, const char *field) {
  int index = mbs_field_index(node->cls, field);
  const mbs_value *value = &node->values[index];
  if (!value->given || value->count == 0) return node->cls->fields[index].fallback;
  return mbs_read_scalar(build, &node->cls->fields[index], &value->scalars[0], value->pointer);
}

size_t mbs_read_numbers(mbs_build *build, const mbs_node *node, const char *field, double *out, size_t most) {
  int index = node ? mbs_field_index(node->cls, field) : -1;
  if (index < 0 || !node->values[index].given) return 0;
  const mbs_value *value = &node->values[index];
  size_t count = value->count < most ? value->count : most;
  for (size_t i = 0; i < count; i++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(value, i, pointer);
    out[i] = mbs_read_scalar(build, &node->cls->fields[index], &value->scalars[i], pointer);
  }
  return count;
}

const char *mbs_read_text(const mbs_node *node, const char *field) {
  int index = node ? mbs_field_index(node->cls, field) : -1;
  if (index < 0) return NULL;
  const mbs_value *value = &node->values[index];
  return value->given && value->count ? value->scalars[0].text : node->cls->fields[index].fallback_text;
}

bool mbs_read_bool(const mbs_node *node, const char *field) {
  int index = mbs_field_index(node->cls, field);
  const mbs_value *value = &node->values[index];
  return (value->given ? value->scalars[0].number : node->cls->fields[index].fallback) != 0;
}

int mbs_read_body(mbs_build *build, const char *name, const char *pointer) {
  int body = mbs_names_find(&build->body_names, name);
  if (body < 0) mbs_unknown_name(build, &build->body_names, "body", name, pointer);
  return body;
}

int mbs_read_joint(mbs_build *build, const char *name, const char *pointer) {
  int joint = mbs_names_find(&build->joint_names, name);
  if (joint < 0) mbs_unknown_name(build, &build->joint_names, "joint", name, pointer);
  return joint;
}

static void unknown_place(mbs_build *build, const mbs_body *body, bool vector, const char *name, const char *pointer) {
  const mbs_place *places =
      vector ? build->model->vectors + body->first_vector : build->model->points + body->first_point;
  size_t count = vector ? body->vector_count : body->point_count;
  const char **names = mbs_build_alloc(build, count, sizeof *names);
  if (!names) return;
  for (size_t i = 0; i < count; i++) names[i] = places[i].name;
  const char *nearest = mbs_many_mistakes(build) ? NULL : mbs_nearest(name, names, count),
             *what = vector ? "vector" : "point";
  const char *owner = body == build->model->bodies ? "on the ground" : "on body";
  if (nearest)
    mbs_diagnose(build->list, MBS_UNKNOWN_NAME, pointer, "no %s '%s' %s%s%s%s; did you mean '%s'?", what, name, owner,
                 body == build->model->bodies ? "" : " '", body == build->model->bodies ? "" : body->name,
                 body == build->model->bodies ? "" : "'", nearest);
  else
    mbs_diagnose(build->list, MBS_UNKNOWN_NAME, pointer, "no %s '%s' %s%s%s%s", what, name, owner,
                 body == build->model->bodies ? "" : " '", body == build->model->bodies ? "" : body->name,
                 body == build->model->bodies ? "" : "'");
}

bool mbs_read_place(mbs_build *build, const char *reference, bool vector, const char *pointer, int *body, double s[3]) {
  const char *dot = strchr(reference, '.');
  if (!dot || dot == reference || !dot[1]) {
    mbs_diagnose(build->list, MBS_UNKNOWN_NAME, pointer, "'%s' is not a reference; write body.%s", reference,
                 vector ? "vector" : "point");
    return false;
  }
  char *name = mbs_arena_text(build->arena, reference);
  if (!name) {
    build->failed = true;
    return false;
  }
  name[dot - reference] = 0;
  *body = mbs_read_body(build, name, pointer);
  if (*body < 0) return false;
  const mbs_body *owner = &build->model->bodies[*body];
  const mbs_place *places =
      vector ? build->model->vectors + owner->first_vector : build->model->points + owner->first_point;
  size_t count = vector ? owner->vector_count : owner->point_count;
  for (size_t i = 0; i < count; i++)
    if (strcmp(places[i].name, dot + 1) == 0) {
      memcpy(s, places[i].s, sizeof places[i].s);
      return true;
    }
  unknown_place(build, owner, vector, dot + 1, pointer);
  return false;
}

size_t mbs_read_body_list(mbs_build *build, const mbs_node *node, const char *field, int *bodies, size_t most) {
  const mbs_value *value = mbs_read_value(node, field);
  size_t count = 0;
  for (size_t i = 0; i < value->count && i < most; i++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(value, i, pointer);
    int body = mbs_read_body(build, value->scalars[i].text, pointer);
    if (body < 0) break;
    bodies[count++] = body;
  }
  return count;
}

bool mbs_read_sides_with(mbs_build *build, const mbs_node *node, bool second_vector, mbs_sides *sides) {
  bool good = true;
  for (int vector = 0; vector <= 1; vector++) {
    const mbs_value *value = mbs_read_value(node, vector ? "vectors" : "points");
    for (size_t i = 0; i < value->count && i < 2; i++) {
      char pointer[MBS_POINTER_SIZE];
      int body = -1;
      bool second = i == 1 || (vector && second_vector);
      mbs_item_pointer(value, i, pointer);
      double *s = vector ? (second ? sides->u2 : sides->u1) : (second ? sides->s2 : sides->s1);
      bool found = mbs_read_place(build, value->scalars[i].text, vector, pointer, &body, s);
      good = good && found;
      int *side = second ? &sides->body2 : &sides->body1;
      if (!found) continue;
      if (vector && *side >= 0 && body != *side) {
        mbs_diagnose(build->list, MBS_INVALID, pointer, "this vector must be on '%s', the body of the %s point",
                     build->model->bodies[*side].name, second ? "second" : "first");
        good = false;
      } else {
        *side = body; /* an element without points stands between its vectors */
      }
    }
  }
  bool points = mbs_read_given(node, "points");
  if (good && sides->body1 == sides->body2 && sides->body1 >= 0 && (points || mbs_read_given(node, "vectors"))) {
    mbs_diagnose(build->list, MBS_INVALID, mbs_read_value(node, points ? "points" : "vectors")->pointer,
                 "both %s are on '%s'; two different bodies are needed", points ? "points" : "vectors",
                 build->model->bodies[sides->body1].name);
    good = false;
  }
  return good;
}

bool mbs_read_sides(mbs_build *build, const mbs_node *node, mbs_sides *sides) {
  return mbs_read_sides_with(build, node, false, sides);
}
