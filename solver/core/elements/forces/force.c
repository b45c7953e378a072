/* A force at a point or at the mass centre of a body, in global or body axes. */
#include "elements/forces/force.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    {.name = "point", .kind = MBS_KIND_POINT, .doc = "point of action; alternatively give body"},
    {.name = "body",
     .kind = MBS_KIND_BODY,
     .doc = "body at whose mass centre the force acts; alternatively give point"},
    {.name = "value",
     .kind = MBS_KIND_LAW,
     .min_count = MBS_DIM,
     .max_count = MBS_DIM,
     .required = true,
     .fallback = NAN,
     .unit = "N",
     .doc = "components"},
    {.name = "frame",
     .kind = MBS_KIND_CHOICE,
     .choices = "global|body",
     .fallback_text = "global",
     .doc = "axes of the components"},
    MBS_FORCE_END};

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const char *frame = mbs_read_text(node, "frame");
  mbs_force_place(builder, node, force);
  force->body_frame = frame && frame[0] == 'b';
  mbs_force_components(builder, node, "value", force);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)index;
  const mbs_real *s = mbs_force_geometry(system, force)->s2;
  mbs_real f[3] = {MBS_ALL(0)}, r[3], v[3];
  for (size_t k = 0; k < force->law_count; k++) f[k] = mbs_law_value(system, &force->laws[k]);
  if (force->body_frame) mbs_to_global(system, force->frames.body2, f, f);
  for (int k = 0; k < force->outputs; k++) system->outputs[force->first_output + k] = f[k];
  mbs_apply_force(system, force->frames.body2, s, f);
  mbs_point_motion(system, force->frames.body2, s, r, v);
  system->power_work += f[0] * v[0] + f[1] * v[1] + f[2] * v[2];
}

const mbs_force_class MBS_OVER(mbs_force_force) = {
    .base = {.name = "force",
             .doc = "A force given by its components.",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = MBS_DIM,
    .outputs = "fx|fy|fz",
    .build = build_force,
    .apply = apply,
};
