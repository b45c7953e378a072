/* mechanism.h - a mechanism as other programs need to hear of it, read from a model of ours, and states along a motion
 * of it with our accelerations: that both sides have the same numbers is nobody's care. C and C++.
 *
 * Bodies are numbered along our tree, parents first, 0 being the ground; their axes lie in their mass centres. Units
 * are those of SI; vectors are in global axes where nothing else is said. Planar mechanisms lie in the plane z = 0. */
#ifndef PEERS_MECHANISM_H
#define PEERS_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PEERS_STATES = 64 };

/* A hinge or a ball joint. */
typedef struct peers_joint {
  bool ball;
  int body1, body2;      /* of a joint in the tree: parent and child */
  double at1[3], at2[3]; /* its point, in the axes of either body */
  double axis[3];        /* of a hinge, in the axes of both */
} peers_joint;

typedef struct peers_body {
  double mass, inertia[3]; /* about the axes of the body; of planar ones that of the plane about each */
  peers_joint joint;       /* that carries it */
} peers_body;

/* A linear spring between two points. */
typedef struct peers_spring {
  int body1, body2;
  double at1[3], at2[3]; /* in the axes of either body */
  double stiffness, free_length;
} peers_spring;

/* A constant torque. */
typedef struct peers_torque {
  int body;
  double torque[3];
} peers_torque;

/* Where a body is and how it moves. */
typedef struct peers_motion {
  double r[3], v[3], a[3]; /* of the mass centre */
  double p[4];             /* Euler parameters */
  double omega[3], alpha[3];
} peers_motion;

typedef struct peers_run peers_run;

typedef struct peers_mechanism {
  const char *name;
  bool planar;
  double gravity[3];
  size_t body_count, cut_count, spring_count, torque_count;
  peers_body *bodies; /* [body_count + 1] */
  peers_joint *cuts;  /* [cut_count] joints that are no part of the tree */
  peers_spring *springs;
  peers_torque *torques;
  peers_motion *states[PEERS_STATES]; /* [body_count + 1] each */
  double t_end;
  size_t rows; /* of our constraints */
  peers_run *run;
} peers_mechanism;

/* From a document, whose text is freed; states from the start of its motion to t_end [s]. Ends the program where it has
 * anything that is not told here. */
peers_mechanism *peers_mechanism_new(const char *name, char *document, double t_end);
void peers_mechanism_free(peers_mechanism *mechanism);

/* Our accelerations at a state. */
void peers_mechanism_evaluate(const peers_mechanism *mechanism, size_t state);

/* Our run to t_end by a method, tolerances relative and absolute: time [s] without building, and where mass centres
 * are at the end, `centres` [body_count + 1][3] from the ground on. */
double peers_mechanism_simulate(const peers_mechanism *mechanism, const char *method, double tolerance,
                                double *centres);

#ifdef __cplusplus
}
#endif

#endif
