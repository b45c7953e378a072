/* mbs/result.h - the arrays and the report of a run. */
#ifndef MBS_MBS_RESULT_H
#define MBS_MBS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/arena.h"

/* An array of results, row-major. shape[0] is the number of reporting times, unless `timeless` is true. */
typedef struct mbs_array {
  const char *name;
  const char *unit;
  const char *doc;
  int rank;
  size_t shape[4];
  const char *const *labels; /* [product of shape[1..]] labels of the columns; if rank is 1, the name itself */
  const char *const
      *units; /* [product of shape[1..]] units of the columns; "" without a unit, or if the unit is not known */
  double *data;
  bool timeless; /* rows are not reporting times, as in matrices of a linearization */
  bool by_run;   /* timeless, and rows are runs of a study, each final after its run */
} mbs_array;

typedef struct mbs_tree_entry {
  const char *body;  /* body that the joint carries */
  const char *joint; /* "" for a floating body */
  const char *type;
  const char *parent; /* body that carries this body */
  int freedoms;       /* number of coordinates */
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
  int element_number, kind_number; /* numbers in the array `events`, from 1; equal names have equal numbers */
} mbs_event;

/* The second run, for the estimate of the error. */
typedef struct mbs_second_run {
  double rtol, atol, fixed_step; /* NaN: not used by this kind of method */
  uint64_t evaluations, steps;   /* cost of the second run */
} mbs_second_run;

/* Accuracy of an integrated motion. Arrays are [coordinates + velocities], in the order of their labels. */
typedef struct mbs_accuracy {
  double rtol, atol, fixed_step; /* requested; NaN: not used by this kind of method */
  double *local_error,
      *local_error_time; /* largest error estimate of one step, and the end of that step [s]; NaN: none */
  /* Number of reporting times inside a step for which separate steps were computed, because interpolation over the
   * whole step would add to the error. */
  uint64_t row_steps;
  double *global_error, *global_error_time; /* largest difference from the second run, and its time [s]; NULL: none */
  mbs_second_run second;
} mbs_accuracy;

/* A sensor with non-finite values at some reporting times. Any other non-finite number ends a run. */
typedef struct mbs_non_finite {
  const char *sensor;
  size_t count;      /* number of rows */
  double first_time; /* time of the first such row [s] */
} mbs_non_finite;

/* The smallest and the largest finite value of a column of the results; NaN if it has none. */
typedef struct mbs_extremes {
  const char *name, *unit;
  double min, min_time, max, max_time; /* times [s] */
} mbs_extremes;

typedef struct mbs_mode {
  double eigenvalue[2]; /* real, imaginary part [1/s] */
  double frequency;     /* abs(eigenvalue) / (2 pi), 0 if it does not oscillate [Hz] */
  double damping_ratio;
} mbs_mode;

/* The equilibrium that a run found. */
typedef struct mbs_found_equilibrium {
  double *q; /* [coordinates] */
  struct mbs_found_pose {
    const char *body;
    double position[3], angle, p[4]; /* mass centre [m]; planar: angle [rad]; spatial: Euler parameters */
  } * poses;                         /* [bodies] */
  const char **state_labels;         /* [states] states of the document, of signals and of elements */
  double *x;                         /* [states] */
  size_t states;
} mbs_found_equilibrium;

