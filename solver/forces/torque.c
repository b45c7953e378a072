/* A torque on a body. */
#include "force.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "body", .kind = MBS_KIND_BODY, .required = true, .doc = "the body it turns"},
    {.name = "value",
     .kind = MBS_KIND_LAW,
     .min_count = 1,
     .max_count = 1,
     .or_single = true,
     .required = true,
     .fallback = NAN,
     .unit = "N m",
     .doc = "the torque, counterclockwise positive"},
    MBS_FORCE_END};

static void build_force(mbs_build *build, const mbs_node *node, mbs_force *force) {
  const mbs_value *body = mbs_read_value(node, "body");
  force->sides.body1 = 0;
  force->sides.body2 = body->given ? mbs_read_body(build, body->scalars[0].text, body->pointer) : 0;
  if (force->sides.body2 < 0) force->sides.body2 = 0;
  mbs_force_components(build, node, force);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  double n = mbs_law_value(system, &force->laws[0]), omega[3];
  system->outputs[force->first_output] = n;
  mbs_twist(system, force->sides.body2, (double[3]){0, 0, n});
  mbs_angular_velocity(system, force->sides.body2, omega);
  system->power_work += n * omega[2];
}

const mbs_force_class mbs_force_torque = {
    .base = {.name = "torque",
             .doc = "A torque on a body.",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_PLANAR},
    .output_count = 1,
    .outputs = "torque",
    .build = build_force,
    .apply = apply,
};
