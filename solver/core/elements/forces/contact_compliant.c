/* Compliant contact: N of the depth at each point, with a smooth friction. */
#include "base/rotation.h"
#include "elements/forces/contact.h"
#include "equations/near.h"

#include <math.h>

enum {
  TOUCHING = MBS_CONTACT_TOUCHING,
  PRESSING = MBS_CONTACT_PRESSING,
  SWITCHES = MBS_CONTACT_SWITCHES,
  APPROACH = MBS_CONTACT_APPROACH,
  SIDE = MBS_CONTACT_HELD,
  MEMORY = MBS_CONTACT_MEMORY
};

/* ---- geometry and law ---------------------------------------------------------------------------------------- */

typedef struct contact_state {
  mbs_contact_place place;
  int target, round;  /* bodies */
  double depth, rate; /* d, d' */
  double slip[3];     /* velocity of the round part's surface along the target's */
  double belt[3];     /* velocity of the target's surface as a belt, along the surface */
} contact_state;

/* Computes the velocity of a body's material point at p. */
static void velocity_at(const mbs_system *system, int body, const double p[3], double out[3]) {
  mbs_rigid_motion motion;
  double arm[3];
  system->model->kernels->motion(system, body, &motion);
  for (int k = 0; k < 3; k++) {
    arm[k] = p[k] - motion.r[k];
    out[k] = motion.v[k];
  }
  mbs_add_cross(motion.w, arm, out);
}

/* Computes the velocity of the target's surface as a belt, without its part along the normal. */
static void find_belt(const mbs_system *system, const mbs_force *force, size_t point, const mbs_contact_place *place,
                      double out[3]) {
  for (size_t k = 0; k < force->law_count; k++) {
    const mbs_moving axis = mbs_contact_belt_axis(system, force, point, k, place);
    const double speed = mbs_law_value(system, &force->laws[k]), along = mbs_dot(axis.at, place->n.at);
    for (int i = 0; i < 3; i++) out[i] += speed * (axis.at[i] - along * place->n.at[i]);
  }
}

/* Computes the depth, its rate and the slip of a point at its place. theory (7.6), (7.7) */
static contact_state state_at(const mbs_system *system, const mbs_force *force, size_t k,
                              const mbs_contact_place *place) {
  const mbs_contact_points *self = force->structure;
  contact_state c = {
      .place = *place, .target = force->bodies[self->points[k].target], .round = force->bodies[self->points[k].round]};
  double v1[3], v2[3];
  c.depth = -c.place.room;
  velocity_at(system, c.target, c.place.p.at, v1);
  velocity_at(system, c.round, c.place.p.at, v2);
  for (int i = 0; i < 3; i++) c.slip[i] = v2[i] - v1[i];
  /* d' = -n.(v_2 - v_1), slip = v_2 - v_1 + d' n */
  c.rate = -mbs_dot(c.place.n.at, c.slip);
  for (int i = 0; i < 3; i++) c.slip[i] += c.rate * c.place.n.at[i];
  find_belt(system, force, k, &c.place, c.belt);
  for (int i = 0; i < 3; i++) c.slip[i] -= c.belt[i];
  return c;
}

bool mbs_contact_is_touching(const mbs_system *system, const mbs_force *force, size_t k) {
  return system->mode_held[(size_t)force->mode0 + k * SWITCHES + TOUCHING] != 0;
}

static int held_edges(const mbs_system *system, const mbs_force *force, size_t k) {
  return system->settled && mbs_contact_is_touching(system, force, k)
             ? (int)system->memory[(size_t)force->memory0 + k * MEMORY + SIDE]
             : 0;
}

/* Returns the side of a segment at which a shape is. A bar on the line of a segment is to the left of the first one. */
static int choose_side(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_point *point = &((const mbs_contact_points *)force->structure)->points[k];
  const int side = mbs_contact_shape_side(system, force->bodies[point->target], &data->shapes[point->target],
                                          force->bodies[point->round], &data->shapes[point->round]);
  return side != 0 ? side : point->sign > 0 ? -1 : 1;
}

