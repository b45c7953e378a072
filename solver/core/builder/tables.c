/* tables.c - functions of the document that are tables: their cubics, pieces and cells. */
#include "builder/named_functions.h"
#include "linalg/cubic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Continuation of a lookup beyond an end. */
typedef enum table_end {
  END_OPEN, /* the last cubic continues */
  END_UNDEFINED,
  END_CONSTANT,
  END_STRAIGHT
} table_end;

/* Points of a lookup, with slopes, or NULL for straight lines. */
typedef struct curve {
  size_t n;
  const double *x, *y, *slopes;
  bool smooth; /* two derivatives are continuous */
} curve;

static void *grow(mbs_builder *builder, size_t count, size_t size) { return mbs_builder_alloc(builder, count, size); }

/* ---- lookups --------------------------------------------------------------------------------------------------- */

static mbs_cubic_piece inner_cubic(const curve *points, size_t i) {
  const double *x = points->x + i, *y = points->y + i, h = x[1] - x[0];
  mbs_cubic_piece out = {.origin = x[0], .c = {y[0], (y[1] - y[0]) / h}};
  if (points->slopes) mbs_cubic_coefficients(h, y[0], y[1], points->slopes[i], points->slopes[i + 1], out.c);
  return out;
}

static mbs_cubic_piece end_cubic(const curve *points, size_t i, table_end end) {
  mbs_cubic_piece out = {.origin = points->x[i], .c = {points->y[i]}};
  if (end == END_STRAIGHT) out.c[1] = points->slopes[i];
  return out;
}

/* Divides the cubics into pieces: each is one, those of a smooth curve are one together. */
static void divide(mbs_lookup *lookup, bool smooth, bool below, bool above) {
  lookup->pieces = 0;
  for (size_t i = 0; i < lookup->count; i++) {
    const bool inside = i > below && i + above < lookup->count;
    if (smooth && inside) continue;
    if (i > 0) lookup->ends[lookup->pieces - 1] = lookup->knots[i - 1];
    lookup->first[lookup->pieces++] = i;
  }
  lookup->first[lookup->pieces] = lookup->count;
}

static void find_extremes(mbs_builder *builder, const curve *points, mbs_lookup *lookup) {
  lookup->extremes = grow(builder, points->n, sizeof *lookup->extremes);
  if (!points->smooth || !lookup->extremes) return;
  mbs_cubic_find_extremes(points->n, points->x, points->y, points->slopes, lookup->extremes);
  while (lookup->extreme_count < points->n && isfinite(lookup->extremes[lookup->extreme_count]))
    lookup->extreme_count++;
}

/* Fills a lookup through points; a single point is a constant. */
static void fill_lookup(mbs_builder *builder, const char *name, const curve *points, table_end low, table_end high,
                        mbs_lookup *lookup) {
  const bool straight = !points->slopes;
  if (straight && low == END_STRAIGHT) low = END_OPEN;
  if (straight && high == END_STRAIGHT) high = END_OPEN;
  const bool below = points->n > 1 && low != END_OPEN, above = points->n > 1 && high != END_OPEN;
  const size_t inner = points->n > 1 ? points->n - 1 : 1, most = inner + 2;
  *lookup = (mbs_lookup){.name = name, .undefined = {low == END_UNDEFINED, high == END_UNDEFINED}};
  lookup->cubics = grow(builder, most, sizeof *lookup->cubics);
  lookup->knots = grow(builder, most, sizeof *lookup->knots);
  lookup->ends = grow(builder, most, sizeof *lookup->ends);
  lookup->first = grow(builder, most + 1, sizeof *lookup->first);
  find_extremes(builder, points, lookup);
  if (builder->failed) return;
  if (below) lookup->cubics[lookup->count++] = end_cubic(points, 0, low);
  for (size_t i = 0; i < inner; i++)
    lookup->cubics[lookup->count++] = points->n > 1 ? inner_cubic(points, i) : end_cubic(points, 0, END_CONSTANT);
  if (above) lookup->cubics[lookup->count++] = end_cubic(points, points->n - 1, high);
  memcpy(lookup->knots, points->x + !below, (lookup->count - 1) * sizeof *lookup->knots);
  divide(lookup, points->smooth, below, above);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Reads the numbers of a field. Returns NULL if there are none, or after a report. */
static double *read_axis(mbs_builder *builder, const mbs_node *node, const char *field, size_t *count) {
  mbs_binder *binder = mbs_structure_of(builder);
  const mbs_value *value = mbs_read_value(node, field);
  const size_t stand_ins = binder->stand_ins;
  double *out = grow(builder, value->count, sizeof *out);
  *count = value->count;
  if (!out || !value->given || value->count < 2) return NULL;
  mbs_read_numbers(binder, node, field, out, value->count);
  return binder->stand_ins == stand_ins ? out : NULL;
}

/* Returns true if the numbers of an axis ascend; with `repeats` a number may come twice. Reports all others. */
static bool ascends(mbs_builder *builder, const mbs_node *node, const char *field, const double *x, size_t n,
                    bool repeats) {
  bool good = true;
  for (size_t i = 1; i < n; i++) {
    const bool twice = repeats && x[i] == x[i - 1] && (i < 2 || x[i - 2] < x[i]);
    if (x[i] > x[i - 1] || twice) continue;
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(mbs_read_value(node, field), i, pointer);
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, pointer, "%s must ascend%s: %.9g comes after %.9g", field,
                 repeats ? "; a number may come twice, where the function jumps" : "", x[i], x[i - 1]);
    good = false;
  }
  return good;
}

