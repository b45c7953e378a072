/* mechanism.h - a mechanism in the form that other programs need, read from one of our models, with states along its
 * motion and our accelerations. C and C++.
 *
 * The caller need not ensure that both sides have the same numbers. Bodies are numbered along our tree, parents first,
 * 0 being the ground; their axes are at their mass centres. Units are SI; vectors are in global axes unless stated
 * otherwise. Planar mechanisms are in the plane z = 0. */
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
  int body1, body2;      /* parent and child, for a joint in the tree */
  double at1[3], at2[3]; /* joint point, in the axes of either body */
  double axis[3];        /* axis of a hinge, in the axes of both bodies */
} peers_joint;

typedef struct peers_body {
  double mass, inertia[3]; /* about the axes of the body; for planar bodies the planar one about each axis */
  peers_joint joint;       /* joint that carries the body */
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

/* Position and motion of a body. */
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
  peers_joint *cuts;  /* [cut_count] joints outside the tree */
  peers_spring *springs;
  peers_torque *torques;
  peers_motion *states[PEERS_STATES]; /* [body_count + 1] each */
  double t_end;
  size_t rows; /* number of our constraint rows */
  peers_run *run;
} peers_mechanism;

/* Creates a mechanism from a document, and frees its text; the states are from the start of its motion to t_end [s].
 * Ends the program if the document contains anything that is not represented here. */
peers_mechanism *peers_mechanism_new(const char *name, char *document, double t_end);
void peers_mechanism_free(peers_mechanism *mechanism);

/* Computes our accelerations at a state. */
void peers_mechanism_evaluate(const peers_mechanism *mechanism, size_t state);

/* Runs our side to t_end by a method, with this relative and absolute tolerance. Returns the time [s] without building,
 * and the final mass centres in `centres` [body_count + 1][3], including the ground. */
double peers_mechanism_simulate(const peers_mechanism *mechanism, const char *method, double tolerance,
                                double *centres);

#ifdef __cplusplus
}
#endif

#endif
