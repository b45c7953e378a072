/* tree_columns.h - the tree as a teacher numbers it: columns of the velocities in the document's order, each with the joint
 * and the body that it belongs to, and the paths from bodies to the ground. */
#ifndef MBS_TREE_COLUMNS_H
#define MBS_TREE_COLUMNS_H

#include "mbs/model.h"
#include "model/constants.h"

typedef enum mbs_motion_kind {
  MBS_MOTION_SLIDE, /* along an axis of the joint's first body (`axis`) */
  MBS_MOTION_TURN,  /* about an axis; a rolling turn slides by the way, a screw's too */
  MBS_MOTION_BALL,  /* three turns about the axes of the first body */
  MBS_MOTION_PLACE, /* of a floating body: velocity of its mass centre, */
  MBS_MOTION_SPIN   /* and its turn */
} mbs_motion_kind;

/* A column of B: one motion of the joint that carries a body. */
typedef struct mbs_tree_column {
  mbs_motion_kind kind;
  int body;        /* that is carried, internal number */
  int joint;       /* in model->joints; -1: the body floats by itself */
  int part;        /* which freedom of its joint, from 1; 0: the only one */
  int sigma;       /* -1: the joint is carried through from its second body to its first */
  int size;        /* velocities */
  int first;       /* of them, internal number */
  int first_user;  /* in the document's order */
  int axis_body;   /* the body that its axis is fixed in, */
  double axis[3];  /* and the axis there */
  int pivot_body;  /* P2: what a turn is about */
  double pivot[3]; /* body axes */
  bool coincident; /* the joint's points stay together: P2 is a point of the first body, too, */
  int twin_body;
  double twin[3]; /* there */
  bool rolls, screws;
  const char *label;       /* "theta_1" */
  const char **velocities; /* [size] "A.qd" */
} mbs_tree_column;

typedef struct mbs_tree_columns {
  const mbs_model *model;
  const mbs_constants *constants;
  mbs_arena *arena;
  bool bodies; /* every body floats: columns are those of the bodies themselves */
  size_t column_count;
  mbs_tree_column *columns; /* [column_count] */
  int *user_of;             /* [nB + 1] number of a body in the document, from 1; 0: the ground */
  bool *turns;              /* [nB + 1] some joint on the way to the ground lets the body turn */
  size_t **paths;           /* [nB + 1] columns from the ground to the body, */
  size_t *path_lengths;     /* and how many */
  size_t *positions;        /* [column_count] of a column in the paths that it is on: the same in all of them */
} mbs_tree_columns;

/* The columns alone, without the paths. False: no memory. */
bool mbs_tree_columns_list(mbs_tree_columns *chain, const mbs_constants *constants, bool bodies, mbs_arena *arena);
/* The tree of the model, or (`bodies`) the one in which every body floats. False: no memory. */
bool mbs_tree_columns_open(mbs_tree_columns *chain, const mbs_constants *constants, bool bodies, mbs_arena *arena);

/* Whether a column moves a body. */
bool mbs_tree_column_moves(const mbs_tree_columns *chain, size_t column, int body);

#endif