static table_end end_of(mbs_outside outside) {
  static const table_end ends[] = {[MBS_OUTSIDE_ERROR] = END_UNDEFINED,
                                   [MBS_OUTSIDE_HOLD] = END_CONSTANT,
                                   [MBS_OUTSIDE_EXTEND] = END_STRAIGHT,
                                   [MBS_OUTSIDE_PERIODIC] = END_OPEN};
  return ends[outside];
}

/* ---- one argument ------------------------------------------------------------------------------------------------ */

/* Computes the slopes of a curve; NULL for straight lines, or after a report. */
static const double *slopes_of(mbs_builder *builder, const mbs_node *node, mbs_interpolation interpolation,
                               bool periodic, size_t n, const double *x, const double *y) {
  double *slopes = grow(builder, n, sizeof *slopes), *workspace = grow(builder, mbs_cubic_workspace(n), sizeof *slopes);
  if (builder->failed) return NULL;
  switch (interpolation) {
  case MBS_INTERPOLATION_AKIMA: mbs_cubic_akima(n, x, y, periodic, slopes); break;
  case MBS_INTERPOLATION_MONOTONE: mbs_cubic_monotone(n, x, y, periodic, slopes); break;
  case MBS_INTERPOLATION_SPLINE:
    if (!periodic) {
      mbs_cubic_not_a_knot(n, x, y, slopes, workspace);
    } else if (n >= 4) {
      mbs_cubic_periodic(n - 1, x, y, slopes, workspace);
    } else {
      mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "x")->pointer,
                   "a periodic spline needs at least 4 points, not %zu", n);
      return NULL;
    }
    break;
  default: return NULL;
  }
  return slopes;
}

/* Fills the segments between jumps of straight lines. */
static void fill_segments(mbs_builder *builder, const char *name, const curve *whole, table_end end,
                          mbs_lookup *segments, mbs_table *table) {
  size_t first = 0;
  for (size_t i = 1; i <= whole->n; i++) {
    const bool last = i == whole->n;
    if (!last && whole->x[i] > whole->x[i - 1]) continue;
    const curve part = {.n = i - first, .x = whole->x + first, .y = whole->y + first};
    fill_lookup(builder, name, &part, first == 0 ? end : END_OPEN, last ? end : END_OPEN,
                &segments[table->segment_count]);
    if (builder->failed) return;
    if (!last) table->jumps[table->segment_count] = whole->x[i];
    table->segment_count++;
    first = i;
  }
}

