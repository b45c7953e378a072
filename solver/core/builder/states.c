/* States and signals of the document, and the names that it declares for expressions. */
#include "builder/builder.h"
#include "equations/forces.h"
#include "expression/operations.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------------------------- */

const char *mbs_declared_word(mbs_declared_kind kind) {
  static const char *const words[] = {[MBS_DECLARED_STATE] = "state",
                                      [MBS_DECLARED_SIGNAL] = "signal",
                                      [MBS_DECLARED_DISCRETE] = "variable or sampled value",
                                      [MBS_DECLARED_EXTERNAL] = "input"};
  return words[kind];
}

const mbs_declared *mbs_find_declared(const mbs_builder *builder, const char *name) {
  const int number = mbs_names_find(&builder->declared_names, name);
  return number < 0 ? NULL : &builder->declared[number];
}

void mbs_declare_name(mbs_builder *builder, const char *name, const char *pointer, mbs_declared meaning) {
  const char *word = mbs_declared_word(meaning.kind);
  const mbs_declared *other = mbs_find_declared(builder, name);
  size_t count = builder->declared_names.count;
  mbs_check_expression_name(builder, name, word, pointer);
  if (mbs_call_find(name) || mbs_is_measure(name))
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "'%s' has a meaning in expressions; choose another name",
                 name);
  else if (mbs_find_parameter(builder, name))
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "there is already a parameter named '%s'", name);
  else if (mbs_names_find(&builder->named_functions, name) >= 0)
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "there is already a function named '%s'", name);
  else if (other && other->kind != meaning.kind)
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "there is already %s %s named '%s'",
                 other->kind == MBS_DECLARED_EXTERNAL ? "an" : "a", mbs_declared_word(other->kind), name);
  if (other && other->kind != meaning.kind) return;
  mbs_names_add(builder, &builder->declared_names, name, word, pointer);
  mbs_declared *slot =
      mbs_builder_grow(builder, (void **)&builder->declared, &count, &builder->declared_capacity, sizeof *slot);
  if (slot) *slot = meaning;
}

/* ---- declaring ------------------------------------------------------------------------------------------------- */

mbs_document_state *mbs_builder_add_state(mbs_builder *builder, const char *name, const char *pointer) {
  mbs_document_state *state = mbs_builder_grow(builder, (void **)&builder->model->states, &builder->model->state_count,
                                               &builder->state_capacity, sizeof *state);
  if (state) *state = (mbs_document_state){.name = name, .pointer = pointer, .signal = -1};
  return state;
}

mbs_input mbs_signal_add_state(mbs_builder *builder, mbs_document_signal *signal, const char *text,
                               bool starts_at_input) {
  mbs_document_state *state = mbs_builder_add_state(builder, signal->name, signal->pointer);
  if (state) {
    state->signal = (int)(signal - builder->model->signals);
    state->text = text;
    state->starts_at_input = starts_at_input;
  }
  return (mbs_input){.kind = MBS_INPUT_STATE, .index = (int)builder->model->state_count - 1, .point = -1};
}

mbs_input mbs_signal_input_rate(mbs_builder *builder, mbs_document_signal *signal) {
  signal->takes_rate = true;
  return (mbs_input){.kind = MBS_INPUT_RATE, .index = (int)(signal - builder->model->signals), .level = 1, .point = -1};
}

static const char *name_of(const mbs_node *node) {
  const char *name = mbs_read_text(node, "name");
  return name ? name : "";
}

static void declare_signals(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *nodes = mbs_read_value(builder->document, "signals");
  model->signals = mbs_builder_alloc(builder, nodes->count, sizeof *model->signals);
  for (size_t i = 0; i < nodes->count && !builder->failed; i++) {
    const mbs_node *node = &nodes->nodes[i];
    mbs_document_signal *signal = &model->signals[model->signal_count++];
    *signal = (mbs_document_signal){.cls = (const mbs_signal_class *)node->cls,
                                    .node = node,
                                    .name = name_of(node),
                                    .pointer = node->pointer,
                                    .text = "0",
                                    .place = node->pointer};
    mbs_declare_name(builder, signal->name, mbs_name_pointer(node), (mbs_declared){MBS_DECLARED_SIGNAL, (int)i});
    const size_t mistakes = builder->list->count;
    if (signal->cls->check) signal->cls->check(mbs_numbers_of(builder), signal);
    if (builder->list->count == mistakes) signal->cls->declare(builder, signal);
  }
}

