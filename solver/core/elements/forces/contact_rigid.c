/* Rigid contact: the touches of its points, and those of its rolling and spinning friction. */
#include "base/rotation.h"
#include "elements/forces/contact.h"
#include "elements/forces/contact_rims.h"
#include "equations/touches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the touch is one of a segment with two sides. */
static bool sided(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_shape *target =
      &data->shapes[((const mbs_contact_points *)force->structure)->points[touch->number].target];
  return target->kind == MBS_CONTACT_POLYGON && target->count == 2;
}

/* Returns the side or face at which a touch is. A circle that touches a segment is where its centre is, so it may roll
 * round an end; while it is open the side is remembered, so no step passes through the segment. */
static int side_of(const mbs_system *system, const mbs_touch *touch) {
  const mbs_touch_state *state = &system->touches->at[touch - system->model->touches];
  const bool sharp = mbs_contact_sided_of(system, mbs_touch_force(system, touch), (size_t)touch->number);
  return state->closed && !sharp && sided(system, touch) ? 0 : state->face;
}

/* Returns the distance by which a point is where others touch; negative: it may touch. */
static double beside(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_touch_state *state = &system->touches->at[touch - system->model->touches];
  return mbs_contact_beside_of(system, force, (size_t)touch->number, side_of(system, touch), state->closed);
}

mbs_contact_place mbs_contact_rigid_place(const mbs_system *system, const mbs_touch *touch) {
  return mbs_contact_place_of(system, mbs_touch_force(system, touch), (size_t)touch->number, side_of(system, touch));
}

/* Returns the room of a touch: while it is open, also the distance by which its corner is beside the face. */
static double room_of(const mbs_system *system, const mbs_touch *touch, const mbs_contact_place *place) {
  if (system->touches->at[touch - system->model->touches].closed) return place->room;
  const double away = beside(system, touch);
  return away > 0 ? fmax(away, place->room) : place->room;
}

/* The normal row, then the directions across it. theory (7.23) */
static void row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  const mbs_contact_place place = mbs_contact_rigid_place(system, touch);
  (void)side;
  if (number == 0) out->value = room_of(system, touch, &place);
  if (!out->D) return;
  if (number > 0) {
    mbs_contact_surface_row(system, touch, &place, number - 1, out);
    return;
  }
  const mbs_slip_direction slip = {.p = place.p, .u = place.n};
  mbs_slip_row(system, &touch->joint, &slip, out);
}

/* Returns the pair of edges at which a point of edges touches. */
static int held_edges(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_points *self = force->structure;
  const mbs_touch_state *state = &system->touches->at[(size_t)force->touch0 + k * self->touches];
  return state->closed ? state->face : 0;
}

/* Returns true for the circle of an arc. Its middle is free, so it may pass through a segment. */
static bool is_circle_of_arc(const mbs_force *force, size_t k) {
  const mbs_contact_points *self = force->structure;
  return self->shapes[self->points[k].round].kind == MBS_CONTACT_ARC && self->points[k].number == 0;
}

static int face(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const int before = system->touches->at[touch - system->model->touches].face;
  if (before != 0 && mbs_contact_sided_of(system, force, (size_t)touch->number) &&
      !mbs_contact_round_of(system, force, (size_t)touch->number, before))
    return before;
  if (is_circle_of_arc(force, (size_t)touch->number) && sided(system, touch)) return 0;
  const int side = mbs_contact_side_of(system, force, (size_t)touch->number, held_edges);
  if (side != 0 || !sided(system, touch)) return side;
  /* a bar that lies on a segment stays on its side; at the start it is to the left of the first shape */
  const double sign = ((const mbs_contact_points *)force->structure)->points[touch->number].sign;
  return before != 0 ? before : sign > 0 ? -1 : 1;
}

static double restitution(const mbs_system *system, const mbs_touch *touch, double *least) {
  const mbs_contact_data *data = mbs_force_data(system, mbs_touch_force(system, touch));
  *least = data->least_approach;
  return data->restitution;
}

