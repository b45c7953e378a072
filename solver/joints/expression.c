/* A user's own constraint: Phi = value(positions, t) (1 row). Its derivatives are made by exact differentiation: D from
 * the gradient, rhsV from the partial derivative in time, rhsA from the second time derivative for V' = beta. */
#include "joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "value",
                                    .kind = MBS_KIND_LAW,
                                    .required = true,
                                    .fallback = NAN,
                                    .doc = "an expression of positions and t that is to be zero"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

/* It joins no two bodies until its law is read. */
static void check(mbs_build *build, size_t joint) {
  mbs_joint *own = &build->model->joints[joint];
  own->sides.body1 = own->sides.body2 = 0;
}

static void add_body(mbs_joint *joint, int body) {
  for (int b = 0; b < joint->body_count; b++)
    if (joint->bodies[b] == body) return;
  if (body > 0) joint->bodies[joint->body_count++] = body;
}

static void read_laws(mbs_build *build, size_t index) {
  mbs_model *model = build->model;
  mbs_joint *joint = &model->joints[index];
  if (!mbs_read_given(joint->node, "value")) return;
  size_t mistakes = build->list->count;
  joint->laws = mbs_build_alloc(build, 1, sizeof *joint->laws);
  if (!joint->laws) return;
  joint->law_count = 1;
  mbs_read_field_law(build, joint->node, "value", MBS_REACH_POSITION, NULL, joint->laws);
  joint->bodies = mbs_build_alloc(build, 2 * joint->laws->input_count, sizeof *joint->bodies);
  for (size_t i = 0; i < joint->laws->input_count && !build->failed; i++) {
    const mbs_channel *channel = &model->channels[joint->laws->channels[i]];
    if (channel->kind == MBS_CHANNEL_MEASURE) {
      add_body(joint, model->coordinates[channel->index].sides.body1);
      add_body(joint, model->coordinates[channel->index].sides.body2);
    } else if (channel->kind != MBS_CHANNEL_TIME) {
      add_body(joint, channel->index);
    }
  }
  if (joint->body_count > 0)
    joint->sides.body2 = joint->bodies[joint->body_count - 1]; /* its reaction is given at the last one named */
  else if (build->list->count == mistakes)
    mbs_diagnose(build->list, MBS_INVALID, mbs_read_value(joint->node, "value")->pointer,
                 "this constraint depends on no body");
}

static void row(mbs_system *system, const mbs_joint *joint, mbs_own_row *out) {
  mbs_law_row(system, joint->laws, joint->bodies, joint->body_count, out);
}

const mbs_joint_class mbs_joint_expression = {
    .base = {.name = "expression",
             .doc = "A constraint of the user's own: an expression of positions and time that is zero.",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .planar = {.row_count = 1, .rows = {{.measure = MBS_MEASURE_OWN, .scale = 1, .labels = "value"}}},
    .spatial = {.row_count = 1, .rows = {{.measure = MBS_MEASURE_OWN, .scale = 1, .labels = "value"}}},
    .check = check,
    .read_laws = read_laws,
    .row = row,
};
