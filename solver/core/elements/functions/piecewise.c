/* C(t) by pieces, each a function of time up to the time `until`; the last one has no end. The function must be
 * continuous; its derivatives may jump, and integration restarts there. */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field piece_fields[] = {{.name = "until",
                                          .kind = MBS_KIND_NUMBER,
                                          .fallback = NAN,
                                          .unit = "s",
                                          .doc = "end time of the piece; not needed for the last piece"},
                                         {.name = "function",
                                          .kind = MBS_KIND_ELEMENT,
                                          .family = MBS_FAMILY_FUNCTION,
                                          .required = true,
                                          .doc = "function of the piece; t is the time of the run"},
                                         {.name = NULL}};
static const mbs_class piece_class = {
    .name = "piece", .doc = "A piece of a piecewise function, valid up to a time.", .fields = piece_fields};

static const mbs_field fields[] = {{.name = "pieces",
                                    .kind = MBS_KIND_OBJECT,
                                    .of = &piece_class,
                                    .min_count = 1,
                                    .max_count = 10000,
                                    .required = true,
                                    .doc = "the pieces, one after another"},
                                   {.name = NULL}};

/* Reads the pieces. data: the ends of the pieces, the last one infinity. */
static void build_function(mbs_builder *builder, mbs_function *function) {
  const mbs_value *pieces = mbs_read_value(function->node, "pieces");
  size_t n = pieces->count;
  for (size_t p = 0; p + 1 < n; p++)
    if (!mbs_read_given(&pieces->nodes[p], "until")) {
      mbs_diagnose(builder->list, MBS_MISSING, pieces->nodes[p].pointer, "only the last piece may omit 'until'");
      return;
    }
  function->parts = mbs_builder_alloc(builder, n, sizeof *function->parts);
  function->data_count = function->break_most = n;
  for (size_t p = 0; p < n && !builder->failed; p++) {
    const mbs_value *value = mbs_read_value(&pieces->nodes[p], "function");
    if (!value->given || value->count == 0) return;
    function->parts[p].element = function->element;
    function->parts[p].unit = function->unit;
    mbs_build_function(builder, &value->nodes[0], &function->parts[p]);
    function->break_most += function->parts[p].break_most;
  }
  function->count = function->part_count = n;
}

/* Reads the ends of the pieces. Returns false after a report. */
static bool read_ends(mbs_binder *binder, const mbs_function *function, double *ends) {
  const mbs_value *pieces = mbs_read_value(function->node, "pieces");
  size_t stand_ins = binder->stand_ins;
  for (size_t p = 0; p < function->data_count; p++) {
    const mbs_node *piece = &pieces->nodes[p];
    ends[p] = INFINITY;
    if (!mbs_read_given(piece, "until")) continue; /* the last piece */
    double end = mbs_read_number(binder, piece, "until");
    if (binder->stand_ins != stand_ins) return false;
    if (p > 0 && !(end > ends[p - 1])) {
      mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(piece, "until")->pointer,
                   "the values of 'until' must increase: %g comes after %g", end, ends[p - 1]);
      return false;
    }
    ends[p] = end;
  }
  return true;
}

/* Lists the ends of the pieces as breaks, and the breaks inside each piece. */
static void bind(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  const double *ends = out->data;
  if (!read_ends(binder, function, out->data)) return;
  for (size_t p = 0; p < function->part_count; p++) {
    mbs_function_constants *part = &binder->constants->functions[function->parts[p].number];
    double start = p ? ends[p - 1] : -INFINITY;
    mbs_function_numbers_of(binder, &function->parts[p], part);
    for (size_t k = 0; k < part->break_count; k++)
      if (part->breaks[k] > start && part->breaks[k] < ends[p]) out->breaks[out->break_count++] = part->breaks[k];
    if (isfinite(ends[p])) out->breaks[out->break_count++] = ends[p];
  }
}

/* Returns the piece at t; at the end of an integrated span, the piece before it. */
static size_t piece_at(const mbs_system *system, const mbs_function *function, double t) {
  const bool left = t >= system->span_end;
  const double at = left ? system->span_end : t, *ends = mbs_function_of(system, function)->data;
  size_t p = 0;
  while (p + 1 < function->count && (left ? at > ends[p] : at >= ends[p])) p++;
  return p;
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const size_t p = piece_at(system, function, t);
  const mbs_function *part = &function->parts[p];
  /* the piece is continued only beyond the end of a span; otherwise it is not defined after its end */
  if (t > mbs_function_of(system, function)->data[p] && t < system->span_end)
    out[0] = out[1] = out[2] = NAN;
  else
    part->cls->value(system, part, t, out);
}

/* Integration restarts at the ends of the pieces, so only the current piece counts. */
static double longest(const mbs_system *system, const mbs_function *function, double t, double lengths) {
  const mbs_function *part = &function->parts[piece_at(system, function, t)];
  return part->cls->longest ? part->cls->longest(system, part, t, lengths) : INFINITY;
}

/* The ends of pieces are breaks, so only the inside of each piece is checked. */
static bool smooth(const mbs_system *system, const mbs_function *function, double low, double high) {
  const double *ends = mbs_function_of(system, function)->data;
  double from = low;
  for (size_t p = 0; p < function->count && from < high; p++) {
    const mbs_function *part = &function->parts[p];
    const double to = fmin(high, ends[p]);
    if (to <= from) continue;
    if (part->cls->smooth && !part->cls->smooth(system, part, from, to)) return false;
    from = to;
  }
  return true;
}

const mbs_function_class mbs_function_piecewise = {
    .base = {.name = "piecewise",
             .doc = "Several functions, one after another in time.",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .bind = bind,
    .value = value,
    .longest = longest,
    .smooth = smooth,
};
