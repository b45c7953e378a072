/* Derivatives of r and a by every state and parameter, for motions with more tangents than differences needed for all
 * these columns. Columns without a common row share one difference (Curtis, Powell, Reid 1974,
 * https://doi.org/10.1093/imamat/13.1.117). The derivatives of r and a along a tangent are then a product.
 *
 * To find the entries, a column is set to NaN: residuals that become NaN depend on it for any value. As a check, one
 * more difference is made at each state along all columns. If it differs from the sum of the columns, differences are
 * made along the tangents instead. */
#include "derivatives/sensitivity_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Smallest number of tangents for which columns are faster. */
enum { LEAST_TANGENTS = 6 };
/* Largest error of the difference along all columns: this share of the sum of its terms, plus this number of
 * roundings. */
static const double off_share = 1e-6, roundings = 64;

struct mbs_tangent_columns {
  size_t states, count, rows;      /* states: nq + nv; count: columns, states first, then parameters; rows: nv + rows */
  size_t *first;                   /* [count + 1] first entry of each column */
  size_t *row;                     /* [entries] */
  double *values;                  /* [entries] */
  size_t *group;                   /* [count] group whose difference gives the column */
  double *per_step, *per_step_all; /* [count] change of the column over a step along its group, and along all columns */
  mbs_direction *groups;
  size_t group_count;
  mbs_direction all;
  double *predicted, *size; /* [rows] predicted difference along all columns; sum of its terms */
};

/* ---- search for entries ------------------------------------------------------------------------------------------ */

/* Sets generic accelerations and multipliers. */
static void set_generic_accelerations(const mbs_tangent_work *work, int probe) {
  const mbs_model *model = work->self->run->model;
  mbs_lanes *lanes = work->lanes;
  for (size_t i = 0; i < MBS_FD_POINTS * model->nv; i++) lanes->vdot[i] = mbs_quasi_random(i / MBS_FD_POINTS, probe);
  for (size_t i = 0; i < MBS_FD_POINTS * model->rows; i++)
    lanes->lambda[i] = mbs_quasi_random(i / MBS_FD_POINTS, probe);
}

/* Marks rows that are NaN or differ among the points. Returns false if `numbers` is set and a row is NaN. */
static bool mark_rows(const mbs_tangent_work *work, const mbs_tangent_columns *columns, bool numbers, bool *marks) {
  for (size_t r = 0; r < columns->rows; r++) {
    const double *f = work->f + MBS_FD_POINTS * r;
    for (int k = 0; k < MBS_FD_POINTS; k++) {
      if (numbers && !isfinite(f[k])) return false;
      marks[r] |= isnan(f[k]) || f[k] != f[0];
    }
  }
  return true;
}

/* Marks the rows that depend on a column at y: by a difference, and by setting the column to NaN, which also finds
 * rows whose law is constant there. Returns false if that fails. */
static bool mark_column(mbs_tangent_work *work, const mbs_tangent_columns *columns, size_t column, double t,
                        const double *y, mbs_direction *along, bool *marks) {
  assert(column < columns->count);
  mbs_fd_step *fd = &along->fd;
  mbs_direction_clear(work, along);
  mbs_direction_add(work, column, 1, along);
  mbs_direction_begin(along, mbs_fd_step_max);
  if (!mbs_fd_step_choose(work, fd, y, along->s) || mbs_tangent_residuals(work, fd, t, y, along->s) != MBS_OK ||
      !mark_rows(work, columns, true, marks))
    return false;
  mbs_direction_mark_nan(work, column, y, along, work->displaced);
  return mbs_tangent_residuals(work, fd, t, work->displaced, along->s) == MBS_OK &&
         mark_rows(work, columns, false, marks);
}

