/* Dry friction of contacts: against relative rolling and spin, and for compliant ones along the surface. The normal
 * force of a compliant contact is that of its depth, which no friction changes at the instant. */
#include "base/rotation.h"
#include "elements/forces/contact.h"

#include <math.h>

/* Returns the place of a touch: of a compliant contact, or of the touch that carries it. */
static mbs_contact_place place_of(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const size_t k = (size_t)touch->number;
  if (touch->carrier) return mbs_contact_rigid_place(system, &system->model->touches[touch->carrier - 1]);
  return mbs_contact_compliant_place(system, force, k);
}

void mbs_contact_surface_row(mbs_system *system, const mbs_touch *touch, const mbs_contact_place *place, int number,
                             mbs_custom_row *out) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_slip_direction slip = {.p = place->p,
                                   .u = mbs_contact_across(system, touch->joint.frames.body1, place, number)};
  mbs_slip_row(system, &touch->joint, &slip, out);
  for (size_t k = 0; k < force->law_count; k++) {
    const mbs_moving axis = mbs_contact_belt_axis(system, force, (size_t)touch->number, k, place);
    /* of s axis.u; its derivative is s' axis.u + s (axis.u)' */
    mbs_friction_subtract_belt(system, &force->laws[k], mbs_dot(axis.at, slip.u.at), out);
    out->bias -=
        mbs_law_value(system, &force->laws[k]) * (mbs_dot(axis.rate, slip.u.at) + mbs_dot(axis.at, slip.u.rate));
  }
}

const mbs_dry_friction *mbs_contact_surface_law(const mbs_system *system, const mbs_touch *touch) {
  return &((const mbs_contact_data *)mbs_force_data(system, mbs_touch_force(system, touch)))->dry;
}

/* ---- turning ------------------------------------------------------------------------------------------------- */

/* The relative angular velocity about an axis of the point, times the length r of the friction. So the friction is N
 * times 1, and its moment N r. */
static void turning_row(mbs_system *system, const mbs_touch *touch, bool spins, int number, mbs_custom_row *out) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_place place = place_of(system, touch);
  mbs_moving e = {.at = {0, 0, 1}};
  if (spins)
    e = place.n;
  else if (system->model->dim == 3)
    e = mbs_contact_across(system, touch->joint.frames.body1, &place, number);
  mbs_turn_row(system, &touch->joint, &e, data->turning[spins], out);
}

static void rolling_row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  (void)side;
  turning_row(system, touch, false, number, out);
}

static void spinning_row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  (void)side;
  turning_row(system, touch, true, number, out);
}

static const mbs_dry_friction *turning_law(const mbs_system *system, const mbs_touch *touch) {
  static const mbs_dry_friction law = {.mu_static = 1, .mu_dynamic = 1, .exponent = 1};
  (void)system, (void)touch;
  return &law;
}

/* ---- surfaces of compliant contacts -------------------------------------------------------------------------- */

static double load(const mbs_system *system, const mbs_touch *touch) {
  return mbs_contact_compliant_load(system, mbs_touch_force(system, touch), (size_t)touch->number);
}

static bool idle(const mbs_system *system, const mbs_touch *touch) {
  return mbs_contact_is_idle(system, mbs_touch_force(system, touch), (size_t)touch->number);
}

static void surface_row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  const mbs_contact_place place =
      mbs_contact_rubbing_place(system, mbs_touch_force(system, touch), (size_t)touch->number);
  (void)side;
  mbs_contact_surface_row(system, touch, &place, number, out);
}

/* Adds the friction of a point to the outputs, which have its normal force. */
static void show_surface(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_contact_points *self = force->structure;
  const mbs_contact_place place = place_of(system, touch);
  double *out = system->outputs + force->first_output;
  const double slip = mbs_slip_shown(state->slip, touch->tangents);
  if (!(state->N > 0)) return;
  out[MBS_CONTACT_FRICTION] += mbs_slip_shown(state->T, touch->tangents);
  if (fabs(slip) > fabs(out[MBS_CONTACT_SLIP])) out[MBS_CONTACT_SLIP] = slip;
  out[MBS_CONTACT_STICKING] = state->friction == MBS_STICKS;
  for (int c = 0; c < touch->tangents; c++) {
    const mbs_moving u = mbs_contact_across(system, touch->joint.frames.body1, &place, c);
    for (int k = 0; k < system->model->dim; k++)
      out[MBS_CONTACT_FX + k] += self->points[touch->number].sign * state->T[c] * u.at[k];
  }
}

/* ---- building ------------------------------------------------------------------------------------------------ */

/* Of a point that carries them, and of a compliant contact. */
static const mbs_touch_class turning[2][MBS_TURNINGS] = {
    {{.row = rolling_row, .friction = turning_law}, {.row = spinning_row, .friction = turning_law}},
    {{.row = rolling_row, .load = load, .idle = idle, .friction = turning_law},
     {.row = spinning_row, .load = load, .idle = idle, .friction = turning_law}}};
static const mbs_touch_class surface = {
    .row = surface_row, .load = load, .idle = idle, .friction = mbs_contact_surface_law, .show = show_surface};

mbs_touch mbs_contact_touch(const mbs_builder *builder, const mbs_force *force, const mbs_contact_points *self,
                            size_t k) {
  const int target = force->bodies[self->points[k].target], round = force->bodies[self->points[k].round];
  const int low = target < round ? target : round, high = target < round ? round : target;
  return (mbs_touch){
      .joint = {.frames = {.body1 = target, .body2 = round, .point1 = -1, .point2 = -1, .vector1 = -1, .vector2 = -1}},
      .of_joint = -1,
      .number = (int)k,
      .pair = low * (int)(builder->model->nB + 1) + high,
      .coordinate = {-1, -1}};
}

void mbs_contact_add_turning(mbs_builder *builder, const mbs_node *node, mbs_force *force, const mbs_touch *point,
                             int carrier) {
  for (int kind = 0; kind < MBS_TURNINGS; kind++) {
    mbs_touch touch = *point;
    if (!mbs_read_if_known(node, mbs_turning_fields[kind])->given) continue;
    touch.cls = &turning[carrier == 0][kind];
    touch.sides = 0;
    touch.tangents = kind == MBS_ROLLING ? builder->model->dim - 1 : 1;
    touch.carrier = carrier;
    mbs_builder_add_touch(builder, force, &touch);
  }
}

void mbs_contact_add_dry_friction(mbs_builder *builder, const mbs_node *node, mbs_force *force,
                                  const mbs_contact_points *self) {
  const mbs_node *friction = mbs_contact_friction_of(node);
  for (size_t k = 0; k < self->count; k++) {
    mbs_touch touch = mbs_contact_touch(builder, force, self, k);
    touch.cls = &surface;
    touch.pair = -1;
    touch.tangents = builder->model->dim - 1;
    if (friction && mbs_friction_is_dry(friction)) mbs_builder_add_touch(builder, force, &touch);
    mbs_contact_add_turning(builder, node, force, &touch, 0);
  }
}
