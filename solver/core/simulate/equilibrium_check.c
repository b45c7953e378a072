/* Checks for equilibrium. A constraint is at rest if -dPhi/dt and its rate vanish. An independent coordinate z is at
 * rest if its velocity u and its unbalanced force M u' are small. They are compared with the forces that a displacement
 * of size [z], of mbs_scales(), causes:
 *
 *   M_ii u_i^2,  (M u')_i [z_i]   <<   |K_ij| [z_i] [z_j] + M_ii [z_i]^2 |g| / extent.
 *
 * These are energies for every kind of coordinate. */
#include "simulate/equilibrium_check.h"

#include "constraints/held_coordinates.h"
#include "equations/error_scales.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "model/rows.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "simulate/along_motion.h"
#include "simulate/steady_motion.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The largest share of that size at rest: the data of a state may have six digits. */
static const double rest_share = 1e-6;

/* Returns true for the row of a driver of a steady coordinate. */
static bool keeps_rate(const mbs_model *model, size_t r) {
  if (r < mbs_joint_rows(model) || r >= model->bilateral_rows) return false;
  const int function = model->blocks[model->drivers[r - mbs_joint_rows(model)].block].function;
  return function >= 0 && model->functions[function].steady;
}

/* Returns true if an initial velocity of the document's velocity i is kept or follows from others that are: that of a
 * steady coordinate, or in body coordinates any. */
static bool keeps_velocity(const mbs_model *model, size_t i) {
  if (!model->relative || model->body_formulation) return model->relative;
  const int k = model->user_v[i], body = model->velocity_body[k];
  return mbs_is_steady(model, model->tree_joint[body], (size_t)(k - model->first_v[body]));
}

/* Returns the first element whose constraint moves or accelerates with time at the position run->q, and sets *more to
 * the number of others; NULL if there is none. Leaves the system at rest there. */
static const char *find_moving(mbs_run_state *run, size_t *more) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  const char *first = NULL, *last = NULL;
  *more = 0;
  memset(run->workspace, 0, model->nv * sizeof *run->workspace);
  mbs_set_position(system, model->t_start, run->q);
  mbs_set_velocity(system, run->workspace);
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  for (size_t r = 0; r < model->rows; r++) {
    if (!(fabs(system->rhsV[r]) > 0 || fabs(system->rhsA[r]) > 0) || keeps_rate(model, r)) continue;
    const char *element = mbs_row_element(model, r);
    if (!first) first = element;
    if (last && strcmp(last, element) != 0) ++*more;
    last = element;
  }
  return first;
}

static void note_left_out(mbs_run_state *run, const char *what) {
  if (run->model->relative) {
    mbs_run_note(run, "%s; to include this motion, list its joint in \"steady\"", what);
    return;
  }
  mbs_run_note(run,
               "%s: the equilibrium includes neither this motion nor its inertia forces (centrifugal, gyroscopic and "
               "others); %s",
               what,
               run->model->type == MBS_LINEARIZATION ? "to include them, set \"about\": \"state\""
                                                     : "to include them, use an analysis of motion, such as dynamics");
}

/* Notes motion that the equilibrium ignores, at the start of a motion. */
static void note_start(mbs_run_state *run, const char *moving, const char *others, size_t given) {
  const mbs_report *report = &run->result->report;
  if (moving)
    mbs_run_note(
        run, "the initial equilibrium is computed with '%s'%s held at its position at t = %.9g; it moves from then on",
        moving, others, run->model->t_start);
  else if (given < report->velocities)
    mbs_run_note(run,
                 "the motion starts from an equilibrium, where only drivers may have velocities; the initial velocity "
                 "'%s' = %.6g is ignored",
                 report->velocity_labels[given], report->v_before[given]);
}

void mbs_note_held_motion(mbs_run_state *run) {
  const mbs_report *report = &run->result->report;
  size_t more, given = 0;
  char what[320], others[48] = "";
  const char *moving = find_moving(run, &more);
  while (given < report->velocities && (report->v_before[given] == 0 || keeps_velocity(run->model, given))) given++;
  if (more) snprintf(others, sizeof others, " (and %zu more)", more);
  if (run->model->type == MBS_DYNAMICS) {
    note_start(run, moving, others, given);
    return;
  }
  if (moving)
    snprintf(what, sizeof what, "'%s'%s moves at t = %.9g and is held at its position at that time", moving, others,
             run->model->t_start);
  else if (given < report->velocities)
    snprintf(what, sizeof what, "the initial velocity '%s' is %.6g, but in an equilibrium it is 0",
             report->velocity_labels[given], report->v_before[given]);
  if (moving || given < report->velocities) note_left_out(run, what);
}

