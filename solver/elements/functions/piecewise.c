/* C(t) by pieces, each a function of time up to the time `until`; the last one has no end. The pieces must meet; their
 * derivatives may jump, and integration restarts there. */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field piece_fields[] = {{.name = "until",
                                          .kind = MBS_KIND_NUMBER,
                                          .fallback = NAN,
                                          .unit = "s",
                                          .doc = "end of the piece; the last one needs none"},
                                         {.name = "function",
                                          .kind = MBS_KIND_ELEMENT,
                                          .family = MBS_FAMILY_FUNCTION,
                                          .required = true,
                                          .doc = "the function of the piece, of the same time t"},
                                         {.name = NULL}};
static const mbs_class piece_class = {.name = "piece", .doc = "A function up to a time.", .fields = piece_fields};

static const mbs_field fields[] = {{.name = "pieces",
                                    .kind = MBS_KIND_OBJECT,
                                    .of = &piece_class,
                                    .min_count = 1,
                                    .max_count = 10000,
                                    .required = true,
                                    .doc = "the pieces, one after another"},
                                   {.name = NULL}};

/* The ends of the pieces into data; the last one is infinity. False after a report. */
static bool read_ends(mbs_builder *builder, const mbs_value *pieces, mbs_function *function) {
  size_t stand_ins = builder->stand_ins;
  for (size_t p = 0; p < pieces->count; p++) {
    const mbs_node *piece = &pieces->nodes[p];
    bool last = p + 1 == pieces->count;
    function->data[p] = INFINITY;
    if (!mbs_read_given(piece, "until")) {
      if (last) continue;
      mbs_diagnose(builder->list, MBS_MISSING, piece->pointer, "only the last piece may leave 'until' out");
      return false;
    }
    double end = mbs_read_number(builder, piece, "until");
    if (builder->stand_ins != stand_ins) return false;
    if (p > 0 && !(end > function->data[p - 1])) {
      mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(piece, "until")->pointer,
                   "the pieces must follow one another: %g comes after %g", end, function->data[p - 1]);
      return false;
    }
    function->data[p] = end;
  }
  return true;
}

/* Ends of the pieces, and the breaks of a piece that lie in it. */
static void collect_breaks(mbs_builder *builder, mbs_function *function) {
  size_t n = function->part_count, count = 0, most = n;
  for (size_t p = 0; p < n; p++) most += function->parts[p].break_count;
  double *breaks = mbs_builder_alloc(builder, most, sizeof *breaks);
  for (size_t p = 0; p < n && breaks; p++) {
    const mbs_function *part = &function->parts[p];
    double start = p ? function->data[p - 1] : -INFINITY;
    for (size_t k = 0; k < part->break_count; k++)
      if (part->breaks[k] > start && part->breaks[k] < function->data[p]) breaks[count++] = part->breaks[k];
    if (isfinite(function->data[p])) breaks[count++] = function->data[p];
  }
  function->breaks = breaks;
  function->break_count = count;
}

static void build_function(mbs_builder *builder, const mbs_node *node, mbs_function *function) {
  const mbs_value *pieces = mbs_read_value(node, "pieces");
  size_t n = pieces->count;
  function->data = mbs_builder_alloc(builder, n, sizeof *function->data);
  function->parts = mbs_builder_alloc(builder, n, sizeof *function->parts);
  if (builder->failed || n == 0 || !read_ends(builder, pieces, function)) return;
  for (size_t p = 0; p < n; p++) {
    const mbs_value *value = mbs_read_value(&pieces->nodes[p], "function");
    if (!value->given || value->count == 0) return;
    function->parts[p].element = function->element;
    mbs_build_function(builder, &value->nodes[0], &function->parts[p]);
    if (builder->failed) return;
  }
  function->count = function->part_count = n;
  collect_breaks(builder, function);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  /* At the end of a span that is integrated, the piece before it counts. */
  const bool left = t >= system->t_left;
  const double at = left ? system->t_left : t;
  size_t p = 0;
  while (p + 1 < function->count && (left ? at > function->data[p] : at >= function->data[p])) p++;
  const mbs_function *part = &function->parts[p];
  if (t > function->data[p] && !left) /* a piece goes on as it was where one looks beyond a span */
    out[0] = out[1] = out[2] = NAN;
  else
    part->cls->value(system, part, t, out);
}

const mbs_function_class mbs_function_piecewise = {
    .base = {.name = "piecewise",
             .doc = "Functions one after another.",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .value = value,
};
