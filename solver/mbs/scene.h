/* mbs/scene.h - numbers for drawing a model. */
#ifndef MBS_MBS_SCENE_H
#define MBS_MBS_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/arena.h"
#include "mbs/document.h"
#include "mbs/model.h"

/* A plane curve of an element: points relative to the curve's reference point, in the axes of its body. */
typedef struct mbs_scene_curve {
  int point; /* index of the reference point */
  bool closed;
  bool whole; /* all is listed; false: only points near the initial guess of the contacts of a curve without ends */
  double first, step; /* contact parameters of the points, if not closed [rad] */
  size_t count;
  double *points; /* [count x 2] [m]; NaN where the curve is not defined */
} mbs_scene_curve;

/* An element of the path of a belt or rope. */
typedef struct mbs_scene_stop {
  int point;     /* index of its centre */
  double radius; /* positive where the path runs counterclockwise about it, negative: clockwise; 0: a point [m] */
} mbs_scene_stop;

/* The value of a field. The kind of the field determines which member contains it. */
typedef struct mbs_scene_value {
  const mbs_field *field;
  size_t count;            /* number of numbers, indices, curves or stops */
  double *numbers;         /* NUMBER; ROW: row by row, as many per row as space has dimensions */
  int *places;             /* POINT, VECTOR, BODY, JOINT: index in the scene; LINE: a point, then a vector */
  const char *text;        /* COLOR, CHOICE */
  mbs_scene_curve *curves; /* OBJECT: a curve; else NULL */
  mbs_scene_stop *stops;   /* OBJECT: the path of a belt or rope; else NULL */
} mbs_scene_value;

/* An element or a shape, with the fields that have a value, given or by default. Laws and other fields that are not
 * drawn are omitted. */
typedef struct mbs_scene_element {
  const mbs_class *cls;
  const char *name;   /* name; NULL: none */
  const char *symbol; /* a joint: name of its drawing symbol; else NULL */
  size_t count;
  mbs_scene_value *values; /* [count] */
} mbs_scene_element;

typedef struct mbs_scene_body {
  const char *name;
  size_t shape_count;
  mbs_scene_element *shapes; /* [shape_count] */
} mbs_scene_body;

/* A point, from the mass centre [m], or a unit vector, in the axes of a body. */
typedef struct mbs_scene_place {
  const char *name;
  int body;
  double at[3];
} mbs_scene_place;

/* A model with the numbers of its parameters, for drawing. Bodies: the ground first, then as in the document. Points
 * are in the order of the array rP. */
typedef struct mbs_scene {
  int dim; /* 2 or 3 */
  size_t body_count, point_count, vector_count, joint_count, force_count;
  mbs_scene_body *bodies;
  mbs_scene_place *points, *vectors;
  mbs_scene_element *joints, *forces;
  bool view_given[3];
  double view[3][2]; /* part of the global axes that is visible at first [m] */
} mbs_scene;

/* Returns the scene of a model. It is allocated in `arena` and refers to texts of the model. Returns NULL if memory
 * runs out. */
MBS_API const mbs_scene *mbs_model_scene(const mbs_model *model, mbs_arena *arena);

#endif
