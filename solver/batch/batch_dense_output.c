/* Computes, in lanes, the states inside steps that observers read first, and integrates the halves of steps whose dense
 * output is not exact enough. */
#include "batch/batch_internal.h"

#include <string.h>

static int lane_of(const mbs_batch *self, const mbs_dynamics *dynamics) {
  int lane = 0;
  while (lane + 1 < self->width && &self->runners[lane].motion.self != dynamics) lane++;
  return lane;
}

static void extract_factors(const void *user, mbs_dynamics *dynamics) {
  const mbs_batch *self = user;
  mbs_lanes_extract_factors(self->lanes, lane_of(self, dynamics), dynamics->run->system);
}

/* Reads the inputs at place number `p`, at `times`, into record `which`. */
static void read_place(mbs_batch *self, int which, size_t p, const double *times, bool good[MBS_BATCH_MAX],
                       bool stays[MBS_BATCH_MAX]) {
  const mbs_batch_reads *all = &self->reads;
  double out[MBS_BATCH_MAX];
  mbs_lanes_set_state(self->lanes, times, all->velocities, good, stays);
  for (int k = 0; k < self->width; k++)
    if (good[k]) mbs_runner_note_redundant(self->lanes, k, &self->runners[k]);
  for (size_t i = 0; i < all->inputs; i++) {
    mbs_lanes_read(self->lanes, &self->model->inputs[all->input[i]], out);
    for (int k = 0; k < self->width; k++)
      if (good[k]) self->runners[k].motion.self.seen.first[which].values[p * all->inputs + i] = out[k];
  }
}

/* Reads the first reads of steps, or of parts of them, in the lanes `in`, which are ready for dense output. If a step
 * continues the previous one, its first place was read as the end of that. */
static void read_in_lanes(mbs_batch *self, int which, const mbs_step_span *of, const bool in[MBS_BATCH_MAX]) {
  const mbs_batch_reads *all = &self->reads;
  bool good[MBS_BATCH_MAX], stays[MBS_BATCH_MAX], starts = false, any = false;
  double times[MBS_BATCH_MAX];
  for (int k = 0; k < self->width; k++) {
    const mbs_dynamics *dynamics = &self->runners[k].motion.self;
    any |= good[k] = in[k] && dynamics->seen.first[which].values;
    starts |= good[k] && !(which == 0 ? mbs_dynamics_may_continue(dynamics, of->t[k])
                                      : dynamics->seen.first[0].known && dynamics->seen.first[0].stays);
  }
  if (all->inputs == 0 || !any) return;
  for (size_t p = starts ? 0 : 1; p < all->places; p++) {
    for (int k = 0; k < self->width; k++) times[k] = mbs_time_of_place(of->t[k], of->t1[k], all->place[p]);
    mbs_lanes_inside(self->lanes, of->t, of->h, of->t1, times);
    read_place(self, which, p, times, good, stays);
  }
  for (int k = 0; k < self->width; k++) {
    mbs_first_read *read = &self->runners[k].motion.self.seen.first[which];
    if (good[k])
      *read = (mbs_first_read){
          .values = read->values, .known = true, .started = starts, .stays = stays[k], .t = of->t[k], .t1 = of->t1[k]};
  }
}

void mbs_batch_discard_step(mbs_batch *self, int lane) {
  mbs_dynamics *dynamics = &self->runners[lane].motion.self;
  dynamics->seen.factors = NULL;
  for (int i = 0; i < MBS_FIRST_READS; i++) dynamics->seen.first[i].known = self->parts[lane][i].made = false;
}

/* ---- halves of steps that cannot be interpolated ----------------------------------------------------------------- */

static void restore_factors(const void *user, mbs_dynamics *dynamics) {
  const mbs_made_part *part = user;
  mbs_lanes_restore_factors(part->factors, dynamics->run->system);
}