/* The independent coordinates of the system's state; those of joints in `hold` are last. */
typedef struct motion {
  double *units;   /* [n] characteristic sizes */
  double *u;       /* [n] velocities */
  double *changes; /* [n] accelerations */
} motion;

static motion read_motion(const mbs_run_state *run, const mbs_linearization *linear) {
  const mbs_model *model = run->model;
  const mbs_partition *partition = &linear->partition;
  size_t n = linear->n, own = n - partition->held;
  motion out = {.units = run->workspace, .u = run->workspace + n, .changes = run->workspace + 2 * n};
  double *velocities = run->workspace + 3 * n;
  mbs_scales(run->system, velocities, velocities + model->nv);
  for (size_t i = 0; i < own; i++) out.units[i] = velocities[partition->order[partition->dependent + i]];
  if (partition->held) mbs_held_coordinate_scales(model, run->system->constants->extent, out.units + own);
  mbs_partition_read(partition, run->system, 1, run->v, out.u);
  mbs_partition_read(partition, run->system, 2, run->system->vdot, out.changes);
  return out;
}

/* Returns the energy to which the independent coordinate i is compared [J]. theory (15.11) */
static double energy_of_order_one(const mbs_constants *constants, const mbs_linearization *linear, const double *units,
                                  size_t i) {
  /* max |K_ij| [z_i] [z_j] + M_ii [z_i]^2 |g| / extent */
  double largest = 0;
  for (size_t j = 0; j < linear->n && !linear->A; j++)
    largest = fmax(largest, fabs(linear->K[j * linear->n + i]) * units[i] * units[j]);
  double gravity = sqrt(constants->gravity[0] * constants->gravity[0] + constants->gravity[1] * constants->gravity[1] +
                        constants->gravity[2] * constants->gravity[2]);
  return largest + linear->M[i * linear->n + i] * units[i] * units[i] * gravity / constants->extent;
}

/* Returns the label of the independent velocity i; `held` are those of held coordinates. */
static const char *label_of(const mbs_run_state *run, const mbs_linearization *linear, const char *const *held,
                            size_t i) {
  const mbs_partition *partition = &linear->partition;
  size_t own = linear->n - partition->held, place = 0;
  if (i >= own) return held[i - own];
  while (run->model->user_v[place] != partition->order[partition->dependent + i]) place++;
  return run->result->report.velocity_labels[place];
}

typedef struct unrest {
  double motion, force;      /* the largest shares of the energies compared to */
  size_t moving, unbalanced; /* the independent coordinates with these shares */
} unrest;

static double share_of(double energy, double scale) { return energy > 0 ? energy / scale : 0; }

/* Finds the independent coordinates farthest from rest. theory (15.11) */
static unrest find_unrest(const mbs_constants *constants, const mbs_linearization *linear, const motion *at) {
  unrest out = {.motion = -1, .force = -1};
  for (size_t i = 0; i < linear->n; i++) {
    double scale = energy_of_order_one(constants, linear, at->units, i), unbalanced = 0;
    for (size_t j = 0; j < linear->n; j++) unbalanced += linear->M[j * linear->n + i] * at->changes[j];
    /* M_ii u_i^2 and |(M u')_i| [z_i], as shares of that energy */
    double moved = share_of(linear->M[i * linear->n + i] * at->u[i] * at->u[i], scale);
    double force = share_of(fabs(unbalanced) * at->units[i], scale);
    if (moved > out.motion) out.moving = i;
    if (force > out.force) out.unbalanced = i;
    out.motion = fmax(moved, out.motion);
    out.force = fmax(force, out.force);
  }
  return out;
}

/* Returns the state of the document, a signal or an element that changes fastest at the evaluated state, relative to
 * the changes of its rate by unknowns of order 1; NULL: none changes. `rates` [states] is workspace. */
static const char *find_changing(mbs_run_state *run, const mbs_linearization *linear, double *rates, double *rate) {
  const mbs_model *model = run->model;
  const size_t rows = linear->positions + linear->moving + linear->states, first = rows - linear->states;
  double most = rest_share;
  const char *name = NULL;
  mbs_states_rates(run->system, rates);
  for (size_t k = 0; k < linear->states; k++) {
    double size = 0;
    for (size_t j = 0; j < rows; j++) size = fmax(size, fabs(linear->A[j * rows + first + k]));
    const double share = fabs(rates[k]) / fmax(size, DBL_MIN);
    if (!(share > most)) continue;
    most = share;
    *rate = rates[k];
    name = mbs_state_owner(model, k);
  }
  return name;
}

