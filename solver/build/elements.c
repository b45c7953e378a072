/* Drivers, functions of time, force elements and sensors. */
#include "build.h"

#include <math.h>
#include <string.h>

/* ---- functions of time --------------------------------------------------------------------------------------- */

void mbs_build_function(mbs_build *build, const mbs_node *node, mbs_function *function) {
  function->cls = (const mbs_function_class *)node->cls;
  function->pointer = mbs_arena_text(build->arena, node->pointer);
  if (!function->pointer) build->failed = true;
  function->cls->build(build, node, function);
}

int mbs_read_function(mbs_build *build, const mbs_node *node, const char *field, const char *element) {
  mbs_model *model = build->model;
  const mbs_value *value = mbs_read_value(node, field);
  if (!value->given || value->count == 0) return -1;
  mbs_function *function = mbs_build_grow(build, (void **)&model->functions, &model->function_count,
                                          &build->function_capacity, sizeof *function);
  if (!function) return -1;
  int index = (int)model->function_count - 1;
  mbs_function built = {.element = element};
  mbs_build_function(build, &value->nodes[0], &built);
  model->functions[index] = built; /* the array may have moved */
  return index;
}

/* ---- drivers ------------------------------------------------------------------------------------------------- */

static bool driver_joint_row(mbs_build *build, const mbs_node *node, mbs_row *row, mbs_sides *sides, int *of_joint) {
  const mbs_value *value = mbs_read_value(node, "joint");
  if (!value->given) return false;
  int j = mbs_read_joint(build, value->scalars[0].text, value->pointer);
  if (j < 0) return false;
  const mbs_joint *joint = &build->model->joints[j];
  size_t count = joint->shape->coordinate_count, mistakes = build->list->count;
  double coordinate = mbs_read_number(build, node, "coordinate");
  if (build->list->count > mistakes) return false;
  if (count == 0) {
    mbs_diagnose(build->list, MBS_INVALID, value->pointer, "joint '%s' (%s) has no coordinate to drive", joint->name,
                 joint->cls->base.name);
    return false;
  }
  if (!(coordinate >= 1 && coordinate <= (double)count && coordinate == floor(coordinate))) {
    const mbs_value *given = mbs_read_value(node, "coordinate");
    mbs_diagnose(build->list, MBS_OUT_OF_RANGE, given->given ? given->pointer : node->pointer,
                 "joint '%s' has coordinates 1 to %zu, not %g", joint->name, count, coordinate);
    return false;
  }
  *row = joint->shape->coordinates[(size_t)coordinate - 1];
  *sides = joint->sides;
  *of_joint = j;
  return true;
}

/* `axis` of a driver that has one: fixed in both bodies, whose axes coincide where the turn is zero. */
static bool driver_axis(mbs_build *build, const mbs_node *node, mbs_sides *sides) {
  double axis[3], square = 0;
  if (mbs_read_numbers(build, node, "axis", axis, 3) != 3) return true;
  for (int k = 0; k < 3; k++) square += axis[k] * axis[k];
  if (!(square > 0)) {
    mbs_diagnose(build->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "axis")->pointer, "the axis has no direction");
    return false;
  }
  for (int k = 0; k < 3; k++) sides->u1[k] = sides->u2[k] = axis[k] / sqrt(square);
  sides->zero[0] = 1;
  return true;
}

/* The measure that a driver prescribes, and what it is taken between. */
static bool driver_row(mbs_build *build, const mbs_driver_class *cls, const mbs_node *node, mbs_row *row,
                       mbs_sides *sides, int *of_joint) {
  *row = cls->row;
  *of_joint = -1;
  *sides = (mbs_sides){.body1 = 0, .body2 = 0};
  const mbs_value *value = NULL;
  int pair[2];
  switch (cls->drives) {
  case MBS_DRIVES_JOINT: return driver_joint_row(build, node, row, sides, of_joint);
  case MBS_DRIVES_POINTS:
    sides->body1 = sides->body2 = -1;
    return mbs_read_sides(build, node, sides) && sides->body1 >= 0 && sides->body2 >= 0;
  case MBS_DRIVES_POINT_OF_GROUND:
    value = mbs_read_value(node, "point");
    if (!value->given ||
        !mbs_read_place(build, value->scalars[0].text, false, value->pointer, &sides->body2, sides->s2))
      return false;
    break;
  case MBS_DRIVES_BODY:
    value = mbs_read_value(node, "body");
    if (!value->given || (sides->body2 = mbs_read_body(build, value->scalars[0].text, value->pointer)) < 0)
      return false;
    if (!driver_axis(build, node, sides)) return false;
    break;
  case MBS_DRIVES_BODIES:
    value = mbs_read_value(node, "bodies");
    if (mbs_read_body_list(build, node, "bodies", pair, 2) < 2) return false;
    sides->body1 = pair[0];
    sides->body2 = pair[1];
    break;
  }
  if (sides->body1 == sides->body2) {
    mbs_diagnose(build->list, MBS_INVALID, value->pointer, "this drives '%s' against itself",
                 build->model->bodies[sides->body1].name);
    return false;
  }
  return value->given;
}

