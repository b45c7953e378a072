/* kernels.h - what the planar and the spatial kernels offer alike. Above this table nothing knows how many numbers a
 * body has. */
#ifndef MBS_KERNELS_H
#define MBS_KERNELS_H

#include "model/constants.h"

typedef struct mbs_system mbs_system;

/* What a row needs of a quantity: its value, rate, second derivative for V' = beta, and derivatives in the velocities
 * of at most two bodies (0: none). */
typedef struct mbs_input_row {
  double value, rate, bias;
  int bodies[2];
  double D[2][6];
} mbs_input_row;

/* Motion of a body, global axes; planar bodies move in the x-y plane. */
typedef struct mbs_rigid_motion {
  double r[3], v[3], w[3]; /* mass centre, its velocity, angular velocity */
  double a[3], alpha[3];   /* accelerations for V' = beta */
} mbs_rigid_motion;

typedef struct mbs_kernels {
  const char *name;
  int dim;               /* 2 or 3 */
  int width;             /* velocities a body: 3 or 6 */
  int coordinates;       /* of a floating body: 3 or 7 */
  int torque_components; /* of a reaction: 1 or 3 */
  /* Velocities that the last of a branch has before it, from which on recursion beats the packed matrix, whose cost is
   * their square and cube: in models with constraint rows, which recursion transforms one by one, and without.
   * Measured. */
  int recursive_depth, recursive_depth_open;

  /* -- building -- */
  /* Rows of a primitive. */
  int (*primitive_rows)(mbs_primitive primitive);
  /* Pose and velocity of the child that a joint carries, from its parent's and the joint's coordinates. */
  void (*carry)(const mbs_joint *joint, const mbs_joint_constants *numbers, bool reversed, const mbs_pose *parent,
                const double *q, const double *v, mbs_pose *child);
  /* Value and rate of a primitive [rows] between two poses, scale and constant applied. */
  void (*primitive)(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                    const mbs_pose *second, double *value, double *rate);
  /* The angles of a primitive whose turns are counted, between two poses: in (-pi, pi], and the whole turns that the
   * poses have beside it. NULL: angles are not wrapped. */
  void (*start_turns)(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                      const mbs_pose *second, double start[2]);
  /* Coordinates and velocities [nq, nv of one body] of a floating body. */
  void (*floating)(const mbs_pose *pose, double *q, double *v);
  /* The kernels' own structure for the finished one (model->kernel_data); false: no memory. */
  bool (*prepare)(mbs_model *model);
  /* Their numbers (constants->kernels), one of this size for each body and the ground. */
  size_t constants_size;
  void (*bind)(mbs_constants *constants);
  /* Workspace; NULL: no memory. */
  void *(*workspace)(const mbs_constants *constants, mbs_arena *arena);

  /* -- evaluating -- */
  void (*positions)(mbs_system *system);
  void (*velocities)(mbs_system *system);
  void (*rows)(mbs_system *system, int want);
  void (*clear_wrenches)(mbs_system *system);
  /* h from wrenches, gravity and beta. */
  void (*generalized_forces)(mbs_system *system);
  /* h - M v' of vdot instead, in O(n); bodies have accelerations no more. */
  void (*residual_forces)(mbs_system *system);
  void (*mass_matrix)(mbs_system *system);
  /* The recursive back end: M = L' D L implicitly. `factor` fills M_diagonal = 1 / D and w = L^-T h from wrenches,
   * gravity and beta; returns -1, or the first velocity whose pivot is too small. Then x := L^-T x, the rows of Z :=
   * L^-T Z, and x := L^-1 x. */
  int (*articulated_factor)(mbs_system *system, double smallest);
  void (*articulated_up)(mbs_system *system, mbs_real *x);
  void (*articulated_rows)(mbs_system *system);
  void (*articulated_down)(mbs_system *system, mbs_real *x);
  void (*displace)(const mbs_model *model, const double *q, const double *dv, double *out);
  void (*rates)(const mbs_model *model, const double *q, const double *v, double *qdot);
  /* Euler parameters back to p'p = 1. */
  void (*normalize)(const mbs_model *model, double *q);
  /* Before the first correction, functions of time known: where counts of turns begin. NULL: there are none. */
  void (*begin)(mbs_system *system);
  /* After it: full turns of driven angles in q [nq], which orientations leave open. NULL: angles are not wrapped. */
  void (*take_turns)(const mbs_system *system, double *q);
  /* The state in hand, position and velocity, is part of the motion: angles count their turns from here on. */
  void (*remember)(mbs_system *system);
  /* Whether the angles of the state in hand have turned so little since the one remembered, and so much as their rates
   * say, that no turn is lost. If not, the step between the two must be shorter. */
  bool (*turns_certain)(const mbs_system *system);
  /* Angles that need an integration to count their turns: those that neither a coordinate nor a function of time tells.
   * How many; their values (level 0) or rates (1) in the state in hand; and, until the next remember(), that they are
   * those nearest to `turns` [how many], whatever position is set. */
  size_t (*free_turns)(const mbs_model *model);
  void (*read_turns)(const mbs_system *system, int level, double *out);
  void (*expect_turns)(mbs_system *system, const double *turns);
  /* Whether a joint that keeps its axes parallel has them opposite at the position in hand, as its rows allow. NULL:
   * they do not. */
  bool (*opposite)(const mbs_system *system, const mbs_joint *joint);
  /* In body coordinates: turns the joint's second body (the first where that is the ground) in q [nq] about the joint's
   * point, so that the axes are parallel. */
  void (*turn_over)(const mbs_system *system, const mbs_joint *joint, double *q);

  /* -- reading -- */
  void (*point)(const mbs_system *system, int body, const mbs_real s[3], int level, mbs_real out[3]);
  /* All points of the model [nP][dim]; of its bodies all mass centres [nB][dim] and turns [nB][torque_components], in
   * the document's order. */
  void (*points)(const mbs_system *system, int level, mbs_real *out);
  void (*centres)(const mbs_system *system, int level, mbs_real *out);
  void (*rotations)(const mbs_system *system, int level, mbs_real *out);
  void (*to_global)(const mbs_system *system, int body, const mbs_real u[3], mbs_real out[3]);
  /* level 0: planar angle in out[2]; 1: angular velocity; 2: angular acceleration. */
  void (*rotation)(const mbs_system *system, int body, int level, mbs_real out[3]);
  /* Euler parameters; spatial. */
  void (*orientation)(const mbs_system *system, int body, mbs_real p[4]);
  void (*push)(mbs_system *system, int body, const mbs_real s[3], const mbs_real f[3]);
  void (*twist)(mbs_system *system, int body, const mbs_real n[3]);
  /* The force and the torque about the mass centre that elements exert on a body, of all that they pushed since
   * clear_wrenches(). */
  void (*pushed)(const mbs_system *system, int body, double f[3], double n[3]);
  /* The generalized force Q along the first row of a primitive: wrenches D1' Q, D2' Q on its bodies. */
  void (*push_along)(mbs_system *system, const mbs_block *block, mbs_real Q);
  /* level 0 value, 1 rate, 2 second derivative; needs accelerations of bodies at level 2. */
  mbs_real (*read_primitive)(const mbs_system *system, const mbs_block *block, int level);
  /* An input at position level as a row; not of curves. */
  void (*input_row)(const mbs_system *system, const mbs_input *input, mbs_input_row *out);
  /* The motion of a body at the state in hand. */
  void (*motion)(const mbs_system *system, int body, mbs_rigid_motion *out);
  /* Accelerations of the bodies from vdot. */
  void (*accelerations)(mbs_system *system);
  /* reactions of all joints from accelerations, wrenches and lambda. */
  void (*reactions)(mbs_system *system);
  mbs_real (*kinetic)(const mbs_system *system);
  mbs_real (*potential)(const mbs_system *system); /* of gravity, zero at the origin */
} mbs_kernels;

extern const mbs_kernels mbs_planar_kernels, mbs_spatial_kernels;

#endif
