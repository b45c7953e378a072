/* Coordinate partitioning:   C_D dq_D = -Phi,   C_D v_D = rhsV - C_U v_U   by LU factors of C_D. At a singular position
 * C_D is singular whatever the choice; the smallest change that solves the equations in the least-squares sense is then
 * taken, and what the constraints leave open stays as it was. */
#include "constraints/partition.h"

#include "base/message.h"
#include "base/norms.h"
#include "constraints/held_coordinates.h"
#include "constraints/projection.h"
#include "constraints/rank.h"
#include "equations/jacobian.h"
#include "equations/residual_rounding.h"
#include "equations/state.h"
#include "linalg/lapack.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The residual that ends the iterations of dependent positions and velocities, in units of accuracy. */
static const double goal_in_units = 1e-13;
/* Safety factor: an iteration may contract this many times less than the weakest contraction observed. */
static const double safety = 10;
enum { ITERATIONS_MAX = 20 };

/* Finds the parts of all rows and velocities. Those of a choice have no more entries. */
static size_t largest_entries(mbs_partition *partition, const mbs_model *model, size_t rows) {
  for (size_t r = 0; r < rows; r++) partition->active_index[r] = (int)r;
  for (size_t k = 0; k < model->nv; k++) partition->place[k] = (int)k;
  mbs_row_parts_find(&partition->parts, model, partition->active_index, rows, partition->place, model->nv, NULL,
                     model->held_count > 0);
  return partition->parts.entries;
}

/* Allocates the arrays of a partition; false if memory runs out. */
static bool open_level(mbs_partition *partition, mbs_system *system, mbs_level level) {
  const mbs_model *model = system->model;
  mbs_arena *arena = system->arena;
  size_t n = model->nv, m = model->rows + model->held_count;
  *partition = (mbs_partition){.level = level,
                               .order = mbs_arena_alloc(arena, n + 1, sizeof(int)),
                               .place = mbs_arena_alloc(arena, n + 1, sizeof(int)),
                               .active_index = mbs_arena_alloc(arena, m + 1, sizeof(int)),
                               .pivots = mbs_arena_alloc(arena, m + 1, sizeof(int)),
                               .x = mbs_arena_alloc(arena, m + 1, sizeof(double)),
                               .step = mbs_arena_alloc(arena, n + 1, sizeof(double)),
                               .target = mbs_arena_alloc(arena, model->held_count + 1, sizeof(double)),
                               .missing = mbs_arena_alloc(arena, model->held_count + 1, sizeof(double)),
                               .held_units = mbs_arena_alloc(arena, model->held_count + 1, sizeof(double))};
  if (!mbs_row_parts_open(&partition->parts, arena, m, n) || !mbs_parts_open(&partition->whole, arena, n, 1) ||
      !mbs_parts_open(&partition->columns, arena, n + model->held_count, model->parts.count) || !partition->order ||
      !partition->place || !partition->active_index)
    return false;
  const size_t entries = largest_entries(partition, model, m);
  partition->factors = mbs_arena_alloc(arena, entries + 1, sizeof(double));
  partition->plain = mbs_arena_alloc(arena, entries + 1, sizeof(double));
  partition->workspace = mbs_arena_alloc(arena, entries + 2 * m + mbs_lapack_workspace(m, n), sizeof(double));
  return partition->factors && partition->plain && partition->workspace && partition->pivots && partition->x &&
         partition->step && partition->target && partition->missing && partition->held_units;
}

bool mbs_partition_open(mbs_partition *partition, mbs_system *system) {
  if (!open_level(partition, system, MBS_LEVEL_VELOCITY)) return false;
  if (system->model->velocity_rows == 0 && system->model->touch_count == 0) return true;
  partition->positions = mbs_arena_alloc(system->arena, 1, sizeof *partition->positions);
  return partition->positions && open_level(partition->positions, system, MBS_LEVEL_POSITION);
}

/* ---- held coordinates ---------------------------------------------------------------------------------------- */

/* Reads the values of the held coordinates at the current position. */
static void held_values(const mbs_partition *partition, const mbs_system *system, double *out) {
  mbs_input_row row;
  for (size_t c = 0; partition->held && mbs_held_coordinate_next(system, &c, &row);) *out++ = row.value;
}

