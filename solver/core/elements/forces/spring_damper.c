/* Point-to-point spring-damper-actuator. */
#include "elements/forces/force.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "points",
     .kind = MBS_KIND_POINT,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .doc = "the two end points"},
    {.name = "stiffness",
     .kind = MBS_KIND_LAW,
     .fallback = 0,
     .unit = "N/m",
     .doc = "stiffness k; may use l and ld. If k or the free length depends on time or state, the spring has no "
            "potential and its energy counts as work"},
    {.name = "free_length", .kind = MBS_KIND_LAW, .fallback = 0, .unit = "m", .doc = "l0"},
    {.name = "damping", .kind = MBS_KIND_LAW, .fallback = 0, .unit = "N s/m", .doc = "c"},
    {.name = "actuator", .kind = MBS_KIND_LAW, .fallback = 0, .unit = "N", .doc = "a, added to the tension"},
    MBS_FORCE_END};

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[] = {"stiffness", "free_length", "damping", "actuator"};
  const mbs_local_name locals[3] = {{.name = "l", .input = mbs_force_length(force, 0)},
                                    {.name = "ld", .input = mbs_force_length(force, 1)}};
  mbs_force_laws(builder, node, force, names, 4, locals);
  force->conservative = mbs_elastic_conservative(force);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const mbs_geometry *at = mbs_force_geometry(system, force);
  mbs_real r1[3], v1[3], r2[3], v2[3], d[3], dd[3], f[3];
  mbs_point_motion(system, force->frames.body1, at->s1, r1, v1);
  mbs_point_motion(system, force->frames.body2, at->s2, r2, v2);
  /* d = r_2 - r_1, l = norm(d), l' = d.d' / l */
  mbs_real square = MBS_ALL(0), product = MBS_ALL(0);
  for (int k = 0; k < 3; k++) {
    d[k] = r2[k] - r1[k];
    dd[k] = v2[k] - v1[k];
    square += d[k] * d[k];
    product += d[k] * dd[k];
  }
  mbs_real l = mbs_sqrt(square);
  /* The direction is undefined at zero length; the element then exerts no force. */
  mbs_real inverse = mbs_if_positive(l, 1 / l, MBS_ALL(0));
  mbs_real tension = mbs_elastic_law(system, force, l, product * inverse);
  system->outputs[force->first_output] = tension;
  /* f d / l on the first body, -f d / l on the second */
  for (int k = 0; k < 3; k++) f[k] = tension * inverse * d[k];
  mbs_apply_force(system, force->frames.body1, at->s1, f);
  for (int k = 0; k < 3; k++) f[k] = -f[k];
  mbs_apply_force(system, force->frames.body2, at->s2, f);
}

const mbs_force_class MBS_OVER(mbs_force_spring_damper) = {
    .base = {.name = "spring-damper",
             .doc = "A spring, damper and actuator between two points.",
             .equation = "f = k (l - l0) + c l' + a, positive in tension",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 1,
    .outputs = "force",
    .length = "l",
    .build = build_force,
    .apply = apply,
};
