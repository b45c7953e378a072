#include "ode/newton.h"

#include "linalg/band.h"
#include "linalg/lapack.h"
#include "mbs/arena.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* theory (16.17), (16.18) */
struct mbs_newton {
  const mbs_ode *ode;
  const mbs_tolerance *tolerance;
  mbs_arena *arena;
  size_t n, m; /* states of the motion; unknowns of the linear system */
  size_t parts;
  const int *part;        /* [n] part of each state */
  int *member0, *members; /* [parts + 1]; [n] states of each part */
  int *row0, *rows;       /* [parts + 1]; slopes that depend on the states of each part */
  size_t *value0;         /* [n] first entry of the column of a state */
  double *values;         /* df/dy: the entries of `rows`, column by column */
  double *quadratures;    /* [n x quadratures] their derivatives; NULL if states are perturbed together. The iteration
                           * then corrects for that, because no state depends on quadratures */
  size_t quadrature_count;
  int *group0, *grouped; /* [groups + 1]; [n] states that are perturbed together */
  size_t groups;
  int *rank;      /* [parts] position in the order of elimination */
  bool halved;    /* the second half of the states are the rates of the first */
  bool may_halve; /* each state and its rate are in one part */
  int *place[2];  /* [n] index of an unknown in the linear system: of all states; of the rates alone */
  size_t width[2];
  double gamma, *A, *right; /* factors; [n] */
  int *pivots;
  /* One part with constraints: the changes along `freedoms` directions */
  size_t freedoms;
  double *T;      /* [n / 2 x freedoms] orthonormal in units */
  double *slopes; /* [n / 2 x 2 freedoms] v' of displacements, then of rates along them */
  double *B;      /* [freedoms x 2 freedoms] T' slopes, in units */
  double *along;  /* [2 freedoms] */
};

/* ---- structure ----------------------------------------------------------------------------------------------- */

static bool is_banded(const mbs_newton *self) { return 4 * self->width[self->halved] < self->m; }

/* Appends the parts that are connected with `start` to `order` [parts], level by level; `count` are there already.
 * Returns the new count. */
static size_t walk(const mbs_ode_parts *parts, int start, bool *taken, int *order, size_t count) {
  size_t next = count;
  order[count++] = start;
  taken[start] = true;
  for (; next < count; next++)
    for (int k = parts->first[order[next]]; k < parts->first[order[next] + 1]; k++) {
      const int other = parts->others[k];
      if (taken[other]) continue;
      taken[other] = true;
      order[count++] = other;
    }
  return count;
}

/* Orders the parts by reverse Cuthill-McKee. Each connected component begins at an end: the last part that a search
 * from any part finds. */
static bool order_parts(mbs_newton *self, const mbs_ode_parts *parts) {
  bool *taken = mbs_arena_alloc(self->arena, self->parts, sizeof *taken);
  bool *tried = mbs_arena_alloc(self->arena, self->parts, sizeof *tried);
  int *order = mbs_arena_alloc(self->arena, self->parts, sizeof *order);
  int *trial = mbs_arena_alloc(self->arena, self->parts, sizeof *trial);
  self->rank = mbs_arena_alloc(self->arena, self->parts, sizeof *self->rank);
  if (!taken || !tried || !order || !trial || !self->rank) return false;
  size_t count = 0;
  for (size_t p = 0; p < self->parts; p++) {
    if (taken[p]) continue;
    const size_t reached = parts ? walk(parts, (int)p, tried, trial, count) : 1;
    const int end = parts ? trial[reached - 1] : 0;
    if (parts)
      count = walk(parts, end, taken, order, count);
    else
      order[count++] = end;
  }
  assert(count == self->parts);
  for (size_t k = 0; k < count; k++) self->rank[order[k]] = (int)(count - 1 - k);
  return true;
}

