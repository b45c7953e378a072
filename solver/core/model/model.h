/* model.h - the structure of a model: what is joined to what, patterns, programs of expressions; in one arena,
 * immutable once it is built. Its numbers stand in constants.h.
 *
 * Bodies are numbered so that a parent comes before its children, 0 being the ground; coordinates and velocities
 * follow that order too. `user_body` and the maps of the coordinates lead back to the order of the document, in which
 * results are given. A formulation is nothing but a choice of tree: in body coordinates every body floats and every
 * joint is a cut. */
#ifndef MBS_MODEL_H
#define MBS_MODEL_H

#include "expression/dimension.h"
#include "expression/expression.h"
#include "mbs/model.h"
#include "model/element.h"
#include "state/layout.h"

/* In the order of the choices in document.c. */
typedef enum mbs_analysis_type {
  MBS_DYNAMICS,
  MBS_KINEMATICS,
  MBS_INVERSE_DYNAMICS,
  MBS_ASSEMBLY,
  MBS_EQUILIBRIUM,
  MBS_LINEARIZATION
} mbs_analysis_type;

/* How dynamics keeps the constraints; in the order of the choices. */
typedef enum mbs_constraint_method { MBS_PROJECTION, MBS_PARTITIONING, MBS_BAUMGARTE, MBS_NONE } mbs_constraint_method;

/* Pose and velocity of a body; planar bodies use r[0], r[1], angle, v[0], v[1] and omega[2], spatial ones p, not angle.
 */
typedef struct mbs_pose {
  double r[3];     /* mass centre [m], global axes */
  double angle;    /* [rad], planar */
  double p[4];     /* Euler parameters, spatial */
  double v[3];     /* [m/s] */
  double omega[3]; /* [rad/s], global axes */
  double turns[3]; /* spatial: whole turns that p does not tell, 2 pi times their number along their axis, global */
} mbs_pose;

typedef struct mbs_body {
  const mbs_node *node; /* of the document; NULL: a ground that it leaves out */
  const char *name, *pointer;
  size_t first_point, point_count;
  size_t first_vector, vector_count;
  struct {
    bool position, angle, velocity, angular_velocity;
    bool turns; /* the orientation is an axis and an angle, which tells whole turns */
  } given;      /* which parts of `initial` the document has; in space `angle` stands for the orientation */
} mbs_body;

/* A point or a vector of a body. */
typedef struct mbs_place {
  const mbs_node *node;
  const char *name;
  int body;
} mbs_place;

/* The two frames of an element: what a primitive is taken between. */
typedef struct mbs_frames {
  int body1, body2;
  int point1, point2;   /* in model->points; -1: the mass centres */
  int vector1, vector2; /* in model->vectors; -1: none */
} mbs_frames;
#define MBS_NO_FRAMES \
  (mbs_frames) { .body1 = -1, .body2 = -1, .point1 = -1, .point2 = -1, .vector1 = -1, .vector2 = -1 }
#define MBS_ON_GROUND \
  (mbs_frames) { .body1 = 0, .body2 = 0, .point1 = -1, .point2 = -1, .vector1 = -1, .vector2 = -1 }

typedef struct mbs_parameter {
  const char *name, *pointer;
  mbs_scalar scalar;
  mbs_expression *expression; /* where it depends on others, else NULL */
  double value;
  bool wrong; /* reported: `value` stands in for it */
  bool named; /* in the document, by more than other parameters */
  enum { MBS_PARAMETER_UNREAD, MBS_PARAMETER_READING, MBS_PARAMETER_READ } state;
  int order;              /* parameters that it depends on have a smaller one */
  mbs_value_dimension of; /* of its unit, or of its expression where that follows from parameters with one */
  const char *unit;       /* its unit as written in the document; NULL: none */
} mbs_parameter;

