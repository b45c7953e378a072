/* kernels.h - common interface of the planar and the spatial kernels. Code that uses this table does not depend on the
 * number of velocities per body. */
#ifndef MBS_KERNELS_H
#define MBS_KERNELS_H

#include "model/constants.h"

typedef struct mbs_system mbs_system;

/* A quantity for a constraint row: its value, rate, second derivative for V' = beta, and derivatives in the velocities
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
  int width;             /* velocities per body: 3 or 6 */
  int coordinates;       /* coordinates of a floating body: 3 or 7 */
  int torque_components; /* torque components of a reaction: 1 or 3 */
  /* Number of velocities before the last one of a branch above which recursion is faster than the packed matrix, whose
   * cost grows with the square and cube. The first is for models with constraint rows, which recursion transforms one
   * by one, the second for models without. Measured. */
  int recursive_depth, recursive_depth_open;

  /* -- building -- */
  /* Returns the number of rows of a primitive. */
  int (*primitive_rows)(mbs_primitive primitive);
  /* Computes pose and velocity of the child that a joint carries, from its parent's and the joint's coordinates. */
  void (*carry)(const mbs_joint *joint, const mbs_joint_constants *numbers, bool reversed, const mbs_pose *parent,
                const double *q, const double *v, mbs_pose *child);
  /* Computes value and rate of a primitive [rows] between two poses, with scale and constant applied. */
  void (*primitive)(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                    const mbs_pose *second, double *value, double *rate);
  /* Computes the angles of a primitive whose revolutions are counted, between two poses: in (-pi, pi], plus the full
   * revolutions of the poses. NULL: angles are not wrapped. */
  void (*start_angles)(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                       const mbs_pose *second, double start[2]);
  /* Computes coordinates and velocities [nq, nv of one body] of a floating body. */
  void (*floating)(const mbs_pose *pose, double *q, double *v);
  /* Builds the kernels' structure for a complete model (model->kernel_data). Returns false if memory runs out. */
  bool (*prepare)(mbs_model *model);
  /* Size of the kernels' numbers (constants->kernels) for each body and the ground; `bind` computes them. */
  size_t constants_size;
  void (*bind)(mbs_constants *constants);
  /* Allocates the workspace. Returns NULL if memory runs out. */
  void *(*workspace)(const mbs_constants *constants, mbs_arena *arena);

  /* -- evaluating -- */
  void (*positions)(mbs_system *system);
  void (*velocities)(mbs_system *system);
  void (*rows)(mbs_system *system, int want);
  void (*clear_wrenches)(mbs_system *system);
  /* Computes h from wrenches, gravity and beta. */
  void (*generalized_forces)(mbs_system *system);
  /* Computes h - M v' for vdot instead of h, in O(n). Overwrites the accelerations of the bodies. */
  void (*residual_forces)(mbs_system *system);
  void (*mass_matrix)(mbs_system *system);
  /* The recursive back end: M = L' D L implicitly. `factor` computes M_diagonal = 1 / D and w = L^-T h from wrenches,
   * gravity and beta. It returns -1, or the first velocity whose pivot is too small. The others compute x := L^-T x,
   * the rows of Z := L^-T Z, and x := L^-1 x. */
  int (*articulated_factor)(mbs_system *system, double smallest);
  void (*articulated_up)(mbs_system *system, mbs_real *x);
  void (*articulated_rows)(mbs_system *system);
  void (*articulated_down)(mbs_system *system, mbs_real *x);
  void (*displace)(const mbs_model *model, const double *q, const double *dv, double *out);
  void (*rates)(const mbs_model *model, const double *q, const double *v, double *qdot);
  /* Scales Euler parameters to p'p = 1. */
  void (*normalize)(const mbs_model *model, double *q);
  /* Sets the start of counted revolutions; called before the first correction, with functions of time known. NULL: none
   * are counted. */
  void (*begin)(mbs_system *system);
  /* Sets the full revolutions of driven angles in q [nq], which orientations do not determine; called after the first
   * correction. NULL: angles are not wrapped. */
  void (*set_driven_revolutions)(const mbs_system *system, double *q);
  /* Stores the current position and velocity as a state of the motion, from which revolutions are counted. */
  void (*remember)(mbs_system *system);
  /* Visits the numbers of that state. NULL: there are none. */
  void (*visit_remembered)(mbs_system *system, void (*visit)(void *context, void *data, size_t size), void *context);
  /* Returns true if the angles have changed so little since the stored state, and in such agreement with their rates,
   * that no revolution can be lost. Otherwise the step between the two must be shorter. */
  bool (*revolutions_certain)(const mbs_system *system);
  /* Angles whose revolutions must be counted by an integration, because neither a coordinate nor a function of time
   * determines them. `integrated_angles` returns their number; `read_integrated_angles` computes their values
   * (level 0) or rates (1) at the current state. `expect_integrated_angles` sets the values `turns`: until the next
   * remember() the angles of any position are those nearest to them. */
  size_t (*integrated_angles)(const mbs_model *model);
  void (*read_integrated_angles)(const mbs_system *system, int level, double *out);
  void (*expect_integrated_angles)(mbs_system *system, const double *turns);
  /* Returns angle row->number of a joint's class with its full revolutions; `row` has the angle without them, and its
   * D. NULL: they are not counted. */
  double (*unwrap_row_angle)(const mbs_system *system, const mbs_joint *joint, const mbs_custom_row *row);
  /* Returns true if a joint with parallel axes has them opposite at the current position, which its rows permit. NULL:
   * it cannot. */
  bool (*opposite)(const mbs_system *system, const mbs_joint *joint);
  /* Turns the joint's second body (the first if that is the ground) in q [nq] about the joint's point so that the axes
   * are parallel; for body coordinates. */
  void (*align_axes)(const mbs_system *system, const mbs_joint *joint, double *q);

  /* -- reading -- */
  void (*point)(const mbs_system *system, int body, const mbs_real s[3], int level, mbs_real out[3]);
  /* Compute all points of the model [nP][dim]; of its bodies all mass centres [nB][dim] and rotations
   * [nB][torque_components], in the document's order. */
  void (*points)(const mbs_system *system, int level, mbs_real *out);
  void (*centres)(const mbs_system *system, int level, mbs_real *out);
  void (*rotations)(const mbs_system *system, int level, mbs_real *out);
  void (*to_global)(const mbs_system *system, int body, const mbs_real u[3], mbs_real out[3]);
  /* Computes at level 0 the planar angle in out[2], at 1 the angular velocity, at 2 the angular acceleration. */
  void (*rotation)(const mbs_system *system, int body, int level, mbs_real out[3]);
  /* Computes the Euler parameters; spatial. */
  void (*orientation)(const mbs_system *system, int body, mbs_real p[4]);
  void (*push)(mbs_system *system, int body, const mbs_real s[3], const mbs_real f[3]);
  void (*twist)(mbs_system *system, int body, const mbs_real n[3]);
  /* Computes the force and the torque about the mass centre that elements have applied to a body since
   * clear_wrenches(). */
  void (*pushed)(const mbs_system *system, int body, double f[3], double n[3]);
  /* Applies the generalized force Q along the first row of a primitive: wrenches D1' Q, D2' Q on its bodies. */
  void (*push_along)(mbs_system *system, const mbs_block *block, mbs_real Q);
  /* Returns the value at level 0, the rate at 1, the second derivative at 2; needs accelerations of bodies at level
   * 2. */
  mbs_real (*read_primitive)(const mbs_system *system, const mbs_block *block, int level);
  /* Computes B' of wrenches (f, n) at the mass centres of the bodies on which a row of a joint's class depends, D
   * [bodies x width], in the velocities of the row's block, row [columns]. */
  void (*along_paths)(const mbs_system *system, const mbs_block *block, const double *D, double *row);
  /* Computes an input at position level as a row; not for curves. */
  void (*input_row)(const mbs_system *system, const mbs_input *input, mbs_input_row *out);
  /* Computes the motion of a body at the current state. */
  void (*motion)(const mbs_system *system, int body, mbs_rigid_motion *out);
  /* Computes the accelerations of the bodies from vdot. */
  void (*accelerations)(mbs_system *system);
  /* Computes the reactions of all joints from accelerations, wrenches and lambda. */
  void (*reactions)(mbs_system *system);
  mbs_real (*kinetic)(const mbs_system *system);
  mbs_real (*potential)(const mbs_system *system); /* potential energy of gravity, zero at the origin */
} mbs_kernels;

extern const mbs_kernels mbs_planar_kernels, mbs_spatial_kernels;

#endif
