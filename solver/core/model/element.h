/* element.h - element classes: constant descriptors of the rows that an element adds and the motions that it permits.
 *
 * A constraint is written once, as primitives between a first and a second body (`mbs_primitive`). The list is used in
 * body coordinates, for cut joints and for drivers. A class with coordinates is also a joint of the tree. Only what
 * primitives cannot express is a function of the class. */
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
  MBS_PRIMITIVE_ANGLE,    /* weight1 phi1 + weight2 phi2; in space rotations about u1, u2 against the ground */
  MBS_PRIMITIVE_DISTANCE, /* norm(rP1 - rP2) */
  MBS_PRIMITIVE_ALONG,  /* u1.(rP2 - rP1) + weight1 phi1 + weight2 phi2; in space weight2 times the rotation about u1 */
  MBS_PRIMITIVE_DOT,    /* u1.u2; spatial */
  MBS_PRIMITIVE_TURN,   /* rotation of the second body about u1, zero where A2 = A1 zero; spatial */
  MBS_PRIMITIVE_CROSS1, /* rotation about u1 that turns w1 onto u2, for a cross with the arms u1 and u2; spatial */
  MBS_PRIMITIVE_CROSS2, /* rotation about u2 that turns u1 onto w2; spatial */
  MBS_PRIMITIVE_EULER,  /* Euler parameter number `component` of the second body against the first; spatial */
  MBS_PRIMITIVE_CUSTOM, /* computed by the joint's class (`row`), between any number of bodies */
  MBS_PRIMITIVE_COUNT
} mbs_primitive;

/* Source of the constant of a row: row = scale * primitive - constant. */
typedef enum mbs_constant {
  MBS_CONSTANT_ZERO,
  MBS_CONSTANT_FIELD,            /* the number in `field` */
  MBS_CONSTANT_INITIAL,          /* the value at the initial poses */
  MBS_CONSTANT_DECLARED,         /* the value at the angles that the bodies' `initial` declare, 0 if omitted */
  MBS_CONSTANT_FIELD_OR_INITIAL, /* the number in `field` if given, else the initial value */
  MBS_CONSTANT_COSINE,           /* the cosine of the number in `field` */
  MBS_CONSTANT_ROLL              /* rolling contact: the contact point is that of the initial pose */
} mbs_constant;

/* Level of a constraint row. A row of position level restricts positions, Phi(q, t) = 0, and with them velocities and
 * accelerations. A row of velocity level restricts velocities, C v = rhsV, and accelerations: it has no Phi (its entry
 * is 0), and all positions are allowed. theory (3.13) */
typedef enum mbs_level { MBS_LEVEL_POSITION, MBS_LEVEL_VELOCITY } mbs_level;

/* Vectors of a body that a row uses as u1 or u2: the axis u, w perpendicular to it, or n = u x w. */
typedef enum mbs_vector { MBS_VECTOR_U, MBS_VECTOR_W, MBS_VECTOR_N } mbs_vector;

typedef struct mbs_row {
  mbs_primitive primitive;
  double scale;
  double weight1, weight2;                   /* weights of the angles */
  const char *weight1_field, *weight2_field; /* numbers that multiply weight1 and weight2, or NULL */
  double axis[3];                            /* replaces u1 if it is not zero */
  mbs_vector vector1, vector2;
  int component;   /* index of the Euler parameter; MBS_PRIMITIVE_CUSTOM: index among the class's rows */
  mbs_level level; /* MBS_LEVEL_VELOCITY is possible for MBS_PRIMITIVE_CUSTOM only */
  bool length;     /* MBS_PRIMITIVE_CUSTOM: the row is a length, or its velocity is that of a point */
  mbs_constant constant;
  const char *field;
  const char *labels; /* labels of its rows, "x|y" */
} mbs_row;

enum { MBS_ROWS_MAX = 5, MBS_COORDINATES_MAX = 7 };

/* Zero of a spatial joint's rotations. MBS_ZERO_AXES: the smallest rotation that aligns the second axis with the first.
 * MBS_ZERO_CROSS: the smallest that makes them perpendicular. MBS_ZERO_INITIAL: in addition the initial relative
 * orientation of the bodies. MBS_ZERO_EACH: the initial orientation of each body. */
typedef enum mbs_joint_zero { MBS_ZERO_AXES, MBS_ZERO_CROSS, MBS_ZERO_INITIAL, MBS_ZERO_EACH } mbs_joint_zero;

