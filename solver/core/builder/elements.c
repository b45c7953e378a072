/* Drivers, functions of time, force elements and sensors. */
#include "builder/builder.h"
#include "equations/touches.h"
#include "model/quantities.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- functions of time --------------------------------------------------------------------------------------- */

/* Room for the numbers of a function of time: its class has said how many. */
static mbs_function_constants *open_numbers(mbs_builder *builder, mbs_function *function) {
  mbs_model *model = builder->model;
  mbs_function_constants *numbers =
      mbs_builder_grow(builder, (void **)&model->constants->functions, &model->function_numbers,
                       &builder->function_number_capacity, sizeof *numbers);
  function->number = (int)model->function_numbers - 1;
  double *data = mbs_builder_alloc(builder, function->data_count, sizeof *data);
  double *breaks = mbs_builder_alloc(builder, function->break_most, sizeof *breaks);
  if (builder->failed) return NULL;
  *numbers = (mbs_function_constants){
      .data_count = function->data_count, .break_most = function->break_most, .data = data, .breaks = breaks};
  return numbers;
}

void mbs_build_function(mbs_builder *builder, const mbs_node *node, mbs_function *function) {
  assert(node->cls != NULL);
  function->cls = (const mbs_function_class *)node->cls;
  function->node = node;
  function->pointer = node->pointer;
  if (function->cls->build) function->cls->build(builder, function);
  mbs_function_constants *numbers = builder->failed ? NULL : open_numbers(builder, function);
  if (numbers) mbs_function_numbers_of(mbs_numbers_of(builder), function, numbers);
}

void mbs_open_function(mbs_builder *builder, const mbs_function_class *cls, mbs_function *function) {
  function->cls = cls;
  open_numbers(builder, function);
}

void mbs_function_numbers_of(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  out->break_count = 0;
  if (function->cls->bind) function->cls->bind(binder, function, out);
}

int mbs_read_function(mbs_builder *builder, const mbs_node *node, const char *field, const char *element,
                      const char *unit) {
  mbs_model *model = builder->model;
  const mbs_value *value = mbs_read_value(node, field);
  if (!value->given || value->count == 0) return -1;
  mbs_function *function = mbs_builder_grow(builder, (void **)&model->functions, &model->function_count,
                                            &builder->function_capacity, sizeof *function);
  if (!function) return -1;
  int index = (int)model->function_count - 1;
  assert(index >= 0);
  mbs_function built = {.element = element, .unit = unit};
  mbs_build_function(builder, &value->nodes[0], &built);
  model->functions[index] = built; /* the array may have moved */
  return index;
}

/* ---- drivers ------------------------------------------------------------------------------------------------- */

static bool driver_joint_row(mbs_builder *builder, const mbs_node *node, mbs_row *row, mbs_frames *frames,
                             int *of_joint) {
  const mbs_value *value = mbs_read_value(node, "joint");
  if (!value->given) return false;
  int j = mbs_read_joint(builder, value->scalars[0].text, value->pointer);
  if (j < 0) return false;
  const mbs_joint *joint = &builder->model->joints[j];
  size_t count = joint->shape->coordinate_count, mistakes = builder->list->count;
  double coordinate = mbs_read_number(mbs_structure_of(builder), node, "coordinate");
  if (builder->list->count > mistakes) return false;
  if (count == 0) {
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "joint '%s' (%s) has no coordinate to drive", joint->name,
                 joint->cls->base.name);
    return false;
  }
  if (!(coordinate >= 1 && coordinate <= (double)count && coordinate == floor(coordinate))) {
    const mbs_value *given = mbs_read_value(node, "coordinate");
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, given->given ? given->pointer : node->pointer,
                 "joint '%s' has coordinates 1 to %zu, not %g", joint->name, count, coordinate);
    return false;
  }
  *row = joint->shape->coordinates[(size_t)coordinate - 1];
  *frames = joint->frames;
  *of_joint = j;
  return true;
}

