/* Inextensible rope, which slides over pulleys without friction or does not slip on them. A run is a part between two
 * elements that grip (ends, drums, pulleys with `grip`); it has one tension. Its row adds up those of its strands:
 *
 *     Phi = sum of Phi_k - (length - length at the start) / runs
 *
 * A rope that may be slack has the row -Phi >= 0 of a touch for each run instead. theory (22.8) */
#include "elements/joints/joint.h"

#include "elements/forces/force.h"
#include "equations/strands.h"
#include "equations/touches.h"

static const mbs_field path_fields[] = {
    {.name = "point", .kind = MBS_KIND_POINT, .doc = "an end; between the ends an eye through which the rope slides"},
    {.name = "drum", .kind = MBS_KIND_POINT, .doc = "the centre of a drum, an end on which the rope is wound"},
    {.name = "pulley", .kind = MBS_KIND_POINT, .doc = "the centre of a pulley between the ends"},
    {.name = "radius",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "m",
     .doc = "radius of the drum or pulley"},
    {.name = "sense",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .doc = "1: the rope runs counterclockwise about the drum or pulley, -1: clockwise"},
    {.name = "grip",
     .kind = MBS_KIND_BOOL,
     .fallback = 1,
     .doc = "true: the rope does not slip on the pulley and turns it; false: it slides over it; an elastic rope always "
            "slides"},
    {.name = NULL}};
const mbs_class mbs_rope_element_class = {.name = "rope-element",
                                          .doc = "An element of the path of a rope: one of point, drum and pulley.",
                                          .fields = path_fields};

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_ROPE_PATH,
                                   MBS_ROPE_LENGTH,
                                   {.name = "unilateral",
                                    .kind = MBS_KIND_BOOL,
                                    .fallback = 1,
                                    .doc = "true: the rope may become slack; false: it also pushes"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

typedef struct rope_data {
  double length; /* NaN: that at the start */
} rope_data;

static bool is_unilateral(const mbs_joint *joint) { return mbs_read_bool(joint->node, "unilateral"); }

static void check(mbs_builder *builder, size_t index) {
  mbs_joint *joint = &builder->model->joints[index];
  joint->frames.body1 = joint->frames.body2 = 0;
  joint->path = mbs_read_path(builder, joint->node, "path", MBS_PATH_ROPE);
  if (joint->path < 0) return;
  mbs_strand_path_bodies(builder, joint->path, joint);
  joint->copies = is_unilateral(joint) ? 0 : builder->model->paths[joint->path].runs;
}

static void bind(mbs_binder *binder, const mbs_joint *joint, void *data) {
  ((rope_data *)data)->length =
      mbs_read_given(joint->node, "length") ? mbs_read_number(binder, joint->node, "length") : NAN;
}

static const mbs_strand_path *path_of(const mbs_system *system, const mbs_joint *joint) {
  return &system->model->paths[joint->path];
}

static void locate(mbs_system *system, const mbs_joint *joint) {
  mbs_strand_path_locate(system, path_of(system, joint));
}

/* Adds `sign` times the row of a run. `rows`: the joint or touch of which the row is. */
static void add_run(mbs_system *system, const mbs_joint *joint, const mbs_joint *rows, double sign, mbs_custom_row *out,
                    int run) {
  const mbs_strand_path *path = path_of(system, joint);
  const double length = ((const rope_data *)mbs_joint_data(system->constants, joint))->length;
  for (int k = path->run[run]; k < path->run[run + 1]; k++)
    mbs_add_strand_row(system, rows, path->strand0 + k, sign, out);
  if (!isnan(length)) out->value -= sign * (length - system->constants->paths[joint->path].length) / path->runs;
}

static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  add_run(system, joint, joint, 1, out, out->number);
}

/* ---- slack and taut, outputs ----------------------------------------------------------------------------------- */

static void touch_row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  (void)number;
  (void)side;
  add_run(system, &system->model->joints[touch->of_joint], &touch->joint, -1, out, touch->number);
}

static void show_run(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  system->outputs[mbs_touch_force(system, touch)->first_output + touch->number] = state->closed ? state->N : 0;
}

static const mbs_touch_class unilateral_run = {
    .row = touch_row, .show = show_run, .begins = "taut", .ends = "slack", .impact = "taut"};

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_joint *joint = &builder->model->joints[force->of_joint];
  (void)node;
  force->conservative = true;
  for (int run = 0; joint->path >= 0 && is_unilateral(joint) && run < builder->model->paths[joint->path].runs; run++) {
    mbs_touch touch = {.cls = &unilateral_run,
                       .of_joint = force->of_joint,
                       .pair = -1,
                       .sides = 1,
                       .number = run,
                       .coordinate = {-1, -1}};
    mbs_strand_path_bodies(builder, joint->path, &touch.joint);
    mbs_builder_add_touch(builder, force, &touch);
  }
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  (void)system;
  (void)force;
  (void)index;
}

static void show(mbs_system *system, const mbs_force *force) {
  const mbs_joint *joint = &system->model->joints[force->of_joint];
  const mbs_strand_path *path = path_of(system, joint);
  double *out = system->outputs + force->first_output;
  for (int run = 0; run < joint->row_count; run++) out[run] = -system->borne[joint->first_row + run];
  out[path->runs] = mbs_strand_path_length(system, path);
}

static const mbs_force_class rope_tension = {.base = {.name = "rope", .family = MBS_FAMILY_FORCE},
                                             .output_count = MBS_RUNS,
                                             .build = build_force,
                                             .apply = apply,
                                             .show = show};

#define ROPE_SHAPE                                                                                               \
  {                                                                                                              \
    .row_count = 1, .rows = { {.primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .length = true, .labels = "run"} } \
  }

const mbs_joint_class mbs_joint_rope = {
    .base = {.name = "rope",
             .doc = "An inextensible rope over pulleys, which may become slack. Outputs: `tension`, of several runs "
                    "between elements that grip `tension1`, .., and `l`, the length of strands and wraps.",
             .equation =
                 "Phi = sum of L_k + wraps - wound off - length (a row for each run between elements that grip)\n"
                 "unilateral: Phi <= 0, tension >= 0, one of them is 0; when it gets taut an impulse without "
                 "rebound",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_NONE,
    .planar = ROPE_SHAPE,
    .spatial = ROPE_SHAPE,
    .companion = &rope_tension,
    .check = check,
    .bind = bind,
    .data_size = sizeof(rope_data),
    .locate = locate,
    .row = row,
};