/* Computes G x or, if `level` is 2, the accelerations of the held coordinates for x = vdot. */
static void held_rates(const mbs_partition *partition, const mbs_system *system, int level, const double *x,
                       double *out) {
  mbs_input_row row;
  for (size_t c = 0; partition->held && mbs_held_coordinate_next(system, &c, &row);)
    *out++ = mbs_held_coordinate_rate(system->model, &row, x) + (level == 2 ? row.bias : 0);
}

/* Writes the gradients of the held coordinates, in scales, below `above` rows of A [height x nv]. Velocity k has the
 * column column[k]; negative: none. theory (11.8) */
static void held_gradients(const mbs_partition *partition, const mbs_system *system, size_t above, size_t height,
                           const int *column, double *A) {
  const mbs_model *model = system->model;
  mbs_input_row row;
  int velocities[MBS_HELD_ENTRIES_MAX];
  double entries[MBS_HELD_ENTRIES_MAX];
  for (size_t c = 0, r = above; partition->held && mbs_held_coordinate_next(system, &c, &row); r++) {
    size_t count = mbs_held_coordinate_gradient(model, &row, velocities, entries);
    for (size_t i = 0; i < count; i++) {
      int at = column[velocities[i]];
      if (at < 0) continue;
      /* G_rk [v_k] / [g_r] */
      A[(size_t)at * height + r] = entries[i] * (system->v_units[velocities[i]] / partition->held_units[r - above]);
    }
  }
}

/* ---- the choice ---------------------------------------------------------------------------------------------- */

/* Pivoting on the active rows of C and G, over the velocities listed in order[count]: those chosen come first. Parts
 * that no entry connects are pivoted one by one. Returns the rank. */
static size_t pivot(mbs_partition *partition, const mbs_system *system, int *order, size_t count) {
  assert(count <= system->model->nv);
  const size_t height = partition->dependent, wanted = height < count ? height : count;
  mbs_row_parts *parts = &partition->parts;
  double *A = partition->workspace, *workspace;
  int *chosen = partition->pivots, *number = partition->place; /* not in use until the choice is made */
  int *pivoted = parts->parent, *listed = parts->number;       /* not in use when the parts are found */
  for (size_t k = 0; k < system->model->nv; k++) number[k] = -1;
  for (size_t k = 0; k < count; k++) number[order[k]] = (int)k;
  mbs_row_parts_find(parts, system->model, partition->active_index, height, number, count, NULL, partition->held > 0);
  workspace = A + parts->entries;
  mbs_row_parts_gather(parts, system, partition->active_index, number, A);
  held_gradients(partition, system, height - partition->held, height, number, A);
  for (size_t k = 0; k < count; k++)
    listed[parts->items[parts->column_part[k]].column0 + (size_t)parts->column_within[k]] = order[k];
  size_t rank = 0, found = 0;
  for (size_t p = 0; p < parts->count; p++) {
    const mbs_row_part *part = &parts->items[p];
    const size_t rows = (size_t)part->rows, columns = (size_t)part->columns;
    if (rows == 0 || columns == 0) continue;
    rank += mbs_pivoted_columns(rows, columns, A + part->value0, mbs_rank_tolerance, pivoted, workspace);
    for (size_t k = 0; k < rows && k < columns; k++) {
      chosen[found++] = listed[part->column0 + (size_t)pivoted[k]];
      number[chosen[found - 1]] = -1;
    }
  }
  assert(rank <= found && found <= wanted);
  /* at a singular position any others will do */
  for (size_t k = 0; found < wanted; k++)
    if (number[order[k]] >= 0) chosen[found++] = order[k];
  memcpy(order, chosen, wanted * sizeof *order);
  return rank;
}

/* Divides the independent velocities like all velocities. */
static void list_columns(mbs_partition *partition, const mbs_parts *velocities) {
  mbs_parts *columns = &partition->columns;
  partition->velocities = *velocities;
  columns->count = velocities->count;
  for (size_t i = 0; i < partition->independent; i++)
    columns->of[i] =
        i + partition->held < partition->independent ? velocities->of[partition->order[partition->dependent + i]] : 0;
  mbs_parts_list(columns, partition->independent);
}

