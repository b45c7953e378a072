/* element.h - what an element is: a const descriptor that says which rows it adds and which motions it leaves free.
 *
 * A constraint is written once, as primitives between a first and a second body (`mbs_primitive`). The same list
 * serves in body coordinates, as a cut joint and for drivers; the coordinates of a class make it a joint of the tree.
 * Only what primitives cannot say is a function of the class. */
#ifndef MBS_ELEMENT_H
#define MBS_ELEMENT_H

#include "base/real.h"
#include "mbs/document.h"

/* Scalar quantities between point P1, vector u1 on the first body and P2, u2 on the second; their rates are linear in
 * the velocities of the two bodies. Kernels: kernels/planar/primitives.c, kernels/spatial/primitives.c. */
typedef enum mbs_primitive {
  MBS_PRIMITIVE_POINT,    /* rP1 - rP2, as many rows as space has dimensions */
  MBS_PRIMITIVE_NORMAL,   /* perp(u1).(rP1 - rP2); planar */
  MBS_PRIMITIVE_PARALLEL, /* perp(u1).u2; planar */
  MBS_PRIMITIVE_ANGLE,    /* weight1 phi1 + weight2 phi2; in space turns about u1, u2 against the ground */
  MBS_PRIMITIVE_DISTANCE, /* norm(rP1 - rP2) */
  MBS_PRIMITIVE_ALONG,    /* u1.(rP2 - rP1) + weight1 phi1 + weight2 phi2; in space weight2 times the turn about u1 */
  MBS_PRIMITIVE_DOT,      /* u1.u2; spatial */
  MBS_PRIMITIVE_TURN,     /* turn of the second body about u1, zero where A2 = A1 zero; spatial */
  MBS_PRIMITIVE_CROSS1,   /* turn about u1 that takes w1 to u2, of a cross with the arms u1 and u2; spatial */
  MBS_PRIMITIVE_CROSS2,   /* turn about u2 that takes u1 to w2; spatial */
  MBS_PRIMITIVE_EULER,    /* Euler parameter number `component` of the second body against the first; spatial */
  MBS_PRIMITIVE_CUSTOM,   /* what the joint's class computes itself (`row`), between any number of bodies */
  MBS_PRIMITIVE_COUNT
} mbs_primitive;

/* Where the constant of a row comes from: row = scale * primitive - constant. */
typedef enum mbs_constant {
  MBS_CONSTANT_ZERO,
  MBS_CONSTANT_FIELD,            /* the number in `field` */
  MBS_CONSTANT_INITIAL,          /* the value that the initial poses give */
  MBS_CONSTANT_DECLARED,         /* the value at the angles that the bodies' `initial` declare, 0 where left out */
  MBS_CONSTANT_FIELD_OR_INITIAL, /* the number where given, else the initial value */
  MBS_CONSTANT_COSINE,           /* the cosine of the number in `field` */
  MBS_CONSTANT_ROLL              /* of a rolling contact: it touches where the initial pose says */
} mbs_constant;

/* Level of a constraint row. A row of position level restricts positions, Phi(q, t) = 0, and with them velocities and
 * accelerations. A row of velocity level restricts velocities, C v = rhsV, and accelerations: it has no Phi (the value
 * 0 stands in its place), and positions of every value are allowed. theory (3.13) */
typedef enum mbs_level { MBS_LEVEL_POSITION, MBS_LEVEL_VELOCITY } mbs_level;

/* Vectors of a side that a row uses as its u1, u2: the axis u, w perpendicular to it, or n = u x w. */
typedef enum mbs_vector { MBS_VECTOR_U, MBS_VECTOR_W, MBS_VECTOR_N } mbs_vector;

typedef struct mbs_row {
  mbs_primitive primitive;
  double scale;
  double weight1, weight2;                   /* of the angles */
  const char *weight1_field, *weight2_field; /* numbers that multiply weight1 and weight2, or NULL */
  double axis[3];                            /* takes the place of u1 where it is not zero */
  mbs_vector vector1, vector2;
  int component;   /* of the Euler parameters; of MBS_PRIMITIVE_CUSTOM: its number among those of the class */
  mbs_level level; /* MBS_LEVEL_VELOCITY: of MBS_PRIMITIVE_CUSTOM only */
  bool length;     /* MBS_PRIMITIVE_CUSTOM: its row is a length, or its velocity one of a point */
  mbs_constant constant;
  const char *field;
  const char *labels; /* of its rows, "x|y" */
} mbs_row;

enum { MBS_ROWS_MAX = 5, MBS_COORDINATES_MAX = 7 };

/* What the zero of a spatial joint's turns keeps: the smallest rotation that brings the second axis onto the first (or,
 * of a cross, at right angles to it), or besides it the initial relative orientation of its bodies, or that of each
 * body. */
typedef enum mbs_joint_zero { MBS_ZERO_AXES, MBS_ZERO_CROSS, MBS_ZERO_INITIAL, MBS_ZERO_EACH } mbs_joint_zero;