/* Returns the pair of edges of a point of edges, or the side of a sharp part at a segment; 0 for other points. */
static int side_of(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_points *self = force->structure;
  const mbs_contact_point *point = &self->points[k];
  if (mbs_contact_sided_of(system, force, k))
    return system->settled ? (int)system->memory[(size_t)force->memory0 + k * MEMORY + SIDE]
                           : choose_side(system, force, k);
  if (!mbs_contact_point_is_edge(self, point)) return 0;
  const int held = held_edges(system, force, k);
  return held > 0 ? held : mbs_contact_side_of(system, force, k, held_edges);
}

/* Computes point k. Where other points touch in its place, its room is the distance from there. */
mbs_contact_place mbs_contact_compliant_place(const mbs_system *system, const mbs_force *force, size_t k) {
  const int side = side_of(system, force, k);
  mbs_contact_place place = mbs_contact_place_of(system, force, k, side);
  const double away = mbs_contact_beside_of(system, force, k, side, true);
  if (away > 0) place.room = fmax(place.room, away);
  return place;
}

static contact_state state_of(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_place place = mbs_contact_compliant_place(system, force, k);
  return state_at(system, force, k, &place);
}

mbs_contact_place mbs_contact_rubbing_place(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_point *point = &((const mbs_contact_points *)force->structure)->points[k];
  const mbs_contact_shape *round = &((const mbs_contact_data *)mbs_force_data(system, force))->shapes[point->round];
  mbs_contact_place place = mbs_contact_compliant_place(system, force, k);
  const bool sharp = round->kind == MBS_CONTACT_DISC && round->radius == 0; /* points of a body are like corners */
  if ((round->kind == MBS_CONTACT_DISC && !sharp) || (round->kind == MBS_CONTACT_ARC && point->number == 0))
    return place;
  const contact_state c = state_at(system, force, k, &place);
  /* p + d n */
  for (int i = 0; i < 3; i++) {
    place.p.at[i] += c.depth * place.n.at[i];
    place.p.rate[i] += c.rate * place.n.at[i] + c.depth * place.n.rate[i];
  }
  return place;
}

static double approach_of(const mbs_contact_data *data, const contact_state *c) {
  return fmax(c->rate, data->least_approach);
}

double mbs_contact_creep(const mbs_system *system, const mbs_force *force, double *transition) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  double largest = 0;
  for (size_t n = 0; n < mbs_near_count(system, force) && data->rubs; n++) {
    const size_t k = mbs_near_point(system, force, n);
    const mbs_contact_place place = mbs_contact_compliant_place(system, force, k);
    if (!(place.room < 0)) continue;
    const contact_state c = state_at(system, force, k, &place);
    largest = fmax(largest, mbs_friction_creep(&data->friction, sqrt(mbs_dot(c.slip, c.slip)), transition));
  }
  return largest;
}

/* Adds a force on a body at the global point p, sign times f. */
static void push_at(mbs_system *system, int body, const double p[3], const double f[3], double sign) {
  static const double centre[3];
  mbs_rigid_motion motion;
  double arm[3], push[3], turn[3];
  system->model->kernels->motion(system, body, &motion);
  for (int k = 0; k < 3; k++) {
    arm[k] = p[k] - motion.r[k];
    push[k] = sign * f[k];
  }
  mbs_apply_force(system, body, centre, push);
  mbs_cross(arm, push, turn);
  mbs_twist(system, body, turn);
}

/* Returns the normal force of a point. */
static double normal_force(const mbs_system *system, const mbs_force *force, size_t k, const contact_state *c) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  if (!system->settled) return fmax(mbs_one_sided_force(&data->law, c->depth, c->rate, mbs_unseen_approach), 0);
  const double approach = system->memory[(size_t)force->memory0 + k * MEMORY + APPROACH];
  const bool pressing = system->mode_held[(size_t)force->mode0 + k * SWITCHES + PRESSING] != 0;
  return pressing ? mbs_one_sided_force(&data->law, c->depth, c->rate, approach) : 0;
}

