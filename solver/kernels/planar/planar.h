/* planar.h - the planar kernels' own data: three velocities a body, V = (x', y', phi') of the mass centre, global axes.
 */
#ifndef MBS_PLANAR_H
#define MBS_PLANAR_H

#include "equations/system.h"
#include "kernels/kernels.h"

/* One body's workspace. */
typedef struct planar_body {
  double c, s, phi, x, y; /* pose */
  double dx, dy;          /* from the parent's mass centre */
  double ex, ey;          /* from P2 of the joint that carries it to its mass centre */
  double vx, vy, w;       /* velocity */
  double bx, by;          /* beta: acceleration with v' = 0; its angular part is zero in the plane */
  double fx, fy, n;       /* wrench at the mass centre */
  double m, hx, hy, J;    /* composite inertia: mass, first moment and inertia about the mass centre */
  double ax, ay, alpha;   /* acceleration */
} planar_body;

typedef enum planar_motion { PLANAR_TURN, PLANAR_FLOAT, PLANAR_GENERAL } planar_motion;

/* The joint that carries a body. */
typedef struct planar_joint {
  planar_motion motion;
  int parent;
  bool reversed;       /* the child is the joint's first body */
  bool rolls;          /* its turn slides by the way */
  int slide_q, turn_q; /* coordinates; -1: none */
  int slide_v, turn_v;
} planar_joint;

/* Its numbers. sp and sc are its points on the parent and on the child. */
typedef struct planar_constants {
  double spx, spy, scx, scy;
  double ux, uy; /* u1, on the first body */
  double offset; /* of the second point along perp(u1) */
  double angle0; /* phi2 - phi1 at turn 0 */
  double c0, s0; /* its cosine and sine */
  double roll;   /* a turn also slides by -roll times it */
  double slide0; /* slide at turn 0 of a rolling joint */
  double m, J;   /* of the child */
} planar_constants;

/* A column of B, at the mass centre of its own body. */
typedef struct planar_column {
  double x, y, w;
} planar_column;

struct planar_articulated;

typedef struct planar_workspace {
  planar_body *bodies;                    /* [nB + 1] */
  planar_column *columns;                 /* [nv] */
  struct planar_articulated *articulated; /* workspace of the recursive back end, NULL without it */
} planar_workspace;

/* A primitive between two bodies: value g, its derivatives D1, D2 in the velocities of the bodies, and its second
 * derivative in time for V' = beta. */
typedef struct planar_primitive {
  double g, d1[3], d2[3], bias;
} planar_primitive;

/* A body's velocity and acceleration for V' = beta at a point p from its mass centre, global axes. */
static inline void planar_point_rate(const planar_body *body, const double p[2], double v[2], double a[2]) {
  v[0] = body->vx - body->w * p[1];
  v[1] = body->vy + body->w * p[0];
  a[0] = body->bx - body->w * body->w * p[0];
  a[1] = body->by - body->w * body->w * p[1];
}

int planar_primitive_rows(mbs_primitive primitive);
/* Up to two rows into out[]; scale and constant applied, functions of time not. */
void planar_primitive_rows_at(const mbs_block *block, const mbs_block_constants *numbers, const planar_body *first,
                              const planar_body *second, planar_primitive out[2]);

/* The pose of the child from its parent's: fills c, s, phi, x, y of `child`. */
void planar_carry(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                  const double *q, planar_body *child);
/* Its velocity and beta. */
void planar_carry_velocity(const planar_joint *joint, const planar_constants *numbers, const planar_body *parent,
                           const double *v, planar_body *child);
/* A joint of the document as one that carries a body, and its numbers. */
planar_joint planar_joint_of(const mbs_joint *joint, bool reversed);
planar_constants planar_constants_of(const mbs_joint_constants *joint, bool reversed);

void planar_positions(mbs_system *system);
void planar_velocities(mbs_system *system);
void planar_rows(mbs_system *system, int want);
/* A row that the joint's class computes itself. */
void planar_custom_row(mbs_system *system, const mbs_block *block, int want);
void planar_input_row(const mbs_system *system, const mbs_input *input, mbs_input_row *out);
void planar_clear_wrenches(mbs_system *system);
void planar_generalized_forces(mbs_system *system);
void planar_mass_matrix(mbs_system *system);
/* articulated.c, as in space.h */
bool planar_articulated_open(const mbs_model *model, mbs_arena *arena, planar_workspace *workspace);
int planar_articulated_factor(mbs_system *system, double smallest);
void planar_articulated_up(mbs_system *system, double *x);
void planar_articulated_rows(mbs_system *system);
void planar_articulated_down(mbs_system *system, double *x);
void planar_accelerations(mbs_system *system);
void planar_reactions(mbs_system *system);
double planar_kinetic(const mbs_system *system);
double planar_potential(const mbs_system *system);
double planar_read_primitive(const mbs_system *system, const mbs_block *block, int level);

static inline planar_workspace *planar_of(const mbs_system *system) {
  return (planar_workspace *)system->kernel_workspace;
}

static inline const planar_joint *planar_joints(const mbs_model *model) { return model->kernel_data; }
static inline const planar_constants *planar_numbers(const mbs_system *system) { return system->constants->kernels; }

#endif
