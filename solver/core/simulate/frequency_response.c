/* Frequency response: outputs y of the equations linearized at a state for inputs w exp(i omega t),
 *
 *   X' = A X + sum_k B_k w^(k),   y = C X + sum_k D_k w^(k),   w^(k) = (i omega)^k w,
 *   response = C (i omega I - A)^-1 sum_k (i omega)^k B_k + sum_k (i omega)^k D_k,   X = (z, u, x).
 *
 * A parameter of forces enters by its value, k = 0. A driver moves its constraint, so its velocity and acceleration
 * enter, too, k = 0, 1, 2. theory (15.20) */
#include "equations/law.h"
#include "equations/state.h"
#include "linalg/lapack.h"
#include "model/constants.h"
#include "run/notes.h"
#include "run/record.h"
#include "run/run_errors.h"
#include "simulate/analyses.h"
#include "simulate/equilibrium_check.h"
#include "simulate/linearize.h"

#include <math.h>
#include <string.h>

enum { ORDERS = 3 }; /* the value of a driver, its velocity and its acceleration */

/* Input of the linear equations: a parameter, or a driver or one of its derivatives. */
typedef struct channel {
  size_t input; /* index in the plan */
  int order;    /* number of derivatives by time */
} channel;

typedef struct frequency_response {
  mbs_run_state *run;
  const mbs_frequency_plan *plan;
  const mbs_constants *original;
  mbs_constants *changed; /* constants for other values of the parameters */
  double *values;         /* [parameter_count] those of the run */
  double *discrete;       /* [discrete_count] variables and sampled values of the run */
  channel *channels;      /* [ports.inputs] */
  mbs_ports ports;
  mbs_linearization linear;
  size_t n;               /* number of states */
  double *A, *B, *C;      /* [n x n], [n x channels], [outputs x n] column-major */
  double *system, *right; /* [2n x 2n], [2n x inputs] the complex equations of one frequency as real ones */
  int *pivots;            /* [2n] */
} frequency_response;

static int function_of(const mbs_model *model, int driver) {
  return model->blocks[model->drivers[driver].block].function;
}

static double channel_unit(void *user, size_t index) {
  const frequency_response *self = user;
  const channel *of = &self->channels[index];
  const struct mbs_frequency_input *input = &self->plan->inputs[of->input];
  const mbs_constants *constants = self->original;
  if (input->parameter >= 0) {
    const double value = self->values[input->parameter];
    return value != 0 ? fabs(value) : 1;
  }
  const mbs_function *function = &self->run->model->functions[function_of(self->run->model, input->driver)];
  const double size = function->unit && strcmp(function->unit, "m") == 0 ? constants->length : 1;
  return size / pow(constants->time, of->order);
}

/* Uses other numbers of the model. Variables and sampled values stay. */
static void use(frequency_response *self, const mbs_constants *constants) {
  mbs_system *system = self->run->system;
  mbs_system_rebind(system, constants);
  memcpy(system->discrete, self->discrete, self->run->model->discrete_count * sizeof *self->discrete);
}

/* Binds the numbers of the model for another value of a parameter; those of the model for no change. */
static mbs_status set_parameter(frequency_response *self, int parameter, double change) {
  mbs_diagnostics list = {0};
  if (change == 0) {
    use(self, self->original);
    return MBS_OK;
  }
  const double value = self->values[parameter];
  self->values[parameter] = value + change;
  const mbs_status status = mbs_bind(self->changed, self->values, &list);
  self->values[parameter] = value;
  mbs_diagnostics_free(&list);
  if (status == MBS_OK) use(self, self->changed);
  return status == MBS_OK ? MBS_OK : MBS_NOT_FINITE; /* a smaller change may be allowed */
}