void mbs_partition_make_whole(mbs_partition *partition) {
  for (mbs_partition *level = partition; level; level = level->positions) list_columns(level, &level->whole);
}

static mbs_status fail_hold(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_error *error = system->error;
  if (!error || error->message[0]) return MBS_INVALID;
  const char *name = "";
  for (size_t j = 0; j < model->joint_count && !*name; j++)
    if (model->held_joint[j]) name = model->joints[j].name;
  error->time = system->t;
  snprintf(error->element, sizeof error->element, "%s", name);
  mbs_message(error->message, sizeof error->message,
              "the coordinates in 'hold' ('%s' first) cannot all be independent: the constraints relate them", name);
  return MBS_INVALID;
}

/* Chooses the dependent coordinates of the partition's level at the current position, with its C. */
static mbs_status choose(mbs_partition *partition, mbs_system *system, bool honour_hold) {
  const mbs_model *model = system->model;
  size_t n = model->nv, free = 0, active = 0;
  int *order = partition->order;
  for (size_t r = 0; r < model->rows; r++)
    partition->active_index[r] =
        system->active[r] && mbs_row_restricts(model, r, partition->level) ? (int)active++ : -1;
  partition->held = honour_hold && mbs_held_coordinates_independent(model) ? model->held_count : 0;
  partition->dependent = active + partition->held;
  assert(active <= n);
  partition->independent = n - active;
  if (partition->held) mbs_held_coordinate_scales(model, system->constants->length, partition->held_units);
  for (size_t k = 0; k < n; k++)
    if (!honour_hold || !model->hold_v[k]) order[free++] = (int)k;
  size_t wanted = partition->dependent;
  if (free < wanted || pivot(partition, system, order, free) < wanted) {
    /* A singular position, where any choice is as good; or held velocities that depend on one another. */
    partition->held = 0;
    partition->dependent = active;
    for (size_t k = 0; k < n; k++) order[k] = (int)k;
    size_t rank = pivot(partition, system, order, n);
    if (honour_hold && model->any_hold && rank == active) return fail_hold(system);
  }
  memset(partition->place, 0, n * sizeof *partition->place);
  for (size_t d = 0; d < partition->dependent; d++) partition->place[order[d]] = 1;
  size_t dependent = 0, independent = partition->dependent;
  for (size_t k = 0; k < n; k++) {
    bool depends = partition->place[k] == 1;
    partition->place[k] = depends ? (int)dependent : -1;
    order[depends ? dependent++ : independent++] = (int)k;
    assert(dependent <= partition->dependent && independent <= n);
  }
  mbs_row_parts_find(&partition->parts, model, partition->active_index, partition->dependent, partition->place,
                     partition->dependent, NULL, partition->held > 0);
  list_columns(partition, model->held_count ? &partition->whole : &model->parts);
  mbs_partition_factor(partition, system);
  assert(partition->dependent + partition->independent == n + partition->held);
  partition->amplification = mbs_partition_amplification(partition, system);
  return MBS_OK;
}

mbs_status mbs_partition_choose(mbs_partition *partition, mbs_system *system, bool honour_hold) {
  mbs_constraints(system, MBS_WANT_C);
  if (!system->all_active && mbs_dense_fits(system->model)) {
    const size_t m = system->model->rows, n = system->model->nv;
    if (!partition->dense) partition->dense = mbs_arena_alloc(system->arena, 2 * m * n + n + 3 * m, sizeof(double));
    if (!partition->dense) return MBS_NO_MEMORY;
    mbs_renew_rows(system, partition->dense);
  }
  mbs_status status = partition->positions ? choose(partition->positions, system, honour_hold) : MBS_OK;
  return status == MBS_OK ? choose(partition, system, honour_hold) : status;
}

/* Returns the ratio of pivots below which the factors of C_D are not used: they lose half of all digits. */
static double pivot_floor(void) { return sqrt(DBL_EPSILON); }

/* ---- C_D ----------------------------------------------------------------------------------------------------- */

