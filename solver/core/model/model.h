/* model.h - the structure of a model: connections, sparsity patterns, programs of expressions. It is in one arena and
 * immutable once built. Its numbers are in constants.h.
 *
 * Bodies are numbered so that a parent comes before its children; 0 is the ground. Coordinates and velocities follow
 * that order. `user_body` and the maps of the coordinates convert to the order of the document, in which results are
 * given. A formulation is only a choice of the tree: in body coordinates every body floats and every joint is a cut. */
#ifndef MBS_MODEL_H
#define MBS_MODEL_H

#include "expression/dimension.h"
#include "expression/expression.h"
#include "mbs/formula.h"
#include "mbs/model.h"
#include "model/element.h"
#include "model/parts.h"
#include "state/layout.h"

/* Analysis types, in the order of the choices in document.c. */
typedef enum mbs_analysis_type {
  MBS_DYNAMICS,
  MBS_KINEMATICS,
  MBS_INVERSE_DYNAMICS,
  MBS_ASSEMBLY,
  MBS_EQUILIBRIUM,
  MBS_LINEARIZATION,
  MBS_FREQUENCY_RESPONSE,
  MBS_RELATIVE_EQUILIBRIUM
} mbs_analysis_type;

/* A joint coordinate that keeps its rate in a relative equilibrium. */
typedef struct mbs_steady_coordinate {
  int joint, number; /* number of the coordinate in the joint, from 0 */
} mbs_steady_coordinate;

/* Plan of a frequency response: its inputs, outputs and frequencies. */
typedef struct mbs_frequency_plan {
  struct mbs_frequency_input {
    int parameter, driver; /* index of a parameter or of a driver; the other one is -1 */
  } * inputs;              /* [input_count] */
  size_t input_count;
  int *outputs; /* [output_count] sensors */
  size_t output_count;
  double *frequencies; /* [count] [Hz] */
  size_t count;
} mbs_frequency_plan;

/* Methods by which dynamics satisfies the constraints, in the order of the choices. */
typedef enum mbs_constraint_method { MBS_PROJECTION, MBS_PARTITIONING, MBS_BAUMGARTE, MBS_NONE } mbs_constraint_method;

/* Pose and velocity of a body. Planar bodies use r[0], r[1], angle, v[0], v[1] and omega[2]; spatial ones use p instead
 * of angle. */
typedef struct mbs_pose {
  double r[3];     /* mass centre [m], global axes */
  double angle;    /* [rad], planar */
  double p[4];     /* Euler parameters, spatial */
  double v[3];     /* [m/s] */
  double omega[3]; /* [rad/s], global axes */
  double turns
      [3]; /* spatial: full revolutions, which p does not contain: 2 pi times their number along their axis, global */
} mbs_pose;

typedef struct mbs_body {
  const mbs_node *node; /* node of the document; NULL: a ground that the document omits */
  const char *name, *pointer;
  size_t first_point, point_count;
  size_t first_vector, vector_count;
  struct {
    bool position, angle, velocity, angular_velocity;
    bool turns;           /* the orientation is an axis and an angle, which includes full revolutions */
  } given;                /* parts of `initial` in the document; in space `angle` means the orientation */
  bool unchecked_inertia; /* no rigid body may have its inertia */
  double doubtful_angle;  /* initial angle that may be meant in degrees; 0: none [rad] */
} mbs_body;

/* A point or a vector of a body. */
typedef struct mbs_point_or_vector {
  const mbs_node *node;
  const char *name;
  int body;
} mbs_point_or_vector;

/* The two frames of an element, between which a primitive is defined. */
typedef struct mbs_frames {
  int body1, body2;
  int point1, point2;   /* index in model->points; -1: the mass centre */
  int vector1, vector2; /* index in model->vectors; -1: none */
} mbs_frames;
#define MBS_NO_FRAMES \
  (mbs_frames) { .body1 = -1, .body2 = -1, .point1 = -1, .point2 = -1, .vector1 = -1, .vector2 = -1 }
#define MBS_ON_GROUND \
  (mbs_frames) { .body1 = 0, .body2 = 0, .point1 = -1, .point2 = -1, .vector1 = -1, .vector2 = -1 }

