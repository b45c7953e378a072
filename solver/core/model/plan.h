/* plan.h - a study as it was read: which values its parameters take, and what is kept of each run. */
#ifndef MBS_PLAN_H
#define MBS_PLAN_H

#include "model/model.h"

typedef enum mbs_vary_kind {
  MBS_VARY_NOMINAL, /* the document's own value */
  MBS_VARY_VALUES,
  MBS_VARY_RANGE,
  MBS_VARY_NORMAL,
  MBS_VARY_UNIFORM
} mbs_vary_kind;

typedef struct mbs_vary {
  int parameter; /* in model->parameters */
  mbs_vary_kind kind;
  size_t count;              /* points of values and ranges; else 1 */
  double *values;            /* [count] */
  double low, high;          /* ends of a range, or of what is drawn from uniformly; the value in the document */
  double least, most, start; /* of optimize and fit; without bounds -INFINITY and INFINITY */
  double mean, deviation;
  bool logarithmic;
} mbs_vary;

/* In the order of the class's choices. */
typedef enum mbs_design_kind {
  MBS_DESIGN_GRID,
  MBS_DESIGN_LIST,
  MBS_DESIGN_RANDOM,
  MBS_DESIGN_LATIN_HYPERCUBE,
  MBS_DESIGN_SOBOL
} mbs_design_kind;

enum { MBS_SOBOL_DIMENSIONS = 21 };

typedef enum mbs_reduction {
  MBS_REDUCE_FINAL,
  MBS_REDUCE_INITIAL,
  MBS_REDUCE_AT,
  MBS_REDUCE_MIN,
  MBS_REDUCE_MAX,
  MBS_REDUCE_TIME_OF_MIN,
  MBS_REDUCE_TIME_OF_MAX,
  MBS_REDUCE_MEAN,
  MBS_REDUCE_RMS,
  MBS_REDUCE_INTEGRAL
} mbs_reduction;

/* What an output of a linearization is instead of an expression. */
typedef enum mbs_mode_quantity {
  MBS_MODE_NONE,
  MBS_MODE_FREQUENCY,
  MBS_MODE_DAMPING_RATIO,
  MBS_MODE_REAL,
  MBS_MODE_IMAGINARY
} mbs_mode_quantity;

typedef struct mbs_planned_output {
  const char *name, *pointer;
  mbs_reduction take;
  mbs_law own;       /* where it is no sensor's */
  const mbs_law *of; /* NULL: a quantity of modes */
  const char *unit;  /* of the sensor, as the document says; or "" */
  mbs_mode_quantity mode;
  size_t number; /* of the frequency, ratio or eigenvalue, from 0 */
  mbs_law at;    /* the time of MBS_REDUCE_AT, unless `when` says it */
  bool has_when;
  mbs_law when;  /* at its `count`-th zero */
  int direction; /* 1 rising, -1 falling, 0 either */
  size_t count;
} mbs_planned_output;

/* What a study is for. */
typedef enum mbs_purpose { MBS_PURPOSE_RUNS, MBS_PURPOSE_OPTIMIZE, MBS_PURPOSE_FIT } mbs_purpose;

/* In the order of the class's choices. */
typedef enum mbs_search_method { MBS_SEARCH_AUTO, MBS_SEARCH_LOCAL, MBS_SEARCH_GLOBAL } mbs_search_method;

typedef enum mbs_relation { MBS_AT_MOST, MBS_AT_LEAST, MBS_EQUAL } mbs_relation;

/* left <= right, left >= right, left == right */
typedef struct mbs_condition {
  const mbs_expression *left, *right;
  mbs_relation relation;
} mbs_condition;

/* What is sought; its expressions are over a study's outputs, inputs 0, 1, ..., and after them all parameters of the
 * model. */
typedef struct mbs_objective {
  const mbs_expression *criterion;
  bool maximize;
  mbs_condition *conditions; /* [count] */
  size_t count;
  mbs_search_method method;
} mbs_objective;

/* A measured value of the output that stands for it. */
typedef struct mbs_datum {
  double value, sigma;
} mbs_datum;

struct mbs_plan {
  mbs_purpose purpose;
  mbs_vary *vary;
  size_t vary_count;
  mbs_design_kind design;
  size_t runs; /* of optimize and fit: the most that are tried */
  uint64_t seed;
  mbs_planned_output *outputs;
  size_t output_count; /* those of the document, then one for each datum */
  size_t shown_count;  /* those of the document */
  mbs_objective objective;
  mbs_datum *data; /* [data_count] */
  size_t data_count;
  bool has_sigma;      /* some datum says how good it is */
  bool states;         /* outputs are the entries of the array uT of a run, and no more */
  bool starts;         /* outputs are the coordinates and velocities of the start, and no more */
  bool gradient;       /* derivatives of the outputs in the parameters */
  double wall_seconds; /* most of the study as a whole; 0: no limit */
  const char *wall_name;
};

#endif
