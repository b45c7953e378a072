/* together_parts.h - what the files of motions that go together share. */
#ifndef MBS_TOGETHER_PARTS_H
#define MBS_TOGETHER_PARTS_H

#include "batch/lanes.h"
#include "batch/together.h"
#include "ode/stepper.h"
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
  mbs_stepper drive;
  mbs_integration stats;
  mbs_status status; /* of the attempt in hand */
  double norm;
  bool accepted; /* it counts */
} mbs_runner;

/* What observers read first of a step (observer.h), if that is what lanes can read; else no inputs. */
typedef struct mbs_together_reads {
  size_t places, inputs;
  bool velocities; /* the states there have them */
  double place[MBS_READS_MOST];
  int input[MBS_READS_MOST];
} mbs_together_reads;

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
  double t[MBS_TOGETHER_MOST], h[MBS_TOGETHER_MOST], t1[MBS_TOGETHER_MOST];
} mbs_step_span;

struct mbs_together {
  const mbs_model *model;
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  int width;
  size_t n, stages;   /* states, numbers of a method's workspace */
  double *nowhere;    /* [n or stages] what lanes without a run have to tell */
  mbs_step_span step; /* the steps in hand */
  bool early_error;   /* the method's error norm is known before a step's end is moved */
  mbs_together_reads reads;
  mbs_runner runners[MBS_TOGETHER_MOST];
  mbs_made_part parts[MBS_TOGETHER_MOST][MBS_FIRST_READS];
};

static inline bool mbs_runner_is_going(const mbs_runner *runner) { return runner->busy && !runner->ended; }

/* How far redundant rows are from what they ask for where a lane was moved onto the others. */
static inline void mbs_runner_note_redundant(const mbs_lanes *lanes, int lane, const mbs_runner *runner) {
  mbs_system *system = runner->run.system;
  if (system->model->rows) system->strayed = fmax(system->strayed, lanes->redundant[lane]);
}

/* What slopes leave in a run, the last of them above all [W]. */
static inline double mbs_lane_power(const mbs_lanes *lanes, int lane) {
  return fabs(lanes->power_work[lane]) + fabs(lanes->driven[lane]) + fabs(lanes->power_dissipated[lane]);
}

/* ---- together_inside.c ---- */
/* Room for the halves of steps. False: no memory. */
bool mbs_together_open_parts(mbs_together *self, mbs_arena *arena);
/* Makes what a run's observer reads first that of all, where it is the first of them; those who read other things are
 * not read for. */
void mbs_together_take_reads(mbs_together *self, int lane);
/* Nothing is read or made of the step in hand. */
void mbs_together_forget_step(mbs_together *self, int lane);
/* States inside the steps that count, of runs that are looked into, as their observers read them first. They begin with
 * the factors that these steps have left in lanes. */
void mbs_together_look(mbs_together *self);
/* A part of the step in hand of a run, the context, if it is made; as mbs_ode has it. */
bool mbs_together_take_part(void *context, double t, double h, double *y1, double *f1, double *workspace,
                            uint64_t *evaluations);

#endif
