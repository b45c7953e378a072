/* Backlash: x = qa - n qb - offset is free within the gap b, and has stops at +- b/2. */
#include "elements/forces/stops.h"

static const mbs_field fields[] = {
    MBS_FORCE_NAME,
    MBS_COORDINATE_PAIR_FIELDS,
    {.name = "offset", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "x = qa - n qb - offset [m or rad]"},
    {.name = "gap",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .doc = "b, the whole play [m or rad]"},
    MBS_STOPS_FIELDS,
    MBS_FORCE_END};

enum { OUT_FORCE, OUT_X };

typedef struct backlash_data {
  mbs_stops stops; /* the first member */
  double offset;
} backlash_data;

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const bool good = mbs_read_coordinate_pair(builder, node, force), rigid = mbs_stops_rigid(node);
  force->points = good && !rigid ? 2 : 0;
  const mbs_touch touch = {.joint = {.frames = force->frames},
                           .cls = &mbs_rigid_stops,
                           .of_joint = -1,
                           .pair = -1,
                           .sides = 2,
                           .coordinate = {force->coordinate, mbs_second_coordinate(force)}};
  if (good && rigid) mbs_builder_add_touch(builder, force, &touch);
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  const mbs_node *node = force->node;
  backlash_data *data = numbers;
  /* x is measured as its first coordinate; without one, which is reported, it is a number */
  const int k = force->coordinate;
  const mbs_primitive primitive = k >= 0 ? binder->model->coordinates[k].primitive : MBS_PRIMITIVE_EULER;
  const double half = 0.5 * mbs_read_along(binder, node, "gap", 0, primitive, false);
  data->offset = mbs_read_along(binder, node, "offset", 0, primitive, false);
  data->stops.bound[0][0] = data->offset - half;
  data->stops.bound[0][1] = data->offset + half;
  data->stops.ratio = mbs_read_number(binder, node, "ratio");
  mbs_stops_numbers(binder, node, &data->stops);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const backlash_data *data = mbs_force_data(system, force);
  mbs_stops_apply(system, force, index);
  system->outputs[force->first_output + OUT_X] = mbs_pair_value(system, force, 0, data->stops.ratio, 0) - data->offset;
}

const mbs_force_class mbs_force_backlash = {
    .base = {.name = "backlash",
             .doc = "Play of a coordinate, or between two, with stops at both ends.",
             .equation = "x = qa - n qb - offset, free while |x| < b/2; on x beyond b/2\n"
                         "with K:  F = -max(0, K (|x| - b/2) + c d|x|/dt) sign x\n"
                         "rigid:   |x| <= b/2, impacts x'+ = -e x'-",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 2,
    .outputs = "force|x",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(backlash_data),
    .apply = apply,
    .own = MBS_STOPS_SWITCHING,
};
