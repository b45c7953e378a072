/* initial_guess.h - how far a position is from where the document says, or leaves it to defaults, that a mechanism begins. */
#ifndef MBS_INITIAL_GUESS_H
#define MBS_INITIAL_GUESS_H

#include "equations/system.h"

/* Where the bodies begin. A guess is read as the document gives it: that of a joint against the body that carries the
 * other one along the tree, that of a body against the ground. What is left out begins where its joint is zero. */
typedef struct mbs_initial_guess {
  double *q;          /* [nq] where the correction begins */
  mbs_pose *poses;    /* [nB + 1] there */
  mbs_pose *relative; /* [nB + 1] the same, against what carries a body along the tree */
  /* Workspace: poses [nB + 1], coordinates [nq], velocities [nv], residuals [rows], units [rows + nv]. */
  mbs_pose *now;
  double *wound; /* the solution before its turns were taken back */
  double *slopes, *before, *units;
  const mbs_constants *constants;
} mbs_initial_guess;

/* Poses at q [nq]. Leaves the system there. False: no memory. */
bool mbs_guess_open(mbs_initial_guess *self, mbs_system *system, double t, const double *q);

/* Of the position in hand: root of the sum of squares of what bodies have moved [units: the model's extent, rad];
 * freedoms that the document says nothing of count half. Turns are taken as counted where the plane counts them. */
double mbs_guess_distance(const mbs_initial_guess *self, mbs_system *system);
/* Whether that is more than `distance`. */
bool mbs_guess_is_farther(const mbs_initial_guess *self, mbs_system *system, double distance);
/* How far a body has turned from its guess [rad], at the position in hand. */
double mbs_guess_rotation(const mbs_initial_guess *self, mbs_system *system, int body);
/* Whether the document says where the turns (or slides) of a body, or of the joint that carries it, begin. */
bool mbs_guess_is_given(const mbs_model *model, int body, bool turn);
/* What the guess of a body's turn is read from: a joint, or the body itself. */
const char *mbs_guessed_element(const mbs_model *model, int body);

/* Brings the turns of q [nq], a position that satisfies the constraints, back by the full turns that no row counts, to
 * where they are nearest to their guesses. Returns whether any was, and leaves the system at q. */
bool mbs_guess_unwrap_angles(const mbs_initial_guess *self, mbs_system *system, double t, double *q);

/* The way to the guesses from q [nq], which is in hand: minus the gradient of half the square of the distance, in
 * units, as a displacement dv [nv]. */
void mbs_guess_direction(const mbs_initial_guess *self, mbs_system *system, double t, const double *q, double *dv);

#endif
