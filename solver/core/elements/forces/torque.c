/* A torque on a body. */
#include "elements/forces/force.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "body", .kind = MBS_KIND_BODY, .required = true, .doc = "body on which the torque acts"},
    {.name = "value",
     .kind = MBS_KIND_LAW,
     .min_count = MBS_TURNS,
     .max_count = MBS_TURNS,
     .or_single = true,
     .required = true,
     .fallback = NAN,
     .unit = "N m",
     .doc = "torque, counterclockwise positive; in space its components"},
    {.name = "frame",
     .kind = MBS_KIND_CHOICE,
     .choices = "global|body",
     .fallback_text = "global",
     .spaces = MBS_SPATIAL,
     .doc = "axes of the components"},
    MBS_FORCE_END};

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_value *body = mbs_read_value(node, "body");
  force->frames.body1 = 0;
  force->frames.body2 = body->given ? mbs_read_body(builder, body->scalars[0].text, body->pointer) : 0;
  if (force->frames.body2 < 0) force->frames.body2 = 0;
  const char *frame = mbs_read_text(node, "frame");
  force->body_frame = frame && frame[0] == 'b';
  mbs_force_components(builder, node, force, "value");
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  mbs_real n[3] = {MBS_ALL(0)}, omega[3];
  size_t first = 3 - force->law_count; /* a single component is about z */
  for (size_t k = 0; k < force->law_count; k++) n[first + k] = mbs_law_value(system, &force->laws[k]);
  if (force->body_frame) mbs_to_global(system, force->frames.body2, n, n);
  for (int k = 0; k < force->outputs; k++) system->outputs[force->first_output + k] = n[3 - force->outputs + k];
  mbs_twist(system, force->frames.body2, n);
  mbs_angular_velocity(system, force->frames.body2, omega);
  system->power_work += n[0] * omega[0] + n[1] * omega[1] + n[2] * omega[2];
}

const mbs_force_class MBS_OVER(mbs_force_torque) = {
    .base = {.name = "torque",
             .doc = "A torque on a body.",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = MBS_TURNS,
    .outputs = "torque",
    .spatial_outputs = "tx|ty|tz",
    .build = build_force,
    .apply = apply,
};
