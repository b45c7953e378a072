/* motion.c - see motion.h. */
#include "motion.h"
#include "resources.h"

#include "library/mbs/mbsd.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fmu_motion {
  json_t *names; /* "x-fmu" of the document: the token and lists of names */
  mbsd_simulation *simulation;
  size_t parameter_count, input_count, output_count;
  double *start;   /* [parameter_count + input_count] values of the document */
  size_t *outputs; /* [output_count] indices in the simulation */
  double first;    /* time at which the motion starts */
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static bool fail(char message[FMU_MESSAGE_SIZE], const char *code, const char *detail) {
  snprintf(message, FMU_MESSAGE_SIZE, "%s: %s", code, detail);
  return false;
}

/* Writes the error of a call: {"code", "detail", "t", "element", "pointer", "errors"}. */
static bool fail_with(char message[FMU_MESSAGE_SIZE], const char *text) {
  json_t *error = json_loads(text, JSON_DECODE_ANY, NULL);
  const json_t *first = json_array_get(json_object_get(error, "errors"), 0), *t = json_object_get(error, "t");
  if (!first) first = error;
  const char *code = json_string_value(json_object_get(first, "code")),
             *detail = json_string_value(json_object_get(first, "detail")),
             *element = json_string_value(json_object_get(error, "element")),
             *pointer = json_string_value(json_object_get(first, "pointer"));
  char time[40] = "", place[FMU_MESSAGE_SIZE / 2] = "";
  if (json_is_number(t)) snprintf(time, sizeof time, "t = %.9g s", json_number_value(t));
  const bool named = element && *element, pointed = pointer && *pointer;
  if (named || *time || pointed)
    snprintf(place, sizeof place, " (%s%.200s%s%s%s%.200s)", named ? "element " : "", named ? element : "",
             named && *time ? ", " : "", time, pointed && (named || *time) ? ", " : "", pointed ? pointer : "");
  snprintf(message, FMU_MESSAGE_SIZE, "%s: %.500s%s", code ? code : "no_memory", detail ? detail : "out of memory",
           place);
  json_decref(error);
  return false;
}

static bool no_memory(char message[FMU_MESSAGE_SIZE]) { return fail(message, "no_memory", "out of memory"); }