void mbs_partition_factor(mbs_partition *partition, const mbs_system *system) {
  assert(partition->held <= partition->dependent);
  const mbs_row_parts *parts = &partition->parts;
  const size_t d = partition->dependent;
  double least = INFINITY, most = 0;
  mbs_row_parts_gather(parts, system, partition->active_index, partition->place, partition->factors);
  held_gradients(partition, system, d - partition->held, d, partition->place, partition->factors);
  memcpy(partition->plain, partition->factors, parts->entries * sizeof *partition->plain);
  for (size_t p = 0; p < parts->count; p++) {
    const size_t size = (size_t)parts->items[p].rows;
    double *factors = partition->factors + parts->items[p].value0;
    if (parts->items[p].rows != parts->items[p].columns) {
      least = 0;
      continue;
    }
    mbs_lu_factor(size, factors, partition->pivots + parts->items[p].row0);
    mbs_pivot_range(size, factors, &least, &most);
  }
  partition->pivot_ratio = d == 0 ? 1 : most > 0 ? least / most : 0;
  partition->regular = partition->pivot_ratio > pivot_floor();
  partition->factored = true;
  partition->contraction = partition->regular ? DBL_EPSILON / partition->pivot_ratio : INFINITY;
}

/* Computes x = C_D^-1 y of a part, in units. If C_D is not regular, by least squares. */
static void solve_part(mbs_partition *partition, const mbs_row_part *part, const double *y, double *x) {
  const size_t rows = (size_t)part->rows, columns = (size_t)part->columns;
  double *A = partition->workspace + 2 * partition->dependent;
  if (partition->regular) {
    memcpy(x, y, columns * sizeof *x);
    mbs_lu_solve(columns, 1, partition->factors + part->value0, partition->pivots + part->row0, x);
    return;
  }
  memset(x, 0, columns * sizeof *x);
  if (rows == 0 || columns == 0) return;
  memcpy(A, partition->plain + part->value0, rows * columns * sizeof *A);
  if (mbs_least_squares(rows, columns, A, y, pivot_floor(), x, A + rows * columns) < 0) x[0] = NAN;
}

/* x [dependent] := C_D^-1 x, in units. */
static void solve_in_units(mbs_partition *partition, double *x) {
  const mbs_row_parts *parts = &partition->parts;
  double *y = partition->workspace, *solution = y + partition->dependent;
  for (size_t r = 0; r < partition->dependent; r++)
    y[parts->items[parts->row_part[r]].row0 + (size_t)parts->row_within[r]] = x[r];
  for (size_t p = 0; p < parts->count; p++)
    solve_part(partition, &parts->items[p], y + parts->items[p].row0, solution + parts->items[p].column0);
  for (size_t k = 0; k < partition->dependent; k++)
    x[k] = solution[parts->items[parts->column_part[k]].column0 + (size_t)parts->column_within[k]];
}

/* Dependent velocities from x as gathered. */
static void solve(mbs_partition *partition, const mbs_system *system, double *x) {
  solve_in_units(partition, x);
  for (size_t d = 0; d < partition->dependent; d++) x[d] *= system->v_units[partition->order[d]];
}

/* Copies the active ones of `values` [rows], and the residuals of held coordinates, in scales and with opposite sign,
 * into x. Returns the largest magnitude. */
static double gather(mbs_partition *partition, const mbs_system *system, const double *values) {
  double largest = 0;
  for (size_t r = 0; r < system->model->rows; r++) {
    if (partition->active_index[r] < 0) continue;
    const double x = partition->x[partition->active_index[r]] = -values[r] / system->row_units[r];
    if (!(fabs(x) <= largest)) largest = isnan(x) ? INFINITY : fabs(x);
  }
  if (partition->held == 0) return largest;
  double *held = partition->x + partition->dependent - partition->held;
  for (size_t c = 0; c < partition->held; c++)
    held[c] = (partition->target[c] - partition->missing[c]) / partition->held_units[c];
  return mbs_larger(largest, mbs_largest(held, partition->held));
}

/* Returns true if an iteration ends with this residual. Sets *good to `residual <= goal`. */
static bool is_reached(const mbs_partition *partition, double residual, double goal, bool *good) {
  bool before = *good;
  *good = residual <= goal;
  return before || (*good && (!partition->polished || residual == 0));
}

/* The residual that ends an iteration. */
static double goal_of(const mbs_partition *partition, const mbs_system *system) {
  return system->history_kept ? fmin(goal_in_units, system->rounding) : mbs_larger(goal_in_units, partition->enough);
}

