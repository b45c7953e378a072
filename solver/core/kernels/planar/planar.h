/* planar.h - data of the planar kernels: three velocities per body, V = (x', y', phi') of the mass centre, global
 * axes. */
#ifndef MBS_PLANAR_H
#define MBS_PLANAR_H

#include "equations/system.h"
#include "kernels/kernels.h"

/* The workspace of one body. */
typedef struct planar_body {
  mbs_real c, s, phi, x, y; /* pose */
  mbs_real dx, dy;          /* vector from the parent's mass centre */
  mbs_real ex, ey;          /* vector from P2 of the joint that carries the body to its mass centre */
  mbs_real vx, vy, w;       /* velocity */
  mbs_real bx, by;          /* beta: acceleration with v' = 0; its angular part is zero in the plane */
  mbs_real fx, fy, n;       /* wrench at the mass centre */
  mbs_real m, hx, hy, J;    /* composite inertia: mass, first moment and inertia about the mass centre */
  mbs_real ax, ay, alpha;   /* acceleration */
} planar_body;

typedef enum planar_motion { PLANAR_TURN, PLANAR_FLOAT, PLANAR_GENERAL } planar_motion;

/* The joint that carries a body. */
typedef struct planar_joint {
  planar_motion motion;
  int parent;
  bool reversed;       /* the child is the joint's first body */
  bool rolls;          /* the rotation also slides */
  int slide_q, turn_q; /* coordinates; -1: none */
  int slide_v, turn_v;
} planar_joint;

/* Numbers of that joint. sp and sc are its points on the parent and on the child. */
typedef struct planar_constants {
  mbs_real spx, spy, scx, scy;
  mbs_real ux, uy; /* u1, on the first body */
  mbs_real offset; /* offset of the second point along perp(u1) */
  mbs_real angle0; /* phi2 - phi1 at rotation 0 */
  mbs_real c0, s0; /* cosine and sine of angle0 */
  mbs_real roll;   /* a rotation by phi also slides by -roll phi */
  mbs_real slide0; /* slide at rotation 0 of a rolling joint */
  mbs_real m, J;   /* mass and inertia of the child */
} planar_constants;

/* A column of B, at the mass centre of the joint's child. */
typedef struct planar_column {
  mbs_real x, y, w;
} planar_column;

struct planar_articulated;

typedef struct planar_workspace {
  planar_body *bodies;                    /* [nB + 1] */
  planar_column *columns;                 /* [nv] */
  struct planar_articulated *articulated; /* workspace of the recursive back end, NULL without it */
} planar_workspace;

/* A primitive between two bodies: value g, its derivatives D1, D2 in the velocities of the bodies, and its second time
 * derivative for V' = beta. */
typedef struct planar_primitive {
  mbs_real g, d1[3], d2[3], bias;
} planar_primitive;

/* Computes a body's velocity, and its acceleration for V' = beta, at a point p from its mass centre, global axes.
 * theory (1.4) */
static inline void planar_point_rate(const planar_body *body, const mbs_real p[2], mbs_real v[2], mbs_real a[2]) {
  v[0] = body->vx - body->w * p[1];
  v[1] = body->vy + body->w * p[0];
  a[0] = body->bx - body->w * body->w * p[0];
  a[1] = body->by - body->w * body->w * p[1];
}

int planar_primitive_rows(mbs_primitive primitive);
/* Computes up to two rows into out[]; scale and constant are applied, functions of time are not. */
void planar_primitive_rows_at(const mbs_block *block, const mbs_block_constants *numbers, const planar_body *first,
                              const planar_body *second, planar_primitive out[2]);

/* Computes the pose of the child from its parent's: c, s, phi, x, y of `child`. */
void planar_carry(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                  const mbs_real *q, planar_body *child);
/* Computes the velocity and beta of the child. */
void planar_carry_velocity(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                           const mbs_real *v, planar_body *child);
/* Converts a joint of the document to one that carries a body; planar_constants_of() converts its numbers. */
planar_joint planar_joint_of(const mbs_joint *joint, bool reversed);
planar_constants planar_constants_of(const mbs_joint_constants *joint, bool reversed);

void planar_positions(mbs_system *system);
void planar_velocities(mbs_system *system);
void planar_rows(mbs_system *system, int want);
/* Computes a row of the joint's class. */
void planar_custom_row(mbs_system *system, const mbs_block *block, int want);
void planar_along_paths(const mbs_system *system, const mbs_block *block, const double *D, double *row);
void planar_input_row(const mbs_system *system, const mbs_input *input, mbs_input_row *out);
void planar_body_motion(const mbs_system *system, int body, mbs_rigid_motion *out);
void planar_clear_wrenches(mbs_system *system);
void planar_generalized_forces(mbs_system *system);
void planar_residual_forces(mbs_system *system);
void planar_mass_matrix(mbs_system *system);
/* articulated.c, as in kernels.h */
bool planar_articulated_open(const mbs_model *model, mbs_arena *arena, planar_workspace *workspace);
int planar_articulated_factor(mbs_system *system, double smallest);
/* Returns its factors as numbers, PLANAR_PIVOT per velocity. */
enum { PLANAR_PIVOT = 4 };
mbs_real *planar_articulated_pivots(const planar_workspace *workspace);
void planar_articulated_up(mbs_system *system, mbs_real *x);
void planar_articulated_rows(mbs_system *system);
void planar_articulated_down(mbs_system *system, mbs_real *x);
void planar_accelerations(mbs_system *system);
void planar_reactions(mbs_system *system);
bool planar_opposite(const mbs_system *system, const mbs_joint *joint);
void planar_align_axes(const mbs_system *system, const mbs_joint *joint, double *q);
mbs_real planar_kinetic(const mbs_system *system);
mbs_real planar_potential(const mbs_system *system);
void planar_points(const mbs_system *system, int level, mbs_real *out);
void planar_centres(const mbs_system *system, int level, mbs_real *out);
void planar_rotations(const mbs_system *system, int level, mbs_real *out);
/* forces.c, as in kernels.h */
void planar_point(const mbs_system *system, int body, const mbs_real s[3], int level, mbs_real out[3]);
void planar_to_global(const mbs_system *system, int body, const mbs_real u[3], mbs_real out[3]);
void planar_rotation(const mbs_system *system, int body, int level, mbs_real out[3]);
mbs_real planar_read_primitive(const mbs_system *system, const mbs_block *block, int level);
void planar_push(mbs_system *system, int body, const mbs_real s[3], const mbs_real f[3]);
void planar_twist(mbs_system *system, int body, const mbs_real n[3]);
void planar_push_along(mbs_system *system, const mbs_block *block, mbs_real Q);

static inline planar_workspace *planar_of(const mbs_system *system) {
  return (planar_workspace *)system->kernel_workspace;
}

static inline const planar_joint *planar_joints(const mbs_model *model) { return model->kernel_data; }
static inline const planar_constants *planar_numbers(const mbs_system *system) { return system->constants->kernels; }

/* Computes the position of a point at s of a body (level 0) [m], or its velocity (1) [m/s]. */
static inline void planar_point_of(const planar_body *b, const mbs_real s[2], int level, mbs_real out[2]) {
  const mbs_real sx = b->c * s[0] - b->s * s[1], sy = b->s * s[0] + b->c * s[1];
  /* r + s, r' + omega perp(s) */
  out[0] = level == 0 ? b->x + sx : b->vx - b->w * sy;
  out[1] = level == 0 ? b->y + sy : b->vy + b->w * sx;
}

#endif
