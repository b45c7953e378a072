/* Laws: numbers and compiled expressions of the document, and the coordinates that their inputs measure. */
#include "builder/builder.h"
#include "builder/law_names.h"
#include "model/rows.h"

#include <string.h>

mbs_block mbs_bare_block(const mbs_model *model, const mbs_row *row, const mbs_frames *frames) {
  return (mbs_block){.primitive = row->primitive,
                     .frames = *frames,
                     .joint = -1,
                     .scaled = row->scale != 1,
                     .turning = row->weight2 != 0,
                     .component = row->component,
                     .function = -1,
                     .of_joint = -1,
                     .turns = -1,
                     .custom = NULL,
                     .touch = -1,
                     .level = row->level,
                     .rows = model->kernels->primitive_rows(row->primitive)};
}

mbs_block mbs_block_of(mbs_builder *builder, const mbs_row *row, const mbs_frames *frames, int joint) {
  mbs_row *kept = mbs_builder_alloc(builder, 1, sizeof *kept);
  if (kept) *kept = *row;
  mbs_block block = mbs_bare_block(builder->model, row, frames);
  block.row = kept;
  block.numbers = (int)builder->model->block_numbers++;
  block.joint = joint;
  return block;
}

int mbs_builder_add_primitive(mbs_builder *builder, const mbs_row *row, const mbs_frames *frames, int of_joint) {
  mbs_model *model = builder->model;
  if (frames->body1 < 0 || frames->body2 < 0) return -1; /* reported when the points were read */
  mbs_block *block = mbs_builder_grow(builder, (void **)&model->coordinates, &model->coordinate_count,
                                      &builder->coordinate_capacity, sizeof *block);
  if (!block) return -1;
  *block = mbs_block_of(builder, row, frames, of_joint);
  block->of_joint = of_joint;
  if (of_joint >= 0) /* the row may be a copy, so it is identified by its content */
    block->number = mbs_coordinate_number(model->joints[of_joint].shape, row);
  return (int)model->coordinate_count - 1;
}

/* Numbers the constants of a law, whose value must be set. */
static void number_law(mbs_builder *builder, mbs_law *law) {
  mbs_constants *constants = builder->model->constants;
  mbs_law_constants *numbers = mbs_builder_grow(builder, (void **)&constants->laws, &builder->law_constants_count,
                                                &builder->law_constants_capacity, sizeof *numbers);
  size_t known = builder->law_constants_count - 1;
  mbs_law **slot =
      mbs_builder_grow(builder, (void **)&builder->model->laws, &known, &builder->law_number_capacity, sizeof *slot);
  if (!numbers || !slot) return;
  *numbers = (mbs_law_constants){.expression = law->expression, .value = law->value};
  *slot = law;
  law->number = (int)builder->law_constants_count - 1;
  builder->model->law_count = builder->law_constants_count;
}

mbs_law mbs_constant_law(mbs_builder *builder, double value) {
  mbs_law law = {.value = value, .constant = -1};
  number_law(builder, &law);
  return law;
}

/* Stores an expression without inputs. One that depends on parameters becomes a number of the document. */
static void keep_constant(mbs_builder *builder, const mbs_expression *expression, const char *pointer, mbs_law *law) {
  if (mbs_expression_depends(expression)) law->constant = mbs_keep_number(builder, expression, pointer, law->value);
}

bool mbs_law_reads_forces(const mbs_model *model, const mbs_law *law) {
  bool reads = false;
  for (size_t i = 0; i < law->input_count; i++) reads |= model->inputs[law->inputs[i]].kind == MBS_INPUT_FORCE;
  return reads;
}

bool mbs_law_reads_reactions(const mbs_model *model, const mbs_law *law) {
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    if (input->kind != MBS_INPUT_FORCE && mbs_input_needs_forces(input)) return true;
    for (size_t f = 0; f < model->force_count && input->kind == MBS_INPUT_FORCE; f++) {
      const mbs_force *force = &model->forces[f];
      const int k = input->index - force->first_output;
      if (force->late && k >= 0 && k < force->outputs) return true;
    }
  }
  return false;
}

/* Stores a program: its inputs, its switches, and the size of its workspace. */
static void keep_program(mbs_builder *builder, const mbs_expression *expression, const mbs_scalar *scalar,
                         const char *pointer, mbs_scope_level level, mbs_law *law) {
  mbs_model *model = builder->model;
  const int *inputs = mbs_expression_inputs(expression, &law->input_count);
  law->expression = expression;
  law->copied = mbs_expression_depends(expression);
  law->inputs = mbs_builder_alloc(builder, law->input_count, sizeof *law->inputs);
  if (!law->inputs) return;
  memcpy(law->inputs, inputs, law->input_count * sizeof *inputs);
  size_t slots = mbs_expression_slots(expression), bind_slots = mbs_expression_bind_slots(expression);
  if (slots > model->slot_max) model->slot_max = slots;
  if (bind_slots > model->bind_slots) model->bind_slots = bind_slots;
  if (law->input_count > model->input_max) model->input_max = law->input_count;
  law->pointer = pointer;
  law->text = scalar->text;
  if (level == MBS_SCOPE_ALL) return;
  law->moves = true;
  law->may_react = level == MBS_SCOPE_REACTION;
  law->mode0 = (int)model->switch_count;
  law->switches = (int)mbs_expression_switches(expression);
  model->switch_count += (size_t)law->switches;
  model->switches_read_forces |= law->switches > 0 && mbs_law_reads_forces(model, law);
  model->laws_place |= law->copied && !builder->binder.loads;
}

void mbs_read_law(mbs_builder *builder, const mbs_field *field, const mbs_scalar *scalar, const char *pointer,
                  mbs_scope_level level, const mbs_local_name *locals, mbs_law *law) {
  *law = (mbs_law){.value = scalar->number, .constant = -1};
  mbs_law_scope scopes[2];
  mbs_law_scopes(builder, level, locals, scopes);
  char message[512];
  bool text = scalar->text && !mbs_read_number_with_unit(builder, field->unit, scalar->text, pointer, &law->value);
  const mbs_expression *expression =
      text ? mbs_expression_compile(builder->arena, scalar->text, &scopes[0].names, message) : NULL;
  if (text && !expression) mbs_bad_expression(builder, scalar->text, pointer, message);
  mbs_check_dimension(builder, expression, field, scalar->text, pointer);
  if (expression && mbs_expression_is_constant(expression, &law->value))
    keep_constant(builder, expression, pointer, law);
  else if (expression)
    keep_program(builder, expression, scalar, pointer, level, law);
  number_law(builder, law);
}

void mbs_read_text_law(mbs_builder *builder, const char *text, const char *pointer, mbs_scope_level level,
                       const mbs_local_name *locals, mbs_law *law) {
  static const mbs_field field = {.name = "value", .fallback = NAN};
  mbs_read_law(builder, &field, &(mbs_scalar){.text = text}, pointer, level, locals, law);
}

void mbs_law_is_structure(mbs_builder *builder, mbs_law *law) {
  law->structural = true;
  if (law->constant >= 0) builder->model->numbers[law->constant].structural = true;
}

bool mbs_read_field_law(mbs_builder *builder, const mbs_node *node, const char *field, mbs_scope_level level,
                        const mbs_local_name *locals, mbs_law *law) {
  const mbs_value *value = mbs_read_value(node, field);
  bool given = value->given && value->count > 0;
  const mbs_field *of = mbs_field_of(node, field);
  const mbs_scalar fallback = {.number = of->fallback};
  mbs_read_law(builder, of, given ? &value->scalars[0] : &fallback, value->pointer, level, locals, law);
  return given;
}
