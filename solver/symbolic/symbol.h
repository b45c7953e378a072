/* symbol.h - the symbols of the equations: each with its name, its meaning and its value at a state.
 *
 * The notation is that of the manual's page "equations": s_i^{P} leads from the mass centre of body i to its point P,
 * d_{i,j} from the pivot of joint j to the mass centre of body i, u_j is the axis of joint j, and so on; dot(x) is a
 * rate in global axes, loc(s_i^{P}) the vector in body axes. Bodies are numbered as in the document, from 1, joints
 * by the bodies that they carry. Symbols are made when they are asked for, by what derives the equations or by their
 * names, and each once. */
#ifndef MBS_SYMBOL_H
#define MBS_SYMBOL_H

#include "equations/system.h"
#include "symbolic/term.h"
#include "symbolic/tree_columns.h"

/* A point of a body; of the ground a fixed one. */
typedef struct mbs_spot {
  int body;    /* internal number */
  double s[3]; /* from its mass centre, body axes */
} mbs_spot;

/* What a symbol is the name of. */
typedef enum mbs_quantity {
  MBS_QUANTITY_BETWEEN,    /* the vector from `from` to `to` */
  MBS_QUANTITY_UNIT,       /* its direction, */
  MBS_QUANTITY_LENGTH,     /* its length, */
  MBS_QUANTITY_DRIFT,      /* and its second derivative for v' = 0 */
  MBS_QUANTITY_DIRECTION,  /* to.s, fixed in to.body */
  MBS_QUANTITY_ANGLE,      /* of to.body, planar */
  MBS_QUANTITY_OMEGA,      /* angular velocity of to.body: a scalar in the plane */
  MBS_QUANTITY_TURN_DRIFT, /* its angular acceleration for v' = 0 */
  MBS_QUANTITY_MATRIX,     /* rotation matrix of to.body */
  MBS_QUANTITY_EULER,      /* its Euler parameters p, */
  MBS_QUANTITY_EULER_RATE, /* and E of omega = 2 E p' */
  MBS_QUANTITY_MASS,
  MBS_QUANTITY_INERTIA, /* in space in global axes */
  MBS_QUANTITY_FORCE,   /* applied to to.body at its mass centre, */
  MBS_QUANTITY_TORQUE,  /* and the torque, in space less omega x J omega */
  MBS_QUANTITY_COORDINATE,
  MBS_QUANTITY_RELATIVE_OMEGA, /* velocities of a ball */
  MBS_QUANTITY_CONSTANT,       /* a number of the document: a radius, a ratio, a pitch */
  MBS_QUANTITY_FUNCTION,       /* of time, that a driver follows */
  MBS_QUANTITY_ROW,            /* a row over the bodies, in numbers, */
  MBS_QUANTITY_COLUMN,         /* a column of B, */
  MBS_QUANTITY_ROW_RATE,       /* what a row has of rhsV, */
  MBS_QUANTITY_ROW_DRIFT       /* and of gamma: all that a row without blocks of its own has */
} mbs_quantity;

struct mbs_variable {
  const char *name;                  /* "dot(d_{2,1})" */
  const char *letter, *index, *over; /* "d", "2,1", ""; the last is a superscript */
  int rate;                          /* dots */
  bool local;                        /* in body axes */
  int rows, columns;
  const char *meaning, *unit;
  mbs_quantity quantity;
  mbs_spot from, to; /* of an axis and what belongs to a body: from is where it stands */
  const char *joint; /* whose axis, pivot or coordinate it is, or NULL */
  int number;        /* of a column, block, coordinate or function */
  double constant;   /* of MBS_QUANTITY_CONSTANT */
  const char *equal; /* another name of the same vector, "-s_1^{O}"; or NULL */
  double *value;     /* [rows x columns], row by row, at the state in hand */
  unsigned shown;    /* matrices that it occurs in: bit m of the m-th */
};

/* A body's motion at a state, as the kernels have it; global axes. */
typedef struct mbs_body_motion {
  double r[3], v[3], b[3]; /* mass centre, its velocity, its acceleration for v' = 0 */
  double phi, A[9], p[4], omega[3], drift[3];
  double f[3], n[3];
} mbs_body_motion;

/* Symbols of bodies and of columns that are asked for again and again. */
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
  mbs_variable **items; /* [count] in the order in which they were asked for */
  size_t count, room;
  void *index;            /* of tsearch(), by name: hsearch() sees but the first eight letters of a name */
  const mbs_term **often; /* [MBS_OFTEN_COUNT x often_room] of each body or column, once it was asked for */
  size_t often_room;
  int *points, *first_point; /* [nP] by their bodies; [nB + 2] where those of a body begin */
  /* Names of another table that are known, too, and whether these come first; NULL: none. */
  const struct mbs_symbols *others;
  bool others_first;
} mbs_symbols;

/* What names of symbols are made of. */
typedef struct mbs_symbol_name {
  const char *letter, *index, *over;
  int rate;
  bool local;
} mbs_symbol_name;

/* False: no memory. */
bool mbs_symbols_open(mbs_symbols *symbols, mbs_algebra *algebra, const mbs_tree_columns *chain);
void mbs_symbols_close(mbs_symbols *symbols);