/* Rows and coordinates of a joint in one space. */
typedef struct mbs_joint_shape {
  size_t row_count;
  mbs_row rows[MBS_ROWS_MAX];
  /* Free motions as primitives, slides first; they are the joint's coordinates in a tree. A slide is an ALONG and a
   * rotation an ANGLE. In space a rotation is a TURN, a CROSS1 and a CROSS2, or four EULER, whose rates are the three
   * components of the relative angular velocity in the first body's axes. If empty and `in_tree`, the joint is
   * rigid. */
  size_t coordinate_count;
  mbs_row coordinates[MBS_COORDINATES_MAX];
  bool in_tree;       /* may carry a body; otherwise the joint is always a cut */
  const char *offset; /* field: offset of the second point along perp(u1), or NULL */
  const char *rolls;  /* field: a rotation by phi also slides by minus this times phi, or NULL */
  const char *pitch;  /* field: slide along u1 per revolution, or NULL; spatial */
  mbs_joint_zero zero;
  bool second_vector; /* the only vector is one of the second body */
  bool second_curve;  /* the only curve is about the second point */
} mbs_joint_shape;

static inline bool mbs_is_length(mbs_primitive primitive) {
  return primitive == MBS_PRIMITIVE_POINT || primitive == MBS_PRIMITIVE_NORMAL || primitive == MBS_PRIMITIVE_DISTANCE ||
         primitive == MBS_PRIMITIVE_ALONG;
}

static inline bool mbs_is_turn(mbs_primitive primitive) {
  return primitive == MBS_PRIMITIVE_ANGLE || primitive == MBS_PRIMITIVE_TURN || primitive == MBS_PRIMITIVE_CROSS1 ||
         primitive == MBS_PRIMITIVE_CROSS2 || primitive == MBS_PRIMITIVE_EULER;
}

/* Returns true if a planar joint holds the vectors of its bodies parallel, with the same sense. */
static inline bool mbs_keeps_parallel(const mbs_joint_shape *shape) {
  for (size_t r = 0; r < shape->row_count; r++)
    if (shape->rows[r].primitive == MBS_PRIMITIVE_PARALLEL) return true;
  return false;
}

/* Returns the number of velocities of a joint in a tree: one per coordinate, but three for four Euler parameters. */
static inline size_t mbs_velocity_count(const mbs_joint_shape *shape) {
  size_t n = shape->coordinate_count;
  return n > 0 && shape->coordinates[n - 1].primitive == MBS_PRIMITIVE_EULER ? n - 1 : n;
}

struct mbs_builder;
struct mbs_binder;
struct mbs_system;
struct mbs_joint;

/* A row that a class computes itself. `value` is Phi, `partial` its partial derivative in time, and `bias` its second
 * time derivative for V' = beta. D is the matrix of its derivatives in the velocities of the joint's bodies [bodies x
 * velocities per body], zero on entry.
 *
 * A row of velocity level, D V + partial = 0, has no `value`; its `bias` is the time derivative of that sum for V' =
 * beta. */
typedef struct mbs_custom_row {
  int number; /* index of the row in the class: `component` of its mbs_row */
  double value, partial, bias;
  double *D;
} mbs_custom_row;

/* The force between the teeth of a joint. `force` acts on the second body at the place `at`, the opposite force on the
 * first body at the same place; global axes. */
typedef struct mbs_tooth_force {
  double force[3], at[3];
  double tangential, radial; /* [N] along the line of the row; separating the teeth */
} mbs_tooth_force;

/* Drawing symbols of joints: rotating parts are round, sliding parts have corners. */
typedef enum mbs_symbol {
  MBS_SYMBOL_DOT,    /* a dot at each of its points */
  MBS_SYMBOL_NONE,   /* no symbol: the drawing of its bodies is sufficient */
  MBS_SYMBOL_PIN,    /* a pin along its axis */
  MBS_SYMBOL_BALL,   /* a ball in a socket */
  MBS_SYMBOL_SLIDER, /* a block that slides along its axis */
  MBS_SYMBOL_BARREL, /* a long barrel along its axis, which rotates and slides */
  MBS_SYMBOL_SCREW,  /* a threaded bar and its nut along its axis */
  MBS_SYMBOL_CROSS,  /* two perpendicular bars, along a vector of each body */
  MBS_SYMBOL_PLATE,  /* a plate perpendicular to its axis */
  MBS_SYMBOL_BLOCK,  /* a block that connects both bodies */
  MBS_SYMBOL_ROD     /* a rod between its points */
} mbs_symbol;

struct mbs_force_class;