/* Lists the states of each part, and the rows of their columns. */
static bool list_members(mbs_newton *self, const mbs_ode_parts *parts) {
  const size_t n = self->n, count = self->parts;
  self->member0 = mbs_arena_alloc(self->arena, count + 2, sizeof *self->member0);
  self->members = mbs_arena_alloc(self->arena, n, sizeof *self->members);
  self->row0 = mbs_arena_alloc(self->arena, count + 1, sizeof *self->row0);
  self->value0 = mbs_arena_alloc(self->arena, n, sizeof *self->value0);
  if (!self->member0 || !self->members || !self->row0 || !self->value0) return false;
  for (size_t i = 0; i < n; i++) self->member0[self->part[i] + 2]++;
  for (size_t p = 0; p < count; p++) self->member0[p + 2] += self->member0[p + 1];
  for (size_t i = 0; i < n; i++) self->members[self->member0[self->part[i] + 1]++] = (int)i;
  for (size_t p = 0; p < count; p++) {
    self->row0[p + 1] = self->row0[p] + self->member0[p + 1] - self->member0[p];
    for (int k = parts ? parts->first[p] : 0; parts && k < parts->first[p + 1]; k++)
      self->row0[p + 1] += self->member0[parts->others[k] + 1] - self->member0[parts->others[k]];
  }
  self->rows = mbs_arena_alloc(self->arena, (size_t)self->row0[count], sizeof *self->rows);
  if (!self->rows) return false;
  for (size_t p = 0; p < count; p++) {
    int *to = self->rows + self->row0[p];
    for (int i = self->member0[p]; i < self->member0[p + 1]; i++) *to++ = self->members[i];
    for (int k = parts ? parts->first[p] : 0; parts && k < parts->first[p + 1]; k++)
      for (int i = self->member0[parts->others[k]]; i < self->member0[parts->others[k] + 1]; i++)
        *to++ = self->members[i];
  }
  size_t size = 0;
  for (size_t j = 0; j < n; j++) {
    self->value0[j] = size;
    size += (size_t)(self->row0[self->part[j] + 1] - self->row0[self->part[j]]);
  }
  self->values = mbs_arena_alloc(self->arena, size, sizeof *self->values);
  return self->values != NULL;
}

/* Colours the parts so that two parts of one colour have no common neighbour and are no neighbours. Sets colour[parts]
 * and returns the number of colours. */
static int colour_parts(const mbs_ode_parts *parts, size_t count, int *colour, int *forbidden) {
  int colours = 0;
  for (size_t p = 0; p < count; p++) forbidden[p] = colour[p] = -1;
  for (int p = 0; p < (int)count; p++) {
    for (int k = parts->first[p]; k < parts->first[p + 1]; k++) {
      const int other = parts->others[k];
      if (colour[other] >= 0) forbidden[colour[other]] = p;
      for (int l = parts->first[other]; l < parts->first[other + 1]; l++)
        if (colour[parts->others[l]] >= 0) forbidden[colour[parts->others[l]]] = p;
    }
    int free = 0;
    while (forbidden[free] == p) free++;
    colour[p] = free;
    if (free >= colours) colours = free + 1;
  }
  return colours;
}

/* Groups the states that are perturbed together: the k-th states of all parts of one colour. */
static bool group_states(mbs_newton *self, const mbs_ode_parts *parts) {
  const size_t n = self->n, count = self->parts;
  int *colour = mbs_arena_alloc(self->arena, count + 1, sizeof *colour);
  int *forbidden = mbs_arena_alloc(self->arena, count + 1, sizeof *forbidden);
  self->group0 = mbs_arena_alloc(self->arena, n + 1, sizeof *self->group0);
  self->grouped = mbs_arena_alloc(self->arena, n, sizeof *self->grouped);
  if (!colour || !forbidden || !self->group0 || !self->grouped) return false;
  const int colours = parts ? colour_parts(parts, count, colour, forbidden) : 1;
  int filled = 0;
  for (int c = 0; c < colours; c++)
    for (int k = 0, more = 1; more;) {
      more = 0;
      for (size_t p = 0; p < count; p++)
        if (colour[p] == c && self->member0[p] + k < self->member0[p + 1])
          more = 1, self->grouped[filled++] = self->members[self->member0[p] + k];
      if (more) self->group0[++self->groups] = filled;
      assert((size_t)filled <= n);
      k++;
    }
  return true;
}