/* The symbol of this name, or NULL. */
mbs_variable *mbs_symbol_known(const mbs_symbols *symbols, const char *name);
/* "dot(d_{2,1})" of its parts. */
const char *mbs_symbol_spelled(mbs_symbols *symbols, const mbs_symbol_name *name);

/* Makes the symbol that `like` describes (all but its name, place and value), or returns the one that has its name.
 * NULL: no memory. */
mbs_variable *mbs_symbol_make(mbs_symbols *symbols, const mbs_variable *like);

/* The first point of the document at a place of a body; -1: none is there. */
int mbs_symbol_point_at(const mbs_symbols *symbols, const mbs_spot *spot);

/* The symbols by what they mean. Bodies are internal numbers, `at` is that of a column, `rate` is 0 or 1. */
const mbs_term *mbs_symbol_centre(mbs_symbols *symbols, int body, int rate); /* r_i */
const mbs_term *mbs_symbol_point(mbs_symbols *symbols, int point, int rate); /* r_i^{P} */
const mbs_term *mbs_symbol_arm(mbs_symbols *symbols, int point, int rate);   /* s_i^{P} */
const mbs_term *mbs_symbol_matrix(mbs_symbols *symbols, int body);           /* A_i; of the ground I */
const mbs_term *mbs_symbol_euler(mbs_symbols *symbols, int body);            /* p_i */
const mbs_term *mbs_symbol_euler_rate(mbs_symbols *symbols, int body);       /* E_i */
const mbs_term *mbs_symbol_mass(mbs_symbols *symbols, int body);             /* m_i */
const mbs_term *mbs_symbol_inertia(mbs_symbols *symbols, int body);          /* J_i */
const mbs_term *mbs_symbol_force(mbs_symbols *symbols, int body);            /* f_i */
const mbs_term *mbs_symbol_torque(mbs_symbols *symbols, int body);           /* n_i */
const mbs_term *mbs_symbol_omega(mbs_symbols *symbols, int body);            /* omega_i; of the ground 0 */
const mbs_term *mbs_symbol_turn_drift(mbs_symbols *symbols, int body);       /* a_i; of the ground 0 */
const mbs_term *mbs_symbol_axis(mbs_symbols *symbols, size_t at, int rate);  /* u_j, u_{j,k} */
const mbs_term *mbs_symbol_coordinate(mbs_symbols *symbols, size_t at);      /* dot(theta_j), dot(phi_j), ... */
const mbs_term *mbs_symbol_roll(mbs_symbols *symbols, size_t at);            /* R u_0 of a disc */
const mbs_term *mbs_symbol_pitch(mbs_symbols *symbols, size_t at);           /* h of a screw */
/* d_{i,j}: from the pivot of the column's joint to the mass centre of a body; 0 where it is the pivot. */
const mbs_term *mbs_symbol_lever(mbs_symbols *symbols, int body, size_t at, int rate);

/* Of a joint that is cut, or a driver: its name in indices ("*", or "*NAME" where there are several). */
const char *mbs_symbol_cut_index(mbs_symbols *symbols, const mbs_block *block);
/* d_{*,j}: from the pivot to a point of the cut, the first body's or (`side` 2) the second's. */
const mbs_term *mbs_symbol_cut_lever(mbs_symbols *symbols, const mbs_block *block, int side, size_t at, int rate);
/* d_*: from the second point to the first, or (`reversed`) from the first to the second; e_*, l_*, b_*. */
const mbs_term *mbs_symbol_gap(mbs_symbols *symbols, const mbs_block *block, bool reversed, mbs_quantity quantity,
                               int rate);
/* u_*, w_*, n_*: the vector that the block's row names on the first body, or (`side` 2) on the second. */
const mbs_term *mbs_symbol_cut_axis(mbs_symbols *symbols, const mbs_block *block, int side);
/* n, R, h: the number of the document that multiplies an angle. */
const mbs_term *mbs_symbol_weight(mbs_symbols *symbols, const mbs_block *block, int side);
/* f, dot(f), ddot(f) of a driver. */
const mbs_term *mbs_symbol_function(mbs_symbols *symbols, const mbs_block *block, int rate);
/* D_{NAME}, B_{j}, and what such a row has of rhsV and gamma. */
const mbs_term *mbs_symbol_row(mbs_symbols *symbols, const mbs_block *block, mbs_quantity quantity);
const mbs_term *mbs_symbol_column(mbs_symbols *symbols, int at); /* -1: Bdot theta', named beta */

/* Where a point of a block is. */
mbs_spot mbs_block_spot(const mbs_symbols *symbols, const mbs_block *block, int side);

/* ---- symbol_value.c ---- */

/* Values of all symbols made so far, at the state in hand of the system: motions [nB + 1]. */
void mbs_symbols_evaluate(mbs_symbols *symbols, const mbs_system *system, const mbs_body_motion *motions);
void mbs_symbol_evaluate(const mbs_symbols *symbols, mbs_variable *symbol, const mbs_system *system,
                         const mbs_body_motion *motions);

#endif
