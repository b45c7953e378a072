/* quantities.c - see quantities.h. */
#include "model/quantities.h"

#include "expression/dimension.h"

#include "model/rows.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MBS_DIMENSION_MEASURED MBS_DIMENSION_UNKNOWN
#define WHICH MBS_COMPONENT_WHICH
static const mbs_quantity quantities[] = {
#define MBS_QUANTITY(owner, word, kind, component, level, dimension, space, doc) \
  {MBS_OF_##owner, word, MBS_INPUT_##kind, component, level, MBS_DIMENSION_##dimension, MBS_##space, doc},
#include "model/quantities.def"
#undef MBS_QUANTITY
};
#undef WHICH
static const size_t quantity_count = sizeof quantities / sizeof *quantities;

static bool is_of(const mbs_quantity *quantity, int owners, int dim) {
  return (quantity->owner & owners) && (quantity->spaces & (dim == 3 ? MBS_SPATIAL : MBS_PLANAR));
}

mbs_use mbs_quantity_use(const mbs_quantity *quantity) {
  switch (quantity->kind) {
  case MBS_INPUT_REACTION:
  case MBS_INPUT_MULTIPLIER:
  case MBS_INPUT_TOOTH: return MBS_USE_REACTIONS;
  case MBS_INPUT_ENERGY: return MBS_USE_SENSORS;
  case MBS_INPUT_CURVE:
  case MBS_INPUT_FORCE: return MBS_USE_LAWS;
  default: break;
  }
  return quantity->level == 0 ? MBS_USE_CONSTRAINTS : quantity->level == 1 ? MBS_USE_LAWS : MBS_USE_REACTIONS;
}

bool mbs_quantity_needs_forces(const mbs_quantity *quantity) {
  enum { WORK = 2 }; /* kinetic and potential energy depend on the motion only */
  return quantity->kind == MBS_INPUT_REACTION || quantity->kind == MBS_INPUT_MULTIPLIER ||
         quantity->kind == MBS_INPUT_TOOTH || (quantity->kind == MBS_INPUT_ENERGY && quantity->component >= WORK);
}

const mbs_quantity *mbs_quantity_at(int owners, int dim, size_t index) {
  assert(dim == 2 || dim == 3);
  for (size_t i = 0; i < quantity_count; i++)
    if (is_of(&quantities[i], owners, dim) && index-- == 0) return &quantities[i];
  return NULL;
}

const mbs_quantity *mbs_quantity_find(int owners, int dim, const char *word, int *number) {
  *number = 0;
  for (size_t i = 0; i < quantity_count; i++) {
    const mbs_quantity *each = &quantities[i];
    size_t length = strlen(each->word);
    if (!is_of(each, owners, dim) || strncmp(word, each->word, length) != 0) continue;
    if (word[length] == '\0') return each;
    if (each->component != MBS_COMPONENT_WHICH || word[length] < '0' || word[length] > '9') continue;
    char *end;
    long value = strtol(word + length, &end, 10);
    if (*end || value < 1 || value > 9) continue;
    *number = (int)value;
    return each;
  }
  return NULL;
}

const char *mbs_quantity_word(int owners, int dim, mbs_input_kind kind, int component, int level) {
  for (size_t i = 0; i < quantity_count; i++) {
    const mbs_quantity *each = &quantities[i];
    if (each->kind == kind && each->component == component && each->level == level && is_of(each, owners, dim))
      return each->word;
  }
  return "";
}

size_t mbs_quantity_words(int owners, int dim, mbs_input_kind kind, int level) {
  size_t count = 0;
  for (size_t i = 0; i < quantity_count; i++)
    count += quantities[i].kind == kind && quantities[i].level == level && is_of(&quantities[i], owners, dim);
  return count;
}

/* Owners with more words than this list the first and last word of later groups. */
enum { WORDS_TOLD = 12 };

static void append(char text[MBS_QUANTITY_LIST], const char *separator, const char *words) {
  assert(strlen(text) < MBS_QUANTITY_LIST);
  size_t used = strlen(text);
  snprintf(text + used, MBS_QUANTITY_LIST - used, "%s%s", used ? separator : "", words);
}

/* Appends the words of one kind and level, from number `index` on. Returns the index after them. */
static size_t append_group(int owners, int dim, size_t index, bool ends, char text[MBS_QUANTITY_LIST]) {
  const mbs_quantity *first = mbs_quantity_at(owners, dim, index), *last = first, *each = first;
  size_t next = index;
  if (!first) return index;
  for (; each && each->kind == first->kind && each->level == first->level; each = mbs_quantity_at(owners, dim, next)) {
    if (!ends || next == index) append(text, ", ", each->word);
    last = each;
    next++;
  }
  if (ends && next - index > 3) append(text, " to ", last->word);
  if (ends && next - index <= 3) append(text, ", ", "...");
  if (first->kind == MBS_INPUT_MULTIPLIER && first->component == MBS_COMPONENT_WHICH) append(text, "", "1, ...");
  return next;
}

const char *mbs_quantity_list(int owners, int dim, mbs_use first, mbs_use last, char text[MBS_QUANTITY_LIST]) {
  const mbs_quantity *each;
  size_t count = 0, told = 0;
  text[0] = '\0';
  while (mbs_quantity_at(owners, dim, count)) count++;
  for (size_t i = 0; (each = mbs_quantity_at(owners, dim, i));) {
    size_t before = i;
    if (mbs_quantity_use(each) < first || mbs_quantity_use(each) > last)
      i++;
    else
      i = append_group(owners, dim, i, count > WORDS_TOLD && (told > 0 || first > MBS_USE_CONSTRAINTS), text);
    told += i - before;
  }
  return text;
}

/* ---- the reference ------------------------------------------------------------------------------------------- */

static const char *owner_name(mbs_owner owner) {
  switch (owner) {
  case MBS_OF_PLACE: return "body or body.point";
  case MBS_OF_BODY: return "body";
  case MBS_OF_JOINT: return "joint";
  case MBS_OF_CURVE: return "joint with curves";
  case MBS_OF_FORCE: return "force element";
  case MBS_OF_DRIVER: return "driver";
  case MBS_OF_ENERGY: break;
  }
  return "energy";
}

/* Returns true for the output of a force element that is a coordinate. */
static bool is_position(const mbs_quantity *quantity) {
  return quantity->owner == MBS_OF_FORCE && !quantity->dimension.known && strcmp(quantity->word, "x") == 0;
}

/* Returns the unit of a quantity that depends on the measured element. */
static const char *measured_unit(const mbs_quantity *quantity) {
  static const char *const coordinates[] = {"m or rad", "m/s or rad/s", "m/s^2 or rad/s^2"};
  if (quantity->kind == MBS_INPUT_PRIMITIVE || is_position(quantity)) return coordinates[quantity->level];
  return quantity->kind == MBS_INPUT_CURVE ? "rad or m" : "N or N m";
}

static bool has_word(const char *labels, const char *word) {
  size_t size = strlen(word);
  for (; labels && *labels; labels += strcspn(labels, "|"), labels += *labels == '|')
    if (strcspn(labels, "|") == size && strncmp(labels, word, size) == 0) return true;
  return false;
}

/* Returns the types of force elements that have a quantity among their outputs or as their length: "contact,
 * friction". */
static const char *types_with(const mbs_quantity *quantity, mbs_arena *arena) {
  const char *types = "";
  const mbs_class *cls;
  for (size_t i = 0; types && (cls = mbs_class_at(MBS_FAMILY_FORCE, i)) != NULL; i++) {
    const mbs_force_class *force = (const mbs_force_class *)cls; /* the class begins with its base */
    const bool is_length = quantity->kind == MBS_INPUT_PRIMITIVE;
    if (is_length ? has_word(force->length, quantity->word)
                  : has_word(force->outputs, quantity->word) || has_word(force->spatial_outputs, quantity->word))
      types = mbs_arena_format(arena, "%s%s%s", types, *types ? ", " : "", cls->name);
  }
  return types;
}

/* Returns true for the output of the limits of a joint, which are no separate element of a document. */
static bool is_limit(const mbs_quantity *quantity) {
  return quantity->owner == MBS_OF_FORCE && strcmp(quantity->word, "limit") == 0;
}

bool mbs_quantity_described(size_t i, mbs_arena *arena, mbs_quantity_entry *out) {
  if (i >= quantity_count) return false;
  const mbs_quantity *each = &quantities[i];
  const mbs_dimension dimension = mbs_dimension_rate(each->dimension, each->level);
  *out =
      (mbs_quantity_entry){.owner = is_limit(each)                  ? "joint with limits"
                                    : each->kind == MBS_INPUT_TOOTH ? "joint with teeth"
                                                                    : owner_name(each->owner),
                           .types = each->owner == MBS_OF_FORCE ? types_with(each, arena) : "",
                           .word = each->word,
                           .numbered = each->component == MBS_COMPONENT_WHICH && each->owner != MBS_OF_FORCE,
                           .plain = each->kind == MBS_INPUT_PRIMITIVE,
                           .use = mbs_quantity_use(each),
                           .needs_forces = mbs_quantity_needs_forces(each),
                           .unit = each->dimension.known ? mbs_dimension_text(dimension, arena) : measured_unit(each),
                           .spaces = each->spaces,
                           .doc = each->doc};
  return out->unit && out->types;
}

/* ---- dimensions ------------------------------------------------------------------------------------------------ */

static const mbs_dimension unknown = MBS_DIMENSION_UNKNOWN, number = MBS_DIMENSION_NUMBER,
                           length = MBS_DIMENSION_LENGTH, angle = MBS_DIMENSION_ANGLE;

mbs_dimension mbs_primitive_dimension(mbs_primitive primitive) {
  if (primitive == MBS_PRIMITIVE_CUSTOM) return unknown;
  if (mbs_is_length(primitive)) return length;
  return mbs_is_turn(primitive) && primitive != MBS_PRIMITIVE_EULER ? angle : number;
}

mbs_dimension mbs_row_dimension(const mbs_block *block) {
  if (block->primitive == MBS_PRIMITIVE_CUSTOM) return block->row->length ? length : unknown;
  return mbs_primitive_dimension(block->primitive);
}

mbs_dimension mbs_effort_dimension(mbs_dimension measured) {
  if (!measured.known) return unknown;
  return measured.m ? (mbs_dimension)MBS_DIMENSION_FORCE : (mbs_dimension)MBS_DIMENSION_TORQUE;
}

mbs_dimension mbs_curve_dimension(const mbs_curve *curve) {
  return curve->kind == MBS_CURVE_POLAR ? angle : curve->kind == MBS_CURVE_SPLINE ? length : unknown;
}

mbs_dimension mbs_force_dimension(const mbs_model *model, const mbs_force *force, int k) {
  const char *word = mbs_force_labels(model, force);
  for (; k > 0 && *word; k--) word += strcspn(word, "|") + 1;
  for (size_t i = 0; i < quantity_count; i++) {
    const mbs_quantity *each = &quantities[i];
    if (!is_of(each, MBS_OF_FORCE, model->dim)) continue;
    size_t size = strlen(each->word);
    if (strncmp(word, each->word, size) != 0) continue;
    if (each->component == MBS_COMPONENT_WHICH) size += strspn(word + size, "0123456789");
    if (word[size] != '|' && word[size] != '\0') continue;
    if (has_word(force->cls->ratios, each->word)) return number;
    if (each->dimension.known) return each->dimension;
    if (force->coordinate < 0) return is_position(each) ? length : unknown;
    const mbs_dimension measured = mbs_primitive_dimension(model->coordinates[force->coordinate].primitive);
    return is_position(each) ? measured : mbs_effort_dimension(measured);
  }
  return unknown;
}

static mbs_dimension output_dimension(const mbs_model *model, int output) {
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (output >= force->first_output && output < force->first_output + force->outputs)
      return mbs_force_dimension(model, force, output - force->first_output);
  }
  return unknown;
}

