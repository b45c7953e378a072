/* spatial.h - data of the spatial kernels: six velocities per body, V = (r', omega) of the mass centre, global axes. */
#ifndef MBS_SPATIAL_H
#define MBS_SPATIAL_H

#include "base/rotation.h"
#include "equations/system.h"
#include "kernels/kernels.h"

/* The workspace of one body; global axes except where noted. */
typedef struct spatial_body {
  mbs_real A[9], p[4], r[3]; /* pose: rotation matrix, Euler parameters, mass centre */
  mbs_real d[3], e[3];       /* vectors from the parent's mass centre; from P2 of the joint that carries the body */
  mbs_real v[3], w[3];       /* velocity */
  mbs_real b[3], bw[3];      /* beta: acceleration with v' = 0 */
  mbs_real f[3], n[3];       /* wrench at the mass centre */
  mbs_real J[6];             /* inertia: xx, yy, zz, xy, xz, yz */
  mbs_real m, h[3], I[6];    /* composite inertia: mass, first moment and inertia about the mass centre */
  mbs_real a[3], alpha[3];   /* acceleration */
} spatial_body;

typedef enum spatial_motion { SPATIAL_RIGID, SPATIAL_TURN, SPATIAL_CROSS, SPATIAL_BALL, SPATIAL_FLOAT } spatial_motion;

/* The joint that carries a body: translations along axes of its first body, then rotations. */
typedef struct spatial_joint {
  spatial_motion motion;
  int parent;
  bool swings;   /* a hinge on the ground without slides */
  bool reversed; /* the child is the joint's first body */
  bool slides;   /* has slides or a pitch */
  bool pitched;  /* the rotation slides along its axis */
  int q, v;      /* index of its first coordinate and velocity */
  int slide_count;
} spatial_joint;

/* Numbers of that joint. sp and sc are its points on the parent and on the child. */
typedef struct spatial_constants {
  mbs_real sp[3], sc[3];
  mbs_real slide[3][3]; /* axes of the slides, on the first body */
  mbs_real u[3], u2[3]; /* axis of the rotation on the first body, second arm of a cross on the second */
  mbs_real pitch;
  mbs_real zero[4], zero_turned[4];   /* A2 = A1 A(zero) where the rotations are zero; (0, u) zero */
  mbs_real cross[4], cross_turned[4]; /* products for a cross: (0, w1) zero; (0, u)(0, w1) zero */
  mbs_real m, J[6];                   /* mass and inertia of the child, body axes */
} spatial_constants;

/* A column of B, at the mass centre of the joint's child. */
typedef struct spatial_column {
  mbs_real v[3], w[3];
} spatial_column;

struct spatial_articulated;

typedef struct spatial_workspace {
  spatial_body *bodies;                    /* [nB + 1] */
  spatial_column *columns;                 /* [nv] */
  struct spatial_articulated *articulated; /* workspace of the recursive back end, NULL without it */
  /* Angles whose revolutions are counted, see turns.c: */
  double *turns;           /* [turn_count] stored values, or expected values */
  double *turn_rates;      /* [turn_count] stored rates */
  double *turn_drifts;     /* [turn_count] parts of these rates that are due to translations of bodies */
  double *kept_q, *kept_v; /* [nq], [nv] stored state */
  double kept_t;
  bool expected; /* `turns` are the values expected at the current position */
} spatial_workspace;

/* Structure of a model. */
typedef struct spatial_data {
  spatial_joint *joints;    /* [nB + 1] */
  size_t turn_count;        /* angles whose revolutions are counted: of cuts, and measured between bodies */
  size_t integrated_angles; /* number of those, listed first, that are not functions of time */
} spatial_data;

/* A primitive between two bodies: value g, its derivatives in the velocities (v, omega) of the bodies, and its second
 * time derivative for V' = beta. */
typedef struct spatial_primitive {
  mbs_real g, v1[3], w1[3], v2[3], w2[3], bias;
} spatial_primitive;

/* A point of each of two bodies, their difference d = rP1 - rP2, its rate, and its acceleration for V' = beta. */
typedef struct spatial_two_points {
  mbs_real s1[3], s2[3]; /* body points from the mass centres, global axes */
  mbs_real d[3], v[3], a[3];
} spatial_two_points;