static mbs_status set_channel(void *user, size_t index, double change) {
  frequency_response *self = user;
  mbs_system *system = self->run->system;
  const channel *of = &self->channels[index];
  const struct mbs_frequency_input *input = &self->plan->inputs[of->input];
  if (input->parameter >= 0) return set_parameter(self, input->parameter, change);
  const size_t function = (size_t)function_of(self->run->model, input->driver);
  double *offset =
      of->order == 0 ? &system->offsets[function] : &system->rate_offsets[2 * function + (size_t)of->order - 1];
  *offset = change;
  return MBS_OK;
}

static mbs_status read_outputs(void *user, double t, const double *q, const double *v, double *out) {
  const frequency_response *self = user;
  const mbs_status status = mbs_run_show(self->run, t, q, v);
  for (size_t k = 0; k < self->plan->output_count && status == MBS_OK; k++)
    out[k] = mbs_law_value(self->run->system, &self->run->model->sensors[self->plan->outputs[k]].law);
  return status;
}

static bool open_channels(frequency_response *self) {
  const mbs_frequency_plan *plan = self->plan;
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  bool parameters = false;
  self->channels = mbs_arena_alloc(arena, ORDERS * plan->input_count + 1, sizeof *self->channels);
  self->values = mbs_arena_alloc(arena, model->parameter_count + 1, sizeof *self->values);
  self->discrete = mbs_arena_alloc(arena, model->discrete_count + 1, sizeof *self->discrete);
  if (!self->channels || !self->values || !self->discrete) return false;
  memcpy(self->discrete, self->run->system->discrete, model->discrete_count * sizeof *self->discrete);
  self->ports = (mbs_ports){
      .outputs = plan->output_count, .user = self, .unit = channel_unit, .set = set_channel, .read = read_outputs};
  for (size_t i = 0; i < plan->input_count; i++) {
    const bool driver = plan->inputs[i].driver >= 0;
    parameters |= !driver;
    for (int order = 0; order < (driver ? ORDERS : 1); order++)
      self->channels[self->ports.inputs++] = (channel){.input = i, .order = order};
  }
  if (!parameters) return true;
  /* the model's own constants have no list of parameters; those that a run has bound do */
  const bool own = self->original == model->constants;
  mbs_diagnostics none = {0};
  self->changed = mbs_constants_new(model, arena);
  const bool bound = self->changed && (!own || mbs_bind(self->changed, NULL, &none) == MBS_OK);
  mbs_diagnostics_free(&none);
  if (!bound) return false;
  const mbs_constants *given = own ? self->changed : self->original;
  memcpy(self->values, given->parameters, model->parameter_count * sizeof *self->values);
  return true;
}

static bool open_matrices(frequency_response *self) {
  mbs_arena *arena = self->run->system->arena;
  const size_t n = self->n = self->linear.positions + self->linear.n + self->linear.states;
  self->A = mbs_arena_alloc(arena, n * n + 1, sizeof(double));
  self->B = mbs_arena_alloc(arena, n * self->ports.inputs + 1, sizeof(double));
  self->C = mbs_arena_alloc(arena, n * self->ports.outputs + 1, sizeof(double));
  self->system = mbs_arena_alloc(arena, 4 * n * n + 1, sizeof(double));
  self->right = mbs_arena_alloc(arena, 2 * n * self->plan->input_count + 1, sizeof(double));
  self->pivots = mbs_arena_alloc(arena, 2 * n + 1, sizeof *self->pivots);
  return self->A && self->B && self->C && self->system && self->right && self->pivots;
}

/* Computes M^-1 of `right` [n x columns]. */
static mbs_status solve_mass(frequency_response *self, size_t columns, double *right) {
  const size_t n = self->linear.n;
  double *M = mbs_arena_alloc(self->run->system->arena, n * n + 1, sizeof *M);
  if (!M) return MBS_NO_MEMORY;
  memcpy(M, self->linear.M, n * n * sizeof *M);
  if (n && !(mbs_lu_factor(n, M, self->pivots) > 0)) return MBS_NOT_FINITE;
  mbs_lu_solve(n, columns, M, self->pivots, right);
  return MBS_OK;
}

