/* operations.h - what is done over vectors of one width; private to batch/. Arguments are as in lanes.h. */
#ifndef MBS_LANE_OPERATIONS_H
#define MBS_LANE_OPERATIONS_H

#include "batch/lanes.h"

/* What solves with M and S, as arrays: those of M, its pivots, Z, the pivots of S, its factors, those of the recursive
 * back end (NULL: it has none). */
enum { MBS_LANE_FACTORS = 6 };

typedef struct mbs_lane_operations {
  int width;
  /* Numbers in constants, of the kernels those of a body. */
  size_t block_size, joint_size, kernel_size, force_size, law_size;
  size_t geometry_size, law_value; /* the first numbers of a force; where the value of a law is */
  /* Workspace, of which `lanes` has the arrays; false: no memory. */
  bool (*open)(mbs_lanes *lanes, mbs_arena *arena);
  /* Gives laws the programs of the model and their literals. */
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
  void (*take_rows)(mbs_lanes *lanes, bool all_active);
  /* The largest of x [rows] in units, of the active rows or of the others; infinite where one is no number. */
  void (*largest_row)(const mbs_lanes *lanes, const double *x, bool active, double out[MBS_LANES_MOST]);
  /* The largest velocity in units, of each lane; not less than `least`. */
  void (*fastest)(const mbs_lanes *lanes, const double least[MBS_LANES_MOST], double out[MBS_LANES_MOST]);
  /* missing [rows] = -Phi, or rhsV - rates; 0 of redundant rows. */
  void (*miss_positions)(mbs_lanes *lanes);
  void (*miss_velocities)(mbs_lanes *lanes);
  /* q or v moved by M^-1 C' S^-1 missing, of the lanes that move; spoils missing. */
  void (*move_positions)(mbs_lanes *lanes, const bool moves[MBS_LANES_MOST]);
  void (*move_velocities)(mbs_lanes *lanes, const bool moves[MBS_LANES_MOST]);
  /* Euler parameters of q back to p'p = 1. */
  void (*normalize)(mbs_lanes *lanes);
  void (*gather)(double *to, size_t n, const double *const from[MBS_LANES_MOST]);
  void (*scatter)(const double *from, size_t n, double *const to[MBS_LANES_MOST]);
  void (*along)(double *to, size_t n, const double *y, const double *s, const double reach[MBS_LANES_MOST]);
  bool (*open_steps)(mbs_lanes *lanes, const char *method, size_t states, size_t judged, mbs_arena *arena,
                     size_t *stages);
  void (*at)(mbs_lanes *lanes, const double t[MBS_LANES_MOST], double *y);
  void (*rates)(mbs_lanes *lanes, const double t[MBS_LANES_MOST], double *y, double *f);
  uint64_t (*step)(mbs_lanes *lanes, const double t[MBS_LANES_MOST], const double h[MBS_LANES_MOST]);
  void (*errors)(mbs_lanes *lanes, const double h[MBS_LANES_MOST], double norm[MBS_LANES_MOST]);
  void (*stiffness)(const mbs_lanes *lanes, const double h[MBS_LANES_MOST], double out[MBS_LANES_MOST]);
  uint64_t (*prepare)(mbs_lanes *lanes, const double t[MBS_LANES_MOST], const double h[MBS_LANES_MOST]);
  void (*dense_error)(const mbs_lanes *lanes, double out[MBS_LANES_MOST]);
  void (*inside)(mbs_lanes *lanes, const double t[MBS_LANES_MOST], const double h[MBS_LANES_MOST],
                 const double t1[MBS_LANES_MOST], const double times[MBS_LANES_MOST]);
  /* Whether each lane of arrays [n] has the same bits. */
  void (*same)(const mbs_lanes *lanes, size_t n, const double *one, const double *other, bool same[MBS_LANES_MOST]);
  void (*read)(const mbs_lanes *lanes, const mbs_input *input, double out[MBS_LANES_MOST]);
} mbs_lane_operations;

extern const mbs_lane_operations mbs_lanes_x4, mbs_lanes_x8, spatial_mbs_lanes_x4, spatial_mbs_lanes_x8;

#endif
