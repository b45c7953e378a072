/* Values of the inputs of the document. In laws a table is   u = u_i + (t - t_i) (u_{i+1} - u_i)/(t_{i+1} - t_i),   and
 * an input without one is constant. Functions of time need two rates, so there the inputs u, u_d, u_dd are one motion:
 * between two points of a table of u the quintic with the values of all three at both points; without a table, and
 * beyond its ends,   u + u_d s + u_dd s^2/2,   s the time since they were set or from the end. */
#include "equations/externals.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void mbs_externals_reset(mbs_system *system) {
  const mbs_model *model = system->model;
  if (model->external_count == 0) return;
  memcpy(system->externals, system->constants->external_starts, model->external_count * sizeof *system->externals);
  system->externals_time = model->t_start;
}

void mbs_externals_set(mbs_system *system, const double *values, double t) {
  if (system->model->external_count > 0)
    memcpy(system->externals, values, system->model->external_count * sizeof *values);
  system->externals_time = t;
}

/* Returns the number of points of a table up to t. */
static size_t points_until(const mbs_external *table, double t) {
  size_t low = 0, high = table->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (table->t[middle] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void mbs_external_jet(const mbs_system *system, int index, double t, double jet[3]) {
  const mbs_external *table = &system->model->externals[index];
  assert(index >= 0 && (size_t)index < system->model->external_count);
  jet[1] = jet[2] = 0;
  if (table->count == 0) {
    jet[0] = (system->externals ? system->externals : system->constants->external_starts)[index];
    return;
  }
  const size_t next = points_until(table, t), last = table->count - 1;
  jet[0] = table->values[next == 0 ? 0 : next - 1];
  if (next == 0 || next > last) return;
  jet[1] = (table->values[next] - jet[0]) / (table->t[next] - table->t[next - 1]);
  jet[0] += (t - table->t[next - 1]) * jet[1];
}

/* The value of an input in functions of time:   sum_k c_k (t - origin)^k. */
enum { TERMS = 6 };
typedef struct motion {
  double origin, c[TERMS];
} motion;

/* Reads the value at t of an input and of those that are its rates. */
static void read_rates(const mbs_system *system, int index, double t, double out[3]) {
  const mbs_external *external = &system->model->externals[index];
  const int from[3] = {index, external->rates[0], external->rates[1]};
  for (int k = 0; k < 3; k++) {
    double jet[3];
    assert(from[k] >= 0);
    mbs_external_jet(system, from[k], t, jet);
    out[k] = jet[0];
  }
}

static motion motion_at(const mbs_system *system, int index, double t) {
  const mbs_external *table = &system->model->externals[index];
  const size_t next = points_until(table, t), at = next > 0 ? next - 1 : 0;
  motion out = {.origin = table->count        ? table->t[at]
                          : system->externals ? system->externals_time
                                              : system->model->t_start};
  double low[3], high[3];
  read_rates(system, index, out.origin, low);
  out.c[0] = low[0];
  out.c[1] = low[1];
  out.c[2] = low[2] / 2;
  if (next == 0 || next == table->count) return out;
  /* quintic with these values and rates at both points */
  read_rates(system, index, table->t[next], high);
  const double h = table->t[next] - out.origin, gap = (high[0] - low[0] - h * (low[1] + h * out.c[2])) / h / h / h;
  const double rate = (high[1] - low[1] - h * low[2]) / h / h, second = (high[2] - low[2]) / h;
  out.c[3] = 10 * gap - 4 * rate + second / 2;
  out.c[4] = (-15 * gap + 7 * rate - second) / h;
  out.c[5] = (6 * gap - 3 * rate + second / 2) / h / h;
  return out;
}

void mbs_external_motion(const mbs_system *system, int index, double t, double jet[3]) {
  const motion of = motion_at(system, index, t);
  const double s = t - of.origin;
  jet[0] = jet[1] = jet[2] = 0;
  for (int k = TERMS - 1; k >= 0; k--) {
    jet[2] = jet[2] * s + 2 * jet[1];
    jet[1] = jet[1] * s + jet[0];
    jet[0] = jet[0] * s + of.c[k];
  }
}

void mbs_external_range(const mbs_system *system, int index, double *low, double *high) {
  const motion of = motion_at(system, index, *low);
  const double most = fmax(fabs(*low - of.origin), fabs(*high - of.origin));
  double jet[3], slope = 0;
  mbs_external_motion(system, index, *low, jet);
  /* |u'| <= sum_k k |c_k| |t - origin|^(k - 1) */
  for (int k = TERMS - 1; k > 0; k--) slope = slope * most + k * fabs(of.c[k]);
  const double reach = slope * (*high - *low);
  *low = jet[0] - reach;
  *high = jet[0] + reach;
}

double mbs_next_external_knot(const mbs_model *model, double t) {
  double next = INFINITY;
  for (size_t i = 0; i < model->external_count; i++) {
    const mbs_external *table = &model->externals[i];
    const size_t at = points_until(table, t);
    if (at < table->count) next = fmin(next, table->t[at]);
  }
  return next;
}
