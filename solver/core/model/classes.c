/* Tables of the elements in elements.def, and the search of classes and fields by name. Only this file expands the list
 * of elements, so a new line recompiles no other. */
#include "model/element.h"

#include <string.h>

#define MBS_JOINT(name) extern const mbs_joint_class mbs_joint_##name;
#define MBS_DRIVER(name) extern const mbs_driver_class mbs_driver_##name;
#define MBS_FORCE(name) extern const mbs_force_class mbs_force_##name;
#define MBS_FUNCTION(name) extern const mbs_function_class mbs_function_##name;
#define MBS_SHAPE(name) extern const mbs_shape_class mbs_shape_##name;
#define MBS_SIGNAL(name) extern const mbs_signal_class mbs_signal_##name;
#include "model/elements.def"

static const mbs_class *const joints[] = {
#define MBS_JOINT(name) &mbs_joint_##name.base,
#include "model/elements.def"
    NULL};

static const mbs_class *const drivers[] = {
#define MBS_DRIVER(name) &mbs_driver_##name.base,
#include "model/elements.def"
    NULL};

static const mbs_class *const forces[] = {
#define MBS_FORCE(name) &mbs_force_##name.base,
#include "model/elements.def"
    NULL};

static const mbs_class *const functions[] = {
#define MBS_FUNCTION(name) &mbs_function_##name.base,
#include "model/elements.def"
    NULL};

static const mbs_class *const shapes[] = {
#define MBS_SHAPE(name) &mbs_shape_##name.base,
#include "model/elements.def"
    NULL};

static const mbs_class *const signals[] = {
#define MBS_SIGNAL(name) &mbs_signal_##name.base,
#include "model/elements.def"
    NULL};

const mbs_class *mbs_class_at(mbs_family family, size_t index) {
  static const struct {
    const mbs_class *const *classes;
    size_t count;
  } tables[MBS_FAMILY_COUNT] = {
      [MBS_FAMILY_JOINT] = {joints, sizeof joints / sizeof *joints - 1},
      [MBS_FAMILY_DRIVER] = {drivers, sizeof drivers / sizeof *drivers - 1},
      [MBS_FAMILY_FORCE] = {forces, sizeof forces / sizeof *forces - 1},
      [MBS_FAMILY_SHAPE] = {shapes, sizeof shapes / sizeof *shapes - 1},
      [MBS_FAMILY_SIGNAL] = {signals, sizeof signals / sizeof *signals - 1},
      [MBS_FAMILY_FUNCTION] = {functions, sizeof functions / sizeof *functions - 1},
  };
  return index < tables[family].count ? tables[family].classes[index] : NULL;
}

const char *mbs_family_default(mbs_family family) { return family == MBS_FAMILY_SIGNAL ? "expression" : NULL; }

const mbs_class *mbs_class_find(mbs_family family, const char *name) {
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(family, i)) != NULL; i++)
    if (strcmp(cls->name, name) == 0) return cls;
  return NULL;
}

int mbs_field_index(const mbs_class *cls, const char *name) {
  for (int i = 0; cls->fields[i].name; i++)
    if (cls->fields[i].name == name) return i; /* most names are the same literal */
  for (int i = 0; cls->fields[i].name; i++)
    if (cls->fields[i].name[0] == name[0] && strcmp(cls->fields[i].name, name) == 0) return i;
  return -1;
}

int mbs_count_in(int count, bool planar) { return count >= 0 ? count : planar ? -count / 10 : -count % 10; }
