/* Branches of laws and elements for a state, and their changes at events. */
#include "equations/switches.h"

#include <assert.h>
#include <math.h>

#include "equations/discrete.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/law.h"
#include "equations/near.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "equations/touches.h"

static void set_state(mbs_system *system, double t, const double *q, const double *v) {
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  if (system->feedback)
    (void)mbs_evaluate(system, t, q, v); /* the next evaluation reports this error, too */
  else if (system->model->switches_read_forces)
    mbs_apply_forces(system);
}

/* Called for each law that has switches. */
typedef void law_visit(void *context, const mbs_law *law, const char *element);

static void visit_laws(const mbs_law *laws, size_t count, const char *element, law_visit *visit, void *context) {
  assert(laws != NULL || count == 0);
  for (size_t l = 0; l < count; l++)
    if (laws[l].switches) visit(context, &laws[l], element);
}

static void visit_function(const mbs_function *function, law_visit *visit, void *context) {
  if (function->law) visit_laws(function->law, 1, function->element, visit, context);
  for (size_t p = 0; p < function->part_count; p++) visit_function(&function->parts[p], visit, context);
}

/* Visits the laws of functions of time, of joints, of states, of force elements, and of triggers, in this order. */
static void each_law(const mbs_model *model, law_visit *visit, void *context) {
  for (size_t f = 0; f < model->function_count; f++) visit_function(&model->functions[f], visit, context);
  for (size_t j = 0; j < model->joint_count; j++)
    visit_laws(model->joints[j].laws, model->joints[j].law_count, model->joints[j].name, visit, context);
  for (size_t k = 0; k < model->state_count; k++)
    visit_laws(&model->states[k].rate, 1, model->states[k].name, visit, context);
  for (size_t f = 0; f < model->force_count; f++)
    visit_laws(model->forces[f].laws, model->forces[f].law_count, model->forces[f].name, visit, context);
  for (size_t i = 0; i < model->trigger_count; i++)
    visit_laws(&model->triggers[i].when, 1, model->triggers[i].name, visit, context);
}

static void visit_mode(void *context, const mbs_law *law, const char *element) {
  mbs_system *system = context;
  (void)element;
  mbs_law_mode(system, law, system->mode_held);
}

void mbs_switches_follow(mbs_system *system, double t, const double *q, const double *v) {
  if (system->model->switch_count == 0) return;
  system->mode = NULL;
  set_state(system, t, q, v);
  each_law(system->model, visit_mode, system);
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
    for (size_t k = 0; k < force->points && force->cls->own.switches; k++) {
      const char *kind = force->cls->own.settle(system, force, k);
      if (kind && report) report(context, &(mbs_change){force->name, kind});
    }
  }
  system->settled = true;
  mbs_near_forget(system);
  mbs_switches_follow(system, t, q, v);
}

void mbs_switches_release(mbs_system *system) {
  system->mode = NULL;
  system->settled = false;
  mbs_sliding_forget(system);
  mbs_near_forget(system);
  mbs_touches_forget(system);
}

typedef struct margins_visit {
  const mbs_system *system;
  double *margins;
} margins_visit;

static void visit_margins(void *context, const mbs_law *law, const char *element) {
  const margins_visit *self = context;
  (void)element;
  mbs_law_margins(self->system, law, self->margins);
}

/* Computes the margins of the switches of an element itself. Points that are not near have no event. */
static void element_margins(const mbs_system *system, const mbs_force *force, double *margins) {
  const size_t switches = force->cls->own.switches;
  double *own = margins + force->mode0;
  if (force->contacts == 0) {
    for (size_t k = 0; k < force->points && switches; k++)
      force->cls->own.margins(system, force, k, own + k * switches);
    return;
  }
  for (size_t i = 0; i < force->points * switches; i++) own[i] = INFINITY;
  for (size_t n = 0; n < mbs_near_count(system, force) && force->points > 0; n++) {
    const size_t k = mbs_near_point(system, force, n);
    force->cls->own.margins(system, force, k, own + k * switches);
  }
}

void mbs_switches_margins(mbs_system *system, double t, const double *q, const double *v, double *margins) {
  assert(margins != NULL);
  const mbs_model *model = system->model;
  set_state(system, t, q, v);
  each_law(model, visit_margins, &(margins_visit){system, margins});
  mbs_near_update(system);
  for (size_t f = 0; f < model->force_count; f++) element_margins(system, &model->forces[f], margins);
  if (system->sliding->count) mbs_sliding_margins(system, margins);
  if (system->touches) mbs_touches_margins(system, margins);
}