void mbs_declare_states(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *nodes = mbs_read_value(builder->document, "states");
  for (size_t i = 0; i < nodes->count && !builder->failed; i++) {
    const mbs_node *node = &nodes->nodes[i];
    mbs_document_state *state = mbs_builder_add_state(builder, name_of(node), node->pointer);
    if (!state) return;
    state->node = node;
    mbs_declare_name(builder, state->name, mbs_name_pointer(node), (mbs_declared){MBS_DECLARED_STATE, (int)i});
  }
  model->named_states = model->state_count;
  builder->binder.loads = true;
  if (!builder->failed) declare_signals(builder);
  builder->binder.loads = false;
  model->nz = model->state_count;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Reports that signals depend on one another: the chain of readers from the current one back to `signal`. */
static void refuse_loop(mbs_builder *builder, mbs_document_signal *signal) {
  char names[300] = "";
  size_t used = 0;
  for (mbs_document_signal *each = builder->signal_now; each; each = each == signal ? NULL : each->reader) {
    used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'", used ? ", " : "", each->name);
    each->wrong = true;
    if (used >= sizeof names) used = sizeof names - 1;
  }
  const char *verb = builder->signal_now == signal ? "depends on itself" : "depend on one another";
  mbs_diagnose(
      builder->list, MBS_ALGEBRAIC_LOOP, signal->place,
      "%s %s without a state between them; remove one of the references, or delay one of them by 0.01 s: add the state "
      "{\"name\": \"%.60s_late\", \"rate\": \"(%.60s - %.60s_late)/0.01\"} and read %.60s_late in place of %.60s",
      names, verb, signal->name, signal->name, signal->name, signal->name, signal->name);
}

void mbs_resolve_signal(mbs_builder *builder, mbs_document_signal *signal) {
  if (signal->reading == MBS_SIGNAL_READ) return;
  if (signal->reading == MBS_SIGNAL_READING) {
    refuse_loop(builder, signal);
    return;
  }
  int depth = 0;
  for (const mbs_document_signal *reader = builder->signal_now; reader; reader = reader->reader) depth++;
  if (depth > MBS_DEFINITION_DEPTH) {
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, signal->place,
                 "more than %d names stand for one another in a chain", MBS_DEFINITION_DEPTH);
    signal->wrong = true;
    signal->reading = MBS_SIGNAL_READ;
    return;
  }
  const size_t mistakes = builder->list->count;
  const int force_now = builder->force_now;
  const bool loads = builder->binder.loads;
  signal->reading = MBS_SIGNAL_READING;
  signal->reader = builder->signal_now;
  builder->signal_now = signal;
  builder->force_now = -1;
  builder->binder.loads = true;
  if (mbs_read_if_known(signal->node, "input")->given)
    mbs_read_field_law(builder, signal->node, "input", MBS_SCOPE_ALL, NULL, &signal->input);
  const bool wrong = builder->list->count > mistakes; /* reported, so its use in the text is not */
  mbs_read_text_law(builder, wrong ? "0" : signal->text, signal->place, MBS_SCOPE_ALL, signal->locals, &signal->law);
  builder->binder.loads = loads;
  builder->force_now = force_now;
  builder->signal_now = signal->reader;
  signal->reading = MBS_SIGNAL_READ;
  signal->wrong |= builder->list->count > mistakes;
}

/* Reads the rate of a state of the document or of a signal. */
static void read_rate(mbs_builder *builder, mbs_document_state *state) {
  mbs_model *model = builder->model;
  const mbs_document_signal *signal = state->signal >= 0 ? &model->signals[state->signal] : NULL;
  if (signal)
    mbs_read_text_law(builder, signal->wrong ? "0" : state->text, signal->place, MBS_SCOPE_REACTION, signal->locals,
                      &state->rate);
  else
    mbs_read_field_law(builder, state->node, "rate", MBS_SCOPE_REACTION, NULL, &state->rate);
  model->rates_read_forces |= mbs_law_reads_forces(model, &state->rate);
}

/* Returns true if the rate of a state reads neither forces, accelerations nor the time derivative of a signal's
 * input. */
static bool has_plain_rate(const mbs_model *model, const mbs_law *rate) {
  bool plain = true;
  for (size_t i = 0; i < rate->input_count; i++) {
    const mbs_input *input = &model->inputs[rate->inputs[i]];
    plain &= input->kind != MBS_INPUT_RATE && !mbs_input_needs_forces(input);
  }
  return plain;
}

/* Returns true if a rate has a derivative that follows from positions, velocities, time and states: it reads no
 * velocity, and no input of the document, which may jump. */
static bool has_smooth_rate(const mbs_model *model, const mbs_law *rate) {
  bool smooth = true;
  for (size_t i = 0; i < rate->input_count; i++) {
    const mbs_input *input = &model->inputs[rate->inputs[i]];
    smooth &= input->level == 0 && input->kind != MBS_INPUT_EXTERNAL;
    if (input->kind == MBS_INPUT_STATE) smooth &= has_plain_rate(model, &model->states[input->index].rate);
  }
  return smooth;
}

/* Marks a state on which constraints depend, and those on which its rate depends. Returns false if the rate of one
 * depends on more than positions, time and states. */