/* How a joint acts in one space. */
typedef struct mbs_joint_shape {
  size_t row_count;
  mbs_row rows[MBS_ROWS_MAX];
  /* Its free motions as primitives, slides first; they are the coordinates of the joint in a tree. A slide is an ALONG,
   * a turn an ANGLE, in space a TURN, a CROSS1 and a CROSS2, or four EULER, the rates of which are the three components
   * of the relative angular velocity in the first body's axes. Empty and `in_tree`: it holds its body rigidly. */
  size_t coordinate_count;
  mbs_row coordinates[MBS_COORDINATES_MAX];
  bool in_tree;       /* may carry a body; otherwise it is always a cut */
  const char *offset; /* field: the second point lies this far along perp(u1), or NULL */
  const char *rolls;  /* field: a turn by phi also slides by minus this times phi, or NULL */
  const char *pitch;  /* field: a full turn also slides this far along u1, or NULL; spatial */
  mbs_joint_zero zero;
  bool second_vector; /* its only vector is one of the second body */
  bool second_curve;  /* its only curve is about the second point */
} mbs_joint_shape;

static inline bool mbs_is_length(mbs_primitive primitive) {
  return primitive == MBS_PRIMITIVE_POINT || primitive == MBS_PRIMITIVE_NORMAL || primitive == MBS_PRIMITIVE_DISTANCE ||
         primitive == MBS_PRIMITIVE_ALONG;
}

static inline bool mbs_is_turn(mbs_primitive primitive) {
  return primitive == MBS_PRIMITIVE_ANGLE || primitive == MBS_PRIMITIVE_TURN || primitive == MBS_PRIMITIVE_CROSS1 ||
         primitive == MBS_PRIMITIVE_CROSS2 || primitive == MBS_PRIMITIVE_EULER;
}

/* Whether a planar joint keeps the vectors of its bodies parallel, pointing the same way. */
static inline bool mbs_keeps_parallel(const mbs_joint_shape *shape) {
  for (size_t r = 0; r < shape->row_count; r++)
    if (shape->rows[r].primitive == MBS_PRIMITIVE_PARALLEL) return true;
  return false;
}

/* Velocities of a joint in a tree: its coordinates, but three for four Euler parameters. */
static inline size_t mbs_velocity_count(const mbs_joint_shape *shape) {
  size_t n = shape->coordinate_count;
  return n > 0 && shape->coordinates[n - 1].primitive == MBS_PRIMITIVE_EULER ? n - 1 : n;
}

struct mbs_builder;
struct mbs_binder;
struct mbs_system;
struct mbs_joint;

/* One row that a class computes itself: Phi, its partial derivative in time, its second derivative in time for
 * V' = beta, and D, its derivatives in the velocities of the joint's bodies [bodies x velocities a body], zero
 * before. Of a row of velocity level, D V + partial = 0, there is no `value`, and `bias` is the derivative of that sum
 * in time for V' = beta. */
typedef struct mbs_custom_row {
  int number; /* which of the class's rows is asked for: `component` of its mbs_row */
  double value, partial, bias;
  double *D;
} mbs_custom_row;

/* How a joint is drawn: what turns is round, what slides has corners. */
typedef enum mbs_symbol {
  MBS_SYMBOL_DOT,    /* a dot at each of its points */
  MBS_SYMBOL_NONE,   /* nothing: what it joins says enough */
  MBS_SYMBOL_PIN,    /* a pin along its axis */
  MBS_SYMBOL_BALL,   /* a ball in a socket */
  MBS_SYMBOL_SLIDER, /* a block that slides along its axis */
  MBS_SYMBOL_BARREL, /* a long barrel along its axis, which turns and slides */
  MBS_SYMBOL_SCREW,  /* a threaded bar and its nut along its axis */
  MBS_SYMBOL_CROSS,  /* two bars across each other, along a vector of each body */
  MBS_SYMBOL_PLATE,  /* a plate across its axis */
  MBS_SYMBOL_BLOCK,  /* a block that holds both */
  MBS_SYMBOL_ROD     /* a rod between its points */
} mbs_symbol;

typedef struct mbs_joint_class {
  mbs_class base;
  mbs_symbol symbol;
  mbs_joint_shape planar, spatial;
  bool ties_turns; /* its rows tie turns of its bodies against the ground: it exerts torques only */
  /* Further checks of the document; reports to the build's diagnostics. May be NULL. */
  void (*check)(struct mbs_builder *builder, size_t joint);
  /* Reads laws that may name any joint or force element, once these are known. May be NULL. */
  void (*read_laws)(struct mbs_builder *builder, size_t joint);
  /* Finds the contact parameters of its curves at the position in hand; where there is none, or more than one, it is
   * the position's fault (mbs_position_fault). NULL: it has no curves. */
  void (*locate)(struct mbs_system *system, const struct mbs_joint *joint);
  /* Of joints with contact parameters: positive while no other place of its curves touches. May be NULL. */
  double (*margin)(const struct mbs_system *system, const struct mbs_joint *joint);
  /* Computes the row of an MBS_PRIMITIVE_CUSTOM at the position and velocity in hand (equations/slip.h helps with rows
   * of velocity level). NULL if the class has no such row. */
  void (*row)(struct mbs_system *system, const struct mbs_joint *joint, mbs_custom_row *out);
} mbs_joint_class;

