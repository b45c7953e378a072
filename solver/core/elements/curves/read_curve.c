/* Curves: reading, and properties that are determined once: whether they are closed, their direction, and samples from
 * which searches start. */
#include "elements/curves/read_curve.h"

#include "base/rotation.h"
#include "kernels/curve.h"
#include "linalg/cubic.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Two points of a curve are equal if they differ by less than this share of its size. */
static const double same_place = 1e-9;

static const mbs_field fields[] = {
    {.name = "polar",
     .kind = MBS_KIND_LAW,
     .fallback = NAN,
     .unit = "m",
     .doc = "radius rho(alpha) over one revolution"},
    {.name = "x", .kind = MBS_KIND_LAW, .fallback = NAN, .unit = "m", .doc = "x(alpha)"},
    {.name = "y", .kind = MBS_KIND_LAW, .fallback = NAN, .unit = "m", .doc = "y(alpha)"},
    {.name = "spline",
     .kind = MBS_KIND_ROW,
     .min_count = 3,
     .max_count = 100000,
     .unit = "m",
     .doc = "points [x, y] of a smooth closed curve; alpha is the chord length from the first point"},
    {.name = "range",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .unit = "rad or m",
     .doc = "first and last alpha of an open curve; there is no contact beyond its ends"},
    {.name = "start",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .unit = "rad or m",
     .doc = "first guess of the contact parameter alpha"},
    {.name = NULL}};

const mbs_class mbs_curve_class = {
    .name = "curve",
    .doc = "A curve about a point of a body, in the body's axes: polar, parametric, or a closed spline.",
    .fields = fields};

/* ---- laws ---------------------------------------------------------------------------------------------------- */

/* Returns the text with every alpha replaced by (mod(alpha, 2*pi)). */
static char *wrapped_text(mbs_builder *builder, const char *text) {
  static const char wrapped[] = "mod(alpha, 2*pi)";
  char *out = mbs_builder_alloc(builder, strlen(text) * sizeof wrapped + 1, 1), *to = out;
  for (const char *from = text; out && *from;) {
    size_t word = 0;
    while (isalnum((unsigned char)from[word]) || from[word] == '_' || from[word] == '.') word++;
    if (word == 5 && strncmp(from, "alpha", 5) == 0) {
      to = stpcpy(to, wrapped);
    } else {
      word = word ? word : 1;
      memcpy(to, from, word);
      to += word;
    }
    from += word;
  }
  return out;
}

/* Reads the laws of a curve. With `wrap` it reads them again, with alpha as an angle between 0 and 2 pi. */
static void read_laws(mbs_builder *builder, mbs_curve *curve, mbs_law *laws, size_t index, const mbs_node *node,
                      bool wrap) {
  static const char *const names[] = {"polar", "x", "y"};
  const mbs_local_name locals[] = {
      {.name = "alpha", .input = {.kind = MBS_INPUT_CURVE, .index = (int)index, .point = -1}}, {.name = NULL}};
  size_t count = curve->kind == MBS_CURVE_POLAR ? 1 : 2;
  if (wrap) builder->model->switch_count -= (size_t)(laws[0].switches + (count == 2 ? laws[1].switches : 0));
  for (size_t k = 0; k < count && !builder->failed; k++) {
    const char *name = names[count == 1 ? 0 : 1 + k];
    const mbs_value *value = mbs_read_value(node, name);
    mbs_scalar scalar = value->scalars[0];
    if (wrap && scalar.text) scalar.text = wrapped_text(builder, scalar.text);
    const char *pointer = mbs_arena_text(builder->arena, value->pointer);
    if (pointer && !builder->failed)
      mbs_read_law(builder, mbs_field_of(node, name), &scalar, pointer, MBS_SCOPE_PARAMETERS, locals, &laws[k]),
          mbs_law_is_structure(builder, &laws[k]);
    else
      builder->failed = true;
  }
}

/* ---- splines ------------------------------------------------------------------------------------------------- */

static bool read_points(mbs_builder *builder, const mbs_value *value, mbs_curve *curve) {
  static const mbs_field coordinate = {.name = "coordinate", .unit = "m"};
  for (size_t i = 0; i < curve->knots; i++) {
    const mbs_value *row = &value->nodes[i].values[0];
    if (!row->given) return false;
    if (row->count != 2) {
      mbs_diagnose(builder->list, MBS_WRONG_TYPE, row->pointer, "each point of a curve must be [x, y]");
      return false;
    }
    for (size_t k = 0; k < 2; k++)
      curve->points[4 * i + k] =
          mbs_read_scalar(mbs_structure_of(builder), &coordinate, &row->scalars[k], row->pointer);
  }
  return true;
}