static bool mark_states(mbs_model *model, int index) {
  mbs_document_state *state = &model->states[index];
  if (state->moves_rows) return true;
  state->moves_rows = true;
  bool known = has_plain_rate(model, &state->rate) && has_smooth_rate(model, &state->rate);
  for (size_t i = 0; i < state->rate.input_count; i++) {
    const mbs_input *input = &model->inputs[state->rate.inputs[i]];
    if (input->kind == MBS_INPUT_STATE) known &= mark_states(model, input->index);
  }
  return known;
}

void mbs_check_row_states(mbs_builder *builder, const mbs_law *law, const char *pointer, bool positions) {
  mbs_model *model = builder->model;
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    if (input->kind != MBS_INPUT_STATE) continue;
    const mbs_law *rate = &model->states[input->index].rate;
    const char *name = mbs_state_owner(model, (size_t)input->index);
    model->rows_read_states = model->laws_place = true; /* its start value may be that of a parameter */
    model->states[input->index].sets_speed |= positions;
    if (!has_plain_rate(model, rate))
      mbs_diagnose(builder->list, MBS_ALGEBRAIC_LOOP, pointer,
                   "this constraint depends on '%s', whose rate depends on forces or accelerations, and these on the "
                   "constraint; let the rate read positions and states",
                   name);
    else if (positions && !has_smooth_rate(model, rate))
      mbs_diagnose(builder->list, MBS_INVALID, pointer,
                   "this constraint of positions depends on '%s', whose rate depends on velocities or inputs; let the "
                   "rate read positions, t and states, or write a constraint of type velocity",
                   name);
    else if (model->states[input->index].starts_at_input)
      mbs_diagnose(builder->list, MBS_INVALID, pointer,
                   "this constraint depends on the filter of '%s', which starts at the value of its input, and that on "
                   "the start that the constraint corrects; write the filter as a state with an initial value",
                   name);
    else if (!mark_states(model, input->index) &&
             (model->type == MBS_KINEMATICS || model->type == MBS_INVERSE_DYNAMICS))
      mbs_diagnose(
          builder->list, MBS_INVALID, pointer,
          "this constraint depends on '%s', whose rate, or that of a state in it, depends on velocities, inputs "
          "or forces; a motion that drivers prescribe cannot have it; choose dynamics, with the same drivers",
          name);
  }
}

/* Returns true if the time derivative of an input follows from positions, velocities, time and states. */
static bool has_rate(const mbs_model *model, const mbs_input *input) {
  switch (input->kind) {
  case MBS_INPUT_TIME:
  case MBS_INPUT_POINT:
  case MBS_INPUT_ANGLE:
  case MBS_INPUT_EULER:
  case MBS_INPUT_MATRIX:
  case MBS_INPUT_PRIMITIVE: return input->level == 0;
  case MBS_INPUT_DISCRETE:
  case MBS_INPUT_EXTERNAL: return true; /* constant but at instants, or a table over time */
  case MBS_INPUT_STATE: return has_plain_rate(model, &model->states[input->index].rate);
  default: return false;
  }
}

/* Reports a signal that takes the derivative of an input that has none. */
static void check_input_rate(mbs_builder *builder, const mbs_document_signal *signal) {
  const mbs_model *model = builder->model;
  bool known = true;
  for (size_t i = 0; i < signal->input.input_count; i++)
    known = known && has_rate(model, &model->inputs[signal->input.inputs[i]]);
  if (signal->takes_rate && !signal->wrong && !known)
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, signal->place,
                 "the derivative of the input of '%s' depends on accelerations or forces; give a 'filter'",
                 signal->name);
}

void mbs_read_states(mbs_builder *builder) {
  mbs_model *model = builder->model;
  model->constants->state_starts =
      mbs_builder_alloc(builder, model->state_count, sizeof *model->constants->state_starts);
  for (size_t i = 0; i < model->signal_count && !builder->failed; i++) mbs_resolve_signal(builder, &model->signals[i]);
  builder->binder.loads = true;
  for (size_t k = 0; k < model->state_count && !builder->failed; k++) read_rate(builder, &model->states[k]);
  for (size_t i = 0; i < model->signal_count && !builder->failed; i++) check_input_rate(builder, &model->signals[i]);
  if (!builder->failed) mbs_state_numbers(mbs_numbers_of(builder), model->constants);
  builder->binder.loads = false;
}

void mbs_state_numbers(mbs_binder *binder, mbs_constants *constants) {
  const mbs_model *model = binder->model;
  for (size_t k = 0; k < model->named_states; k++)
    constants->state_starts[k] = mbs_read_number(binder, model->states[k].node, "initial");
  for (size_t i = 0; i < model->signal_count && !binder->builder; i++) /* the builder has checked them */
    if (model->signals[i].cls->check) model->signals[i].cls->check(binder, &model->signals[i]);
}
