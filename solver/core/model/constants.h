/* constants.h - the numbers of a model for one set of values of its parameters.
 *
 * A model is structure: what is joined to what, patterns, programs of expressions. Everything that is a number stands
 * here, in arrays that go beside those of the model. A thousand sets of constants may share one model; a run reads one
 * set. mbs_bind() fills a set without allocating. */
#ifndef MBS_CONSTANTS_H
#define MBS_CONSTANTS_H

#include "base/real.h"
#include "mbs/model.h"
#include "model/model.h"

/* Points P1, P2 and unit vectors of an element, in the axes of its two bodies. */
typedef struct mbs_geometry {
  mbs_real s1[3], s2[3]; /* P1, P2 from the mass centres [m] */
  mbs_real u1[3], u2[3]; /* unit vectors */
  /* Of spatial joints: */
  mbs_real w1[3], w2[3]; /* perpendicular to u1 and u2 */
  mbs_real zero[4];      /* A2 = A1 A(zero) where the turns are zero */
  mbs_real zero1[4];     /* of turns against the ground: A1 = A(zero1), A2 = A(zero); w1, w2: u1, u2 there, global */
} mbs_geometry;

typedef struct mbs_body_constants {
  double mass;       /* [kg] */
  double inertia[6]; /* [kg m^2]; planar: the first; spatial: Ixx, Iyy, Izz, Ixy, Ixz, Iyz, body axes */
  mbs_pose initial;  /* what the document gives of it */
} mbs_body_constants;

typedef struct mbs_joint_constants {
  mbs_geometry geometry;
  mbs_real initial_position[MBS_COORDINATES_MAX], initial_velocity[MBS_COORDINATES_MAX];
  mbs_real angle0; /* planar: phi2 - phi1 where its turn is zero [rad] */
  mbs_real offset; /* of the second point along perp(u1) [m] */
  mbs_real roll;   /* a turn by phi also slides by -roll phi [m] */
  mbs_real slide0; /* slide of a rolling joint where phi2 is zero [m] */
  mbs_real pitch;  /* a turn by phi also slides by pitch phi [m/rad] */
} mbs_joint_constants;

/* Of a block of rows: row = scale * primitive - constant, the angles in it times their weights. */
typedef struct mbs_block_constants {
  mbs_geometry geometry; /* u1, u2: the vectors that its row names */
  mbs_real scale, weight1, weight2, constant;
  mbs_real start[2]; /* its angles where a run starts [rad], spatial */
} mbs_block_constants;

/* An expression for these parameters: a program, or, of a constant, its value. */
typedef struct mbs_law_constants {
  const mbs_expression *expression; /* NULL: the constant `value` */
  mbs_real value;
  mbs_expression *own; /* the same, where it depends on parameters */
  mbs_real *literals;  /* over vectors: what constants the program has, in place of its own */
} mbs_law_constants;

typedef struct mbs_function_constants {
  size_t data_count, break_most;
  double *data;       /* [data_count] numbers of the class */
  double *breaks;     /* [break_count], at most break_most: times where a higher derivative jumps */
  size_t break_count; /* integration restarts at each */
  double least;       /* of a distance: what it must stay above */
} mbs_function_constants;

typedef struct mbs_force_constants {
  mbs_geometry geometry;
  void *data; /* numbers of the class, or NULL */
} mbs_force_constants;

/* Where runs start that do not tell what a correction does: the position that one found, which follows from places and
 * functions of time alone, not from masses or forces. */
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
  mbs_block_constants *blocks;       /* [block_numbers] by mbs_block.numbers */
  mbs_function_constants *functions; /* [function_numbers] by mbs_function.number */
  mbs_force_constants *forces;       /* [force_count] */
  mbs_real gravity[3];               /* [m/s^2] */
  double extent;      /* how large its largest body is, or the ground between joints [m]; 1 where there are no points */
  mbs_real *radius2;  /* [nB + 1] square of that size of each body [m^2] */
  double length;      /* what accuracies of lengths are counted in [m], 1 for mechanisms of ordinary size */
  double time;        /* and those of times [s], 1 for runs of ordinary length */
  mbs_pose *poses;    /* [nB + 1] where a run starts, before any correction */
  double *q0, *v0;    /* [nq], [nv] the same, internal order */
  double (*boxes)[6]; /* [nB + 1] workspace of extent */
  bool placed;        /* all that positions follow from is what the numbers say */
  mbs_kept_start *kept_start; /* of the numbers in hand; NULL: none is kept */
  void *kernels;              /* numbers of the kernels */
  mbs_real *slots;            /* workspace of expressions that are bound */
};

static inline const mbs_law_constants *mbs_law_numbers(const mbs_constants *constants, const mbs_law *law) {
  return &constants->laws[law->number];
}

static inline const mbs_joint_constants *mbs_joint_numbers(const mbs_constants *constants, const mbs_joint *joint) {
  return &constants->joints[joint - constants->model->joints];
}

/* Room for other numbers; NULL: no memory. */
mbs_constants *mbs_constants_new(const mbs_model *model, mbs_arena *arena);
/* The numbers for these values of the parameters [parameter_count]; NaN, or NULL: as the document has them. MBS_INVALID
 * where the structure of the model follows from a parameter and would be another one; else what is wrong with the
 * document's numbers for these values. Mistakes go to `list`; the constants are then good for nothing but binding.
 * Not looked at are laws of the state where the model starts (a run ends there, but for those of sensors) and bounds of
 * what is drawn. The constants are of mbs_constants_new(), never the model's own. A run opens its system after this:
 * units of accuracies and counted turns of one that is open stay those of the old numbers. */
mbs_status mbs_bind(mbs_constants *constants, const double *parameters, mbs_diagnostics *list);
/* The same of constants->parameters alone. */
mbs_status mbs_bind_parameters(mbs_constants *constants, const double *parameters, mbs_diagnostics *list);

static inline const mbs_force_constants *mbs_force_numbers(const mbs_constants *constants, const mbs_force *force) {
  return &constants->forces[force - constants->model->forces];
}

#endif