typedef struct mbs_joint_class {
  mbs_class base;
  mbs_symbol symbol;
  mbs_joint_shape planar, spatial;
  /* A force element that the builder adds for each joint of the class, with the joint's name and node. May be NULL. */
  const struct mbs_force_class *companion;
  bool ties_turns; /* the rows couple rotations of its bodies against the ground, so it exerts torques only */
  /* Checks the document further, and reports to the build's diagnostics. May be NULL. */
  void (*check)(struct mbs_builder *builder, size_t joint);
  /* Reads laws that may name any joint or force element, after all of these are read. May be NULL. */
  void (*read_laws)(struct mbs_builder *builder, size_t joint);
  /* Reads numbers that are not laws into `data` [data_size]. NULL: there are none. */
  void (*bind)(struct mbs_binder *binder, const struct mbs_joint *joint, void *data);
  size_t data_size;
  /* Finds the contact of the joint at the current position, for curves their contact parameters. If there is no
   * contact, or more than one, it sets the fault of the position (mbs_position_fault). NULL: every position has one. */
  void (*locate)(struct mbs_system *system, const struct mbs_joint *joint);
  /* Returns a margin for joints with contact parameters: positive while no other part of the curves is in contact. May
   * be NULL. */
  double (*margin)(const struct mbs_system *system, const struct mbs_joint *joint);
  /* Computes the row of an MBS_PRIMITIVE_CUSTOM at the current position and velocity (equations/slip.h helps with rows
   * of velocity level). NULL if the class has no such row. */
  void (*row)(struct mbs_system *system, const struct mbs_joint *joint, mbs_custom_row *out);
  /* Number of angles in its row whose full revolutions count, at most 2; a class with angles has one row. `angle`
   * computes angle out->number without full revolutions as a row: value, D and bias. theory (13.8) */
  int angle_count;
  void (*angle)(const struct mbs_system *system, const struct mbs_joint *joint, mbs_custom_row *out);
  /* Computes the numbers in `data` that follow from the poses at the start, and `angles` [angle_count] there. May be
   * NULL. */
  void (*start)(struct mbs_binder *binder, const struct mbs_joint *joint, void *data, double angles[2]);
  /* Computes the force that the joint exerts for the multiplier `lambda` of its only row. It does the work of D' lambda
   * on all motions that the other joints allow, but may load these joints otherwise. Forces of the size |lambda| are
   * `side` lambda, with `side` 1 or -1. NULL: the force is D' lambda. theory (8.24) */
  void (*tooth_force)(const struct mbs_system *system, const struct mbs_joint *joint, double lambda, double side,
                      mbs_tooth_force *out);
  /* Checks that the bodies are where the row is right; lengths may differ by `slack` [m] in addition. Returns false
   * after it wrote the reason to `message` [size]. NULL: every place is right. */
  bool (*fits)(const struct mbs_system *system, const struct mbs_joint *joint, double slack, char *message,
               size_t size);
} mbs_joint_class;

/* A driver: one primitive that is prescribed as a function of time. */
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

/* Switches and memory of each of the `points` of a force element, usually one, in addition to the switches of its laws
 * (switches.h). Its modes are system->mode_held[mode0 ..], its memory system->memory[memory0 ..]. Only these functions
 * change them. They are called at accepted instants, with positions and velocities of that instant in the system. */
typedef struct mbs_switching {
  size_t switches, memory; /* numbers of switches and of memory values */
  /* Sets modes and memory for the start of a run. Returns text for the report, or NULL. */
  const char *(*settle)(struct mbs_system *system, const struct mbs_force *force, size_t point);
  /* Computes margins[switches]: smooth, non-negative while the current modes are valid. */
  void (*margins)(const struct mbs_system *system, const struct mbs_force *force, size_t point, double *margins);
  /* Handles the margin of switch `which` of the element, which has just become negative. Returns text for the report,
   * or NULL. */
  const char *(*event)(struct mbs_system *system, const struct mbs_force *force, size_t which);
} mbs_switching;

/* Surfaces of a force element with `contacts` points of contact, of which only those are evaluated that are near
 * (equations/near.h). `near` NULL: the class has none. */
typedef struct mbs_surfaces {
  /* Lists the points whose surfaces may be nearer to each other than `skin` [m] during the present step, and those that
   * touch, in any order. Returns their number. `out` has room for twice the points. */
  size_t (*near)(const struct mbs_system *system, const struct mbs_force *force, double skin, int *out);
  /* Returns the largest distance [m] of a surface of body number `k` of the element from its mass centre; 0 for a
   * plane. `*arm`: largest distance of a point of it that moves when the body rotates; less for discs and balls. */
  double (*reach)(const struct mbs_system *system, const struct mbs_force *force, size_t k, double *arm);
  /* Updates at an accepted state what points that are not near remember. May be NULL. */
  void (*accepted)(struct mbs_system *system, const struct mbs_force *force);
  /* Sets the outputs that depend on surfaces that are far: for rows of results, and where laws read them. May be
   * NULL. */
  void (*measure)(struct mbs_system *system, const struct mbs_force *force);
  unsigned far_outputs; /* these outputs, as bits */
} mbs_surfaces;

/* Differential equations of a force element, z' = f(t, q, v, z). The states are system->z[z0 ..]; `build` may set
 * force->z_count to 0 for an element without states. They are integrated with the motion, and `apply`, `margins` and
 * `event` may read them. */
