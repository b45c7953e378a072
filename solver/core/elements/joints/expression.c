/* A user-defined constraint. Its derivatives are exact: D from the gradient, rhsV from the partial derivative in time,
 * rhsA from the second time derivative for V' = beta. */
#include "elements/joints/joint.h"
#include "equations/law.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "value",
                                    .kind = MBS_KIND_LAW,
                                    .required = true,
                                    .fallback = NAN,
                                    .doc = "expression of positions and t that must be zero"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

/* Clears the bodies, which are unknown until the law is read. */
static void check(mbs_builder *builder, size_t joint) {
  mbs_joint *own = &builder->model->joints[joint];
  own->frames.body1 = own->frames.body2 = 0;
}

static void add_body(mbs_joint *joint, int body) {
  for (int b = 0; b < joint->body_count; b++)
    if (joint->bodies[b] == body) return;
  if (body > 0) joint->bodies[joint->body_count++] = body;
}

static void read_laws(mbs_builder *builder, size_t index) {
  mbs_model *model = builder->model;
  mbs_joint *joint = &model->joints[index];
  if (!mbs_read_given(joint->node, "value")) return;
  size_t mistakes = builder->list->count;
  joint->laws = mbs_builder_alloc(builder, 1, sizeof *joint->laws);
  if (!joint->laws) return;
  joint->law_count = 1;
  mbs_read_field_law(builder, joint->node, "value", MBS_SCOPE_POSITION, NULL, joint->laws);
  joint->bodies = mbs_builder_alloc(builder, 2 * joint->laws->input_count, sizeof *joint->bodies);
  for (size_t i = 0; i < joint->laws->input_count && !builder->failed; i++) {
    const mbs_input *input = &model->inputs[joint->laws->inputs[i]];
    if (input->kind == MBS_INPUT_PRIMITIVE) {
      add_body(joint, model->coordinates[input->index].frames.body1);
      add_body(joint, model->coordinates[input->index].frames.body2);
    } else if (input->kind != MBS_INPUT_TIME) {
      add_body(joint, input->index);
    }
  }
  if (joint->body_count > 0)
    joint->frames.body2 = joint->bodies[joint->body_count - 1]; /* the reaction is given at the last body named */
  else if (builder->list->count == mistakes)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(joint->node, "value")->pointer,
                 "this expression depends on no body; use at least one coordinate of a body, such as crank.phi");
}

static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  mbs_law_row(system, joint->laws, joint->bodies, joint->body_count, out);
}

const mbs_joint_class mbs_joint_expression = {
    .base = {.name = "expression",
             .doc = "A user-defined constraint: an expression of positions and time that must be zero.",
             .equation = "Phi = value(positions, t) (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .planar = {.row_count = 1, .rows = {{.primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .labels = "value"}}},
    .spatial = {.row_count = 1, .rows = {{.primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .labels = "value"}}},
    .check = check,
    .read_laws = read_laws,
    .row = row,
};