/* Assigns indices to the unknowns from `first` on, part by part, and computes the bandwidth. */
static bool place_unknowns(mbs_newton *self, bool halved) {
  const size_t from = halved ? self->n / 2 : 0;
  int *place = self->place[halved] = mbs_arena_alloc(self->arena, self->n, sizeof *place);
  int *part_at = mbs_arena_alloc(self->arena, self->parts, sizeof *part_at), next = 0;
  if (!place || !part_at) return false;
  for (size_t p = 0; p < self->parts; p++) part_at[self->rank[p]] = (int)p;
  for (size_t k = 0; k < self->parts; k++)
    for (int i = self->member0[part_at[k]]; i < self->member0[part_at[k] + 1]; i++)
      if ((size_t)self->members[i] >= from) place[self->members[i]] = next++;
  assert((size_t)next == self->n - from);
  self->width[halved] = 0;
  for (size_t j = from; j < self->n; j++)
    for (int k = self->row0[self->part[j]]; k < self->row0[self->part[j] + 1]; k++) {
      if ((size_t)self->rows[k] < from) continue;
      const int apart = place[self->rows[k]] - place[j];
      if (apart > 0 && (size_t)apart > self->width[halved]) self->width[halved] = (size_t)apart;
    }
  return true;
}

/* Opens the system of the changes along the directions. */
static bool open_directions(mbs_newton *self) {
  const size_t f = self->freedoms = self->ode->freedoms, half = self->n / 2;
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&self->T, half * f},
                {&self->slopes, 2 * half * f},
                {&self->B, 2 * f * f},
                {&self->along, 2 * f},
                {&self->A, f * f},
                {&self->right, self->n},
                {&self->quadratures, 2 * f * self->quadrature_count}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i].array = mbs_arena_alloc(self->arena, arrays[i].count + 1, sizeof(double)))) return false;
  self->pivots = mbs_arena_alloc(self->arena, f + 1, sizeof *self->pivots);
  return self->pivots != NULL;
}

static bool open_system(mbs_newton *self) {
  const size_t half = self->n / 2;
  self->may_halve = self->n % 2 == 0;
  for (size_t k = 0; k < half; k++) self->may_halve = self->may_halve && self->part[k] == self->part[half + k];
  if (!place_unknowns(self, false) || (self->may_halve && !place_unknowns(self, true))) return false;
  size_t size = 0;
  for (int halved = 0; halved <= self->may_halve; halved++) {
    self->halved = halved;
    self->m = halved ? half : self->n;
    const size_t needed = is_banded(self) ? mbs_band_size(self->m, self->width[halved]) : self->m * self->m;
    if (needed > size) size = needed;
  }
  self->A = mbs_arena_alloc(self->arena, size, sizeof *self->A);
  self->right = mbs_arena_alloc(self->arena, self->n, sizeof *self->right);
  self->pivots = mbs_arena_alloc(self->arena, self->n, sizeof *self->pivots);
  return self->A && self->right && self->pivots;
}

