/* simulation.c - motions step by step. The state of a motion is its bytes (mbs_session_save()): each step and each
 * reading begins with them, so that neither depends on what was called before. */
#include "answer.h"
#include "texts.h"

#include "api/base/hash.h"
#include "api/base/values.h"
#include "api/documents/document.h"
#include "api/documents/report_json.h"
#include "api/jobs/build.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of a document with its changes. */
typedef struct version {
  mbs_model *model;
  mbs_session *session;
  uint64_t mark; /* hash of the document with its changes */
  size_t size;   /* size of a state, with the mark [bytes] */
  char *state;   /* mark, then the bytes of the session */
  char *before;  /* a copy of an earlier state */
} version;

/* The place of an output: a column of an array. */
typedef struct place {
  size_t array, column;
} place;

struct mbsd_simulation {
  json_t *document; /* without changes */
  version now;
  mbs_arena *arena; /* owner of the lists */
  mbsd_variable *inputs, *parameters, *outputs;
  size_t input_count, parameter_count, output_count;
  place *places;   /* [output_count] */
  double *given;   /* [input_count] inputs set since the state */
  double *kept;    /* [input_count] a copy of earlier ones */
  bool pending;    /* the inputs set are not in the state yet */
  bool read;       /* the arrays of the session belong to the state and the inputs */
  mbs_error error; /* status MBS_OK: the last call succeeded */
  char *error_text;
};

/* ---- documents --------------------------------------------------------------------------------------------------- */

/* Returns a number, or an expression in parentheses, as text. */
static void write_term(const json_t *value, double fallback, char *out, size_t size) {
  if (json_is_string(value))
    snprintf(out, size, "(%s)", json_string_value(value));
  else
    snprintf(out, size, "(%.17g)", json_is_number(value) ? json_number_value(value) : fallback);
}

/* Returns the analysis of a motion that has no end: its times only set the scale of times, and the number of rows. */
static json_t *analysis_of(const json_t *given) {
  static const char *const kept[] = {"formulation", "t_start", "correct", "hold", "integrator", "limits"};
  json_t *analysis = json_object();
  char start[200], end[240], text[500];
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (json_object_get(given, kept[i])) json_object_set(analysis, kept[i], json_object_get(given, kept[i]));
  const char *type = json_string_value(json_object_get(given, "type"));
  if ((!type || strcmp(type, "dynamics") == 0) && json_object_get(given, "start"))
    json_object_set(analysis, "start", json_object_get(given, "start"));
  write_term(json_object_get(given, "t_start"), 0, start, sizeof start);
  write_term(json_object_get(given, "t_end"), NAN, end, sizeof end);
  if (!json_object_get(given, "t_end")) snprintf(end, sizeof end, "%s+1", start);
  json_object_set_new(analysis, "t_end", json_string(end));
  snprintf(text, sizeof text, "%s-%s+1", end, start);
  json_object_set_new(analysis, "dt", json_string(text));
  return analysis;
}

/* Returns the model of a document. */
static json_t *model_of(json_t *document) {
  json_t *model = json_object_get(document, "model");
  return json_is_object(model) ? model : document;
}

/* Returns the element of that name in a list of the model, or NULL. */
static json_t *find_named(json_t *model, const char *list, const char *name) {
  json_t *each;
  size_t i;
  json_array_foreach(json_object_get(model, list), i, each) {
    const char *other = json_string_value(json_object_get(each, "name"));
    if (other && strcmp(other, name) == 0) return each;
  }
  return NULL;
}

static json_t *refuse_change(const char *section, const char *name, const char *what) {
  char detail[300], pointer[300];
  snprintf(detail, sizeof detail, "there is no %s '%.100s'", what, name);
  snprintf(pointer, sizeof pointer, "/%s/%.200s", section, name);
  json_t *error = api_plain_error_json("unknown_name", detail);
  json_object_set_new(error, "pointer", json_string(pointer));
  json_object_set_new(error, "errors",
                      json_pack("[{ss ss ss}]", "pointer", pointer, "detail", detail, "code", "unknown_name"));
  return error;
}

/* Changes `initial` of a joint or body. Returns false if there is none of that name. */
static bool change_initial(json_t *model, const char *name, json_t *value) {
  json_t *element = find_named(model, "joints", name);
  if (!element) element = find_named(model, "bodies", name);
  if (!element) return false;
  json_t *initial = json_object_get(element, "initial");
  if (!json_is_object(initial)) json_object_set_new(element, "initial", initial = json_object());
  if (json_is_object(value))
    json_object_update(initial, value);
  else
    json_object_set(initial, "position", value);
  return true;
}

