/* trials.h - the points that an optimization tries: their outputs, what is sought of them, and a row of each. */
#ifndef MBS_TRIALS_H
#define MBS_TRIALS_H

#include "mbs/optimize.h"
#include "model/plan.h"

/* Derivatives that depend on one another to this share of the largest are dependent: ten times what they may be wrong
 * by. */
static const double mbs_dependent_share = 1e-8;
/* Costs that differ by less than this share are equal: of a bound and of what is beside it, of a restored trial. */
static const double mbs_equal_cost = 1e-9;
/* A change of an output by less than this share, where a parameter changes by its size, is no influence. */
static const double mbs_influence_share = 1e-10;

/* Of p parameters, m outputs (the data's, too) and c conditions. */
typedef struct mbs_trial {
  double *values;  /* [p] */
  double *outputs; /* [m] NaN where it failed */
  mbs_status status;
  double cost;        /* what becomes least: the objective, its opposite where that becomes large, the sum of a fit */
  double *conditions; /* [c] left - right, or right - left: at most 0 where the condition holds; == as left - right */
  double *sizes;      /* [c] what they compare, of which they hold to a share */
  double violation;   /* the largest one, of == its size; 0 where all hold */
  double excess;      /* the same as a share of what the conditions compare */
  size_t row;
  bool has_slopes;          /* what follows is there */
  double *output_slopes;    /* [m x p] d output / d parameter, the best that is known */
  double *cost_slopes;      /* [p] */
  double *condition_slopes; /* [c x p] */
} mbs_trial;

typedef struct mbs_trials mbs_trials;

/* Room for the trials of a model that was built with something to seek; rows go to `result`, which has its arena, and
 * all is of that. NULL: no memory. */
mbs_trials *mbs_trials_new(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result);
void mbs_trials_free(mbs_trials *trials);

/* The trial for these values [p], with derivatives if they are asked for and there are any. Its status says whether it
 * has outputs. It stays until the next call. NULL: no more are made (mbs_trials_end()). */
const mbs_trial *mbs_trial_at(mbs_trials *trials, const double *values, bool slopes);
/* The best so far: of those whose conditions hold the one that costs least, or else the one that violates them least.
 * NULL: none had outputs. */
const mbs_trial *mbs_trials_best(const mbs_trials *trials);
/* Where a trial stands among all of them. */
typedef struct mbs_trial_standing {
  bool any; /* there is one */
  size_t row;
  bool feasible;    /* its conditions hold */
  double violation; /* in the units of the conditions */
  double cost;
} mbs_trial_standing;
/* Of all trials so far, of either motion: of those whose conditions hold the one that costs least, or else the one with
 * the least violation, which is in units of the conditions, while a search goes by shares of what they compare. */
const mbs_trial_standing *mbs_trials_nearest(const mbs_trials *trials);
/* Makes the trial in hand, which had outputs, the best: it is one that another is no better than. */
void mbs_trials_prefer(mbs_trials *trials);
/* (model - value) / sigma of datum `i`. */
double mbs_trial_residual(const struct mbs_plan *plan, const mbs_trial *trial, size_t i);
/* Whether the conditions hold in it. */
bool mbs_trial_is_feasible(const mbs_trial *trial);
/* What condition `k` compared in the first trial. */
double mbs_trials_condition_size(const mbs_trials *trials, size_t k);
/* Of parameter `j` of those that vary. */
const char *mbs_trials_parameter_name(const mbs_trials *trials, size_t j);
/* Trials so far, and how many more may be made. */
size_t mbs_trials_count(const mbs_trials *trials);
size_t mbs_trials_left(const mbs_trials *trials);
/* Which motion trials are of: as the document integrates it, which has no derivatives; or the exact one, at the
 * tolerance that derivatives need, which is smooth. The first one is how it begins. The best so far remains that only
 * until another trial has outputs. */
typedef enum mbs_motion { MBS_MOTION_GIVEN, MBS_MOTION_EXACT } mbs_motion;
void mbs_trials_follow(mbs_trials *trials, mbs_motion motion);
/* Whether an output that counts had no derivative somewhere, since the last call. */
bool mbs_trials_lacked_slopes(mbs_trials *trials);

/* Which parameters had a derivative that was not 0 in some trial [p]; NULL: none had derivatives. */
const bool *mbs_trials_influence(const mbs_trials *trials);

/* Why no more are made: MBS_OK while there may be more or the limit is reached, else MBS_CANCELLED, MBS_TIMED_OUT,
 * MBS_NO_MEMORY with `error` filled. */
mbs_status mbs_trials_end(const mbs_trials *trials, mbs_error *error);
/* What the report of the best one says of the answer, or "". */
const char *mbs_trials_note(const mbs_trials *trials);
/* The failures of trials, each kind once. */
const mbs_trial_failure *mbs_trials_failures(const mbs_trials *trials, size_t *count);
uint64_t mbs_trials_evaluations(const mbs_trials *trials);

#endif
