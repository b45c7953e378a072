/* Starts an optimization or a fit, chooses its methods in sequence, and reports the result. */
#include "base/message.h"
#include "model/plan.h"
#include "optimize/kkt.h"
#include "optimize/search.h"
#include "optimize/second_order.h"
#include "run/notes.h"
#include "run/report.h"
#include "study/random.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Number of points within the bounds that are tried besides the start: per parameter; minimum and maximum. */
enum { POINTS_EACH = 2, POINTS_MIN = 4, POINTS_MAX = 16 };
/* A method restarts where it ended, at most so often, until the cost changes by less than these shares of itself and of
 * the scale of costs. */
enum { ROUNDS = 6, PLAIN_ROUNDS = 12, STEPS = 4 };
static const double settled_share = 1e-10, plain_settled_share = 1e-8, settled_size = 1e-20;
/* First steps of methods without derivatives, in coordinates x: from a start; from the end of a method with
 * derivatives; and in turn from the end of a method without derivatives. */
static const double wide_step = 0.1, narrow_step = 1e-3, steps[STEPS] = {1e-2, 1e-3, 1e-2, 1e-4};
/* Distances at which a result is polled before it counts as converged; with more parameters than POLL_MAX only the
 * first. A smaller improvement than `poll_share` does not count. */
enum { POLLS = 2, POLL_MAX = 12 };
static const double polls[POLLS] = {0.02, 1e-3}, poll_share = 1e-7;
/* Further distances if no value differs at the former. */
enum { FAR_POLLS = 2 };
static const double far_polls[FAR_POLLS] = {0.1, 0.3};
/* Distance from a bound, in roundings, within which x is at the bound. */
static const double roundings = 16;
/* A parameter whose coordinate exceeds this diverges. */
static const double diverged = 1e7;
/* A value below this share of the distance of its bounds is finally scaled by its own size. */
static const double fine_share = 1e-4;
/* Share of the trials that a global search may use. */
static const double global_share = 0.8;

/* ---- coordinates ----------------------------------------------------------------------------------------------- */

/* Returns the distance from a bound within which x is at the bound. */
static double rounding(double bound) { return isfinite(bound) ? roundings * DBL_EPSILON * fmax(1, fabs(bound)) : 0; }

void mbs_search_values(const mbs_search *search, const double *x, double *values) {
  for (size_t j = 0; j < search->p; j++) {
    const mbs_vary *vary = &search->plan->vary[j];
    const double value = search->origin[j] + search->scale[j] * x[j], low = search->low[j], high = search->high[j];
    values[j] = x[j] <= low + rounding(low)     ? vary->least
                : x[j] >= high - rounding(high) ? vary->most
                                                : fmin(fmax(value, vary->least), vary->most);
  }
}

void mbs_search_coordinates(const mbs_search *search, const double *values, double *x) {
  for (size_t j = 0; j < search->p; j++)
    x[j] = fmin(fmax((values[j] - search->origin[j]) / search->scale[j], search->low[j]), search->high[j]);
}

static bool open_search(mbs_search *search) {
  const size_t p = search->p;
  search->origin = mbs_arena_alloc(search->arena, p + 1, sizeof(double));
  search->scale = mbs_arena_alloc(search->arena, p + 1, sizeof(double));
  search->low = mbs_arena_alloc(search->arena, p + 1, sizeof(double));
  search->high = mbs_arena_alloc(search->arena, p + 1, sizeof(double));
  if (!search->origin || !search->scale || !search->low || !search->high) return false;
  for (size_t j = 0; j < p; j++) {
    const mbs_vary *vary = &search->plan->vary[j];
    const bool bounded = isfinite(vary->least) && isfinite(vary->most);
    search->origin[j] = bounded ? vary->least : vary->start;
    search->scale[j] = bounded ? vary->most - vary->least : vary->start != 0 ? fabs(vary->start) : 1;
    search->low[j] = (vary->least - search->origin[j]) / search->scale[j];
    search->high[j] = (vary->most - search->origin[j]) / search->scale[j];
  }
  return true;
}