mbs_newton *mbs_newton_new(const mbs_ode *ode, const mbs_tolerance *tolerance) {
  assert(ode->n_error <= ode->n);
  mbs_arena *arena = mbs_arena_new(SIZE_MAX);
  if (!arena) return NULL;
  mbs_newton *self = mbs_arena_alloc(arena, 1, sizeof *self);
  int *all = mbs_arena_alloc(arena, ode->n_error + 1, sizeof *all);
  const mbs_ode_parts *parts = ode->parts;
  if (!self || !all) {
    mbs_arena_free(arena);
    return NULL;
  }
  *self = (mbs_newton){.ode = ode, .tolerance = tolerance, .arena = arena, .n = ode->n_error};
  self->parts = parts ? parts->count : 1;
  self->part = parts ? parts->of : all;
  self->quadrature_count = parts ? 0 : ode->n - ode->n_error;
  if (!parts && ode->freedoms) {
    if (open_directions(self)) return self;
    mbs_arena_free(arena);
    return NULL;
  }
  self->quadratures = mbs_arena_alloc(arena, self->n * self->quadrature_count, sizeof *self->quadratures);
  if ((self->quadrature_count && !self->quadratures) || !order_parts(self, parts) || !list_members(self, parts) ||
      !group_states(self, parts) || !open_system(self)) {
    mbs_arena_free(arena);
    return NULL;
  }
  return self;
}

