/* Checks of drawing data. No motion depends on them, so the model does not store them; their errors are reported like
 * others. */
#include "builder/builder.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *const colors[] = {
#define MBS_COLOR(name) #name,
#include "model/colors.def"
#undef MBS_COLOR
};
enum { COLORS = sizeof colors / sizeof colors[0] };

static bool is_named_color(const char *text) {
  for (size_t i = 0; i < COLORS; i++)
    if (strcasecmp(text, colors[i]) == 0) return true;
  return false;
}

/* Returns true for "#rgb", "#rrggbb", and each with one or two further digits for transparency. */
static bool is_mixed_color(const char *text) {
  size_t digits = 0;
  if (text[0] != '#') return false;
  while (isxdigit((unsigned char)text[1 + digits])) digits++;
  return text[1 + digits] == '\0' && (digits == 3 || digits == 4 || digits == 6 || digits == 8);
}

static void check_color(mbs_builder *builder, const char *text, const char *pointer) {
  if (is_mixed_color(text) || is_named_color(text)) return;
  const char *nearest = mbs_nearest(text, colors, COLORS);
  mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "unknown color '%.60s'; %s%s%s", text,
               nearest ? "did you mean '" : "write \"#rrggbb\" or a CSS color name", nearest ? nearest : "",
               nearest ? "'?" : "");
}

static void check_scalars(mbs_builder *builder, const mbs_field *field, const mbs_value *value) {
  for (size_t i = 0; i < value->count; i++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(value, i, pointer);
    const mbs_scalar *scalar = &value->scalars[i];
    if (field->kind == MBS_KIND_COLOR)
      check_color(builder, scalar->text, pointer);
    else /* an expression stores its pointer */
      mbs_read_scalar(mbs_numbers_of(builder), field, scalar, scalar->text ? mbs_keep_text(builder, pointer) : pointer);
  }
}

/* Checks a row: positions; rows without a unit are three indices of positions. */
static void check_row(mbs_builder *builder, const mbs_field *field, const mbs_node *row) {
  const mbs_value *place = &row->values[0];
  size_t most = (size_t)builder->model->dim;
  if (!place->given) return;
  if (!field->unit && place->count != 3)
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, place->pointer, "expected 3 values, got %zu", place->count);
  else if (place->count < 2 || place->count > most)
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, place->pointer, "expected %s in a %s model, got %zu values",
                 most == 2 ? "2 values" : "2 or 3 values", builder->model->kernels->name, place->count);
  else
    check_scalars(builder, field, place);
}

static void check_hint(mbs_builder *builder, const mbs_node *hint) {
  for (size_t i = 0; hint->cls->fields[i].name; i++) {
    const mbs_field *field = &hint->cls->fields[i];
    const mbs_value *value = &hint->values[i];
    if (!value->given || field->kind == MBS_KIND_TEXT || field->kind == MBS_KIND_CHOICE) continue;
    if (field->kind != MBS_KIND_ROW) check_scalars(builder, field, value);
    for (size_t k = 0; field->kind == MBS_KIND_ROW && k < value->count; k++)
      check_row(builder, field, &value->nodes[k]);
  }
  const mbs_shape_class *shape = (const mbs_shape_class *)hint->cls;
  if (shape->check) shape->check(builder, hint);
}

static void check_shapes(mbs_builder *builder, const mbs_node *body) {
  const mbs_value *shapes = mbs_read_value(body, "shapes");
  for (size_t i = 0; i < shapes->count; i++) check_hint(builder, &shapes->nodes[i]);
}

static void check_view(mbs_builder *builder) {
  static const char *const axes[] = {"x", "y", "z"};
  const mbs_value *value = mbs_read_value(builder->document, "view");
  if (!value->given || value->count == 0) return;
  const mbs_node *view = &value->nodes[0];
  for (size_t k = 0; k < 3; k++) {
    double range[2];
    size_t stand_ins = builder->binder.stand_ins,
           count = mbs_read_numbers(mbs_numbers_of(builder), view, axes[k], range, 2);
    if (count == 2 && builder->binder.stand_ins == stand_ins && !(range[0] < range[1]))
      mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(view, axes[k])->pointer,
                   "a view must go from a smaller to a larger %s, not from %g to %g", axes[k], range[0], range[1]);
  }
  bool x = mbs_read_given(view, "x"), y = mbs_read_given(view, "y");
  if (x != y) mbs_diagnose(builder->list, MBS_MISSING, view->pointer, "missing field '%s' of view", x ? "y" : "x");
}

void mbs_check_drawing(mbs_builder *builder) {
  const mbs_value *ground = mbs_read_value(builder->document, "ground"),
                  *bodies = mbs_read_value(builder->document, "bodies");
  if (ground->given && ground->count) check_shapes(builder, &ground->nodes[0]);
  for (size_t i = 0; i < bodies->count; i++) check_shapes(builder, &bodies->nodes[i]);
  check_view(builder);
}