/* An expression with what its inputs mean. */
typedef struct mbs_law {
  const mbs_expression *expression; /* NULL: a constant */
  double value;                     /* of a constant that depends on no parameter */
  int constant;                     /* of one that does: in model->numbers; else -1 */
  bool copied;                      /* its expression depends on parameters: each binding has its own */
  bool structural;                  /* and these must not change */
  int number;                       /* in constants->laws */
  size_t input_count;
  int *inputs;                /* [input_count] */
  bool moves;                 /* of a program: forces and constraints follow it, and not a sensor alone */
  int mode0, switches;        /* its switches in system->mode; none where the law is evaluated live only */
  const char *pointer, *text; /* of a program: where it stands, and how it is written */
} mbs_law;

typedef struct mbs_joint {
  const mbs_joint_class *cls;
  const mbs_joint_shape *shape;
  const mbs_node *node;
  const char *name, *pointer;
  mbs_frames frames;
  enum { MBS_CUT_AUTO, MBS_CUT_YES, MBS_CUT_NO } cut;
  bool in_tree;
  int reference[2];                                      /* vectors across its axes, in model->vectors; -1: none */
  size_t initial_position_count, initial_velocity_count; /* given in the document */
  int *bodies, body_count;                               /* what its custom rows depend on, without the ground */
  bool sided;                                            /* these are the bodies of its frames */
  mbs_law *laws;                                         /* of its curves, or its own expression */
  size_t law_count;
  int first_curve, curve_count; /* in model->curves */
  int first_block, block_count; /* its constraint rows, where it is a cut */
  int coordinate_block;         /* first of its coordinates as primitives, in `coordinates` */
  int first_row, row_count;
  int first_q; /* of its coordinates, where it is in the tree */
} mbs_joint;

/* A plane curve r(alpha) about a point of a body, in the body's axes (curves.h). */
typedef enum mbs_curve_kind { MBS_CURVE_POLAR, MBS_CURVE_PARAMETRIC, MBS_CURVE_SPLINE } mbs_curve_kind;
enum { MBS_CURVE_SAMPLES = 256 };

typedef struct mbs_curve {
  mbs_curve_kind kind;
  const mbs_law *laws;    /* rho(alpha), or x(alpha) and y(alpha) */
  size_t knots;           /* of a spline: alpha [knots + 1], the length of the chords up to each of its points, */
  double *alpha, *points; /* and there x, y, dx/dalpha, dy/dalpha [knots + 1 x 4]; the last is the first again */
  double period;          /* of alpha; 0: it is not closed */
  double outward;         /* 1: it runs counterclockwise, or is not closed; -1: clockwise */
  bool convex;            /* closed, and it turns one way */
  double size;            /* largest distance from its point [m] */
  bool start_given;
  double start; /* first guess of its contact parameter */
  bool ends;    /* it is defined in its range only, from the first of its samples to the last */
  /* Samples at equal steps, from alpha = `first` on: over the period or the range; of a curve that has neither over
   * its first turn, and as many before it and after it, NaN where it has no points. Searches begin from
   * MBS_CURVE_SAMPLES of them, those from `search` on. */
  double first, step;
  size_t count, search;
  double *samples; /* [count x 4] r and dr/dalpha */
} mbs_curve;

/* A primitive as rows of the constraints (or as the coordinate of a joint). */
typedef struct mbs_block {
  mbs_primitive primitive;
  mbs_frames frames;
  const mbs_row *row;
  mbs_level level;      /* of its rows */
  int numbers;          /* in constants->blocks */
  int joint;            /* the joint whose geometry it has, or -1: its sides say it */
  const mbs_node *axis; /* a driver's, that has an axis of its own; or NULL */
  bool scaled;          /* its row is not the primitive itself but a multiple */
  bool turning;         /* of MBS_PRIMITIVE_ALONG: a turn counts in it, too */
  int component;        /* of the Euler parameters */
  int function;         /* its function of time, or -1 */
  int of_joint;         /* the joint whose coordinate it is, or -1 */
  int number;           /* which coordinate of that joint */
  int turns;            /* where the kernels remember its angles, whose turns they count; -1: nowhere */
  int custom;           /* the joint whose class computes its row (MBS_PRIMITIVE_CUSTOM), or -1 */
  int d0;               /* of such a row: where its D begins in system->D */
  bool held;            /* a coordinate that the correction keeps although no velocity of the tree is its own */
  int first_row, rows;
  /* The velocities its rows depend on: pattern[pattern0 .. +columns), ascending; values at C[value0 ..], row by row. */
  int pattern0, columns;
  int value0;
  int entry0, entries1, entries; /* paths from its bodies to the ground, one after another, in model->entries */
} mbs_block;

