/* Joints whose only row is the law in their field `value`. */
#include "elements/joints/joint.h"

/* Marks a joint as defined by a law: until the law is read, it joins no two bodies. */
void mbs_joint_is_of_law(mbs_builder *builder, size_t index) {
  mbs_joint *joint = &builder->model->joints[index];
  joint->frames.body1 = joint->frames.body2 = 0;
}

bool mbs_read_joint_law(mbs_builder *builder, size_t index, mbs_scope_level scope) {
  const mbs_model *model = builder->model;
  mbs_joint *joint = &builder->model->joints[index];
  if (!mbs_read_given(joint->node, "value")) return false;
  const size_t errors = builder->list->count, stand_ins = builder->binder.stand_ins;
  joint->laws = mbs_builder_alloc(builder, 1, sizeof *joint->laws);
  if (!joint->laws) return false;
  joint->law_count = 1;
  mbs_read_field_law(builder, joint->node, "value", scope, NULL, joint->laws);
  joint->bodies = mbs_builder_alloc(builder, 2 * joint->laws->input_count, sizeof *joint->bodies);
  for (size_t i = 0; i < joint->laws->input_count && !builder->failed; i++) {
    const mbs_input *input = &model->inputs[joint->laws->inputs[i]];
    if (input->kind == MBS_INPUT_PRIMITIVE) {
      mbs_joint_add_body(joint, model->coordinates[input->index].frames.body1);
      mbs_joint_add_body(joint, model->coordinates[input->index].frames.body2);
    } else if (input->kind != MBS_INPUT_TIME && input->kind != MBS_INPUT_DISCRETE && input->kind != MBS_INPUT_STATE) {
      mbs_joint_add_body(joint, input->index);
    }
  }
  mbs_check_row_states(builder, joint->laws, mbs_read_value(joint->node, "value")->pointer,
                       scope == MBS_SCOPE_POSITION);
  const bool known = builder->list->count == errors && builder->binder.stand_ins == stand_ins;
  if (joint->body_count > 0)
    joint->frames.body2 = joint->bodies[joint->body_count - 1]; /* the reaction is given at the last body named */
  else if (known)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(joint->node, "value")->pointer,
                 "this constraint depends on no body");
  return known && !builder->failed;
}
