/* Units in which accuracies are counted. A tolerance of 1e-10 is one of metres and of radians in a mechanism a person
 * can hold; in one of nanometres it holds nothing, in one of a planet's size it is out of reach. So lengths count in
 * the unit that someone who draws the mechanism would choose, and times in what the run spans, where these are far
 * from 1. */
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* Mechanisms of this size count in metres [m], others in the power of 1000 m of which they have so many. */
static const double smallest_ordinary = 1e-2, largest_ordinary = 1e3, powers_begin = 1e-2;
/* Spans that count in seconds [s]. */
static const double shortest_ordinary = 1e-3, longest_ordinary = 1e4;

double mbs_length_unit(double extent) {
  if (extent >= smallest_ordinary && extent < largest_ordinary) return 1;
  return pow(10, 3 * floor(log10(extent / powers_begin) / 3));
}

double mbs_time_unit(double shorter, double longer) {
  if (longer < shortest_ordinary) return longer;
  return shorter > longest_ordinary ? shorter : 1;
}

static bool is_length(mbs_primitive primitive) {
  return primitive == MBS_PRIMITIVE_POINT || primitive == MBS_PRIMITIVE_NORMAL || primitive == MBS_PRIMITIVE_DISTANCE ||
         primitive == MBS_PRIMITIVE_ALONG;
}

/* The unit of a block's rows; those of an expression may be anything: the smaller one until it is measured. */
static double row_unit(const mbs_model *model, const mbs_block *block, double length) {
  if (block->primitive == MBS_PRIMITIVE_CUSTOM)
    return model->joints[block->custom].curve_count ? length : fmin(1, length);
  return is_length(block->primitive) ? length : 1;
}

void mbs_fill_units(const mbs_model *model, double length, double *coordinates, double *velocities, double *rows) {
  for (int body = 1; body <= (int)model->nB; body++) {
    int slides = mbs_slide_count(model, body), q = model->first_q[body], v = model->first_v[body];
    for (int k = q; coordinates && k < model->first_q[body + 1]; k++) coordinates[k] = k < q + slides ? length : 1;
    for (int k = v; k < model->first_v[body + 1]; k++) velocities[k] = k < v + slides ? length : 1;
  }
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    for (int r = 0; r < block->rows; r++) rows[block->first_row + r] = row_unit(model, block, length);
  }
}

void mbs_measure_row_units(mbs_system *system, double t, const double *q) {
  const mbs_model *model = system->model;
  if (model->length == 1) return;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_C);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    if (block->primitive != MBS_PRIMITIVE_CUSTOM || model->joints[block->custom].curve_count) continue;
    const int *pattern = model->pattern + block->pattern0;
    double largest = 0;
    for (int c = 0; c < block->columns; c++)
      largest = fmax(largest, fabs(system->C[block->value0 + c]) * system->v_units[pattern[c]]);
    if (largest > 0 && isfinite(largest)) system->row_units[block->first_row] = largest;
  }
}

double mbs_largest_in_units(const double *x, const double *units, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(x[i])) return INFINITY;
    largest = fmax(largest, fabs(x[i]) / units[i]);
  }
  return largest;
}

double mbs_primitive_unit(const mbs_model *model, mbs_primitive primitive) {
  return is_length(primitive) ? model->length : 1;
}

double mbs_input_unit(const mbs_model *model, const mbs_input *input) {
  double unit = input->kind == MBS_INPUT_POINT ? model->length : 1;
  if (input->kind == MBS_INPUT_PRIMITIVE) unit = mbs_primitive_unit(model, model->coordinates[input->index].primitive);
  return unit / pow(model->time, input->level);
}

double mbs_function_unit(const mbs_system *system, size_t function) {
  const mbs_model *model = system->model;
  for (size_t b = 0; b < model->block_count; b++)
    if (model->blocks[b].function == (int)function) return system->row_units[model->blocks[b].first_row];
  return 1;
}

double mbs_least_speed(const mbs_system *system, const double *v) {
  double floor = 1 / system->model->time;
  return floor < 1 ? fmax(floor, fmin(1, mbs_largest_in_units(v, system->v_units, system->model->nv))) : floor;
}

static bool is_turn(const mbs_model *model, size_t velocity) {
  int body = model->velocity_body[velocity];
  return (int)velocity >= model->first_v[body] + mbs_slide_count(model, body);
}

/* How long the fastest slide (or turn) takes for one unit from (v, v'), which the system holds. */
static double time_of_motion(const mbs_system *system, const double *v, bool turns) {
  const mbs_model *model = system->model;
  double shortest = INFINITY;
  for (size_t k = 0; k < model->nv; k++) {
    if (is_turn(model, k) != turns) continue;
    double unit = system->v_units[k];
    if (v[k] != 0) shortest = fmin(shortest, unit / fabs(v[k]));
    if (system->vdot[k] != 0) shortest = fmin(shortest, sqrt(unit / fabs(system->vdot[k])));
  }
  return shortest;
}

/* The unit of time of slides (or turns). Where one of the two times is ordinary, errors count as strictly as ever. */
static double error_time(const mbs_system *system, const double *v, bool turns) {
  double span = system->model->t_end - system->model->t_start, motion = time_of_motion(system, v, turns);
  return mbs_time_unit(fmin(span, motion), fmax(span, motion));
}

void mbs_fill_error_units(mbs_system *system, const double *q, const double *v, double *units) {
  const mbs_model *model = system->model;
  double slides = 1, turns = 1;
  uint64_t evaluations = system->evaluations;
  if (model->time != 1 && mbs_evaluate(system, model->t_start, q, v) == MBS_OK) {
    slides = error_time(system, v, false);
    turns = error_time(system, v, true);
  }
  system->evaluations = evaluations; /* a look at the start is not the method's work */
  memcpy(units, system->q_units, model->nq * sizeof *units);
  for (size_t k = 0; k < model->nv; k++) {
    units[model->nq + k] = system->v_units[k] / (is_turn(model, k) ? turns : slides);
  }
}