/* One velocity on the path from a block's body to the ground. */
typedef struct mbs_entry {
  int body, velocity, column;
  bool again; /* of the second body: the first one has an entry in the same column, to which this one is added */
} mbs_entry;

typedef struct mbs_driver {
  const mbs_driver_class *cls;
  const mbs_node *node;
  const char *name, *pointer;
  int block, row;
} mbs_driver;

typedef struct mbs_function {
  const mbs_function_class *cls;
  mbs_law *law; /* or NULL */
  const mbs_node *node;
  int number;                 /* in constants->functions */
  size_t count;               /* of what it is a sum, a table or a sequence of */
  size_t data_count;          /* of its numbers */
  size_t break_most;          /* of its breaks */
  struct mbs_function *parts; /* [part_count] functions that it is made of */
  size_t part_count;
  const char *pointer; /* in the document */
  const char *element; /* the driver that follows it */
  const char *unit;    /* of its values, "m" or "rad"; NULL: neither, or the driver has a mistake */
  bool distance;       /* it is a distance, which must stay above 0: there it has no direction */
} mbs_function;

typedef struct mbs_force {
  const mbs_force_class *cls;
  const mbs_node *node;
  const char *name, *pointer;
  mbs_frames frames;
  int coordinate; /* the primitive it acts along, in model->coordinates; or -1 */
  int first_output, outputs;
  mbs_law *laws;
  size_t law_count;
  bool body_frame;
  int mode0, memory0; /* of its own switches and memory */
  int z0;             /* of its own states */
  bool conservative;  /* it has a potential and neither works nor dissipates */
} mbs_force;

/* What an input of an expression is read from. */
typedef enum mbs_input_kind {
  MBS_INPUT_TIME,
  MBS_INPUT_POINT,      /* component of a point's position, velocity or acceleration */
  MBS_INPUT_ANGLE,      /* of a body: angle, angular velocity, angular acceleration (component) */
  MBS_INPUT_EULER,      /* of a body: Euler parameter (component) */
  MBS_INPUT_MATRIX,     /* of a body: entry of the rotation matrix, row-major (component) */
  MBS_INPUT_PRIMITIVE,  /* of a joint's coordinate or of a distance: value, rate, acceleration */
  MBS_INPUT_CURVE,      /* contact parameter of a curve */
  MBS_INPUT_FORCE,      /* output of a force element */
  MBS_INPUT_REACTION,   /* component of a joint's reaction */
  MBS_INPUT_MULTIPLIER, /* of a row */
  MBS_INPUT_ENERGY
} mbs_input_kind;

typedef struct mbs_input {
  mbs_input_kind kind;
  int index; /* body, coordinate primitive, curve, output, joint or row */
  int component;
  int level; /* 0 position, 1 velocity, 2 acceleration */
  int point; /* in model->points; -1: the mass centre */
} mbs_input;

typedef struct mbs_sensor {
  const char *name, *unit, *doc;
  mbs_law law;
} mbs_sensor;

/* The sparse pattern of the mass matrix: velocity k depends on its ancestors only. Row k of M, packed, holds its
 * depth[k] ancestors (from the root on) and itself, from row0[k] on. */
