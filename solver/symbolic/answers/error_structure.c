/* error_structure.c - errors of structure: the correct symbols, arranged wrongly. */
#include "symbolic/answers/typical_errors.h"

#include <string.h>

enum { PARTS_MAX = 400, FACTORS_MAX = 32 };

static size_t part_count(const mbs_error_search *s) {
  size_t count = mbs_term_part_count(s->right);
  return count < PARTS_MAX ? count : PARTS_MAX;
}

static const mbs_term *edited(const mbs_error_search *s, size_t number, const mbs_term *by) {
  return mbs_term_with_part(s->algebra, s->right, number, by);
}

static const mbs_term *on(const mbs_error_search *s, mbs_term_kind kind, const mbs_term *x) {
  return mbs_term_of(s->algebra, kind, &x, 1);
}

/* Returns a term without its sign. */
static const mbs_term *bare_of(const mbs_error_search *s, const mbs_term *x) {
  return x->negative ? mbs_term_negative(s->algebra, x) : x;
}

/* ---- sign ---------------------------------------------------------------------------------------------------- */

/* Returns the other name of a vector of the block, with the opposite direction. */
static const mbs_variable *led_back(mbs_error_search *s) {
  size_t count;
  const mbs_variable **symbols = mbs_error_search_symbols(s, &count);
  for (size_t k = 0; symbols && k < count; k++) {
    const char *plain = symbols[k]->rate ? NULL : symbols[k]->equal;
    if (plain && *plain == '-') return symbols[k];
  }
  return NULL;
}

static void add_signs(mbs_error_search *s) {
  const mbs_variable *back = led_back(s);
  const mbs_term *turned = mbs_term_negative(s->algebra, s->right);
  if (back)
    mbs_error_search_add(s, "sign", turned, "the sign is reversed: %s points to the joint, but %s points away from it",
                         back->equal + 1, back->name);
  else if (strcmp(s->entry->result.matrix->name, "C") == 0)
    mbs_error_search_add(s, "sign", turned,
                         "the sign is reversed: a row is the term of the first body minus that of the second");
  else
    mbs_error_search_add(s, "sign", turned, "the sign is reversed: the block is %s",
                         mbs_error_search_text(s, s->right));
  for (size_t k = 0; k < part_count(s); k++) {
    const mbs_term *sum = mbs_term_part(s->right, k, NULL);
    size_t number = k + 1;
    if (sum->kind != MBS_TERM_SUM) continue;
    for (size_t i = 0; i < sum->count; number += mbs_term_part_count(sum->parts[i++])) {
      const mbs_term *opposite = mbs_term_negative(s->algebra, bare_of(s, sum->parts[i])); /* a part keeps its sign */
      mbs_error_search_add(s, "sign", edited(s, number, opposite), "the sign of %s is reversed",
                           mbs_error_search_text(s, sum->parts[i]));
    }
  }
}

/* ---- transposed ---------------------------------------------------------------------------------------------- */

static const mbs_term *swapped_transpose(const mbs_error_search *s, const mbs_term *product, size_t k) {
  const mbs_term *parts[FACTORS_MAX];
  memcpy(parts, product->parts, product->count * sizeof(mbs_term *));
  parts[k] = on(s, MBS_TERM_TRANSPOSE, parts[k]);
  parts[k + 1] = on(s, MBS_TERM_TRANSPOSE, parts[k + 1]);
  return mbs_term_of(s->algebra, MBS_TERM_PRODUCT, parts, product->count);
}

static void add_transposes(mbs_error_search *s) {
  if (!mbs_term_is_scalar(s->right))
    mbs_error_search_add(s, "transposed", on(s, MBS_TERM_TRANSPOSE, s->right), "the block is %s, not its transpose",
                         mbs_error_search_text(s, s->right));
  for (size_t k = 0; k < part_count(s); k++) {
    const mbs_term *part = mbs_term_part(s->right, k, NULL);
    if (part->kind == MBS_TERM_TRANSPOSE)
      mbs_error_search_add(s, "transposed", edited(s, k, part->parts[0]), "%s must be transposed here",
                           mbs_error_search_text(s, part->parts[0]));
    bool matrix = part->rows > 1 && part->columns > 1 && part->kind != MBS_TERM_IDENTITY;
    if (matrix && k > 0)
      mbs_error_search_add(s, "transposed", edited(s, k, on(s, MBS_TERM_TRANSPOSE, part)),
                           "%s must not be transposed here", mbs_error_search_text(s, part));
    if (part->kind != MBS_TERM_PRODUCT || part->count > FACTORS_MAX) continue;
    for (size_t i = 0; i + 1 < part->count; i++)
      if (part->parts[i]->kind == MBS_TERM_TRANSPOSE)
        mbs_error_search_add(s, "transposed", edited(s, k, swapped_transpose(s, part, i)),
                             "transpose the first of the two vectors, not the second");
  }
}