void mbs_newton_free(mbs_newton *self) {
  if (self) mbs_arena_free(self->arena);
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

/* Returns true if q' = v exactly in df/dy, where v is the second half of the states. */
static bool is_second_order(const mbs_newton *self) {
  const size_t half = self->n / 2;
  for (size_t j = 0; j < self->n; j++) {
    const int *rows = self->rows + self->row0[self->part[j]];
    const int *end = self->rows + self->row0[self->part[j] + 1];
    const double *value = self->values + self->value0[j];
    for (; rows < end; rows++, value++)
      if ((size_t)*rows < half && *value != ((size_t)*rows + half == j ? 1 : 0)) return false;
  }
  return true;
}

/* ---- one part with constraints: the directions that these leave ---------------------------------------------- */

static double unit_of(const mbs_newton *self, size_t k) { return mbs_error_unit(self->tolerance, k); }

/* Computes out [freedoms] = T' x, in units. */
static void project(const mbs_newton *self, const double *x, double *out) {
  const size_t half = self->n / 2;
  for (size_t j = 0; j < self->freedoms; j++) {
    out[j] = 0;
    for (size_t k = 0; k < half; k++) out[j] += self->T[j * half + k] * x[k] / (unit_of(self, k) * unit_of(self, k));
  }
}

/* Makes the directions orthonormal in units, by Gram and Schmidt; those that depend on others become 0. */
static void orthonormalize(mbs_newton *self) {
  const size_t half = self->n / 2;
  for (size_t j = 0; j < self->freedoms; j++) {
    double *column = self->T + j * half, before = 0, after = 0;
    for (size_t k = 0; k < half; k++) before += column[k] * column[k] / (unit_of(self, k) * unit_of(self, k));
    for (int twice = 0; twice < 2; twice++)
      for (size_t i = 0; i < j; i++) {
        double product = 0;
        const double *other = self->T + i * half;
        for (size_t k = 0; k < half; k++) product += other[k] * column[k] / (unit_of(self, k) * unit_of(self, k));
        for (size_t k = 0; k < half; k++) column[k] -= product * other[k];
      }
    for (size_t k = 0; k < half; k++) after += column[k] * column[k] / (unit_of(self, k) * unit_of(self, k));
    const double factor = after > 1e-20 * before ? 1 / sqrt(after) : 0;
    for (size_t k = 0; k < half; k++) column[k] *= factor;
  }
}

/* Computes the slopes of displacements and rates along the directions. theory (16.19) */
static mbs_status differentiate_along(mbs_newton *self, mbs_slopes *slopes, void *context, double t, double *y,
                                      const double *f, double *moved) {
  const size_t half = self->n / 2, freedoms = self->freedoms;
  mbs_status status = slopes(context, t, y, moved);
  if (status != MBS_OK) return status;
  self->ode->directions(self->ode->context, freedoms, self->T);
  orthonormalize(self);
  memcpy(self->right, y, self->n * sizeof *y);
  for (size_t j = 0; j < 2 * freedoms; j++) {
    const double *column = self->T + (j % freedoms) * half;
    const size_t from = j < freedoms ? 0 : half;
    double *out = self->slopes + j * half, step = INFINITY;
    /* no state changes by more than its increment */
    for (size_t k = 0; k < half; k++)
      if (column[k] != 0) step = fmin(step, mbs_increment(self->tolerance, from + k, y[from + k]) / fabs(column[k]));
    if (!isfinite(step)) step = 1; /* the direction is zero */
    for (size_t k = 0; k < half; k++) y[from + k] += step * column[k];
    status = slopes(context, t, y, moved);
    memcpy(y, self->right, self->n * sizeof *y);
    if (status != MBS_OK) return status;
    for (size_t k = 0; k < half; k++) out[k] = (moved[half + k] - f[half + k]) / step;
    for (size_t k = 0; k < self->quadrature_count; k++)
      self->quadratures[j * self->quadrature_count + k] = (moved[self->n + k] - f[self->n + k]) / step;
    project(self, out, self->B + j * freedoms);
  }
  return MBS_OK;
}

/* Computes the factors of 1 - gamma B_v - gamma^2 B_q. */
static bool factor_along(mbs_newton *self, double gamma) {
  const size_t f = self->freedoms;
  self->gamma = gamma;
  for (size_t i = 0; i < f * f; i++)
    self->A[i] = (i % (f + 1) == 0) - gamma * self->B[f * f + i] - gamma * gamma * self->B[i];
  return mbs_lu_factor(f, self->A, self->pivots) > 0;
}

/* Adds factor A z to out, for the columns z [count] of A [rows x count]. */
static void add_columns(size_t rows, size_t count, double factor, const double *A, const double *z, double *out) {
  for (size_t j = 0; j < count; j++)
    for (size_t k = 0; k < rows; k++) out[k] += factor * z[j] * A[j * rows + k];
}

/* Solves G x = b in place. theory (16.19) */
static void solve_along(mbs_newton *self, double *x) {
  const size_t f = self->freedoms, half = self->n / 2;
  double *a = self->along, *b = a + f;
  project(self, x, a);
  project(self, x + half, b);
  add_columns(f, f, self->gamma, self->B, a, b);
  mbs_lu_solve(f, 1, self->A, self->pivots, b);
  for (size_t j = 0; j < f; j++) a[j] += self->gamma * b[j];
  add_columns(half, f, self->gamma, self->T, b, x);
  add_columns(half, 2 * f, self->gamma, self->slopes, a, x + half);
  add_columns(self->quadrature_count, 2 * f, self->gamma, self->quadratures, a, x + self->n);
}

/* ---- all states ---------------------------------------------------------------------------------------------- */

mbs_status mbs_newton_differentiate(mbs_newton *self, mbs_slopes *slopes, void *context, double t, double *y,
                                    const double *f, double *moved) {
  if (self->freedoms) return differentiate_along(self, slopes, context, t, y, f, moved);
  double *kept = self->right;
  memcpy(kept, y, self->n * sizeof *kept);
  for (size_t g = 0; g < self->groups; g++) {
    const int *states = self->grouped + self->group0[g], *end = self->grouped + self->group0[g + 1];
    for (const int *j = states; j < end; j++) y[*j] += mbs_increment(self->tolerance, (size_t)*j, y[*j]);
    const mbs_status status = slopes(context, t, y, moved);
    for (const int *state = states; state < end; state++) {
      const int j = *state;
      const double step = y[j] - kept[j];
      assert(j >= 0 && (size_t)j < self->n);
      const int *rows = self->rows + self->row0[self->part[j]];
      const int count = self->row0[self->part[j] + 1] - self->row0[self->part[j]];
      double *value = self->values + self->value0[j];
      y[j] = kept[j];
      /* (f(y + Delta_j) - f(y)) / Delta_j */
      for (int k = 0; k < count; k++) value[k] = (moved[rows[k]] - f[rows[k]]) / step;
      for (size_t k = 0; k < self->quadrature_count; k++)
        self->quadratures[(size_t)j * self->quadrature_count + k] = (moved[self->n + k] - f[self->n + k]) / step;
    }
    if (status != MBS_OK) return status;
  }
  self->halved = self->may_halve && is_second_order(self);
  self->m = self->halved ? self->n / 2 : self->n;
  return MBS_OK;
}

static double *entry(const mbs_newton *self, int row, int column) {
  const int *place = self->place[self->halved];
  const size_t i = (size_t)place[row], j = (size_t)place[column];
  assert(i < self->m && j < self->m);
  return self->A + (is_banded(self) ? mbs_band_at(self->width[self->halved], i, j) : j * self->m + i);
}

/* theory (16.17), (16.18) */
bool mbs_newton_factor(mbs_newton *self, double gamma) {
  if (self->freedoms) return factor_along(self, gamma);
  assert(self->m == self->n || 2 * self->m == self->n);
  const size_t from = self->n - self->m, width = self->width[self->halved];
  const bool banded = is_banded(self);
  memset(self->A, 0, (banded ? mbs_band_size(self->m, width) : self->m * self->m) * sizeof *self->A);
  self->gamma = gamma;
  for (size_t j = 0; j < self->n; j++) {
    /* 1 - gamma df/dy; halved: 1 - gamma dv'/dv - gamma^2 dv'/dq */
    const double factor = j < from ? gamma * gamma : gamma;
    const int column = (int)(j < from ? j + from : j);
    const int *rows = self->rows + self->row0[self->part[j]], *end = self->rows + self->row0[self->part[j] + 1];
    const double *value = self->values + self->value0[j];
    for (; rows < end; rows++, value++)
      if ((size_t)*rows >= from) *entry(self, *rows, column) -= factor * *value;
    if (j >= from) *entry(self, (int)j, (int)j) += 1;
  }
  if (banded) return mbs_band_factor(self->m, width, self->A, self->pivots);
  return mbs_lu_factor(self->m, self->A, self->pivots) > 0;
}

/* Adds gamma df/dy x to out, for the states before `from` and the slopes from `from` on. */
static void add_slopes(const mbs_newton *self, size_t from, const double *x, double *out) {
  for (size_t j = 0; j < from; j++) {
    const int *rows = self->rows + self->row0[self->part[j]], *end = self->rows + self->row0[self->part[j] + 1];
    const double *value = self->values + self->value0[j];
    const double moved = self->gamma * x[j];
    for (size_t i = from; self->parts == 1 && i < self->n; i++) out[i] += value[i] * moved; /* rows[i] is i */
    for (; self->parts > 1 && rows < end; rows++, value++)
      if ((size_t)*rows >= from) out[*rows] += *value * moved;
  }
}

/* theory (16.18) */
void mbs_newton_solve(mbs_newton *self, double *x) {
  if (self->freedoms) {
    solve_along(self, x);
    return;
  }
  assert(self->m == self->n || 2 * self->m == self->n);
  const size_t from = self->n - self->m, width = self->width[self->halved];
  const int *place = self->place[self->halved];
  /* halved: G_v dv = r_v + gamma dv'/dq r_q */
  add_slopes(self, from, x, x);
  for (size_t i = from; i < self->n; i++) self->right[place[i]] = x[i];
  if (is_banded(self))
    mbs_band_solve(self->m, width, self->A, self->pivots, self->right);
  else
    mbs_lu_solve(self->m, 1, self->A, self->pivots, self->right);
  for (size_t i = from; i < self->n; i++) x[i] = self->right[place[i]];
  /* dq = r_q + gamma dv */
  for (size_t k = 0; k < from; k++) x[k] += self->gamma * x[from + k];
  for (size_t j = 0; self->quadrature_count && j < self->n; j++)
    for (size_t k = 0; k < self->quadrature_count; k++)
      x[self->n + k] += self->gamma * self->quadratures[j * self->quadrature_count + k] * x[j];
}
