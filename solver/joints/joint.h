/* joint.h - fields that every joint has, and pieces that several share. */
#ifndef MBS_JOINTS_JOINT_H
#define MBS_JOINTS_JOINT_H

#include "build/build.h"

#include <math.h>

/* { "position": ..., "velocity": ... } */
extern const mbs_class mbs_joint_initial_class;

/* Name and cut; first in the fields of every joint. */
#define MBS_JOINT_NAME \
  { .name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name" }
#define MBS_JOINT_CUT                                                                          \
  {.name = "cut",                                                                              \
   .kind = MBS_KIND_BOOL,                                                                      \
   .fallback = 0,                                                                              \
   .doc = "true keeps the joint out of the tree, false in it; left out, the program chooses"}, \
  {                                                                                            \
    .name = "initial", .kind = MBS_KIND_OBJECT, .of = &mbs_joint_initial_class,                \
    .doc = "initial coordinates and velocities"                                                \
  }
#define MBS_JOINT_POINTS                                                                        \
  {                                                                                             \
    .name = "points", .kind = MBS_KIND_POINT, .min_count = 2, .max_count = 2, .required = true, \
    .doc = "P1 on the first body, P2 on the second"                                             \
  }
#define MBS_JOINT_END \
  { .name = NULL }

/* The turn phi2 - phi1 and the slide u1.(rP2 - rP1), the free motions of planar joints. */
#define MBS_TURN_ROW \
  { .measure = MBS_MEASURE_ANGLE, .scale = 1, .weight1 = -1, .weight2 = 1, .labels = "phi" }
#define MBS_SLIDE_ROW \
  { .measure = MBS_MEASURE_ALONG, .scale = 1, .labels = "s" }

#endif