/* A driver: one primitive that follows a function of time. */
typedef struct mbs_driver_class {
  mbs_class base;
  mbs_row row;
  enum {
    MBS_DRIVES_POINT_OF_GROUND, /* `point` against the ground's origin and axis `axis` */
    MBS_DRIVES_BODY,            /* `body` against the ground */
    MBS_DRIVES_BODIES,
    MBS_DRIVES_POINTS,
    MBS_DRIVES_JOINT
  } drives;
} mbs_driver_class;

struct mbs_force;

/* Switches and memory of an element's own, beside the switches of its laws (switches.h). Its modes are
 * system->mode_held[mode0 ..], its memory system->memory[memory0 ..]; both change in these functions only, which are
 * called at accepted instants, with positions and velocities of that instant in the system. */
typedef struct mbs_switching {
  size_t switches, memory; /* how many */
  /* Modes and memory that belong to the state where a run starts. What to report of it, or NULL. */
  const char *(*settle)(struct mbs_system *system, const struct mbs_force *force);
  /* margins[switches]: smooth, non-negative while the held modes are right. */
  void (*margins)(const struct mbs_system *system, const struct mbs_force *force, double *margins);
  /* The margin of switch `which` became negative just now. What to report of it, or NULL. */
  const char *(*event)(struct mbs_system *system, const struct mbs_force *force, size_t which);
} mbs_switching;

/* Differential equations of an element's own, z' = f(t, q, v, z). Its states are system->z[z0 ..]: they are integrated
 * with the motion, and `apply`, `margins` and `event` may read them. */
typedef struct mbs_own_states {
  size_t count;
  /* Computes the states [count] where a run starts. NULL: they start at 0. */
  void (*start)(const struct mbs_system *system, const struct mbs_force *force, double *z);
  /* Computes their rates [count] at the evaluated positions, velocities and forces. */
  void (*rates)(const struct mbs_system *system, const struct mbs_force *force, double *zdot);
} mbs_own_states;

/* A force element. `apply` adds what it exerts to the bodies' wrenches (system.h) and sets its outputs. */
typedef struct mbs_force_class {
  mbs_class base;
  int output_count;            /* of its result columns, MBS_DIM or MBS_TURNS */
  const char *outputs;         /* their labels, "force" or "fx|fy|fz" */
  const char *spatial_outputs; /* where the labels are others in space, or NULL */
  const char *length;          /* what expressions call the distance of its two `points`, or NULL */
  /* Structure: sides, laws. */
  void (*build)(struct mbs_builder *builder, const mbs_node *node, struct mbs_force *force);
  /* Numbers that are not laws, into `data` [data_size]. NULL: there are none. */
  void (*bind)(struct mbs_binder *binder, const struct mbs_force *force, void *data);
  size_t data_size;
  void (*apply)(struct mbs_system *system, const struct mbs_force *force, size_t index);
  /* Of smooth friction: the slip [m/s] at which it holds a load that dry friction would hold at rest, at the state in
   * hand, and the slip over which it builds up; 0: it does not creep. May be NULL. */
  double (*creep)(const struct mbs_system *system, const struct mbs_force *force, double *transition);
  mbs_switching own;
  mbs_own_states states;
} mbs_force_class;

struct mbs_function;

struct mbs_function_constants;

/* A function of time C(t), with its first and second derivative. */
typedef struct mbs_function_class {
  mbs_class base;
  /* Structure: laws, parts, how many numbers and breaks it has (function->data_count, break_most). NULL: none. */
  void (*build)(struct mbs_builder *builder, struct mbs_function *function);
  /* Its numbers. NULL: there are none. */
  void (*bind)(struct mbs_binder *binder, const struct mbs_function *function, struct mbs_function_constants *out);
  /* f, f', f'' at t into out[3]; NaN where it is not defined. */
  void (*value)(const struct mbs_system *system, const struct mbs_function *function, double t, double out[3]);
  /* The longest step from t in which its second derivative goes through so many lengths at the most, of which a sine
   * has one a radian; laws have theirs by themselves. NULL: any. */
  double (*longest)(const struct mbs_system *system, const struct mbs_function *function, double t, double lengths);
  /* Returns true if f and f' have no break in [low, high] but those that `bind` names and switches tell. NULL: they
   * have none anywhere. */
  bool (*smooth)(const struct mbs_system *system, const struct mbs_function *function, double low, double high);
} mbs_function_class;

/* What is drawn of a body. */
typedef struct mbs_shape_class {
  mbs_class base;
  /* Further checks of the document, after those of the fields; reports to the build's diagnostics. May be NULL. */
  void (*check)(struct mbs_builder *builder, const mbs_node *shape);
} mbs_shape_class;

#endif
