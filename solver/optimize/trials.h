/* trials.h - trials of an optimization: their outputs, cost and constraints, and a row of results for each. */
#ifndef MBS_TRIALS_H
#define MBS_TRIALS_H

#include "mbs/optimize.h"
#include "model/plan.h"

/* Derivatives that are linearly dependent up to this share of the largest count as dependent. It is ten times their
 * error. */
static const double mbs_dependent_share = 1e-8;
/* Costs that differ by less than this share are equal, for example at a bound and next to it, or after restoration. */
static const double mbs_equal_cost = 1e-9;
/* An output that changes by less than this share, for a change of a parameter by its size, does not depend on it. */
static const double mbs_influence_share = 1e-10;

/* A trial: a run with p parameters, m outputs (including those of data) and c constraints. */
typedef struct mbs_trial {
  double *values;  /* [p] */
  double *outputs; /* [m] NaN if the trial failed */
  mbs_status status;
  double cost;        /* minimized: the objective, its negative if it is maximized, or the sum of a fit */
  double *conditions; /* [c] left - right for <= and ==, right - left for >=; at most 0 if an inequality holds */
  double *sizes;      /* [c] scales of the constraints, relative to which they must hold */
  double violation;   /* largest violation, absolute for ==; 0 if all hold */
  size_t worst;       /* index of that constraint */
  double excess;      /* largest violation relative to the scales */
  size_t row;
  bool has_slopes;          /* the derivatives below are valid */
  double *output_slopes;    /* [m x p] d output / d parameter, best estimates */
  double *cost_slopes;      /* [p] */
  double *condition_slopes; /* [c x p] */
} mbs_trial;

typedef struct mbs_trials mbs_trials;

/* Allocates the trials of a model with an objective or a fit. Rows go to `result`, whose arena holds all data. Returns
 * NULL if memory runs out. */
mbs_trials *mbs_trials_new(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result);
void mbs_trials_free(mbs_trials *trials);

/* Makes the trial for these values [p], or returns it if it is the last or the best one; with derivatives if requested
 * and available. Its status shows whether it has outputs. Valid until the next call. Returns NULL if the search must
 * end (mbs_trials_end()). */
const mbs_trial *mbs_trial_at(mbs_trials *trials, const double *values, bool slopes);
/* Returns the best trial so far: the feasible one of lowest cost, or else the one with the smallest violation. Returns
 * NULL if no trial had outputs. */
const mbs_trial *mbs_trials_best(const mbs_trials *trials);
/* Merit of a trial: feasibility, violation and cost. */
typedef struct mbs_trial_merit {
  bool any; /* a trial exists */
  size_t row;
  bool feasible;    /* the constraints of the trial hold */
  double violation; /* largest violation, in the constraint's own unit */
  size_t worst;     /* index of that constraint */
  double cost;
} mbs_trial_merit;
/* Returns the best of all trials so far, of either motion: the feasible one of lowest cost, or else the one with the
 * smallest violation. The violation is absolute here; a search compares relative violations. */
const mbs_trial_merit *mbs_trials_nearest(const mbs_trials *trials);
/* Makes the last trial, which must have outputs, the best one, although another is not worse. */
void mbs_trials_prefer(mbs_trials *trials);
/* Returns (model - value) / sigma of datum `i`. */
double mbs_trial_residual(const struct mbs_plan *plan, const mbs_trial *trial, size_t i);
/* Returns true if the constraints hold in the trial. */
bool mbs_trial_is_feasible(const mbs_trial *trial);
/* Returns the scale of constraint `k` in the first trial. */
double mbs_trials_condition_size(const mbs_trials *trials, size_t k);
/* Returns the name of varied parameter `j`. */
const char *mbs_trials_parameter_name(const mbs_trials *trials, size_t j);
/* Return the number of trials made, and of those that may still be made. */
size_t mbs_trials_count(const mbs_trials *trials);
size_t mbs_trials_left(const mbs_trials *trials);
/* Selects the motion of the trials. GIVEN: integrated as in the document, without derivatives; the initial choice.
 * EXACT: integrated with the tolerance that derivatives need, and smooth. The best trial of the other motion is
 * replaced as soon as a trial of this motion has outputs. */
typedef enum mbs_motion { MBS_MOTION_GIVEN, MBS_MOTION_EXACT } mbs_motion;
void mbs_trials_set_motion(mbs_trials *trials, mbs_motion motion);
/* Returns true if a relevant output had no derivative in some trial since the last call. */
bool mbs_trials_lacked_slopes(mbs_trials *trials);

/* Returns which parameters had a nonzero derivative in some trial [p]; NULL if no trial had derivatives. */
const bool *mbs_trials_influence(const mbs_trials *trials);

/* Returns the status that ends the trials: MBS_OK if more are possible or the limit is reached, otherwise
 * MBS_CANCELLED, MBS_TIMED_OUT or MBS_NO_MEMORY, with `error` filled. */
mbs_status mbs_trials_end(const mbs_trials *trials, mbs_error *error);
/* Returns the note in the report of the best trial; may be empty. */
const char *mbs_trials_note(const mbs_trials *trials);
/* Returns the failures of trials, one of each kind. */
const mbs_trial_failure *mbs_trials_failures(const mbs_trials *trials, size_t *count);
uint64_t mbs_trials_evaluations(const mbs_trials *trials);

#endif