static bool is_touching(const mbs_system *system, const mbs_force *force, size_t k, const mbs_contact_place *place) {
  return system->settled ? mbs_contact_is_touching(system, force, k) : place->room < 0;
}

double mbs_contact_compliant_load(const mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_place place = mbs_contact_compliant_place(system, force, k);
  if (!is_touching(system, force, k, &place)) return 0;
  const contact_state c = state_at(system, force, k, &place);
  return fmax(normal_force(system, force, k, &c), 0);
}

bool mbs_contact_is_idle(const mbs_system *system, const mbs_force *force, size_t k) {
  const double *mode = system->mode_held + force->mode0 + k * SWITCHES;
  if (!system->settled) return mbs_contact_compliant_load(system, force, k) == 0;
  return mode[TOUCHING] == 0 || mode[PRESSING] == 0;
}

static void apply_point(mbs_system *system, const mbs_force *force, size_t k) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  if (system->settled && !mbs_contact_is_touching(system, force, k)) return;
  const mbs_contact_place place = mbs_contact_compliant_place(system, force, k);
  double *out = system->outputs + force->first_output;
  if (!is_touching(system, force, k, &place)) return;
  const contact_state c = state_at(system, force, k, &place);
  const double N = normal_force(system, force, k, &c), slip = sqrt(mbs_dot(c.slip, c.slip));
  double F = 0, f[3];
  /* F = N mu(slip), f = N n - F slip / norm(slip) */
  if (data->rubs && slip > 0) F = N * mbs_friction_coefficient(&data->friction, slip);
  for (int i = 0; i < 3; i++) f[i] = N * c.place.n.at[i] - (slip > 0 ? F / slip * c.slip[i] : 0);
  out[MBS_CONTACT_FORCE] += N;
  out[MBS_CONTACT_FRICTION] += F;
  if (data->rubs || force->touch0 < 0) out[MBS_CONTACT_SLIP] = fmax(out[MBS_CONTACT_SLIP], slip);
  for (int i = 0; i < system->model->dim; i++) out[MBS_CONTACT_FX + i] += self->points[k].sign * f[i];
  push_at(system, c.round, c.place.p.at, f, 1);
  push_at(system, c.target, c.place.p.at, f, -1);
  mbs_one_sided_power(system, &data->law, c.depth, c.rate, N);
  /* P_diss = F slip; the belt works */
  system->power_dissipated += F * slip;
  if (F != 0) system->power_work -= F / slip * mbs_dot(c.slip, c.belt);
}

void mbs_contact_apply(mbs_system *system, const mbs_force *force, size_t index) {
  if (force->points == 0) return; /* rigid: its touches act */
  mbs_contact_clear_outputs(system, force);
  system->outputs[force->first_output + MBS_CONTACT_GAP] = 0; /* not known */
  if (!system->settled) mbs_near_update(system);
  for (size_t n = 0; n < mbs_near_count(system, force); n++)
    apply_point(system, force, mbs_near_point(system, force, n));
  if (system->near->measured[index]) mbs_contact_measure(system, force);
}

/* ---- beginning and end --------------------------------------------------------------------------------------- */

/* Returns a number with the sign of the normal force of the law. */
static double pressure(const mbs_system *system, const mbs_force *force, size_t k, const contact_state *c) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  return mbs_one_sided_pressure(&data->law, c->depth, c->rate,
                                system->memory[(size_t)force->memory0 + k * MEMORY + APPROACH]);
}

/* Sets the mode PRESSING for a contact that begins or exists; without contact it has no meaning. */
static void set_pressing(mbs_system *system, const mbs_force *force, size_t k, const contact_state *c) {
  system->mode_held[(size_t)force->mode0 + k * SWITCHES + PRESSING] = pressure(system, force, k, c) >= 0;
}