/* Fills marks [count][rows]. Returns false if the entries cannot be found. */
static bool find_entries(mbs_tangent_work *work, const mbs_tangent_columns *columns, const double *y,
                         mbs_direction *state, mbs_direction *parameter, bool *marks) {
  for (int probe = 0; probe < MBS_QUASI_RANDOM_STATES; probe++) {
    const double t = mbs_tangent_generic_state(work, probe, y, work->y);
    set_generic_accelerations(work, probe);
    for (size_t c = 0; c < columns->count; c++) {
      mbs_direction *along = c < columns->states ? state : parameter;
      if (!mark_column(work, columns, c, t, work->y, along, marks + c * columns->rows)) return false;
    }
  }
  return true;
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

/* Returns the kind of a column. Positions, velocities and parameters have separate groups, so that one step suits all
 * columns of a group. */
static int kind_of(const mbs_tangent_work *work, const mbs_tangent_columns *columns, size_t column) {
  assert(column < columns->count);
  return column >= columns->states ? 2 : column >= work->self->run->model->nq;
}

static bool meets(const mbs_tangent_columns *columns, const bool *marks, const bool *taken) {
  for (size_t r = 0; r < columns->rows; r++)
    if (marks[r] && taken[r]) return true;
  return false;
}

/* Puts each column into the first group with which it has no common row; taken [most][rows]. Returns false if more than
 * `most` groups are needed. */
static bool group_columns(const mbs_tangent_work *work, mbs_tangent_columns *columns, const bool *marks, size_t most,
                          int *kinds, bool *taken) {
  for (size_t c = 0; c < columns->count; c++) {
    const bool *own = marks + c * columns->rows;
    const int kind = kind_of(work, columns, c);
    size_t g = 0;
    while (g < columns->group_count && (kinds[g] != kind || meets(columns, own, taken + g * columns->rows))) g++;
    if (g == most) return false;
    if (g == columns->group_count) columns->group_count++;
    kinds[g] = kind;
    columns->group[c] = g;
    assert(g < columns->group_count && columns->group_count <= most);
    for (size_t r = 0; r < columns->rows; r++) taken[g * columns->rows + r] |= own[r];
  }
  return true;
}

static bool list_entries(mbs_tangent_columns *columns, const bool *marks, mbs_arena *arena) {
  size_t entries = 0;
  for (size_t i = 0; i < columns->count * columns->rows; i++) entries += marks[i];
  columns->row = mbs_arena_alloc(arena, entries + 1, sizeof *columns->row);
  columns->values = mbs_arena_alloc(arena, entries + 1, sizeof *columns->values);
  if (!columns->row || !columns->values) return false;
  for (size_t c = 0, e = 0; c < columns->count; c++) {
    columns->first[c] = e;
    for (size_t r = 0; r < columns->rows; r++)
      if (marks[c * columns->rows + r]) columns->row[e++] = r;
    columns->first[c + 1] = e;
    assert(e <= entries);
  }
  return true;
}

static bool open_groups(mbs_tangent_work *work, mbs_tangent_columns *columns, const int *kinds, mbs_arena *arena) {
  columns->groups = mbs_arena_alloc(arena, columns->group_count, sizeof *columns->groups);
  if (!columns->groups || !mbs_direction_open(work, true, &columns->all, arena)) return false;
  for (size_t g = 0; g < columns->group_count; g++)
    if (!mbs_direction_open(work, kinds[g] == 2, &columns->groups[g], arena)) return false;
  for (size_t c = 0; c < columns->count; c++) {
    columns->per_step[c] = mbs_direction_add(work, c, 1, &columns->groups[columns->group[c]]);
    columns->per_step_all[c] =
        mbs_direction_add(work, c, 2 * mbs_quasi_random(c, MBS_QUASI_RANDOM_STATES), &columns->all);
  }
  for (size_t g = 0; g < columns->group_count; g++) mbs_direction_begin(&columns->groups[g], mbs_fd_step_max);
  mbs_direction_begin(&columns->all, mbs_fd_step_max);
  return true;
}

/* ---- allocation -------------------------------------------------------------------------------------------------- */

static mbs_tangent_columns *new_columns(const mbs_tangent_work *work, mbs_arena *arena) {
  const mbs_model *model = work->self->run->model;
  mbs_tangent_columns *columns = mbs_arena_alloc(arena, 1, sizeof *columns);
  if (!columns) return NULL;
  columns->states = model->state.motion;
  columns->count = columns->states + work->tangents->count;
  columns->rows = model->nv + model->rows;
  columns->first = mbs_arena_alloc(arena, columns->count + 1, sizeof *columns->first);
  columns->group = mbs_arena_alloc(arena, columns->count, sizeof *columns->group);
  columns->per_step = mbs_arena_alloc(arena, columns->count, sizeof *columns->per_step);
  columns->per_step_all = mbs_arena_alloc(arena, columns->count, sizeof *columns->per_step_all);
  columns->predicted = mbs_arena_alloc(arena, columns->rows, sizeof *columns->predicted);
  columns->size = mbs_arena_alloc(arena, columns->rows, sizeof *columns->size);
  return columns->first && columns->group && columns->per_step && columns->per_step_all && columns->predicted &&
                 columns->size
             ? columns
             : NULL;
}

/* Returns true if columns may be faster: enough tangents, and a model that lanes evaluate completely. Observers must
 * not read powers, which depend on all columns. */
static bool is_worth(const mbs_tangent_work *work) {
  const mbs_model *model = work->self->run->model;
  const size_t tangents = work->tangents->count;
  const bool powers = model->has_power && work->self->run->observer->forces;
  const bool in_lanes = work->lanes && (work->lanes->forces || model->force_count == 0) && model->function_count == 0;
  return in_lanes && !powers && work->self->revolutions.count == 0 && tangents >= LEAST_TANGENTS &&
         model->state.motion <= MBS_COLUMNS_PER_TANGENT * tangents;
}

mbs_status mbs_tangent_columns_open(mbs_tangent_work *work, const double *y) {
  mbs_arena *arena = work->self->run->system->arena;
  mbs_direction state = {0}, parameter = {0};
  work->columns = NULL;
  if (!is_worth(work)) return MBS_OK;
  const size_t most = (size_t)(mbs_most_differences * (double)work->tangents->count) - 1;
  mbs_tangent_columns *columns = new_columns(work, arena);
  if (!columns || !mbs_direction_open(work, false, &state, arena) || !mbs_direction_open(work, true, &parameter, arena))
    return MBS_NO_MEMORY;
  bool *marks = mbs_arena_alloc(arena, columns->count * columns->rows, sizeof *marks),
       *taken = mbs_arena_alloc(arena, most * columns->rows, sizeof *taken);
  int *kinds = mbs_arena_alloc(arena, most + 1, sizeof *kinds);
  if (!marks || !taken || !kinds) return MBS_NO_MEMORY;
  const bool found = find_entries(work, columns, y, &state, &parameter, marks) &&
                     group_columns(work, columns, marks, most, kinds, taken);
  mbs_tangents_restore_constants(work);
  if (!found) return MBS_OK;
  if (!list_entries(columns, marks, arena) || !open_groups(work, columns, kinds, arena)) return MBS_NO_MEMORY;
  work->columns = columns;
  return MBS_OK;
}

/* ---- at a state ---------------------------------------------------------------------------------------------- */

static bool fill_group(mbs_tangent_work *work, mbs_tangent_columns *columns, size_t g, double t, const double *y) {
  assert(g < columns->group_count);
  mbs_direction *along = &columns->groups[g];
  if (mbs_tangent_differentiate(work, &along->fd, t, y, along->s, true) != MBS_OK) return false;
  for (size_t c = 0; c < columns->count; c++) {
    if (columns->group[c] != g) continue;
    for (size_t e = columns->first[c]; e < columns->first[c + 1]; e++)
      columns->values[e] = work->change[columns->row[e]] / columns->per_step[c];
  }
  return true;
}

/* Returns the rounding of a row's difference along all columns. */
static double rounding_of(const mbs_tangent_work *work, size_t row, double step) {
  assert(row < work->self->run->system->model->nv + work->self->run->system->model->rows);
  const mbs_system *system = work->self->run->system;
  const size_t nv = system->model->nv;
  const double size = row < nv ? work->force / system->v_units[row] : work->bias * system->row_units[row - nv];
  return roundings * DBL_EPSILON * size / step;
}

/* Returns true if the difference along all columns is the sum of the columns. */
static bool is_complete(mbs_tangent_work *work, mbs_tangent_columns *columns, double t, const double *y) {
  mbs_direction *all = &columns->all;
  if (mbs_tangent_differentiate(work, &all->fd, t, y, all->s, true) != MBS_OK) return false;
  memset(columns->predicted, 0, columns->rows * sizeof *columns->predicted);
  memset(columns->size, 0, columns->rows * sizeof *columns->size);
  for (size_t c = 0; c < columns->count; c++) {
    for (size_t e = columns->first[c]; e < columns->first[c + 1]; e++) {
      const double change = columns->values[e] * columns->per_step_all[c];
      columns->predicted[columns->row[e]] += change;
      columns->size[columns->row[e]] += fabs(change);
    }
  }
  for (size_t r = 0; r < columns->rows; r++)
    if (!(fabs(work->change[r] - columns->predicted[r]) <=
          off_share * columns->size[r] + rounding_of(work, r, all->fd.step)))
      return false;
  return true;
}

bool mbs_tangent_columns_fill(mbs_tangent_work *work, double t, const double *y) {
  mbs_tangent_columns *columns = work->columns;
  for (size_t g = 0; g < columns->group_count; g++)
    if (!fill_group(work, columns, g, t, y)) return false;
  return is_complete(work, columns, t, y);
}

/* Adds s times a column to `change`. */
static void add_product(const mbs_tangent_columns *columns, size_t column, double s, double *change) {
  assert(column < columns->count);
  for (size_t e = columns->first[column]; e < columns->first[column + 1]; e++)
    change[columns->row[e]] += s * columns->values[e];
}

void mbs_tangent_columns_times(const mbs_tangent_columns *columns, size_t j, const double *s, double *change) {
  assert(columns->states + j < columns->count);
  memset(change, 0, columns->rows * sizeof *change);
  for (size_t c = 0; c < columns->states; c++)
    if (s[c] != 0) add_product(columns, c, s[c], change);
  add_product(columns, columns->states + j, 1, change);
}
