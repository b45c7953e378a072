/* constants.h - the numbers of a model for one set of parameter values.
 *
 * A model is structure: connections, sparsity patterns, programs of expressions. All numbers are here, in arrays
 * parallel to those of the model. Many sets of constants may share one model; a run reads one set. mbs_bind() fills a
 * set without allocating memory. */
#ifndef MBS_CONSTANTS_H
#define MBS_CONSTANTS_H

#include "base/real.h"
#include "mbs/model.h"
#include "model/model.h"
#include "model/strand.h"

/* Points P1, P2 and unit vectors of an element, in the axes of its two bodies. */
typedef struct mbs_geometry {
  mbs_real s1[3], s2[3]; /* P1, P2 from the mass centres [m] */
  mbs_real u1[3], u2[3]; /* unit vectors */
  /* The members below are for spatial joints. */
  mbs_real w1[3], w2[3]; /* perpendicular to u1 and u2 */
  mbs_real zero[4];      /* A2 = A1 A(zero) where the rotation angles are zero */
  mbs_real zero1[4];     /* rotations against the ground: A1 = A(zero1), A2 = A(zero); w1, w2: u1, u2 there, global */
} mbs_geometry;

typedef struct mbs_body_constants {
  double mass;       /* [kg] */
  double inertia[6]; /* [kg m^2]; planar: the first; spatial: Ixx, Iyy, Izz, Ixy, Ixz, Iyz, body axes */
  mbs_pose initial;  /* initial pose and velocity given in the document */
} mbs_body_constants;

typedef struct mbs_joint_constants {
  mbs_geometry geometry;
  mbs_real initial_position[MBS_COORDINATES_MAX], initial_velocity[MBS_COORDINATES_MAX];
  mbs_real angle0; /* planar: phi2 - phi1 where the joint angle is zero [rad] */
  mbs_real offset; /* offset of the second point along perp(u1) [m] */
  mbs_real roll;   /* a rotation by phi also slides by -roll phi [m] */
  mbs_real slide0; /* slide of a rolling joint where phi2 is zero [m] */
  mbs_real pitch;  /* a rotation by phi also slides by pitch phi [m/rad] */
} mbs_joint_constants;

/* Numbers of a block of rows: row = scale * primitive - constant. The weights multiply the angles in the primitive. */
typedef struct mbs_block_constants {
  mbs_geometry geometry; /* u1, u2: the vectors selected by its row */
  mbs_real scale, weight1, weight2, constant;
  mbs_real start[2]; /* angles at the start of a run [rad], spatial */
} mbs_block_constants;

/* An expression for these parameters: a program, or the value of a constant. */
typedef struct mbs_law_constants {
  const mbs_expression *expression; /* the program; NULL: the constant `value` */
  mbs_real value;
  mbs_expression *own; /* the program, if it depends on parameters */
  mbs_real
      *literals; /* vectorized evaluation: values of the program's constants, used instead of those in the program */
} mbs_law_constants;

typedef struct mbs_function_constants {
  size_t data_count, break_most;
  double *data;       /* [data_count] numbers defined by the class */
  double *breaks;     /* [break_count], at most break_most: times at which a higher derivative jumps */
  size_t break_count; /* the integration restarts at each break */
  double least;       /* a distance: its lower bound */
} mbs_function_constants;

typedef struct mbs_force_constants {
  mbs_geometry geometry;
  void *data; /* numbers defined by the class, or NULL */
} mbs_force_constants;

/* The start of a run that does not report its correction: the corrected position. It depends on geometry and functions
 * of time only, not on masses or forces. */
typedef struct mbs_kept_start {
  bool known;
  int iterations;
  double position_residual;
  double *q; /* [nq] */
} mbs_kept_start;

