/* Forces and drivers that follow the time alone may have pulses and waves that are narrower than a step: its stages
 * would pass them by, and its error would not tell. How far the arguments of their functions move in a step is bounded
 * by interval arithmetic (mbs_expression_moves()), and steps are made so short that this is a few lengths. */
#include "analyses/dynamics.h"

#include <math.h>

/* No step is made shorter than this share of the run: where a function begins, as a root of the time does, its
 * argument moves without end. */
static const double least_share = 1e-6;

static bool is_of_time(const mbs_model *model, const mbs_law *law) {
  return law->moves && law->input_count == 1 && model->inputs[law->inputs[0]].kind == MBS_INPUT_TIME &&
         mbs_expression_may_be_narrow(law->expression);
}

/* Of a step of fixed length: so many lengths are too many for its stages. */
static const double fixed_lengths = 4;

void mbs_dynamics_watch_narrow(mbs_dynamics *self, double t, double step) {
  if (self->adaptive || self->passed || self->narrow_count == 0) return;
  if (step <= (1 + 1e-9) * mbs_dynamics_narrow_step(self, t, fixed_lengths)) return;
  self->passed = self->narrow[0];
  self->passed_at = t;
}

bool mbs_dynamics_find_narrow(mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  self->narrow = mbs_arena_alloc(self->run->system->arena, model->law_count + 1, sizeof *self->narrow);
  for (size_t l = 0; self->narrow && l < model->law_count; l++)
    if (is_of_time(model, model->laws[l])) self->narrow[self->narrow_count++] = model->laws[l];
  return self->narrow != NULL;
}

double mbs_dynamics_narrow_step(void *context, double t, double lengths) {
  const mbs_dynamics *self = context;
  const mbs_system *system = self->run->system;
  const mbs_model *model = self->run->model;
  const double span = model->t_end - model->t_start, least = least_share * span;
  double longest = span;
  for (size_t k = 0; k < self->narrow_count; k++) {
    const mbs_law *law = self->narrow[k];
    const mbs_expression *expression = mbs_law_numbers(system->constants, law)->expression;
    const double *mode = law->switches && system->mode ? system->mode + law->mode0 : NULL;
    if (law->switches && !mode) continue;
    for (double end = t + longest; longest > least; end = t + longest) {
      if (mbs_expression_moves(expression, &t, &end, mode, system->slots) <= lengths) break;
      longest *= 0.5;
    }
  }
  return longest > least ? longest : least;
}