void mbs_axis_numbers(mbs_binder *binder, const mbs_node *driver, mbs_geometry *geometry) {
  double axis[3], square = 0;
  if (mbs_field_index(driver->cls, "axis") < 0) mbs_axes_zero(geometry);
  if (!mbs_read_if_known(driver, "axis")->given || mbs_read_numbers(binder, driver, "axis", axis, 3) != 3) return;
  for (int k = 0; k < 3; k++) square += axis[k] * axis[k];
  if (!(square > 0))
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(driver, "axis")->pointer,
                 "the axis has length 0; give a direction");
  for (int k = 0; k < 3; k++) geometry->u1[k] = geometry->u2[k] = axis[k] / sqrt(square);
  geometry->zero[0] = 1;
}

/* The primitive that a driver prescribes, and what it is taken between. */
static bool driver_row(mbs_builder *builder, const mbs_driver_class *cls, const mbs_node *node, mbs_row *row,
                       mbs_frames *frames, int *of_joint) {
  *row = cls->row;
  *of_joint = -1;
  *frames = MBS_ON_GROUND;
  const mbs_value *value = NULL;
  int pair[2];
  switch (cls->drives) {
  case MBS_DRIVES_JOINT: return driver_joint_row(builder, node, row, frames, of_joint);
  case MBS_DRIVES_POINTS:
    frames->body1 = frames->body2 = -1;
    return mbs_read_frames(builder, node, frames) && frames->body1 >= 0 && frames->body2 >= 0;
  case MBS_DRIVES_POINT_OF_GROUND:
    value = mbs_read_value(node, "point");
    if (!value->given ||
        !mbs_read_place(builder, value->scalars[0].text, false, value->pointer, &frames->body2, &frames->point2))
      return false;
    break;
  case MBS_DRIVES_BODY:
    value = mbs_read_value(node, "body");
    if (!value->given || (frames->body2 = mbs_read_body(builder, value->scalars[0].text, value->pointer)) < 0)
      return false;
    break;
  case MBS_DRIVES_BODIES:
    value = mbs_read_value(node, "bodies");
    if (mbs_read_body_list(builder, node, "bodies", pair, 2) < 2) return false;
    frames->body1 = pair[0];
    frames->body2 = pair[1];
    break;
  }
  if (frames->body1 == frames->body2) {
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "this driver needs two different bodies, not '%s' twice",
                 builder->model->bodies[frames->body1].name);
    return false;
  }
  return value->given;
}

/* `axis` of a driver that has one: fixed in both bodies, whose axes coincide where the turn is zero. */
static void read_axis(mbs_builder *builder, mbs_driver *driver) {
  mbs_geometry tried;
  builder->model->coordinates[driver->block].axis = driver->node;
  mbs_axis_numbers(mbs_numbers_of(builder), driver->node, &tried);
}

/* Returns the unit of what a driver prescribes; NULL for an Euler parameter. */
static const char *unit_of(mbs_primitive primitive) {
  mbs_dimension dimension = mbs_primitive_dimension(primitive);
  return dimension.rad ? "rad" : dimension.m ? "m" : NULL;
}

void mbs_read_drivers(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *nodes = mbs_read_value(builder->document, "drivers");
  model->drivers = mbs_builder_alloc(builder, nodes->count, sizeof *model->drivers);
  if (!model->drivers) return;
  model->driver_count = nodes->count;
  for (size_t d = 0; d < nodes->count; d++) {
    mbs_driver *driver = &model->drivers[d];
    const mbs_node *node = &nodes->nodes[d];
    const char *name = mbs_read_text(node, "name");
    *driver = (mbs_driver){
        .cls = (const mbs_driver_class *)node->cls, .node = node, .name = name ? name : "", .pointer = node->pointer};
    mbs_names_add(builder, &builder->driver_names, driver->name, "driver", mbs_name_pointer(node));
    mbs_row row;
    mbs_frames frames;
    int of_joint;
    bool found = driver_row(builder, driver->cls, node, &row, &frames, &of_joint);
    int function = mbs_read_function(builder, node, "function", driver->name, found ? unit_of(row.primitive) : NULL);
    driver->block = -1;
    if (found) {
      driver->block = mbs_builder_add_primitive(builder, &row, &frames, of_joint);
      if (driver->block >= 0) model->coordinates[driver->block].function = function;
      if (driver->block >= 0 && mbs_read_if_known(node, "axis")->given) read_axis(builder, driver);
      if (function >= 0) model->functions[function].distance = row.primitive == MBS_PRIMITIVE_DISTANCE;
    }
  }
}

