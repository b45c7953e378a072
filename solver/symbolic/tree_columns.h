/* tree_columns.h - the tree in the numbering of the document: the columns of the velocities, each with its joint and
 * body, and the paths from bodies to the ground. */
#ifndef MBS_TREE_COLUMNS_H
#define MBS_TREE_COLUMNS_H

#include "mbs/model.h"
#include "model/constants.h"

typedef enum mbs_motion_kind {
  MBS_MOTION_SLIDE, /* along an axis of the joint's first body (`axis`) */
  MBS_MOTION_TURN,  /* about an axis; rolling and screw joints also slide */
  MBS_MOTION_BALL,  /* three rotations about the axes of the first body */
  MBS_MOTION_PLACE, /* velocity of the mass centre of a floating body */
  MBS_MOTION_SPIN   /* rotation of a floating body */
} mbs_motion_kind;

/* A column of B: one motion of the joint that carries a body. */
typedef struct mbs_tree_column {
  mbs_motion_kind kind;
  int body;        /* carried body, internal number */
  int joint;       /* number in model->joints; -1: a floating body without a joint */
  int part;        /* number of the degree of freedom in its joint, from 1; 0: the only one */
  int sigma;       /* sign; -1: the tree passes the joint from its second body to its first */
  int size;        /* number of velocities */
  int first;       /* number of the first velocity, internal */
  int first_user;  /* number in the document's order */
  int axis_body;   /* the body in which the axis is fixed */
  double axis[3];  /* axis in axes of that body */
  int pivot_body;  /* P2: the point about which a rotation takes place */
  double pivot[3]; /* body axes */
  bool coincident; /* the joint keeps its points together: P2 is also a point of the first body */
  int twin_body;
  double twin[3]; /* position in axes of twin_body */
  bool rolls, screws;
  const char *label;       /* "theta_1" */
  const char **velocities; /* [size] "A.qd" */
} mbs_tree_column;

typedef struct mbs_tree_columns {
  const mbs_model *model;
  const mbs_constants *constants;
  mbs_arena *arena;
  bool bodies; /* every body floats: the columns are those of the bodies */
  size_t column_count;
  mbs_tree_column *columns; /* [column_count] */
  int *user_of;             /* [nB + 1] number of a body in the document, from 1; 0: the ground */
  bool *turns;              /* [nB + 1] some joint on the path to the ground lets the body rotate */
  size_t **paths;           /* [nB + 1] columns from the ground to the body */
  size_t *path_lengths;     /* [nB + 1] */
  size_t *positions;        /* [column_count] index of a column in a path; equal in all paths that contain it */
} mbs_tree_columns;

/* Lists the columns, without the paths. Returns false if memory runs out. */
bool mbs_tree_columns_list(mbs_tree_columns *chain, const mbs_constants *constants, bool bodies, mbs_arena *arena);
/* Lists columns and paths of the model's tree or, with `bodies`, of the tree in which every body floats. Returns false
 * if memory runs out. */
bool mbs_tree_columns_open(mbs_tree_columns *chain, const mbs_constants *constants, bool bodies, mbs_arena *arena);

/* Returns true if a column moves a body. */
bool mbs_tree_column_moves(const mbs_tree_columns *chain, size_t column, int body);

#endif