/* Handles the event of a law's switch. Its mode becomes that of the state. If the held guard is negative but the live
 * one is not, the state is at the switch within rounding, and the mode is toggled. Another event of this instant may
 * have set the mode. */
static void change_law(mbs_system *system, const mbs_law *law, size_t index, double t, const double *q,
                       const double *v) {
  double *mode = &system->mode_held[index], before = *mode;
  assert(index >= (size_t)law->mode0 && index < (size_t)(law->mode0 + law->switches));
  set_state(system, t, q, v);
  mbs_law_margins(system, law, system->margins);
  mbs_switches_follow(system, t, q, v);
  if (*mode == before && system->margins[index] < 0 &&
      mbs_expression_switch_is_binary(law->expression, index - (size_t)law->mode0))
    *mode = 1 - before;
}

/* The result of a search for the law that has a switch. */
typedef struct law_search {
  size_t index;
  const mbs_law *law;
  const char *element;
} law_search;

static void visit_search(void *context, const mbs_law *law, const char *element) {
  law_search *search = context;
  if ((int)search->index < law->mode0 || (int)search->index >= law->mode0 + law->switches) return;
  search->law = law;
  search->element = element;
}

/* The search for a law with a table that has no value. */
typedef struct outside_search {
  const mbs_system *system;
  double later, *out;
  const char *table;
  mbs_owner owner;
} outside_search;

static void visit_outside(void *context, const mbs_law *law, const char *element) {
  outside_search *self = context;
  if (self->table) return;
  self->table = mbs_law_outside(self->system, law, self->later, self->out);
  self->owner = (mbs_owner){element, law->pointer, law->text};
}

const char *mbs_switches_outside(const mbs_system *system, double later, double out[2], mbs_owner *owner) {
  outside_search search = {.system = system, .later = later, .out = out};
  const mbs_model *model = system->model;
  each_law(model, visit_outside, &search);
  /* laws of new values have no switches of a step, so each_law() omits them */
  for (size_t i = model->variable_count; i < model->discrete_count; i++)
    visit_outside(&search, &model->discrete[i].value, model->discrete[i].name);
  for (size_t i = 0; i < model->trigger_count; i++)
    for (size_t k = 0; k < model->triggers[i].set_count; k++)
      visit_outside(&search, &model->triggers[i].sets[k].value, model->triggers[i].name);
  *owner = search.owner;
  return search.table;
}

static const mbs_force *force_of(const mbs_model *model, size_t index) {
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (index >= (size_t)force->mode0 && index < (size_t)force->mode0 + force->points * force->cls->own.switches)
      return force;
  }
  return NULL;
}

bool mbs_switches_element_margin(mbs_system *system, size_t index, double t, const double *q, const double *v,
                                 double *margin) {
  const mbs_force *force = force_of(system->model, index);
  if (!force) return false;
  const size_t switches = force->cls->own.switches, k = (index - (size_t)force->mode0) / switches;
  double *own = system->margins + (size_t)force->mode0 + k * switches;
  set_state(system, t, q, v);
  mbs_near_update(system);
  if (force->contacts > 0 && !mbs_near_has(system, force, k))
    *margin = INFINITY;
  else {
    force->cls->own.margins(system, force, k, own);
    *margin = system->margins[index];
  }
  return true;
}

mbs_owner mbs_switches_owner(const mbs_model *model, size_t index) {
  const mbs_touch *touch = mbs_touch_of_switch(model, index);
  if (touch) return (mbs_owner){touch->name, touch->pointer, NULL};
  law_search search = {.index = index};
  const mbs_force *force = force_of(model, index);
  if (force) return (mbs_owner){force->name, force->pointer, NULL};
  each_law(model, visit_search, &search);
  if (!search.law) return (mbs_owner){"", "", NULL};
  return (mbs_owner){search.element, search.law->pointer, search.law->text};
}

mbs_change mbs_switches_event(mbs_system *system, size_t index, double t, const double *q, const double *v) {
  assert(index < system->model->switch_count);
  const mbs_model *model = system->model;
  const mbs_force *force = force_of(model, index);
  if (force) {
    set_state(system, t, q, v);
    mbs_change change = {force->name, force->cls->own.event(system, force, index - (size_t)force->mode0)};
    mbs_switches_follow(system, t, q, v); /* laws may read what the element exerts */
    return change;
  }
  law_search search = {.index = index};
  each_law(model, visit_search, &search);
  if (!search.law) return (mbs_change){"", NULL};
  change_law(system, search.law, index, t, q, v);
  return (mbs_change){search.element, mbs_trigger_of_switch(model, index) ? NULL : "switch"};
}