/* ---- force elements ------------------------------------------------------------------------------------------ */

static int count_words(const char *labels) {
  int count = 1;
  for (; *labels; labels++) count += *labels == '|';
  return count;
}

/* Returns the labels of a path with the tension of each run, "tension1|tension2|l"; without numbers if it has one. */
static const char *label_runs(mbs_builder *builder, int path) {
  const int runs = path < 0 ? 1 : builder->model->paths[path].runs;
  const char *labels = runs > 1 ? "" : "tension|";
  for (int k = 1; k <= runs && runs > 1 && labels; k++)
    labels = mbs_arena_format(builder->arena, "%stension%d|", labels, k);
  labels = labels ? mbs_arena_format(builder->arena, "%sl", labels) : NULL;
  builder->failed = builder->failed || !labels;
  return labels;
}

static void name_outputs(mbs_builder *builder, mbs_force *force) {
  const mbs_model *model = builder->model;
  int count =
      model->dim == 3 && force->cls->spatial_output_count ? force->cls->spatial_output_count : force->cls->output_count;
  force->outputs = count == MBS_COORDINATES ? (int)model->joints[force->of_joint].shape->coordinate_count
                                            : mbs_count_in(count, model->dim == 2);
  if (force->labels) force->outputs = count_words(force->labels);
  assert(force->outputs >= 0);
  force->first_output = (int)builder->model->output_count;
  builder->model->output_count += (size_t)force->outputs;
}

static void reserve_states(mbs_builder *builder, mbs_force *force) {
  force->z0 = (int)builder->model->nz;
  builder->model->nz += force->z_count;
}

/* Computes the rows of a touch by its class. */
static void touch_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_touch *touch = (const mbs_touch *)joint; /* `joint` is the first member of the touch */
  touch->cls->row(system, touch, out->number, system->touches->at[touch - system->model->touches].side, out);
}

static const mbs_joint_class touch_rows = {.base = {.name = "touch"}, .row = touch_row};

void mbs_builder_add_touch(mbs_builder *builder, mbs_force *force, const mbs_touch *touch) {
  mbs_model *model = builder->model;
  mbs_touch *added =
      mbs_builder_grow(builder, (void **)&model->touches, &model->touch_count, &builder->touch_capacity, sizeof *added);
  if (!added) return;
  *added = *touch;
  added->force = (int)(force - model->forces);
  added->pointer = force->pointer;
  if (!added->name) added->name = force->name;
  if (force->touch0 < 0) force->touch0 = (int)model->touch_count - 1;
  mbs_joint *joint = &added->joint;
  joint->cls = &touch_rows;
  joint->name = added->name;
  joint->pointer = added->pointer;
  joint->sided = true;
  if (!joint->bodies) joint->bodies = mbs_builder_alloc(builder, 4, sizeof *joint->bodies);
  if (!joint->bodies) return;
  mbs_joint_add_body(joint, joint->frames.body1);
  mbs_joint_add_body(joint, joint->frames.body2);
  if (touch->coordinate[1] >= 0) {
    const mbs_frames *other = &model->coordinates[touch->coordinate[1]].frames;
    mbs_joint_add_body(joint, other->body1);
    mbs_joint_add_body(joint, other->body2);
  }
  if (added->pair < 0) added->pair = -(int)model->touch_count - 1; /* alone */
  added->switch0 = (int)model->switch_count;
  model->switch_count += (size_t)mbs_touch_switches(added);
}

static void reserve_switches(mbs_model *model, mbs_force *force) {
  force->mode0 = (int)model->switch_count;
  force->memory0 = (int)model->memory_count;
  model->switch_count += force->points * force->cls->own.switches;
  model->memory_count += force->points * force->cls->own.memory;
}

/* A search for the order of evaluation of force elements. */
typedef struct force_search {
  mbs_builder *builder;
  char *state;  /* [force_count] 0: not placed, 1: on the path, 2: placed */
  size_t *path; /* [force_count] elements that read one another, up to the current one */
  size_t depth, placed;
} force_search;

