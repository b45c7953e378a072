/* Limits of the coordinates of a joint. They are force elements that the builder adds for the field `limits` of a
 * joint: rigid ones are touches with two sides, compliant ones a spring and a damper that never pull:
 *
 *     x = lower - q, or q - upper     F = max(0, K x^n + c x')     on the coordinate: F at lower, -F at upper */
#include "elements/joints/joint.h"

#include "elements/forces/coordinate_row.h"
#include "elements/forces/force.h"
#include "equations/input.h"
#include "equations/touches.h"

#define BOUND(NAME, DOC)                                                                                        \
  {                                                                                                             \
    .name = NAME, .kind = MBS_KIND_NUMBER, .min_count = 1, .max_count = MBS_COORDINATES_MAX, .or_single = true, \
    .nullable = true, .fallback = NAN, .unit = "m or rad", .doc = DOC                                           \
  }
static const mbs_field fields[] = {
    BOUND("lower", "lower limit; of a joint with several coordinates a list, in which null is no limit"),
    BOUND("upper", "upper limit, likewise"),
    {.name = "restitution",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = 1,
     .doc = "e of a rigid limit: the coordinate leaves with e times the speed at which it arrived"},
    {.name = "stiffness",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .doc = "K of a compliant limit [N/m^n or N m/rad^n]; default: the limit is rigid"},
    {.name = "damping",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .doc = "c of a compliant limit"},
    {.name = "exponent", .kind = MBS_KIND_NUMBER, .fallback = 1, .low = 1, .high = 10, .doc = "n of a compliant limit"},
    MBS_FORCE_END};

const mbs_class mbs_joint_limits_class = {
    .name = "limits",
    .doc = "Limits of the coordinates of a joint: rigid, or compliant if they have a stiffness. The joint's outputs "
           "`limit`, `limit2`, .. are their forces along the coordinates, positive at the lower limit.",
    .fields = fields};

typedef struct limit_data {
  double bound[MBS_COORDINATES_MAX][2]; /* NaN: none */
  double restitution, stiffness, damping, exponent;
} limit_data;

/* Speed below which a rigid limit closes without restitution [m/s or rad/s]. Source: the document format. */
static const double least_approach = 1e-4;

/* ---- rigid --------------------------------------------------------------------------------------------------- */

/* The row is the coordinate minus the limit of the side; without a limit there is room at any position. */
static void row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  const limit_data *data = mbs_force_data(system, mbs_touch_force(system, touch));
  const double bound = data->bound[touch->number][side];
  (void)number;
  mbs_add_coordinate_row(system, touch, touch->coordinate[0], 1, out);
  if (isnan(bound))
    out->value = side ? -1 : 1;
  else
    out->value -= bound;
}

static double restitution(const mbs_system *system, const mbs_touch *touch, double *least) {
  *least = least_approach;
  return ((const limit_data *)mbs_force_data(system, mbs_touch_force(system, touch)))->restitution;
}

static void show(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  system->outputs[mbs_touch_force(system, touch)->first_output + touch->number] =
      state->closed ? (state->side ? -state->N : state->N) : 0;
}

static const mbs_touch_class rigid_limit = {.row = row,
                                            .restitution = restitution,
                                            .show = show,
                                            .begins = "limit reached",
                                            .ends = "limit left",
                                            .impact = "limit reached"};

/* ---- building ------------------------------------------------------------------------------------------------ */