/* Uses of a parameter. */
typedef enum mbs_parameter_use {
  MBS_USED = 1,           /* anything but another parameter */
  MBS_USED_BY_PLACES = 2, /* a position or a constraint */
  MBS_USED_BY_MASSES = 4, /* a mass or a moment of inertia */
} mbs_parameter_use;

typedef struct mbs_parameter {
  const char *name, *pointer;
  mbs_scalar scalar;
  mbs_expression *expression; /* expression if it depends on others, else NULL */
  double value;
  bool wrong;    /* invalid and reported: `value` is a substitute */
  unsigned uses; /* mbs_parameter_use of the document, without those by other parameters */
  enum { MBS_PARAMETER_UNREAD, MBS_PARAMETER_READING, MBS_PARAMETER_READ } state;
  int order;              /* rank in the order of dependence: parameters on which it depends have a smaller one */
  mbs_value_dimension of; /* dimension of its unit, or of its expression if that follows from parameters with units */
  const char *unit;       /* unit as written in the document; NULL: none */
  const char *si_unit;    /* SI unit of `value`; NULL if `unit` is NULL */
} mbs_parameter;

/* An expression-valued parameter, with the meaning of its inputs. */
typedef struct mbs_law {
  const mbs_expression *expression; /* program of the law; NULL: a constant */
  double value;                     /* value of a constant that depends on no parameter */
  int constant;                     /* a constant that depends on parameters: index in model->numbers; else -1 */
  bool copied;                      /* the expression depends on parameters: each set of constants has its own copy */
  bool structural;                  /* parameters of the expression that must not change */
  int number;                       /* index in constants->laws */
  size_t input_count;
  int *inputs;                /* [input_count] */
  bool moves;                 /* a program that forces or constraints read, not only a sensor */
  int mode0, switches;        /* range of its switches in system->mode; none if the law is evaluated live only */
  bool may_react;             /* may read accelerations and reactions, as a law of what a force element exerts */
  int feedback;               /* reads accelerations or reactions: index in model->feedback, from 1; else 0 */
  bool later;                 /* evaluated at instants during a motion only, so that it needs no value at the start */
  const char *pointer, *text; /* a program: JSON pointer and text */
} mbs_law;

/* A law of a force element that reads accelerations or reactions (feedback.h). */
typedef struct mbs_feedback_law {
  const mbs_law *law;
  const char *element; /* the force element */
} mbs_feedback_law;

typedef struct mbs_joint {
  const mbs_joint_class *cls;
  const mbs_joint_shape *shape;
  const mbs_node *node;
  const char *name, *pointer;
  mbs_frames frames;
  enum { MBS_CUT_AUTO, MBS_CUT_YES, MBS_CUT_NO } cut;
  bool in_tree;
  int reference[2]; /* vectors perpendicular to its axes, index in model->vectors; -1: none */
  size_t initial_position_count, initial_velocity_count; /* numbers of values given in the document */
  double doubtful_angle;                                 /* initial angle that may be meant in degrees; 0: none [rad] */
  int *bodies, body_count; /* bodies on which its custom rows depend, without the ground */
  bool sided;              /* `bodies` are the bodies of its frames */
  mbs_law *laws;           /* laws of its curves, or its own expression */
  size_t law_count;
  int path;                     /* index in model->paths; -1: none */
  int copies;                   /* number of times that its shape's rows are repeated; `component` numbers them */
  int first_curve, curve_count; /* range in model->curves */
  int first_block, block_count; /* constraint rows of a cut joint */
  int coordinate_block;         /* index in `coordinates` of its first coordinate as a primitive */
  int first_row, row_count;
  int first_q; /* index of its first coordinate, if the joint is in the tree */
} mbs_joint;

/* A plane curve r(alpha) about a point of a body, in the body's axes (curves.h). */
typedef enum mbs_curve_kind { MBS_CURVE_POLAR, MBS_CURVE_PARAMETRIC, MBS_CURVE_SPLINE } mbs_curve_kind;
enum { MBS_CURVE_SAMPLES = 256 };

