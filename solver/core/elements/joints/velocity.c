/* A user-defined constraint of velocities: an expression that is affine in them, f = D(q, t) V + c(q, t) = 0. D is its
 * gradient, by exact differentiation, and the bias is its rate for V' = beta. */
#include "elements/joints/joint.h"
#include "equations/law.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "value",
                                    .kind = MBS_KIND_LAW,
                                    .required = true,
                                    .fallback = NAN,
                                    .doc =
                                        "expression of velocities, positions, states and t that must be zero; affine "
                                        "in velocities"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

static void read_laws(mbs_builder *builder, size_t index) {
  const mbs_model *model = builder->model;
  if (!mbs_read_joint_law(builder, index, MBS_SCOPE_VELOCITY)) return;
  const mbs_joint *joint = &model->joints[index];
  const mbs_law *law = joint->laws;
  bool *rates = mbs_builder_alloc(builder, law->input_count, sizeof *rates), any = false;
  if (!rates || !law->expression) return;
  for (size_t i = 0; i < law->input_count; i++) any |= rates[i] = model->inputs[law->inputs[i]].level == 1;
  const char *pointer = mbs_read_value(joint->node, "value")->pointer;
  if (!any)
    mbs_diagnose(builder->list, MBS_INVALID, pointer,
                 "this constraint names no velocity; write one of positions as a joint of type expression");
  else if (!mbs_expression_is_affine(law->expression, rates, builder->arena))
    mbs_diagnose(builder->list, MBS_NOT_LINEAR, pointer,
                 "this constraint must be affine in the velocities: a sum of velocities times expressions of positions "
                 "and t");
}

static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  mbs_law_velocity_row(system, joint->laws, joint->bodies, joint->body_count, out);
}

#define VELOCITY_ROW \
  { .primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .level = MBS_LEVEL_VELOCITY, .labels = "value" }

const mbs_joint_class mbs_joint_velocity = {
    .base = {.name = "velocity",
             .doc = "A user-defined constraint of velocities: an expression, affine in them, that must be zero.",
             .equation = "value(velocities, positions, t) = 0 (1 row of velocity level)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 1, .rows = {VELOCITY_ROW}},
    .spatial = {.row_count = 1, .rows = {VELOCITY_ROW}},
    .check = mbs_joint_is_of_law,
    .read_laws = read_laws,
    .row = row,
};
