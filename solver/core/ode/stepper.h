/* stepper.h - an integration whose caller makes the steps. mbs_integrate() calls mbs_stepper_open(), and then, while
 * t < t_end, for each step: mbs_stepper_begin(); mbs_stepper_attempt() and mbs_stepper_judge(), repeated while *again;
 * mbs_stepper_accept(). A caller with its own form of attempts (a batch of runs) must leave the stepper as
 * mbs_stepper_attempt() does. */
#ifndef MBS_STEPPER_H
#define MBS_STEPPER_H

#include "ode/steps.h"

typedef struct mbs_stepper {
  const mbs_method *method;
  const mbs_ode *ode;
  const mbs_tolerance *tolerance;
  mbs_integration *stats;
  mbs_error *error;
  double t, t_end;
  double resolution;          /* times closer than this are equal [s] */
  double smallest, longest;   /* shortest length of a repeated step; longest of any step */
  double limit;               /* longest step that the host allows from here */
  double next;                /* length proposed for the next step */
  double error_before;        /* error norm of the last accepted step */
  double quadrature_size;     /* last value of mbs_ode.quadrature_size */
  double h, t1;               /* length and end of the current step */
  bool to_event;              /* the current step was cut to end at an event */
  int missed;                 /* cuts in a row at whose end no guard had its event */
  bool prepared, falls_short; /* dense output is ready; but less accurate than rows need */
  bool limited;               /* `limit` applies to the end of the current attempt */
  bool blurred_start, blurred_inside,
      blurred_end; /* rounding dominates slopes at the start, at the stages, at the end */
  bool rejected;   /* the error norm rejected a length of the current step */
  int elsewheres;  /* lengths tried to avoid a spot where rounding dominates */
  mbs_chatter chatter;
  double stiffness; /* stiffness of the current attempt (mbs_method.stiffness); NaN: not computed */
  uint64_t stiff_steps;
  double *y;                    /* [n] the state at t; owned by the caller */
  double *f0, *y1, *f1;         /* [n] */
  double *state;                /* [n] a state inside the step */
  double *errors;               /* [n] estimated errors of the current step */
  double *guards;               /* [MBS_GUARD_ROWS][n_guards] */
  double *workspace, *row_work; /* method's workspace; that of its separate steps to times inside a step */
  double *parts;                /* [4 n] ends of the parts of an observed step */
  const double *report_times;   /* [rows] */
  size_t row, rows;             /* index of the next row to report; number of rows */
  double rows_until;            /* later rows are reported after the events at the end of the current step */
  double *row_state;            /* [n] state of the reported row */
} mbs_stepper;

/* Opens an integration with the arguments of mbs_integrate(). They must outlive the stepper. */
mbs_status mbs_stepper_open(mbs_stepper *stepper, const mbs_method *method, const mbs_ode *ode, double t_start,
                            double t_end, double *y, const double *report_times, size_t rows,
                            const mbs_tolerance *tolerance, double *workspace, mbs_integration *stats,
                            mbs_error *error);
/* Begins the next step. */
void mbs_stepper_begin(mbs_stepper *stepper);
/* Tries the current step from (t, y) over h. Sets y1, f1 and the error norm; f1 is not evaluated if an early error norm
 * rejects the step. */
mbs_status mbs_stepper_attempt(mbs_stepper *stepper, double *norm);
/* Computes the error norm of the current step from the norm of the motion and the errors of the quadratures. */
mbs_status mbs_stepper_judge_quadratures(mbs_stepper *stepper, double motion, double *norm);
/* Resets the data of the current attempt. */
void mbs_stepper_reset_attempt(mbs_stepper *stepper);
/* Returns true if an accepted attempt needs dense output: for guards, rows or an observer. */
bool mbs_stepper_needs_dense_output(mbs_stepper *stepper);
/* Returns true if an observer needs states inside the current step. */
bool mbs_stepper_is_observed(const mbs_stepper *stepper);
/* Records that the workspace of the current step is ready for dense output, whose error is `error`. */
void mbs_stepper_prepared(mbs_stepper *stepper, double error);
/* Decides about an attempt that ended with `status` and `norm`. Sets *again if another length must be tried; otherwise
 * the step can be accepted. A status other than MBS_OK ends the integration. */
mbs_status mbs_stepper_judge(mbs_stepper *stepper, mbs_status status, double norm, bool *again);
/* Accepts the current step: reports it, makes its end the state, and changes modes there. */
mbs_status mbs_stepper_accept(mbs_stepper *stepper);

#endif