typedef struct mbs_curve {
  mbs_curve_kind kind;
  const mbs_law *laws; /* rho(alpha), or x(alpha) and y(alpha) */
  size_t knots;        /* spline: number of knots */
  /* Spline: cumulative chord lengths [knots + 1], and x, y, dx/dalpha, dy/dalpha there [knots + 1 x 4]. The last knot
   * equals the first. */
  double *alpha, *points;
  double period;  /* period of alpha; 0: not closed */
  double outward; /* 1: counterclockwise, or not closed; -1: clockwise */
  bool convex;    /* closed, and its curvature does not change sign */
  double size;    /* largest distance from its reference point [m] */
  bool start_given;
  double start; /* initial guess of its contact parameter */
  bool ends;    /* defined only from the first of its samples to the last */
  /* Samples at equal steps from alpha = `first` over the period or the range. A curve that has neither is sampled over
   * its first revolution and one more on each side, with NaN where it has no points. Searches use MBS_CURVE_SAMPLES of
   * them, starting at `search`. */
  double first, step;
  size_t count, search;
  double *samples; /* [count x 4] r and dr/dalpha */
} mbs_curve;

/* A primitive as rows of the constraints (or as the coordinate of a joint). */
typedef struct mbs_block {
  mbs_primitive primitive;
  mbs_frames frames;
  const mbs_row *row;
  mbs_level level;         /* level of its rows */
  int numbers;             /* index in constants->blocks */
  int joint;               /* joint with its geometry; -1: the geometry is that of its frames */
  const mbs_node *axis;    /* element with an own axis (mbs_axis_numbers), or NULL */
  bool scaled;             /* the row is a multiple of the primitive */
  bool turning;            /* MBS_PRIMITIVE_ALONG: a rotation contributes to it */
  int component;           /* index of the Euler parameter */
  int function;            /* index of its function of time, or -1 */
  int of_joint;            /* joint whose coordinate it is, or -1 */
  int number;              /* index of the coordinate in that joint */
  int turns;               /* index of its angles in the kernels, which count their revolutions; -1: none */
  const mbs_joint *custom; /* joint whose class computes its row (MBS_PRIMITIVE_CUSTOM), or NULL */
  int touch;               /* touch to which its row belongs, or -1 */
  int d0;                  /* start of the D of such a row in system->D */
  bool held; /* a coordinate that the correction holds although it has no velocity of its own in the tree */
  int first_row, rows;
  /* Velocities on which its rows depend: pattern[pattern0 .. +columns), ascending; values at C[value0 ..], row by
   * row. */
  int pattern0, columns;
  int value0;
  int entry0, entries1, entries; /* paths from its bodies to the ground in model->entries, one after another */
} mbs_block;

/* Velocity on the path from a block's body to the ground. */
typedef struct mbs_entry {
  int body, velocity, column;
  bool again; /* second body: the first body has an entry in this column, to which this one is added */
} mbs_entry;

/* An inertia along a coordinate of a joint, as of a rotor that turns with it: T = I q'^2 / 2, force -I q''. If the
 * joint carries a body, it adds to the diagonal of M. Otherwise, or in body coordinates, it is `coupled`: it adds
 * J' I J with J of its block. theory (8.26) */
typedef struct mbs_rotor {
  const mbs_node *node; /* node with its numbers */
  const char *field;    /* the inertia */
  size_t item;          /* index in an array */
  const char *ratio;    /* field: the rotor turns faster than the coordinate by this factor; NULL: equally */
  double scale;         /* inertia along the primitive for an inertia of 1: 4 for an Euler parameter */
  int coordinate;       /* index in model->coordinates */
  int velocity;         /* velocity of the tree with its inertia, or -1 */
  bool coupled;
  mbs_joint bodies; /* coupled: lists the bodies of the block */
  mbs_block block;  /* coupled: pattern of J, whose values are system->C[value0 ..] */
} mbs_rotor;

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
  int number;                 /* index in constants->functions */
  size_t count;               /* number of terms, points or pieces */
  size_t data_count;          /* number of data values */
  size_t break_most;          /* largest number of breaks */
  struct mbs_function *parts; /* [part_count] functions of which it consists */
  size_t part_count;
  const char *pointer; /* JSON pointer in the document */
  const char *element; /* name of its driver */
  const char *unit;    /* unit of its values, "m" or "rad"; NULL: neither, or the driver is invalid */
  bool distance;       /* a distance, which must stay above 0, where its direction is undefined */
  bool steady;         /* prescribes a steady coordinate, whose rate counts also if drivers are held */
} mbs_function;

