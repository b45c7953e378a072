/* Finds drivers that prescribe different motions of the same degree of freedom.
 *
 * The row d of a driver depends on the independent rows i of C: y' C = 0, where y has entries for i and d only and is
 * unique up to a factor. The constraints can be satisfied only if y' Phi = 0 and y' rhsV = 0. If one of these fails,
 * the drivers with a weight in y contradict one another, or the joints. theory (10.10) */
#include "run/driver_conflict.h"

#include "base/message.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "initial/correct.h"
#include "linalg/lapack.h"
#include "model/rows.h"
#include "run/names.h"
#include "run/start.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* A driver with less than this share of the largest weight is not concerned. */
static const double least_weight = 1e-6;

/* Largest number of dependent drivers that are examined. */
enum { DRIVERS_MOST = 16 };

typedef struct conflict {
  int *rows; /* [count] the independent rows and, last, the row that depends on them */
  double *y; /* [count] weights of scaled rows */
  size_t count;
  double misfit; /* the larger of |y' Phi| and |y' rhsV| [time]; the largest entry of y is 1 */
} conflict;

/* Sets A [height x count] to C' of the listed rows, scaled, each divided by its length. */
static void fill(mbs_run_state *run, const conflict *self, size_t height, const double *units, double *C, double *A,
                 double *lengths) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_jacobian_dense(system, C);
  for (size_t j = 0; j < self->count; j++) {
    double sum = 0;
    for (size_t k = 0; k < model->nv; k++) {
      double *entry = &A[j * height + k];
      *entry = C[k * model->rows + (size_t)self->rows[j]] * units[k] / system->row_units[self->rows[j]];
      sum += *entry * *entry;
    }
    lengths[j] = sum > 0 ? sqrt(sum) : 1;
    for (size_t k = 0; k < model->nv; k++) A[j * height + k] /= lengths[j];
  }
}

/* Computes y and the misfit. Returns false if there is no finite solution, or if memory runs out. */
static bool find_combination(mbs_run_state *run, conflict *self) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_arena *arena = system->arena;
  size_t m = model->rows, n = model->nv, k = self->count, height = n > k ? n : k;
  double *C = mbs_arena_alloc(arena, m * n + 1, sizeof *C), *A = mbs_arena_alloc(arena, height * k, sizeof *A);
  double *lengths = mbs_arena_alloc(arena, k, sizeof *lengths), *Vt = mbs_arena_alloc(arena, k * k, sizeof *Vt);
  double *values = mbs_arena_alloc(arena, k, sizeof *values), *units = mbs_arena_alloc(arena, n + m, sizeof *units);
  double *workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(height, k), sizeof *workspace);
  if (!C || !A || !lengths || !Vt || !values || !units || !workspace) return false;
  mbs_scales(system, units, units + n);
  fill(run, self, height, units, C, A, lengths);
  for (size_t i = 0; i < height * k; i++)
    if (!isfinite(A[i])) return false;
  if (!mbs_singular_values(height, k, A, values, Vt, workspace)) return false;
  double largest = 0, position = 0, rate = 0, on_rates = 0;
  for (size_t j = 0; j < k; j++) {
    self->y[j] = Vt[j * k + k - 1] / lengths[j];
    largest = fmax(largest, fabs(self->y[j]));
  }
  for (size_t j = 0; j < k && largest > 0; j++) {
    self->y[j] /= largest;
    position += self->y[j] * system->Phi[self->rows[j]] / system->row_units[self->rows[j]];
    rate += self->y[j] * system->rhsV[self->rows[j]] / system->row_units[self->rows[j]];
    if (model->levels[self->rows[j]] == MBS_LEVEL_VELOCITY) on_rates = fmax(on_rates, fabs(self->y[j]));
  }
  if (on_rates > least_weight) position = 0; /* if a row of velocity level is involved, positions cannot contradict */
  self->misfit = fmax(fabs(position), fabs(rate) * system->constants->time);
  return largest > 0;
}

/* Returns true if a driver has a weight in a combination that is not negligible against the largest driver's weight. */
static bool concerns(const conflict *self, size_t row, size_t driver_row) {
  double heaviest = 0, weight = 0;
  for (size_t j = 0; j < self->count; j++) {
    if ((size_t)self->rows[j] >= driver_row) heaviest = fmax(heaviest, fabs(self->y[j]));
    if ((size_t)self->rows[j] == row) weight = fabs(self->y[j]);
  }
  return weight > least_weight * heaviest;
}

/* Returns true if a row of a joint has a weight in the combination that is not negligible. */
static bool involves(const conflict *self, const mbs_joint *joint) {
  for (size_t j = 0; j < self->count; j++)
    if (self->rows[j] >= joint->first_row && self->rows[j] < joint->first_row + joint->row_count &&
        fabs(self->y[j]) > least_weight)
      return true;
  return false;
}