/* Known values of the angles of a primitive, to count their revolutions, and the rotations of the bodies since then. */
typedef struct spatial_near {
  mbs_real angle[2];
  mbs_real moved1[3], moved2[3];
} spatial_near;

int spatial_primitive_rows(mbs_primitive primitive);
/* Computes the points of a geometry for the motion of the bodies. */
spatial_two_points spatial_points_of(const mbs_geometry *at, const spatial_body *first, const spatial_body *second);
/* Computes up to three rows into out[]; scale and constant are applied, functions of time are not. Its angles are those
 * nearest to `near`; NaN: any. */
void spatial_primitive_at(const mbs_block *block, const mbs_block_constants *numbers, const spatial_body *first,
                          const spatial_body *second, const spatial_near *near, spatial_primitive out[3]);

/* Computes spatial_primitive_at() for a system, with angles that include full revolutions. */
void spatial_primitive_now(const mbs_system *system, const mbs_block *block, const mbs_block_constants *numbers,
                           spatial_primitive out[3]);
/* Returns the number of angles of a primitive whose revolutions are counted. */
int spatial_turn_count(const mbs_block *block);

/* ---- turns.c ---- */
/* Assigns indices to the angles that are counted, in the blocks and in `data`. */
void spatial_number_turns(mbs_model *model, spatial_data *data);
/* Allocates these angles, with their values at the start of a run. Returns false if memory runs out. */
bool spatial_open_turns(const mbs_constants *constants, mbs_arena *arena, spatial_workspace *workspace);
/* Computes the expected angles of a block from the stored state, for angles that neither a function of time nor a
 * coordinate determines. */
void spatial_kept_turns(const mbs_system *system, const mbs_block *block, spatial_near *near);
/* The functions below are described in kernels.h. */
void spatial_start_angles(const mbs_block *block, const mbs_block_constants *numbers, const mbs_pose *first,
                          const mbs_pose *second, double start[2]);
void spatial_begin(mbs_system *system);
void spatial_set_driven_revolutions(const mbs_system *system, double *q);
void spatial_remember(mbs_system *system);
void spatial_visit_remembered(mbs_system *system, void (*visit)(void *context, void *data, size_t size), void *context);
bool spatial_revolutions_certain(const mbs_system *system);
size_t spatial_integrated_angles(const mbs_model *model);
void spatial_read_integrated_angles(const mbs_system *system, int level, double *out);
void spatial_expect_integrated_angles(mbs_system *system, const double *turns);
double spatial_unwrap_row_angle(const mbs_system *system, const mbs_joint *joint, const mbs_custom_row *row);

/* Computes the pose of the child from its parent's. `columns` receives the columns of B of the joint. */
void spatial_carry(const spatial_joint *joint, const spatial_constants *numbers, const spatial_body *parent,
                   const mbs_real *q, spatial_body *child, spatial_column *columns);
/* Computes the velocity and beta of the child. */
void spatial_carry_velocity(const spatial_joint *joint, const spatial_constants *numbers, const spatial_body *parent,
                            const mbs_real *v, const spatial_column *columns, spatial_body *child);
/* Converts a joint of the document to one that carries a body; spatial_constants_of() converts its numbers. */
spatial_joint spatial_joint_of(const mbs_joint *joint, bool reversed);
spatial_constants spatial_constants_of(const mbs_joint *joint, const mbs_joint_constants *numbers, bool reversed);

/* parameters.c, as in kernels.h */
void spatial_displace(const mbs_model *model, const mbs_real *q, const mbs_real *dv, mbs_real *out);
void spatial_rates(const mbs_model *model, const mbs_real *q, const mbs_real *v, mbs_real *qdot);
void spatial_normalize(const mbs_model *model, mbs_real *q);

/* axes.c, as in kernels.h */
bool spatial_opposite(const mbs_system *system, const mbs_joint *joint);
void spatial_align_axes(const mbs_system *system, const mbs_joint *joint, double *q);