/* ---- ~ ------------------------------------------------------------------------------------------------------- */

static const mbs_term *without_tilde(void *context, const mbs_term *part, size_t number, bool *done) {
  (void)context;
  (void)number;
  *done = part->kind == MBS_TERM_TILDE;
  return *done ? part->parts[0] : NULL;
}

static void add_turns(mbs_error_search *s) {
  bool plane = s->algebra->dim == 2;
  mbs_error_search_add(s, "missing_rotation", mbs_term_substitute(s->algebra, s->right, without_tilde, NULL),
                       "the ~ is missing: the block is %s", mbs_error_search_text(s, s->right));
  for (size_t k = 0; k < part_count(s); k++) {
    const mbs_term *part = mbs_term_part(s->right, k, NULL);
    if (part->kind != MBS_TERM_TILDE) continue;
    mbs_error_search_add(s, "missing_rotation", edited(s, k, part->parts[0]), "%s %s",
                         plane ? "a rotation moves a point at right angles to its vector: write ~ before"
                               : "the cross product needs ~ before",
                         mbs_error_search_text(s, part->parts[0]));
  }
  for (size_t k = 0; k < part_count(s); k++) {
    const mbs_term *above = NULL, *part = mbs_term_part(s->right, k, &above);
    bool vector = part->columns == 1 && part->rows == s->algebra->dim && part->kind != MBS_TERM_SUM;
    if (!vector || (above && above->kind == MBS_TERM_TILDE)) continue;
    const mbs_term *kept = bare_of(s, part);
    mbs_error_search_add(s, "extra_rotation", edited(s, k, on(s, MBS_TERM_TILDE, kept)), "%s must have no ~ here",
                         mbs_error_search_text(s, kept));
  }
}

/* ---- factors ------------------------------------------------------------------------------------------------- */

static void add_missing_factors(mbs_error_search *s) {
  for (size_t k = 0; k < part_count(s); k++) {
    const mbs_term *above = NULL, *part = mbs_term_part(s->right, k, &above);
    if (part->kind == MBS_TERM_SQUARE)
      mbs_error_search_add(s, "missing_factor", edited(s, k, part->parts[0]), "%s must be squared",
                           mbs_error_search_text(s, part->parts[0]));
    if (part->kind == MBS_TERM_QUOTIENT)
      mbs_error_search_add(s, "missing_factor", edited(s, k, part->parts[0]), "the division by %s is missing",
                           mbs_error_search_text(s, part->parts[1]));
    if (!above || above->kind != MBS_TERM_PRODUCT || part->kind == MBS_TERM_NUMBER) continue;
    bool matrix = part->kind == MBS_TERM_SYMBOL && part->rows > 1 && part->columns > 1;
    if (matrix && part->symbol->quantity == MBS_QUANTITY_MATRIX)
      mbs_error_search_add(s, "missing_A", edited(s, k, NULL),
                           "the rotation matrix %s is missing: it transforms body axes to global axes",
                           mbs_error_search_text(s, part));
    else if (matrix || mbs_term_is_scalar(part))
      mbs_error_search_add(s, "missing_factor", edited(s, k, NULL), "the factor %s is missing",
                           mbs_error_search_text(s, part));
  }
}

static const mbs_term *times(const mbs_error_search *s, double number, const mbs_term *x) {
  const mbs_term *both[2] = {mbs_term_number(s->algebra, number), x};
  return mbs_term_of(s->algebra, MBS_TERM_PRODUCT, both, 2);
}

