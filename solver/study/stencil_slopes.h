/* stencil_slopes.h - derivatives of outputs from their values on a stencil, f(p + h) and f(p - h) for h = H, H/2 ...,
 * extrapolated to h = 0; how much of them is in doubt, and where there is a corner. theory (19.6) to (19.9) */
#ifndef MBS_STENCIL_SLOPES_H
#define MBS_STENCIL_SLOPES_H

#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>

enum { MBS_PAIRS_MAX = 4, MBS_SINGLES_MAX = 7 };

/* Of an output, by the parameter in hand. */
typedef struct mbs_stencil_slope {
  double value, error;               /* error INFINITY: not known */
  double value_before, error_before; /* without the last stencil */
  double mean, mean_error;           /* of the last stencil, whatever it shows */
  double corner, corner_before;      /* |J|; by the stencil before, INFINITY where there was none worth naming */
  double below, above;               /* from either side */
  double width, spread;              /* of the last stencil: its H, and how far apart its values are */
  bool disordered;                   /* on a side these go up and down */
  bool suspect, cornered;
} mbs_stencil_slope;

/* The outputs' values at the point and on the stencil in hand, and what stencils have shown so far. */
typedef struct mbs_stencil_slopes {
  size_t outputs;
  double *centre;        /* [outputs] at the point itself */
  double *sides[2];      /* [MBS_SINGLES_MAX x outputs] above the point, and below */
  double *noise;         /* [outputs] what an output is wrong by */
  double *floors;        /* [outputs] changes that are nothing; 0: that is not known */
  bool *flat;            /* [outputs] it is the time of a flat extreme */
  double *narrow;        /* [outputs] f(p + H) - f(p - H) of the parameter's first stencil */
  int pairs;             /* of the stencil made last */
  double size;           /* of the parameter in hand: changes by it are what outputs are to be told of */
  mbs_stencil_slope *of; /* [outputs] */
} mbs_stencil_slopes;

/* False: no memory. */
bool mbs_slopes_open(mbs_stencil_slopes *slopes, size_t outputs, mbs_arena *arena);
/* Nothing is known by a parameter of this size. */
void mbs_slopes_begin(mbs_stencil_slopes *slopes, double size);
/* Another stencil begins. */
void mbs_slopes_next(mbs_stencil_slopes *slopes);

/* From n pairs at H, H/2 ... */
void mbs_slopes_read_pairs(mbs_stencil_slopes *slopes, double H, int n);
/* From n steps on one side. */
void mbs_slopes_read_singles(mbs_stencil_slopes *slopes, double H, int n, bool below);
/* Forgets slopes of a stencil that the outputs `between` [outputs] at p + x do not confirm, NULL: there are none;
 * corners are another matter. Returns whether there are some. */
bool mbs_slopes_confirm(mbs_stencil_slopes *slopes, double H, double x, const double *between);
/* Where no stencil was free of suspicion, and yet there is no corner, the last one counts. */
void mbs_slopes_take_means(mbs_stencil_slopes *slopes);

/* The largest share that an output changes by in the pair made last, or on one side of it; 0: there is no change but
 * noise. `exactly`: there is none at all. */
typedef enum mbs_stencil_sides { MBS_SIDE_ABOVE, MBS_SIDE_BELOW, MBS_SIDES_BOTH } mbs_stencil_sides;
double mbs_slopes_changed(const mbs_stencil_slopes *slopes, mbs_stencil_sides sides, bool *exactly);
/* The pair made last is that of the parameter's first stencil. */
void mbs_slopes_keep_narrow(mbs_stencil_slopes *slopes);
/* Whether slopes of a wide stencil are what that one shows, whose width is `first`. */
bool mbs_slopes_narrow_alike(const mbs_stencil_slopes *slopes, double first);

/* Whether nothing is left to be told by narrower stencils. */
bool mbs_slopes_settled(const mbs_stencil_slopes *slopes);
bool mbs_slopes_any_corner(const mbs_stencil_slopes *slopes);
/* Whether the error of an output's slope is one that will do. */
bool mbs_slopes_will_do(const mbs_stencil_slopes *slopes, size_t output);
/* What is told of an output that has no derivative. */
double mbs_slopes_estimate(const mbs_stencil_slopes *slopes, size_t output);

#endif
