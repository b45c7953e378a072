/* Values of laws, their switches, and constraint rows that are laws. */
#include "equations/law.h"

#include "equations/feedback.h"
#include "equations/input.h"
#include "equations/sliding.h"
#include "expression/program.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void gather(const mbs_system *system, const mbs_law *law) {
  assert(law->input_count <= system->model->input_max);
  for (size_t i = 0; i < law->input_count; i++)
    system->in[i] = mbs_input_value(system, &system->model->inputs[law->inputs[i]]);
}

/* Returns the held branches of a law; NULL if its switches follow the state. */
static const double *mode_of(const mbs_system *system, const mbs_law *law) {
  assert(law->switches >= 0 && (size_t)(law->mode0 + law->switches) <= system->model->switch_count);
  return system->mode && law->switches ? system->mode + law->mode0 : NULL;
}

double mbs_law_value(const mbs_system *system, const mbs_law *law) {
  if (law->feedback) return system->feedback->values[law->feedback - 1];
  return mbs_law_current(system, law);
}

double mbs_law_current(const mbs_system *system, const mbs_law *law) {
  const mbs_law_constants *numbers = mbs_law_numbers(system->constants, law);
  if (!numbers->expression) return numbers->value;
  gather(system, law);
  if (law->switches && system->mode && system->sliding->count) return mbs_sliding_value(system, law);
  return mbs_expression_value(numbers->expression, system->in, mode_of(system, law), system->slots);
}

double mbs_law_value_at(const mbs_system *system, const mbs_law *law, const double *mode, const double *in) {
  const mbs_law_constants *numbers = mbs_law_numbers(system->constants, law);
  if (!mode && !in) return mbs_law_value(system, law);
  if (!numbers->expression) return numbers->value;
  if (!in) gather(system, law);
  return mbs_expression_value(numbers->expression, in ? in : system->in, mode ? mode : mode_of(system, law),
                              system->slots);
}

const char *mbs_law_outside(const mbs_system *system, const mbs_law *law, double later, double out[2]) {
  const mbs_expression *expression = mbs_law_numbers(system->constants, law)->expression;
  if (!expression) return NULL;
  gather(system, law);
  for (int round = 0; round < 2; round++) {
    const bool has_value = isfinite(mbs_expression_value(expression, system->in, NULL, system->slots));
    const char *table = has_value ? NULL : mbs_expression_outside(expression, system->in, system->slots, out);
    if (table) return table;
    for (size_t i = 0; i < law->input_count; i++)
      if (system->model->inputs[law->inputs[i]].kind == MBS_INPUT_TIME) system->in[i] = later;
  }
  return NULL;
}

bool mbs_law_is_same(const mbs_constants *one, const mbs_constants *other, const mbs_law *law) {
  const mbs_law_constants *numbers = mbs_law_numbers(one, law), *others = mbs_law_numbers(other, law);
  if (!numbers->expression) return numbers->value == others->value;
  return memcmp(numbers->expression->constants, others->expression->constants,
                numbers->expression->program.literal_count * sizeof(double)) == 0;
}

void mbs_law_margins(const mbs_system *system, const mbs_law *law, double *margins) {
  if (!law->switches) return;
  gather(system, law);
  mbs_expression_margins(mbs_law_expression(system, law), system->in, mode_of(system, law), system->slots,
                         margins + law->mode0);
}

void mbs_law_mode(const mbs_system *system, const mbs_law *law, double *mode) {
  if (!law->switches) return;
  gather(system, law);
  mbs_expression_mode(mbs_law_expression(system, law), system->in, NULL, system->slots, mode + law->mode0);
}

/* Adds weight times an input's D to that of the bodies. */
static void add_derivatives(const mbs_input_row *row, double weight, int width, const int *bodies, int body_count,
                            double *D) {
  for (int side = 0; side < 2; side++)
    for (int b = 0; b < body_count && row->bodies[side]; b++)
      if (bodies[b] == row->bodies[side])
        for (int k = 0; k < width; k++) D[b * width + k] += weight * row->D[side][k];
}

