/* What the inputs of expressions are worth in the state at hand. */
#include "base/rotation.h"
#include "equations/sliding.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

double mbs_input_value(const mbs_system *system, const mbs_input *input) {
  const mbs_model *model = system->model;
  const mbs_kernels *kernels = model->kernels;
  double out[3];
  switch (input->kind) {
  case MBS_INPUT_TIME: return system->t;
  case MBS_INPUT_POINT: kernels->point(system, input->index, input->s, input->level, out); return out[input->component];
  case MBS_INPUT_ANGLE: kernels->rotation(system, input->index, input->level, out); return out[input->component];
  case MBS_INPUT_EULER: {
    double p[4];
    kernels->orientation(system, input->index, p);
    return p[input->component];
  }
  case MBS_INPUT_MATRIX: {
    double axis[3] = {0, 0, 0};
    axis[input->component % 3] = 1;
    kernels->to_global(system, input->index, axis, out);
    return out[input->component / 3];
  }
  case MBS_INPUT_PRIMITIVE: return kernels->read_primitive(system, &model->coordinates[input->index], input->level);
  case MBS_INPUT_CURVE: return system->contacts[input->index].alpha;
  case MBS_INPUT_FORCE: return system->outputs[input->index];
  case MBS_INPUT_REACTION: return system->reactions[6 * input->index + input->component];
  case MBS_INPUT_MULTIPLIER: return system->lambda[input->index];
  case MBS_INPUT_ENERGY: break;
  }
  switch (input->component) {
  case 0: return kernels->kinetic(system);
  case 1: return kernels->potential(system) + system->potential_forces;
  case 2: return system->work;
  default: return system->dissipated;
  }
}

/* The entry A[row][column]:   A' = omega x A,   A'' = alpha x A + omega x A'   for each column of A. */
static void matrix_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
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

/* An Euler parameter; its rate is linear in the angular velocity and in the parameters. */
static void euler_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
  const mbs_kernels *kernels = system->model->kernels;
  double p[4], rate[4], by_alpha[4], by_rate[4], omega[3], alpha[3];
  kernels->orientation(system, input->index, p);
  kernels->rotation(system, input->index, 1, omega);
  kernels->rotation(system, input->index, 2, alpha);
  mbs_euler_rate(p, omega, rate);
  mbs_euler_rate(p, alpha, by_alpha);
  mbs_euler_rate(rate, omega, by_rate);
  jet[0] = p[input->component];
  jet[1] = rate[input->component];
  jet[2] = by_alpha[input->component] + by_rate[input->component];
}

/* A quantity that has its rates as inputs, too. */
static void motion_jet(const mbs_system *system, const mbs_input *input, double jet[3]) {
  mbs_input derivative = *input;
  for (int k = 0; k < 3; k++, derivative.level++)
    jet[k] = derivative.level <= 2 ? mbs_input_value(system, &derivative) : NAN;
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
  bool time = input->kind == MBS_INPUT_TIME;
  jet[0] = mbs_input_value(system, input);
  jet[1] = time ? 1 : input->kind == MBS_INPUT_CURVE ? system->contacts[input->index].rate : NAN;
  jet[2] = time ? 0 : NAN;
}

static void gather(const mbs_system *system, const mbs_law *law) {
  for (size_t i = 0; i < law->input_count; i++)
    system->in[i] = mbs_input_value(system, &system->model->inputs[law->inputs[i]]);
}

/* The held branches of a law; NULL where its switches are live. */
static const double *mode_of(const mbs_system *system, const mbs_law *law) {
  return system->mode && law->switches ? system->mode + law->mode0 : NULL;
}

double mbs_law_value(const mbs_system *system, const mbs_law *law) {
  if (!law->expression) return law->value;
  gather(system, law);
  if (law->switches && system->mode && system->sliding->count) return mbs_sliding_value(system, law);
  return mbs_expression_value(law->expression, system->in, mode_of(system, law), system->slots);
}

void mbs_law_margins(const mbs_system *system, const mbs_law *law, double *margins) {
  if (!law->switches) return;
  gather(system, law);
  mbs_expression_margins(law->expression, system->in, mode_of(system, law), system->slots, margins + law->mode0);
}

void mbs_law_mode(const mbs_system *system, const mbs_law *law, double *mode) {
  if (!law->switches) return;
  gather(system, law);
  mbs_expression_mode(law->expression, system->in, NULL, system->slots, mode + law->mode0);
}

/* Adds weight times an input's D to that of the bodies. */
static void add_derivatives(const mbs_input_row *row, double weight, int width, const int *bodies, int body_count,
                            double *D) {
  for (int side = 0; side < 2; side++)
    for (int b = 0; b < body_count && row->bodies[side]; b++)
      if (bodies[b] == row->bodies[side])
        for (int k = 0; k < width; k++) D[b * width + k] += weight * row->D[side][k];
}

const double *mbs_compute_custom_row(mbs_system *system, const mbs_block *block, int want) {
  const mbs_joint *joint = &system->model->joints[block->custom];
  mbs_custom_row row = {.D = system->D + block->d0};
  memset(row.D, 0, (size_t)(system->model->kernels->width * joint->body_count) * sizeof *row.D);
  if (system->fault.status == MBS_OK)
    joint->cls->row(system, joint, &row);
  else
    row.value = row.partial = row.bias = NAN;
  if (want & MBS_WANT_PHI) system->Phi[block->first_row] = row.value;
  if (want & MBS_WANT_RHS) {
    system->rhsV[block->first_row] = -row.partial;
    system->rhsA[block->first_row] = -row.bias;
  }
  return row.D;
}

void mbs_law_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count, mbs_custom_row *out) {
  const mbs_model *model = system->model;
  const double *mode = mode_of(system, law);
  double jet[3], pace = system->drivers_held ? 0 : 1; /* of time */
  gather(system, law);
  out->value = mbs_expression_gradient(law->expression, system->in, mode, system->slots, system->gradient);
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    mbs_input_row row = {.value = system->t, .rate = pace};
    if (input->kind == MBS_INPUT_TIME) {
      out->partial = pace * system->gradient[i];
    } else {
      model->kernels->input_row(system, input, &row);
      add_derivatives(&row, system->gradient[i], model->kernels->width, bodies, body_count, out->D);
    }
    system->jets[3 * i] = row.value;
    system->jets[3 * i + 1] = row.rate;
    system->jets[3 * i + 2] = row.bias;
  }
  mbs_expression_jet(law->expression, system->jets, mode, system->slots, jet);
  out->bias = jet[2];
}