/* The reason why a state is not at rest; "" if it is. */
typedef struct evidence {
  char text[256];
  const char *element; /* the element that moves, or "" */
} evidence;

static mbs_status find_evidence(mbs_run_state *run, const mbs_linearization *linear, evidence *out) {
  const mbs_model *model = run->model;
  size_t more;
  *out = (evidence){.element = ""};
  const char *moving = find_moving(run, &more), **held = mbs_held_coordinate_labels(model, run->result->arena);
  if (!held) return MBS_NO_MEMORY;
  mbs_status status = mbs_evaluate(run->system, model->t_start, run->q, run->v);
  if (status != MBS_OK) return status;
  const motion at = read_motion(run, linear);
  unrest found = find_unrest(run->system->constants, linear, &at);
  if (moving) out->element = moving;
  if (!moving && found.motion > rest_share * rest_share) moving = label_of(run, linear, held, found.moving);
  if (moving)
    snprintf(out->text, sizeof out->text, "the state is not at rest ('%.120s' moves)", moving);
  else if (found.force > rest_share)
    snprintf(out->text, sizeof out->text,
             "the forces at the state are not balanced (the velocity '%.120s' changes by %.6g per second)",
             label_of(run, linear, held, found.unbalanced), at.changes[found.unbalanced]);
  if (out->text[0] || !linear->states) return MBS_OK;
  double rate, *rates = mbs_arena_alloc(run->system->arena, linear->states, sizeof *rates);
  if (!rates) return MBS_NO_MEMORY;
  const char *changing = find_changing(run, linear, rates, &rate);
  if (changing) snprintf(out->text, sizeof out->text, "the state '%.120s' changes by %.6g per second", changing, rate);
  return MBS_OK;
}

/* Fails, because in body coordinates the choice of independent coordinates is arbitrary. */
static mbs_status refuse(mbs_run_state *run, const evidence *why) {
  snprintf(run->error->pointer, sizeof run->error->pointer, "/analysis/about");
  return mbs_run_fail(
      run, MBS_INVALID, run->model->t_start, why->element,
      "%s: bodies rotate at t = %.9g, so that eigenvalues in body coordinates would depend on the choice of "
      "independent coordinates; set \"formulation\": \"joint\", or list in \"hold\" the joints whose coordinates are "
      "independent%s",
      why->text, run->model->t_start,
      run->model->relative ? "" : "; to linearize about an equilibrium, set \"about\": \"equilibrium\"");
}

mbs_status mbs_check_basis(mbs_run_state *run, mbs_linearization *linear) {
  bool turn = false;
  if (!run->model->relative || !run->model->body_formulation) return MBS_OK;
  const mbs_status status = mbs_depends_on_basis(run, linear, &turn);
  if (status != MBS_OK || !turn) return status;
  return refuse(run, &(evidence){.text = "the equilibrium is relative to a steady motion", .element = ""});
}

mbs_status mbs_check_equilibrium(mbs_run_state *run, mbs_linearization *linear, bool *at_rest) {
  evidence why;
  bool turn, change;
  *at_rest = true;
  if (linear->n + linear->states == 0) return MBS_OK;
  mbs_status status = find_evidence(run, linear, &why);
  const bool moves = why.text[0] != '\0';
  if (status != MBS_OK || (!moves && !mbs_reads_time(run->model))) return status;
  *at_rest = !moves;
  if ((status = mbs_depends_on_basis(run, linear, &turn)) != MBS_OK) return status;
  if (moves && turn && run->model->body_formulation) return refuse(run, &why);
  if ((status = mbs_coefficients_change(run, linear, &change)) != MBS_OK || !change) return status;
  *at_rest = false;
  mbs_report_note(
      run->result,
      "not_steady: %s, and the coefficients of the linear equations change with time; they are those of t = %.9g; the "
      "eigenvalues show whether small deviations grow or decay at first, not whether the motion is stable%s; to "
      "linearize about an equilibrium, set \"about\": \"equilibrium\"",
      moves ? why.text : "laws depend on t", run->model->t_start,
      turn ? "; they depend on the choice of independent coordinates, which \"hold\" sets" : "");
  return MBS_OK;
}
