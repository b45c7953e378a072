/* Values of the inputs of expressions at the current state. */
#include "equations/input.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "equations/externals.h"
#include "equations/law.h"
#include "equations/teeth.h"
#include "kernels/kernels.h"

#ifdef MBS_LANES
static mbs_real input_rate(const mbs_system *system, const mbs_input *input) {
  return (void)system, (void)input, MBS_ALL(NAN); /* lanes do not read it */
}

static mbs_real external_value(const mbs_system *system, const mbs_input *input) { return input_rate(system, input); }
#else
static void rate_jet(const mbs_system *system, const mbs_input *input, double jet[3]);

static double input_rate(const mbs_system *system, const mbs_input *input) {
  double jet[3];
  rate_jet(system, input, jet);
  return jet[0];
}

static double external_value(const mbs_system *system, const mbs_input *input) {
  double jet[3];
  mbs_external_jet(system, input->index, system->t, jet);
  return jet[0];
}
#endif

mbs_real mbs_input_value(const mbs_system *system, const mbs_input *input) {
  assert(input->level >= 0 && input->level <= 2);
  const mbs_model *model = system->model;
  const mbs_kernels *kernels = system->kernels;
  mbs_real out[3];
  switch (input->kind) {
  case MBS_INPUT_TIME: return system->t;
  case MBS_INPUT_POINT:
    kernels->point(system, input->index, mbs_input_point(system, input), input->level, out);
    return out[input->component];
  case MBS_INPUT_ANGLE: kernels->rotation(system, input->index, input->level, out); return out[input->component];
  case MBS_INPUT_EULER: {
    mbs_real p[4];
    assert(input->component >= 0 && input->component < 4);
    kernels->orientation(system, input->index, p);
    return p[input->component];
  }
  case MBS_INPUT_MATRIX: {
    /* A_jk: component j of the body's axis k */
    assert(input->component >= 0 && input->component < 9);
    mbs_real axis[3] = {MBS_ALL(0)};
    axis[input->component % 3] = MBS_ALL(1);
    kernels->to_global(system, input->index, axis, out);
    return out[input->component / 3];
  }
  case MBS_INPUT_PRIMITIVE: return kernels->read_primitive(system, &model->coordinates[input->index], input->level);
  case MBS_INPUT_CURVE: return system->contacts[input->index].alpha;
  case MBS_INPUT_STATE: return MBS_ALL(system->z[input->index]);
  case MBS_INPUT_RATE: return input_rate(system, input);
  case MBS_INPUT_DISCRETE: return MBS_ALL(system->discrete[input->index]);
  case MBS_INPUT_EXTERNAL: return external_value(system, input);
  case MBS_INPUT_FORCE: return system->outputs[input->index];
  case MBS_INPUT_REACTION: return system->reactions[6 * input->index + input->component];
  case MBS_INPUT_MULTIPLIER: return system->borne[input->index];
  case MBS_INPUT_TOOTH: return MBS_ALL(mbs_tooth_output(system, input->index, input->component));
  case MBS_INPUT_ENERGY: break;
  }
  /* T, V, W, E_d */
  switch (input->component) {
  case 0: return kernels->kinetic(system);
  case 1: return kernels->potential(system) + system->potential_forces;
  case 2: return system->work;
  default: return system->dissipated;
  }
}

/* Rates are computed for scalars only. */
#ifndef MBS_LANES

/* Computes the entry A[row][column] with its rates:   A' = omega x A,   A'' = alpha x A + omega x A'   for each column
 * of A. */
static void matrix_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
  assert(input->component >= 0 && input->component < 9);
  const mbs_kernels *kernels = system->model->kernels;
  double axis[3] = {0, 0, 0}, omega[3], alpha[3], column[3], rate[3], second[3];
  int row = input->component / 3;
  axis[input->component % 3] = 1;
  kernels->to_global(system, input->index, axis, column);
  kernels->rotation(system, input->index, 1, omega);
  kernels->rotation(system, input->index, 2, alpha);
  mbs_cross(omega, column, rate);
  mbs_cross(alpha, column, second);
  mbs_add_cross(omega, rate, second);
  jet[0] = column[row];
  jet[1] = rate[row];
  jet[2] = second[row];
}

/* Computes an Euler parameter with its rates; its rate is linear in the angular velocity and in the parameters. */
static void euler_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
  assert(input->component >= 0 && input->component < 4);
  const mbs_kernels *kernels = system->model->kernels;
  double p[4], rate[4], by_alpha[4], by_rate[4], omega[3], alpha[3];
  kernels->orientation(system, input->index, p);
  kernels->rotation(system, input->index, 1, omega);
  kernels->rotation(system, input->index, 2, alpha);
  /* p' = (0, omega) p / 2, p'' = (0, alpha) p / 2 + (0, omega) p' / 2 */
  mbs_euler_rate(p, omega, rate);
  mbs_euler_rate(p, alpha, by_alpha);
  mbs_euler_rate(rate, omega, by_rate);
  jet[0] = p[input->component];
  jet[1] = rate[input->component];
  jet[2] = by_alpha[input->component] + by_rate[input->component];
}

/* Computes a quantity whose rates are inputs, too. */
static void motion_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
  mbs_input derivative = *input;
  for (int k = 0; k < 3; k++, derivative.level++)
    jet[k] = derivative.level <= 2 ? mbs_input_value(system, &derivative) : NAN;
}

/* Computes the time derivative of a signal's input with its rate; the second rate is not known. */
static void rate_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
  const mbs_law *law = &system->model->signals[input->index].input;
  double value[3] = {0, 0, 0};
  if (law->expression) {
    for (size_t i = 0; i < law->input_count; i++)
      mbs_input_jet(system, &system->model->inputs[law->inputs[i]], system->rate_jets + 3 * i);
    mbs_expression_jet(mbs_law_expression(system, law), system->rate_jets, NULL, system->slots, value);
  }
  jet[0] = value[1];
  jet[1] = value[2];
  jet[2] = NAN;
}

void mbs_input_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
  switch (input->kind) {
  case MBS_INPUT_POINT:
  case MBS_INPUT_ANGLE:
  case MBS_INPUT_PRIMITIVE: motion_jet(system, input, jet); return;
  case MBS_INPUT_MATRIX: matrix_jet(system, input, jet); return;
  case MBS_INPUT_EULER: euler_jet(system, input, jet); return;
  default: break;
  }
  bool time = input->kind == MBS_INPUT_TIME, constant = input->kind == MBS_INPUT_DISCRETE;
  if (input->kind == MBS_INPUT_RATE || input->kind == MBS_INPUT_EXTERNAL) {
    if (input->kind == MBS_INPUT_RATE)
      rate_jet(system, input, jet);
    else
      mbs_external_jet(system, input->index, system->t, jet);
    return;
  }
  jet[0] = mbs_input_value(system, input);
  if (input->kind == MBS_INPUT_STATE) {
    /* this may be an input of a law whose other inputs are in `in` */
    const size_t size = system->model->input_max * sizeof *system->in;
    memcpy(system->kept_in, system->in, size);
    jet[1] = mbs_law_value(system, &system->model->states[input->index].rate);
    memcpy(system->in, system->kept_in, size);
    jet[2] = NAN;
    return;
  }
  jet[1] = time ? 1 : constant ? 0 : input->kind == MBS_INPUT_CURVE ? system->contacts[input->index].rate : NAN;
  jet[2] = time || constant ? 0 : NAN;
}

#endif
