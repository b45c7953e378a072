/* stencil_slopes.h - derivatives of outputs from their values on a stencil, f(p + h) and f(p - h) for h = H, H/2 ...,
 * extrapolated to h = 0; how much of them is in doubt, and where there is a corner. theory (19.6) to (19.9) */
#ifndef MBS_STENCIL_SLOPES_H
#define MBS_STENCIL_SLOPES_H

#include "mbs/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { MBS_PAIRS_MAX = 4, MBS_SINGLES_MAX = 7 };

/* Of an output, by the parameter in hand. */
typedef struct mbs_stencil_slope {
  double value, error;                                /* error INFINITY: not known */
  double rounding;                                    /* what noise makes of the value */
  double value_before, error_before, rounding_before; /* without the last stencil */
  double mean, mean_error;                            /* of the last stencil, whatever it shows */
  double corner, corner_before; /* |J|; by the stencil before, INFINITY where there was none worth naming */
  double below, above;          /* from either side */
  double width, spread;         /* of the last stencil: its H, and how far apart its values are */
  bool disordered;              /* on a side these go up and down */
  bool suspect, cornered;
  bool seen;   /* some stencil changed it by more than nothing */
  double size; /* of the parameter: changes by it are what the output is to be told of */
} mbs_stencil_slope;

/* The outputs' values at the point and on the stencil in hand, and what stencils have shown so far. A stencil is read,
 * and judged, for the outputs alone whose slopes are looked for. */
typedef struct mbs_stencil_slopes {
  size_t outputs;
  double *centre;          /* [outputs] at the point itself */
  double *sides[2];        /* [MBS_SINGLES_MAX x outputs] above the point, and below */
  double *noise;           /* [outputs] what an output is wrong by */
  double *floors;          /* [outputs] changes that are nothing; 0: that is not known */
  bool *flat;              /* [outputs] it is the time of a flat extreme */
  double *first[2];        /* [outputs] the first pair of the parameter, above and below */
  int pairs;               /* of the stencil made last */
  bool *sought;            /* [outputs] its slope is looked for */
  mbs_stencil_slope *of;   /* [outputs] */
  mbs_stencil_slope *kept; /* [outputs] what is known without the stencils in hand */
} mbs_stencil_slopes;

/* False: no memory. */
bool mbs_slopes_open(mbs_stencil_slopes *slopes, size_t outputs, mbs_arena *arena);
/* All outputs are sought. */
void mbs_slopes_seek_all(mbs_stencil_slopes *slopes);
/* Those alone that change by less than a share of themselves in the pair made last, and whose slopes noise leaves
 * uncertain by more than another share; `still`: those that do not change at all, too. */
void mbs_slopes_seek_faint(mbs_stencil_slopes *slopes, double small, double told, bool still);
/* Those alone of which nothing is told. Returns whether there are some. */
bool mbs_slopes_seek_untold(mbs_stencil_slopes *slopes);
bool mbs_slopes_any_sought(const mbs_stencil_slopes *slopes);
/* Nothing is known by a parameter of this size. */
void mbs_slopes_begin(mbs_stencil_slopes *slopes, double size);
/* Another stencil begins. */
void mbs_slopes_next(mbs_stencil_slopes *slopes);

/* From n pairs at H, H/2 ... */
void mbs_slopes_read_pairs(mbs_stencil_slopes *slopes, double H, int n);
/* From n steps on one side. */
void mbs_slopes_read_singles(mbs_stencil_slopes *slopes, double H, int n, bool below);
/* Forgets slopes of a stencil that the outputs `between` [outputs] at p + x do not confirm, NULL: there are none;
 * corners are another matter. */
void mbs_slopes_confirm(mbs_stencil_slopes *slopes, double H, double x, const double *between);
/* Where no stencil was free of suspicion, and yet there is no corner, the last one counts. */
void mbs_slopes_take_means(mbs_stencil_slopes *slopes);

/* The largest share that an output changes by in the pair made last, or on one side of it; 0: there is no change but
 * noise. `exactly`: there is none at all. */
typedef enum mbs_stencil_sides { MBS_SIDE_ABOVE, MBS_SIDE_BELOW, MBS_SIDES_BOTH } mbs_stencil_sides;
double mbs_slopes_changed(const mbs_stencil_slopes *slopes, mbs_stencil_sides sides, bool *exactly);
/* The pair made last is the first one of the parameter; it is so again. */
void mbs_slopes_keep_first(mbs_stencil_slopes *slopes);
void mbs_slopes_recall_first(mbs_stencil_slopes *slopes);

/* Whether nothing is left to be told by narrower stencils. */
bool mbs_slopes_settled(const mbs_stencil_slopes *slopes);
bool mbs_slopes_any_corner(const mbs_stencil_slopes *slopes);
/* Seeks no longer what is settled. */
void mbs_slopes_drop_settled(mbs_stencil_slopes *slopes);
/* Seeks no longer what a wide stencil has settled, and as the first pair shows it, whose width is `first`. */
void mbs_slopes_drop_alike(mbs_stencil_slopes *slopes, double first);
/* Seeks no longer what is told well enough by steps on one side. */
void mbs_slopes_drop_told(mbs_stencil_slopes *slopes);
/* Keeps what is known; that is what is known again of outputs which are sought still. */
void mbs_slopes_keep(mbs_stencil_slopes *slopes);
void mbs_slopes_take_back(mbs_stencil_slopes *slopes);
/* Whether the error of an output's slope is one that will do. */
bool mbs_slopes_will_do(const mbs_stencil_slopes *slopes, size_t output);
/* What is told of an output that has no derivative. */
double mbs_slopes_estimate(const mbs_stencil_slopes *slopes, size_t output);

#endif
