/* Rotational spring-damper between two bodies in space without an axis. With the rotation vector r of the second body
 * against the first from the declared start, and w = omega_2 - omega_1,
 *
 *     n = -(k r + c w)   on the second body, -n on the first;   r.r' = r.w, so that V = k r.r / 2 */
#include "base/rotation.h"
#include "elements/forces/rotation_vector.h"

#include <string.h>

extern const mbs_force_class mbs_force_rotation_vector_spring;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  static const char *const names[] = {"stiffness", "damping"}, *const others[] = {"free_angle", "actuator"};
  mbs_force_bodies(builder, node, force);
  for (int k = 0; k < 2; k++)
    if (mbs_read_given(node, others[k]))
      mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, others[k])->pointer,
                   "'%s' needs an axis; give 'vectors'", others[k]);
  mbs_force_laws(builder, node, force, names, 2, NULL);
  force->conservative = !force->laws[0].expression && !mbs_read_given(node, "damping");
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const int one = force->frames.body1, other = force->frames.body2;
  const double k = mbs_law_value(system, &force->laws[0]), c = mbs_law_value(system, &force->laws[1]);
  double theta[3], r[3], w1[3], w[3], n[3], *out = system->outputs + force->first_output;
  mbs_rotation_vector(system, force, theta);
  mbs_to_global(system, one, theta, r);
  mbs_angular_velocity(system, one, w1);
  mbs_angular_velocity(system, other, w);
  for (int i = 0; i < 3; i++) {
    w[i] -= w1[i];
    n[i] = -(k * r[i] + c * w[i]);
  }
  if (!force->laws[0].expression)
    system->potential_forces += 0.5 * k * mbs_dot(r, r);
  else
    system->power_work -= k * mbs_dot(r, w);
  system->power_dissipated += c * mbs_dot(w, w);
  memcpy(out, n, sizeof n);
  memcpy(out + 3, theta, sizeof theta);
  mbs_twist(system, other, n);
  for (int i = 0; i < 3; i++) n[i] = -n[i];
  mbs_twist(system, one, n);
}

const mbs_force_class mbs_force_rotation_vector_spring = {
    .base = {.name = "rotational-spring-damper", .family = MBS_FAMILY_FORCE, .spaces = MBS_SPATIAL},
    .output_count = 6,
    .outputs = "tx|ty|tz|rx|ry|rz",
    .build = build_force,
    .apply = apply,
};