static mbs_dimension multiplier_dimension(const mbs_model *model, int row) {
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    if (row >= block->first_row && row < block->first_row + block->rows)
      return mbs_effort_dimension(mbs_row_dimension(block));
  }
  return unknown;
}

mbs_dimension mbs_input_dimension(const mbs_model *model, const mbs_input *input) {
  switch (input->kind) {
  case MBS_INPUT_TIME:
    return input->index < 0 ? unknown : (mbs_dimension)MBS_DIMENSION_TIME; /* substitute inputs have an index < 0 */
  case MBS_INPUT_PRIMITIVE:
    return mbs_dimension_rate(mbs_primitive_dimension(model->coordinates[input->index].primitive), input->level);
  case MBS_INPUT_CURVE: return mbs_curve_dimension(&model->curves[input->index]);
  case MBS_INPUT_FORCE: return output_dimension(model, input->index);
  case MBS_INPUT_MULTIPLIER: return multiplier_dimension(model, input->index); /* multiplier of a row of any level */
  default: break;
  }
  for (size_t i = 0; i < quantity_count; i++) {
    const mbs_quantity *each = &quantities[i];
    if (each->kind == input->kind && each->component == input->component && each->level == input->level)
      return mbs_dimension_rate(each->dimension, each->level);
  }
  return unknown;
}

mbs_dimension mbs_law_dimension(const mbs_model *model, const mbs_law *law, mbs_arena *scratch) {
  mbs_dimension *inputs = law->expression ? mbs_arena_alloc(scratch, law->input_count + 1, sizeof *inputs) : NULL;
  if (!inputs) return unknown;
  for (size_t i = 0; i < law->input_count; i++) inputs[i] = mbs_input_dimension(model, &model->inputs[law->inputs[i]]);
  /* Only parameters with a unit in the document have a dimension. All arrays contain SI values, and a product with a
   * number may have another unit, so no parameter is `given` here. */
  size_t count;
  const int *names = mbs_expression_parameters(law->expression, &count);
  mbs_value_dimension *parameters = mbs_arena_alloc(scratch, count + 1, sizeof *parameters);
  for (size_t i = 0; parameters && i < count; i++)
    if (model->parameters[names[i]].unit) parameters[i].dimension = model->parameters[names[i]].of.dimension;
  return mbs_expression_dimension(law->expression, inputs, parameters, scratch, NULL).dimension;
}
