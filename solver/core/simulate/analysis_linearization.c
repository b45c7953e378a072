/* Linearizes at the static equilibrium found from the start, or at the start itself. Adds matrices, eigenvalues and
 * modes to the row of that state. */
#include "constraints/held_coordinates.h"
#include "equations/sliding.h"
#include "results/columns.h"
#include "run/notes.h"
#include "run/overflow_check.h"
#include "run/record.h"
#include "run/run_errors.h"
#include "run/start.h"
#include "run/sticking.h"
#include "run/touch_checks.h"
#include "simulate/analyses.h"
#include "simulate/equilibrium_check.h"
#include "simulate/linearize.h"
#include "simulate/mode_shapes.h"
#include "simulate/standing_coordinates.h"
#include "simulate/static_equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Finds the state to linearize about and records it as the only row. */
static mbs_status find_state(mbs_run_state *run) {
  const mbs_model *model = run->model;
  if (model->about_state) {
    const mbs_status settled = mbs_run_settle_laws(run, model->t_start);
    return settled == MBS_OK ? mbs_run_record(run, 0, model->t_start, run->q, run->v) : settled;
  }
  double *lambda = mbs_arena_alloc(run->system->arena, model->rows + 1, sizeof *lambda);
  if (!lambda) return MBS_NO_MEMORY;
  int stiffness;
  mbs_status status = mbs_find_equilibrium(run, lambda, &stiffness);
  return status == MBS_OK ? mbs_run_record_static(run, 0, model->t_start, run->q, lambda) : status;
}

/* Lists labels of the independent velocities of a partition in the document's order, then those of held coordinates,
 * and their numbers in the partition in `order`. `names` [nv] are those of all velocities in the document's order. */
static bool list_independent(const mbs_run_state *run, const mbs_partition *partition, const char *const *names,
                             size_t *order, const char **labels) {
  const mbs_model *model = run->model;
  const char **held = mbs_held_coordinate_labels(model, run->result->arena);
  size_t count = 0;
  if (!held) return false;
  for (size_t i = 0; i < model->nv; i++) {
    int velocity = model->user_v[i];
    if (partition->place[velocity] >= 0) continue;
    for (size_t k = 0; k < partition->independent; k++)
      if (partition->order[partition->dependent + k] == velocity) order[count] = k;
    labels[count++] = names[i];
  }
  for (size_t c = 0; c < partition->held; c++, count++) {
    order[count] = count;
    labels[count] = held[c];
  }
  return true;
}

static bool add_matrix(mbs_run_state *run, mbs_output_id id, const double *matrix, size_t n, const size_t *order,
                       const char **labels) {
  double *data = mbs_output_add(&run->output, id, run->result, 2, (size_t[]){n, n}, labels, NULL);
  for (size_t i = 0; data && i < n; i++)
    for (size_t j = 0; j < n; j++) data[i * n + j] = matrix[order[j] * n + order[i]];
  return data != NULL;
}

/* Removes the velocities that are not in A from their list [n]; the numbers become those in A. */
static void leave_out_held(const mbs_linearization *linear, size_t *order, const char **labels) {
  size_t count = 0;
  for (size_t i = 0; i < linear->n; i++) {
    const size_t number = order[i];
    if (linear->held[number]) continue;
    order[count] = number;
    for (size_t k = 0; k < number; k++) order[count] -= linear->held[k];
    labels[count++] = labels[i];
  }
}

