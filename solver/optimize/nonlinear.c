/* Minimizes an objective with constraints by NLopt (S. G. Johnson). With derivatives: SLSQP (D. Kraft, TOMP, ACM Trans.
 * Math. Software 20, 1994) or MMA (K. Svanberg, 2002). Without: BOBYQA and COBYLA (M. J. D. Powell, 2009 and 1994) and
 * Sbplx (T. H. Rowan's Subplex, 1990). Globally: CRS2 (P. Kaelo, M. M. Ali, 2006) and ISRES (T. P. Runarsson, X. Yao,
 * 2005). */
#include "optimize/search.h"

#include <assert.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

/* Largest number of parameters for SLSQP; beyond, MMA is used if it is suitable. */
enum { SLSQP_MAX = 100 };

/* A method is stalled after this number of requests for existing trials in a row: at the level of rounding SLSQP may
 * continue without end. */
enum { REPEATS_MAX = 200 };

/* Steps in coordinates x; gain as a share of the cost. */
static const double least_step = 1e-10, plain_least_step = 1e-9, global_least_step = 1e-3, least_gain = 1e-14;

/* Share of the trials that are points all over the bounds: a sum of squares over a long record has many sharp minima.
 * NLopt's own population, POPULATION_EACH (p + 1), is the minimum. */
static const double population_share = 0.25;
enum { POPULATION_EACH = 10 };

typedef struct problem {
  mbs_search *search;
  nlopt_opt method;
  double *values;
  double *good_x, *good_conditions; /* [p], [c] of the last trial with outputs */
  double *sizes;                    /* [c] scales of the constraints for this method */
  bool has_good, has_slopes;
  double least, most;   /* range of costs so far */
  size_t left, repeats; /* trials left after the last new one; number of requests since then */
  bool stopped, stalled;
} problem;

static size_t conditions_of(const problem *self) { return self->search->plan->objective.count; }

static bool is_equality(const problem *self, size_t k) {
  return self->search->plan->objective.conditions[k].relation == MBS_EQUAL;
}

/* Makes the trial for x, which may have failed. Returns NULL if the search must end. */
static const mbs_trial *try_at(problem *self, const double *x, bool slopes) {
  mbs_search_values(self->search, x, self->values);
  const mbs_trial *trial = mbs_trial_at(self->search->trials, self->values, slopes);
  if (!trial) {
    self->stopped = true;
    nlopt_force_stop(self->method);
    return NULL;
  }
  const size_t left = mbs_trials_left(self->search->trials);
  self->repeats = left == self->left ? self->repeats + 1 : 0;
  self->left = left;
  if (self->repeats > REPEATS_MAX) {
    self->stalled = true;
    nlopt_force_stop(self->method);
  }
  if (trial->status != MBS_OK) return trial;
  self->least = self->has_good ? fmin(self->least, trial->cost) : trial->cost;
  self->most = self->has_good ? fmax(self->most, trial->cost) : trial->cost;
  self->has_good = true;
  memcpy(self->good_x, x, self->search->p * sizeof *x);
  memcpy(self->good_conditions, trial->conditions, conditions_of(self) * sizeof *x);
  return trial;
}

/* Returns the cost of a failed trial: more than any other, increasing with the distance from the last trial with
 * outputs. */
static double barrier(const problem *self, const double *x, double *slopes) {
  double away = 0, height = 2 * self->most - self->least + 1e-3 * self->search->cost_size;
  for (size_t j = 0; j < self->search->p; j++) away += (x[j] - self->good_x[j]) * (x[j] - self->good_x[j]);
  away = sqrt(away);
  for (size_t j = 0; slopes && j < self->search->p; j++)
    slopes[j] = away > 0 ? (x[j] - self->good_x[j]) / away * height / self->search->cost_size : 0;
  return height * (1 + away) / self->search->cost_size;
}

static double cost(unsigned n, const double *x, double *slopes, void *user) {
  assert(n == ((const problem *)user)->search->p);
  problem *self = user;
  const mbs_trial *trial = try_at(self, x, slopes != NULL);
  if (!trial) return HUGE_VAL;
  if (trial->status != MBS_OK) return barrier(self, x, slopes);
  for (unsigned j = 0; slopes && j < n; j++)
    slopes[j] = trial->cost_slopes[j] * self->search->scale[j] / self->search->cost_size;
  return trial->cost / self->search->cost_size;
}

/* Computes the constraints that are equalities, or the others. */
static void conditions(problem *self, bool equalities, unsigned n, double *out, const double *x, double *slopes) {
  assert(n == self->search->p);
  const mbs_trial *trial = try_at(self, x, slopes != NULL);
  const bool good = trial && trial->status == MBS_OK;
  unsigned row = 0;
  for (size_t k = 0; k < conditions_of(self); k++) {
    if (is_equality(self, k) != equalities) continue;
    const double size = self->sizes[k];
    out[row] = (good ? trial->conditions[k] : self->good_conditions[k]) / size;
    for (unsigned j = 0; slopes && j < n; j++)
      slopes[row * n + j] = good ? trial->condition_slopes[k * n + j] * self->search->scale[j] / size : 0;
    row++;
  }
}

static void equalities(unsigned m, double *out, unsigned n, const double *x, double *slopes, void *user) {
  (void)m;
  conditions(user, true, n, out, x, slopes);
}

