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

bool mbs_dynamics_find_narrow(mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  self->narrow = mbs_arena_alloc(self->run->system->arena, model->law_count + 1, sizeof *self->narrow);
  for (size_t l = 0; self->narrow && l < model->law_count; l++)
    if (is_of_time(model, model->laws[l])) self->narrow[self->narrow_count++] = model->laws[l];
  self->narrow_span = model->t_end - model->t_start;
  return self->narrow != NULL;
}

/* The first law whose functions move further than that from t to t + span; NULL: none does. */
static const mbs_law *moves_more(const mbs_dynamics *self, double t, double span, double lengths) {
  const mbs_system *system = self->run->system;
  const double end = t + span;
  for (size_t k = 0; k < self->narrow_count; k++) {
    const mbs_law *law = self->narrow[k];
    const mbs_expression *expression = mbs_law_numbers(system->constants, law)->expression;
    const double *mode = law->switches && system->mode ? system->mode + law->mode0 : NULL;
    if (law->switches && !mode) continue;
    if (!(mbs_expression_moves(expression, &t, &end, mode, system->slots) <= lengths)) return law;
  }
  return NULL;
}

/* The run's span is halved as often as needed; the search begins where the last one ended, with the same result since
 * functions move less far in a part of a span. */
double mbs_dynamics_narrow_step(void *context, double t, double lengths) {
  mbs_dynamics *self = context;
  const double whole = self->run->model->t_end - self->run->model->t_start, least = least_share * whole;
  while (self->narrow_span < whole && !moves_more(self, t, 2 * self->narrow_span, lengths)) self->narrow_span *= 2;
  while (self->narrow_span > least && moves_more(self, t, self->narrow_span, lengths)) self->narrow_span *= 0.5;
  return fmax(self->narrow_span, least);
}

/* Of a step of fixed length: so many lengths are too many for its stages. */
static const double fixed_lengths = 4;

void mbs_dynamics_watch_narrow(mbs_dynamics *self, double t, double step) {
  const double whole = self->run->model->t_end - self->run->model->t_start;
  if (self->adaptive || self->passed || step <= least_share * whole) return;
  self->passed = moves_more(self, t, step, fixed_lengths);
  self->passed_at = t;
}
