/* Bodies, their points, vectors and initial poses. The ground is body 0. */
#include "base/rotation.h"
#include "builder/builder.h"

#include <math.h>

static void read_places(mbs_builder *builder, const mbs_node *node, bool vector, int body, mbs_place *places,
                        size_t *count) {
  const mbs_value *map = mbs_read_value(node, vector ? "vectors" : "points");
  for (size_t i = 0; i < map->count; i++) {
    const mbs_node *entry = &map->nodes[i];
    mbs_place *place = &places[(*count)++];
    *place = (mbs_place){.name = mbs_arena_text(builder->arena, entry->key), .body = body};
    if (!place->name) {
      builder->failed = true;
      place->name = "";
    }
    mbs_read_numbers(builder, entry, "value", place->s, 3);
    if (!vector) continue;
    double length = sqrt(place->s[0] * place->s[0] + place->s[1] * place->s[1] + place->s[2] * place->s[2]);
    if (!(length > 0) && entry->values[0].given) {
      mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, entry->values[0].pointer, "the vector '%s' has no length",
                   place->name);
      length = 1;
    }
    for (int k = 0; k < 3; k++) place->s[k] /= length > 0 ? length : 1;
  }
}

/* {"euler_parameters": [..]}, which say nothing of whole turns, or {"axis": [..], "angle": a}. */
static void read_orientation(mbs_builder *builder, const mbs_node *node, mbs_body *body) {
  double axis[3] = {0, 0, 0}, euler[4] = {0, 0, 0, 0};
  bool parameters = mbs_read_numbers(builder, node, "euler_parameters", euler, 4) == 4;
  bool turned = mbs_read_numbers(builder, node, "axis", axis, 3) == 3;
  double length = sqrt(turned ? mbs_dot(axis, axis) : mbs_dot(euler + 1, euler + 1) + euler[0] * euler[0]);
  if (parameters == turned || (parameters && mbs_read_given(node, "angle")))
    mbs_diagnose(builder->list, parameters ? MBS_INVALID : MBS_MISSING, node->pointer,
                 "give either 'euler_parameters' or 'axis' and 'angle'");
  else if (!(length > 0))
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, node->pointer, "an orientation of zeros is none");
  else if (parameters)
    mbs_euler_normalize(euler, body->initial.p);
  else {
    double angle = mbs_read_number(builder, node, "angle"), turns = angle - mbs_less_turns(angle);
    for (int k = 0; k < 3; k++) {
      axis[k] /= length;
      body->initial.turns[k] = turns * axis[k];
    }
    body->given.turns = true;
    mbs_euler_of_turn(axis, angle, body->initial.p);
  }
}

static void read_initial(mbs_builder *builder, const mbs_node *node, mbs_body *body) {
  body->given.position = mbs_read_numbers(builder, node, "position", body->initial.r, 3) > 0;
  body->given.velocity = mbs_read_numbers(builder, node, "velocity", body->initial.v, 3) > 0;
  body->given.angle = mbs_read_given(node, "angle");
  if (body->given.angle) body->initial.angle = mbs_read_number(builder, node, "angle");
  const mbs_value *orientation = mbs_read_value(node, "orientation");
  if (orientation->given && orientation->count) {
    body->given.angle = true;
    read_orientation(builder, &orientation->nodes[0], body);
  }
  size_t turns = (size_t)builder->model->kernels->torque_components;
  body->given.angular_velocity =
      mbs_read_numbers(builder, node, "angular_velocity", body->initial.omega + 3 - turns, turns) > 0;
  if (body->given.angular_velocity && mbs_read_value(node, "angular_velocity")->count != turns)
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, mbs_read_value(node, "angular_velocity")->pointer,
                 "an angular velocity has %zu component%s in a %s model", turns, turns == 1 ? "" : "s",
                 builder->model->kernels->name);
}

/* One moment of inertia in the plane; three principal ones or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] in space, of a body that
 * can exist: no negative moments, and none larger than the sum of the two others. */
static void read_inertia(mbs_builder *builder, const mbs_node *node, mbs_body *body) {
  const mbs_value *value = mbs_read_value(node, "inertia");
  double *J = body->inertia;
  size_t stand_ins = builder->stand_ins, count = mbs_read_numbers(builder, node, "inertia", J, 6);
  bool planar = builder->model->dim == 2;
  if (!value->given) return;
  if (planar ? count != 1 : count != 3 && count != 6) {
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, value->pointer,
                 planar ? "a planar body has one moment of inertia, not %zu"
                        : "a spatial body has three principal moments of inertia or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], "
                          "not %zu value(s)",
                 count);
    return;
  }
  if (planar) {
    if (!(J[0] >= 0))
      mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, value->pointer, "inertia must be at least 0, not %g", J[0]);
    return;
  }
  if (builder->stand_ins != stand_ins) return;
  double slack = 1e-9 * (fabs(J[0]) + fabs(J[1]) + fabs(J[2]));
  double minor = J[0] * J[1] - J[3] * J[3];
  double determinant = J[2] * minor - J[4] * (J[4] * J[1] - J[3] * J[5]) - J[5] * (J[0] * J[5] - J[3] * J[4]);
  bool positive = J[0] >= 0 && J[1] >= 0 && J[2] >= 0 && minor >= -slack * slack &&
                  J[0] * J[2] - J[4] * J[4] >= -slack * slack && J[1] * J[2] - J[5] * J[5] >= -slack * slack &&
                  determinant >= -slack * slack * slack;
  if (!positive)
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, value->pointer,
                 "this inertia has a negative principal moment; products of inertia are the entries of the tensor, "
                 "Ixy = -integral of x y dm");
  else if (J[0] > J[1] + J[2] + slack || J[1] > J[0] + J[2] + slack || J[2] > J[0] + J[1] + slack)
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, value->pointer,
                 "no body has such an inertia: a moment is larger than the sum of the two others");
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
  model->bodies = mbs_builder_alloc(builder, model->nB + 1, sizeof *model->bodies);
  model->points = mbs_builder_alloc(builder, count_places(builder, "points"), sizeof *model->points);
  model->vectors = mbs_builder_alloc(builder, count_places(builder, "vectors"), sizeof *model->vectors);
  if (builder->failed) return;
  for (size_t i = 0; i <= model->nB; i++) {
    const mbs_node *node = i ? &bodies->nodes[i - 1] : ground->given ? &ground->nodes[0] : NULL;
    mbs_body *body = &model->bodies[i];
    body->name = i ? mbs_read_text(node, "name") : "ground";
    body->pointer = node ? node->pointer : "/ground";
    body->initial.p[0] = 1;
    if (!body->name) /* reported as missing by the reader */
      body->name = "";
    else
      body->name = mbs_arena_text(builder->arena, body->name);
    body->pointer = mbs_arena_text(builder->arena, body->pointer);
    if (!body->name || !body->pointer) {
      builder->failed = true;
      return;
    }
    mbs_names_add(builder, &builder->body_names, body->name, "body", node ? mbs_name_pointer(node) : body->pointer);
    body->first_point = model->nP;
    read_places(builder, node, false, (int)i, model->points, &model->nP);
    body->point_count = model->nP - body->first_point;
    body->first_vector = model->vector_count;
    read_places(builder, node, true, (int)i, model->vectors, &model->vector_count);
    body->vector_count = model->vector_count - body->first_vector;
    if (i == 0) continue;
    body->mass = mbs_read_number(builder, node, "mass");
    read_inertia(builder, node, body);
    const mbs_value *initial = mbs_read_value(node, "initial");
    if (initial->given && initial->count) read_initial(builder, &initial->nodes[0], body);
  }
}
