/* symbol.h - the symbols of the equations, each with its name, its meaning and its value at a state.
 * The notation is that of the manual's page "equations": s_i^{P} leads from the mass centre of body i to its point P,
 * d_{i,j} from the pivot of joint j to the mass centre of body i, u_j is the axis of joint j, and so on; dot(x) is a
 * rate in global axes, loc(s_i^{P}) the vector in body axes. Bodies are numbered as in the document, from 1, joints by
 * the bodies that they carry. A symbol is created once, when the derivation or a name first refers to it. */
#ifndef MBS_SYMBOL_H
#define MBS_SYMBOL_H

#include "equations/system.h"
#include "symbolic/term.h"
#include "symbolic/tree_columns.h"

/* A point of a body, or a fixed point of the ground. */
typedef struct mbs_spot {
  int body;    /* internal number */
  double s[3]; /* position relative to the mass centre, body axes */
} mbs_spot;

/* The quantity that a symbol denotes. */
typedef enum mbs_quantity {
  MBS_QUANTITY_BETWEEN,    /* the vector from `from` to `to` */
  MBS_QUANTITY_UNIT,       /* direction of that vector */
  MBS_QUANTITY_LENGTH,     /* length of that vector */
  MBS_QUANTITY_DRIFT,      /* second derivative of that vector for v' = 0 */
  MBS_QUANTITY_DIRECTION,  /* vector to.s, fixed in to.body */
  MBS_QUANTITY_ANGLE,      /* angle of to.body, planar */
  MBS_QUANTITY_OMEGA,      /* angular velocity of to.body: a scalar in the plane */
  MBS_QUANTITY_TURN_DRIFT, /* angular acceleration of to.body for v' = 0 */
  MBS_QUANTITY_MATRIX,     /* rotation matrix of to.body */
  MBS_QUANTITY_EULER,      /* Euler parameters p of to.body */
  MBS_QUANTITY_EULER_RATE, /* E in omega = 2 E p' */
  MBS_QUANTITY_MASS,
  MBS_QUANTITY_INERTIA, /* inertia, in space in global axes */
  MBS_QUANTITY_FORCE,   /* force applied to to.body at its mass centre */
  MBS_QUANTITY_TORQUE,  /* torque applied to to.body, in space minus omega x J omega */
  MBS_QUANTITY_COORDINATE,
  MBS_QUANTITY_RELATIVE_OMEGA, /* relative angular velocity in a ball joint */
  MBS_QUANTITY_CONSTANT,       /* a number of the document: a radius, a ratio, a pitch */
  MBS_QUANTITY_FUNCTION,       /* function of time of a driver */
  MBS_QUANTITY_ROW,            /* a row over the bodies, in numbers */
  MBS_QUANTITY_COLUMN,         /* a column of B */
  MBS_QUANTITY_ROW_RATE,       /* contribution of a row to rhsV */
  MBS_QUANTITY_ROW_DRIFT       /* contribution of a row to gamma: all of a row without symbolic blocks */
} mbs_quantity;

struct mbs_variable {
  const char *name;                  /* "dot(d_{2,1})" */
  const char *letter, *index, *over; /* "d", "2,1", ""; the last is a superscript */
  int rate;                          /* number of dots */
  bool local;                        /* components are in body axes */
  int rows, columns;
  const char *meaning, *unit;
  mbs_quantity quantity;
  mbs_spot from, to; /* points; `from` is the position of an axis, or of a quantity of a body */
  const char *joint; /* the joint whose axis, pivot or coordinate it is, or NULL */
  int number;        /* number of a column, block, coordinate or function */
  double constant;   /* value, for MBS_QUANTITY_CONSTANT */
  const char *equal; /* another name of the same vector, "-s_1^{O}"; or NULL */
  double *value;     /* [rows x columns], row by row, at the current state */
  unsigned shown;    /* bit m: occurs in matrix m */
};

/* The motion of a body at a state, as in the kernels; global axes. */
typedef struct mbs_body_motion {
  double r[3], v[3], b[3]; /* mass centre, its velocity, its acceleration for v' = 0 */
  double phi, A[9], p[4], omega[3], drift[3];
  double f[3], n[3];
} mbs_body_motion;

/* Frequently used symbols of bodies and columns, stored for fast access. */
typedef enum mbs_often {
  MBS_OFTEN_MASS,
  MBS_OFTEN_INERTIA,
  MBS_OFTEN_FORCE,
  MBS_OFTEN_TORQUE,
  MBS_OFTEN_MATRIX,
  MBS_OFTEN_OMEGA,
  MBS_OFTEN_AXIS,
  MBS_OFTEN_AXIS_RATE,
  MBS_OFTEN_COORDINATE,
  MBS_OFTEN_COUNT
} mbs_often;

typedef struct mbs_symbols {
  mbs_algebra *algebra;
  const mbs_model *model;
  const mbs_constants *constants;
  const mbs_tree_columns *chain;
  mbs_variable **items; /* [count] in the order of creation */
  size_t count, room;
  void *index;            /* tree of tsearch(), by name: hsearch() compares only the first eight letters of a name */
  const mbs_term **often; /* [MBS_OFTEN_COUNT x often_room] for each body or column, NULL until first used */
  size_t often_room;
  int *points, *first_point; /* [nP] sorted by body; [nB + 2] where the points of a body begin */
  /* A second table whose names are also known, and whether it is searched first; NULL: none. */
  const struct mbs_symbols *others;
  bool others_first;
} mbs_symbols;

/* The parts of a symbol's name. */
typedef struct mbs_symbol_name {
  const char *letter, *index, *over;
  int rate;
  bool local;
} mbs_symbol_name;

