/* instance.c - see instance.h. A simulation of mbs/mbsd.h computes the motion. It begins when an output is read for the
 * first time after a parameter was set, or at the end of the initialization. */
#include "instance.h"
#include "motion.h"
#include "resources.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum fmu_mode { CREATED, INITIALIZING, RUNNING, TERMINATED } fmu_mode;

struct fmu_instance {
  fmu_host host;
  bool silent[FMU_FATAL]; /* statuses whose messages are not logged */
  fmu_motion *motion;
  size_t parameter_count, input_count, output_count;
  const double *start; /* [parameter_count + input_count] values of the document */
  double *values;      /* [parameter_count + input_count] */
  fmu_mode mode;
  bool begun; /* the motion has a state, for the current parameters */
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Logs a message. Returns `status`. */
static fmu_status report(fmu_instance *self, fmu_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static fmu_status report(fmu_instance *self, fmu_status status, const char *format, ...) {
  char message[FMU_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (!self->silent[status])
    self->host.log(self->host.context, status, status == FMU_DISCARD ? FMU_LOG_DISCARD : FMU_LOG_ERROR, message);
  return status;
}

fmu_status fmu_refuse(fmu_instance *self, const char *call) {
  return report(self, FMU_ERROR, "not_supported: this FMU does not support %s", call);
}

fmu_status fmu_set_logging(fmu_instance *self, bool on, size_t count, const char *const *categories) {
  for (size_t i = 0; i < count || (count == 0 && i == 0); i++) {
    const bool all = count == 0 || strcmp(categories[i], "logAll") == 0;
    if (all || strcmp(categories[i], FMU_LOG_DISCARD) == 0) self->silent[FMU_DISCARD] = !on;
    if (all || strcmp(categories[i], FMU_LOG_ERROR) == 0) self->silent[FMU_ERROR] = !on;
  }
  return FMU_OK;
}

/* Returns FMU_OK in one of the modes from `first` to `last`. */
static fmu_status expect_mode(fmu_instance *self, fmu_mode first, fmu_mode last, const char *action) {
  static const char *const names[] = {"before the initialization", "in the initialization", "during the simulation",
                                      "after the end"};
  if (self->mode >= first && self->mode <= last) return FMU_OK;
  return report(self, FMU_ERROR, "wrong_state: the FMU cannot %s %s", action, names[self->mode]);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void set_start_values(fmu_instance *self) {
  const size_t count = self->parameter_count + self->input_count;
  if (count > 0) memcpy(self->values, self->start, count * sizeof *self->values);
}

/* Opens the motion. Returns false after a message. */
static bool open_motion(fmu_instance *self, const char *token, const char *folder) {
  char message[FMU_MESSAGE_SIZE];
  self->motion = fmu_motion_new(token, folder, message);
  if (!self->motion) {
    report(self, FMU_ERROR, "%s", message);
    return false;
  }
  self->parameter_count = fmu_motion_parameters(self->motion);
  self->input_count = fmu_motion_inputs(self->motion);
  self->output_count = fmu_motion_outputs(self->motion);
  self->start = fmu_motion_start(self->motion);
  self->values = calloc(self->parameter_count + self->input_count + 1, sizeof *self->values);
  if (!self->values) return false;
  set_start_values(self);
  return true;
}

fmu_instance *fmu_instance_new(const fmu_host *host, const char *token, const char *folder) {
  fmu_instance *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->host = *host;
  if (open_motion(self, token, folder)) return self;
  fmu_instance_free(self);
  return NULL;
}

void fmu_instance_free(fmu_instance *self) {
  if (!self) return;
  fmu_motion_free(self->motion);
  free(self->values);
  free(self);
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* Begins the motion for the current values, unless it has begun. */
static fmu_status begin(fmu_instance *self) {
  char message[FMU_MESSAGE_SIZE];
  if (self->begun) return FMU_OK;
  if (!fmu_motion_begin(self->motion, self->values, message)) return report(self, FMU_ERROR, "%s", message);
  self->begun = true;
  return FMU_OK;
}

fmu_status fmu_enter_initialization(fmu_instance *self, double start_time) {
  const double first = fmu_motion_first(self->motion);
  if (expect_mode(self, CREATED, CREATED, "be initialized") != FMU_OK) return FMU_ERROR;
  if (start_time != first)
    return report(self, FMU_ERROR, "out_of_range: the motion of this document starts at t = %g s, not at %g s", first,
                  start_time);
  self->mode = INITIALIZING;
  return FMU_OK;
}

fmu_status fmu_exit_initialization(fmu_instance *self) {
  if (expect_mode(self, INITIALIZING, INITIALIZING, "end its initialization") != FMU_OK) return FMU_ERROR;
  if (begin(self) != FMU_OK) return FMU_ERROR;
  self->mode = RUNNING;
  return FMU_OK;
}

fmu_status fmu_terminate(fmu_instance *self) {
  if (expect_mode(self, RUNNING, RUNNING, "be terminated") != FMU_OK) return FMU_ERROR;
  self->mode = TERMINATED;
  return FMU_OK;
}

fmu_status fmu_reset(fmu_instance *self) {
  self->mode = CREATED;
  self->begun = false;
  set_start_values(self);
  return FMU_OK;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Returns the index of a variable after the time: parameters, inputs, outputs; SIZE_MAX after a message if there is no
 * such variable. */
static size_t index_of(fmu_instance *self, uint32_t reference) {
  const size_t count = self->parameter_count + self->input_count + self->output_count;
  if (reference >= 1 && reference <= count) return reference - 1;
  report(self, FMU_ERROR, "unknown_name: there is no variable with the value reference %u", reference);
  return SIZE_MAX;
}

static fmu_status get_output(fmu_instance *self, size_t index, double *value) {
  char message[FMU_MESSAGE_SIZE];
  if (expect_mode(self, INITIALIZING, TERMINATED, "compute outputs") != FMU_OK || begin(self) != FMU_OK)
    return FMU_ERROR;
  return fmu_motion_read(self->motion, index, value, message) ? FMU_OK : report(self, FMU_DISCARD, "%s", message);
}

static fmu_status get(fmu_instance *self, uint32_t reference, double *value) {
  if (reference == 0) {
    *value = fmu_time(self);
    return FMU_OK;
  }
  const size_t index = index_of(self, reference), numbers = self->parameter_count + self->input_count;
  if (index == SIZE_MAX) return FMU_ERROR;
  if (index >= numbers) return get_output(self, index - numbers, value);
  *value = self->values[index];
  return FMU_OK;
}

fmu_status fmu_get(fmu_instance *self, const uint32_t *references, size_t count, double *values) {
  fmu_status worst = FMU_OK;
  for (size_t i = 0; i < count && worst < FMU_ERROR; i++) {
    const fmu_status status = get(self, references[i], &values[i]);
    if (status > worst) worst = status;
  }
  return worst;
}

/* Checks that a variable may be set now. Returns its index, or SIZE_MAX after a message. */
static size_t settable(fmu_instance *self, uint32_t reference, double value) {
  const size_t index = index_of(self, reference);
  if (index == SIZE_MAX) return SIZE_MAX;
  if (index >= self->parameter_count + self->input_count) {
    report(self, FMU_ERROR, "invalid: an output cannot be set (value reference %u)", reference);
    return SIZE_MAX;
  }
  if (!isfinite(value)) {
    report(self, FMU_ERROR, "not_finite: the value of a variable must be a finite number (value reference %u)",
           reference);
    return SIZE_MAX;
  }
  const bool parameter = index < self->parameter_count;
  if (expect_mode(self, CREATED, parameter ? INITIALIZING : RUNNING, parameter ? "change a parameter" : "take inputs"))
    return SIZE_MAX;
  return index;
}

fmu_status fmu_set(fmu_instance *self, const uint32_t *references, size_t count, const double *values) {
  char message[FMU_MESSAGE_SIZE];
  for (size_t i = 0; i < count; i++) {
    const size_t index = settable(self, references[i], values[i]);
    if (index == SIZE_MAX) return FMU_ERROR;
    if (index < self->parameter_count && values[i] != self->values[index]) self->begun = false;
    self->values[index] = values[i];
  }
  if (self->begun && !fmu_motion_set_inputs(self->motion, self->values + self->parameter_count, message))
    return report(self, FMU_ERROR, "%s", message);
  return FMU_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

fmu_status fmu_step(fmu_instance *self, double t, double length) {
  char message[FMU_MESSAGE_SIZE];
  if (expect_mode(self, RUNNING, RUNNING, "step") != FMU_OK) return FMU_ERROR;
  if (!(length > 0) || !isfinite(length))
    return report(self, FMU_ERROR, "out_of_range: the length of a step must be greater than 0 s, not %g s", length);
  if (!(fabs(t - fmu_time(self)) < length / 2)) /* the sum of lengths may differ by roundings */
    return report(self, FMU_ERROR, "out_of_range: a step from t = %.9g s, but the motion is at t = %.9g s", t,
                  fmu_time(self));
  if (!fmu_motion_advance(self->motion, t + length, message)) return report(self, FMU_DISCARD, "%s", message);
  return FMU_OK;
}

double fmu_time(const fmu_instance *self) {
  return self->begun ? fmu_motion_time(self->motion) : fmu_motion_first(self->motion);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* The first bytes of a state. The values follow, and then the state of the motion if it has begun. */
typedef struct state_head {
  uint64_t size; /* size of the whole state [bytes] */
  uint64_t mode, begun;
} state_head;

static size_t values_size(const fmu_instance *self) {
  return (self->parameter_count + self->input_count) * sizeof *self->values;
}

static fmu_state *new_state(fmu_instance *self, size_t size) {
  fmu_state *state = calloc(1, sizeof *state + size);
  if (state)
    state->size = size;
  else
    report(self, FMU_ERROR, "no_memory: no memory for a state");
  return state;
}

fmu_status fmu_state_get(fmu_instance *self, fmu_state **state) {
  const size_t values = values_size(self), motion = self->begun ? fmu_motion_state_size(self->motion) : 0;
  const state_head head = {
      .size = sizeof head + values + motion, .mode = (uint64_t)self->mode, .begun = self->begun ? 1 : 0};
  fmu_state *copy = new_state(self, head.size);
  if (!copy) return FMU_ERROR;
  memcpy(copy->bytes, &head, sizeof head);
  memcpy(copy->bytes + sizeof head, self->values, values);
  if (self->begun) fmu_motion_state_get(self->motion, copy->bytes + sizeof head + values);
  free(*state);
  *state = copy;
  return FMU_OK;
}

fmu_status fmu_state_set(fmu_instance *self, const fmu_state *state) {
  char message[FMU_MESSAGE_SIZE];
  const size_t values = values_size(self);
  state_head head;
  memcpy(&head, state->bytes, sizeof head);
  const unsigned char *from = state->bytes + sizeof head;
  /* The state of a motion is one for its parameters. */
  const bool same = memcmp(self->values, from, self->parameter_count * sizeof *self->values) == 0;
  memcpy(self->values, from, values);
  self->mode = (fmu_mode)head.mode;
  self->begun = self->begun && same && head.begun;
  if (!head.begun) return FMU_OK;
  if (begin(self) != FMU_OK) return FMU_ERROR;
  if (!fmu_motion_state_set(self->motion, from + values, head.size - sizeof head - values, message))
    return report(self, FMU_ERROR, "%s", message);
  return FMU_OK;
}

fmu_status fmu_state_read(fmu_instance *self, const void *bytes, size_t size, fmu_state **state) {
  state_head head = {0};
  if (size >= sizeof head + values_size(self)) memcpy(&head, bytes, sizeof head);
  if (head.size != size || head.mode > TERMINATED)
    return report(self, FMU_ERROR, "invalid: these bytes are no state of this FMU");
  fmu_state *copy = new_state(self, size);
  if (!copy) return FMU_ERROR;
  memcpy(copy->bytes, bytes, size);
  free(*state);
  *state = copy;
  return FMU_OK;
}