static void add_twos(mbs_error_search *s) {
  mbs_error_search_add(s, "factor_2", times(s, 2, s->right), "the factor 2 is wrong: the block is %s",
                       mbs_error_search_text(s, s->right));
  mbs_error_search_add(s, "factor_2", times(s, 0.5, s->right), "this is half of the block, which is %s",
                       mbs_error_search_text(s, s->right));
  for (size_t k = 1; k < part_count(s); k++) {
    const mbs_term *above = NULL, *part = mbs_term_part(s->right, k, &above);
    bool two = part->kind == MBS_TERM_NUMBER && part->number == 2 && above->kind == MBS_TERM_PRODUCT;
    if (two) mbs_error_search_add(s, "factor_2", edited(s, k, NULL), "the factor 2 is missing");
    if (above->kind != MBS_TERM_SUM) continue;
    const mbs_term *bare = bare_of(s, part);
    mbs_error_search_add(s, "factor_2", edited(s, k, times(s, 2, bare)), "%s must appear once, not twice",
                         mbs_error_search_text(s, bare));
    mbs_error_search_add(s, "factor_2", edited(s, k, times(s, 0.5, bare)), "%s must not be halved",
                         mbs_error_search_text(s, bare));
  }
}

/* ---- the order of a product ---------------------------------------------------------------------------------- */

static void add_orders(mbs_error_search *s) {
  for (size_t k = 0; k < part_count(s); k++) {
    const mbs_term *part = mbs_term_part(s->right, k, NULL);
    if (part->kind != MBS_TERM_PRODUCT || part->count > FACTORS_MAX) continue;
    for (size_t i = 0; i + 1 < part->count; i++) {
      const mbs_term *parts[FACTORS_MAX], *one = part->parts[i], *two = part->parts[i + 1];
      if (mbs_term_is_scalar(one) || mbs_term_is_scalar(two)) continue;
      memcpy(parts, part->parts, part->count * sizeof(mbs_term *));
      bool crossed = one->kind == MBS_TERM_TILDE && two->columns == 1 && two->rows == 3;
      parts[i] = crossed ? on(s, MBS_TERM_TILDE, two) : two;
      parts[i + 1] = crossed ? one->parts[0] : one;
      mbs_error_search_add(s, "order", edited(s, k, mbs_term_of(s->algebra, MBS_TERM_PRODUCT, parts, part->count)),
                           "the order of the factors is wrong: it is %s", mbs_error_search_text(s, part));
    }
  }
}

void mbs_typical_errors_of_form(mbs_error_search *s) {
  add_signs(s);
  add_transposes(s);
  add_turns(s);
  add_missing_factors(s);
  add_twos(s);
}

/* ---- summands ------------------------------------------------------------------------------------------------ */

static bool holds(const mbs_term *x, mbs_quantity quantity, int rate) {
  if (x->kind == MBS_TERM_SYMBOL && x->symbol->quantity == quantity && x->symbol->rate >= rate) return true;
  for (size_t k = 0; k < x->count; k++)
    if (holds(x->parts[k], quantity, rate)) return true;
  return false;
}

static bool holds_velocity(const mbs_term *x) {
  return holds(x, MBS_QUANTITY_COORDINATE, 1) || holds(x, MBS_QUANTITY_BETWEEN, 1) ||
         holds(x, MBS_QUANTITY_DIRECTION, 1) || holds(x, MBS_QUANTITY_OMEGA, 0) || holds(x, MBS_QUANTITY_DRIFT, 0) ||
         holds(x, MBS_QUANTITY_TURN_DRIFT, 0) || holds(x, MBS_QUANTITY_RELATIVE_OMEGA, 0) ||
         holds(x, MBS_QUANTITY_ANGLE, 1);
}

static bool holds_coriolis(const mbs_term *x) {
  bool two = x->kind == MBS_TERM_PRODUCT && x->count > 1 && x->parts[0]->kind == MBS_TERM_NUMBER;
  return holds(x, MBS_QUANTITY_DIRECTION, 1) || (two && holds_velocity(x));
}

/* Returns the body whose mass or inertia a product of M contains; -1 if there is none. */
static int body_of(const mbs_term *x) {
  bool own = x->kind == MBS_TERM_SYMBOL &&
             (x->symbol->quantity == MBS_QUANTITY_MASS || x->symbol->quantity == MBS_QUANTITY_INERTIA);
  if (own) return x->symbol->to.body;
  for (size_t k = 0; k < x->count; k++) {
    int body = body_of(x->parts[k]);
    if (body >= 0) return body;
  }
  return -1;
}

