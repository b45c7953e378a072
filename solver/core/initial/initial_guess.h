/* initial_guess.h - distance of a position from the initial guesses of the document and its defaults. */
#ifndef MBS_INITIAL_GUESS_H
#define MBS_INITIAL_GUESS_H

#include "equations/system.h"

/* The initial guess of the positions. A guess is relative, as in the document: that of a joint to the body that carries
 * the other one along the tree, that of a body to the ground. If a guess is omitted, its joint starts at zero. */
typedef struct mbs_initial_guess {
  double *q;          /* [nq] start of the correction */
  mbs_pose *poses;    /* [nB + 1] poses at q */
  mbs_pose *relative; /* [nB + 1] poses at q relative to the parent along the tree */
  /* Workspace: poses [nB + 1], coordinates [nq], velocities [nv], residuals [rows], units [rows + nv]. */
  mbs_pose *now;
  double *wound; /* solution before its angles are unwrapped */
  double *slopes, *before, *units;
  const mbs_constants *constants;
} mbs_initial_guess;

/* Computes the poses at q [nq], and leaves the system there. Returns false if memory runs out. */
bool mbs_guess_open(mbs_initial_guess *self, mbs_system *system, double t, const double *q);

/* Returns the distance of the current position from the guess: root of the sum of squares of the bodies' motions
 * [scales: the model's extent, rad]. Degrees of freedom without a value in the document have half the weight. In the
 * plane angles include full revolutions. */
double mbs_guess_distance(const mbs_initial_guess *self, mbs_system *system);
/* Returns true if that distance is more than `distance`. */
bool mbs_guess_is_farther(const mbs_initial_guess *self, mbs_system *system, double distance);
/* Returns the rotation of a body from its guess [rad], at the current position. */
double mbs_guess_rotation(const mbs_initial_guess *self, mbs_system *system, int body);
/* Returns true if the document gives the initial rotation (or translation) of a body, or of the joint that carries
 * it. */
bool mbs_guess_is_given(const mbs_model *model, int body, bool turn);
/* Returns the name of the joint or body from which the guess of a body's rotation is read. */
const char *mbs_guessed_element(const mbs_model *model, int body);

/* Changes the angles in q [nq], a position that satisfies the constraints, by full revolutions on which no row depends,
 * so that they are nearest to their guesses. Returns true if an angle changed, and leaves the system at q. */
bool mbs_guess_unwrap_angles(const mbs_initial_guess *self, mbs_system *system, double t, double *q);

/* Computes the direction to the guesses from q [nq], the current position: minus the gradient of half the square of the
 * distance, in scales, as a displacement dv [nv]. */
void mbs_guess_direction(const mbs_initial_guess *self, mbs_system *system, double t, const double *q, double *dv);

#endif