static void read_spline(mbs_builder *builder, const mbs_value *value, mbs_curve *curve) {
  size_t n = curve->knots = value->count;
  curve->alpha = mbs_builder_alloc(builder, n + 1, sizeof *curve->alpha);
  curve->points = mbs_builder_alloc(builder, 4 * (n + 1), sizeof *curve->points);
  double *workspace = mbs_builder_alloc(builder, 2 * (n + 1) + mbs_cubic_workspace(n), sizeof *workspace);
  if (builder->failed || n < 3 || !read_points(builder, value, curve)) return;
  memcpy(curve->points + 4 * n, curve->points, 2 * sizeof *curve->points);
  for (size_t i = 0; i < n; i++) {
    const double *from = curve->points + 4 * i, *to = from + 4;
    double length = hypot(to[0] - from[0], to[1] - from[1]);
    if (!(length > 0)) {
      mbs_diagnose(builder->list, MBS_INVALID, value->nodes[i].pointer,
                   "two successive points of the spline coincide; remove one (the curve closes by itself, so do not "
                   "repeat the first point)");
      return;
    }
    curve->alpha[i + 1] = curve->alpha[i] + length;
  }
  curve->period = curve->alpha[n];
  double *y = workspace, *slopes = y + n + 1;
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i <= n; i++) y[i] = curve->points[4 * i + (size_t)k];
    mbs_cubic_periodic(n, curve->alpha, y, slopes, slopes + n + 1);
    for (size_t i = 0; i <= n; i++) curve->points[4 * i + 2 + (size_t)k] = slopes[i];
  }
}

/* ---- properties ------------------------------------------------------------------------------------------------ */

/* Returns true if the curve and its direction are the same at `alpha` and at `other`. */
static bool same_at(const mbs_curve *curve, double alpha, double other, double *slots) {
  double a[3][2], b[3][2];
  mbs_curve_at(curve, alpha, NULL, slots, a);
  mbs_curve_at(curve, other, NULL, slots, b);
  for (int k = 0; k < 2; k++)
    if (!(fabs(a[0][k] - b[0][k]) <= same_place * curve->size &&
          fabs(a[1][k] - b[1][k]) <= same_place * (curve->size + fabs(a[1][k]))))
      return false;
  return true;
}

/* Returns true if the curve is convex: its directions rotate one way, by one revolution in all. */
static bool turns_one_way(const mbs_curve *curve) {
  double turn = 0;
  for (size_t i = 0; i < curve->count && curve->period > 0; i++) {
    const double *a = curve->samples + 4 * i, *b = curve->samples + 4 * ((i + 1) % curve->count);
    double angle = curve->outward * atan2(a[2] * b[3] - a[3] * b[2], a[2] * b[2] + a[3] * b[3]);
    if (!(angle > 0)) return false;
    turn += angle;
  }
  return fabs(turn - mbs_full_turn) < 1;
}

/* Computes sample number i, NaN if the curve is not defined there; r, dr/dalpha and d2r/dalpha2 into `at`. */
static void take_sample(mbs_curve *curve, size_t i, double *slots, double at[3][2]) {
  mbs_curve_at(curve, curve->first + (double)i * curve->step, NULL, slots, at);
  memcpy(curve->samples + 4 * i, at, 4 * sizeof **at);
}

/* Computes samples, size and direction. Returns false, and reports it, if the curve is not defined. */
static bool sample(mbs_builder *builder, mbs_curve *curve, const char *pointer, double *slots) {
  double area = 0;
  curve->size = 0;
  for (size_t i = 0; i < curve->count; i++) {
    double at[3][2];
    take_sample(curve, i, slots, at);
    double distance = hypot(at[0][0], at[0][1]), speed = hypot(at[1][0], at[1][1]);
    if (!isfinite(distance) || !isfinite(speed) || !(speed > 0)) {
      mbs_diagnose(builder->list, MBS_INVALID, pointer, "the curve has no %s at alpha = %g",
                   isfinite(distance) ? "direction" : "point", curve->first + (double)i * curve->step);
      return false;
    }
    curve->size = fmax(curve->size, distance);
    area += at[0][0] * at[1][1] - at[0][1] * at[1][0];
  }
  curve->outward = curve->period > 0 && area < 0 ? -1 : 1;
  curve->convex = turns_one_way(curve);
  return true;
}

static bool repeats(const mbs_curve *curve, double *slots) {
  double step = mbs_full_turn / MBS_CURVE_SAMPLES;
  for (int i = 0; i < MBS_CURVE_SAMPLES; i++)
    for (int turn = -1; turn <= 1; turn += 2)
      if (!same_at(curve, (i + 0.5) * step, (i + 0.5) * step + turn * mbs_full_turn, slots)) return false;
  return true;
}

/* Samples the revolutions before and after the first one, for a curve without ends that is not closed. */
static void sample_beyond(mbs_builder *builder, mbs_curve *curve, double *slots) {
  double *samples = mbs_builder_alloc(builder, (size_t)4 * 3 * MBS_CURVE_SAMPLES, sizeof *samples), at[3][2];
  if (!samples) return;
  curve->samples = samples;
  curve->count = (size_t)3 * MBS_CURVE_SAMPLES;
  curve->search = MBS_CURVE_SAMPLES;
  curve->first = -mbs_full_turn;
  for (size_t i = 0; i < curve->count; i++) take_sample(curve, i, slots, at);
}