/* Checks the ends of a table: what repeats must meet, and a jump at an end needs a value beyond it. */
static bool ends_meet(mbs_builder *builder, const mbs_node *node, const curve *points, mbs_outside outside,
                      mbs_interpolation interpolation) {
  const size_t n = points->n;
  const double *x = points->x, *y = points->y;
  if (outside == MBS_OUTSIDE_PERIODIC && interpolation != MBS_INTERPOLATION_LINEAR && y[0] != y[n - 1]) {
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "y")->pointer,
                 "a periodic curve must end with its first value %.9g, not %.9g", y[0], y[n - 1]);
    return false;
  }
  const bool repeats = outside == MBS_OUTSIDE_PERIODIC && x[n - 1] > x[0];
  if ((x[1] == x[0] || x[n - 1] == x[n - 2]) && outside != MBS_OUTSIDE_HOLD && !repeats) {
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "x")->pointer,
                 "a jump at an end of the table needs outside: hold, or a period: periodic");
    return false;
  }
  return true;
}

static void read_curve(mbs_builder *builder, const mbs_node *node, const mbs_named_function *function,
                       mbs_outside outside, mbs_interpolation interpolation, mbs_table *table) {
  size_t n, values;
  const double *x = read_axis(builder, node, "x", &n), *y = read_axis(builder, node, "y", &values);
  const bool linear = interpolation == MBS_INTERPOLATION_LINEAR, periodic = outside == MBS_OUTSIDE_PERIODIC;
  bool good = x && y && ascends(builder, node, "x", x, n, linear);
  if (mbs_read_given(node, "x") && mbs_read_given(node, "y") && values != n) {
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, mbs_read_value(node, "y")->pointer,
                 "a table with %zu numbers in x needs %zu values in y, not %zu", n, n, values);
    good = false;
  }
  curve points = {.n = n, .x = x, .y = y};
  if (!good || !ends_meet(builder, node, &points, outside, interpolation)) return;
  table->from[0] = x[0];
  table->period[0] = x[n - 1] - x[0];
  if (!linear && !(points.slopes = slopes_of(builder, node, interpolation, periodic, n, x, y))) return;
  points.smooth = interpolation == MBS_INTERPOLATION_SPLINE;
  table->wraps = periodic && !points.smooth;
  mbs_lookup *segments = grow(builder, n, sizeof *segments);
  table->jumps = grow(builder, n, sizeof *table->jumps);
  if (builder->failed) return;
  table->segments = segments;
  if (linear) {
    fill_segments(builder, function->name, &points, end_of(outside), segments, table);
  } else {
    fill_lookup(builder, function->name, &points, end_of(outside), end_of(outside), segments);
    segments->from = x[0];
    segments->period = periodic && points.smooth ? table->period[0] : 0;
    table->segment_count = 1;
  }
}

/* ---- two arguments ----------------------------------------------------------------------------------------------- */

/* Fills u(a), which goes from 0 to 1 in each cell of an axis. */
static void fill_fraction(mbs_builder *builder, const char *name, const double *x, size_t n, table_end end,
                          mbs_lookup *lookup) {
  const curve points = {.n = n, .x = x, .y = x};
  fill_lookup(builder, name, &points, end, end, lookup);
  if (builder->failed) return;
  const size_t below = lookup->count > n - 1;
  for (size_t i = 0; i < n - 1; i++)
    lookup->cubics[below + i] = (mbs_cubic_piece){.origin = x[i], .c = {0, 1 / (x[i + 1] - x[i])}};
  if (!below) return;
  lookup->cubics[0].c[0] = 0;
  lookup->cubics[n].c[0] = 1;
}

/* Returns the cell of a piece of an axis with `cells` cells; pieces beyond the ends have that at the end. */
static size_t cell_of(const mbs_lookup *fraction, size_t piece, size_t cells) {
  const size_t below = fraction->pieces > cells;
  const size_t cell = piece < below ? 0 : piece - below;
  return cell < cells ? cell : cells - 1;
}

/* Fills the four grids. z [rows x columns] */
static void fill_grids(mbs_builder *builder, const char *name, const double *z, size_t rows, size_t columns,
                       const mbs_lookup *fractions, mbs_lookup *grids) {
  const size_t pieces = fractions[0].pieces, across = fractions[1].pieces;
  double *out = grow(builder, 4 * pieces * across, sizeof *out);
  for (size_t k = 0; k < 4 && out; k++)
    grids[k] = (mbs_lookup){.name = name, .grid = out + k * pieces * across, .rows = pieces, .columns = across};
  for (size_t p = 0; p < pieces && out; p++)
    for (size_t q = 0; q < across; q++) {
      const double *corner = z + cell_of(&fractions[0], p, rows - 1) * columns + cell_of(&fractions[1], q, columns - 1);
      const double z00 = corner[0], z01 = corner[1], z10 = corner[columns], z11 = corner[columns + 1];
      double *at = out + p * across + q;
      const size_t grid = pieces * across;
      at[0] = z00;
      at[grid] = z10 - z00;
      at[2 * grid] = z01 - z00;
      at[3 * grid] = z11 - z10 - z01 + z00;
    }
}

