/* Bodies, their points, vectors and initial poses. The ground is body 0. */
#include "base/rotation.h"
#include "builder/builder.h"

#include <math.h>

static void read_places(mbs_builder *builder, const mbs_node *node, bool vector, int body, mbs_point_or_vector *places,
                        double (*numbers)[3], size_t *count) {
  const mbs_value *map = mbs_read_value(node, vector ? "vectors" : "points");
  for (size_t i = 0; i < map->count; i++) {
    mbs_point_or_vector *place = &places[*count];
    *place = (mbs_point_or_vector){.node = &map->nodes[i], .name = map->nodes[i].key, .body = body};
    mbs_point_or_vector_numbers(mbs_numbers_of(builder), place, vector, numbers[(*count)++]);
  }
}

void mbs_point_or_vector_numbers(mbs_binder *binder, const mbs_point_or_vector *place, bool vector, double s[3]) {
  const mbs_value *value = &place->node->values[0];
  s[0] = s[1] = s[2] = 0;
  mbs_read_numbers(binder, place->node, "value", s, 3);
  if (!vector) return;
  double length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  if (!(length > 0) && value->given) {
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, value->pointer, "the vector '%s' has length 0; give a direction",
                 place->name);
    length = 1;
  }
  for (int k = 0; k < 3; k++) s[k] /= length > 0 ? length : 1;
}

/* Reads {"euler_parameters": [..]}, which do not include full revolutions, or {"axis": [..], "angle": a}. */
static void read_orientation(mbs_binder *binder, const mbs_node *node, mbs_body_constants *out) {
  double axis[3] = {0, 0, 0}, euler[4] = {0, 0, 0, 0};
  bool parameters = mbs_read_numbers(binder, node, "euler_parameters", euler, 4) == 4;
  bool turned = mbs_read_numbers(binder, node, "axis", axis, 3) == 3;
  double length = sqrt(turned ? mbs_dot(axis, axis) : mbs_dot(euler + 1, euler + 1) + euler[0] * euler[0]);
  if (parameters == turned || (parameters && mbs_read_given(node, "angle")))
    mbs_diagnose(binder->list, parameters ? MBS_INVALID : MBS_MISSING, node->pointer,
                 "give either 'euler_parameters' or 'axis' and 'angle'");
  else if (!(length > 0))
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, node->pointer,
                 "the values of this orientation are all zero; at least one must differ from 0");
  else if (parameters)
    mbs_euler_normalize(euler, out->initial.p);
  else {
    double angle = mbs_read_number(binder, node, "angle"), turns = angle - mbs_wrap_angle(angle);
    for (int k = 0; k < 3; k++) {
      axis[k] /= length;
      out->initial.turns[k] = turns * axis[k];
    }
    mbs_euler_of_turn(axis, angle, out->initial.p);
  }
}

static const mbs_node *initial_of(const mbs_body *body) {
  const mbs_value *initial = mbs_read_if_known(body->node, "initial");
  return initial->given && initial->count ? &initial->nodes[0] : NULL;
}

static const mbs_node *orientation_of(const mbs_node *initial) {
  const mbs_value *orientation = mbs_read_value(initial, "orientation");
  return orientation->given && orientation->count ? &orientation->nodes[0] : NULL;
}

static bool has_numbers(const mbs_node *node, const char *field) {
  const mbs_value *value = mbs_read_value(node, field);
  return value->given && value->count > 0;
}

/* Determines which parts of `initial` the document has. */
static void find_given(mbs_builder *builder, mbs_body *body) {
  const mbs_node *node = initial_of(body), *orientation = orientation_of(node);
  if (!node) return;
  body->given.position = has_numbers(node, "position");
  body->given.velocity = has_numbers(node, "velocity");
  body->given.angle = mbs_read_given(node, "angle") || orientation;
  const mbs_value *angle = mbs_read_value(orientation ? orientation : node, "angle");
  if (angle->given && angle->count) body->doubtful_angle = mbs_doubtful_angle(&angle->scalars[0]);
  body->given.turns = orientation && mbs_read_given(orientation, "axis");
  body->given.angular_velocity = has_numbers(node, "angular_velocity");
  size_t turns = (size_t)builder->model->kernels->torque_components;
  if (body->given.angular_velocity && mbs_read_value(node, "angular_velocity")->count != turns)
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, mbs_read_value(node, "angular_velocity")->pointer,
                 "an angular velocity has %zu component%s in a %s model", turns, turns == 1 ? "" : "s",
                 builder->model->kernels->name);
}

static void read_initial(mbs_binder *binder, const mbs_node *node, mbs_body_constants *out) {
  const mbs_node *orientation = orientation_of(node);
  size_t turns = (size_t)binder->model->kernels->torque_components;
  mbs_read_numbers(binder, node, "position", out->initial.r, 3);
  mbs_read_numbers(binder, node, "velocity", out->initial.v, 3);
  if (mbs_read_given(node, "angle")) out->initial.angle = mbs_read_number(binder, node, "angle");
  if (orientation) read_orientation(binder, orientation, out);
  mbs_read_numbers(binder, node, "angular_velocity", out->initial.omega + 3 - turns, turns);
}

/* Checks that a body can have this tensor: no negative principal moments, and none larger than the sum of the
 * others. */