static void inequalities(unsigned m, double *out, unsigned n, const double *x, double *slopes, void *user) {
  (void)m;
  conditions(user, false, n, out, x, slopes);
}

static unsigned count(const problem *self, bool equality) {
  unsigned number = 0;
  for (size_t k = 0; k < conditions_of(self); k++) number += is_equality(self, k) == equality;
  return number;
}

/* Sets the method's functions and limits. Its constraints have zero tolerance: trials decide whether they hold. */
static bool set_up(problem *self, double x_step) {
  mbs_search *search = self->search;
  nlopt_opt method = self->method;
  unsigned equal = count(self, true), at_most = count(self, false);
  return nlopt_set_min_objective(method, cost, self) > 0 && nlopt_set_lower_bounds(method, search->low) > 0 &&
         nlopt_set_upper_bounds(method, search->high) > 0 && nlopt_set_xtol_abs1(method, x_step) > 0 &&
         nlopt_set_ftol_rel(method, least_gain) > 0 && nlopt_set_ftol_abs(method, least_gain * least_gain) > 0 &&
         (equal == 0 || nlopt_add_equality_mconstraint(method, equal, equalities, self, NULL) > 0) &&
         (at_most == 0 || nlopt_add_inequality_mconstraint(method, at_most, inequalities, self, NULL) > 0);
}

static bool begin(problem *self, mbs_search *search, nlopt_algorithm algorithm, double x_step) {
  size_t c = search->plan->objective.count;
  *self = (problem){.search = search,
                    .method = nlopt_create(algorithm, (unsigned)search->p),
                    .values = mbs_arena_alloc(search->arena, search->p, sizeof(double)),
                    .good_x = mbs_arena_alloc(search->arena, search->p, sizeof(double)),
                    .good_conditions = mbs_arena_alloc(search->arena, c + 1, sizeof(double)),
                    .sizes = mbs_arena_alloc(search->arena, c + 1, sizeof(double))};
  for (size_t k = 0; k < c && self->sizes; k++) self->sizes[k] = mbs_trials_condition_size(search->trials, k);
  if (self->method && self->values && self->good_x && self->good_conditions && self->sizes && set_up(self, x_step))
    return true;
  nlopt_destroy(self->method);
  return false;
}

/* Runs the method from x and frees it. */
static mbs_search_end run_method(problem *self, const double *x) {
  double *at = mbs_arena_alloc(self->search->arena, self->search->p, sizeof *at), least;
  nlopt_result ended = NLOPT_OUT_OF_MEMORY;
  if (at) {
    for (size_t j = 0; j < self->search->p; j++) at[j] = fmin(fmax(x[j], self->search->low[j]), self->search->high[j]);
    const mbs_trial *first = try_at(self, at, false); /* the reference point of barrier() */
    if (first && first->status == MBS_OK) ended = nlopt_optimize(self->method, at, &least);
  }
  nlopt_destroy(self->method);
  if (self->stopped) return MBS_SEARCH_STOPPED;
  if (self->stalled) return MBS_SEARCH_DONE;
  if (ended == NLOPT_MAXEVAL_REACHED) return MBS_SEARCH_FAILED;
  return ended > 0 || ended == NLOPT_ROUNDOFF_LIMITED ? MBS_SEARCH_DONE : MBS_SEARCH_FAILED;
}

mbs_search_end mbs_minimize_smooth(mbs_search *search, const double *x) {
  problem self;
  self.search = search;
  bool many = search->p > SLSQP_MAX && count(&self, true) == 0;
  mbs_search_add_algorithm(search, many ? "MMA" : "SLSQP");
  if (!begin(&self, search, many ? NLOPT_LD_MMA : NLOPT_LD_SLSQP, least_step)) return MBS_SEARCH_FAILED;
  return run_method(&self, x);
}

mbs_search_end mbs_minimize_derivative_free(mbs_search *search, const double *x, double step, bool other) {
  problem self;
  nlopt_algorithm algorithm = NLOPT_LN_COBYLA;
  const char *name = "COBYLA";
  if (search->plan->objective.count == 0 && other)
    algorithm = NLOPT_LN_SBPLX, name = "Sbplx";
  else if (search->plan->objective.count == 0 && search->p > 1)
    algorithm = NLOPT_LN_BOBYQA, name = "BOBYQA";
  mbs_search_add_algorithm(search, name);
  if (!begin(&self, search, algorithm, plain_least_step)) return MBS_SEARCH_FAILED;
  nlopt_set_initial_step1(self.method, step);
  return run_method(&self, x);
}

mbs_search_end mbs_minimize_global(mbs_search *search, const double *x, size_t trials) {
  problem self;
  bool bare = search->plan->objective.count == 0;
  mbs_search_add_algorithm(search, bare ? "CRS2" : "ISRES");
  if (!begin(&self, search, bare ? NLOPT_GN_CRS2_LM : NLOPT_GN_ISRES, global_least_step)) return MBS_SEARCH_FAILED;
  const size_t population = (size_t)(population_share * (double)trials);
  if (search->plan->purpose == MBS_PURPOSE_FIT && population > POPULATION_EACH * (search->p + 1))
    nlopt_set_population(self.method, (unsigned)population);
  nlopt_srand((unsigned long)search->plan->seed);
  nlopt_set_maxeval(self.method, (int)trials);
  return run_method(&self, x);
}