/* Reads the rows of z. Returns NULL after a report. */
static const double *read_rows(mbs_builder *builder, const mbs_node *node, size_t rows, size_t columns) {
  static const mbs_field number = {.name = "z"};
  const mbs_value *value = mbs_read_value(node, "z");
  double *z = grow(builder, rows * columns, sizeof *z);
  bool good = z != NULL;
  if (value->count != rows) {
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, value->pointer,
                 "a table with %zu numbers in x needs %zu rows in z, not %zu", rows, rows, value->count);
    return NULL;
  }
  for (size_t i = 0; i < rows && z; i++) {
    const mbs_value *row = &value->nodes[i].values[0];
    if (row->given && row->count != columns)
      mbs_diagnose(builder->list, MBS_WRONG_TYPE, row->pointer,
                   "a table with %zu numbers in y needs %zu values in each row of z, not %zu", columns, columns,
                   row->count);
    good = good && row->given && row->count == columns;
    const size_t stand_ins = builder->binder.stand_ins;
    for (size_t j = 0; j < columns && row->given && row->count == columns; j++)
      z[i * columns + j] = mbs_read_item(mbs_structure_of(builder), &number, row, j);
    good = good && builder->binder.stand_ins == stand_ins;
  }
  return good ? z : NULL;
}

static void read_surface(mbs_builder *builder, const mbs_node *node, const mbs_named_function *function,
                         mbs_outside outside, mbs_interpolation interpolation, mbs_table *table) {
  static const char *const names[2] = {"x", "y"};
  size_t counts[2];
  const double *axes[2];
  bool good = true;
  for (int k = 0; k < 2; k++) {
    axes[k] = read_axis(builder, node, names[k], &counts[k]);
    good = axes[k] && ascends(builder, node, names[k], axes[k], counts[k], false) && good;
  }
  if (interpolation != MBS_INTERPOLATION_LINEAR) {
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "interpolation")->pointer,
                 "a table of two arguments is interpolated linearly");
    good = false;
  }
  const bool sized = counts[0] >= 2 && counts[1] >= 2 && mbs_read_value(node, "z")->given;
  const double *z = sized ? read_rows(builder, node, counts[0], counts[1]) : NULL;
  mbs_lookup *lookups = grow(builder, 6, sizeof *lookups);
  if (!good || !z || !lookups) return;
  for (int k = 0; k < 2; k++) {
    table->from[k] = axes[k][0];
    table->period[k] = axes[k][counts[k] - 1] - axes[k][0];
    fill_fraction(builder, function->name, axes[k], counts[k], end_of(outside), &lookups[k]);
  }
  if (!builder->failed) fill_grids(builder, function->name, z, counts[0], counts[1], lookups, lookups + 2);
  table->fractions = lookups;
  table->grids = lookups + 2;
  table->wraps = outside == MBS_OUTSIDE_PERIODIC;
  table->segment_count = 1; /* the table is complete */
}

const mbs_table *mbs_read_table(mbs_builder *builder, const mbs_node *node, const mbs_named_function *function) {
  mbs_table *table = mbs_builder_alloc(builder, 1, sizeof *table);
  if (!table) return NULL;
  const mbs_outside outside = (mbs_outside)mbs_read_choice(node, "outside");
  const mbs_interpolation interpolation = (mbs_interpolation)mbs_read_choice(node, "interpolation");
  table->arguments = (size_t)function->arguments;
  if (table->arguments == 1)
    read_curve(builder, node, function, outside, interpolation, table);
  else
    read_surface(builder, node, function, outside, interpolation, table);
  assert(table->arguments == 1 || table->arguments == 2);
  return table->segment_count > 0 && !builder->failed ? table : NULL;
}