typedef struct mbs_force {
  const mbs_force_class *cls;
  const mbs_node *node;
  const char *name, *pointer;
  mbs_frames frames;
  int coordinate; /* index in model->coordinates of the primitive along which it acts; or -1 */
  int of_joint;   /* limits: the joint; else -1 */
  int first_output, outputs;
  mbs_law *laws;
  size_t law_count;
  bool body_frame;
  int *bodies; /* [body_count] bodies besides those of its frames, for its class */
  size_t body_count;
  void *structure;    /* structural data, defined by its class */
  size_t points;      /* number of parts that switch independently; its switches and memory are those of each */
  size_t contacts;    /* number of its points of contact that may be far; 0: it has no surfaces */
  int touches_each;   /* number of touches of each of these, which are near with it; 0: all its touches are near */
  size_t data_extra;  /* size of its numbers beyond data_size of its class */
  int touch0;         /* index of its first touch, or -1 */
  int path;           /* index in model->paths; -1: none */
  const char *labels; /* labels of its outputs; NULL: those of its class */
  int mode0, memory0; /* start of its switches and its memory */
  int rotor;          /* index in model->rotors of its inertia along `coordinate`, or -1 */
  bool late;          /* outputs are known only with the accelerations */
  int z0;             /* start of its states */
  size_t z_count;     /* number of its states: those of its class, or 0 */
  bool conservative;  /* the force has a potential; its work and dissipation are zero */
} mbs_force;

/* The source of an input of an expression. */
typedef enum mbs_input_kind {
  MBS_INPUT_TIME,
  MBS_INPUT_POINT,      /* component of a point's position, velocity or acceleration */
  MBS_INPUT_ANGLE,      /* a body's angle, angular velocity or angular acceleration (component) */
  MBS_INPUT_EULER,      /* a body's Euler parameter (component) */
  MBS_INPUT_MATRIX,     /* a body's rotation matrix, row-major entry (component) */
  MBS_INPUT_PRIMITIVE,  /* a joint coordinate or a distance: value, rate, acceleration */
  MBS_INPUT_CURVE,      /* contact parameter of a curve */
  MBS_INPUT_STATE,      /* state of the document */
  MBS_INPUT_RATE,       /* time derivative of the input of a signal */
  MBS_INPUT_DISCRETE,   /* a variable or a sampled value */
  MBS_INPUT_EXTERNAL,   /* an input of the document */
  MBS_INPUT_FORCE,      /* output of a force element */
  MBS_INPUT_REACTION,   /* component of a joint's reaction */
  MBS_INPUT_MULTIPLIER, /* multiplier of a row */
  MBS_INPUT_TOOTH,      /* tangential (component 0) or radial (1) tooth force of a joint */
  MBS_INPUT_ENERGY
} mbs_input_kind;

typedef struct mbs_input {
  mbs_input_kind kind;
  int index; /* body, coordinate primitive, curve, state, signal, discrete value, external, output, joint or row */
  int component;
  int level; /* 0 position, 1 velocity, 2 acceleration */
  int point; /* index in model->points; -1: the mass centre */
} mbs_input;

/* A scalar state with its rate, z' = rate: one of the section `states`, or one of a signal. */
typedef struct mbs_document_state {
  const char *name; /* name of the state or of its signal */
  const char *pointer;
  const mbs_node *node; /* entry of the state in `states`; NULL: it belongs to a signal */
  int signal;           /* index of that signal, or -1 */
  const char *text;     /* rate of a signal, in which names have the meanings of the signal's text */
  bool starts_at_input; /* the state starts at the start of the signal's input */
  bool sets_speed;      /* a constraint of positions reads the state, so that jumps of its rate are impulses */
  bool moves_rows;      /* constraints depend on the state, also through rates of other states */
  mbs_law rate;
} mbs_document_state;

