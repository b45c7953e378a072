/* plan.h - a study as it was read: the values of its parameters, and the outputs of each run. */
#ifndef MBS_PLAN_H
#define MBS_PLAN_H

#include "model/model.h"

typedef enum mbs_vary_kind {
  MBS_VARY_NOMINAL, /* the document's value */
  MBS_VARY_VALUES,
  MBS_VARY_RANGE,
  MBS_VARY_NORMAL,
  MBS_VARY_UNIFORM
} mbs_vary_kind;

typedef struct mbs_vary {
  int parameter; /* index in model->parameters */
  mbs_vary_kind kind;
  size_t count;              /* number of points of values and ranges; else 1 */
  double *values;            /* [count] */
  double low, high;          /* ends of a range or of a uniform distribution; the value in the document */
  double least, most, start; /* bounds and start of optimize and fit; without bounds -INFINITY and INFINITY */
  double mean, deviation;
  bool logarithmic;
} mbs_vary;

/* Returns low + share (high - low). */
double mbs_vary_between(const mbs_vary *vary, double share);
/* Returns point k of the given values or of the range; the ends of a range are exact. */
double mbs_vary_value(const mbs_vary *vary, size_t k);

/* Designs, in the order of the class's choices. */
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

/* Quantities of modes, for outputs of a linearization that are not expressions. */
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
  mbs_law own;       /* law of an output that is not a sensor */
  const mbs_law *of; /* law of the output; NULL: a quantity of modes */
  const char *unit;  /* unit of the sensor, as in the document; or "" */
  mbs_mode_quantity mode;
  size_t number; /* index of the frequency, ratio or eigenvalue, from 0 */
  mbs_law at;    /* time for MBS_REDUCE_AT without `when` */
  bool has_when;
  mbs_law when;  /* time of the `count`-th zero of this law */
  int direction; /* 1 rising, -1 falling, 0 either */
  size_t count;
} mbs_planned_output;

/* The purpose of a study. */
typedef enum mbs_purpose { MBS_PURPOSE_RUNS, MBS_PURPOSE_OPTIMIZE, MBS_PURPOSE_FIT } mbs_purpose;

/* Search methods, in the order of the class's choices. */
typedef enum mbs_search_method { MBS_SEARCH_AUTO, MBS_SEARCH_LOCAL, MBS_SEARCH_GLOBAL } mbs_search_method;

typedef enum mbs_relation { MBS_AT_MOST, MBS_AT_LEAST, MBS_EQUAL } mbs_relation;

/* A condition: left <= right, left >= right or left == right. */
typedef struct mbs_condition {
  const mbs_expression *left, *right;
  mbs_relation relation;
  const char *text; /* condition as written in the document */
} mbs_condition;

/* The objective and its conditions. Inputs 0, 1, ... of its expressions are the study's outputs; all parameters of the
 * model follow. */
typedef struct mbs_objective {
  const mbs_expression *criterion;
  bool maximize;
  mbs_condition *conditions; /* [count] */
  size_t count;
  mbs_search_method method;
} mbs_objective;

/* A measured value; an output of the study corresponds to it. */
typedef struct mbs_datum {
  double value, sigma;
} mbs_datum;

struct mbs_plan {
  mbs_purpose purpose;
  mbs_vary *vary;
  size_t vary_count;
  mbs_design_kind design;
  size_t runs; /* largest number of trials, for optimize and fit */
  uint64_t seed;
  mbs_planned_output *outputs;
  size_t output_count; /* outputs of the document, then one for each datum */
  size_t shown_count;  /* outputs of the document */
  mbs_objective objective;
  mbs_datum *data; /* [data_count] */
  size_t data_count;
  bool has_sigma;      /* a datum has a standard deviation */
  bool states;         /* the outputs are exactly the entries of the array uT of a run */
  bool starts;         /* the outputs are exactly the coordinates and velocities of the start */
  bool gradient;       /* derivatives of the outputs in the parameters are requested */
  double wall_seconds; /* limit for the whole study; 0: none */
  const char *wall_name;
};

#endif
