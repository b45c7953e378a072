/* statics.h - the parts of the search for a static equilibrium (static_equilibrium.c), and what they share. */
#ifndef MBS_STATICS_H
#define MBS_STATICS_H

#include "constraints/row_parts.h"
#include "equations/sliding.h"
#include "equations/touches.h"
#include "run/run.h"
#include "simulate/steady_motion.h"

/* Largest force, and largest step of Newton's method, if rounding ends the iteration. */
static const double mbs_force_accepted = 1e-8, mbs_step_accepted = 1e-9;
/* An unbalanced force below this share of the acting forces is zero. */
static const double mbs_force_goal = 1e-13;
/* First radius of the trust region [units]. */
static const double mbs_first_radius = 0.25;
/* Length of the pieces in which a step is examined, and of the steps of a fall [units]; obstacles are thicker. */
static const double mbs_fall_step = 0.02;
/* Step of the central differences [units]. */
static const double mbs_difference_step = 1e-6;
/* Eigenvalues below this share of the largest count as zero. */
static const double mbs_zero_share = 1e-10;
enum { MBS_STATICS_STEPS_MAX = 500, MBS_FOLLOW_STEPS_MAX = 500 };

/* A part of the mechanism that neither constraints nor forces connect with others; rows without velocities are parts,
 * too. The degrees of freedom are numbered part by part. */
typedef struct mbs_statics_part {
  size_t freedoms, freedom0; /* degrees of freedom; number of those in the parts before it */
  size_t square0;            /* start of its matrices in N, K and vectors */
} mbs_statics_part;

static inline size_t mbs_square(size_t size) { return size * size; }

/* The state of a search at a start. */
typedef struct mbs_statics {
  mbs_run_state *run;
  size_t n, m, freedoms;     /* m: number of rows of C */
  mbs_row_parts parts;       /* rows of C and of laws that stick, and velocities; with such laws there is one part */
  mbs_statics_part *of;      /* [parts.count] */
  int *row, *velocity;       /* [m] rows of C, -1: left out; [n] velocities */
  int *row_at, *velocity_at; /* [all], [n] rows and velocities part by part */
  size_t groups;             /* largest number of degrees of freedom in a part */
  size_t all;                /* number of rows of C and of laws that stick */
  mbs_surface *sticking;     /* [all - m] */
  double *held;              /* [all - m][n] their rows, scaled, of length 1, at the current position */
  double *lambda;            /* [all] */
  double *N;                 /* for each part [velocities x freedoms] */
  double *F, *F_trial;       /* [n] h + C' lambda: the part of h that constraints do not balance */
  double *K, *vectors;       /* for each part [freedoms^2] */
  double *values;            /* [freedoms] eigenvalues of the symmetric part, ascending in each part; `vectors` has its
                             * eigenvectors */
  double *g, *z, *dq, *q;    /* [freedoms], [freedoms], [n], [nq] */
  mbs_steady_motion motion;  /* velocities and accelerations of the equilibrium: rest, or a steady motion */
  double t;                  /* t_start, or the instant at which a relative equilibrium is checked */
  double *move;              /* [n] a displacement, not scaled */
  double *kept_units;        /* [n] units of velocities before equalize_units() */
  double *A, *plain, *workspace, *jacobian;
  double *lambda_trial;     /* [all] */
  double weights;           /* the largest scaled weight m |g_k| */
  double scale;             /* size of the acting forces */
  bool settled;             /* true if the sticking laws are known */
  bool released;            /* rows of added drivers do not count, so that their efforts must be 0 */
  bool stands;              /* laws at their switch have the mean of their branches */
  bool downhill;            /* steps follow the forces; otherwise they minimize the unbalanced force */
  bool rubs;                /* dry friction of elements sticks wherever surfaces press; otherwise there is none */
  mbs_touch_state *touches; /* [touch_count] modes of touches at the start of a search; NULL: the model has none */
  mbs_status failed;        /* status of the evaluation at that position */
  double *rates;            /* [states] r at the last position of mbs_statics_forces_at() */
  double promised; /* work, or decrease of the squared force, that the linear equations predict for the step z */
} mbs_statics;