typedef struct mbs_tree_pattern {
  int *parent;    /* [nv] the velocity before it on its path, -1 at the root */
  int *depth;     /* [nv] */
  int *row0;      /* [nv] */
  int *ancestors; /* at row0[k]: its ancestors and itself */
  size_t size;    /* doubles of M */
} mbs_tree_pattern;

/* Overlap of two blocks in S = C M^-1 C': a common velocity. */
typedef struct mbs_overlap {
  int column1, column2, velocity;
} mbs_overlap;

typedef struct mbs_block_pair {
  int block1, block2; /* block2 not later than block1 in elimination order */
  int overlap0, overlaps;
  int row, offset; /* of S: the first row of block1, and where in its rows the columns of block2 begin */
} mbs_block_pair;

/* S of many rows where a skyline would be wide: the pattern of its entries, and that of its factors L without their
 * diagonal, in the order of elimination. */
typedef struct mbs_fill {
  int *start0, *starts; /* row i of S: columns starts[start0[i] .. start0[i + 1]), those after i do not count */
  size_t entries;       /* of S */
  int *column0, *below; /* column k of L: rows below[column0[k] .. column0[k + 1]), ascending */
  int *row0, *left;     /* row i of L: columns left[row0[i] .. row0[i + 1]), ascending */
  size_t size;          /* of L */
} mbs_fill;

/* S = C M^-1 C' in skyline form: row i of the elimination order holds columns first[i] .. i from diagonal-aligned
 * row0[i] on. */
typedef struct mbs_skyline {
  int *position; /* [rows] place of a constraint row in elimination order */
  int *first;    /* [rows] */
  int *row0;     /* [rows] */
  size_t size;
  bool in_order;  /* position[r] = r */
  mbs_fill *fill; /* in place of the skyline; NULL: none */
  int *starts;    /* [rows] where rows of S begin: row0, or start0 of the fill */
} mbs_skyline;

/* A number of the document that depends on parameters. */
typedef struct mbs_dependent {
  const mbs_expression *expression;
  const char *pointer;
  bool structural; /* the structure of the model follows from it: it must not change */
  bool places;     /* positions may follow from it: it is more than a mass, a force or gravity */
} mbs_dependent;

struct mbs_kernels;
typedef struct mbs_constants mbs_constants;
struct mbs_plan;

struct mbs_model {
  mbs_arena *arena;
  const struct mbs_kernels *kernels; /* the kernels, planar or spatial */
  int dim;                           /* 2 or 3 */
  const char *name;
  mbs_limits limits;

  /* The document's things. */
  size_t nB;         /* bodies without the ground */
  mbs_body *bodies;  /* [nB + 1] in internal order */
  int *user_body;    /* [nB] internal number of the document's bodies */
  mbs_place *points; /* [nP] ground's first, then body by body in the document's order */
  size_t nP;
  mbs_place *vectors;
  size_t vector_count;
  mbs_joint *joints;
  size_t joint_count;
  mbs_driver *drivers;
  size_t driver_count;
  mbs_force *forces;
  size_t force_count;
  int *force_order;    /* [force_count] so that a law reads only outputs that are up to date */
  size_t output_count; /* of all force elements */
  mbs_sensor *sensors;
  size_t sensor_count;
  mbs_function *functions;
  size_t function_count;
  mbs_input *inputs;
  size_t input_count;
  mbs_curve *curves;
  size_t curve_count;
  bool gravity_given;

  /* Where the numbers come from. */
  const mbs_node *document;
  mbs_documents documents; /* the same with what stands beside it, copies of the model's own */
  mbs_scalar *scalars;     /* [scalar_count] all of the document, and of the analysis and the study beside it */
  size_t scalar_count;
  int *number_of; /* [scalar_count] its number among `numbers`, counted from 1; 0: it depends on no parameter */
  mbs_dependent *numbers;
  size_t number_count;
  mbs_parameter *parameters;
  size_t parameter_count;
  mbs_law **laws; /* [law_count] all that were read */
  size_t law_count;
  size_t block_numbers, function_numbers; /* counts of such constants */
  size_t bind_slots;                      /* workspace */
  mbs_constants *constants;               /* for the parameters of the document */