/* Opens a table of symbols. Returns false if memory runs out. */
bool mbs_symbols_open(mbs_symbols *symbols, mbs_algebra *algebra, const mbs_tree_columns *chain);
void mbs_symbols_close(mbs_symbols *symbols);

/* Returns the symbol of this name, or NULL. */
mbs_variable *mbs_symbol_known(const mbs_symbols *symbols, const char *name);
/* Returns the text of a name, e.g. "dot(d_{2,1})". */
const char *mbs_symbol_spelled(mbs_symbols *symbols, const mbs_symbol_name *name);

/* Creates the symbol that `like` describes (except name, number and value), or returns the existing one with its name.
 * Returns NULL if memory runs out. */
mbs_variable *mbs_symbol_make(mbs_symbols *symbols, const mbs_variable *like);

/* Returns the first point of the document at a position of a body; -1 if there is none. */
int mbs_symbol_point_at(const mbs_symbols *symbols, const mbs_spot *spot);

/* Return symbols by their meaning. Bodies are internal numbers, `at` is the number of a column, `rate` is 0 or 1. */
const mbs_term *mbs_symbol_centre(mbs_symbols *symbols, int body, int rate); /* r_i */
const mbs_term *mbs_symbol_point(mbs_symbols *symbols, int point, int rate); /* r_i^{P} */
const mbs_term *mbs_symbol_arm(mbs_symbols *symbols, int point, int rate);   /* s_i^{P} */
const mbs_term *mbs_symbol_matrix(mbs_symbols *symbols, int body);           /* A_i; I for the ground */
const mbs_term *mbs_symbol_euler(mbs_symbols *symbols, int body);            /* p_i */
const mbs_term *mbs_symbol_euler_rate(mbs_symbols *symbols, int body);       /* E_i */
const mbs_term *mbs_symbol_mass(mbs_symbols *symbols, int body);             /* m_i */
const mbs_term *mbs_symbol_inertia(mbs_symbols *symbols, int body);          /* J_i */
const mbs_term *mbs_symbol_force(mbs_symbols *symbols, int body);            /* f_i */
const mbs_term *mbs_symbol_torque(mbs_symbols *symbols, int body);           /* n_i */
const mbs_term *mbs_symbol_omega(mbs_symbols *symbols, int body);            /* omega_i; 0 for the ground */
const mbs_term *mbs_symbol_turn_drift(mbs_symbols *symbols, int body);       /* a_i; 0 for the ground */
const mbs_term *mbs_symbol_axis(mbs_symbols *symbols, size_t at, int rate);  /* u_j, u_{j,k} */
const mbs_term *mbs_symbol_coordinate(mbs_symbols *symbols, size_t at);      /* dot(theta_j), dot(phi_j), ... */
const mbs_term *mbs_symbol_roll(mbs_symbols *symbols, size_t at);            /* R u_0 of a disc */
const mbs_term *mbs_symbol_pitch(mbs_symbols *symbols, size_t at);           /* h of a screw */
/* Returns d_{i,j}, from the pivot of the column's joint to the mass centre of a body; 0 if the mass centre is the
 * pivot. */
const mbs_term *mbs_symbol_lever(mbs_symbols *symbols, int body, size_t at, int rate);

/* Returns the index of a cut joint or a driver in symbols: "*", or "*NAME" if there are several. */
const char *mbs_symbol_cut_index(mbs_symbols *symbols, const mbs_block *block);
/* Returns d_{*,j}, from the pivot to a point of the cut: on the first body or, with `side` 2, on the second. */
const mbs_term *mbs_symbol_cut_lever(mbs_symbols *symbols, const mbs_block *block, int side, size_t at, int rate);
/* Returns d_* from the second point to the first or, with `reversed`, from the first to the second; e_*, l_*, b_*. */
const mbs_term *mbs_symbol_gap(mbs_symbols *symbols, const mbs_block *block, bool reversed, mbs_quantity quantity,
                               int rate);
/* Returns u_*, w_* or n_*: the vector of the block's row on the first body or, with `side` 2, on the second. */
const mbs_term *mbs_symbol_cut_axis(mbs_symbols *symbols, const mbs_block *block, int side);
/* Returns n, R or h: the number of the document that multiplies an angle. */
const mbs_term *mbs_symbol_weight(mbs_symbols *symbols, const mbs_block *block, int side);
/* Returns J, the inertia of a rotor along its coordinate. */
const mbs_term *mbs_symbol_rotor(mbs_symbols *symbols, size_t rotor);
/* Returns f, dot(f) or ddot(f) of a driver. */
const mbs_term *mbs_symbol_function(mbs_symbols *symbols, const mbs_block *block, int rate);
/* Returns D_{NAME}, B_{j}, or the contribution of such a row to rhsV or gamma. */
const mbs_term *mbs_symbol_row(mbs_symbols *symbols, const mbs_block *block, mbs_quantity quantity);
const mbs_term *mbs_symbol_column(mbs_symbols *symbols, int at); /* number -1: Bdot theta', written as beta */

/* Returns the point of a block on one of its bodies. */
mbs_spot mbs_block_spot(const mbs_symbols *symbols, const mbs_block *block, int side);

/* ---- symbol_value.c ---- */

/* Evaluates all symbols created so far, at the current state of the system: motions [nB + 1]. */
void mbs_symbols_evaluate(mbs_symbols *symbols, const mbs_system *system, const mbs_body_motion *motions);
void mbs_symbol_evaluate(const mbs_symbols *symbols, mbs_variable *symbol, const mbs_system *system,
                         const mbs_body_motion *motions);

#endif
