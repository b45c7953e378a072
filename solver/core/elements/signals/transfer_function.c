/* A transfer function
 *
 *   y / u = (b0 s^m + ... + bm) / (a0 s^n + ... + an),   m <= n,
 *
 * in the controllable canonical form: a0 x1^(n) + a1 x1^(n-1) + ... + an x1 = u, with xk' = x(k+1), and y from these
 * derivatives of x1. */
#include "elements/signals/signal.h"

#include <stdio.h>
#include <string.h>

enum { ORDER_MAX = 20, LOCALS = 3 * (ORDER_MAX + 1) + 3, NAME = 8, TEXT = 24 * (ORDER_MAX + 2) };

static const mbs_field fields[] = {
    MBS_SIGNAL_NAME,
    {.name = "input", .kind = MBS_KIND_LAW, .required = true, .fallback = NAN, .doc = "input u"},
    {.name = "numerator",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = ORDER_MAX + 1,
     .required = true,
     .fallback = NAN,
     .doc = "coefficients of the numerator, highest power of s first; its degree is at most that of the denominator"},
    {.name = "denominator",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = ORDER_MAX + 1,
     .required = true,
     .fallback = NAN,
     .doc = "coefficients of the denominator, highest power of s first; the first is not 0"},
    MBS_SIGNAL_END};

/* The names of a signal's expressions while they are declared. */
typedef struct names {
  mbs_builder *builder;
  mbs_local_name *locals; /* [LOCALS + 1] */
  size_t count;
} names;

/* Adds the name of a coefficient or state, `letter` with a number. */
static mbs_local_name *add(names *self, char letter, size_t number) {
  mbs_local_name *local = &self->locals[self->count++];
  local->name = mbs_arena_format(self->builder->arena, "%c%zu", letter, number);
  self->builder->failed |= !local->name;
  return local;
}

/* Returns the number of coefficients without leading zeros. */
static size_t coefficients(const mbs_value *value, size_t *first) {
  for (*first = 0; *first < value->count; ++*first)
    if (value->scalars[*first].text || value->scalars[*first].number != 0) break;
  return value->count - *first;
}

/* Appends " + b1*x3" for coefficient k of a polynomial of degree n. */
static void append(char text[TEXT], size_t *used, char letter, size_t k, size_t n) {
  *used += (size_t)snprintf(text + *used, TEXT - *used, "%s%c%zu*x%zu", *used ? " + " : "", letter, k, n - k + 1);
}

static void declare(mbs_builder *builder, mbs_document_signal *signal) {
  const mbs_node *node = signal->node;
  const mbs_value *above = mbs_read_value(node, "numerator"), *below = mbs_read_value(node, "denominator");
  size_t first;
  const size_t b = coefficients(above, &first), n = below->count - 1;
  names self = {builder, mbs_builder_alloc(builder, LOCALS + 1, sizeof *self.locals), 0};
  signal->place = mbs_read_value(node, "input")->pointer;
  if (!signal->place) signal->place = node->pointer;
  if (!self.locals || below->count == 0 || b > n + 1) return;
  signal->locals = self.locals;
  self.locals[self.count++] = (mbs_local_name){.name = "u", .text = mbs_definition_text(builder, node, "input")};
  for (size_t k = 0; k <= n; k++) add(&self, 'a', k)->text = mbs_definition_item(builder, node, "denominator", k);
  for (size_t k = 0; k < b; k++)
    add(&self, 'b', n + 1 - b + k)->text = mbs_definition_item(builder, node, "numerator", first + k);
  char sum[TEXT] = "", out[TEXT] = "";
  size_t used = 0, written = 0;
  for (size_t k = 1; k <= n; k++) append(sum, &used, 'a', k, n);
  for (size_t k = b > n ? 1 : n + 1 - b; k <= n; k++) append(out, &written, 'b', k, n);
  const char *highest = mbs_arena_format(builder->arena, "(u - (%s))/a0", n ? sum : "0");
  for (size_t k = 1; k <= n && highest; k++) {
    const char *rate = k < n ? mbs_arena_format(builder->arena, "x%zu", k + 1) : highest;
    builder->failed |= !rate;
    add(&self, 'x', k)->input = mbs_signal_add_state(builder, signal, rate, false);
  }
  const char *direct = b > n ? mbs_arena_format(builder->arena, "b0*%s%s", highest, written ? " + " : "") : "";
  signal->text = direct ? mbs_arena_format(builder->arena, "%s%s", direct, b ? out : "0") : NULL;
  if (!signal->text) builder->failed = true;
}

static void check(mbs_binder *binder, const mbs_document_signal *signal) {
  const mbs_value *above = mbs_read_value(signal->node, "numerator"),
                  *below = mbs_read_value(signal->node, "denominator");
  double a[ORDER_MAX + 1] = {0}, b[ORDER_MAX + 1] = {0};
  size_t first, stand_ins = binder->stand_ins;
  mbs_read_numbers(binder, signal->node, "numerator", b, ORDER_MAX + 1);
  if (mbs_read_numbers(binder, signal->node, "denominator", a, ORDER_MAX + 1) == 0 || above->count == 0) return;
  if (a[0] == 0 && binder->stand_ins == stand_ins)
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, below->pointer,
                 "the first coefficient of the denominator must not be 0");
  if (coefficients(above, &first) > below->count)
    mbs_diagnose(binder->list, MBS_INVALID, above->pointer,
                 "the transfer function is not proper: the degree of the numerator, %zu, exceeds that of the "
                 "denominator, %zu",
                 above->count - first - 1, below->count - 1);
}

const mbs_signal_class mbs_signal_transfer_function = {
    .base = {.name = "transfer-function",
             .doc = "A linear transfer function. All its states are zero at the start.",
             .equation = "y / u = (b0 s^m + ... + bm) / (a0 s^n + ... + an)",
             .fields = fields,
             .family = MBS_FAMILY_SIGNAL,
             .spaces = MBS_ANY_SPACE},
    .declare = declare,
    .check = check,
};