/* Returns the signals through which a force element reads another one, or NULL. */
static const char *signals_between(const mbs_builder *builder, size_t reader, size_t other) {
  for (const mbs_read_through *each = builder->reads_through; each; each = each->next)
    if ((size_t)each->reader == reader && (size_t)each->other == other) return each->signals;
  return NULL;
}

/* Reports force elements that read one another's outputs: those on the path from `first` on. */
static void refuse_force_loop(const force_search *self, size_t first) {
  const mbs_model *model = self->builder->model;
  char names[300] = "";
  size_t used = 0, begin = 0;
  while (self->path[begin] != first) begin++;
  for (size_t k = begin; k < self->depth; k++) {
    const size_t next = k + 1 < self->depth ? self->path[k + 1] : first;
    const char *signals = signals_between(self->builder, self->path[k], next);
    used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'%s%s", k > begin ? ", " : "",
                             model->forces[self->path[k]].name, signals ? ", " : "", signals ? signals : "");
    if (used >= sizeof names) used = sizeof names - 1;
  }
  static const char remedy[] = "add the state {\"name\": \"y\", \"rate\": \"(u - y)/0.01\"}, where u is the output "
                               "that is read, and read y in its place";
  if (begin + 1 == self->depth && !signals_between(self->builder, first, first))
    mbs_diagnose(self->builder->list, MBS_ALGEBRAIC_LOOP, model->forces[first].pointer,
                 "the law of %s depends on its own output; remove this reference, or delay it by 0.01 s: %s", names,
                 remedy);
  else
    mbs_diagnose(self->builder->list, MBS_ALGEBRAIC_LOOP, model->forces[first].pointer,
                 "%s depend on one another without a state between them; remove one of the references, or delay it by "
                 "0.01 s: %s",
                 names, remedy);
}

/* Places an element after those whose outputs its laws read. */
static void place_force(force_search *self, size_t index) {
  mbs_model *model = self->builder->model;
  assert(index < model->force_count);
  if (self->state[index] == 2) return;
  if (self->state[index] == 1) {
    refuse_force_loop(self, index);
    return;
  }
  self->state[index] = 1;
  self->path[self->depth++] = index;
  for (size_t other = 0; other < model->force_count; other++)
    if (self->builder->force_reads[index * model->force_count + other]) place_force(self, other);
  self->depth--;
  self->state[index] = 2;
  model->force_order[self->placed++] = (int)index;
  assert(self->placed <= model->force_count);
}

static void order_forces(mbs_builder *builder) {
  mbs_model *model = builder->model;
  model->force_order = mbs_builder_alloc(builder, model->force_count, sizeof *model->force_order);
  force_search search = {.builder = builder,
                         .state = mbs_builder_alloc(builder, model->force_count, 1),
                         .path = mbs_builder_alloc(builder, model->force_count, sizeof *search.path)};
  if (!model->force_order || !search.state || !search.path) return;
  if (!builder->force_reads) {
    for (size_t i = 0; i < model->force_count; i++) model->force_order[i] = (int)i;
    return;
  }
  for (size_t i = 0; i < model->force_count; i++) place_force(&search, i);
}

mbs_input mbs_force_length(const mbs_force *force, int level) {
  if (force->coordinate < 0) return (mbs_input){.kind = MBS_INPUT_TIME, .index = -1, .point = -1};
  return (mbs_input){.kind = MBS_INPUT_PRIMITIVE, .index = force->coordinate, .level = level, .point = -1};
}

static void read_length(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const mbs_row length = {.primitive = MBS_PRIMITIVE_DISTANCE, .scale = 1};
  if (mbs_read_frames(builder, node, &force->frames))
    force->coordinate = mbs_builder_add_primitive(builder, &length, &force->frames, -1);
  if (force->coordinate < 0) force->frames = MBS_ON_GROUND;
}

void mbs_force_numbers_of(mbs_binder *binder, const mbs_force *force, mbs_force_constants *out) {
  assert(force->cls != NULL);
  mbs_frames_geometry(binder->constants, &force->frames, &out->geometry);
  if (force->cls->bind) force->cls->bind(binder, force, out->data);
}

