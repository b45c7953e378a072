/* operations.h - operations over vectors of one width; private to batch/. Arguments are as in lanes.h. */
#ifndef MBS_LANE_OPERATIONS_H
#define MBS_LANE_OPERATIONS_H

#include "batch/lanes.h"

/* Number of factor arrays needed to solve with M and S: factors of M, its pivots, Z, pivots of S, factors of S, factors
 * of the recursive solver (NULL if it is not used). */
enum { MBS_LANE_FACTORS = 6 };

typedef struct mbs_lane_operations {
  int width;
  /* Sizes of structures, in numbers; kernel_size is per body. */
  size_t block_size, joint_size, kernel_size, force_size, law_size;
  size_t geometry_size, law_value; /* numbers of a force's geometry, which come first; index of a law's value */
  /* Allocates the workspace to which the arrays of `lanes` point. Returns false if memory runs out. */
  bool (*open)(mbs_lanes *lanes, mbs_arena *arena);
  /* Gives laws the programs and literals of the model. */
  void (*open_laws)(const mbs_model *model, mbs_lane_numbers *numbers);
  void (*use)(mbs_lanes *lanes, const mbs_lane_numbers *numbers);
  void (*positions)(mbs_lanes *lanes);
  void (*velocities)(mbs_lanes *lanes);
  void (*rows)(mbs_lanes *lanes, int want);
  void (*forces)(mbs_lanes *lanes);
  void (*residual_forces)(mbs_lanes *lanes);
  void (*times)(mbs_lanes *lanes, const double *x);
  void (*transposed)(mbs_lanes *lanes, const double *y);
  void (*factors)(const mbs_lanes *lanes, double *factors[MBS_LANE_FACTORS]);
  void (*set_active_rows)(mbs_lanes *lanes, bool all_active);
  /* Computes the largest scaled entry of x [rows], of the active or of the redundant rows; infinity if an entry is
   * NaN. */
  void (*largest_row)(const mbs_lanes *lanes, const double *x, bool active, double out[MBS_LANES_MAX]);
  /* Computes the largest scaled velocity of each lane, at least `least`. */
  void (*fastest)(const mbs_lanes *lanes, const double least[MBS_LANES_MAX], double out[MBS_LANES_MAX]);
  /* Computes missing [rows] := -Phi, or rhsV - rates; 0 for redundant rows. */
  void (*miss_positions)(mbs_lanes *lanes);
  void (*miss_velocities)(mbs_lanes *lanes);
  /* Moves q or v by M^-1 C' S^-1 missing in the lanes that `moves`. Overwrites missing. */
  void (*move_positions)(mbs_lanes *lanes, const bool moves[MBS_LANES_MAX]);
  void (*move_velocities)(mbs_lanes *lanes, const bool moves[MBS_LANES_MAX]);
  /* Normalizes the Euler parameters of q to p'p = 1. */
  void (*normalize)(mbs_lanes *lanes);
  void (*gather)(double *to, size_t n, const double *const from[MBS_LANES_MAX]);
  void (*scatter)(const double *from, size_t n, double *const to[MBS_LANES_MAX]);
  void (*along)(double *to, size_t n, const double *y, const double *s, const double reach[MBS_LANES_MAX]);
  bool (*open_steps)(mbs_lanes *lanes, const char *method, size_t states, size_t n_error, mbs_arena *arena,
                     size_t *stages);
  void (*at)(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y);
  void (*rates)(mbs_lanes *lanes, const double t[MBS_LANES_MAX], double *y, double *f);
  uint64_t (*step)(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]);
  void (*errors)(mbs_lanes *lanes, const double h[MBS_LANES_MAX], double norm[MBS_LANES_MAX]);
  void (*stiffness)(const mbs_lanes *lanes, const double h[MBS_LANES_MAX], double out[MBS_LANES_MAX]);
  uint64_t (*prepare)(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX]);
  void (*dense_error)(const mbs_lanes *lanes, double out[MBS_LANES_MAX]);
  void (*inside)(mbs_lanes *lanes, const double t[MBS_LANES_MAX], const double h[MBS_LANES_MAX],
                 const double t1[MBS_LANES_MAX], const double times[MBS_LANES_MAX]);
  /* Sets same[k] if lane k of the two arrays [n] has the same bits. */
  void (*same)(const mbs_lanes *lanes, size_t n, const double *one, const double *other, bool same[MBS_LANES_MAX]);
  void (*read)(const mbs_lanes *lanes, const mbs_input *input, double out[MBS_LANES_MAX]);
} mbs_lane_operations;

extern const mbs_lane_operations mbs_lanes_x4, mbs_lanes_x8, spatial_mbs_lanes_x4, spatial_mbs_lanes_x8;

#endif