bool mbs_batch_use_part(void *context, double t, double h, double *y1, double *f1, double *workspace,
                        uint64_t *evaluations) {
  mbs_dynamics *dynamics = context;
  const mbs_batch *self = dynamics->seen.batch;
  const mbs_made_part *parts = self->parts[lane_of(self, dynamics)], *part = parts;
  mbs_system *system = dynamics->run->system;
  while (part < parts + MBS_FIRST_READS && !(part->made && part->t == t && part->h == h)) part++;
  if (part == parts + MBS_FIRST_READS) return false;
  memcpy(y1, part->y1, self->n * sizeof *y1);
  memcpy(f1, part->f1, self->n * sizeof *f1);
  memcpy(workspace, part->workspace, self->stages * sizeof *workspace);
  *evaluations += part->evaluations;
  system->evaluations += part->evaluations;
  if (self->model->rows) system->pivot_ratio = part->pivot_ratio;
  if (self->model->has_power) dynamics->energy.power = part->power;
  system->shifted = system->unequal_masses = false; /* nor are the factors shifted, which are fetched when needed */
  dynamics->seen.factors = restore_factors;
  dynamics->seen.factors_user = part;
  return true;
}

/* Stores part number `which` of each lane if it can be interpolated; clears `in` of the lane otherwise. */
static void store_parts(mbs_batch *self, int which, const mbs_step_span *of, uint64_t evaluations,
                        bool in[MBS_BATCH_MAX]) {
  mbs_lanes *lanes = self->lanes;
  double *y1[MBS_BATCH_MAX], *f1[MBS_BATCH_MAX], *stages[MBS_BATCH_MAX], error[MBS_BATCH_MAX];
  for (int k = 0; k < self->width; k++) {
    y1[k] = self->parts[k][which].y1;
    f1[k] = self->parts[k][which].f1;
    stages[k] = self->parts[k][which].workspace;
  }
  mbs_lanes_scatter(lanes, lanes->y1, self->n, y1);
  mbs_lanes_scatter(lanes, lanes->f1, self->n, f1);
  mbs_lanes_scatter(lanes, lanes->stages, self->stages, stages);
  mbs_lanes_dense_error(lanes, error);
  for (int k = 0; k < self->width; k++) {
    mbs_made_part *part = &self->parts[k][which];
    in[k] = in[k] && lanes->fine[k] && mbs_all_finite(self->n, part->y1) &&
            error[k] <= mbs_dense_share(self->runners[k].stepper.tolerance);
    if (!in[k]) continue;
    part->made = true;
    part->t = of->t[k];
    part->h = of->h[k];
    part->evaluations = evaluations;
    part->pivot_ratio = lanes->pivot_ratio[k];
    part->power = mbs_lane_power(lanes, k);
    mbs_lanes_store_factors(lanes, k, part->factors);
  }
}

/* Makes the second halves end in exactly the states of the whole steps. */
static void set_ends(const mbs_batch *self, const bool in[MBS_BATCH_MAX]) {
  for (int k = 0; k < self->width; k++)
    for (size_t i = 0; i < self->n && in[k]; i++)
      self->lanes->y1[i * (size_t)self->width + (size_t)k] = self->runners[k].stepper.y1[i];
}

/* Integrates the halves of current steps that cannot be interpolated as a whole, with the lengths that
 * mbs_step_subdivide() gives them. */
static void halve_in_lanes(mbs_batch *self, const mbs_step_span *whole, bool in[MBS_BATCH_MAX]) {
  mbs_lanes *lanes = self->lanes;
  mbs_step_span half = *whole;
  for (int which = 0; which < MBS_FIRST_READS; which++) {
    for (int k = 0; k < self->width; k++) {
      const double end = whole->t[k] + whole->h[k];
      half.h[k] = which == 0 ? 0.5 * whole->h[k] : end - half.t[k];
      half.t1[k] = which == 0 ? half.t[k] + half.h[k] : end;
      lanes->fine[k] = in[k];
    }
    uint64_t evaluations = mbs_lanes_step(lanes, half.t, half.h) + 1;
    double ends[MBS_BATCH_MAX];
    for (int k = 0; k < self->width; k++) ends[k] = half.t[k] + half.h[k];
    mbs_lanes_rates(lanes, ends, lanes->y1, lanes->f1);
    evaluations += mbs_lanes_prepare(lanes, half.t, half.h);
    store_parts(self, which, &half, evaluations, in);
    if (which + 1 == MBS_FIRST_READS) set_ends(self, in);
    read_in_lanes(self, which, &half, in);
    memcpy(lanes->y, lanes->y1, (size_t)self->width * self->n * sizeof *lanes->y);
    memcpy(lanes->f0, lanes->f1, (size_t)self->width * self->n * sizeof *lanes->f0);
    memcpy(half.t, half.t1, sizeof half.t);
  }
}

