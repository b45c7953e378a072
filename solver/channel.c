/* What the inputs of expressions are worth in the state at hand. */
#include "rotation.h"
#include "sliding.h"
#include "space.h"

#include <math.h>
#include <string.h>

double mbs_channel_value(const mbs_system *system, const mbs_channel *channel) {
  const mbs_model *model = system->model;
  const mbs_space_class *space = model->space;
  double out[3];
  switch (channel->kind) {
  case MBS_CHANNEL_TIME: return system->t;
  case MBS_CHANNEL_POINT:
    space->point(system, channel->index, channel->s, channel->level, out);
    return out[channel->component];
  case MBS_CHANNEL_ANGLE: space->rotation(system, channel->index, channel->level, out); return out[channel->component];
  case MBS_CHANNEL_EULER: {
    double p[4];
    space->orientation(system, channel->index, p);
    return p[channel->component];
  }
  case MBS_CHANNEL_MATRIX: {
    double axis[3] = {0, 0, 0};
    axis[channel->component % 3] = 1;
    space->to_global(system, channel->index, axis, out);
    return out[channel->component / 3];
  }
  case MBS_CHANNEL_MEASURE: return space->read_measure(system, &model->coordinates[channel->index], channel->level);
  case MBS_CHANNEL_CURVE: return system->contacts[channel->index].alpha;
  case MBS_CHANNEL_FORCE: return system->outputs[channel->index];
  case MBS_CHANNEL_REACTION: return system->reactions[6 * channel->index + channel->component];
  case MBS_CHANNEL_MULTIPLIER: return system->lambda[channel->index];
  case MBS_CHANNEL_ENERGY: break;
  }
  switch (channel->component) {
  case 0: return space->kinetic(system);
  case 1: return space->potential(system) + system->potential_forces;
  case 2: return system->work;
  default: return system->dissipated;
  }
}

/* The entry A[row][column]:   A' = omega x A,   A'' = alpha x A + omega x A'   for each column of A. */
static void matrix_jet(const mbs_system *system, const mbs_channel *channel, double jet[3]) {
  const mbs_space_class *space = system->model->space;
  double axis[3] = {0, 0, 0}, omega[3], alpha[3], column[3], rate[3], second[3];
  int row = channel->component / 3;
  axis[channel->component % 3] = 1;
  space->to_global(system, channel->index, axis, column);
  space->rotation(system, channel->index, 1, omega);
  space->rotation(system, channel->index, 2, alpha);
  mbs_cross(omega, column, rate);
  mbs_cross(alpha, column, second);
  mbs_add_cross(omega, rate, second);
  jet[0] = column[row];
  jet[1] = rate[row];
  jet[2] = second[row];
}

/* An Euler parameter; its rate is linear in the angular velocity and in the parameters. */
static void euler_jet(const mbs_system *system, const mbs_channel *channel, double jet[3]) {
  const mbs_space_class *space = system->model->space;
  double p[4], rate[4], by_alpha[4], by_rate[4], omega[3], alpha[3];
  space->orientation(system, channel->index, p);
  space->rotation(system, channel->index, 1, omega);
  space->rotation(system, channel->index, 2, alpha);
  mbs_euler_rate(p, omega, rate);
  mbs_euler_rate(p, alpha, by_alpha);
  mbs_euler_rate(rate, omega, by_rate);
  jet[0] = p[channel->component];
  jet[1] = rate[channel->component];
  jet[2] = by_alpha[channel->component] + by_rate[channel->component];
}

/* A quantity that has its rates as channels, too. */
static void motion_jet(const mbs_system *system, const mbs_channel *channel, double jet[3]) {
  mbs_channel derivative = *channel;
  for (int k = 0; k < 3; k++, derivative.level++)
    jet[k] = derivative.level <= 2 ? mbs_channel_value(system, &derivative) : NAN;
}

void mbs_channel_jet(const mbs_system *system, const mbs_channel *channel, double jet[3]) {
  switch (channel->kind) {
  case MBS_CHANNEL_POINT:
  case MBS_CHANNEL_ANGLE:
  case MBS_CHANNEL_MEASURE: motion_jet(system, channel, jet); return;
  case MBS_CHANNEL_MATRIX: matrix_jet(system, channel, jet); return;
  case MBS_CHANNEL_EULER: euler_jet(system, channel, jet); return;
  default: break;
  }
  bool time = channel->kind == MBS_CHANNEL_TIME;
  jet[0] = mbs_channel_value(system, channel);
  jet[1] = time ? 1 : channel->kind == MBS_CHANNEL_CURVE ? system->contacts[channel->index].rate : NAN;
  jet[2] = time ? 0 : NAN;
}

static void gather(const mbs_system *system, const mbs_law *law) {
  for (size_t i = 0; i < law->input_count; i++)
    system->in[i] = mbs_channel_value(system, &system->model->channels[law->channels[i]]);
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

/* Adds weight times a channel's D to that of the bodies. */
static void add_derivatives(const mbs_channel_row *row, double weight, int width, const int *bodies, int body_count,
                            double *D) {
  for (int side = 0; side < 2; side++)
    for (int b = 0; b < body_count && row->bodies[side]; b++)
      if (bodies[b] == row->bodies[side])
        for (int k = 0; k < width; k++) D[b * width + k] += weight * row->D[side][k];
}

const double *mbs_compute_own_row(mbs_system *system, const mbs_block *block, int want) {
  const mbs_joint *joint = &system->model->joints[block->own];
  mbs_own_row row = {.D = system->D + block->d0};
  memset(row.D, 0, (size_t)(system->model->space->width * joint->body_count) * sizeof *row.D);
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

void mbs_law_row(mbs_system *system, const mbs_law *law, const int *bodies, int body_count, mbs_own_row *out) {
  const mbs_model *model = system->model;
  const double *mode = mode_of(system, law);
  double jet[3], pace = system->drivers_held ? 0 : 1; /* of time */
  gather(system, law);
  out->value = mbs_expression_gradient(law->expression, system->in, mode, system->slots, system->gradient);
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_channel *channel = &model->channels[law->channels[i]];
    mbs_channel_row row = {.value = system->t, .rate = pace};
    if (channel->kind == MBS_CHANNEL_TIME) {
      out->partial = pace * system->gradient[i];
    } else {
      model->space->channel_row(system, channel, &row);
      add_derivatives(&row, system->gradient[i], model->space->width, bodies, body_count, out->D);
    }
    system->jets[3 * i] = row.value;
    system->jets[3 * i + 1] = row.rate;
    system->jets[3 * i + 2] = row.bias;
  }
  mbs_expression_jet(law->expression, system->jets, mode, system->slots, jet);
  out->bias = jet[2];
}