typedef struct mbs_element_states {
  size_t count;
  /* Computes the states [count] at the start of a run. NULL: they start at 0. */
  void (*start)(const struct mbs_system *system, const struct mbs_force *force, double *z);
  /* Computes their rates [count] at the evaluated positions, velocities and forces. */
  void (*rates)(const struct mbs_system *system, const struct mbs_force *force, double *zdot);
} mbs_element_states;

/* A force element. `apply` adds its forces and torques to the bodies' wrenches (system.h) and sets its outputs. */
typedef struct mbs_force_class {
  mbs_class base;
  int spatial_output_count;    /* number of result columns in space, if it differs; else 0 */
  int output_count;            /* number of result columns, MBS_COUNTS, MBS_COORDINATES or MBS_RUNS */
  const char *outputs;         /* labels of the outputs, "force" or "fx|fy|fz" */
  const char *spatial_outputs; /* labels of the outputs in space if they differ, or NULL */
  const char *ratios;          /* outputs that are numbers, although their words have a dimension elsewhere, or NULL */
  const char *length;          /* name of the distance of its two `points` in expressions, or NULL */
  /* Returns the class that computes the element of a node in a space of `dim` dimensions, if its fields choose among
   * several. NULL: this class. */
  const struct mbs_force_class *(*variant)(const mbs_node *node, int dim);
  /* Reads the structure: frames and laws. */
  void (*build)(struct mbs_builder *builder, const mbs_node *node, struct mbs_force *force);
  /* Computes the numbers other than laws, into `data` [data_size]. NULL: there are none. */
  void (*bind)(struct mbs_binder *binder, const struct mbs_force *force, void *data);
  size_t data_size;
  void (*apply)(struct mbs_system *system, const struct mbs_force *force, size_t index);
  /* Sets outputs that are known only together with the accelerations. Laws that may read accelerations can read them.
   * May be NULL. */
  void (*show)(struct mbs_system *system, const struct mbs_force *force);
  /* Returns the creep slip [m/s] of smooth friction at the current state: the slip at which it holds a load that dry
   * friction would hold without motion; 0: no creep. Sets `*transition` to the slip over which friction builds up. May
   * be NULL. */
  double (*creep)(const struct mbs_system *system, const struct mbs_force *force, double *transition);
  /* Returns a sentence for the notes of a run, or NULL. May be NULL. */
  const char *(*note)(const struct mbs_force *force);
  /* Returns a sentence for the notes about the outputs of a row of results, or NULL. The first of a run is noted, with
   * its time. May be NULL. */
  const char *(*warn)(const struct mbs_system *system, const struct mbs_force *force);
  mbs_switching own;
  mbs_surfaces surfaces;
  mbs_element_states states;
} mbs_force_class;

struct mbs_function;

struct mbs_function_constants;

/* A function of time f(t), with its first and second derivative. */
typedef struct mbs_function_class {
  mbs_class base;
  /* Reads the structure: laws, parts, and the counts function->data_count and break_most. NULL: there are none. */
  void (*build)(struct mbs_builder *builder, struct mbs_function *function);
  /* Computes the numbers of the function. NULL: it has none. */
  void (*bind)(struct mbs_binder *binder, const struct mbs_function *function, struct mbs_function_constants *out);
  /* Computes f, f', f'' at t into out[3]; NaN where the function is not defined. */
  void (*value)(const struct mbs_system *system, const struct mbs_function *function, double t, double out[3]);
  /* Returns the longest step from t in which the second derivative varies over at most `lengths` characteristic
   * lengths. A sine has one characteristic length per radian; laws supply their own. NULL: no limit. */
  double (*longest)(const struct mbs_system *system, const struct mbs_function *function, double t, double lengths);
  /* Returns true if f and f' have no breaks in [low, high] except those found by `bind` and by switches. NULL: always
   * true. */
  bool (*smooth)(const struct mbs_system *system, const struct mbs_function *function, double low, double high);
} mbs_function_class;

struct mbs_document_signal;

/* A named signal: an expression with a name, which may have states. */
typedef struct mbs_signal_class {
  mbs_class base;
  /* Sets the text of the signal's expression, the meaning of the names in it, and adds its states
   * (mbs_builder_add_state). Called before any law is read. */
  void (*declare)(struct mbs_builder *builder, struct mbs_document_signal *signal);
  /* Checks the numbers of the signal, and reports to the binder's diagnostics. May be NULL. */
  void (*check)(struct mbs_binder *binder, const struct mbs_document_signal *signal);
} mbs_signal_class;

/* A drawn shape of a body. */
typedef struct mbs_shape_class {
  mbs_class base;
  /* Checks the document further, after the checks of the fields; reports to the build's diagnostics. May be NULL. */
  void (*check)(struct mbs_builder *builder, const mbs_node *shape);
} mbs_shape_class;

#endif