/* An external input: a number that comes from outside of the document. A run takes it from a table over time, whose
 * points straight lines join, or keeps its start value; a host sets it between two steps. */
typedef struct mbs_external {
  const char *name;
  const mbs_node *node;
  int rates[2];       /* the inputs NAME_d and NAME_dd, its rate and its second rate in functions of time; -1: none */
  size_t count;       /* number of points of the table; 0: none */
  double *t, *values; /* [count] times, which ascend [s], and values */
} mbs_external;

/* A named expression. Expressions that name it contain its text, so the signal itself is evaluated for results only. */
typedef struct mbs_document_signal {
  const mbs_signal_class *cls;
  const mbs_node *node;
  const char *name, *pointer;
  const char *text;                    /* expression of the signal */
  const struct mbs_local_name *locals; /* names with a meaning in `text` alone; NULL: none */
  const char *place;                   /* JSON pointer of errors in `text` */
  enum { MBS_SIGNAL_UNREAD, MBS_SIGNAL_READING, MBS_SIGNAL_READ } reading;
  struct mbs_document_signal *reader; /* while it is read: the signal that names it, or NULL */
  bool wrong;                         /* invalid and reported */
  bool takes_rate;                    /* the expression reads the time derivative of its input */
  mbs_law input, law;                 /* law of the input, if the class has one; law of the value */
} mbs_document_signal;

typedef struct mbs_sensor {
  const char *name, *unit, *doc;
  mbs_law law;
} mbs_sensor;

/* The sparsity pattern of the mass matrix: velocity k is coupled with its ancestors only. Row k of the packed M
 * contains its depth[k] ancestors, from the root on, and itself, starting at row0[k]. */
typedef struct mbs_tree_pattern {
  int *parent;    /* [nv] previous velocity on its path, -1 at the root */
  int *depth;     /* [nv] */
  int *row0;      /* [nv] */
  int *ancestors; /* ancestors of velocity k and itself, from row0[k] on; NULL if M is never factored (`recursive`) */
  size_t size;    /* numbers in M */
} mbs_tree_pattern;

/* Overlap of two blocks in S = C M^-1 C': a common velocity. */
typedef struct mbs_overlap {
  int column1, column2, velocity;
} mbs_overlap;

typedef struct mbs_block_pair {
  int block1, block2; /* indices; block2 is not after block1 in the order of elimination */
  int overlap0, overlaps;
  int row, offset; /* first row of block1 in S, and start of the columns of block2 in its rows */
} mbs_block_pair;

/* S with many rows whose skyline would be wide: the pattern of its entries, and that of its factor L without the
 * diagonal, in the order of elimination. */
typedef struct mbs_fill {
  int *start0, *starts; /* row i of S: columns starts[start0[i] .. start0[i + 1]); columns after i are ignored */
  size_t entries;       /* entries of S */
  int *column0, *below; /* column k of L: rows below[column0[k] .. column0[k + 1]), ascending */
  int *row0, *left;     /* row i of L: columns left[row0[i] .. row0[i + 1]), ascending */
  size_t size;          /* entries of L */
} mbs_fill;

/* S = C M^-1 C' in skyline form: row i in the order of elimination has columns first[i] .. i, stored from row0[i] on so
 * that the diagonal is aligned. */
typedef struct mbs_skyline {
  int *position; /* [rows] index of a constraint row in the order of elimination */
  int *first;    /* [rows] */
  int *row0;     /* [rows] */
  size_t size;
  bool in_order;  /* position[r] = r */
  mbs_fill *fill; /* replaces the skyline; NULL: none */
  int *starts;    /* [rows] start of each row of S: row0, or start0 of the fill */
} mbs_skyline;