static void check_tensor(mbs_binder *binder, const char *pointer, const double J[6]) {
  double slack = 1e-9 * (fabs(J[0]) + fabs(J[1]) + fabs(J[2]));
  double minor = J[0] * J[1] - J[3] * J[3];
  double determinant = J[2] * minor - J[4] * (J[4] * J[1] - J[3] * J[5]) - J[5] * (J[0] * J[5] - J[3] * J[4]);
  bool positive = J[0] >= 0 && J[1] >= 0 && J[2] >= 0 && minor >= -slack * slack &&
                  J[0] * J[2] - J[4] * J[4] >= -slack * slack && J[1] * J[2] - J[5] * J[5] >= -slack * slack &&
                  determinant >= -slack * slack * slack;
  if (!positive)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, pointer,
                 "this inertia has a negative principal moment; products of inertia are the entries of the tensor, "
                 "Ixy = -integral of x y dm");
  else if (J[0] > J[1] + J[2] + slack || J[1] > J[0] + J[2] + slack || J[2] > J[0] + J[1] + slack)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, pointer,
                 "no rigid body has this inertia: one principal moment exceeds the sum of the other two");
}

/* Reads one moment of inertia in the plane; three principal ones or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] in space. */
static void read_inertia(mbs_binder *binder, const mbs_node *node, double J[6]) {
  const mbs_value *value = mbs_read_value(node, "inertia");
  size_t stand_ins = binder->stand_ins, count = mbs_read_numbers(binder, node, "inertia", J, 6);
  bool planar = binder->model->dim == 2;
  const bool checked = mbs_read_bool(node, "inertia_check");
  if (!value->given) return;
  if (planar ? count != 1 : count != 3 && count != 6) {
    mbs_diagnose(binder->list, MBS_WRONG_TYPE, value->pointer,
                 planar ? "a planar body has one moment of inertia, not %zu"
                        : "a spatial body has three principal moments of inertia or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], "
                          "not %zu value(s)",
                 count);
    return;
  }
  if (planar) {
    if (!(J[0] >= 0) && checked)
      mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, value->pointer, "inertia must be at least 0, not %g", J[0]);
    return;
  }
  if (binder->stand_ins == stand_ins && checked) check_tensor(binder, value->pointer, J);
}

void mbs_body_masses(mbs_binder *binder, const mbs_body *body, mbs_body_constants *out) {
  if (body->node == NULL || mbs_field_index(body->node->cls, "mass") < 0) return; /* the ground */
  binder->loads = binder->masses = true;
  out->mass = mbs_read_number(binder, body->node, "mass");
  read_inertia(binder, body->node, out->inertia);
  binder->loads = binder->masses = false;
}

void mbs_body_numbers(mbs_binder *binder, const mbs_body *body, mbs_body_constants *out) {
  const mbs_node *initial = initial_of(body);
  *out = (mbs_body_constants){.initial = {.p = {1}}};
  mbs_body_masses(binder, body, out);
  if (initial) read_initial(binder, initial, out);
}

static size_t count_places(const mbs_builder *builder, const char *field) {
  const mbs_value *ground = mbs_read_value(builder->document, "ground"),
                  *bodies = mbs_read_value(builder->document, "bodies");
  size_t count = ground->given ? mbs_read_value(&ground->nodes[0], field)->count : 0;
  for (size_t i = 0; i < bodies->count; i++) count += mbs_read_value(&bodies->nodes[i], field)->count;
  return count;
}

void mbs_read_bodies(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *ground = mbs_read_value(builder->document, "ground"),
                  *bodies = mbs_read_value(builder->document, "bodies");
  model->nB = bodies->count;
  mbs_constants *constants = model->constants;
  size_t points = count_places(builder, "points"), vectors = count_places(builder, "vectors");
  model->bodies = mbs_builder_alloc(builder, model->nB + 1, sizeof *model->bodies);
  model->points = mbs_builder_alloc(builder, points, sizeof *model->points);
  model->vectors = mbs_builder_alloc(builder, vectors, sizeof *model->vectors);
  constants->bodies = mbs_builder_alloc(builder, model->nB + 1, sizeof *constants->bodies);
  constants->points = mbs_builder_alloc(builder, points, sizeof *constants->points);
  constants->vectors = mbs_builder_alloc(builder, vectors, sizeof *constants->vectors);
  if (builder->failed) return;
  for (size_t i = 0; i <= model->nB; i++) {
    const mbs_node *node = i ? &bodies->nodes[i - 1] : ground->given ? &ground->nodes[0] : NULL;
    mbs_body *body = &model->bodies[i];
    const char *name = i ? mbs_read_text(node, "name") : "ground";
    *body = (mbs_body){.node = node, .name = name ? name : "", .pointer = node ? node->pointer : "/ground"};
    mbs_names_add(builder, &builder->body_names, body->name, "body", node ? mbs_name_pointer(node) : body->pointer);
    body->first_point = model->nP;
    read_places(builder, node, false, (int)i, model->points, constants->points, &model->nP);
    body->point_count = model->nP - body->first_point;
    body->first_vector = model->vector_count;
    read_places(builder, node, true, (int)i, model->vectors, constants->vectors, &model->vector_count);
    body->vector_count = model->vector_count - body->first_vector;
    body->unchecked_inertia = i && !mbs_read_bool(node, "inertia_check");
    find_given(builder, body);
    mbs_body_numbers(mbs_numbers_of(builder), body, &constants->bodies[i]);
  }
}
