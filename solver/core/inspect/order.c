/* order.c - the order of evaluation: the stages with their laws, and the numbers that depend on parameters. */
#include <assert.h>

#include "inspect/inspect.h"

#include "expression/program.h"
#include "model/discrete.h"

static void add_law(mbs_inspection *inspection, const mbs_law *law) {
  if (!law->expression) return;
  inspection->laws[inspection->law_count++] = (mbs_inspected_law){.pointer = law->pointer,
                                                                  .text = law->text,
                                                                  .instructions = law->expression->program.code_count,
                                                                  .inputs = law->input_count,
                                                                  .switches = law->expression->switch_count,
                                                                  .depends = law->copied,
                                                                  .structural = law->copied && law->structural};
}

static void add_function_laws(mbs_inspection *inspection, const mbs_function *function) {
  if (function->law) add_law(inspection, function->law);
  for (size_t p = 0; p < function->part_count; p++) add_function_laws(inspection, &function->parts[p]);
}

/* Adds a stage whose laws are those added since their number was `first_law`. */
static void add_stage(mbs_inspection *inspection, mbs_part part, const char *element, const char *type,
                      size_t first_law) {
  inspection->stages[inspection->stage_count++] =
      (mbs_inspected_stage){part, element, type, first_law, inspection->law_count - first_law};
}

/* Joints with contact parameters evaluate their laws together with the positions, others together with the rows. */
static void add_joints(mbs_inspection *inspection, mbs_part part) {
  const mbs_model *model = inspection->run->state.model;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    size_t first = inspection->law_count;
    bool locates = joint->cls->locate != NULL;
    if ((!locates && !joint->law_count) || locates != (part == MBS_PART_POSITIONS)) continue;
    for (size_t l = 0; l < joint->law_count; l++) add_law(inspection, &joint->laws[l]);
    add_stage(inspection, part, joint->name, joint->cls->base.name, first);
  }
}

static void add_functions(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function *function = &model->functions[f];
    size_t first = inspection->law_count;
    add_function_laws(inspection, function);
    add_stage(inspection, MBS_PART_POSITIONS, function->element, function->cls->base.name, first);
  }
}

static void add_forces(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  for (size_t k = 0; k < model->force_count; k++) {
    const mbs_force *force = &model->forces[model->force_order[k]];
    size_t first = inspection->law_count;
    for (size_t l = 0; l < force->law_count; l++) add_law(inspection, &force->laws[l]);
    add_stage(inspection, MBS_PART_ACCELERATIONS, force->name, force->cls->base.name, first);
  }
}

/* Rates of states are evaluated after the accelerations. */
static void add_states(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  for (size_t k = 0; k < model->state_count; k++) {
    size_t first = inspection->law_count;
    add_law(inspection, &model->states[k].rate);
    add_stage(inspection, MBS_PART_ACCELERATIONS, model->states[k].name, "state", first);
  }
}

/* The expressions of signals are for results; laws that name a signal contain its expression. */
static void add_signals(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  for (size_t i = 0; i < model->signal_count; i++) {
    size_t first = inspection->law_count;
    add_law(inspection, &model->signals[i].input);
    add_law(inspection, &model->signals[i].law);
    add_stage(inspection, MBS_PART_SENSORS, model->signals[i].name, "signal", first);
  }
}

/* Conditions are evaluated with the steps, new values at their instants. */
static void add_discrete(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  for (size_t i = 0; i < model->discrete_count; i++) {
    size_t first = inspection->law_count;
    add_law(inspection, &model->discrete[i].initial);
    add_law(inspection, &model->discrete[i].value);
    add_stage(inspection, MBS_PART_SENSORS, model->discrete[i].name, i < model->variable_count ? "variable" : "sampled",
              first);
  }
  for (size_t i = 0; i < model->trigger_count; i++) {
    const mbs_trigger *trigger = &model->triggers[i];
    size_t first = inspection->law_count;
    add_law(inspection, &trigger->when);
    for (size_t s = 0; s < trigger->set_count; s++) add_law(inspection, &trigger->sets[s].value);
    add_stage(inspection, MBS_PART_SENSORS, trigger->name, trigger->stops_after ? "stop_when" : "event", first);
  }
}

static void add_sensors(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  for (size_t s = 0; s < model->sensor_count; s++) {
    size_t first = inspection->law_count;
    add_law(inspection, &model->sensors[s].law);
    add_stage(inspection, MBS_PART_SENSORS, model->sensors[s].name, "sensor", first);
  }
}

/* Constant expressions without parameters, such as 5*pi/180, are also among the model's numbers. */
static void add_numbers(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  inspection->parameters = model->parameter_count;
  for (size_t i = 0; i < model->number_count; i++) {
    const mbs_dependent *number = &model->numbers[i];
    if (mbs_expression_depends(number->expression))
      inspection->numbers[inspection->number_count++] = (mbs_inspected_number){number->pointer, number->structural};
  }
}

bool mbs_inspect_order(mbs_inspection *inspection) {
  assert(inspection->run != NULL && inspection->stage_count == 0);
  const mbs_model *model = inspection->run->state.model;
  mbs_arena *arena = inspection->run->arena;
  size_t stages = model->function_count + model->joint_count + model->force_count + model->sensor_count +
                  model->state_count + model->signal_count + model->discrete_count + model->trigger_count;
  inspection->stages = mbs_arena_alloc(arena, stages + 1, sizeof *inspection->stages);
  inspection->laws = mbs_arena_alloc(arena, model->law_count + 1, sizeof *inspection->laws);
  inspection->numbers = mbs_arena_alloc(arena, model->number_count + 1, sizeof *inspection->numbers);
  if (!inspection->stages || !inspection->laws || !inspection->numbers) return false;
  add_functions(inspection);
  add_joints(inspection, MBS_PART_POSITIONS);
  add_joints(inspection, MBS_PART_CONSTRAINTS);
  add_forces(inspection);
  add_states(inspection);
  add_signals(inspection);
  add_discrete(inspection);
  add_sensors(inspection);
  add_numbers(inspection);
  return true;
}
