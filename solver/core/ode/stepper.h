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
  double resolution;                               /* times closer than this are the same */
  double smallest, longest;                        /* no step is tried again below, none is above */
  double limit;                                    /* the longest step from here on, as the guards can bear it */
  double next;                                     /* length proposed for the next step */
  double error_before;                             /* error norm of the last accepted step */
  double quadrature_size;                          /* as the host said last */
  double h, t1;                                    /* the step in hand: its length and its end */
  bool to_event;                                   /* it was cut to end at an event */
  bool prepared, falls_short;                      /* its dense output is ready; but not exact enough for rows */
  bool limited;                                    /* `limit` is of the end of the attempt in hand */
  bool blurred_start, blurred_inside, blurred_end; /* slopes at the state, at the stages and at the end of the step */
  bool rejected;                                   /* a length of the step in hand was, by the error norm */
  int elsewheres;                                  /* other lengths that it was given */
  mbs_chatter chatter;
  double stiffness; /* of the attempt in hand, as its method has it; NaN: nobody has asked yet */
  uint64_t stiff_steps;
  double *y;                    /* [n] of the caller: the state at t */
  double *f0, *y1, *f1;         /* [n] */
  double *state;                /* [n] inside the step */
  double *errors;               /* [n] of the step in hand, as estimated */
  double *guards;               /* [MBS_GUARD_ROWS][n_guards] */
  double *workspace, *row_work; /* of the method; of its steps to times inside a step */
  double *parts;                /* [4 n] of a step that is observed in parts */
  const double *report_times;   /* [rows] */
  size_t row, rows;             /* the next one to report */
  double *row_state;            /* [n] of the row that is reported */
} mbs_stepper;

/* An integration as mbs_integrate() begins it, with the same arguments; what they point to lasts as long. */
mbs_status mbs_stepper_open(mbs_stepper *stepper, const mbs_method *method, const mbs_ode *ode, double t_start,
                            double t_end, double *y, const double *report_times, size_t rows,
                            const mbs_tolerance *tolerance, double *workspace, mbs_integration *stats,
                            mbs_error *error);
/* The next step. */
void mbs_stepper_begin(mbs_stepper *stepper);
/* The step in hand from (t, y) over h: y1, f1 and the error norm; f1 is not evaluated when the norm rejects before. */
mbs_status mbs_stepper_attempt(mbs_stepper *stepper, double *norm);
/* The error norm of a step in hand, whose norm of the motion alone and errors of the quadratures are there. */
mbs_status mbs_stepper_judge_quadratures(mbs_stepper *stepper, double motion, double *norm);
/* An attempt in hand begins, of which nothing is known. */
void mbs_stepper_forget(mbs_stepper *stepper);
/* Whether the attempt in hand, whose norm accepts it, has dense output looked into where it is judged: by guards, rows,
 * or who observes. */
bool mbs_stepper_looks_inside(mbs_stepper *stepper);
/* Whether who observes looks inside the step in hand. */
bool mbs_stepper_is_observed(const mbs_stepper *stepper);
/* The workspace of the step in hand is ready for dense output, whose error the method says to be `error`. */
void mbs_stepper_prepared(mbs_stepper *stepper, double error);
/* What an attempt that ended with `status` and `norm` is worth: *again with another length, or else it can be accepted.
 * Any status but MBS_OK ends the integration. */
mbs_status mbs_stepper_judge(mbs_stepper *stepper, mbs_status status, double norm, bool *again);
/* The step in hand counts: reports on it, makes its end the state, and changes modes there. */
mbs_status mbs_stepper_accept(mbs_stepper *stepper);

#endif