/* theory (11.6) */
static mbs_status complete_positions(mbs_partition *partition, mbs_system *system, double t, double *q) {
  const mbs_model *model = system->model;
  const double goal = goal_of(partition, system);
  const int wanted = MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHSV;
  double before = INFINITY;
  bool good = false;
  partition->factored = false;
  mbs_set_position(system, t, q);
  mbs_constraints(system, wanted);
  held_values(partition, system, partition->target);
  for (int k = 0; k < ITERATIONS_MAX; k++) {
    held_values(partition, system, partition->missing);
    double residual = gather(partition, system, system->Phi);
    if (!isfinite(residual)) return mbs_not_finite(system);
    if (k > 0) partition->contraction = mbs_larger(partition->contraction, residual / before);
    if (is_reached(partition, residual, goal, &good) ||
        (residual > 0.5 * before && residual <= fmax(mbs_projection_accepted, system->rounding))) {
      if (partition->enough == 0) system->rounding = mbs_residual_rounding(system);
      return system->all_active ? MBS_OK : mbs_check_redundant(system);
    }
    if (!partition->factored || residual > 0.1 * before) mbs_partition_factor(partition, system);
    before = residual;
    /* C_D delta_D = -Phi, q + delta */
    solve(partition, system, partition->x);
    memset(partition->step, 0, model->nv * sizeof *partition->step);
    for (size_t d = 0; d < partition->dependent; d++) partition->step[partition->order[d]] = partition->x[d];
    mbs_displace(model, q, partition->step, q);
    mbs_set_position(system, t, q);
    mbs_constraints(system, wanted);
  }
  return MBS_NOT_ASSEMBLED;
}

mbs_status mbs_partition_positions(mbs_partition *partition, mbs_system *system, double t, double *q) {
  assert(partition->positions == NULL || partition->positions->level == MBS_LEVEL_POSITION);
  mbs_partition *own = partition->positions;
  if (!own) return complete_positions(partition, system, t, q);
  own->enough = partition->enough;
  own->polished = partition->polished;
  partition->factored = false; /* the position is another one */
  return complete_positions(own, system, t, q);
}

/* The size of rates: of x [nv], of the right-hand side, and at least `least`. */
static double scale_of(const mbs_system *system, const double *x, const double *rhs, double least) {
  const double largest = mbs_largest_in_units(x, system->v_units, system->model->nv);
  const double given = mbs_largest_in_units(rhs, system->row_units, system->model->rows);
  return mbs_larger(mbs_larger(largest, given), least);
}

/* Returns true if one more step ends an iteration that need not reach the rounding level. */
static bool will_do(const mbs_partition *partition, double residual, double goal) {
  return partition->enough > 0 && safety * partition->contraction * residual <= goal;
}

/* Sets the dependent part of x [nv] so that C x = rhs and G x = target; rates below `least` count as zero. */
static mbs_status complete(mbs_partition *partition, mbs_system *system, const double *rhs, double least, double *x) {
  const mbs_model *model = system->model;
  double before = INFINITY, scale = least, left = fmax(mbs_projection_accepted, system->rounding),
         *missing = system->rates;
  const double goal = goal_of(partition, system);
  bool good = false;
  for (int k = 0; k < ITERATIONS_MAX; k++) {
    if (k == 0 || partition->enough == 0) scale = scale_of(system, x, rhs, least);
    /* C x - rhs, G x */
    mbs_jacobian_times(system, x, missing);
    for (size_t r = 0; r < model->rows; r++) missing[r] -= rhs[r];
    held_rates(partition, system, 1, x, partition->missing);
    double residual = gather(partition, system, missing);
    if (!isfinite(residual)) return MBS_NOT_FINITE;
    if (is_reached(partition, residual, goal * scale, &good)) return MBS_OK;
    if (residual > 0.5 * before && residual <= left * scale) return MBS_OK;
    /* The factors are those of the position where Newton began, so that this is an iteration, too. */
    if (!partition->factored || (k > 0 && residual > 0.1 * before)) mbs_partition_factor(partition, system);
    before = residual;
    /* C_D dx_D = rhs - C x */
    solve(partition, system, partition->x);
    for (size_t d = 0; d < partition->dependent; d++) x[partition->order[d]] += partition->x[d];
    if (will_do(partition, residual, goal * scale)) return MBS_OK;
  }
  return MBS_SINGULAR_POSITION;
}