  /* Structure. */
  size_t nq, nv, nz, rows;
  mbs_state_layout state; /* of a motion: where its parts begin */
  mbs_level *levels;      /* [rows] of each row, from its block */
  size_t velocity_rows;   /* how many rows are of velocity level */
  int *tree_joint;        /* [nB + 1] joint that carries a body, -1: it floats by itself */
  int *parent;            /* [nB + 1] */
  /* The tree along which the start was found, in either formulation: the joint (-1: none) and body that say where a
   * body begins, and the bodies, parents first. */
  int *start_joint, *start_parent; /* [nB + 1] */
  int *start_order;                /* [nB] */
  int *first_q;                    /* [nB + 2] coordinates of the joint that carries a body */
  int *first_v;                    /* [nB + 2] */
  int *velocity_body;              /* [nv] the body whose joint has it */
  int *user_q, *user_v;            /* internal number of the document's coordinates and velocities */
  bool *held_joint;                /* [joint_count] named in `hold` */
  bool *hold_v;                    /* [nv] what the correction must keep */
  bool any_hold;
  mbs_block *blocks;
  size_t block_count;
  mbs_block *coordinates; /* primitives of joints' coordinates, and of distances in expressions */
  size_t coordinate_count, held_count;
  int *pattern;
  mbs_entry *entries;
  int *climbs;        /* for each column of each block: columns of its ancestors, climb0 + ... */
  int *climb0;        /* [pattern size] */
  size_t value_count; /* doubles of C */
  size_t d_count;     /* doubles of D: of the rows that classes compute themselves */
  mbs_tree_pattern tree;
  bool recursive; /* branches are long: the recursive back end serves, and M is never formed */
  mbs_skyline skyline;
  mbs_block_pair *pairs;
  size_t pair_count;
  mbs_overlap *overlaps;
  size_t switch_count, memory_count;
  bool switches_read_forces;  /* some switches are of laws that read what force elements exert */
  bool laws_place;            /* positions may follow from laws that depend on parameters */
  size_t slot_max, input_max; /* workspace of expressions */
  bool has_power;             /* drivers or forces whose work or dissipation must be integrated */
  void *kernel_data;          /* structure of the kernels */

  /* The analysis. */
  mbs_analysis_type type;
  mbs_analysis_type asked; /* of the document: `type` is another one where its start alone is run */
  bool body_formulation, correct;
  bool formulation_given; /* in the document; else the builder chose */
  mbs_constraint_method constraints;
  double alpha, beta;    /* of Baumgarte's stabilization [1/s] */
  bool about_state;      /* linearization about the given state, not the equilibrium */
  bool from_equilibrium; /* dynamics starts at the static equilibrium */
  double t_start, t_end, dt;
  size_t nt; /* reporting times */
  const char *method;
  double rtol, atol, max_step, fixed_step;
  bool error_estimate; /* by a second run */
  bool certify;        /* mbs_verify_result() is to follow */
  int *sensitivities;  /* [sensitivity_count] parameters whose derivatives are asked for */
  const char **kept;   /* [kept_count] names of the arrays and sensors that a result keeps; none: all */
  size_t kept_count;
  size_t sensitivity_count;
  struct mbs_plan *plan; /* of a study that stands beside the model; NULL: none */
};

/* Returns true if row r restricts what `level` names: rows of position level restrict positions, all rows restrict
 * velocities. */
static inline bool mbs_row_restricts(const mbs_model *model, size_t r, mbs_level level) {
  return model->levels[r] <= level;
}

/* Returns how many rows restrict positions, or velocities. */
static inline size_t mbs_restricting_rows(const mbs_model *model, mbs_level level) {
  return level == MBS_LEVEL_VELOCITY ? model->rows : model->rows - model->velocity_rows;
}

#endif