typedef struct mbs_report {
  const char *model_name, *analysis, *formulation, *space;
  size_t bodies, coordinates, velocities, rows;
  bool ranked;            /* ranks were computed; false if the run found no start */
  int degrees_of_freedom; /* degrees of freedom of positions; drivers count as constraints; from the rank of C */
  int velocity_freedoms;  /* degrees of freedom of velocities; smaller if rows restrict velocities only */
  int mobility;           /* degrees of freedom of velocities without drivers */
  const char *undriven;   /* degrees of freedom without a driver, if the analysis needs a driver for each; else NULL */
  mbs_tree_entry *tree;   /* [bodies] */
  const char **cut;       /* [cut_count] joints outside the tree */
  size_t cut_count;
  mbs_row_entry *constraints; /* [rows] */
  size_t redundant_count;
  double redundant_residual; /* largest residual of the redundant rows at any position, in scales of accuracy */
  const char *
      *not_unique; /* [not_unique_count] joints and drivers whose reactions are not unique because of redundant rows */
  size_t not_unique_count;
  /* Initial conditions, before and after their correction. */
  const char **coordinate_labels; /* [coordinates] */
  const char **velocity_labels;   /* [velocities] */
  double *q_before, *q_after;     /* [coordinates] */
  double *v_before, *v_after;     /* [velocities] v_after is NaN if no position was found */
  bool corrected;                 /* the correction ran, and its result satisfies the constraints */
  bool from_equilibrium;          /* `after` is the static equilibrium found from the corrected start */
  int correction_iterations;
  double position_residual, velocity_residual; /* largest absolute value after the correction; NaN if not computed */
  const char
      *failed_element; /* joint or driver that prevented a start, "" if none in particular; NULL: a start was found */
  mbs_found_equilibrium *equilibrium; /* equilibrium; NULL: the run searched none, or found none */
  int failed_row;                     /* row of it in `constraints` that is not satisfied; -1: none in particular */
  /* The rows of results. */
  size_t recorded;                       /* number of rows */
  double final_time;                     /* time of the last row [s] */
  double stopped_at;                     /* time at which 'stop_when' ended the run [s]; NaN: it did not */
  const char *stopped_by;                /* expression that ended the run; NULL: 'stop_when' did not end it */
  const char *passed;                    /* first event or sampled value that changed something; NULL: none */
  double passed_at;                      /* time of that event or sampled value [s] */
  double *q_final, *v_final;             /* [coordinates], [velocities] state at the last row; NULL if not known */
  double kinetic_final, potential_final; /* energies at the last row [J]; NaN if no forces were computed */
  mbs_extremes *sensors, *efforts;       /* [sensor_count] sensors, [effort_count] forces and torques of drivers */
  size_t sensor_count, effort_count;
  mbs_mode *modes; /* [mode_count] of a linearization */
  size_t mode_count;
  /* Work. */
  uint64_t evaluations;
  uint64_t steps, rejected;
  double longest_step; /* longest accepted step [s] */
  const char *method;
  double jacobian_error;   /* largest difference between Jac_p and finite differences; NaN if not computed */
  double residual_max[3];  /* largest residual of positions, velocities and accelerations over all reporting times */
  double residual_time[3]; /* times of these residuals [s] */
  double residual_share;   /* largest position residual in scales of accuracy */
  int residual_row[3];     /* rows in `constraints`; -1: none */
  double energy_start,
      energy_change_max;  /* T + V - work + dissipated at the start, NaN if not computed; largest later change */
  double energy_time;     /* time of that change [s] */
  double energy_scale;    /* largest of T, |V - V at the start|, |work|, |dissipated|: reference for the change */
  mbs_accuracy *accuracy; /* accuracy of the integration; NULL: none */
  struct mbs_verification *examination; /* verification; NULL: mbs_verify_result() was not called */
  double wall_seconds;
  mbs_event *events; /* [event_count] */
  size_t event_count;
  const char **sticking; /* [sticking_count] elements whose dry friction sticks at the start */
  size_t sticking_count;
  const char **held_by_friction; /* [held_count] those without which an equilibrium would not be at rest */
  size_t held_count;
  int stable;                 /* equilibrium and linearization: 1 stable, 0 unstable, -1 undecided, as about a motion */
  mbs_non_finite *non_finite; /* [non_finite_count] */
  size_t non_finite_count;
  const char **notes; /* [note_count] advice and remarks, whole sentences */
  size_t note_count;
} mbs_report;

typedef struct mbs_result {
  mbs_arena *arena; /* owner of all members below */
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
