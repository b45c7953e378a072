/* joint.h - fields of every joint, and parts shared by several joints. */
#ifndef MBS_JOINTS_JOINT_H
#define MBS_JOINTS_JOINT_H

#include "builder/builder.h"

#include <math.h>

/* Class of { "position": ..., "velocity": ... }. */
extern const mbs_class mbs_joint_initial_class;
/* Class of { "lower": ..., "upper": ..., ... } (elements/forces/limit.c). */
extern const mbs_class mbs_joint_limits_class;

/* Class of an element of the path of a rope (rope.c), and the fields of the joint and of the force element `rope`. */
extern const mbs_class mbs_rope_element_class;
#define MBS_ROPE_PATH                                                                                          \
  {                                                                                                            \
    .name = "path", .kind = MBS_KIND_OBJECT, .of = &mbs_rope_element_class, .min_count = 2, .max_count = 1000, \
    .required = true,                                                                                          \
    .doc = "its elements from end to end; ends are points or drums, between them are pulleys (in the plane)"   \
  }
#define MBS_ROPE_LENGTH                                                                                       \
  {                                                                                                           \
    .name = "length", .kind = MBS_KIND_NUMBER, .fallback = NAN, .low = 0, .high = INFINITY, .low_open = true, \
    .unit = "m",                                                                                              \
    .doc = "free length at the start, wraps included; default: that of the path. Several runs share the "     \
           "difference equally"                                                                               \
  }

/* ---- read_law.c: joints whose only row is the law in their field `value` ---- */
/* Implements `check` of such a joint: both bodies are the ground until its law is read. */
void mbs_joint_is_of_law(mbs_builder *builder, size_t index);
/* Reads the law with the names of `scope`, and the bodies on which it depends. Returns false after reporting an error,
 * or if memory runs out. */
bool mbs_read_joint_law(mbs_builder *builder, size_t index, mbs_scope_level scope);

/* The fields of every joint begin with MBS_JOINT_NAME and end with MBS_JOINT_CUT: its role in the tree, armature,
 * limits and initial coordinates. */
#define MBS_JOINT_NAME \
  { .name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name" }
#define MBS_JOINT_CUT                                                                                                 \
  {.name = "cut",                                                                                                     \
   .kind = MBS_KIND_BOOL,                                                                                             \
   .fallback = 0,                                                                                                     \
   .doc = "true: the joint is cut, which gives constraints; false: it belongs to the tree, which gives coordinates; " \
          "default: the program chooses"},                                                                            \
      {.name = "armature",                                                                                            \
       .kind = MBS_KIND_NUMBER,                                                                                       \
       .min_count = 1,                                                                                                \
       .max_count = 6,                                                                                                \
       .or_single = true,                                                                                             \
       .fallback = NAN,                                                                                               \
       .low = 0,                                                                                                      \
       .high = INFINITY,                                                                                              \
       .unit = "kg or kg m^2",                                                                                        \
       .doc = "inertia along the coordinates, as of a rotor behind a gear: a number for all, or one for each; the "   \
              "rotations of a ball share one"},                                                                       \
      {.name = "limits", .kind = MBS_KIND_OBJECT, .of = &mbs_joint_limits_class, .doc = "limits of the coordinates"}, \
  {                                                                                                                   \
    .name = "initial", .kind = MBS_KIND_OBJECT, .of = &mbs_joint_initial_class,                                       \
    .doc = "initial coordinates and velocities"                                                                       \
  }
#define MBS_JOINT_POINTS                                                                        \
  {                                                                                             \
    .name = "points", .kind = MBS_KIND_POINT, .min_count = 2, .max_count = 2, .required = true, \
    .doc = "P1 on the first body, P2 on the second"                                             \
  }
/* The axis of a joint in space. */
#define MBS_JOINT_AXES(what) \
  {.name = "vectors",        \
   .kind = MBS_KIND_VECTOR,  \
   .min_count = 2,           \
   .max_count = 2,           \
   .required = true,         \
   .spaces = MBS_SPATIAL,    \
   .doc = what},             \
      MBS_JOINT_REFERENCE("a vector on each body, perpendicular to the axis; the angle is zero if they are parallel")
/* Vectors that set the zero of a rotation in space, or a fixed orientation. */
#define MBS_JOINT_REFERENCE(what) \
  { .name = "reference", .kind = MBS_KIND_VECTOR, .min_count = 2, .max_count = 2, .spaces = MBS_SPATIAL, .doc = what, }
#define MBS_JOINT_END \
  { .name = NULL }

/* The rotation phi2 - phi1 and the translation u1.(rP2 - rP1), the free motions of planar joints. */
#define MBS_TURN_ROW \
  { .primitive = MBS_PRIMITIVE_ANGLE, .scale = 1, .weight1 = -1, .weight2 = 1, .labels = "phi" }
#define MBS_SLIDE_ROW \
  { .primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .labels = "s" }

/* Rows and free motions of spatial joints with the axis u, and w, n = u x w perpendicular to it: the axes are parallel;
 * the second point is on the first axis; the second body does not rotate about it. */
#define MBS_PARALLEL_ROWS                                                                         \
  {.primitive = MBS_PRIMITIVE_DOT, .scale = 1, .vector1 = MBS_VECTOR_W, .labels = "parallel1"}, { \
    .primitive = MBS_PRIMITIVE_DOT, .scale = 1, .vector1 = MBS_VECTOR_N, .labels = "parallel2"    \
  }
#define MBS_ON_AXIS_ROWS                                                                          \
  {.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .vector1 = MBS_VECTOR_W, .labels = "normal1"}, { \
    .primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .vector1 = MBS_VECTOR_N, .labels = "normal2"    \
  }
#define MBS_NO_TURN_ROW \
  { .primitive = MBS_PRIMITIVE_DOT, .scale = 1, .vector1 = MBS_VECTOR_W, .vector2 = MBS_VECTOR_N, .labels = "turn" }
/* 1 / (2 pi) */
#define MBS_PER_TURN 0.15915494309189533577
#define MBS_SPHERICAL_ROWS \
  { .primitive = MBS_PRIMITIVE_POINT, .scale = 1, .labels = "x|y|z" }
#define MBS_AXIS_TURN_ROW \
  { .primitive = MBS_PRIMITIVE_TURN, .scale = 1, .labels = "phi" }
#define MBS_EULER_ROW(k) \
  { .primitive = MBS_PRIMITIVE_EULER, .scale = 1, .component = k, .labels = "e" #k }
#define MBS_EULER_ROWS MBS_EULER_ROW(0), MBS_EULER_ROW(1), MBS_EULER_ROW(2), MBS_EULER_ROW(3)

#endif