void mbs_search_add_algorithm(mbs_search *search, const char *algorithm) {
  size_t length = strlen(search->algorithms);
  if (strstr(search->algorithms, algorithm)) return;
  snprintf(search->algorithms + length, sizeof search->algorithms - length, "%s%s", length ? ", " : "", algorithm);
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static bool all_bounded(const mbs_search *search) {
  for (size_t j = 0; j < search->p; j++)
    if (!isfinite(search->low[j]) || !isfinite(search->high[j])) return false;
  return true;
}

static void try_start(mbs_search *search, double *values) {
  for (size_t j = 0; j < search->p; j++) values[j] = search->plan->vary[j].start;
  mbs_trial_at(search->trials, values, false);
}

/* Tries a few random points within the bounds. */
static void try_points(mbs_search *search, double *values) {
  size_t points = POINTS_EACH * search->p;
  points = points < POINTS_MIN ? POINTS_MIN : points > POINTS_MAX ? POINTS_MAX : points;
  if (points > mbs_trials_left(search->trials) / 2) points = mbs_trials_left(search->trials) / 2;
  for (size_t i = 0; i < points; i++) {
    for (size_t j = 0; j < search->p; j++) {
      const mbs_vary *vary = &search->plan->vary[j];
      const double share = mbs_random_uniform(mbs_random_bits(search->plan->seed, i, (uint32_t)j, 0));
      values[j] = vary->least + (vary->most - vary->least) * share;
    }
    if (!mbs_trial_at(search->trials, values, false)) return;
  }
}

/* ---- descent --------------------------------------------------------------------------------------------------- */

typedef struct merit {
  double cost, excess;
} merit;

static merit best_merit(const mbs_search *search) {
  const mbs_trial *best = mbs_trials_best(search->trials);
  return (merit){best->cost, best->excess};
}

/* Returns true if the best trial has hardly improved since `before`: its cost has changed, and its excess has
 * decreased, by small shares at most. */
static bool is_settled(const mbs_search *search, const merit *before) {
  const merit now = best_merit(search);
  const double share =
      (search->smooth ? settled_share : plain_settled_share) * fabs(now.cost) + settled_size * search->cost_size;
  return fabs(now.cost - before->cost) <= share && now.excess >= before->excess * (1 - settled_share);
}

static void best_coordinates(const mbs_search *search, double *x) {
  mbs_search_coordinates(search, mbs_trials_best(search->trials)->values, x);
}

/* Uses methods without derivatives from x in turn, until none improves the values: each may stop early at a ridge. */
static mbs_search_end descend_plainly(mbs_search *search, double *x, double step) {
  int idle = 0;
  for (int round = 0; round < PLAIN_ROUNDS && idle < 2; round++) {
    const merit before = best_merit(search);
    if (mbs_minimize_derivative_free(search, x, step, round % 2 == 1) == MBS_SEARCH_STOPPED) return MBS_SEARCH_STOPPED;
    idle = round > 0 && is_settled(search, &before) ? idle + 1 : 0;
    best_coordinates(search, x);
    step = steps[round % STEPS];
  }
  return idle < 2 ? MBS_SEARCH_FAILED : MBS_SEARCH_DONE;
}

/* Uses methods with derivatives from x, until they change nothing. */
static mbs_search_end descend_smoothly(mbs_search *search, double *x, bool *settled) {
  *settled = false;
  for (int round = 0; round < ROUNDS && !*settled; round++) {
    const merit before = best_merit(search);
    if (mbs_minimize_smooth(search, x) == MBS_SEARCH_STOPPED) return MBS_SEARCH_STOPPED;
    *settled = round > 0 && is_settled(search, &before);
    best_coordinates(search, x);
  }
  return MBS_SEARCH_DONE;
}

/* Uses the method that suits the available derivatives, from x. */
static mbs_search_end descend_once(mbs_search *search, double *x) {
  bool settled;
  if (search->plan->purpose == MBS_PURPOSE_FIT) return mbs_fit(search, x);
  if (!search->smooth) return descend_plainly(search, x, wide_step);
  if (descend_smoothly(search, x, &settled) == MBS_SEARCH_STOPPED) return MBS_SEARCH_STOPPED;
  const mbs_trial *best = mbs_trials_best(search->trials);
  const bool feasible = mbs_trial_is_feasible(best), lacked = mbs_trials_lacked_slopes(search->trials);
  const mbs_trial *sloped = feasible && settled && !lacked ? mbs_trial_at(search->trials, best->values, true) : NULL;
  mbs_kkt kkt;
  if (sloped && mbs_kkt_open(&kkt, search, sloped) && mbs_kkt_satisfied(&kkt)) return MBS_SEARCH_DONE;
  search->why = !feasible ? "the search with derivatives found no values that satisfy the constraints; it was repeated "
                            "without derivatives"
                : lacked  ? "the objective or a constraint has no derivatives at some values"
                          : "the search with derivatives found no minimum; it was repeated without derivatives";
  return descend_plainly(search, x, feasible && lacked ? narrow_step : wide_step);
}

/* Returns the decrease that counts as an improvement of this cost. */
static double least_gain(const mbs_search *search, double cost) {
  return poll_share * fmax(fabs(cost), poll_share * search->cost_size);
}

/* Tries values near x, one parameter at a time, at this distance on both sides. Sets `flat` if none differs from
 * `cost`. Returns false if the search must end. */
static bool try_near(mbs_search *search, const double *x, double distance, double cost, bool *flat) {
  double *at = mbs_arena_alloc(search->arena, search->p, sizeof *at),
         *values = mbs_arena_alloc(search->arena, search->p, sizeof *values);
  *flat = true;
  if (!at || !values) return true;
  memcpy(at, x, search->p * sizeof *at);
  for (size_t j = 0; j < 2 * search->p; j++) {
    const double to = x[j / 2] + (j % 2 ? -distance : distance);
    at[j / 2] = fmin(fmax(to, search->low[j / 2]), search->high[j / 2]);
    mbs_search_values(search, at, values);
    at[j / 2] = x[j / 2];
    const mbs_trial *trial = mbs_trial_at(search->trials, values, false);
    if (!trial) return false;
    *flat = *flat && trial->status == MBS_OK && trial->cost == cost;
  }
  return true;
}

/* Tries values near the best ones. Returns true if some are better; x is then the best point. Sets `flat` if none of
 * the nearest differs. */
static bool poll(mbs_search *search, double *x, bool *flat, mbs_search_end *end) {
  const merit before = best_merit(search);
  best_coordinates(search, x);
  for (int k = 0; k < (search->p > POLL_MAX ? 1 : POLLS); k++) {
    if (try_near(search, x, polls[k], before.cost, flat)) continue;
    *end = MBS_SEARCH_STOPPED;
    return false;
  }
  best_coordinates(search, x);
  return before.cost - best_merit(search).cost > least_gain(search, before.cost);
}

/* Searches farther away without derivatives if nothing changes near the best values, as on a step of floor or if.
 * Returns true if there are better values; x is then the best point. */
static bool leave_step(mbs_search *search, double *x, mbs_search_end *end) {
  const merit before = best_merit(search);
  bool flat;
  if (search->plan->purpose == MBS_PURPOSE_FIT) return false;
  search->why = "near the best values nothing changes and the derivatives are zero, as for functions with steps "
                "(floor, sign, if)";
  best_coordinates(search, x);
  for (int k = 0; k < FAR_POLLS && *end != MBS_SEARCH_STOPPED; k++)
    if (!try_near(search, x, far_polls[k], before.cost, &flat)) *end = MBS_SEARCH_STOPPED;
  best_coordinates(search, x);
  if (*end != MBS_SEARCH_STOPPED) *end = descend_plainly(search, x, wide_step);
  return *end != MBS_SEARCH_STOPPED && before.cost - best_merit(search).cost > least_gain(search, before.cost);
}

/* Restarts on either side of the best values if these satisfy the KKT conditions but are a saddle point or a maximum
 * along the constraints. Returns true if there are better values; x is then the best point. */
static bool leave_saddle(mbs_search *search, double *x, mbs_search_end *end) {
  mbs_kkt kkt;
  const merit before = best_merit(search);
  const double gain = least_gain(search, before.cost);
  const mbs_trial *best = mbs_trial_at(search->trials, mbs_trials_best(search->trials)->values, true);
  double *direction = mbs_arena_alloc(search->arena, search->p, sizeof *direction);
  if (!best || !direction || !mbs_kkt_open(&kkt, search, best) || !mbs_kkt_satisfied(&kkt)) return false;
  const mbs_second_order second_order = mbs_second_order_check(&kkt, gain / search->cost_size, direction);
  if (second_order == MBS_SECOND_ORDER_STOPPED) *end = MBS_SEARCH_STOPPED;
  for (int side = 1; side >= -1 && second_order == MBS_SECOND_ORDER_DESCENT; side -= 2) {
    if (before.cost - best_merit(search).cost > gain) break;
    for (size_t j = 0; j < search->p; j++) x[j] = kkt.x[j] + side * MBS_SECOND_ORDER_STEP * direction[j];
    if (descend_once(search, x) != MBS_SEARCH_STOPPED) continue;
    *end = MBS_SEARCH_STOPPED;
    return false;
  }
  best_coordinates(search, x);
  if (second_order == MBS_SECOND_ORDER_STOPPED || !(before.cost - best_merit(search).cost > gain)) return false;
  search->why =
      "the search stopped at values that met the conditions of a minimum but were not a minimum; it continued from "
      "better values nearby";
  return true;
}

/* Tests for divergence: a coordinate without a bound is very large, and twice the coordinate is better still. Returns
 * true then, or if the search must end. */
static bool runs_away(mbs_search *search, double *x, mbs_search_end *end) {
  double *values = mbs_arena_alloc(search->arena, search->p, sizeof *values);
  char why[200];
  for (size_t j = 0; values && j < search->p; j++) {
    if (!(fabs(x[j]) > diverged) || isfinite(x[j] > 0 ? search->high[j] : search->low[j])) continue;
    const merit before = best_merit(search);
    x[j] *= 2;
    mbs_search_values(search, x, values);
    x[j] /= 2;
    if (!mbs_trial_at(search->trials, values, false)) {
      *end = MBS_SEARCH_STOPPED;
      return true;
    }
    if (!(before.cost - best_merit(search).cost > least_gain(search, before.cost))) continue;
    *end = MBS_SEARCH_FAILED;
    search->away = j;
    snprintf(why, sizeof why, "the objective keeps improving as '%.80s' %s; give it bounds",
             mbs_trials_parameter_name(search->trials, j), x[j] > 0 ? "grows" : "falls");
    const char *kept = mbs_arena_text(search->arena, why);
    search->why = kept ? kept : "the objective keeps improving without limit; give bounds";
    return true;
  }
  return false;
}

/* Descends from x until there are no better values nearby. */
static mbs_search_end descend(mbs_search *search, double *x) {
  mbs_search_end end = MBS_SEARCH_FAILED;
  bool flat = false;
  for (int round = 0; round < ROUNDS; round++) {
    end = descend_once(search, x);
    if (end == MBS_SEARCH_STOPPED) return end;
    best_coordinates(search, x);
    if (runs_away(search, x, &end)) return end;
    const mbs_trial *best = mbs_trials_best(search->trials);
    if (!mbs_trial_is_feasible(best) || best->row == search->polled_row) return end;
    search->polled_row = best->row;
    if (poll(search, x, &flat, &end)) continue;
    if (end != MBS_SEARCH_DONE || !search->smooth) return end;
    if (!leave_saddle(search, x, &end) && !(flat && end == MBS_SEARCH_DONE && leave_step(search, x, &end))) return end;
  }
  return MBS_SEARCH_FAILED;
}

/* Finds, at the best trial, whether its motion can be integrated exactly, whether derivatives exist, and the scale of
 * costs. Returns false if the search must end. */
static bool measure_best(mbs_search *search, double *values) {
  memcpy(values, mbs_trials_best(search->trials)->values, search->p * sizeof *values);
  mbs_trials_set_motion(search->trials, MBS_MOTION_EXACT);
  const mbs_trial *trial = mbs_trial_at(search->trials, values, true);
  if (trial && trial->status != MBS_OK) {
    mbs_trials_set_motion(search->trials, MBS_MOTION_GIVEN);
    trial = mbs_trial_at(search->trials, values, false);
  }
  if (!trial) return false;
  search->cost_size = trial->cost != 0 ? fabs(trial->cost) : 1;
  search->smooth = trial->has_slopes && !mbs_trials_lacked_slopes(search->trials);
  search->why = search->plan->purpose == MBS_PURPOSE_FIT ? "a sum of squares, whose derivatives are those of the data"
                : search->smooth                         ? "the objective and constraints have derivatives"
                                 : "the objective or a constraint has no derivatives at the start";
  return true;
}

/* Searches globally within the bounds. Returns false if the search must end. */
static bool search_everywhere(mbs_search *search, double *x, bool *finished) {
  size_t trials = (size_t)(global_share * (double)mbs_trials_left(search->trials));
  best_coordinates(search, x);
  mbs_search_end end = mbs_minimize_global(search, x, trials);
  *finished = end == MBS_SEARCH_DONE;
  return end != MBS_SEARCH_STOPPED;
}

/* Rescales parameters whose best value is small compared with the distance of their bounds. Returns true if there are
 * any. */
static bool rescale_small_values(mbs_search *search) {
  const double *best = mbs_trials_best(search->trials)->values;
  bool any = false;
  for (size_t j = 0; j < search->p; j++) {
    const mbs_vary *vary = &search->plan->vary[j];
    if (best[j] == 0 || !(fabs(best[j]) < fine_share * search->scale[j])) continue;
    any = true;
    search->origin[j] = best[j];
    search->scale[j] = fabs(best[j]);
    search->low[j] = (vary->least - search->origin[j]) / search->scale[j];
    search->high[j] = (vary->most - search->origin[j]) / search->scale[j];
  }
  if (any) search->polled_row = SIZE_MAX;
  return any;
}

/* Makes the complete search, after the start and perhaps other points were tried with the document's own
 * integration. */
static mbs_stop seek(mbs_search *search, const double *start, bool started) {
  const bool global = search->plan->objective.method == MBS_SEARCH_GLOBAL;
  double *x = mbs_arena_alloc(search->arena, search->p, sizeof *x);
  bool finished = true;
  if (!x || (global && !search_everywhere(search, x, &finished))) return MBS_STOP_LIMIT;
  const bool elsewhere = started && memcmp(mbs_trials_best(search->trials)->values, start, search->p * sizeof *x) != 0;
  if (!measure_best(search, x)) return MBS_STOP_LIMIT;
  if (global) search->why = "a global search within the bounds, then an improvement of its best values";
  best_coordinates(search, x);
  mbs_search_end end = descend(search, x);
  if (end == MBS_SEARCH_STOPPED) return MBS_STOP_LIMIT;
  if (search->away < search->p) return MBS_STOP_UNBOUNDED;
  if (rescale_small_values(search)) {
    best_coordinates(search, x);
    end = descend(search, x);
    if (end == MBS_SEARCH_STOPPED) return MBS_STOP_LIMIT;
  }
  if (elsewhere && search->plan->objective.method == MBS_SEARCH_AUTO) {
    mbs_search_coordinates(search, start, x);
    if (descend(search, x) == MBS_SEARCH_STOPPED) return MBS_STOP_LIMIT;
  }
  if (search->smooth && search->plan->objective.count > 0 && !mbs_search_restore_feasibility(search))
    return MBS_STOP_LIMIT;
  return end == MBS_SEARCH_DONE && finished ? MBS_STOP_CONVERGED : MBS_STOP_LOCAL;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

const char *mbs_stop_word(mbs_stop stop) {
  assert((unsigned)stop < 5);
  static const char *const words[] = {"converged", "local", "limit", "infeasible", "unbounded"};
  return words[stop];
}

/* Adds the array of residuals, one row per datum: time, measured value, value of the best trial, and their difference
 * in units of sigma. Returns false if memory runs out. */
static bool keep_residuals(const mbs_search *search, mbs_result *result) {
  static const char *const labels[] = {"t", "value", "model", "residual"}, *const units[] = {"s", "", "", ""};
  const struct mbs_plan *plan = search->plan;
  const mbs_trial *best = mbs_trials_best(search->trials);
  mbs_array *arrays = mbs_arena_alloc(result->arena, result->array_count + 1, sizeof *arrays);
  double *data = mbs_arena_alloc(result->arena, 4 * plan->data_count, sizeof *data);
  if (!arrays || !data) return false;
  memcpy(arrays, result->arrays, result->array_count * sizeof *arrays);
  for (size_t i = 0; i < plan->data_count; i++) {
    const mbs_planned_output *output = &plan->outputs[plan->shown_count + i];
    assert(plan->shown_count + i < plan->output_count);
    const double value = plan->data[i].value, model = best->outputs[plan->shown_count + i];
    const double t = output->take == MBS_REDUCE_AT ? output->at.value : NAN;
    memcpy(data + 4 * i, (double[]){t, value, model, mbs_trial_residual(plan, best, i)}, 4 * sizeof(double));
  }
  arrays[result->array_count] = (mbs_array){
      .name = "residuals",
      .unit = "",
      .doc =
          "residuals of the best trial of a fit, one row for each measured value: residual = (model - value) / sigma",
      .rank = 2,
      .shape = {plan->data_count, 4},
      .labels = labels,
      .units = units,
      .data = data,
      .timeless = true};
  result->arrays = arrays;
  result->array_count++;
  return true;
}

static mbs_status set_error(mbs_error *error, mbs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static mbs_status set_error(mbs_error *error, mbs_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *error = (mbs_error){.status = status, .time = NAN};
  mbs_message_of(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

/* Reports why no trial has outputs. */
static mbs_status report_no_outputs(const mbs_search *search, mbs_error *error) {
  size_t count;
  const mbs_trial_failure *failures = mbs_trials_failures(search->trials, &count);
  if (count == 0) return set_error(error, MBS_START_FAILED, "the limits ended the search before its first trial");
  set_error(error, MBS_START_FAILED,
            "the run fails at the start and at all points tried within the bounds; at the start: %.500s",
            failures[0].error.message);
  error->time = failures[0].error.time;
  return MBS_START_FAILED;
}

/* Reports the best of all trials, if no trial of the last motion satisfies the constraints. */
static mbs_status report_nearest(const mbs_search *search, mbs_optimum *optimum, mbs_status ended, mbs_error *error) {
  const mbs_trial_merit *least = mbs_trials_nearest(search->trials);
  optimum->best = least->row;
  optimum->stopped = !least->feasible                         ? MBS_STOP_INFEASIBLE
                     : optimum->stopped == MBS_STOP_CONVERGED ? MBS_STOP_LOCAL
                                                              : optimum->stopped;
  if (ended != MBS_OK || least->feasible) return ended;
  const mbs_objective *objective = &search->plan->objective;
  return set_error(
      error, MBS_INFEASIBLE,
      "no values were found that satisfy the constraints; at the best values '%.200s' is violated by %.6g; "
      "widen the bounds of the parameters, or relax the constraint",
      objective->conditions[least->worst].text, least->violation);
}

/* Returns which bounds keep the objective from a better value beyond them [p]; NULL if that is not known. */
static const bool *active_bounds(mbs_search *search, const mbs_trial *best) {
  bool *active = mbs_arena_alloc(search->arena, search->p, sizeof *active);
  mbs_kkt kkt;
  if (!active || !mbs_kkt_open(&kkt, search, best)) return NULL;
  for (size_t j = 0; j < search->p; j++) active[j] = mbs_kkt_bound_active(&kkt, j);
  return active;
}

/* Fills the optimum with the results of the trials. */
static mbs_status conclude(mbs_search *search, mbs_optimum *optimum, mbs_error *error) {
  const mbs_trial *best = mbs_trials_best(search->trials);
  mbs_status ended = mbs_trials_end(search->trials, error);
  optimum->trials = mbs_trials_count(search->trials);
  for (size_t i = 0; i < optimum->result.array_count; i++) optimum->result.arrays[i].shape[0] = optimum->trials;
  optimum->failures = mbs_trials_failures(search->trials, &optimum->failure_count);
  optimum->evaluations = mbs_trials_evaluations(search->trials);
  optimum->result.report.evaluations = optimum->evaluations;
  optimum->has_best = best != NULL;
  if (best) optimum->best = best->row;
  optimum->interrupted = ended != MBS_OK;
  optimum->algorithm = mbs_arena_text(search->arena, search->algorithms);
  optimum->why = search->why;
  if (!best) return ended != MBS_OK ? ended : report_no_outputs(search, error);
  if (*mbs_trials_note(search->trials))
    mbs_report_note(&optimum->result, "at the best values %s", mbs_trials_note(search->trials));
  const bool fits = search->plan->purpose == MBS_PURPOSE_FIT;
  optimum->has_influence = mbs_trials_influence(search->trials);
  if (!fits) optimum->at_bound = active_bounds(search, best);
  if (ended == MBS_OK && fits) mbs_trial_at(search->trials, best->values, true);
  if (!optimum->algorithm || (fits && !(mbs_fit_analyze(search, optimum) && keep_residuals(search, &optimum->result))))
    return set_error(error, MBS_NO_MEMORY, "no memory for the result of the fit");
  return mbs_trial_is_feasible(best) ? ended : report_nearest(search, optimum, ended, error);
}

mbs_status mbs_optimize(const mbs_model *model, const mbs_hooks *hooks, mbs_optimum **out, mbs_error *error) {
  assert(model->plan != NULL);
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  mbs_optimum *optimum = arena ? mbs_arena_alloc(arena, 1, sizeof *optimum) : NULL;
  const struct mbs_plan *plan = model->plan;
  *out = NULL;
  *error = (mbs_error){.status = MBS_NO_MEMORY, .time = NAN, .message = "no memory for the optimization"};
  if (!optimum) {
    mbs_arena_free(arena);
    return MBS_NO_MEMORY;
  }
  *optimum = (mbs_optimum){.result = {.arena = arena},
                           .limit = plan->runs,
                           .parameters = plan->vary_count,
                           .wall_seconds = plan->wall_seconds,
                           .wall_name = plan->wall_name};
  *out = optimum;
  mbs_search search = {.plan = plan,
                       .arena = arena,
                       .p = plan->vary_count,
                       .cost_size = 1,
                       .away = plan->vary_count,
                       .polled_row = SIZE_MAX};
  double *start = mbs_arena_alloc(arena, search.p, sizeof *start),
         *point = mbs_arena_alloc(arena, search.p, sizeof *point);
  if (!start || !point || !open_search(&search) || !mbs_report_open(model, &optimum->result)) return MBS_NO_MEMORY;
  search.trials = mbs_trials_new(model, hooks, &optimum->result);
  if (!search.trials) return MBS_NO_MEMORY;
  try_start(&search, start);
  const bool started = mbs_trials_best(search.trials) != NULL;
  if (all_bounded(&search) && (!started || plan->objective.method == MBS_SEARCH_AUTO)) try_points(&search, point);
  optimum->stopped = MBS_STOP_LIMIT;
  if (mbs_trials_best(search.trials)) optimum->stopped = seek(&search, start, started);
  mbs_status status = conclude(&search, optimum, error);
  mbs_trials_free(search.trials);
  return status;
}

void mbs_optimum_free(mbs_optimum *optimum) {
  if (optimum) mbs_arena_free(optimum->result.arena);
}