static const mbs_node *limits_of(const mbs_joint *joint) {
  const mbs_value *value = mbs_read_if_known(joint->node, "limits");
  return value->given && value->count ? &value->nodes[0] : NULL;
}

static size_t count_added(const mbs_model *model) {
  size_t count = 0;
  for (size_t j = 0; j < model->joint_count; j++)
    count += (size_t)(limits_of(&model->joints[j]) != NULL) + (model->joints[j].cls->companion != NULL);
  return count;
}

/* Adds a force element for a joint, with the joint's name. */
static void add_for_joint(mbs_builder *builder, int j, const mbs_force_class *cls, const mbs_node *node,
                          mbs_force *force) {
  const mbs_joint *joint = &builder->model->joints[j];
  *force = (mbs_force){.cls = cls,
                       .node = node,
                       .name = joint->name,
                       .pointer = node->pointer,
                       .frames = joint->frames,
                       .of_joint = j,
                       .path = -1,
                       .points = 1,
                       .touch0 = -1,
                       .coordinate = -1};
  if (node == joint->node) force->path = joint->path;
  if (cls->output_count == MBS_RUNS) force->labels = label_runs(builder, force->path);
  name_outputs(builder, force);
}

/* Adds the limits and the companions of joints as force elements, from index `first` on. */
static void add_for_joints(mbs_builder *builder, size_t first) {
  const mbs_model *model = builder->model;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    const mbs_node *limits = limits_of(joint);
    if (limits) add_for_joint(builder, (int)j, &mbs_force_limit, limits, &model->forces[first++]);
    if (joint->cls->companion)
      add_for_joint(builder, (int)j, joint->cls->companion, joint->node, &model->forces[first++]);
  }
}

/* Lists a law that reads accelerations or reactions. One that may not reads an output that is known only with them. */
static void add_feedback(mbs_builder *builder, const mbs_force *force, mbs_law *law) {
  mbs_model *model = builder->model;
  if (!law->may_react) {
    mbs_diagnose(
        builder->list, MBS_BAD_EXPRESSION, law->pointer,
        "this law of '%s' reads an output that is known only together with the accelerations; sensors, forces, "
        "torques, actuators and rates of states can read it",
        force->name);
    return;
  }
  mbs_feedback_law *slot = mbs_builder_grow(builder, (void **)&model->feedback, &model->feedback_count,
                                            &builder->feedback_capacity, sizeof *slot);
  if (!slot) return;
  *slot = (mbs_feedback_law){law, force->name};
  law->feedback = (int)model->feedback_count;
}

/* Finds the laws that are solved together with the accelerations. They do not determine the order of elements. */
static void find_feedback(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const size_t n = model->force_count;
  for (size_t f = 0; f < n; f++)
    for (size_t l = 0; l < model->forces[f].law_count && !builder->failed; l++)
      if (mbs_law_reads_reactions(model, &model->forces[f].laws[l]))
        add_feedback(builder, &model->forces[f], &model->forces[f].laws[l]);
  for (size_t g = 0; g < n && builder->force_reads; g++)
    for (size_t f = 0; f < n && model->forces[g].late; f++) builder->force_reads[f * n + g] = false;
  for (size_t k = 0; k < model->state_count; k++)
    model->rates_read_reactions |= mbs_law_reads_reactions(model, &model->states[k].rate);
}