/* Adds A, with independent coordinates and velocities in the document's order, then states. */
static bool add_state_matrix(mbs_run_state *run, const mbs_linearization *linear) {
  const mbs_model *model = run->model;
  const size_t p = linear->positions, n = linear->n, first = p + linear->moving, size = first + linear->states;
  mbs_arena *arena = run->result->arena;
  const mbs_partition *positions = linear->partition.positions ? linear->partition.positions : &linear->partition;
  size_t *order = mbs_arena_alloc(run->system->arena, p + n + linear->states + 1, sizeof *order);
  const char **labels = mbs_arena_alloc(arena, p + n + linear->states + 1, sizeof *labels);
  const char *const *velocities = run->result->report.velocity_labels;
  const char **coordinates = mbs_arena_alloc(arena, model->nv + 1, sizeof *coordinates),
             **of_q = mbs_coordinate_labels(model, 0, arena), **of_x = mbs_state_labels(model, arena);
  if (!order || !labels || !coordinates || !of_q) return false;
  /* without a coordinate of its own, a small displacement */
  for (size_t i = 0; i < model->nv; i++)
    if (!(coordinates[i] = model->nq == model->nv ? of_q[i] : mbs_arena_format(arena, "d(%s)", velocities[i])))
      return false;
  if (!list_independent(run, positions, coordinates, order, labels) ||
      !list_independent(run, &linear->partition, velocities, order + p, labels + p) || !of_x)
    return false;
  if (linear->held) leave_out_held(linear, order + p, labels + p);
  memcpy(labels + first, of_x, linear->states * sizeof *labels);
  for (size_t i = p; i < size; i++) order[i] = i < first ? order[i] + p : i;
  return add_matrix(run, MBS_OUTPUT_STATE_MATRIX, linear->A, size, order, labels);
}

/* Adds M, C_d and K. With rows of velocity level they do not exist as square matrices of the same coordinates. */
static bool add_matrices(mbs_run_state *run, const mbs_linearization *linear) {
  size_t *order = mbs_arena_alloc(run->system->arena, linear->n + 1, sizeof *order);
  const char **labels = mbs_arena_alloc(run->result->arena, linear->n + 1, sizeof *labels);
  if (linear->partition.positions || linear->moving < linear->n) return true;
  return order && labels &&
         list_independent(run, &linear->partition, run->result->report.velocity_labels, order, labels) &&
         add_matrix(run, MBS_OUTPUT_M, linear->M, linear->n, order, labels) &&
         add_matrix(run, MBS_OUTPUT_C_D, linear->C, linear->n, order, labels) &&
         add_matrix(run, MBS_OUTPUT_K, linear->K, linear->n, order, labels);
}

/* Adds eigenvalues s, frequencies and damping ratios. */
static bool add_eigenvalues(mbs_run_state *run, const mbs_linearization *linear) {
  static const char *const parts[] = {"real", "imaginary"};
  static const char *const frequency[] = {"frequencies"}, *const ratio[] = {"damping_ratios"};
  size_t modes = linear->eigen.modes, count = linear->positions + linear->moving + linear->states;
  mbs_output *output = &run->output;
  mbs_result *result = run->result;
  double *values = mbs_output_add(output, MBS_OUTPUT_EIGENVALUES, result, 2, (size_t[]){count, 2}, parts, NULL);
  double *frequencies = mbs_output_add(output, MBS_OUTPUT_FREQUENCIES, result, 1, &modes, frequency, NULL);
  double *ratios = mbs_output_add(output, MBS_OUTPUT_DAMPING_RATIOS, result, 1, &modes, ratio, NULL);
  if (!values || !frequencies || !ratios) return false;
  memcpy(values, linear->eigen.values, 2 * count * sizeof *values);
  for (size_t k = 0; k < modes; k++) {
    frequencies[k] = mbs_eigen_frequency(values + 2 * k);
    ratios[k] = mbs_eigen_damping_ratio(values + 2 * k);
  }
  return true;
}

/* Adds mode shapes as displacements of all coordinates, Rq z. */
static bool add_modes(mbs_run_state *run, const mbs_linearization *linear) {
  const mbs_model *model = run->model;
  mbs_arena *arena = run->result->arena;
  size_t n = linear->positions, nv = model->nv;
  const char **labels = mbs_arena_alloc(arena, 2 * nv + 1, sizeof *labels);
  if (!labels) return false;
  for (size_t i = 0; i < 2 * nv; i++)
    if (!(labels[i] = mbs_arena_format(arena, "%s.%s", run->result->report.velocity_labels[i / 2],
                                       i % 2 ? "imaginary" : "real")))
      return false;
  double *data = mbs_output_add(&run->output, MBS_OUTPUT_MODES, run->result, 3, (size_t[]){linear->eigen.modes, nv, 2},
                                labels, NULL);
  /* Rq z of each mode, real and imaginary part */
  for (size_t k = 0; data && k < linear->eigen.modes; k++)
    for (size_t j = 0; j < n; j++)
      for (size_t part = 0; part < 2; part++) {
        const double z = linear->eigen.shapes[(k * n + j) * 2 + part];
        for (size_t i = 0; i < nv && z != 0; i++)
          data[(k * nv + i) * 2 + part] += linear->Rq[j * nv + (size_t)model->user_v[i]] * z;
      }
  return data != NULL;
}