/* Applies changes to a document. Returns an error, or NULL. */
static json_t *apply_changes(json_t *document, json_t *changes) {
  json_t *model = model_of(document), *parameters = json_object_get(model, "parameters"), *value, *entries;
  const char *key, *section;
  json_object_foreach(changes, section, entries) {
    const bool initial = strcmp(section, "initial") == 0;
    if ((!initial && strcmp(section, "parameters") != 0) || !json_is_object(entries))
      return api_plain_error_json("invalid", "changes are {\"parameters\": {...}, \"initial\": {...}}");
    json_object_foreach(entries, key, value) {
      if (initial && !change_initial(model, key, value)) return refuse_change(section, key, "joint or body");
      if (!initial && !json_object_get(parameters, key)) return refuse_change(section, key, "parameter");
      if (!initial) json_object_set(parameters, key, value);
    }
  }
  return NULL;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static void version_free(version *of) {
  mbs_session_free(of->session);
  mbs_model_free(of->model);
  free(of->state);
  *of = (version){0};
}

static void save(version *of) {
  memcpy(of->state, &of->mark, sizeof of->mark);
  mbs_session_save(of->session, of->state + sizeof of->mark);
}

static void load(const version *of) { mbs_session_load(of->session, of->state + sizeof of->mark); }

/* Starts the motion of a document, which it owns. Returns false with an answer, which is NULL if memory runs out. */
static bool version_start(json_t *document, version *out, mbsd_answer **refusal) {
  char *text = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);
  const mbs_limits limits = {0};
  api_document read;
  json_t *error = NULL;
  mbs_error failed = {.status = MBS_NO_MEMORY, .time = NAN};
  *out = (version){.mark = api_hash(API_HASH_START, MBS_VERSION, sizeof MBS_VERSION)};
  if (text) out->mark = api_hash(out->mark, text, strlen(text));
  free(text);
  api_document_adopt(document, &read);
  *refusal = NULL;
  out->model = api_build_document(&read, &limits, &error);
  if (!out->model) {
    *refusal = answer_new(MBSD_INVALID, NULL, error);
    return false;
  }
  out->session = mbs_session_new(out->model, NULL, &failed);
  bool good = out->session && mbs_session_open_record(out->session) && mbs_session_open_states(out->session);
  if (good) {
    out->size = sizeof out->mark + mbs_session_state_size(out->session);
    out->state = calloc(2, out->size);
    good = out->state != NULL;
    if (good) out->before = out->state + out->size;
  }
  if (good)
    save(out);
  else if (!out->session && failed.status != MBS_NO_MEMORY)
    *refusal = answer_new(MBSD_FAILED, NULL, api_error_json(&failed));
  if (!good) version_free(out);
  return good;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static bool list_numbers(mbsd_simulation *self) {
  const mbs_model *model = self->now.model;
  self->input_count = mbs_model_inputs(model);
  self->parameter_count = mbs_model_parameters(model);
  self->inputs = mbs_arena_alloc(self->arena, self->input_count + 1, sizeof *self->inputs);
  self->parameters = mbs_arena_alloc(self->arena, self->parameter_count + 1, sizeof *self->parameters);
  self->given = mbs_arena_alloc(self->arena, self->input_count + 1, sizeof *self->given);
  self->kept = mbs_arena_alloc(self->arena, self->input_count + 1, sizeof *self->kept);
  if (!self->inputs || !self->parameters || !self->given || !self->kept) return false;
  for (size_t i = 0; i < self->input_count; i++) {
    mbsd_variable *out = &self->inputs[i];
    out->name = mbs_arena_text(self->arena, mbs_model_input(model, i, &out->start));
    out->unit = out->array = "";
    if (!out->name) return false;
  }
  for (size_t i = 0; i < self->parameter_count; i++) {
    mbsd_variable *out = &self->parameters[i];
    const char *unit;
    out->name = mbs_arena_text(self->arena, mbs_model_parameter(model, i, &out->start, &unit));
    out->unit = mbs_arena_text(self->arena, unit);
    out->array = "";
    if (!out->name || !out->unit) return false;
  }
  return true;
}

/* Lists the columns of all arrays but the time. */
static bool list_outputs(mbsd_simulation *self) {
  size_t count, all = 0;
  const mbs_array *arrays = mbs_session_arrays(self->now.session, &count);
  for (size_t k = 0; k < count; k++) all += mbs_array_columns(&arrays[k]);
  self->outputs = mbs_arena_alloc(self->arena, all + 1, sizeof *self->outputs);
  self->places = mbs_arena_alloc(self->arena, all + 1, sizeof *self->places);
  for (size_t k = 0; k < count && self->outputs && self->places; k++) {
    for (size_t column = 0; column < mbs_array_columns(&arrays[k]); column++) {
      mbsd_variable *out = &self->outputs[self->output_count];
      self->places[self->output_count] = (place){k, column};
      out->name = mbs_arena_text(self->arena, arrays[k].labels[column]);
      out->unit = mbs_arena_text(self->arena, arrays[k].units[column]);
      out->array = mbs_arena_text(self->arena, arrays[k].name);
      if (!out->name || !out->unit || !out->array) return false;
      if (strcmp(arrays[k].name, "T") != 0) self->output_count++;
    }
  }
  return self->outputs && self->places;
}

const mbsd_variable *mbsd_simulation_inputs(const mbsd_simulation *simulation, size_t *count) {
  *count = simulation->input_count;
  return simulation->inputs;
}

const mbsd_variable *mbsd_simulation_parameters(const mbsd_simulation *simulation, size_t *count) {
  *count = simulation->parameter_count;
  return simulation->parameters;
}

const mbsd_variable *mbsd_simulation_outputs(const mbsd_simulation *simulation, size_t *count) {
  *count = simulation->output_count;
  return simulation->outputs;
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static void use_start_inputs(mbsd_simulation *self) {
  double start;
  for (size_t i = 0; i < self->input_count; i++) {
    (void)mbs_model_input(self->now.model, i, &start);
    self->given[i] = start;
  }
  self->pending = self->read = false;
  self->error = (mbs_error){.status = MBS_OK, .time = NAN};
}

static mbsd_simulation *new_simulation(const char *text, size_t size, mbsd_answer **refusal) {
  api_document document;
  api_syntax_error syntax = {0};
  *refusal = NULL;
  if (!api_document_parse(text, size, &document, &syntax)) {
    *refusal = answer_malformed(&syntax);
    return NULL;
  }
  mbsd_simulation *self = calloc(1, sizeof *self);
  if (self) {
    json_t *analysis = analysis_of(document.analysis);
    self->document = json_deep_copy(document.root);
    json_object_del(self->document, "study");
    api_document_replace_analysis(self->document, analysis);
  }
  api_document_free(&document);
  json_t *copy = self ? json_deep_copy(self->document) : NULL;
  if (self) self->arena = mbs_arena_new(0);
  if (copy && self->arena && version_start(copy, &self->now, refusal) && list_numbers(self) && list_outputs(self)) {
    use_start_inputs(self);
    return self;
  }
  mbsd_simulation_free(self);
  return NULL;
}

mbsd_simulation *mbsd_simulation_new(const char *text, size_t size, mbsd_answer **refusal) {
  RETURN_WITH_TEXTS(mbsd_simulation *, new_simulation(text, size, refusal));
}

void mbsd_simulation_free(mbsd_simulation *simulation) {
  if (!simulation) return;
  version_free(&simulation->now);
  json_decref(simulation->document);
  mbs_arena_free(simulation->arena);
  free(simulation->error_text);
  free(simulation);
}

static mbsd_answer *reset(mbsd_simulation *self, const char *changes) {
  json_t *document = json_deep_copy(self->document), *error = NULL;
  if (changes) {
    api_document read;
    api_syntax_error syntax = {0};
    if (!api_document_parse(changes, strlen(changes), &read, &syntax)) {
      json_decref(document);
      return answer_malformed(&syntax);
    }
    error = apply_changes(document, read.root);
    api_document_free(&read);
  }
  if (error || !document) {
    json_decref(document);
    return error ? answer_new(MBSD_INVALID, NULL, error) : NULL;
  }
  version fresh;
  mbsd_answer *refusal;
  if (!version_start(document, &fresh, &refusal)) return refusal;
  version_free(&self->now);
  self->now = fresh;
  use_start_inputs(self);
  return answer_new(MBSD_SUCCEEDED, NULL, NULL);
}

mbsd_answer *mbsd_simulation_reset(mbsd_simulation *self, const char *changes) {
  RETURN_WITH_TEXTS(mbsd_answer *, reset(self, changes));
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static bool finish(mbsd_simulation *self, mbs_status status) {
  if (status == MBS_OK)
    self->error.status = MBS_OK;
  else
    self->error = *mbs_session_error(self->now.session);
  return status == MBS_OK;
}

/* Loads the state, with the inputs set since. */
static mbs_status enter(mbsd_simulation *self) {
  load(&self->now);
  return self->pending ? mbs_session_set_inputs(self->now.session, self->given) : MBS_OK;
}

bool mbsd_simulation_set_inputs(mbsd_simulation *self, const double *values) {
  for (size_t i = 0; i < self->input_count; i++) {
    if (isfinite(values[i])) continue;
    self->error = (mbs_error){.status = MBS_NOT_FINITE, .time = mbsd_simulation_time(self)};
    snprintf(self->error.message, sizeof self->error.message, "the input '%.100s' must be a finite number",
             self->inputs[i].name);
    return false;
  }
  if (self->input_count > 0) memcpy(self->given, values, self->input_count * sizeof *values);
  self->pending = self->input_count > 0;
  self->read = false;
  return finish(self, MBS_OK);
}

static bool step(mbsd_simulation *self, double dt) {
  mbs_status status = enter(self);
  if (status == MBS_OK) status = mbs_session_step(self->now.session, dt, NULL);
  self->read = false;
  if (!finish(self, status)) return false;
  save(&self->now);
  self->pending = false;
  return true;
}

bool mbsd_simulation_step(mbsd_simulation *self, double dt) { RETURN_WITH_TEXTS(bool, step(self, dt)); }

double mbsd_simulation_time(const mbsd_simulation *simulation) {
  double t;
  memcpy(&t, simulation->now.state + sizeof simulation->now.mark, sizeof t); /* the first number of a state */
  return t;
}

bool mbsd_simulation_read(mbsd_simulation *self, const size_t *outputs, size_t count, double *values) {
  size_t arrays_count;
  if (!self->read) {
    mbs_status status = enter(self);
    if (status == MBS_OK) status = mbs_session_record(self->now.session);
    if (!finish(self, status)) return false;
    self->read = true;
  }
  const mbs_array *arrays = mbs_session_arrays(self->now.session, &arrays_count);
  for (size_t i = 0; i < count; i++) {
    const place *at = &self->places[outputs[i]];
    const double value = arrays[at->array].data[at->column];
    if (!isfinite(value)) {
      self->error = (mbs_error){.status = MBS_NOT_FINITE, .time = mbsd_simulation_time(self)};
      snprintf(self->error.message, sizeof self->error.message, "'%.100s' has no finite value",
               self->outputs[outputs[i]].name);
      return false;
    }
    values[i] = value;
  }
  return finish(self, MBS_OK);
}

/* Sets inputs, steps and reads. If one of them fails, the simulation is as before. */
static bool step_once(mbsd_simulation *self, const double *inputs, double dt, const size_t *outputs, size_t count,
                      double *values) {
  const bool pending = self->pending;
  memcpy(self->kept, self->given, self->input_count * sizeof *self->kept);
  memcpy(self->now.before, self->now.state, self->now.size);
  if ((!inputs || mbsd_simulation_set_inputs(self, inputs)) && mbsd_simulation_step(self, dt) &&
      mbsd_simulation_read(self, outputs, count, values))
    return true;
  memcpy(self->given, self->kept, self->input_count * sizeof *self->kept);
  memcpy(self->now.state, self->now.before, self->now.size);
  self->pending = pending;
  self->read = false;
  return false;
}

void mbsd_simulation_step_all(mbsd_simulation *const *simulations, size_t simulation_count, const double *inputs,
                              double dt, const size_t *outputs, size_t count, double *values, bool *good) {
  for (size_t i = 0; i < simulation_count; i++) {
    mbsd_simulation *each = simulations[i];
    const double *row = inputs ? inputs + i * each->input_count : NULL;
    good[i] = step_once(each, row, dt, outputs, count, values + i * count);
  }
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* States that leave the simulation end with a checksum. */

size_t mbsd_simulation_state_size(const mbsd_simulation *simulation) { return simulation->now.size + sizeof(uint64_t); }

void mbsd_simulation_get_state(mbsd_simulation *self, void *state) {
  if (self->pending) {
    (void)enter(self); /* the inputs are finite */
    save(&self->now);
    self->pending = self->read = false;
  }
  const uint64_t sum = api_hash(API_HASH_START, self->now.state, self->now.size);
  memcpy(state, self->now.state, self->now.size);
  memcpy((char *)state + self->now.size, &sum, sizeof sum);
}

bool mbsd_simulation_set_state(mbsd_simulation *self, const void *state, size_t size) {
  const bool own =
      size == mbsd_simulation_state_size(self) && memcmp(state, &self->now.mark, sizeof self->now.mark) == 0;
  uint64_t sum = own ? api_hash(API_HASH_START, state, self->now.size) : 0;
  const bool whole = own && memcmp((const char *)state + self->now.size, &sum, sizeof sum) == 0;
  if (!whole) {
    self->error = (mbs_error){.status = MBS_INVALID, .time = NAN};
    snprintf(self->error.message, sizeof self->error.message, "%s",
             own ? "this state is damaged" : "this state belongs to another document, or to other changes of it");
    return false;
  }
  memcpy(self->now.state, state, size);
  self->pending = self->read = false;
  return finish(self, MBS_OK);
}

static const char *error_text(mbsd_simulation *self) {
  if (self->error.status == MBS_OK) return "null";
  char *text = api_json_string(api_error_json(&self->error));
  free(self->error_text);
  self->error_text = text;
  return text ? text : "null";
}

const char *mbsd_simulation_error(mbsd_simulation *self) { RETURN_WITH_TEXTS(const char *, error_text(self)); }
