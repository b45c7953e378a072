/* mbs/scene.h - the numbers that a drawing of a model needs. */
#ifndef MBS_MBS_SCENE_H
#define MBS_MBS_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/arena.h"
#include "mbs/document.h"
#include "mbs/model.h"

/* A plane curve of an element, as points from its own point on, in the axes of its body. */
typedef struct mbs_scene_curve {
  int point; /* that it is about */
  bool closed;
  bool whole;         /* false: it has no ends, and these are its points near where its contacts are looked for first */
  double first, step; /* the contact parameters of the points, where it is not closed [rad] */
  size_t count;
  double *points; /* [count x 2] [m]; NaN where it has none */
} mbs_scene_curve;

/* A field with its value; which member has it follows from the field's kind. */
typedef struct mbs_scene_value {
  const mbs_field *field;
  size_t count;            /* of numbers, places or curves */
  double *numbers;         /* NUMBER; ROW: row by row, as many as space has dimensions */
  int *places;             /* POINT, VECTOR, BODY: which of the scene's; LINE: a point, then a vector */
  const char *text;        /* COLOR, CHOICE */
  mbs_scene_curve *curves; /* OBJECT: a curve */
} mbs_scene_value;

/* An element or a shape: the fields that have a value, given or by default, but laws and what else is not for drawing.
 */
typedef struct mbs_scene_element {
  const mbs_class *cls;
  const char *name;   /* NULL: it has none */
  const char *symbol; /* of a joint: the word for how it is drawn; else NULL */
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

/* A model with the numbers of its parameters, as it is drawn. Bodies: the ground first, then as in the document; points
 * as in the array rP. */
typedef struct mbs_scene {
  int dim; /* 2 or 3 */
  size_t body_count, point_count, vector_count, joint_count, force_count;
  mbs_scene_body *bodies;
  mbs_scene_place *points, *vectors;
  mbs_scene_element *joints, *forces;
  bool view_given[3];
  double view[3][2]; /* [m] the part of the global axes that is shown at first */
} mbs_scene;

/* Returns the scene of a model. It is allocated in `arena` and refers to texts of the model. Returns NULL if memory
 * runs out. */
MBS_API const mbs_scene *mbs_model_scene(const mbs_model *model, mbs_arena *arena);

#endif
