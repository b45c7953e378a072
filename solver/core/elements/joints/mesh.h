/* mesh.h - parts of the joints between teeth: gear-pair, rack-and-pinion, bevel-gear, worm-gear. theory (8.24), (13.8)
 *
 * Their row is a sum of weights [m] times angles th. th_1, th_2 are the turns of the first and the second body about
 * their axes a_1, a_2, against a direction E that moves: the line of both points, or a vector of the other body. In the
 * plane the axes point out of it. */
#ifndef MBS_JOINTS_MESH_H
#define MBS_JOINTS_MESH_H

#include "elements/joints/joint.h"
#include "equations/system.h"

/* Numbers of a joint between teeth. */
typedef struct mbs_mesh {
  double radii[2];   /* pitch radii [m] */
  double length;     /* length at which the teeth fit, by class [m] */
  double tangent;    /* tangent of the pressure angle */
  double lead;       /* worm: tangent of its lead angle, negative for a left-hand worm */
  double side;       /* 1 or -1, by class: of the mesh, the rack, or the centres at the start */
  double weights[2]; /* weights of the angles in the row [m] */
  double angles[2];  /* angles at the start, where the row is zero */
  double slide;      /* rack: slide at the start [m] */
} mbs_mesh;

static inline const mbs_mesh *mbs_mesh_of(const mbs_system *system, const mbs_joint *joint) {
  return mbs_joint_data(system->constants, joint);
}

#define MBS_MESH_TEETH(how_many, which)                                                                       \
  {.name = "teeth",                                                                                           \
   .kind = MBS_KIND_NUMBER,                                                                                   \
   .min_count = how_many,                                                                                     \
   .max_count = how_many,                                                                                     \
   .fallback = NAN,                                                                                           \
   .low = 0,                                                                                                  \
   .high = INFINITY,                                                                                          \
   .low_open = true,                                                                                          \
   .doc = which},                                                                                             \
  {                                                                                                           \
    .name = "module", .kind = MBS_KIND_NUMBER, .fallback = NAN, .low = 0, .high = INFINITY, .low_open = true, \
    .unit = "m", .doc = "m, with 'teeth': a pitch radius is m z/2"                                            \
  }
#define MBS_MESH_RADII(is_required, which)                                                             \
  {                                                                                                    \
    .name = "radii", .kind = MBS_KIND_NUMBER, .min_count = 2, .max_count = 2, .required = is_required, \
    .fallback = NAN, .low = 0, .high = INFINITY, .low_open = true, .unit = "m", .doc = which           \
  }
/* Below 1.5 rad the tangent is finite. */
#define MBS_MESH_PRESSURE                                                                                      \
  {                                                                                                            \
    .name = "pressure_angle", .kind = MBS_KIND_NUMBER, .fallback = 0.34906585039886590, .low = 0, .high = 1.5, \
    .unit = "rad", .doc = "p, the angle at which the teeth press; 20 deg if omitted"                           \
  }
#define MBS_MESH_ROW \
  { .primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .length = true, .labels = "mesh" }

/* Share of a length, and sine or cosine of an angle, within which teeth fit. */
#define MBS_MESH_FIT 1e-6

/* Checks that the size of the teeth is given once: by `lengths` ("radii" or "radius"), or by 'teeth' and 'module'. */
void mbs_mesh_check(mbs_builder *builder, size_t joint, const char *lengths);
/* Reads the pitch radii [count] from `lengths`, or from 'teeth' and 'module', and the pressure angle. */
void mbs_mesh_bind(mbs_binder *binder, const mbs_joint *joint, const char *lengths, size_t count, mbs_mesh *mesh);

/* The places of the bodies at the start of a run: points P1, P2, axes or vectors u1, u2, and w1, w2 across them, global
 * axes. In the plane u1 is a vector of the joint or none. */
typedef struct mbs_mesh_start {
  double P[2][3], u[2][3], w[2][3];
} mbs_mesh_start;
mbs_mesh_start mbs_mesh_start_of(const mbs_binder *binder, const mbs_joint *joint);
/* Sets the angles at the start: of two bodies against the line of the points, or of `count` bodies against a vector of
 * the other body. */
void mbs_mesh_start_at_points(const mbs_binder *binder, const mbs_joint *joint, mbs_mesh *mesh, double angles[2]);
void mbs_mesh_start_at_vectors(const mbs_binder *binder, const mbs_joint *joint, size_t count, mbs_mesh *mesh,
                               double angles[2]);

/* The `angle` of a class: against the line of the points, or against a vector of the other body. */
void mbs_mesh_angle_at_points(const mbs_system *system, const mbs_joint *joint, mbs_custom_row *out);
void mbs_mesh_angle_at_vectors(const mbs_system *system, const mbs_joint *joint, mbs_custom_row *out);
/* Adds the sum of weights times (angle - angle at the start) to a row, with its D and bias. */
void mbs_mesh_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out);

/* Places at the current position, global axes. */
void mbs_mesh_point(const mbs_system *system, const mbs_joint *joint, int side, double out[3]);
/* Axis or vector of a side; in the plane `out` of the plane if the side has no vector. */
void mbs_mesh_vector(const mbs_system *system, const mbs_joint *joint, int side, double out[3]);

/* Returns true if a length is that of the teeth, within 1e-6 of it and `slack`; otherwise writes the message, "the
 * WHAT of 'NAME' is ... m, but ...". */
bool mbs_mesh_fits(const mbs_joint *joint, const char *what, double found, double fitting, double slack, char *message,
                   size_t size);
/* Returns true if a number that must be 0, as the cosine of perpendicular axes, is; otherwise writes the message. */
bool mbs_mesh_aligned(const mbs_joint *joint, const char *rule, double off, char *message, size_t size);

#endif