/* Computes B, whose rows are those of z', u' and x'. */
static mbs_status find_inputs(frequency_response *self) {
  const mbs_linearization *linear = &self->linear;
  const size_t n = linear->n, p = linear->positions, inputs = self->ports.inputs;
  const size_t rates = linear->partition.positions ? p : 0, more = rates + linear->states;
  const mbs_status status = solve_mass(self, inputs, linear->B);
  for (size_t j = 0; j < inputs && status == MBS_OK; j++) {
    double *column = self->B + j * self->n;
    memcpy(column, linear->Br + j * more, rates * sizeof *column);
    memcpy(column + p, linear->B + j * n, n * sizeof *column);
    memcpy(column + p + n, linear->Br + j * more + rates, linear->states * sizeof *column);
  }
  return status;
}

/* Computes A, B and C of the unknowns (z, u, x). Where the linearization has no A, u is z'. */
static mbs_status find_state_equations(frequency_response *self) {
  const mbs_linearization *linear = &self->linear;
  const size_t n = linear->n, outputs = self->ports.outputs;
  mbs_status status = find_inputs(self);
  if (status != MBS_OK) return status;
  memcpy(self->C, linear->Y, outputs * self->n * sizeof *self->C);
  if (linear->A) {
    memcpy(self->A, linear->A, self->n * self->n * sizeof *self->A);
    return MBS_OK;
  }
  double *right = mbs_arena_alloc(self->run->system->arena, 2 * n * n + 1, sizeof *right);
  if (!right) return MBS_NO_MEMORY;
  for (size_t i = 0; i < n * n; i++) {
    right[i] = -linear->K[i];
    right[n * n + i] = -linear->C[i];
  }
  if ((status = solve_mass(self, 2 * n, right)) != MBS_OK) return status;
  for (size_t j = 0; j < 2 * n; j++) memcpy(self->A + j * 2 * n + n, right + j * n, n * sizeof *right);
  for (size_t i = 0; i < n; i++) self->A[(n + i) * 2 * n + i] = 1;
  /* u = z' - Gamma z */
  for (size_t j = 0; linear->Gamma && j < n; j++)
    for (size_t k = 0; k < n; k++)
      for (size_t i = 0; i < outputs; i++)
        self->C[j * outputs + i] -= linear->Y[(n + k) * outputs + i] * linear->Gamma[j * n + k];
  return MBS_OK;
}

/* Adds (i omega)^order times `value` to a complex number. */
static void add_rate(double omega, int order, double value, double *re, double *im) {
  if (order == 0) *re += value;
  if (order == 1) *im += omega * value;
  if (order == 2) *re -= omega * omega * value;
}

/* Solves (i omega I - A) X = sum_k (i omega)^k B_k: real parts of X, then imaginary parts, in self->right. Returns
 * false at an eigenvalue. */
static bool solve_states(frequency_response *self, double omega) {
  const size_t n = self->n, twice = 2 * n;
  memset(self->system, 0, twice * twice * sizeof *self->system);
  memset(self->right, 0, twice * self->plan->input_count * sizeof *self->right);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++)
      self->system[j * twice + i] = self->system[(n + j) * twice + n + i] = -self->A[j * n + i];
    self->system[j * twice + n + j] = omega;
    self->system[(n + j) * twice + j] = -omega;
  }
  for (size_t c = 0; c < self->ports.inputs; c++) {
    double *right = self->right + self->channels[c].input * twice;
    for (size_t i = 0; i < n; i++)
      add_rate(omega, self->channels[c].order, self->B[c * n + i], &right[i], &right[n + i]);
  }
  if (n == 0) return true;
  if (!(mbs_lu_factor(twice, self->system, self->pivots) > 0)) return false;
  mbs_lu_solve(twice, self->plan->input_count, self->system, self->pivots, self->right);
  return true;
}