static bool is_rigid(const mbs_node *node) { return !mbs_read_given(node, "stiffness"); }

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_joint *joint = &builder->model->joints[force->of_joint];
  const size_t count = joint->shape->coordinate_count;
  bool good = force->frames.body1 >= 0 && force->frames.body2 >= 0;
  force->points = is_rigid(node) ? 0 : 2 * count;
  for (int side = 0; side < 2; side++) {
    const mbs_value *value = mbs_read_value(node, side ? "upper" : "lower");
    if (!value->given || value->count <= count) continue;
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, value->pointer, "a %s joint has %zu coordinate%s to limit, not %zu",
                 joint->cls->base.name, count, count == 1 ? "" : "s", value->count);
    good = false;
  }
  for (size_t k = 0; k < count && good; k++)
    if (joint->shape->coordinates[k].primitive == MBS_PRIMITIVE_EULER) {
      mbs_diagnose(builder->list, MBS_UNKNOWN_FIELD, node->pointer,
                   "the rotation of a %s joint has no coordinate to limit; use an expression or a contact",
                   joint->cls->base.name);
      good = false;
    }
  if (!good) force->points = 0;
  for (size_t k = 0; k < count && good; k++) {
    const int coordinate =
        mbs_builder_add_primitive(builder, &joint->shape->coordinates[k], &force->frames, force->of_joint);
    if (k == 0) force->coordinate = coordinate;
    const mbs_touch touch = {.joint = {.frames = force->frames},
                             .cls = &rigid_limit,
                             .of_joint = force->of_joint,
                             .pair = -1,
                             .sides = 2,
                             .number = (int)k,
                             .coordinate = {coordinate, -1}};
    if (is_rigid(node)) mbs_builder_add_touch(builder, force, &touch);
  }
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  limit_data *data = numbers;
  const mbs_node *node = force->node;
  const size_t stand_ins = binder->stand_ins;
  for (int side = 0; side < 2; side++) {
    const char *name = side ? "upper" : "lower";
    const mbs_value *value = mbs_read_value(node, name);
    for (size_t k = 0; k < MBS_COORDINATES_MAX; k++) {
      const bool is_null = k < value->count && !value->scalars[k].text && isinf(value->scalars[k].number);
      data->bound[k][side] =
          k < value->count && !is_null ? mbs_read_item(binder, mbs_field_of(node, name), value, k) : NAN;
    }
  }
  for (size_t k = 0; k < MBS_COORDINATES_MAX; k++)
    if (data->bound[k][0] >= data->bound[k][1] && binder->stand_ins == stand_ins)
      mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "upper")->pointer,
                   "the upper limit (%g) must be above the lower one (%g)", data->bound[k][1], data->bound[k][0]);
  data->restitution = mbs_read_number(binder, node, "restitution");
  data->damping = mbs_read_number(binder, node, "damping");
  data->exponent = mbs_read_number(binder, node, "exponent");
  data->stiffness = is_rigid(node) ? 0 : mbs_read_number(binder, node, "stiffness");
  if (!is_rigid(node) && mbs_read_given(node, "restitution"))
    mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "restitution")->pointer,
                 "a compliant limit has no restitution; remove it, or remove stiffness for a rigid limit");
  for (int k = 0; k < 2 && is_rigid(node); k++)
    if (mbs_read_given(node, k ? "exponent" : "damping"))
      mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, k ? "exponent" : "damping")->pointer,
                   "'%s' needs a stiffness: without one the limit is rigid", k ? "exponent" : "damping");
}

/* ---- compliant ----------------------------------------------------------------------------------------------- */

/* Modes of a limit: the coordinate is beyond it, and the limit pushes, as its damper does not pull more. */
enum { BEYOND, PUSHING, SWITCHES };

static double read(const mbs_system *system, int coordinate, int level) {
  return mbs_input_value(system,
                         &(mbs_input){.kind = MBS_INPUT_PRIMITIVE, .index = coordinate, .level = level, .point = -1});
}

/* A limit: number 2 k is the lower one of coordinate k, 2 k + 1 the upper one. x, x': how far the
 * coordinate is beyond. */
typedef struct limit_state {
  double sign, x, rate;
  double elastic, F; /* K x^n, and K x^n + c x' */
} limit_state;

