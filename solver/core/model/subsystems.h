/* subsystems.h - finds the parts of a mechanism that can move without one another, from the structure only. */
#ifndef MBS_SUBSYSTEMS_H
#define MBS_SUBSYSTEMS_H

#include "model/model.h"

/* Bodies connected by the tree or by constraint rows form one part; forces on one part may depend on others. */
typedef struct mbs_subsystems {
  size_t count; /* one if the inputs of forces are not known */
  int *of;      /* [nB + 1] part of each body, by the order of the bodies; not set for the ground */
  int *first,
      *others; /* others[first[p] .. first[p + 1]): the parts that share a force with part p; each once, ascending */
} mbs_subsystems;

/* Finds the subsystems of a model. Returns false if memory runs out. */
bool mbs_subsystems_find(const mbs_model *model, mbs_arena *arena, mbs_subsystems *out);

/* Divides the velocities of a model into the parts of the mechanism that neither constraints nor forces connect, into
 * model->parts. Returns false if memory runs out. */
bool mbs_subsystems_divide(mbs_model *model);

#endif
