/* mbs/result.h - the arrays and the report of a run. */
#ifndef MBS_MBS_RESULT_H
#define MBS_MBS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/arena.h"

/* An array of results, row-major; shape[0] is the number of reporting times unless `about_state` (matrices of the
 * linearization and the like, that have no time). */
typedef struct mbs_array {
  const char *name;
  const char *unit;
  const char *doc;
  int rank;
  size_t shape[4];
  const char *const *labels; /* one for each column: product of shape[1..]; for rank 1 the name itself */
  const char *const *units;  /* as many; "" for numbers without a unit, and where it is not known */
  double *data;
  bool timeless; /* rows are not reporting times */
  bool by_run;   /* of those: rows are runs of a study, final one after another */
} mbs_array;

typedef struct mbs_tree_entry {
  const char *body;  /* the body that the joint carries */
  const char *joint; /* "" for a body that floats by itself */
  const char *type;
  const char *parent; /* the body it is carried by */
  int freedoms;       /* coordinates */
} mbs_tree_entry;

typedef struct mbs_row_entry {
  const char *element; /* joint or driver */
  const char *label;   /* for instance "crank_pin.x" */
  bool driver;
  bool redundant;
} mbs_row_entry;

typedef struct mbs_event {
  double t;
  const char *element;
  const char *kind;
  int element_number, kind_number; /* in the array `events`: equal for equal names, from 1 */
} mbs_event;

/* The run that an estimate of the error takes. */
typedef struct mbs_second_run {
  double rtol, atol, fixed_step; /* NaN: of the other kind of method */
  uint64_t evaluations, steps;   /* what it cost */
} mbs_second_run;

/* How exact an integrated motion is. Arrays are [coordinates + velocities], in the order of their labels. */
typedef struct mbs_accuracy {
  double rtol, atol, fixed_step;          /* asked for; NaN: of the other kind of method */
  double *local_error, *local_error_time; /* largest estimate of the error of one step, and its end [s]; NaN: none */
  /* Reporting times inside a step that got a step of their own, or of several of them, lest interpolation over all of
   * the step add to the error. */
  uint64_t row_steps;
  double *global_error, *global_error_time; /* largest difference from the second run, and when [s]; NULL: none */
  mbs_second_run second;
} mbs_accuracy;

/* What a run has to say about itself. Arrays have the counts beside them; everything lives as long as the result. */
/* A sensor without a finite value at some reporting times; all other numbers are finite, or the run ends. */
typedef struct mbs_non_finite {
  const char *sensor;
  size_t count;      /* of rows */
  double first_time; /* [s] of the first of them */
} mbs_non_finite;

/* The smallest and the largest finite value of a column in the rows of results; NaN if it has none. */
typedef struct mbs_extremes {
  const char *name, *unit;
  double min, min_time, max, max_time; /* times [s] */
} mbs_extremes;

typedef struct mbs_mode {
  double eigenvalue[2]; /* real, imaginary part [1/s] */
  double frequency;     /* abs(eigenvalue) / (2 pi), 0 if it does not oscillate [Hz] */
  double damping_ratio;
} mbs_mode;

typedef struct mbs_report {
  const char *model_name, *analysis, *formulation, *space;
  size_t bodies, coordinates, velocities, rows;
  bool ranked;            /* the ranks were found: a run that found no start has none */
  int degrees_of_freedom; /* of positions, drivers counted as constraints; rank, not count of rows */
  int velocity_freedoms;  /* of velocities: fewer than degrees_of_freedom where rows restrict velocities only */
  int mobility;           /* freedoms of velocities without drivers */
  const char *undriven;   /* freedoms that have no driver, of an analysis that needs one for each; or NULL */
  mbs_tree_entry *tree;   /* [bodies] */
  const char **cut;       /* [cut_count] joints outside the tree */
  size_t cut_count;
  mbs_row_entry *constraints; /* [rows] */
  size_t redundant_count;
  double redundant_residual; /* the largest of their residuals at any position, in units of accuracy */
  const char **not_unique;   /* [not_unique_count] joints and drivers whose reactions redundant rows leave open */
  size_t not_unique_count;
  /* Initial conditions, before and after their correction. */
  const char **coordinate_labels; /* [coordinates] */
  const char **velocity_labels;   /* [velocities] */
  double *q_before, *q_after;     /* [coordinates] */
  double *v_before, *v_after;     /* [velocities] v_after is NaN if no position was found */
  bool corrected;                 /* the correction ran, and its result satisfies the constraints */
  bool from_equilibrium;          /* `after` is the static equilibrium that was found from there */
  int correction_iterations;
  double position_residual, velocity_residual; /* afterwards, largest absolute value; NaN if not computed */
  const char *failed_element; /* joint or driver that kept the start from being found, "": none; NULL: it was found */
  int failed_row;             /* the row of it in `constraints` that is not satisfied; -1: none in particular */
  /* The rows of results. */
  size_t recorded;                       /* how many there are */
  double final_time;                     /* of the last one [s] */
  double *q_final, *v_final;             /* [coordinates], [velocities] its state; NULL if it is not known */
  double kinetic_final, potential_final; /* its energies [J]; NaN if no forces were computed */
  mbs_extremes *sensors, *efforts;       /* [sensor_count], [effort_count] of sensors, and of what drivers exert */
  size_t sensor_count, effort_count;
  mbs_mode *modes; /* [mode_count] of a linearization */
  size_t mode_count;
  /* Work. */
  uint64_t evaluations;
  uint64_t steps, rejected;
  double longest_step; /* of the accepted steps [s] */
  const char *method;
  double jacobian_error;   /* largest difference between Jac_p and differences; NaN where there is none */
  double residual_max[3];  /* position, velocity, acceleration over all reporting times */
  double residual_time[3]; /* when [s] */
  double residual_share;   /* the largest of positions in units of accuracy */
  int residual_row[3];     /* which of `constraints`; -1: none */
  double energy_start, energy_change_max; /* T + V - work + dissipated at the start, NaN if it was not computed; largest
                                             change since */
  double energy_time;                     /* when that was [s] */
  double energy_scale;    /* largest of T, |V - V at the start|, |work|, |dissipated|: what a change is measured by */
  mbs_accuracy *accuracy; /* NULL: nothing was integrated */
  struct mbs_verification *examination; /* NULL: mbs_verify_result() was not called */
  double wall_seconds;
  mbs_event *events; /* [event_count] */
  size_t event_count;
  int stable;                 /* equilibrium and linearization: 1 stable, 0 unstable, -1 not said, as about a motion */
  mbs_non_finite *non_finite; /* [non_finite_count] */
  size_t non_finite_count;
  const char **notes; /* [note_count] advice and remarks, whole sentences */
  size_t note_count;
} mbs_report;

typedef struct mbs_result {
  mbs_arena *arena; /* owns everything below */
  mbs_array *arrays;
  size_t array_count;
  mbs_report report;
} mbs_result;

/* Frees a result. */
MBS_API void mbs_result_free(mbs_result *result);
/* Returns the array of that name, or NULL. */
MBS_API const mbs_array *mbs_result_array(const mbs_result *result, const char *name);
/* Returns the number of columns: the product of shape[1..]. */
MBS_API size_t mbs_array_columns(const mbs_array *array);

#endif
