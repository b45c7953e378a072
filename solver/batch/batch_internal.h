/* batch_internal.h - types and functions shared by batch_simulation.c and batch_dense_output.c. */
#ifndef MBS_BATCH_INTERNAL_H
#define MBS_BATCH_INTERNAL_H

#include "batch/batch_simulation.h"
#include "batch/lanes.h"
#include "ode/stepper.h"
#include "simulate/dynamics.h"

#include <math.h>

enum { MBS_READS_MAX = 64 };

/* A run in a lane. */
typedef struct mbs_runner {
  bool busy;     /* the run has begun, and mbs_batch_advance() has not yet returned its lane */
  bool ended;    /* the run has ended with `status` */
  bool in_lane;  /* the current attempt is made in the lane, not separately */
  bool prepares; /* dense output of the current attempt is prepared in the lane, before the attempt is accepted */
  mbs_run_state run;
  mbs_motion motion;
  mbs_stepper stepper;
  mbs_integration stats;
  mbs_status status; /* status of the current attempt */
  double norm;
  bool accepted; /* the current attempt was accepted */
} mbs_runner;

/* Inputs and places that observers read first in each step (observer.h). Zero inputs if lanes cannot read them. */
typedef struct mbs_batch_reads {
  size_t places, inputs;
  bool velocities; /* velocities are read, too */
  double place[MBS_READS_MAX];
  int input[MBS_READS_MAX];
} mbs_batch_reads;

/* Half of a step, integrated in a lane because the dense output of the whole step is not exact enough. */
typedef struct mbs_made_part {
  bool made;
  double t, h;
  double *y1, *f1, *workspace; /* state and slope at the end [n]; workspace of the method, ready for dense output */
  double *factors;             /* factors with which states inside this part begin */
  double pivot_ratio, power;   /* values at the last slope; the power in W */
  uint64_t evaluations;
} mbs_made_part;

/* Start, length and end of the current step of each lane. */
typedef struct mbs_step_span {
  double t[MBS_BATCH_MAX], h[MBS_BATCH_MAX], t1[MBS_BATCH_MAX];
} mbs_step_span;

struct mbs_batch {
  const mbs_model *model;
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  int width;
  size_t n, stages;   /* number of states; length of the method's workspace */
  double *discarded;  /* [n + stages] receives the output of lanes without a run */
  mbs_step_span step; /* the current steps */
  bool early_error;   /* the method knows its error norm before the end of the step is projected */
  mbs_batch_reads reads;
  mbs_runner runners[MBS_BATCH_MAX];
  mbs_made_part parts[MBS_BATCH_MAX][MBS_FIRST_READS];
};

static inline bool mbs_runner_is_active(const mbs_runner *runner) { return runner->busy && !runner->ended; }

/* Records the residuals of the redundant rows after a projection in a lane. */
static inline void mbs_runner_note_redundant(const mbs_lanes *lanes, int lane, const mbs_runner *runner) {
  mbs_system *system = runner->run.system;
  if (system->model->rows) system->redundant_residual = fmax(system->redundant_residual, lanes->redundant[lane]);
}

/* Returns the sum of the powers at the last slope of a run, each by its absolute value [W]. */
static inline double mbs_lane_power(const mbs_lanes *lanes, int lane) {
  return fabs(lanes->power_work[lane]) + fabs(lanes->driven[lane]) + fabs(lanes->power_dissipated[lane]);
}

/* ---- batch_dense_output.c ---- */
/* Allocates the halves of steps. Returns false if memory runs out. */
bool mbs_batch_open_parts(mbs_batch *self, mbs_arena *arena);
/* If no other run is active, sets the first reads of the batch to those of this run's observer. Runs with other first
 * reads evaluate them separately. */
void mbs_batch_set_reads(mbs_batch *self, int lane);
/* Discards what was read and integrated inside the current step. */
void mbs_batch_discard_step(mbs_batch *self, int lane);
/* Reads the first reads of observers inside accepted steps, in the lanes. If the dense output of several steps is not
 * exact enough, integrates their halves and reads these instead. Projections of whole steps begin with the factors that
 * the steps have left in the lanes. */
void mbs_batch_read_inside(mbs_batch *self);
/* Copies a part of the current step of the run `context`. Returns false if the part was not integrated in the lane.
 * Implements mbs_ode.part. */
bool mbs_batch_use_part(void *context, double t, double h, double *y1, double *f1, double *workspace,
                        uint64_t *evaluations);

#endif