/* Computes the response [outputs][inputs][2] at one frequency; NaN at an undamped eigenvalue. */
static bool respond(frequency_response *self, double frequency, double *out) {
  const size_t n = self->n, inputs = self->plan->input_count, outputs = self->ports.outputs;
  const double omega = 2 * acos(-1.0) * frequency;
  const bool finite = solve_states(self, omega);
  for (size_t o = 0; o < outputs; o++)
    for (size_t i = 0; i < inputs; i++) {
      double *at = out + 2 * (o * inputs + i);
      at[0] = at[1] = finite ? 0 : NAN;
      for (size_t c = 0; c < self->ports.inputs; c++)
        if (self->channels[c].input == i)
          add_rate(omega, self->channels[c].order, self->linear.Yw[c * outputs + o], &at[0], &at[1]);
      for (size_t k = 0; k < n; k++) {
        at[0] += self->C[k * outputs + o] * self->right[i * 2 * n + k];
        at[1] += self->C[k * outputs + o] * self->right[i * 2 * n + n + k];
      }
    }
  return finite;
}

/* Returns the labels "output/input.real" and "output/input.imaginary" of a row of the response. */
static const char **response_labels(const frequency_response *self) {
  const mbs_frequency_plan *plan = self->plan;
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->result->arena;
  const size_t count = 2 * plan->output_count * plan->input_count;
  const char **labels = mbs_arena_alloc(arena, count + 1, sizeof *labels);
  for (size_t k = 0; labels && k < count; k++) {
    const struct mbs_frequency_input *input = &plan->inputs[k / 2 % plan->input_count];
    labels[k] = mbs_arena_format(arena, "%s/%s.%s", model->sensors[plan->outputs[k / 2 / plan->input_count]].name,
                                 input->driver >= 0 ? model->drivers[input->driver].name
                                                    : model->parameters[input->parameter].name,
                                 k % 2 ? "imaginary" : "real");
    if (!labels[k]) return NULL;
  }
  return labels;
}

static mbs_status add_response(frequency_response *self) {
  static const char *const frequency[] = {"frequency"};
  mbs_run_state *run = self->run;
  const mbs_frequency_plan *plan = self->plan;
  const size_t count = plan->count, width = 2 * plan->output_count * plan->input_count;
  const char **labels = response_labels(self);
  double *f = mbs_output_add(&run->output, MBS_OUTPUT_FREQUENCY, run->result, 1, &count, frequency, NULL),
         *response = labels ? mbs_output_add(&run->output, MBS_OUTPUT_RESPONSE, run->result, 4,
                                             (size_t[]){count, plan->output_count, plan->input_count, 2}, labels, NULL)
                            : NULL;
  bool finite = true;
  if (!f || !response) return MBS_NO_MEMORY;
  memcpy(f, plan->frequencies, count * sizeof *f);
  for (size_t k = 0; k < count; k++) {
    const mbs_status status = mbs_run_check(run, run->model->t_start);
    if (status != MBS_OK) return status;
    finite &= respond(self, f[k], response + k * width);
  }
  if (!finite) mbs_run_note(run, "at a frequency without damping the response has no limit; it is null there");
  return MBS_OK;
}

mbs_status mbs_run_frequency_response(mbs_run_state *run) {
  frequency_response self = {.run = run, .plan = &run->model->frequency_response, .original = run->system->constants};
  mbs_status status = mbs_run_linear_state(run);
  if (status != MBS_OK || run->observer) return status; /* an observer reads the state only */
  if (!open_channels(&self)) return MBS_NO_MEMORY;
  bool at_rest;
  status = mbs_linearize_state(run, &self.ports, &self.linear, &at_rest);
  if (status == MBS_OK && !open_matrices(&self)) status = MBS_NO_MEMORY;
  if (status == MBS_OK) status = find_state_equations(&self);
  if (status != MBS_OK) return status;
  if (at_rest && mbs_linearization_stable(&self.linear) == 0)
    mbs_run_note(run, "the state is unstable, so that no motion of the mechanism shows this response");
  return add_response(&self);
}