/* Returns `good`; if that is false, writes the error of the last call. */
static bool succeeds(fmu_motion *self, bool good, char message[FMU_MESSAGE_SIZE]) {
  return good || fail_with(message, mbsd_simulation_error(self->simulation));
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static const char *name_of(const fmu_motion *self, const char *list, size_t index) {
  return json_string_value(json_array_get(json_object_get(self->names, list), index));
}

static size_t count_of(const fmu_motion *self, const char *list) {
  return json_array_size(json_object_get(self->names, list));
}

/* Compares the token, and starts the simulation of the document. */
static bool start(fmu_motion *self, const char *text, size_t size, const char *token, char message[FMU_MESSAGE_SIZE]) {
  json_error_t place;
  json_t *document = json_loadb(text, size, 0, &place);
  self->names = json_incref(json_object_get(document, "x-fmu"));
  json_decref(document);
  const char *own = json_string_value(json_object_get(self->names, "token"));
  if (!document) return fail(message, "malformed_json", place.text);
  if (!token || !own || strcmp(token, own) != 0)
    return fail(message, "invalid", "the token is not that of the document in the FMU");
  mbsd_answer *refusal = NULL;
  self->simulation = mbsd_simulation_new(text, size, &refusal);
  if (self->simulation) return true;
  if (refusal)
    fail_with(message, mbsd_answer_error(refusal));
  else
    no_memory(message);
  mbsd_answer_free(refusal);
  return false;
}

/* Returns the indices of variables by their names. Sensors are the last outputs: they count, if a column of another
 * array has the same name. */
static json_t *index_of(const mbsd_variable *list, size_t count) {
  json_t *index = json_object();
  for (size_t i = 0; i < count; i++)
    json_object_set_new(index, list[i].name, json_integer((json_int_t)i)); /* a name that is not set is not found */
  return index;
}

/* Finds the variables of a list of names. Returns false if one is missing. */
static bool find_all(const fmu_motion *self, const char *names, const mbsd_variable *list, size_t count,
                     size_t *indices) {
  json_t *index = index_of(list, count);
  bool good = index != NULL;
  for (size_t i = 0; good && i < count_of(self, names); i++) {
    const json_t *found = json_object_get(index, name_of(self, names, i));
    good = found != NULL;
    indices[i] = (size_t)json_integer_value(found);
  }
  json_decref(index);
  return good;
}

/* Finds the variables of the FMU in the simulation. */
static bool find_variables(fmu_motion *self, char message[FMU_MESSAGE_SIZE]) {
  size_t parameters, inputs, outputs;
  const mbsd_variable *parameter = mbsd_simulation_parameters(self->simulation, &parameters),
                      *input = mbsd_simulation_inputs(self->simulation, &inputs),
                      *output = mbsd_simulation_outputs(self->simulation, &outputs);
  size_t *indices = calloc(self->parameter_count + 1, sizeof *indices);
  const bool good = indices && inputs == self->input_count &&
                    find_all(self, "parameters", parameter, parameters, indices) &&
                    find_all(self, "outputs", output, outputs, self->outputs);
  for (size_t i = 0; good && i < self->parameter_count; i++) self->start[i] = parameter[indices[i]].start;
  for (size_t i = 0; good && i < inputs; i++) self->start[self->parameter_count + i] = input[i].start;
  free(indices);
  return good || fail(message, "invalid", "the document in the FMU does not have the variables of the FMU");
}

static bool open_text(fmu_motion *self, const char *text, size_t size, const char *token,
                      char message[FMU_MESSAGE_SIZE]) {
  if (!start(self, text, size, token, message)) return false;
  self->parameter_count = count_of(self, "parameters");
  self->input_count = count_of(self, "inputs");
  self->output_count = count_of(self, "outputs");
  self->start = calloc(self->parameter_count + self->input_count + 1, sizeof *self->start);
  self->outputs = calloc(self->output_count + 1, sizeof *self->outputs);
  self->first = mbsd_simulation_time(self->simulation);
  return self->start && self->outputs ? find_variables(self, message) : no_memory(message);
}

fmu_motion *fmu_motion_new(const char *token, const char *folder, char message[FMU_MESSAGE_SIZE]) {
  json_object_seed(1); /* otherwise the first object would read a file of random numbers */
  size_t size = 0;
  char *text = folder ? fmu_read_file(folder, "model.json", &size) : NULL;
  fmu_motion *self = calloc(1, sizeof *self);
  bool good = false;
  if (!self) {
    no_memory(message);
  } else if (!text) {
    fail(message, "not_readable", "the FMU has no readable file resources/model.json");
  } else {
    good = open_text(self, text, size, token, message);
  }
  free(text);
  if (good) return self;
  fmu_motion_free(self);
  return NULL;
}

void fmu_motion_free(fmu_motion *self) {
  if (!self) return;
  mbsd_simulation_free(self->simulation);
  json_decref(self->names);
  free(self->start);
  free(self->outputs);
  free(self);
}

size_t fmu_motion_parameters(const fmu_motion *self) { return self->parameter_count; }

size_t fmu_motion_inputs(const fmu_motion *self) { return self->input_count; }

size_t fmu_motion_outputs(const fmu_motion *self) { return self->output_count; }

const double *fmu_motion_start(const fmu_motion *self) { return self->start; }

const char *fmu_motion_output(const fmu_motion *self, size_t index) { return name_of(self, "outputs", index); }

double fmu_motion_first(const fmu_motion *self) { return self->first; }

/* ---- the motion -------------------------------------------------------------------------------------------------- */

/* Returns the values that differ from those of the document, as text; NULL if memory runs out. */
static char *changes_of(const fmu_motion *self, const double *values) {
  json_t *parameters = json_object(), *changes = json_pack("{s:o}", "parameters", parameters);
  for (size_t i = 0; i < self->parameter_count; i++)
    if (values[i] != self->start[i])
      json_object_set_new(parameters, name_of(self, "parameters", i), json_real(values[i]));
  char *text = changes ? json_dumps(changes, JSON_COMPACT) : NULL;
  json_decref(changes);
  return text;
}

bool fmu_motion_begin(fmu_motion *self, const double *values, char message[FMU_MESSAGE_SIZE]) {
  char *changes = changes_of(self, values);
  mbsd_answer *answer = changes ? mbsd_simulation_reset(self->simulation, changes) : NULL;
  free(changes);
  if (!answer) return no_memory(message);
  const bool good = mbsd_answer_status(answer) == MBSD_SUCCEEDED;
  if (!good) fail_with(message, mbsd_answer_error(answer));
  mbsd_answer_free(answer);
  return good && succeeds(self, mbsd_simulation_set_inputs(self->simulation, values + self->parameter_count), message);
}

bool fmu_motion_set_inputs(fmu_motion *self, const double *inputs, char message[FMU_MESSAGE_SIZE]) {
  return succeeds(self, mbsd_simulation_set_inputs(self->simulation, inputs), message);
}

bool fmu_motion_advance(fmu_motion *self, double end, char message[FMU_MESSAGE_SIZE]) {
  const double length = end - mbsd_simulation_time(self->simulation);
  return succeeds(self, mbsd_simulation_step(self->simulation, length), message);
}

bool fmu_motion_read(fmu_motion *self, size_t index, double *output, char message[FMU_MESSAGE_SIZE]) {
  return succeeds(self, mbsd_simulation_read(self->simulation, &self->outputs[index], 1, output), message);
}

double fmu_motion_time(const fmu_motion *self) { return mbsd_simulation_time(self->simulation); }

/* ---- states ------------------------------------------------------------------------------------------------------ */

size_t fmu_motion_state_size(const fmu_motion *self) { return mbsd_simulation_state_size(self->simulation); }

void fmu_motion_state_get(fmu_motion *self, void *state) { mbsd_simulation_get_state(self->simulation, state); }

bool fmu_motion_state_set(fmu_motion *self, const void *state, size_t size, char message[FMU_MESSAGE_SIZE]) {
  return succeeds(self, mbsd_simulation_set_state(self->simulation, state, size), message);
}