/* Determines the properties of a curve. A curve of expressions is closed if its end after one revolution equals its
 * start. It must continue periodically before and after; otherwise alpha is replaced by an angle between 0 and 2 pi. */
static void examine(mbs_builder *builder, mbs_curve *curve, mbs_law *laws, size_t index, const mbs_node *node) {
  double *slots = mbs_builder_alloc(builder, builder->model->slot_max + 1, sizeof *slots);
  if (!slots || !sample(builder, curve, node->pointer, slots)) return;
  if (curve->kind == MBS_CURVE_SPLINE || curve->ends) return;
  if (!same_at(curve, 0, mbs_full_turn * (1 - 1e-12), slots)) {
    sample_beyond(builder, curve, slots);
    return;
  }
  curve->period = mbs_full_turn;
  if (!repeats(curve, slots)) {
    read_laws(builder, curve, laws, index, node, true);
    slots = mbs_builder_alloc(builder, builder->model->slot_max + 1, sizeof *slots);
    if (!slots) return;
  }
  sample(builder, curve, node->pointer, slots);
}

/* Determines the kind from the fields of a node. */
static bool find_kind(mbs_builder *builder, const mbs_node *node, mbs_curve_kind *kind) {
  bool polar = mbs_read_given(node, "polar"), x = mbs_read_given(node, "x"), y = mbs_read_given(node, "y"),
       spline = mbs_read_given(node, "spline");
  *kind = polar ? MBS_CURVE_POLAR : spline ? MBS_CURVE_SPLINE : MBS_CURVE_PARAMETRIC;
  if (x == y && polar + x + spline == 1) return true;
  mbs_diagnose(builder->list, MBS_INVALID, node->pointer, "give exactly one of 'polar', or 'x' and 'y', or 'spline'");
  return false;
}

/* Sets the range of the samples. */
static void read_range(mbs_builder *builder, const mbs_node *node, mbs_curve *curve) {
  const mbs_value *value = mbs_read_value(node, "range");
  double range[2];
  size_t stand_ins = builder->binder.stand_ins;
  curve->count = MBS_CURVE_SAMPLES;
  curve->step = (curve->period > 0 ? curve->period : mbs_full_turn) / MBS_CURVE_SAMPLES;
  if (!value->given || mbs_read_numbers(mbs_structure_of(builder), node, "range", range, 2) < 2 ||
      builder->binder.stand_ins != stand_ins)
    return;
  if (curve->kind == MBS_CURVE_SPLINE || !(range[1] > range[0])) {
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer,
                 curve->kind == MBS_CURVE_SPLINE ? "a spline is a closed curve and has no 'range'; remove it"
                                                 : "the range of a curve must go from a smaller to a larger alpha");
    return;
  }
  curve->ends = true;
  curve->first = range[0];
  curve->step = (range[1] - range[0]) / (MBS_CURVE_SAMPLES - 1);
}

static void read_curve(mbs_builder *builder, const mbs_node *node, mbs_law *laws, mbs_joint *joint) {
  mbs_model *model = builder->model;
  size_t index = model->curve_count;
  mbs_curve *slot =
      mbs_builder_grow(builder, (void **)&model->curves, &model->curve_count, &builder->curve_capacity, sizeof *slot);
  mbs_curve curve = {.outward = 1, .laws = laws, .start_given = mbs_read_given(node, "start")};
  curve.samples = mbs_builder_alloc(builder, 4 * MBS_CURVE_SAMPLES, sizeof *curve.samples);
  if (!slot || builder->failed || !find_kind(builder, node, &curve.kind)) return;
  size_t mistakes = builder->list->count;
  if (curve.start_given) curve.start = mbs_read_number(mbs_structure_of(builder), node, "start");
  if (curve.kind == MBS_CURVE_SPLINE) {
    read_spline(builder, mbs_read_value(node, "spline"), &curve);
  } else {
    read_laws(builder, &curve, laws, index, node, false);
    joint->law_count += curve.kind == MBS_CURVE_POLAR ? 1 : 2;
  }
  if (!builder->failed && builder->list->count == mistakes) read_range(builder, node, &curve);
  if (!builder->failed && builder->list->count == mistakes) examine(builder, &curve, laws, index, node);
  *slot = curve;
}

void mbs_read_curves(mbs_builder *builder, mbs_joint *joint, const char *field) {
  const mbs_value *value = mbs_read_value(joint->node, field);
  joint->first_curve = (int)builder->model->curve_count;
  joint->laws = mbs_builder_alloc(builder, 2 * value->count, sizeof *joint->laws);
  for (size_t c = 0; c < value->count && !builder->failed; c++) {
    read_curve(builder, &value->nodes[c], joint->laws + joint->law_count, joint);
    joint->curve_count++;
  }
}