void mbs_read_forces(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *nodes = mbs_read_value(builder->document, "forces");
  mbs_constants *constants = model->constants;
  const size_t count = nodes->count + count_added(model);
  model->forces = mbs_builder_alloc(builder, count, sizeof *model->forces);
  constants->forces = mbs_builder_alloc(builder, count, sizeof *constants->forces);
  if (builder->failed) return;
  model->force_count = count;
  if (count <= MBS_READABLE_FORCES_MAX)
    builder->force_reads = mbs_builder_alloc(builder, count * count, sizeof *builder->force_reads);
  /* Names and lengths first: a law may read an element that comes later. */
  for (size_t i = 0; i < nodes->count; i++) {
    mbs_force *force = &model->forces[i];
    const char *name = mbs_read_text(&nodes->nodes[i], "name");
    *force = (mbs_force){.cls = (const mbs_force_class *)nodes->nodes[i].cls,
                         .node = &nodes->nodes[i],
                         .name = name ? name : "",
                         .pointer = nodes->nodes[i].pointer,
                         .frames = MBS_NO_FRAMES,
                         .of_joint = -1,
                         .path = -1,
                         .points = 1,
                         .touch0 = -1,
                         .rotor = -1,
                         .coordinate = -1};
    if (force->cls->variant) force->cls = force->cls->variant(force->node, model->dim);
    mbs_names_add(builder, &builder->force_names, force->name, "force element", mbs_name_pointer(&nodes->nodes[i]));
    name_outputs(builder, force);
    if (force->cls->length) read_length(builder, &nodes->nodes[i], force);
  }
  add_for_joints(builder, nodes->count);
  mbs_read_states(builder); /* before the laws that may name them */
  for (size_t i = 0; i < count && !builder->failed; i++) {
    builder->binder.loads = model->forces[i].of_joint < 0; /* limits are positions */
    builder->force_now = (int)i;
    mbs_force *force = &model->forces[i];
    force->z_count = force->cls->states.count;
    force->late = force->cls->show != NULL;
    force->cls->build(builder, force->node, force);
    force->late |= force->touch0 >= 0;
    constants->forces[i].data = mbs_builder_alloc(builder, 1, force->cls->data_size + force->data_extra);
    if (builder->failed) return;
    mbs_force_numbers_of(mbs_numbers_of(builder), force, &constants->forces[i]);
    reserve_switches(model, force);
    reserve_states(builder, force);
  }
  builder->force_now = -1;
  builder->binder.loads = false;
  find_feedback(builder);
  order_forces(builder);
}

/* ---- sensors ------------------------------------------------------------------------------------------------- */

/* Returns true if a result array has this name. Names of arrays that only some models and analyses have are free
 * elsewhere. */
static bool name_of_array(const mbs_model *model, const char *name) {
  static const char *const arrays[] = {
#define MBS_OUTPUT(id, array, ...) array,
#include "model/outputs.def"
#undef MBS_OUTPUT
  };
  if (strcmp(name, "states") == 0) return model->named_states > 0;
  if (strcmp(name, "signals") == 0) return model->signal_count > 0;
  if (strcmp(name, "state_matrix") == 0) return model->type == MBS_LINEARIZATION;
  if (strcmp(name, "frequency") == 0 || strcmp(name, "response") == 0) return model->type == MBS_FREQUENCY_RESPONSE;
  if (strcmp(name, "variables") == 0) return model->variable_count > 0;
  if (strcmp(name, "sampled") == 0) return model->sampled_count > 0;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (strcmp(arrays[i], name) == 0) return true;
  return false;
}

void mbs_read_sensors(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *nodes = mbs_read_value(builder->document, "sensors");
  model->sensors = mbs_builder_alloc(builder, nodes->count, sizeof *model->sensors);
  if (!model->sensors) return;
  model->sensor_count = nodes->count;
  mbs_names names = {0};
  builder->binder.loads = true; /* no position depends on a sensor */
  for (size_t i = 0; i < nodes->count; i++) {
    mbs_sensor *sensor = &model->sensors[i];
    const mbs_node *node = &nodes->nodes[i];
    const char *name = mbs_read_text(node, "name"), *unit = mbs_read_text(node, "unit"),
               *doc = mbs_read_text(node, "description");
    *sensor = (mbs_sensor){.name = name ? name : "", .unit = unit ? unit : "", .doc = doc ? doc : ""};
    mbs_names_add(builder, &names, sensor->name, "sensor", mbs_name_pointer(node));
    if (name_of_array(model, sensor->name))
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, mbs_read_value(node, "name")->pointer,
                   "'%s' is the name of a result array; choose another name for the sensor", sensor->name);
    mbs_read_field_law(builder, node, "value", MBS_SCOPE_ALL, NULL, &sensor->law);
  }
  builder->binder.loads = false;
  mbs_names_free(&names);
}
