/* Gravitation between two bodies, or an attraction between two points with the same law. With d = r_2 - r_1 and
 * r = norm(d),
 *
 *     F = S / r^2, attracting;   S = G m_1 m_2 or given;   V = -S / r */
#include "base/rotation.h"
#include "elements/forces/force.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "bodies",
     .kind = MBS_KIND_BODY,
     .min_count = 2,
     .max_count = 2,
     .doc = "two bodies, which attract one another at their mass centres; alternatively give points"},
    {.name = "constant",
     .kind = MBS_KIND_NUMBER,
     .fallback = 6.6743e-11,
     .low = 0,
     .high = INFINITY,
     .unit = "m^3/kg/s^2",
     .doc = "G, for bodies"},
    {.name = "points",
     .kind = MBS_KIND_POINT,
     .min_count = 2,
     .max_count = 2,
     .doc = "two points that attract one another with the given strength"},
    {.name = "strength",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .unit = "N m^2",
     .doc = "S of points"},
    MBS_FORCE_END};

typedef struct gravitation_data {
  double constant; /* G, or 0 */
  double strength; /* S of points */
} gravitation_data;

/* Reports a field that belongs to the other form of the element. */
static void refuse(mbs_builder *builder, const mbs_node *node, const char *field, const char *owner) {
  if (mbs_read_given(node, field))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, field)->pointer, "'%s' belongs to '%s'", field,
                 owner);
}

static bool read_bodies(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  refuse(builder, node, "strength", "points");
  if (!mbs_force_bodies(builder, node, force)) return false;
  if (force->frames.body1 == 0 || force->frames.body2 == 0)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "bodies")->pointer,
                 "the ground has no mass; give 'points' and 'strength' instead");
  return true;
}

static bool read_points(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  refuse(builder, node, "constant", "bodies");
  if (!mbs_read_given(node, "strength"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "'strength' is missing: S = G m1 m2 of the two points");
  return mbs_read_ends(builder, node, &force->frames);
}

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const bool bodies = mbs_read_given(node, "bodies"), points = mbs_read_given(node, "points");
  if (bodies == points)
    mbs_diagnose(builder->list, bodies ? MBS_INVALID : MBS_MISSING, node->pointer,
                 "give either 'bodies', or 'points' and 'strength'");
  if (bodies == points || !(bodies ? read_bodies : read_points)(builder, node, force)) force->frames = MBS_ON_GROUND;
  force->conservative = true;
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  gravitation_data *data = numbers;
  const bool bodies = mbs_read_given(force->node, "bodies");
  data->constant = bodies ? mbs_read_number(binder, force->node, "constant") : 0;
  data->strength = bodies ? 0 : mbs_read_number(binder, force->node, "strength");
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const gravitation_data *data = mbs_force_data(system, force);
  const mbs_geometry *at = mbs_force_geometry(system, force);
  const int one = force->frames.body1, other = force->frames.body2;
  const mbs_body_constants *bodies = system->constants->bodies;
  double r1[3], r2[3], v[3], d[3], f[3];
  mbs_point_motion(system, one, at->s1, r1, v);
  mbs_point_motion(system, other, at->s2, r2, v);
  for (int k = 0; k < 3; k++) d[k] = r2[k] - r1[k];
  const double S = data->strength + data->constant * bodies[one].mass * bodies[other].mass;
  const double r = sqrt(mbs_dot(d, d)), F = S / (r * r);
  if (r == 0) mbs_position_fault(system, MBS_OUT_OF_RANGE, force->name, "its two points coincide");
  for (int k = 0; k < 3; k++) f[k] = F / r * d[k];
  system->potential_forces -= S / r;
  system->outputs[force->first_output] = F;
  mbs_apply_force(system, one, at->s1, f);
  for (int k = 0; k < 3; k++) f[k] = -f[k];
  mbs_apply_force(system, other, at->s2, f);
}

const mbs_force_class mbs_force_gravitation = {
    .base = {.name = "gravitation",
             .doc = "Gravitation between two bodies, or an attraction of two points with the square of the distance.",
             .equation = "f = S / r^2, positive in attraction, S = G m1 m2\nV = -S / r",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 1,
    .outputs = "force",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(gravitation_data),
    .apply = apply,
};