/* theory (11.5) */
mbs_status mbs_partition_velocities(mbs_partition *partition, mbs_system *system, double *v) {
  assert(partition->level == MBS_LEVEL_VELOCITY);
  if (partition->held_rates)
    memcpy(partition->target, partition->held_rates, partition->held * sizeof *partition->target);
  else
    held_rates(partition, system, 1, v, partition->target);
  mbs_status status = complete(partition, system, system->rhsV, 1 / system->constants->time, v);
  return status == MBS_OK ? mbs_check_redundant_rates(system, v) : status;
}

mbs_status mbs_partition_accelerations(mbs_partition *partition, mbs_system *system, const double *v, double *vdot) {
  assert(partition->level == MBS_LEVEL_VELOCITY);
  double time = system->constants->time;
  mbs_set_velocity(system, v);
  mbs_constraints(system, MBS_WANT_RHS);
  held_rates(partition, system, 1, vdot, partition->target);
  if (partition->held_changes) {
    /* G v' = u'_held - bias */
    held_rates(partition, system, 2, vdot, partition->missing);
    for (size_t c = 0; c < partition->held; c++)
      partition->target[c] += partition->held_changes[c] - partition->missing[c];
  }
  return complete(partition, system, system->rhsA, 1 / (time * time), vdot);
}

/* ---- R ------------------------------------------------------------------------------------------------------- */

void mbs_partition_read(const mbs_partition *partition, const mbs_system *system, int level, const double *x,
                        double *u) {
  assert(partition->held <= partition->independent);
  assert(level == 1 || level == 2);
  size_t own = partition->independent - partition->held;
  for (size_t i = 0; i < own; i++) u[i] = x[partition->order[partition->dependent + i]];
  held_rates(partition, system, level, x, u + own);
}

/* theory (11.7) */
void mbs_partition_spread(mbs_partition *partition, mbs_system *system, const double *u, double *v) {
  assert(partition->held <= partition->independent);
  size_t own = partition->independent - partition->held;
  memset(v, 0, system->model->nv * sizeof *v);
  for (size_t i = 0; i < own; i++) v[partition->order[partition->dependent + i]] = u[i];
  memcpy(partition->target, u + own, partition->held * sizeof *u);
  held_rates(partition, system, 1, v, partition->missing);
  /* C_D v_D = -C_U u */
  mbs_jacobian_times(system, v, system->rates);
  gather(partition, system, system->rates);
  if (partition->dependent) solve(partition, system, partition->x);
  for (size_t d = 0; d < partition->dependent; d++) v[partition->order[d]] = partition->x[d];
}

double mbs_partition_unit(const mbs_partition *partition, const mbs_system *system, size_t i) {
  assert(i < partition->independent);
  size_t own = partition->independent - partition->held;
  return i < own ? system->v_units[partition->order[partition->dependent + i]] : partition->held_units[i - own];
}

double mbs_partition_amplification(mbs_partition *partition, mbs_system *system) {
  const mbs_model *model = system->model;
  const mbs_parts *columns = &partition->columns;
  const size_t groups = mbs_parts_largest(columns);
  double largest = 0, *unit = system->motion, *column = system->spread;
  if (partition->positions) {
    if (!partition->positions->factored) mbs_partition_factor(partition->positions, system);
    largest = mbs_partition_amplification(partition->positions, system);
  }
  memset(unit, 0, model->nv * sizeof *unit);
  for (size_t g = 0; g < groups; g++) {
    /* the sum of a column of R, in units, of each part */
    for (int p = 0; p < (int)columns->count; p++) {
      const int before = g ? mbs_parts_member(columns, p, g - 1) : -1, i = mbs_parts_member(columns, p, g);
      if (before >= 0) unit[before] = 0;
      if (i >= 0) unit[i] = mbs_partition_unit(partition, system, (size_t)i);
    }
    mbs_partition_spread(partition, system, unit, column);
    largest = fmax(largest, mbs_largest_in_units(column, system->v_units, model->nv));
  }
  return largest;
}
