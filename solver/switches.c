/* Which branches of laws and elements belong to a state, and what becomes of them at an event. */
#include "switches.h"

static void set_state(mbs_system *system, double t, const double *q, const double *v) {
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  mbs_apply_forces(system); /* laws may read the outputs of others */
}

/* Laws with switches: those of functions of time, then those of force elements. NULL past the last one. */
typedef struct law_walk {
  size_t function, force, law;
  const char *name;
} law_walk;

static const mbs_law *next_law(const mbs_model *model, law_walk *walk) {
  walk->name = "";
  while (walk->function < model->function_count) {
    const mbs_law *law = model->functions[walk->function++].law;
    if (law && law->switches) return law;
  }
  for (; walk->force < model->force_count; walk->force++, walk->law = 0) {
    const mbs_force *force = &model->forces[walk->force];
    walk->name = force->name;
    while (walk->law < force->law_count) {
      const mbs_law *law = &force->laws[walk->law++];
      if (law->switches) return law;
    }
  }
  return NULL;
}

void mbs_switches_follow(mbs_system *system, double t, const double *q, const double *v) {
  law_walk walk = {0};
  const mbs_law *law;
  if (system->model->switch_count == 0) return;
  system->mode = NULL;
  set_state(system, t, q, v);
  while ((law = next_law(system->model, &walk)) != NULL) mbs_law_mode(system, law, system->mode_held);
  system->mode = system->mode_held;
}

void mbs_switches_settle(mbs_system *system, double t, const double *q, const double *v,
                         void (*report)(void *context, const mbs_change *change), void *context) {
  const mbs_model *model = system->model;
  system->settled = false;
  system->mode = NULL;
  if (model->switch_count) set_state(system, t, q, v);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    const char *kind = force->cls->own.switches ? force->cls->own.settle(system, force) : NULL;
    if (kind && report) report(context, &(mbs_change){force->name, kind});
  }
  system->settled = true;
  mbs_switches_follow(system, t, q, v);
}

void mbs_switches_margins(mbs_system *system, double t, const double *q, const double *v, double *margins) {
  const mbs_model *model = system->model;
  law_walk walk = {0};
  const mbs_law *law;
  set_state(system, t, q, v);
  while ((law = next_law(model, &walk)) != NULL) mbs_law_margins(system, law, margins);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->cls->own.switches) force->cls->own.margins(system, force, margins + force->mode0);
  }
}

/* The switch of a law. Its mode is that of the state; where the held guard has fallen and the live one has not, the
 * state is at the switch to within rounding, and the mode just the other. Another event of this instant may have set
 * it. */
static void change_law(mbs_system *system, const mbs_law *law, size_t index, double t, const double *q,
                       const double *v) {
  double *mode = &system->mode_held[index], before = *mode;
  set_state(system, t, q, v);
  mbs_law_margins(system, law, system->margins);
  mbs_switches_follow(system, t, q, v);
  if (*mode == before && system->margins[index] < 0 &&
      mbs_expression_switch_is_binary(law->expression, index - (size_t)law->mode0))
    *mode = 1 - before;
}

mbs_change mbs_switches_event(mbs_system *system, size_t index, double t, const double *q, const double *v) {
  const mbs_model *model = system->model;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (index < (size_t)force->mode0 || index >= (size_t)force->mode0 + force->cls->own.switches) continue;
    set_state(system, t, q, v);
    mbs_change change = {force->name, force->cls->own.event(system, force, index - (size_t)force->mode0)};
    mbs_switches_follow(system, t, q, v); /* laws may read what the element exerts */
    return change;
  }
  law_walk walk = {0};
  const mbs_law *law;
  while ((law = next_law(model, &walk)) != NULL) {
    if ((int)index < law->mode0 || (int)index >= law->mode0 + law->switches) continue;
    change_law(system, law, index, t, q, v);
    return (mbs_change){walk.name, "switch"};
  }
  return (mbs_change){"", NULL};
}