/* Returns true if the element has closed points and all of them stick. */
static bool all_stick(const mbs_system *system, const mbs_force *force) {
  bool any = false;
  for (size_t i = (size_t)force->touch0; i < system->model->touch_count; i++) {
    const mbs_touch_state *state = &system->touches->at[i];
    if (mbs_touch_force(system, &system->model->touches[i]) != force) break;
    if (system->model->touches[i].carrier || !state->closed) continue;
    if (state->friction != MBS_STICKS) return false;
    any = true;
  }
  return any;
}

/* Adds a point to the outputs; its friction has a sign in the plane. */
static void show(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  const mbs_force *force = mbs_touch_force(system, touch);
  const mbs_contact_points *self = force->structure;
  const double sign = self->points[touch->number].sign;
  double *out = system->outputs + force->first_output;
  if (touch->number == 0) {
    mbs_contact_clear_outputs(system, force);
    out[MBS_CONTACT_STICKING] = all_stick(system, force);
  }
  const mbs_contact_place place = mbs_contact_rigid_place(system, touch);
  const double room = room_of(system, touch, &place);
  out[MBS_CONTACT_GAP] = fmin(out[MBS_CONTACT_GAP], room);
  out[MBS_CONTACT_PENETRATION] = fmax(out[MBS_CONTACT_PENETRATION], fmax(-room, 0));
  if (!state->closed) return;
  const double slip = mbs_slip_shown(state->slip, touch->tangents);
  double f[3];
  out[MBS_CONTACT_FORCE] += state->N;
  out[MBS_CONTACT_FRICTION] += mbs_slip_shown(state->T, touch->tangents);
  if (fabs(slip) > fabs(out[MBS_CONTACT_SLIP])) out[MBS_CONTACT_SLIP] = slip;
  for (int k = 0; k < 3; k++) f[k] = state->N * place.n.at[k];
  for (int c = 0; c < touch->tangents; c++) {
    const mbs_moving u = mbs_contact_across(system, touch->joint.frames.body1, &place, c);
    for (int k = 0; k < 3; k++) f[k] += state->T[c] * u.at[k];
  }
  for (int k = 0; k < system->model->dim; k++) out[MBS_CONTACT_FX + k] += sign * f[k];
}

/* Returns true for a point that moves along a rim. */
static bool moves(const mbs_system *system, const mbs_touch *touch) {
  const mbs_contact_points *self = mbs_touch_force(system, touch)->structure;
  const mbs_contact_point *point = &self->points[touch->number];
  const mbs_contact_kind target = self->shapes[point->target].kind, round = self->shapes[point->round].kind;
  return mbs_contact_is_rim(target, round, point->number) ||
         (round == MBS_CONTACT_CYLINDER && point->number / 2 == MBS_RIM_LOWEST);
}

static const mbs_touch_class rigid_contact = {.row = row,
                                              .sided = sided,
                                              .moves = moves,
                                              .friction = mbs_contact_surface_law,
                                              .restitution = restitution,
                                              .face = face,
                                              .beside = beside,
                                              .show = show,
                                              .begins = "contact begins",
                                              .ends = "contact ends",
                                              .impact = "impact"};

/* ---- building ------------------------------------------------------------------------------------------------ */

void mbs_contact_add_touches(mbs_builder *builder, const mbs_node *node, mbs_force *force, mbs_contact_points *self) {
  const mbs_model *model = builder->model;
  self->touches = 1;
  for (int kind = 0; kind < MBS_TURNINGS; kind++)
    self->touches += mbs_read_if_known(node, mbs_turning_fields[kind])->given;
  for (size_t k = 0; k < self->count; k++) {
    const mbs_contact_point *point = &self->points[k];
    mbs_touch touch = mbs_contact_touch(builder, force, self, k);
    touch.cls = &rigid_contact;
    touch.sides = 1;
    touch.tangents = mbs_contact_friction_of(node) ? model->dim - 1 : 0;
    if (self->shape_count > 2)
      touch.name =
          mbs_keep_text(builder, mbs_arena_format(builder->arena, "%s[%s,%s]", force->name,
                                                  self->shapes[point->sign > 0 ? point->target : point->round].name,
                                                  self->shapes[point->sign > 0 ? point->round : point->target].name));
    mbs_builder_add_touch(builder, force, &touch);
    mbs_contact_add_turning(builder, node, force, &touch, (int)model->touch_count);
  }
  force->touches_each = (int)self->touches;
}