/* A number of the document that depends on parameters. */
typedef struct mbs_dependent {
  const mbs_expression *expression;
  const char *pointer;
  bool structural; /* the structure of the model depends on it, so it must not change */
  bool places;     /* positions may depend on it; false for masses, forces and gravity */
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

  /* Elements of the document. */
  size_t nB;                   /* bodies without the ground */
  mbs_body *bodies;            /* [nB + 1] in internal order */
  int *user_body;              /* [nB] internal number of the document's bodies */
  mbs_point_or_vector *points; /* [nP] those of the ground first, then body by body in the document's order */
  size_t nP;
  mbs_point_or_vector *vectors;
  size_t vector_count;
  mbs_joint *joints;
  size_t joint_count;
  mbs_driver *drivers;
  size_t driver_count;
  size_t added_drivers; /* the last ones, which the document does not contain: they keep rates of steady coordinates */
  mbs_force *forces;
  size_t force_count;
  mbs_rotor *rotors;
  size_t rotor_count, coupled_rotors;
  mbs_document_state *states; /* [state_count] system->z begins with them: those of `states`, then those of signals */
  size_t state_count, named_states;
  bool rates_read_forces;     /* the rates of some states read outputs of force elements */
  bool rates_read_reactions;  /* the rates of some states read accelerations or reactions */
  bool rows_read_states;      /* some constraints read states */
  mbs_feedback_law *feedback; /* [feedback_count] */
  size_t feedback_count;
  mbs_document_signal *signals;
  size_t signal_count;
  struct mbs_touch *touches; /* touch.h */
  size_t touch_count;
  struct mbs_strand_path *paths; /* paths of belts and ropes; strand.h */
  struct mbs_strand *strands;    /* strands; those of one path are consecutive */
  size_t path_count, strand_count;
  size_t strand_turns;           /* number of strands whose angles are counted */
  int *force_order;              /* [force_count] order of evaluation, such that a law reads only current outputs */
  size_t output_count;           /* outputs of all force elements */
  struct mbs_discrete *discrete; /* [discrete_count] variables, then sampled values (discrete.h) */
  size_t discrete_count, variable_count, sampled_count;
  mbs_external *externals;
  size_t external_count;
  struct mbs_trigger *triggers; /* [trigger_count] events, then the end of a run by `stop_when` */
  size_t trigger_count;
  mbs_sensor *sensors;
  size_t sensor_count;
  mbs_function *functions;
  size_t function_count;
  mbs_input *inputs;
  size_t input_count;
  mbs_curve *curves;
  size_t curve_count;
  bool locates; /* a joint has a contact that each position must have (`locate` of its class) */
  bool gravity_given;

  /* Sources of the numbers. */
  const mbs_node *document;
  mbs_documents documents; /* the model's copies of the document and of the documents given with it */
  mbs_scalar *scalars;     /* [scalar_count] all scalars of the document, the analysis and the study */
  size_t scalar_count;
  int *number_of; /* [scalar_count] index in `numbers`, from 1; 0: depends on no parameter */
  mbs_dependent *numbers;
  size_t number_count;
  mbs_formula_function *named_functions; /* [named_count] functions of the document, as formulas show them */
  size_t named_count;
  mbs_parameter *parameters;
  size_t parameter_count;
  mbs_law **laws; /* [law_count] all laws that were read */
  size_t law_count;
  size_t block_numbers, function_numbers; /* numbers of such constants */
  size_t bind_slots;                      /* workspace */
  mbs_constants *constants;               /* constants for the parameters of the document */

  /* Structure. */
  size_t nq, nv, nz, rows;
  size_t bilateral_rows, bilateral_blocks; /* rows and blocks of joints and drivers; the rows of touches follow */
  mbs_state_layout state;                  /* layout of the state of a motion */
  mbs_level *levels;                       /* [rows] level of each row, from its block */
  size_t velocity_rows;                    /* number of rows of velocity level */
  int *tree_joint;                         /* [nB + 1] joint that carries a body; -1: the body floats */
  int *parent;                             /* [nB + 1] */
  /* The tree along which the start was found, in either formulation: the joint (-1: none) and the body relative to
   * which a body is placed, and the bodies, parents first. */
  int *start_joint, *start_parent; /* [nB + 1] */
  int *start_order;                /* [nB] */
  int *first_q;                    /* [nB + 2] first coordinate of the joint that carries a body */
  int *first_v;                    /* [nB + 2] */
  int *velocity_body;              /* [nv] body whose joint has the velocity */
  int *user_q, *user_v;            /* internal numbers of the document's coordinates and velocities */
  bool *held_joint;                /* [joint_count] listed in `hold` */
  bool *hold_v;                    /* [nv] velocities that the correction must hold */
  bool any_hold;
  mbs_block *blocks;
  size_t block_count;
  mbs_block *coordinates; /* primitives of joints' coordinates, and of distances in expressions */
  size_t coordinate_count, held_count;
  int *pattern;
  mbs_entry *entries;
  int *climbs;        /* columns of the ancestors of each column of each block, climb0 + ... */
  int *climb0;        /* [pattern size] */
  size_t value_count; /* numbers in C */
  size_t d_count;     /* numbers in D, for rows that classes compute themselves */
  mbs_tree_pattern tree;
  mbs_parts parts; /* velocities by parts of the mechanism that neither constraints nor forces connect */
  bool recursive;  /* branches are long, so the recursive back end is used and M is not formed */
  mbs_skyline skyline;
  mbs_block_pair *pairs;
  size_t pair_count;
  mbs_overlap *overlaps;
  size_t switch_count, memory_count;
  bool switches_read_forces;  /* switches belong to laws that read outputs of force elements */
  bool laws_place;            /* positions may depend on laws that depend on parameters */
  size_t slot_max, input_max; /* workspace of expressions */
  bool has_power;             /* drivers or forces exist whose work or dissipation must be integrated */
  void *kernel_data;          /* structure data of the kernels */

  /* The analysis. */
  mbs_analysis_type type;
  mbs_analysis_type asked; /* requested in the document; differs from `type` if only its start is run */
  bool body_formulation, correct;
  bool formulation_given; /* given in the document; otherwise chosen by the builder */
  mbs_constraint_method constraints;
  double alpha, beta; /* gains of Baumgarte's stabilization [1/s] */
  bool about_state;   /* linearization about the given state, not the equilibrium */
  /* A relative equilibrium, or a linearization about it: coordinates that keep their rates, and their joints
   * [joint_count]; in body coordinates the index in `coordinates` of the first coordinate of each joint [joint_count].
   */
  bool relative;
  mbs_steady_coordinate *steady;
  size_t steady_count;
  bool *steady_joint;
  int *measured;
  mbs_frequency_plan frequency_response;
  bool from_equilibrium; /* dynamics starts at the static equilibrium */
  double t_start, t_end, dt;
  size_t nt; /* number of reporting times */
  const char *method;
  double rtol, atol, max_step, fixed_step;
  bool error_estimate;      /* requested: an error estimate by a second run */
  bool certify;             /* mbs_examine() will follow */
  int *sensitivities;       /* [sensitivity_count] parameters for which derivatives are requested */
  const char **array_names; /* [array_name_count] names of the arrays and sensors in the result; none: all */
  size_t array_name_count;
  size_t sensitivity_count;
  struct mbs_plan *plan; /* study given with the model; NULL: none */
};

/* Returns true for an input that is known only after an evaluation of the forces. */
static inline bool mbs_input_needs_forces(const mbs_input *input) {
  return input->level > 1 || input->kind == MBS_INPUT_FORCE || input->kind == MBS_INPUT_REACTION ||
         input->kind == MBS_INPUT_MULTIPLIER || input->kind == MBS_INPUT_TOOTH || input->kind == MBS_INPUT_ENERGY;
}

/* Returns true if row r restricts `level`: rows of position level restrict positions and velocities, rows of velocity
 * level only velocities. */
static inline bool mbs_row_restricts(const mbs_model *model, size_t r, mbs_level level) {
  return model->levels[r] <= level;
}

/* Returns the number of rows that restrict positions, or velocities. */
static inline size_t mbs_restricting_rows(const mbs_model *model, mbs_level level) {
  return level == MBS_LEVEL_VELOCITY ? model->rows : model->rows - model->velocity_rows;
}

#endif
