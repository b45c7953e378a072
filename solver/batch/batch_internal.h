/* batch_internal.h - what the files of motions that go together share. */
#ifndef MBS_BATCH_INTERNAL_H
#define MBS_BATCH_INTERNAL_H

#include "batch/batch_simulation.h"
#include "batch/lanes.h"
#include "ode/drive.h"
#include "simulate/dynamics.h"

#include <math.h>

enum { MBS_READS_MOST = 64 };

/* One run on its way. */
typedef struct mbs_runner {
  bool busy;     /* it has begun, and its end was not told */
  bool ended;    /* with `status` */
  bool in_lane;  /* so it makes the attempt in hand */
  bool prepares; /* its dense output is asked for before it is judged */
  mbs_run_state run;
  mbs_motion motion;
  mbs_drive drive;
  mbs_integration stats;
  mbs_status status; /* of the attempt in hand */
  double norm;
  bool accepted; /* it counts */
} mbs_runner;

/* What observers read first of a step (observer.h), if that is what lanes can read; else no inputs. */
typedef struct mbs_batch_reads {
  size_t places, inputs;
  bool velocities; /* the states there have them */
  double place[MBS_READS_MOST];
  int input[MBS_READS_MOST];
} mbs_batch_reads;

/* A half of a step that a lane has made, of a method whose dense output may fall short. */
typedef struct mbs_made_part {
  bool made;
  double t, h;
  double *y1, *f1, *workspace; /* its end and slope there [n]; the method's, ready for dense output */
  double *factors;             /* that states inside begin with */
  double pivot_ratio, power;   /* of its last slope */
  uint64_t evaluations;
} mbs_made_part;

/* Of each lane where its step begins, how long it is, and where it ends. */
typedef struct mbs_step_span {
  double t[MBS_BATCH_MAX], h[MBS_BATCH_MAX], t1[MBS_BATCH_MAX];
} mbs_step_span;

struct mbs_batch {
  const mbs_model *model;
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  int width;
  size_t n, stages;   /* states, numbers of a method's workspace */
  double *nowhere;    /* [n or stages] what lanes without a run have to tell */
  mbs_step_span step; /* the steps in hand */
  bool early_error;   /* the method's error norm is known before a step's end is moved */
  mbs_batch_reads reads;
  mbs_runner runners[MBS_BATCH_MAX];
  mbs_made_part parts[MBS_BATCH_MAX][MBS_FIRST_READS];
};

static inline bool mbs_runner_is_going(const mbs_runner *runner) { return runner->busy && !runner->ended; }

/* How far redundant rows are from what they ask for where a lane was moved onto the others. */
static inline void mbs_runner_note_redundant(const mbs_lanes *lanes, int lane, const mbs_runner *runner) {
  mbs_system *system = runner->run.system;
  if (system->model->rows) system->redundant_residual = fmax(system->redundant_residual, lanes->redundant[lane]);
}

/* What slopes leave in a run, the last of them above all [W]. */
static inline double mbs_lane_power(const mbs_lanes *lanes, int lane) {
  return fabs(lanes->power_work[lane]) + fabs(lanes->driven[lane]) + fabs(lanes->power_dissipated[lane]);
}

/* ---- batch_dense_output.c ---- */
/* Room for the halves of steps. False: no memory. */
bool mbs_batch_open_parts(mbs_batch *self, mbs_arena *arena);
/* Makes what a run's observer reads first that of all, where it is the first of them; those who read other things are
 * not read for. */
void mbs_batch_set_reads(mbs_batch *self, int lane);
/* Nothing is read or made of the step in hand. */
void mbs_batch_discard_step(mbs_batch *self, int lane);
/* States inside the steps that count, of runs that are looked into, as their observers read them first. They begin with
 * the factors that these steps have left in lanes. */
void mbs_batch_read_inside(mbs_batch *self);
/* A part of the step in hand of a run, the context, if it is made; as mbs_ode has it. */
bool mbs_batch_use_part(void *context, double t, double h, double *y1, double *f1, double *workspace,
                        uint64_t *evaluations);

#endif