void mbs_read_drivers(mbs_build *build) {
  mbs_model *model = build->model;
  const mbs_value *nodes = mbs_read_value(build->document, "drivers");
  model->drivers = mbs_build_alloc(build, nodes->count, sizeof *model->drivers);
  if (!model->drivers) return;
  model->driver_count = nodes->count;
  for (size_t d = 0; d < nodes->count; d++) {
    mbs_driver *driver = &model->drivers[d];
    const mbs_node *node = &nodes->nodes[d];
    const char *name = mbs_read_text(node, "name");
    *driver = (mbs_driver){.cls = (const mbs_driver_class *)node->cls,
                           .node = node,
                           .name = mbs_arena_text(build->arena, name ? name : ""),
                           .pointer = mbs_arena_text(build->arena, node->pointer)};
    if (!driver->name || !driver->pointer) {
      build->failed = true;
      return;
    }
    mbs_names_add(build, &build->driver_names, driver->name, "driver", mbs_name_pointer(node));
    mbs_row row;
    mbs_sides sides;
    int of_joint;
    int function = mbs_read_function(build, node, "function", driver->name);
    driver->block = -1;
    if (driver_row(build, driver->cls, node, &row, &sides, &of_joint)) {
      driver->block = mbs_build_measure(build, &row, &sides, of_joint);
      if (driver->block >= 0) model->coordinates[driver->block].function = function;
      if (function >= 0) model->functions[function].distance = row.measure == MBS_MEASURE_DISTANCE;
    }
  }
}

/* ---- force elements ------------------------------------------------------------------------------------------ */

static void name_outputs(mbs_build *build, mbs_force *force) {
  const mbs_model *model = build->model;
  int count = force->cls->output_count;
  force->outputs = count == MBS_DIM ? model->dim : count == MBS_TURNS ? model->space->torque_components : count;
  force->first_output = (int)build->model->output_count;
  build->model->output_count += (size_t)force->outputs;
}

static void reserve_switches(mbs_model *model, mbs_force *force) {
  force->mode0 = (int)model->switch_count;
  force->memory0 = (int)model->memory_count;
  model->switch_count += force->cls->own.switches;
  model->memory_count += force->cls->own.memory;
}

/* Evaluation order: an element whose laws read outputs of others comes after them. */
static bool place_force(mbs_build *build, size_t index, char *state, size_t *placed) {
  mbs_model *model = build->model;
  if (state[index] == 2) return true;
  if (state[index] == 1) {
    mbs_diagnose(build->list, MBS_BAD_EXPRESSION, model->forces[index].pointer,
                 "the law of '%s' depends on its own output", model->forces[index].name);
    return false;
  }
  state[index] = 1;
  for (size_t other = 0; other < model->force_count; other++)
    if (build->force_reads[index * model->force_count + other] && !place_force(build, other, state, placed))
      return false;
  state[index] = 2;
  model->force_order[(*placed)++] = (int)index;
  return true;
}

/* Most force elements whose outputs laws may read: the table of who reads whom is square. */
enum { READABLE_FORCES_MAX = 2000 };

static void order_forces(mbs_build *build) {
  mbs_model *model = build->model;
  model->force_order = mbs_build_alloc(build, model->force_count, sizeof *model->force_order);
  char *state = mbs_build_alloc(build, model->force_count, 1);
  if (!model->force_order || !state) return;
  size_t placed = 0;
  if (!build->force_reads) {
    for (size_t i = 0; i < model->force_count; i++) model->force_order[i] = (int)i;
    return;
  }
  for (size_t i = 0; i < model->force_count; i++)
    if (!place_force(build, i, state, &placed)) return;
}

mbs_channel mbs_force_length(const mbs_force *force, int level) {
  if (force->coordinate < 0) return (mbs_channel){.kind = MBS_CHANNEL_TIME};
  return (mbs_channel){.kind = MBS_CHANNEL_MEASURE, .index = force->coordinate, .level = level};
}

