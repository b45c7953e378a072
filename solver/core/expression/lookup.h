/* lookup.h - tables that expressions look up, and named functions.
 *
 * A lookup is a curve of cubics between knots. It is divided into pieces, within which two derivatives are continuous;
 * a switch selects the piece, as floor() selects its integer. With its piece held, a lookup is smooth beyond the ends
 * of the piece. A jump is not part of a lookup: it is an inequality that selects between two of them. */
#ifndef MBS_LOOKUP_H
#define MBS_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

/* f = c[0] + s (c[1] + s (c[2] + s c[3])), s = a - origin */
typedef struct mbs_cubic_piece {
  double origin, c[4];
} mbs_cubic_piece;

typedef struct mbs_lookup {
  const char *name; /* name of the function */
  size_t count;     /* number of cubics */
  mbs_cubic_piece *cubics;
  double *knots;       /* [count - 1] ascending: cubic i is between knots i - 1 and i */
  size_t pieces;       /* number of pieces */
  double *ends;        /* [pieces - 1] knots at which the next piece begins */
  size_t *first;       /* [pieces + 1] first cubic of each piece, and `count` */
  bool undefined[2];   /* the first, the last piece has no value */
  double from, period; /* a smooth curve that repeats: it has one piece; period 0: it does not */
  size_t extreme_count;
  double *extremes;   /* [extreme_count] places where a derivative has an extremum within a piece, ascending */
  const double *grid; /* [rows x columns] values for a pair of pieces; then nothing of the above */
  size_t rows, columns;
} mbs_lookup;

/* A function of one or two arguments that is given by numbers. */
typedef struct mbs_table {
  size_t arguments;
  bool wraps; /* arguments are reduced to the first period, with a switch at its end */
  double from[2], period[2];
  size_t segment_count;        /* number of lookups between jumps, for one argument */
  const mbs_lookup *segments;  /* [segment_count] */
  double *jumps;               /* [segment_count - 1] */
  const mbs_lookup *fractions; /* [2] two arguments: u(a), w(b), from 0 to 1 in a cell */
  const mbs_lookup *grids;     /* [4] f = g0 + g1 u + g2 w + g3 u w */
} mbs_table;

/* A function of the document. */
typedef struct mbs_named_function {
  const char *name;
  int arguments;                 /* number of arguments */
  const char *const *letters;    /* [arguments] their names, of a function that is an expression */
  const char *text;              /* the expression; NULL: a table */
  const struct mbs_table *table; /* NULL if only its name is known, as in formulas that are shown */
  bool wrong;                    /* reported already; a call has the value 1 */
  const struct mbs_call *call;   /* call of the function in formulas that are shown */
} mbs_named_function;

typedef struct mbs_function_list {
  const mbs_named_function *items; /* [count] */
  size_t count;
} mbs_function_list;

/* Returns the piece that contains `a`, from 0; NaN for NaN. At its end a piece that is not followed by one with a value
 * is the last one. */
double mbs_lookup_piece(const mbs_lookup *lookup, double a);
/* Returns the guard of a piece, which is negative if `a` is outside of it. */
double mbs_lookup_guard(const mbs_lookup *lookup, double a, double piece);
/* Returns derivative `order` (0 to 2) of the lookup at `a`, continued from a piece; NaN in a piece without a value. */
double mbs_lookup_value(const mbs_lookup *lookup, double a, double piece, int order);
/* Returns the value for a pair of pieces. */
double mbs_lookup_entry(const mbs_lookup *lookup, double row, double column);

/* Returns true if the lookup has no value at `a`. */
bool mbs_lookup_is_outside(const mbs_lookup *lookup, double a);
/* Computes bounds of its values from `low` to `high`, or for ranges of pieces; infinite ones if it may be outside. */
void mbs_lookup_bounds(const mbs_lookup *lookup, double low, double high, double out[2]);
void mbs_lookup_entry_bounds(const mbs_lookup *lookup, const double rows[2], const double columns[2], double out[2]);
/* Returns the number of extremes between `low` and `high`. */
double mbs_lookup_extremes(const mbs_lookup *lookup, double low, double high);

#endif
