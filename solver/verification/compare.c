/* The differences between two runs of a mechanism:
 *     max |x_1(t) - x_2(t)| for each kind of quantity, and its scale       theory (17.17) */
#include "verification/compare.h"

#include "model/constants.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Limits below which a mechanism counts as at rest: speeds, in absolute tolerances; forces, as a fraction of inertia
 * forces and weights. */
static const double rest_tolerances = 100, rest_share = 1e-9;
/* Larger differences of the starts count as two different starts. */
static const double same_start = 1e-7;

/* Columns of an array that belong to one kind: of each `period` those from `first` to `end`. */
typedef struct kind {
  const char *quantity, *array, *unit;
  size_t period, first, end;
} kind;

static bool is_of(const kind *of, size_t column) {
  size_t place = column % of->period;
  return place >= of->first && place < of->end;
}

/* Lists the kinds of a planar or a spatial model. */
static void kinds_of(const mbs_model *model, kind out[MBS_QUANTITIES]) {
  size_t dim = (size_t)model->dim, wrench = dim == 3 ? 6 : 3;
  bool space = dim == 3;
  const kind kinds[MBS_QUANTITIES] = {{"positions", "r", "m", 1, 0, 1},
                                      {space ? "orientations" : "angles", "p", space ? "" : "rad", 1, 0, 1},
                                      {"velocities", "rd", "m/s", 1, 0, 1},
                                      {"angular velocities", space ? "omega" : "pd", "rad/s", 1, 0, 1},
                                      {"reaction forces", "reactions", "N", wrench, 0, dim},
                                      {"reaction torques", "reactions", "N m", wrench, dim, wrench}};
  memcpy(out, kinds, sizeof kinds);
}

/* Returns the largest absolute value of the columns of a kind or, with `from_start`, of their change from the start. */
static double largest_of(const mbs_array *array, const kind *of, size_t rows, bool from_start) {
  size_t n = mbs_array_columns(array);
  double largest = 0;
  for (size_t i = 0; i < rows * n; i++)
    if (is_of(of, i % n)) largest = fmax(largest, fabs(array->data[i] - (from_start ? array->data[i % n] : 0)));
  return largest;
}

/* Returns the largest weight or inertia force [N]. */
static double inertia_force(const mbs_model *model, const mbs_result *result, size_t rows) {
  const mbs_constants *constants = model->constants;
  const kind all = {.period = 1, .end = 1};
  double mass = 0, gravity = 0;
  for (size_t b = 1; b <= model->nB; b++) mass += constants->bodies[b].mass;
  for (int k = 0; k < model->dim; k++) gravity = fmax(gravity, fabs(constants->gravity[k]));
  return mass * (gravity + largest_of(mbs_result_array(result, "rdd"), &all, rows, false));
}

/* Returns the scale of quantity `q`; 0 if there is nothing to compare. */
static double scale_of(const mbs_model *model, const mbs_result *result, const kind *kinds, int q, size_t rows) {
  const mbs_constants *constants = model->constants;
  const mbs_array *array = mbs_result_array(result, kinds[q].array);
  double extent = constants->extent, least = rest_tolerances * model->atol;
  if (q == 0) return fmax(extent, largest_of(array, &kinds[q], rows, true));
  if (q == 1) return model->dim == 3 ? 1 : fmax(1, largest_of(array, &kinds[q], rows, true));
  double largest = largest_of(array, &kinds[q], rows, false);
  if (q == 2) return largest > least * constants->length ? largest : 0;
  if (q == 3) return largest > least ? largest : 0;
  double force = q == 4 ? largest : largest_of(array, &kinds[4], rows, false);
  double rest = rest_share * inertia_force(model, result, rows);
  if (q == 4) return force > rest ? force : 0;
  double torque = fmax(largest, force * extent);
  return torque > rest * extent ? torque : 0;
}

/* Returns the difference of numbers i; for Euler parameters with the sign of the second run's that is nearer. */
static double difference_at(const mbs_array *one, const mbs_array *two, size_t i, bool euler) {
  assert(one != NULL && two != NULL);
  if (!euler) return fabs(one->data[i] - two->data[i]);
  const double *p = one->data + i - i % 4, *q = two->data + i - i % 4;
  double product = 0;
  for (int k = 0; k < 4; k++) product += p[k] * q[k];
  return fabs(one->data[i] - (product < 0 ? -1 : 1) * two->data[i]);
}

static void find_largest(const mbs_array *one, const mbs_array *two, const kind *of, bool euler, const double *times,
                         size_t rows, mbs_difference *out) {
  size_t n = mbs_array_columns(one);
  for (size_t i = 0; i < rows * n; i++) {
    if (!is_of(of, i % n)) continue;
    double difference = difference_at(one, two, i, euler);
    if (out->column && !(difference > out->largest) && !isnan(difference)) continue;
    out->largest = isnan(difference) ? INFINITY : difference;
    out->t = times[i / n];
    out->column = one->labels[i % n];
  }
}

void mbs_compare(const mbs_model *model, const mbs_result *first, const mbs_result *second, mbs_comparison *out) {
  kind kinds[MBS_QUANTITIES];
  const mbs_array *T = mbs_result_array(first, "T"), *other = mbs_result_array(second, "T");
  size_t rows = T->shape[0] < other->shape[0] ? T->shape[0] : other->shape[0];
  kinds_of(model, kinds);
  out->rows = rows;
  for (int q = 0; q < MBS_QUANTITIES; q++) {
    const mbs_array *one = mbs_result_array(first, kinds[q].array), *two = mbs_result_array(second, kinds[q].array);
    mbs_difference *item = &out->items[q];
    *item = (mbs_difference){.quantity = kinds[q].quantity, .unit = kinds[q].unit};
    if (!one || !two || mbs_array_columns(one) != mbs_array_columns(two)) continue;
    item->scale = scale_of(model, first, kinds, q, rows);
    find_largest(one, two, &kinds[q], q == 1 && model->dim == 3, T->data, rows, item);
    if (!item->column) item->scale = 0;
  }
}

bool mbs_start_alike(const mbs_model *model, const mbs_result *first, const mbs_result *second, double *distance) {
  kind kinds[MBS_QUANTITIES];
  double time = 0;
  kinds_of(model, kinds);
  *distance = 0;
  for (int q = 0; q < 2; q++) {
    const mbs_array *one = mbs_result_array(first, kinds[q].array), *two = mbs_result_array(second, kinds[q].array);
    mbs_difference item = {.largest = 0};
    if (one->shape[0] == 0 || two->shape[0] == 0) return false;
    find_largest(one, two, &kinds[q], q == 1 && model->dim == 3, &time, 1, &item);
    *distance = fmax(*distance, item.largest / (q == 0 ? model->constants->extent : 1));
  }
  return *distance <= same_start;
}