struct mbs_constants {
  const mbs_model *model;
  double *parameters;                /* [parameter_count] */
  double *numbers;                   /* [number_count] values of the document's constant expressions */
  mbs_law_constants *laws;           /* [law_count] */
  mbs_real (*points)[3];             /* [nP] body axes, from the mass centre [m] */
  double (*vectors)[3];              /* [vector_count] unit vectors, body axes */
  mbs_body_constants *bodies;        /* [nB + 1] */
  mbs_joint_constants *joints;       /* [joint_count] */
  void **joint_data;                 /* [joint_count] numbers of each joint's class, or NULL */
  mbs_block_constants *blocks;       /* [block_numbers], indexed by mbs_block.numbers */
  mbs_function_constants *functions; /* [function_numbers], indexed by mbs_function.number */
  mbs_force_constants *forces;       /* [force_count] */
  mbs_real *rotors;                  /* [rotor_count] inertias along their primitives */
  mbs_real *rotor_masses;            /* [nv] what rotors add to the diagonal of M */
  double *state_starts;              /* [state_count] starts of states that are numbers */
  struct mbs_sampling *sampling;     /* [sampled_count] */
  double *external_starts;           /* [external_count] values of the inputs at the start */
  mbs_strand_constants *strands;     /* [strand_count] */
  mbs_strand_path_constants *paths;  /* [path_count] */
  mbs_real gravity[3];               /* [m/s^2] */
  double extent;      /* size of the largest body, or of the ground between joints [m]; 1 if there are no points */
  mbs_real *radius2;  /* [nB + 1] square of the size of each body [m^2] */
  double length;      /* scale of lengths for accuracies [m], 1 for mechanisms of ordinary size */
  double time;        /* scale of times for accuracies [s], 1 for runs of ordinary length */
  mbs_pose *poses;    /* [nB + 1] poses at the start of a run, before any correction */
  double *q0, *v0;    /* [nq], [nv] coordinates and velocities of these poses, internal order */
  double (*boxes)[6]; /* [nB + 1] workspace for the extent */
  bool placed;        /* the data that determine positions agree with the present numbers: mbs_bind() succeeded */
  mbs_kept_start *kept_start; /* stored start; NULL: the model stores none */
  void *kernels;              /* numbers that the kernels compute from the present ones; NULL: none */
  mbs_real *slots;            /* workspace of expressions during mbs_bind() */
  double *jets;               /* [3 input_max] workspace of functions of time */
};

static inline const mbs_law_constants *mbs_law_numbers(const mbs_constants *constants, const mbs_law *law) {
  return &constants->laws[law->number];
}

static inline const mbs_joint_constants *mbs_joint_numbers(const mbs_constants *constants, const mbs_joint *joint) {
  return &constants->joints[joint - constants->model->joints];
}

/* Returns the numbers of a joint's class, which its `bind` has read. */
static inline const void *mbs_joint_data(const mbs_constants *constants, const mbs_joint *joint) {
  return constants->joint_data[joint - constants->model->joints];
}

/* Allocates another set of constants. Returns NULL if memory runs out. */
mbs_constants *mbs_constants_new(const mbs_model *model, mbs_arena *arena);
/* Computes the constants for these parameter values [parameter_count]. NaN, or `parameters` NULL, selects the value of
 * the document. Errors go to `list`; the constants may then be used only for another binding. Returns MBS_INVALID if a
 * parameter would change the structure of the model; otherwise the error of the document's numbers for these values.
 *
 * Two things are not checked. One is the value of laws of the state at the start; there a run fails, unless the law is
 * a sensor's. The other is bounds of drawing data. `constants` must come from mbs_constants_new(); the model's own
 * constants may not be bound. A run opens its system afterwards: scales and counted revolutions of an open system
 * remain those of the old numbers. */
mbs_status mbs_bind(mbs_constants *constants, const double *parameters, mbs_diagnostics *list);
/* Binds constants->parameters alone, with the results of mbs_bind(). */
mbs_status mbs_bind_parameters(mbs_constants *constants, const double *parameters, mbs_diagnostics *list);

static inline const mbs_force_constants *mbs_force_numbers(const mbs_constants *constants, const mbs_force *force) {
  return &constants->forces[force - constants->model->forces];
}

#endif