void spatial_positions(mbs_system *system);
void spatial_velocities(mbs_system *system);
void spatial_rows(mbs_system *system, int want);
/* custom_rows.c */
void spatial_custom_row(mbs_system *system, const mbs_block *block, int want);
void spatial_along_paths(const mbs_system *system, const mbs_block *block, const double *D, double *row);
void spatial_input_row(const mbs_system *system, const mbs_input *input, mbs_input_row *out);
void spatial_body_motion(const mbs_system *system, int body, mbs_rigid_motion *out);
void spatial_clear_wrenches(mbs_system *system);
void spatial_generalized_forces(mbs_system *system);
void spatial_residual_forces(mbs_system *system);
void spatial_mass_matrix(mbs_system *system);
/* articulated.c, as in kernels.h */
bool spatial_articulated_open(const mbs_model *model, mbs_arena *arena, spatial_workspace *workspace);
int spatial_articulated_factor(mbs_system *system, double smallest);
/* Returns its factors as numbers, SPATIAL_PIVOT per velocity. */
enum { SPATIAL_PIVOT = 9 };
mbs_real *spatial_articulated_pivots(const spatial_workspace *workspace);
void spatial_articulated_up(mbs_system *system, mbs_real *x);
void spatial_articulated_rows(mbs_system *system);
void spatial_articulated_down(mbs_system *system, mbs_real *x);
void spatial_accelerations(mbs_system *system);
void spatial_reactions(mbs_system *system);
mbs_real spatial_kinetic(const mbs_system *system);
mbs_real spatial_potential(const mbs_system *system);
void spatial_points(const mbs_system *system, int level, mbs_real *out);
void spatial_centres(const mbs_system *system, int level, mbs_real *out);
void spatial_rotations(const mbs_system *system, int level, mbs_real *out);
/* forces.c, as in kernels.h */
void spatial_point(const mbs_system *system, int body, const mbs_real s[3], int level, mbs_real out[3]);
void spatial_to_global(const mbs_system *system, int body, const mbs_real u[3], mbs_real out[3]);
void spatial_rotation(const mbs_system *system, int body, int level, mbs_real out[3]);
void spatial_orientation(const mbs_system *system, int body, mbs_real p[4]);
mbs_real spatial_read_primitive(const mbs_system *system, const mbs_block *block, int level);
void spatial_push(mbs_system *system, int body, const mbs_real s[3], const mbs_real f[3]);
void spatial_twist(mbs_system *system, int body, const mbs_real n[3]);
void spatial_push_along(mbs_system *system, const mbs_block *block, mbs_real Q);

static inline spatial_workspace *spatial_of(const mbs_system *system) {
  return (spatial_workspace *)system->kernel_workspace;
}
static inline const spatial_joint *spatial_joints(const mbs_model *model) {
  return ((const spatial_data *)model->kernel_data)->joints;
}

static inline const spatial_constants *spatial_numbers(const mbs_system *system) { return system->constants->kernels; }

/* Returns true if a block belongs to a joint that carries a body. */
static inline bool spatial_in_tree(const mbs_model *model, const mbs_block *block) {
  return block->of_joint >= 0 && model->joints[block->of_joint].in_tree;
}

/* Computes out = J x for a symmetric matrix xx, yy, zz, xy, xz, yz. */
static inline void spatial_symmetric_times(const mbs_real J[6], const mbs_real x[3], mbs_real out[3]) {
  out[0] = J[0] * x[0] + J[3] * x[1] + J[4] * x[2];
  out[1] = J[3] * x[0] + J[1] * x[1] + J[5] * x[2];
  out[2] = J[4] * x[0] + J[5] * x[1] + J[2] * x[2];
}

/* Computes the position of a point at s of a body (level 0) [m], or its velocity (1) [m/s]. */
static inline void spatial_point_of(const spatial_body *b, const mbs_real s[3], int level, mbs_real out[3]) {
  mbs_real arm[3];
  mbs_rotate(b->A, s, arm);
  /* r + s, r' + omega x s */
  for (int k = 0; k < 3; k++) out[k] = level == 0 ? b->r[k] + arm[k] : b->v[k];
  if (level > 0) mbs_add_cross(b->w, arm, out);
}

#endif
