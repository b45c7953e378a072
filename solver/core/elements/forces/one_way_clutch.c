/* A one-way clutch does not let x = qa - n qb turn backwards,
 *
 *     w = x' >= 0,  T >= 0,  T w = 0     T: torque on x
 *
 * A ratchet of z teeth lets x fall back to the last multiple of 2 pi / z that it has passed. Both are a lower limit of
 * x that follows x, at once or from tooth to tooth. */
#include "base/rotation.h"
#include "elements/forces/coordinate_pair.h"

static const mbs_field fields[] = {MBS_FORCE_NAME,
                                   MBS_COORDINATE_PAIR_FIELDS,
                                   {.name = "teeth",
                                    .kind = MBS_KIND_NUMBER,
                                    .fallback = NAN,
                                    .low = 1,
                                    .high = 1e6,
                                    .doc = "z, teeth of a ratchet; default: a clutch that holds at any angle"},
                                   MBS_FORCE_END};

typedef struct clutch_data {
  double ratio, pitch;
} clutch_data;

static const clutch_data *numbers_of(const mbs_system *system, const mbs_touch *touch) {
  return mbs_force_data(system, mbs_touch_force(system, touch));
}

static void row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  (void)number, (void)side;
  mbs_add_pair_row(system, touch, numbers_of(system, touch)->ratio, out);
  out->value -= system->touches->at[touch - system->model->touches].bound;
}

static double rate(const mbs_system *system, const mbs_touch *touch) {
  return mbs_pair_value(system, mbs_touch_force(system, touch), 0, numbers_of(system, touch)->ratio, 1);
}

static double pitch(const mbs_system *system, const mbs_touch *touch) { return numbers_of(system, touch)->pitch; }

static void show(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  system->outputs[mbs_touch_force(system, touch)->first_output] = state->closed ? state->N : 0;
}

static const mbs_touch_class clutch = {.row = row, .rate = rate, .show = show, .begins = "locks", .ends = "unlocks"};
static const mbs_touch_class ratchet = {.row = row, .pitch = pitch, .show = show, .begins = "locks", .ends = "unlocks"};

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  if (!mbs_read_coordinate_pair(builder, node, force)) return;
  const mbs_touch touch = {.joint = {.frames = force->frames},
                           .cls = mbs_read_given(node, "teeth") ? &ratchet : &clutch,
                           .of_joint = -1,
                           .pair = -1,
                           .sides = 1,
                           .coordinate = {force->coordinate, mbs_second_coordinate(force)}};
  mbs_builder_add_touch(builder, force, &touch);
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  clutch_data *data = numbers;
  const double teeth = mbs_read_number(binder, force->node, "teeth");
  data->ratio = mbs_read_number(binder, force->node, "ratio");
  data->pitch = mbs_full_turn / teeth;
  if (mbs_read_given(force->node, "teeth") && teeth != floor(teeth))
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(force->node, "teeth")->pointer,
                 "teeth must be a whole number, not %g", teeth);
}

/* The row of its touch acts. */
static void apply(mbs_system *system, const mbs_force *force, size_t index) { (void)system, (void)force, (void)index; }

const mbs_force_class mbs_force_one_way_clutch = {
    .base = {.name = "one-way-clutch",
             .doc = "A coordinate, or the difference of two, turns in one direction only; with teeth a ratchet.",
             .equation = "x = qa - n qb, w = x' >= 0, torque >= 0, torque w = 0\n"
                         "with teeth: x >= the last multiple of 2 pi/z that x has passed",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = 1,
    .outputs = "torque",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(clutch_data),
    .apply = apply,
};