/* theory (3.12) */
void mbs_state_jet(const mbs_system *system, int index, double jet[3]) {
  const mbs_model *model = system->model;
  const mbs_law *rate = &model->states[index].rate;
  const mbs_law_constants *numbers = mbs_law_numbers(system->constants, rate);
  double value[3] = {numbers->value, 0, 0};
  if (numbers->expression) {
    for (size_t i = 0; i < rate->input_count; i++) {
      mbs_input_jet(system, &model->inputs[rate->inputs[i]], system->rate_jets + 3 * i);
      system->rate_jets[3 * i + 2] = 0; /* not needed, and not always known */
    }
    mbs_expression_jet(numbers->expression, system->rate_jets, mode_of(system, rate), system->slots, value);
  }
  jet[0] = system->z[index];
  jet[1] = value[0];
  jet[2] = value[1];
}

/* Returns a state as an input of a row. */
static mbs_input_row state_row(const mbs_system *system, const mbs_input *input) {
  double jet[3];
  mbs_state_jet(system, input->index, jet);
  return (mbs_input_row){.value = jet[0], .rate = jet[1], .bias = jet[2]};
}

/* theory (3.11), (3.12) */
void mbs_law_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count, mbs_custom_row *out) {
  const mbs_model *model = system->model;
  const double *mode = mode_of(system, law);
  double jet[3], pace = system->drivers_held ? 0 : 1; /* rate of time */
  gather(system, law);
  /* phi and dphi/dx_k */
  out->value =
      mbs_expression_gradient(mbs_law_expression(system, law), system->in, mode, system->slots, system->gradient);
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    mbs_input_row row = {.value = system->t, .rate = pace};
    if (input->kind == MBS_INPUT_TIME) {
      out->partial += pace * system->gradient[i];
    } else if (input->kind == MBS_INPUT_STATE) {
      row = state_row(system, input);
      out->partial += system->gradient[i] * row.rate;
    } else if (input->kind == MBS_INPUT_DISCRETE) {
      row = (mbs_input_row){.value = system->in[i]};
    } else {
      /* D += dphi/dx_k D_k */
      model->kernels->input_row(system, input, &row);
      add_derivatives(&row, system->gradient[i], model->kernels->width, bodies, body_count, out->D);
    }
    /* (x_k, x_k', b_k) */
    system->jets[3 * i] = row.value;
    system->jets[3 * i + 1] = row.rate;
    system->jets[3 * i + 2] = row.bias;
  }
  mbs_expression_jet(mbs_law_expression(system, law), system->jets, mode, system->slots, jet);
  out->bias = jet[2];
}

/* f = D(q, t) V + c(q, t). theory (3.13) */
void mbs_law_velocity_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count,
                          mbs_custom_row *out) {
  const mbs_model *model = system->model;
  const double *mode = mode_of(system, law);
  double jet[3], pace = system->drivers_held ? 0 : 1; /* pace: rate of time */
  gather(system, law);
  /* f and df/dx_k */
  out->partial =
      mbs_expression_gradient(mbs_law_expression(system, law), system->in, mode, system->slots, system->gradient);
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    mbs_input_row row = {.value = system->t, .rate = pace};
    if (input->kind == MBS_INPUT_DISCRETE)
      row = (mbs_input_row){.value = system->in[i]};
    else if (input->kind == MBS_INPUT_STATE)
      row = state_row(system, input);
    else if (input->kind != MBS_INPUT_TIME)
      model->kernels->input_row(system, input, &row);
    double *x = system->jets + 3 * i;
    x[0] = row.value;
    x[1] = row.rate;
    x[2] = 0; /* f' alone is asked for */
    if (input->level == 0) continue;
    /* input k is a velocity: D += df/dx_k D_k, c = f - sum df/dx_k x_k */
    add_derivatives(&row, system->gradient[i], model->kernels->width, bodies, body_count, out->D);
    out->partial -= system->gradient[i] * row.rate;
    x[0] = row.rate;
    x[1] = row.bias;
  }
  mbs_expression_jet(mbs_law_expression(system, law), system->jets, mode, system->slots, jet);
  out->bias = jet[1];
}