/* Writes why different drivers concern one degree of freedom: ", because 'mesh' links what these drivers move". Names
 * gears, rods and other joints that have no coordinates of their own. Writes "" if no joint is involved. */
static void write_link(const mbs_model *model, const conflict *self, char text[160]) {
  char names[100];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  bool joints = false;
  for (size_t j = 0; j < model->joint_count; j++) {
    if (!involves(self, &model->joints[j])) continue;
    joints = true;
    if (!model->joints[j].shape->in_tree) mbs_name_list_add(&list, model->joints[j].name);
  }
  text[0] = '\0';
  if (joints)
    snprintf(text, 160, ", because %s link%s what these drivers move",
             list.count ? mbs_name_list_close(&list) : "joints", list.count == 1 ? "s" : "");
}

/* Writes the error with the drivers of all conflicts that share a driver with the worst conflict. */
static void write_error(mbs_run_state *run, const conflict *conflicts, size_t count, size_t worst) {
  assert(count <= DRIVERS_MOST && worst < count);
  const mbs_model *model = run->model;
  mbs_error *error = run->error;
  char names[300];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  size_t driver_row = mbs_joint_rows(model);
  bool shared[DRIVERS_MOST] = {false};
  for (size_t c = 0; c < count; c++)
    for (size_t r = driver_row; r < model->bilateral_rows && !shared[c]; r++)
      shared[c] = concerns(&conflicts[c], r, driver_row) && concerns(&conflicts[worst], r, driver_row);
  for (size_t r = driver_row; r < model->bilateral_rows; r++) {
    bool concerned = false;
    for (size_t c = 0; c < count; c++) concerned |= shared[c] && concerns(&conflicts[c], r, driver_row);
    if (concerned) mbs_name_list_add(&list, model->drivers[r - driver_row].name);
  }
  const conflict *first = &conflicts[worst];
  const char *dependent = model->drivers[(size_t)first->rows[first->count - 1] - driver_row].name;
  snprintf(error->element, sizeof error->element, "%s", dependent);
  /* each independent conflict is one driver too many */
  size_t surplus = 0;
  for (size_t c = 0; c < count; c++) surplus += shared[c];
  size_t freedoms = list.count > surplus ? list.count - surplus : 1;
  char several[32] = "";
  if (freedoms > 1) snprintf(several, sizeof several, "%zu ", freedoms);
  char link[160];
  write_link(model, first, link);
  if (list.count > 1)
    mbs_message(error->message, sizeof error->message,
                "drivers %s prescribe different motions of the same %sdegree%s of freedom at t = %.9g%s; remove %zu of "
                "them, or let them prescribe one motion that the mechanism can follow from its initial positions",
                mbs_name_list_close(&list), several, freedoms == 1 ? "" : "s", error->time, link, surplus);
  else
    mbs_message(
        error->message, sizeof error->message,
        "driver '%s' prescribes a motion at t = %.9g for which the joints leave no degree of freedom; remove it, "
        "or the constraint that holds its coordinate%s",
        dependent, error->time, mbs_has_gears(model) ? ", and check the signs of the ratios of gears" : "");
}

/* Finds row `d` as a combination of the independent rows. Returns false if there is none, or if memory runs out. */
static bool find_conflict(mbs_run_state *run, size_t d, conflict *out) {
  const mbs_system *system = run->system;
  size_t rows = run->model->rows;
  *out = (conflict){.rows = mbs_arena_alloc(system->arena, rows + 1, sizeof *out->rows),
                    .y = mbs_arena_alloc(system->arena, rows + 1, sizeof *out->y)};
  if (!out->rows || !out->y) return false;
  for (size_t r = 0; r < rows; r++)
    if (system->active[r]) out->rows[out->count++] = (int)r;
  out->rows[out->count++] = (int)d;
  assert(out->count <= rows + 1);
  return find_combination(run, out);
}

void mbs_run_name_drivers(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  conflict conflicts[DRIVERS_MOST];
  size_t count = 0, worst = 0;
  if (!model->driver_count || !isnan(run->t_failed)) return;
  /* the ranks are not known yet if no start was found */
  if (!run->ranks.redundant && mbs_run_leave_out_redundant(run) != MBS_OK) return;
  if (system->all_active) return;
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  for (size_t d = mbs_joint_rows(model); d < model->bilateral_rows && count < DRIVERS_MOST; d++) {
    conflict *each = &conflicts[count];
    if (system->active[d] || !find_conflict(run, d, each) || !(each->misfit > mbs_velocity_tolerance)) continue;
    if (each->misfit > conflicts[worst].misfit) worst = count;
    count++;
  }
  if (count) write_error(run, conflicts, count, worst);
}