static void add_left_out(mbs_error_search *s, size_t number, const mbs_term *part) {
  const mbs_term *without = edited(s, number, NULL);
  const char *text = mbs_error_search_text(s, part);
  if (holds(part, MBS_QUANTITY_INERTIA, 0) && !holds_velocity(part))
    mbs_error_search_add(s, "missing_inertia", without, "the body also rotates: %s is missing", text);
  if (holds_velocity(part))
    mbs_error_search_add(s, "missing_velocity_term", without, "the velocity term %s is missing", text);
  mbs_error_search_add(s, "missing_term", without, "%s is missing", text);
  if (holds_coriolis(part))
    mbs_error_search_add(s, "missing_coriolis", without,
                         "%s is missing: it is one of the two parts of the Coriolis acceleration", text);
  if (holds(part, MBS_QUANTITY_FORCE, 0) || holds(part, MBS_QUANTITY_TORQUE, 0))
    mbs_error_search_add(s, "missing_force", without, "the term %s of a force or torque is missing", text);
}

typedef struct of_body {
  int body;
  const mbs_term *sum;
} of_body;

static const mbs_term *without_body(void *context, const mbs_term *part, size_t number, bool *done) {
  const of_body *asked = context;
  (void)number;
  for (size_t k = 0; k < asked->sum->count && !*done; k++)
    *done = asked->sum->parts[k] == part && body_of(part) == asked->body;
  return NULL;
}

/* Adds variations without all products of one body. */
static void add_missing_bodies(mbs_error_search *s) {
  if (strcmp(s->entry->result.matrix->name, "M") != 0 || s->right->kind != MBS_TERM_SUM) return;
  for (size_t b = 1; b <= s->work->model->nB; b++) {
    int body = s->work->model->user_body[b - 1];
    of_body asked = {.body = body, .sum = s->right};
    const mbs_term *without = mbs_term_substitute(s->algebra, s->right, without_body, &asked);
    if (without != s->right)
      mbs_error_search_add(s, "missing_body", without, "body %zu (%s) also moves: its terms are missing", b,
                           s->work->model->bodies[body].name);
  }
}

/* A kind of products that may be missing everywhere in a block. */
typedef struct forgotten {
  const char *slip, *what;
  bool (*is)(const mbs_term *x);
} forgotten;

static bool is_of_inertia(const mbs_term *x) { return holds(x, MBS_QUANTITY_INERTIA, 0) && !holds_velocity(x); }
static bool is_of_mass(const mbs_term *x) { return holds(x, MBS_QUANTITY_MASS, 0) && !holds_velocity(x); }
static bool is_of_force(const mbs_term *x) {
  return holds(x, MBS_QUANTITY_FORCE, 0) || holds(x, MBS_QUANTITY_TORQUE, 0);
}

static const forgotten all_forgotten[] = {
    {"missing_inertia", "the bodies also rotate: all terms with J are missing", is_of_inertia},
    {"missing_term", "the mass centres also move: all terms with m are missing", is_of_mass},
    {"missing_velocity_term", "all velocity terms are missing", holds_velocity},
    {"missing_force", "all forces and torques are missing", is_of_force}};

/* Adds variations without all products of a kind, if there are several. */
static void add_all_forgotten(mbs_error_search *s) {
  for (size_t k = 0; k < sizeof all_forgotten / sizeof *all_forgotten; k++) {
    forgotten kind = all_forgotten[k];
    size_t several = 0;
    for (size_t i = 0; s->right->kind == MBS_TERM_SUM && i < s->right->count; i++)
      several += kind.is(s->right->parts[i]);
    if (several < 2 || several == s->right->count) continue;
    const mbs_term *parts[PARTS_MAX], *without;
    size_t count = 0;
    for (size_t i = 0; i < s->right->count && i < PARTS_MAX; i++)
      if (!kind.is(s->right->parts[i])) parts[count++] = s->right->parts[i];
    without = count == 1 ? parts[0] : mbs_term_of(s->algebra, MBS_TERM_SUM, parts, count);
    if (s->right->count <= PARTS_MAX) mbs_error_search_add(s, kind.slip, without, "%s", kind.what);
  }
}

void mbs_typical_errors_of_sums(mbs_error_search *s) {
  add_missing_bodies(s);
  add_all_forgotten(s);
  for (size_t k = 0; k < part_count(s); k++) {
    const mbs_term *sum = mbs_term_part(s->right, k, NULL);
    size_t number = k + 1;
    if (sum->kind != MBS_TERM_SUM) continue;
    for (size_t i = 0; i < sum->count; number += mbs_term_part_count(sum->parts[i++]))
      add_left_out(s, number, sum->parts[i]);
  }
  add_orders(s);
}
