/* Noise. Of a run that is integrated it shows with a larger tolerance; of others, whose iterations end somewhere, with
 * values of the parameters that are others by their rounding. */
#include "derivatives/stencil_noise.h"

#include <math.h>
#include <string.h>

/* What an output is wrong by: at least so many tolerances of its size, or without an integration this share; and so
 * many times what a run with a tolerance that is so much larger makes of it. */
static const double noise_tolerances = 3, noise_share = 1e-14, noise_changes = 2, looser = 3;
/* Values that are moved by this share have outputs that are moved by no more, but for the noise; more than the second
 * share of an output is none, unless the output is noise alone: no more than so many times its changes, and these no
 * more than so many times those on one side, which those of a jump at the point are. */
static const double nearby_share = 0x1p-43, noise_most = 1e-9, noise_alone = 8, noise_order = 64;

/* Outputs of runs on one side with values that are others by their rounding; those of the point where these cannot be
 * run. */
static mbs_status run_beside(mbs_stencil_runs *runs, mbs_stencil_slopes *slopes, bool below) {
  const size_t count = slopes->outputs, parameters = runs->model.plan->vary_count;
  double *values = slopes->sides[below];
  mbs_status status = MBS_OK;
  for (size_t k = 0; k < 2 && status == MBS_OK; k++) {
    for (size_t j = 0; j < parameters; j++) {
      const mbs_vary *vary = &runs->model.plan->vary[j];
      const double step = (double)(k + 1) * nearby_share * fmax(fabs(runs->point[j]), nearby_share);
      runs->values[j] = fmin(fmax(runs->point[j] + (below ? -step : step), vary->least), vary->most);
    }
    status = mbs_stencil_run(runs, values + k * count);
    memcpy(runs->values, runs->point, parameters * sizeof *runs->values);
  }
  if (mbs_stencil_run_ends_all(status)) return status;
  for (size_t i = 0; i < 2 * count && status != MBS_OK; i++) values[i] = slopes->centre[i % count];
  return MBS_OK;
}

/* The noise of an output that has these values on one side of the point, at one step and at two: what they are apart
 * by, from one another and, but for a jump at the point, from the point's. */
static double noise_beside(double centre, double one, double two) {
  const double size = fmax(fabs(centre), fmax(fabs(one), fabs(two))), beside = fabs(two - one);
  double noise = beside <= noise_most * size || size <= noise_alone * beside ? beside : 0;
  if (fabs(one - centre) <= noise_most * size) noise = fmax(noise, fabs(one - centre));
  return noise;
}

/* What the values of an output that is nothing but noise are apart by; 0: it is something. */
static double noise_around(double centre, const double above[2], const double below[2]) {
  const double most = fmax(centre, fmax(fmax(above[0], above[1]), fmax(below[0], below[1])));
  const double least = fmin(centre, fmin(fmin(above[0], above[1]), fmin(below[0], below[1])));
  const double beside = fmax(fabs(above[1] - above[0]), fabs(below[1] - below[0]));
  const double spread = most - least, size = fmax(fabs(most), fabs(least));
  return size <= noise_alone * spread && spread <= noise_order * beside ? spread : 0;
}

/* Adds to the noise of outputs what shows with values that are others by their rounding; `alone`: of those that are
 * nothing else. */
static mbs_status run_nearby(mbs_stencil_runs *runs, mbs_stencil_slopes *slopes, bool alone) {
  for (int below = 0; below < 2; below++) {
    const mbs_status status = run_beside(runs, slopes, below);
    if (status != MBS_OK) return status;
  }
  for (size_t i = 0; i < slopes->outputs; i++) {
    const double *sides[] = {slopes->sides[0] + i, slopes->sides[1] + i}, centre = slopes->centre[i];
    const double above[] = {sides[0][0], sides[0][slopes->outputs]}, below[] = {sides[1][0], sides[1][slopes->outputs]};
    double noise = noise_around(centre, above, below);
    if (!alone) noise = fmax(noise, noise_beside(centre, above[0], above[1]));
    if (!alone) noise = fmax(noise, noise_beside(centre, below[0], below[1]));
    slopes->noise[i] = fmax(slopes->noise[i], noise_changes * noise);
  }
  return MBS_OK;
}

/* What iterations are wrong by. */
static mbs_status look_at_rounding(mbs_stencil_runs *runs, mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++) slopes->noise[i] = noise_share * fabs(slopes->centre[i]);
  return run_nearby(runs, slopes, false);
}

/* What an integration is wrong by shows with a larger tolerance; where that is no small share of an output, which may
 * be noise alone, one run does not tell how much. */
static mbs_status look_at_tolerance(mbs_stencil_runs *runs, mbs_stencil_slopes *slopes) {
  mbs_model *model = &runs->model;
  double *centre = slopes->centre, *noise = slopes->noise;
  const double rtol = model->rtol, atol = model->atol;
  bool poor = false;
  model->rtol = looser * rtol;
  model->atol = looser * atol;
  mbs_status status = mbs_stencil_run(runs, noise);
  model->rtol = rtol; /* as it was to the last bit: no run depends on those before it */
  model->atol = atol;
  for (size_t i = 0; i < slopes->outputs && status == MBS_OK; i++) {
    const double change = fabs(noise[i] - centre[i]);
    poor |= change > noise_most * fabs(centre[i]);
    noise[i] = fmax(noise_tolerances * model->rtol * fabs(centre[i]), noise_changes * change);
  }
  return poor ? run_nearby(runs, slopes, true) : status;
}

mbs_status mbs_stencil_noise(mbs_stencil_runs *runs, mbs_stencil_slopes *slopes) {
  return mbs_stencil_runs_move(runs) ? look_at_tolerance(runs, slopes) : look_at_rounding(runs, slopes);
}
