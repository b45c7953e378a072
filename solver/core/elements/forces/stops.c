#include "elements/forces/stops.h"

#include "elements/forces/force.h"

/* Speed below which a rigid stop closes without restitution [m/s or rad/s]. Source: the document format. */
static const double least_approach = 1e-4;

static const mbs_stops *numbers_of(const mbs_system *system, const mbs_force *force) {
  return mbs_force_data(system, force);
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

bool mbs_stops_rigid(const mbs_node *node) { return !mbs_read_given(node, "stiffness"); }

/* Reports a field that has no use. */
static void refuse(mbs_binder *binder, const mbs_node *node, const char *name, bool rigid) {
  const mbs_value *value = mbs_read_if_known(node, name);
  if (value->given)
    mbs_diagnose(binder->list, MBS_INVALID, value->pointer,
                 rigid ? "'%s' needs a stiffness: without one the stops are rigid"
                       : "stops with a stiffness have no %s; remove it, or remove the stiffness",
                 name);
}

void mbs_stops_numbers(mbs_binder *binder, const mbs_node *node, mbs_stops *stops) {
  const bool rigid = mbs_stops_rigid(node);
  stops->restitution = mbs_read_number(binder, node, "restitution");
  stops->law = (mbs_one_sided){.exponent = 1, .viscous = mbs_read_number(binder, node, "damping")};
  if (!rigid) stops->law.stiffness = mbs_read_number(binder, node, "stiffness");
  if (mbs_read_if_known(node, "exponent")->given) stops->law.exponent = mbs_read_number(binder, node, "exponent");
  if (!rigid) refuse(binder, node, "restitution", rigid);
  if (rigid) refuse(binder, node, "damping", rigid);
  if (rigid) refuse(binder, node, "exponent", rigid);
}

/* ---- rigid --------------------------------------------------------------------------------------------------- */

/* The row is x minus the bound of the side; without a bound there is room at any position. */
static void row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  const mbs_stops *stops = numbers_of(system, mbs_touch_force(system, touch));
  const double bound = stops->bound[touch->number][side];
  (void)number;
  mbs_add_pair_row(system, touch, stops->ratio, out);
  if (isnan(bound))
    out->value = side ? -1 : 1;
  else
    out->value -= bound;
}

static double restitution(const mbs_system *system, const mbs_touch *touch, double *least) {
  *least = least_approach;
  return numbers_of(system, mbs_touch_force(system, touch))->restitution;
}

static void show(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  system->outputs[mbs_touch_force(system, touch)->first_output + touch->number] =
      state->closed ? mbs_touch_signed(state, state->N) : 0;
}

const mbs_touch_class mbs_rigid_stops = {.row = row,
                                         .restitution = restitution,
                                         .show = show,
                                         .begins = "limit reached",
                                         .ends = "limit left",
                                         .impact = "limit reached"};

/* ---- compliant ----------------------------------------------------------------------------------------------- */

/* Modes of a stop. BEYOND: x is beyond the stop. PUSHING: the force of the stop is not negative, because its damper
 * does not pull more than its spring pushes. */
enum { BEYOND, PUSHING, SWITCHES };

/* A stop: number 2 k is the lower one of coordinate k, 2 k + 1 the upper one. */
typedef struct stop_state {
  double sign, depth, rate;
} stop_state;

static stop_state state_of(const mbs_system *system, const mbs_force *force, size_t number) {
  const mbs_stops *stops = numbers_of(system, force);
  const int k = (int)number / 2;
  stop_state at = {.sign = number % 2 ? -1 : 1};
  at.depth = at.sign * (stops->bound[k][number % 2] - mbs_pair_value(system, force, k, stops->ratio, 0));
  at.rate = -at.sign * mbs_pair_value(system, force, k, stops->ratio, 1);
  return at;
}

static double force_at(const mbs_system *system, const mbs_force *force, const stop_state *at) {
  return mbs_one_sided_force(&numbers_of(system, force)->law, at->depth, at->rate, mbs_unseen_approach);
}

static bool has_bound(const mbs_system *system, const mbs_force *force, size_t number) {
  return !isnan(numbers_of(system, force)->bound[number / 2][number % 2]);
}

void mbs_stops_apply(mbs_system *system, const mbs_force *force, size_t index) {
  const mbs_stops *stops = numbers_of(system, force);
  (void)index;
  if (force->touch0 >= 0) return; /* rigid: its touches act */
  for (size_t number = 0; number < force->points; number++) {
    const int k = (int)number / 2;
    double *out = &system->outputs[force->first_output + k];
    if (number % 2 == 0) *out = 0;
    if (!has_bound(system, force, number)) continue;
    const double *mode = system->mode_held + force->mode0 + number * SWITCHES;
    const stop_state at = state_of(system, force, number);
    if (!(system->settled ? mode[BEYOND] != 0 : at.depth > 0)) continue;
    double F = force_at(system, force, &at);
    if (!(system->settled ? mode[PUSHING] != 0 : F > 0)) F = 0;
    mbs_one_sided_power(system, &stops->law, at.depth, at.rate, F);
    *out += at.sign * F;
    mbs_apply_pair_force(system, force, k, stops->ratio, at.sign * F);
  }
}

static void set_pushing(mbs_system *system, const mbs_force *force, size_t number) {
  const stop_state at = state_of(system, force, number);
  system->mode_held[(size_t)force->mode0 + number * SWITCHES + PUSHING] = force_at(system, force, &at) >= 0;
}

const char *mbs_stops_settle(mbs_system *system, const mbs_force *force, size_t number) {
  const bool beyond = has_bound(system, force, number) && state_of(system, force, number).depth > 0;
  system->mode_held[(size_t)force->mode0 + number * SWITCHES + BEYOND] = beyond;
  set_pushing(system, force, number);
  return beyond ? "limit reached" : NULL;
}

void mbs_stops_margins(const mbs_system *system, const mbs_force *force, size_t number, double *out) {
  const mbs_one_sided *law = &numbers_of(system, force)->law;
  const double *mode = system->mode_held + force->mode0 + number * SWITCHES;
  out[BEYOND] = out[PUSHING] = 1;
  if (!has_bound(system, force, number)) return;
  const stop_state at = state_of(system, force, number);
  out[BEYOND] = mode[BEYOND] != 0 ? at.depth : -at.depth;
  if (mode[BEYOND] == 0) return;
  out[PUSHING] = (mode[PUSHING] != 0 ? 1 : -1) * mbs_one_sided_pressure(law, at.depth, at.rate, mbs_unseen_approach);
}

const char *mbs_stops_event(mbs_system *system, const mbs_force *force, size_t which) {
  double *mode = system->mode_held + force->mode0 + which;
  *mode = 1 - *mode;
  if (which % SWITCHES == PUSHING) return NULL; /* the force is continuous */
  if (*mode == 0) return "limit left";
  set_pushing(system, force, which / SWITCHES);
  return "limit reached";
}
