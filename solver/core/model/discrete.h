/* discrete.h - values that change at instants only: variables, which triggers set, and sampled values. Triggers are the
 * events of a document, and the end of a run by `stop_when`. */
#ifndef MBS_DISCRETE_H
#define MBS_DISCRETE_H

#include "model/model.h"

/* A variable or a sampled value. Variables come first in model->discrete. */
typedef struct mbs_discrete {
  const char *name, *pointer;
  const mbs_node *node; /* sampled value: its node; variable: NULL */
  mbs_law initial;      /* a constant */
  mbs_law value;        /* sampled value: its expression */
} mbs_discrete;

/* Kinds of quantities that a trigger can set. */
typedef enum mbs_target {
  MBS_SETS_DISCRETE, /* a variable: index in model->discrete */
  MBS_SETS_STATE,    /* a state of the document: index in model->states */
  MBS_SETS_RATE      /* the rate of a joint's coordinate, by an impulse: index in model->coordinates */
} mbs_target;

typedef struct mbs_assignment {
  mbs_target target;
  int index;
  const char *name; /* name as in the document, "rail.qd" */
  mbs_law value;
} mbs_assignment;

/* A trigger fires at the zeros of an expression, or when a condition becomes true. */
typedef struct mbs_trigger {
  const char *name;
  mbs_law when;
  bool condition; /* `when` is true or false */
  int direction;  /* direction of a zero: 1 rising, -1 falling, 0 either */
  mbs_assignment *sets;
  size_t set_count;
  size_t stops_after; /* number of times after which the run ends; 0: it does not end the run */
} mbs_trigger;

/* Numbers of a sampled value: it is set at t_start + offset + k period, k >= 0. */
typedef struct mbs_sampling {
  double period, offset; /* [s] */
} mbs_sampling;

/* Returns true if the model has values or instants that only dynamics changes or finds. */
static inline bool mbs_has_discrete(const mbs_model *model) { return model->discrete_count + model->trigger_count > 0; }

#endif