void mbs_batch_read_inside(mbs_batch *self) {
  bool whole[MBS_BATCH_MAX] = {false}, halved[MBS_BATCH_MAX] = {false}, any = false;
  int halves = 0;
  for (int k = 0; k < self->width; k++) {
    const mbs_runner *runner = &self->runners[k];
    const bool looks = runner->prepares && runner->accepted && mbs_stepper_is_observed(&runner->stepper);
    halved[k] = looks && runner->stepper.falls_short;
    whole[k] = looks && !halved[k];
    halves += halved[k];
    any |= looks;
  }
  if (!any) return;
  read_in_lanes(self, 0, &self->step, whole);
  for (int k = 0; k < self->width; k++) {
    mbs_dynamics *dynamics = &self->runners[k].motion.self;
    if (!whole[k] && !halved[k]) continue;
    dynamics->seen.factors = extract_factors;
    dynamics->seen.factors_user = self;
    /* integrating halves overwrites the factors in the lanes */
    if (halves > 1 || !dynamics->seen.first[0].known) mbs_dynamics_fetch_factors(dynamics);
  }
  if (halves > 1) halve_in_lanes(self, &self->step, halved);
}

/* Returns what an observer reads first; zero inputs if lanes cannot read it. */
static mbs_batch_reads reads_of(const mbs_model *model, const mbs_observer *observer) {
  const mbs_first_reads *first = &observer->first;
  mbs_batch_reads out = {.places = first->places, .velocities = observer->velocities};
  bool can = first->places <= MBS_READS_MAX && first->inputs <= MBS_READS_MAX && !observer->forces;
  for (size_t i = 0; can && i < first->inputs; i++) can = mbs_lanes_read_input(&model->inputs[first->input[i]]);
  if (!can) return out;
  out.inputs = first->inputs;
  memcpy(out.place, first->place, first->places * sizeof *out.place);
  memcpy(out.input, first->input, first->inputs * sizeof *out.input);
  return out;
}

void mbs_batch_set_reads(mbs_batch *self, int lane) {
  mbs_runner *runner = &self->runners[lane];
  const mbs_system *system = runner->run.system;
  const mbs_first_reads *first = &runner->run.observer->first;
  mbs_batch_reads *all = &self->reads;
  bool others = false;
  for (int k = 0; k < self->width; k++) others |= k != lane && mbs_runner_is_active(&self->runners[k]);
  if (!others) *all = reads_of(self->model, runner->run.observer);
  if (all->inputs == 0 || first->inputs != all->inputs || first->places != all->places ||
      runner->run.observer->velocities != all->velocities ||
      memcmp(first->place, all->place, all->places * sizeof *all->place) != 0 ||
      memcmp(first->input, all->input, all->inputs * sizeof *all->input) != 0)
    return;
  for (int i = 0; i < MBS_FIRST_READS; i++)
    runner->motion.self.seen.first[i].values =
        mbs_arena_alloc(system->arena, all->places * all->inputs, sizeof(double));
}

bool mbs_batch_open_parts(mbs_batch *self, mbs_arena *arena) {
  const size_t factors = mbs_lanes_factor_numbers(self->model);
  if (!mbs_method_named(self->model->method)->dense_error) return true;
  for (int k = 0; k < self->width; k++)
    for (int i = 0; i < MBS_FIRST_READS; i++) {
      mbs_made_part *part = &self->parts[k][i];
      double *room = mbs_arena_alloc(arena, 2 * self->n + self->stages + factors, sizeof *room);
      if (!room) return false;
      part->y1 = room;
      part->f1 = room + self->n;
      part->workspace = part->f1 + self->n;
      part->factors = part->workspace + self->stages;
    }
  return true;
}
