/* strands.h - belts and ropes at the current state: directions, lengths, rows and forces of their strands.
 *
 * A strand runs along u from a tangent point of one element to one of the next:
 *
 *     d = r2 - r1 = L u + (c2 - c1) perp(u),   L = sqrt(d.d - (c2 - c1)^2),   b: angle of u
 *
 * Its row states that the path does not slip over its elements; psi is the angle of the body of an element that grips,
 * and 0 of one that does not. theory (22.1) to (22.4):
 *
 *     Phi = L + c2 (psi2 - b) - c1 (psi1 - b) - start,   Phi' = u.d' + c2 psi2' - c1 psi1' */
#ifndef MBS_STRANDS_H
#define MBS_STRANDS_H

#include "equations/system.h"
#include "model/strand.h"

typedef struct mbs_strand_state {
  double u[3], L;     /* direction, global axes; length [m] */
  double b, turn;     /* planar: angle of u with its full revolutions [rad]; its rate [rad/s] */
  double arm[2][3];   /* vectors from the bodies' mass centres to the elements' centres, global axes */
  double value, rate; /* Phi, Phi' */
  double bias;        /* Phi'' for V' = beta */
} mbs_strand_state;

/* Computes direction and length of the tangent between circles with the signed radii c1, c2, whose centres differ by d.
 * Returns false if there is none. */
bool mbs_tangent(const double d[3], double c1, double c2, double u[3], double *L);
/* Evaluates a strand at the current position and velocity. Without a tangent all numbers are NaN. */
void mbs_strand_at(const mbs_system *system, int strand, mbs_strand_state *out);
/* Adds `weight` times the row of a strand to a custom row of a joint, whose bodies include those of the strand. Without
 * a D only value and bias are added. */
void mbs_add_strand_row(const mbs_system *system, const mbs_joint *joint, int strand, double weight,
                        mbs_custom_row *out);
/* Sets the fault of the position if a strand of a path has no tangent. */
void mbs_strand_path_locate(mbs_system *system, const mbs_strand_path *path);
/* Returns the length of a path at the current position: strands, and wraps of the elements between them [m]. */
double mbs_strand_path_length(const mbs_system *system, const mbs_strand_path *path);
/* Applies the tension T of a strand to its bodies. */
void mbs_strand_pull(mbs_system *system, int strand, const mbs_strand_state *at, double T);

/* The angles b of strands, of which positions determine only fractions of a revolution:
 * mbs_kernels.read_integrated_angles, expect_integrated_angles, remember and revolutions_certain of the plane.
 * theory (13.6) */
void mbs_strands_start(mbs_system *system);
void mbs_strands_read(const mbs_system *system, int level, double *out);
void mbs_strands_expect(mbs_system *system, const double *angles);
void mbs_strands_remember(mbs_system *system);
bool mbs_strands_certain(const mbs_system *system);

#endif
