/* near.h - broad phase of contacts: the points of contact whose surfaces may meet. All others are apart, and no
 * evaluation computes them.
 *
 * Elements list their points that are near (mbs_surfaces in model/element.h). Such a list remains valid while bodies
 * have moved by less than a skin; theory (7.35). It always contains the points that touch. */
#ifndef MBS_NEAR_H
#define MBS_NEAR_H

#include "equations/system.h"

enum { MBS_POSE = 12, MBS_BOUNDS = 64 };

/* The places of a body that a list covers. */
typedef struct mbs_cover {
  double low[3], high[3]; /* [m] box of its mass centre */
  double turn;            /* [m] motion of its surfaces by rotation, from the orientation at the list */
} mbs_cover;

typedef struct mbs_near {
  bool known;       /* the lists belong to `poses`; false: they have all points */
  uint64_t lists;   /* number of times that lists were made */
  double skin;      /* [m] distance beyond which surfaces are not near; 0: all are */
  double *reach;    /* [nB + 1] largest distance of a surface from the mass centre of its body [m] */
  double *arm;      /* [nB + 1] largest distance of a point of it that moves when the body rotates [m] */
  double *poses;    /* [nB + 1 x MBS_POSE] positions and axes of bodies at the last lists */
  double *accepted; /* [nB + 1 x MBS_POSE] positions and axes of bodies at the last accepted state */
  bool steps;       /* a state was accepted since the last lists; false: the next ones cover the same places, too */
  mbs_cover *cover; /* [nB + 1] places between `accepted` and `poses` */
  size_t *first;    /* [force_count + 1] start of the list of an element in `points` */
  size_t *count;    /* [force_count] length of that list */
  int *points;      /* numbers of points, ascending for each element */
  int *found;       /* workspace: twice the points of an element */
  bool *measured;   /* [force_count] laws read outputs of the element that depend on surfaces that are far */
  void *bounds;     /* workspace of the classes: MBS_BOUNDS bytes for each body of an element */
} mbs_near;

/* Returns the number of near points of an element with surfaces. */
static inline size_t mbs_near_count(const mbs_system *system, const mbs_force *force) {
  return system->near->count[force - system->model->forces];
}
/* Returns the number of its near point i. */
static inline size_t mbs_near_point(const mbs_system *system, const mbs_force *force, size_t i) {
  return (size_t)system->near->points[system->near->first[force - system->model->forces] + i];
}
/* Returns true if point k of an element with surfaces is near. */
bool mbs_near_has(const mbs_system *system, const mbs_force *force, size_t k);

/* Allocates system->near, NULL if the model has no elements with surfaces. Returns false if memory runs out. */
bool mbs_near_open(mbs_system *system);
/* Lists all points as near, until surfaces are compared again. */
void mbs_near_forget(mbs_system *system);
/* Updates the lists at the current position, if a surface has moved too far. */
void mbs_near_update(mbs_system *system);
/* Stores the positions at an accepted state, from which the next step begins. */
void mbs_near_keep_poses(mbs_system *system);
/* Updates the lists and what points that are not near remember, and stores the positions, at an accepted state. */
void mbs_near_accepted(mbs_system *system);

#endif