/* Notes laws that stick at the state, which are constraints of the linear motion. */
static void note_sticking(mbs_run_state *run) {
  const mbs_report *report = &run->result->report;
  if (mbs_report_sticking(run, false) == MBS_OK && report->sticking_count)
    mbs_run_note(run,
                 "sticking: the dry friction of '%s'%s sticks at the state, so that the linearization treats it as a "
                 "constraint of velocities; each leaves an eigenvalue of zero",
                 report->sticking[0], report->sticking_count > 1 ? " (and others)" : "");
  const mbs_sliding *sliding = run->system->sliding;
  if (sliding->moving_count == 0) return;
  const mbs_owner owner = mbs_switches_owner(run->model, (size_t)sliding->surfaces[sliding->moving[0]].leader);
  char others[48] = "";
  if (sliding->moving_count > 1) snprintf(others, sizeof others, " (and %zu more)", sliding->moving_count - 1);
  mbs_run_note(run,
               "the law '%.120s' of '%.60s' (%s)%s sticks at the state, so that the linearization treats it as a "
               "constraint; the motion that it prevents appears as an eigenvalue of zero",
               owner.text, owner.element, owner.pointer, others);
}

mbs_status mbs_run_linear_state(mbs_run_state *run) {
  mbs_status status = mbs_run_start(run);
  if (status == MBS_OK) status = find_state(run);
  return status == MBS_OK ? mbs_run_require_finite(run, 0, run->model->t_start) : status;
}

mbs_status mbs_linearize_state(mbs_run_state *run, const mbs_ports *ports, mbs_linearization *out, bool *at_rest) {
  *at_rest = true;
  mbs_status status = mbs_linearize(run, run->model->t_start, ports, out);
  if (status != MBS_OK) return status;
  if (!run->model->about_state) return mbs_check_basis(run, out);
  status = mbs_check_equilibrium(run, out, at_rest);
  if (status != MBS_INVALID || run->model->any_hold) return status;
  /* bodies rotate: joint coordinates in place of those of bodies, if they are enough */
  mbs_run_forget_error(run);
  status = mbs_hold_standing(run);
  if (status == MBS_OK) status = mbs_linearize(run, run->model->t_start, ports, out);
  return status == MBS_OK ? mbs_check_equilibrium(run, out, at_rest) : status;
}

mbs_status mbs_run_linearization(mbs_run_state *run) {
  mbs_linearization linear;
  mbs_status status = mbs_run_linear_state(run);
  if (status != MBS_OK) return status;
  bool at_rest;
  status = mbs_linearize_state(run, NULL, &linear, &at_rest);
  if (status != MBS_OK) return status;
  if (run->observer && run->observer->linear) status = run->observer->linear(run->observer->user, &linear);
  if (status != MBS_OK) return status;
  if (run->observer) return add_eigenvalues(run, &linear) ? MBS_OK : MBS_NO_MEMORY;
  if (!add_matrices(run, &linear) || (linear.A && !add_state_matrix(run, &linear)) || !add_eigenvalues(run, &linear) ||
      !add_modes(run, &linear) || !mbs_add_mode_shapes(run, run->output.arrays[MBS_OUTPUT_MODES]))
    return MBS_NO_MEMORY;
  if ((status = mbs_run_require_finite(run, 0, run->model->t_start)) != MBS_OK) return status;
  note_sticking(run);
  if (linear.singular) mbs_run_note(run, "%s", mbs_linearization_singular);
  if (!at_rest) return MBS_OK; /* eigenvalues about a motion do not determine stability */
  int stable = run->result->report.stable = mbs_linearization_stable(&linear);
  if (stable < 0 && !linear.singular)
    mbs_run_note(run, "an eigenvalue is zero: the linear equations do not determine whether the state is stable");
  return MBS_OK;
}