/* ---- static_equilibrium.c: the iteration ---- */
/* Sets run->v to the velocities of the equilibrium at run->q. */
void mbs_statics_set_velocities(mbs_statics *self);
/* Computes the forces of the system's state and wrenches into system->h: h, less M v' of a steady motion. */
void mbs_statics_read_forces(const mbs_statics *self);
/* Computes h(q, 0) at a position, or h(q, v) - M v' of the steady motion. */
void mbs_statics_forces_at(mbs_statics *self, const double *q);
/* Computes out [n] = h + C' lambda at the current position, scaled; C includes the rows of laws that stick. */
void mbs_statics_balance_with(const mbs_statics *self, const double *lambda, double *out);
/* Computes F = h + C' lambda at q, with the least-squares lambda. theory (15.1), (15.2) */
mbs_status mbs_statics_balance(mbs_statics *self, const double *q, double *F, double *lambda);
/* Sets the number of laws that stick, whose rows follow those of C, and finds the parts. */
void mbs_statics_set_sticking(mbs_statics *self, size_t sticking);
/* Computes N, the right singular vectors of C whose singular values are zero. */
mbs_status mbs_statics_find_freedoms(mbs_statics *self);
/* Computes dq [n] = factor N z. */
void mbs_statics_expand(const mbs_statics *self, const double *z, double factor, double *dq);
/* Computes out [freedoms] = N' x. */
void mbs_statics_project(const mbs_statics *self, const double *x, double *out);
/* Sets self->q to run->q displaced by dq [n], which is scaled. */
void mbs_statics_displace(const mbs_statics *self, const double *dq);
/* Sets self->q to run->q displaced by a share of the step z, back on the constraints. Returns false if that fails. */
bool mbs_statics_move(mbs_statics *self, double share);
/* Makes the step z to self->q and computes F_trial there. Returns false if that fails. */
bool mbs_statics_go(mbs_statics *self, double *lambda);
/* Fails, naming the coordinate with the largest unbalanced force after the reason. */
mbs_status mbs_statics_fail(mbs_statics *self, const char *reason);
mbs_status mbs_statics_fail_unbalanced(mbs_statics *self);
/* Accepts run->q as the next place of an iteration, and computes F, lambda and N there. */
mbs_status mbs_statics_arrive(mbs_statics *self);
/* Computes F, lambda, N, K and its eigenvalues at run->q and self->t. */
mbs_status mbs_statics_examine(mbs_statics *self);
/* Tries both kinds of iteration from the position `start`, whose counted angles are `turns`. */
mbs_status mbs_statics_search(mbs_statics *self, const double *start, const double *turns, int *stable);

/* ---- static_stiffness.c ---- */
/* Computes K by central differences of h + C' lambda with constant lambda, and its eigenpairs. theory (15.2) */
mbs_status mbs_statics_find_stiffness(mbs_statics *self);
/* Returns the smallest eigenvalue of the stiffness. */
double mbs_statics_smallest(const mbs_statics *self);
/* Returns true if the stiffness is positive definite. */
bool mbs_statics_is_stiff(const mbs_statics *self);
/* Sets z to `length` times the eigenvector of the smallest eigenvalue. */
void mbs_statics_softest(const mbs_statics *self, double length, double *z);
/* Computes a step along the force, with each component along an eigenvector limited by the radius. theory (15.4) */
void mbs_statics_component_step(mbs_statics *self, double radius);
/* Computes Newton's step for any K, limited by the radius. A part whose stiffness is zero beside that of another has no
 * step. */
void mbs_statics_whole_step(mbs_statics *self, double radius);
/* Computes the step z and its predicted work. Returns its length. theory (15.5) */
double mbs_statics_find_step(mbs_statics *self, double radius);

/* ---- static_laws.c ---- */
/* Searches an equilibrium of a model with laws that may stick. Laws that stick at the start hold while the others move
 * to an equilibrium. If the forces there are too large for some of them, at least one of these slips, or all are
 * released. */
mbs_status mbs_statics_search_laws(mbs_statics *self, double *start, const double *turns, int *stable);

/* ---- static_touches.c ---- */
/* Follows the step z, which ends at self->q, from run->q. It ends at the first contact or limit that it reaches, which
 * closes. Returns true if it reaches one. */
bool mbs_statics_stop(mbs_statics *self);
/* Sets the modes of touches to those at the start of the last search. */
void mbs_statics_reset_touches(const mbs_statics *self);
/* Updates touches at run->q, an accepted place with known forces. Returns true if other rows hold than before. */
bool mbs_statics_accept_touches(mbs_statics *self);
/* Searches from `start`, and again from where the mechanism is stopped if forces move it without resistance. */
mbs_status mbs_statics_search_falling(mbs_statics *self, double *start, const double *turns, int *stable);
/* Searches an equilibrium of a model with touches. Friction that can hold the start holds it; otherwise the equilibrium
 * is that without friction. If states were found, their start values are `x0`: touches are decided again, because their
 * rows held while the states changed, and states are searched without friction, too. Otherwise `x0` is NULL. */
mbs_status mbs_statics_search_touches(mbs_statics *self, double *start, double *turns, const double *x0, int *stable);
/* Reports the elements whose dry friction helps to hold the equilibrium. */
mbs_status mbs_statics_report_held(mbs_statics *self);

/* ---- static_states.c ---- */
/* Searches an equilibrium of positions and states from run->q, where the states with their start values `x0` are in
 * equilibrium (`found`), and then from the position `start`. If the rates of steady joints are not kept by drivers of
 * the document, states with which they need no effort are searched first, as those of a speed controller. */
mbs_status mbs_statics_search_states(mbs_statics *self, const double *start, const double *x0, bool found);

/* ---- static_motion.c ---- */
/* Completes a search for a relative equilibrium. If it failed because the steady joints cannot move while the others
 * are at rest, that is the error. */
mbs_status mbs_statics_finish_motion(mbs_statics *self, mbs_status status, int *stable);

#endif