static void read_length(mbs_build *build, const mbs_node *node, mbs_force *force) {
  static const mbs_row length = {.measure = MBS_MEASURE_DISTANCE, .scale = 1};
  if (mbs_read_sides(build, node, &force->sides))
    force->coordinate = mbs_build_measure(build, &length, &force->sides, -1);
  if (force->coordinate < 0) force->sides = (mbs_sides){0};
}

void mbs_read_forces(mbs_build *build) {
  mbs_model *model = build->model;
  const mbs_value *nodes = mbs_read_value(build->document, "forces");
  model->forces = mbs_build_alloc(build, nodes->count, sizeof *model->forces);
  if (!model->forces) return;
  model->force_count = nodes->count;
  if (nodes->count <= READABLE_FORCES_MAX)
    build->force_reads = mbs_build_alloc(build, nodes->count * nodes->count, sizeof *build->force_reads);
  /* Names and lengths first: a law may read an element that comes later. */
  for (size_t i = 0; i < nodes->count; i++) {
    mbs_force *force = &model->forces[i];
    const char *name = mbs_read_text(&nodes->nodes[i], "name");
    *force = (mbs_force){.cls = (const mbs_force_class *)nodes->nodes[i].cls,
                         .name = mbs_arena_text(build->arena, name ? name : ""),
                         .pointer = mbs_arena_text(build->arena, nodes->nodes[i].pointer),
                         .sides = {.body1 = -1, .body2 = -1},
                         .coordinate = -1};
    if (!force->name || !force->pointer) {
      build->failed = true;
      return;
    }
    mbs_names_add(build, &build->force_names, force->name, "force element", mbs_name_pointer(&nodes->nodes[i]));
    name_outputs(build, force);
    if (force->cls->length) read_length(build, &nodes->nodes[i], force);
  }
  for (size_t i = 0; i < nodes->count; i++) {
    build->force_now = (int)i;
    model->forces[i].cls->build(build, &nodes->nodes[i], &model->forces[i]);
    reserve_switches(model, &model->forces[i]);
  }
  build->force_now = -1;
  order_forces(build);
}

/* ---- sensors ------------------------------------------------------------------------------------------------- */

static bool name_of_array(const char *name) {
  static const char *const arrays[] = {"T",           "uT",          "theta",
                                       "theta_d",     "theta_dd",    "r",
                                       "rd",          "rdd",         "p",
                                       "pd",          "pdd",         "omega",
                                       "omega_d",     "rP",          "rPd",
                                       "rPdd",        "Jac",         "Lam",
                                       "Jac_p",       "det",         "M",
                                       "C_d",         "reactions",   "contact_parameters",
                                       "forces",      "energy",      "residuals",
                                       "events",      "K",           "modes",
                                       "eigenvalues", "frequencies", "damping_ratios"};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (strcmp(arrays[i], name) == 0) return true;
  return false;
}

void mbs_read_sensors(mbs_build *build) {
  mbs_model *model = build->model;
  const mbs_value *nodes = mbs_read_value(build->document, "sensors");
  model->sensors = mbs_build_alloc(build, nodes->count, sizeof *model->sensors);
  if (!model->sensors) return;
  model->sensor_count = nodes->count;
  mbs_names names = {0};
  for (size_t i = 0; i < nodes->count; i++) {
    mbs_sensor *sensor = &model->sensors[i];
    const mbs_node *node = &nodes->nodes[i];
    const char *name = mbs_read_text(node, "name"), *unit = mbs_read_text(node, "unit"),
               *doc = mbs_read_text(node, "description");
    sensor->name = mbs_arena_text(build->arena, name ? name : "");
    sensor->unit = mbs_arena_text(build->arena, unit ? unit : "");
    sensor->doc = mbs_arena_text(build->arena, doc ? doc : "");
    if (!sensor->name || !sensor->unit || !sensor->doc) {
      build->failed = true;
      break;
    }
    mbs_names_add(build, &names, sensor->name, "sensor", mbs_name_pointer(node));
    if (name_of_array(sensor->name))
      mbs_diagnose(build->list, MBS_DUPLICATE_NAME, mbs_read_value(node, "name")->pointer,
                   "'%s' is the name of a result array; choose another", sensor->name);
    mbs_read_field_law(build, node, "value", MBS_REACH_ALL, NULL, &sensor->law);
  }
  mbs_names_free(&names);
}
