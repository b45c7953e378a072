/* strand.h - the straight parts of belts and ropes, and the paths that they form.
 *
 * A path runs over elements: points, and pulleys and drums with a radius. Strand k runs from element k to element k + 1
 * (of a belt the last one to the first). An element has the signed radius c: its radius where the path runs
 * counterclockwise about it, minus its radius where it runs clockwise, 0 of a point. */
#ifndef MBS_STRAND_H
#define MBS_STRAND_H

#include <stdbool.h>

#include "mbs/document.h"

typedef struct mbs_strand {
  int body[2], point[2]; /* bodies of its two elements, and their centres as indices in model->points */
  bool grips[2];         /* the path does not slip over the element, so a rotation of its body moves the strand */
  int turn;              /* index of its angle among those whose revolutions are counted; -1: it has no counted angle */
} mbs_strand;

typedef struct mbs_strand_path {
  const mbs_value *elements; /* the list of the document */
  const char *name;          /* name of the belt or rope */
  int strand0, strands;      /* range in model->strands */
  bool closed;
  int runs; /* parts between elements that grip, each with one tension; a strand of a belt is a run */
  int *run; /* [runs + 1] first strand of each run, counted from strand0, and `strands` */
} mbs_strand_path;

/* Numbers of a strand and of a path. */
typedef struct mbs_strand_constants {
  double c[2];  /* signed radii of its elements [m] */
  double angle; /* angle of its direction at the start [rad] */
  double start; /* value of its row at the start [m] */
} mbs_strand_constants;

typedef struct mbs_strand_path_constants {
  double closing; /* length of the full revolutions by which a belt's first wrap exceeds the strands' angles [m] */
  double length;  /* length at the start, strands and wraps [m] */
} mbs_strand_path_constants;

/* Returns the index in the path of the second element of strand k, counted from 0. */
static inline int mbs_strand_path_next(const mbs_strand_path *path, int k) {
  return k + 1 == path->strands && path->closed ? 0 : k + 1;
}

#endif