static limit_state state_of(const mbs_system *system, const mbs_force *force, size_t number) {
  const limit_data *data = mbs_force_data(system, force);
  const int k = (int)number / 2, coordinate = force->coordinate + k;
  limit_state at = {.sign = number % 2 ? -1 : 1};
  at.x = at.sign * (data->bound[k][number % 2] - read(system, coordinate, 0));
  at.rate = -at.sign * read(system, coordinate, 1);
  at.elastic = at.x > 0 ? data->stiffness * pow(at.x, data->exponent) : 0;
  at.F = at.elastic + data->damping * at.rate;
  return at;
}

static bool has_limit(const mbs_system *system, const mbs_force *force, size_t number) {
  return !isnan(((const limit_data *)mbs_force_data(system, force))->bound[number / 2][number % 2]);
}

static void apply(mbs_system *system, const mbs_force *force, size_t index) {
  const limit_data *data = mbs_force_data(system, force);
  (void)index;
  if (force->touch0 >= 0) return; /* rigid: its touches act */
  for (int k = 0; k < force->outputs; k++) system->outputs[force->first_output + k] = 0;
  for (size_t number = 0; number < force->points; number++) {
    if (!has_limit(system, force, number)) continue;
    const double *mode = system->mode_held + force->mode0 + number * SWITCHES;
    const limit_state at = state_of(system, force, number);
    const bool beyond = system->settled ? mode[BEYOND] != 0 : at.x > 0;
    if (!beyond) continue;
    const double F = (system->settled ? mode[PUSHING] != 0 : at.F > 0) ? at.F : 0;
    /* V = K x^(n + 1) / (n + 1);  P_diss = F x' - V' */
    system->potential_forces += at.elastic * at.x / (data->exponent + 1);
    system->power_dissipated += (F - at.elastic) * at.rate;
    system->outputs[force->first_output + (int)number / 2] += at.sign * F;
    mbs_apply_generalized_force(system, force->coordinate + (int)number / 2, at.sign * F);
  }
}

static void set_pushing(mbs_system *system, const mbs_force *force, size_t number) {
  system->mode_held[(size_t)force->mode0 + number * SWITCHES + PUSHING] = state_of(system, force, number).F >= 0;
}

static const char *settle(mbs_system *system, const mbs_force *force, size_t number) {
  const bool beyond = has_limit(system, force, number) && state_of(system, force, number).x > 0;
  system->mode_held[(size_t)force->mode0 + number * SWITCHES + BEYOND] = beyond;
  set_pushing(system, force, number);
  return beyond ? "limit reached" : NULL;
}

static void margins(const mbs_system *system, const mbs_force *force, size_t number, double *out) {
  const limit_data *data = mbs_force_data(system, force);
  const double *mode = system->mode_held + force->mode0 + number * SWITCHES;
  out[BEYOND] = out[PUSHING] = 1;
  if (!has_limit(system, force, number)) return;
  const limit_state at = state_of(system, force, number);
  out[BEYOND] = mode[BEYOND] != 0 ? at.x : -at.x;
  if (mode[BEYOND] != 0 && data->damping > 0) out[PUSHING] = (mode[PUSHING] != 0 ? 1 : -1) * at.F / data->stiffness;
}

static const char *event(mbs_system *system, const mbs_force *force, size_t which) {
  double *mode = system->mode_held + force->mode0 + which;
  *mode = 1 - *mode;
  if (which % SWITCHES == PUSHING) return NULL; /* the force is continuous */
  if (*mode == 0) return "limit left";
  set_pushing(system, force, which / SWITCHES);
  return "limit reached";
}

const mbs_force_class mbs_force_limit = {
    .base = {.name = "limits",
             .doc = "Limits of a joint's coordinates.",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = MBS_COORDINATES,
    .outputs = "limit|limit2|limit3|limit4|limit5|limit6|limit7",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(limit_data),
    .apply = apply,
    .own = {.switches = SWITCHES, .settle = settle, .margins = margins, .event = event},
};