const char *mbs_contact_settle(mbs_system *system, const mbs_force *force, size_t k) {
  double *memory = system->memory + (size_t)force->memory0 + k * MEMORY;
  const mbs_contact_data *data = mbs_force_data(system, force);
  memory[SIDE] = mbs_contact_sided_of(system, force, k) ? choose_side(system, force, k) : side_of(system, force, k);
  memory[APPROACH] = mbs_unseen_approach;
  const contact_state c = state_of(system, force, k);
  system->mode_held[(size_t)force->mode0 + k * SWITCHES + TOUCHING] = c.depth > 0;
  set_pressing(system, force, k, &c);
  if (!(c.depth > 0)) return NULL;
  return data->law.share > 0 ? "in contact at the start: no restitution until it ends" : "in contact at the start";
}

const char *mbs_contact_warn(const mbs_system *system, const mbs_force *force) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  if (system->model->type != MBS_DYNAMICS || !system->settled || data->law.share == 0) return NULL;
  for (size_t n = 0; n < mbs_near_count(system, force) && force->points > 0; n++) {
    const size_t k = mbs_near_point(system, force, n);
    if (mbs_contact_is_touching(system, force, k) &&
        system->memory[(size_t)force->memory0 + k * MEMORY + APPROACH] == mbs_unseen_approach)
      return "it overlaps at the start, where the speed of approach is unknown: 'restitution' has no effect, and the "
             "contact no damping, until it has opened once; start without overlap, or use a law with 'damping'";
  }
  return NULL;
}

void mbs_contact_margins(const mbs_system *system, const mbs_force *force, size_t k, double *out) {
  const mbs_contact_place place = mbs_contact_compliant_place(system, force, k);
  const double *mode = system->mode_held + force->mode0 + k * SWITCHES;
  const double sign = mode[PRESSING] != 0 ? 1 : -1;
  out[TOUCHING] = mode[TOUCHING] != 0 ? -place.room : place.room;
  out[PRESSING] = INFINITY; /* no event while it does not touch */
  if (mode[TOUCHING] == 0) return;
  const contact_state c = state_at(system, force, k, &place);
  out[PRESSING] = sign * pressure(system, force, k, &c);
}

/* The side of a sharp part at a segment changes where it comes round an end of the segment: near, at an event. */
void mbs_contact_accepted(mbs_system *system, const mbs_force *force) {
  const mbs_contact_points *self = force->structure;
  for (size_t i = 0; i < self->sided_count && force->points > 0; i++) {
    const size_t k = (size_t)self->sided[i];
    double *side = system->memory + (size_t)force->memory0 + k * MEMORY + SIDE;
    if (!mbs_near_has(system, force, k) && mbs_contact_round_of(system, force, k, (int)*side)) *side = -*side;
  }
}

const char *mbs_contact_event(mbs_system *system, const mbs_force *force, size_t which) {
  const size_t k = which / SWITCHES;
  double *mode = system->mode_held + force->mode0 + which,
         *memory = system->memory + (size_t)force->memory0 + k * MEMORY;
  if (which % SWITCHES == TOUCHING && *mode == 0 && mbs_contact_sided_of(system, force, k) &&
      mbs_contact_round_of(system, force, k, (int)memory[SIDE])) {
    memory[SIDE] = -memory[SIDE];
    return NULL;
  }
  const contact_state c = state_of(system, force, k);
  const int side = side_of(system, force, k);
  *mode = 1 - *mode;
  if (which % SWITCHES == PRESSING) return NULL; /* the force is continuous */
  if (*mode == 0) return "contact ends";
  memory[APPROACH] = approach_of(mbs_force_data(system, force), &c);
  memory[SIDE] = side;
  set_pressing(system, force, k, &c);
  return "contact begins";
}
