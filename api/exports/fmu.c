/* fmu.c - see fmu.h. The document in an FMU is that of the request, with a member "x-fmu" beside the model: the token,
 * and the names of the variables in the order of their value references. */
#include "api/exports/fmu.h"

#include "api/base/clock.h"
#include "api/base/digest.h"
#include "api/base/values.h"
#include "api/documents/content.h"
#include "api/documents/document.h"
#include "api/documents/validation.h"
#include "api/exports/fmu_file.h"
#include "api/exports/model_description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const versions[API_FMI_VERSIONS] = {"2.0", "3.0"};

/* An export. Texts of variables belong to `result`, to the document and to the model. */
typedef struct export_run {
  json_t *outputs; /* requested labels, borrowed; NULL: the default */
  api_fmi_version version;
  api_document document;
  mbs_arena *arena;   /* owner of the lists below */
  mbs_model *model;   /* model of the assembly */
  mbs_result *result; /* result of the assembly: one row of all arrays */
  api_fmu_variable *parameters, *inputs, *columns;
  size_t parameter_count, input_count, column_count;
  const char **labels; /* [column_count] labels of the columns, for the library */
  json_t *taken;       /* labels of the columns as keys */
  json_t *names;       /* names of all variables as keys */
  mbs_diagnostics *list;
} export_run;

/* ---- the request ------------------------------------------------------------------------------------------------- */

static bool find_version(const char *text, api_fmi_version *version) {
  for (int i = 0; i < API_FMI_VERSIONS; i++) {
    if (strcmp(text, versions[i]) != 0) continue;
    *version = (api_fmi_version)i;
    return true;
  }
  return false;
}

static void read_version(export_run *self, const json_t *fmi) {
  const char *text = json_string_value(fmi);
  self->version = API_FMI_2;
  if (fmi && (!text || !find_version(text, &self->version)))
    mbs_diagnose(self->list, MBS_INVALID, "/fmi", "'fmi' must be \"2.0\" or \"3.0\"");
}

static void read_outputs(export_run *self) {
  if (self->outputs && !json_is_array(self->outputs))
    mbs_diagnose(self->list, MBS_WRONG_TYPE, "/outputs", "'outputs' must be a list of labels and names of sensors");
}

/* Separates the options of the export from the document. Returns false if memory runs out. */
static bool read_request(export_run *self, json_t *root) {
  json_t *document = json_copy(root); /* shallow */
  if (!document) {
    mbs_diagnose(self->list, MBS_NO_MEMORY, "", "out of memory");
    return false;
  }
  self->outputs = json_object_get(root, "outputs");
  read_version(self, json_object_get(root, "fmi"));
  read_outputs(self);
  json_object_del(document, "fmi");
  json_object_del(document, "outputs");
  api_document_adopt(document, &self->document);
  return true;
}

/* Reports a field of the analysis. */
static void refuse_field(export_run *self, const char *field, const char *reason) {
  char pointer[60];
  const bool beside = json_object_get(self->document.root, "analysis") != NULL;
  snprintf(pointer, sizeof pointer, "%s/analysis/%s", beside ? "" : "/model", field);
  mbs_diagnose(self->list, MBS_INVALID, pointer, "%s", reason);
}

static bool is_no_motion(const json_t *type) {
  return json_is_string(type) && strcmp(json_string_value(type), "dynamics") != 0;
}

static bool is_not_projected(const json_t *constraints) {
  const char *word = json_string_value(constraints);
  return word && (strcmp(word, "baumgarte") == 0 || strcmp(word, "none") == 0);
}

static bool is_given(const json_t *value) { return value != NULL; }

/* Fields of an analysis that an FMU cannot do. */
static const struct {
  const char *field, *reason;
  bool (*refused)(const json_t *value);
} obstacles[] = {{"type", "an FMU computes a motion, so the type must be dynamics", is_no_motion},
                 {"constraints", "an FMU satisfies the constraints by projection", is_not_projected},
                 {"stop_when", "the importing program ends the motion of an FMU; leave stop_when out", is_given}};

bool api_fmu_is_possible(const json_t *analysis) {
  for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++)
    if (obstacles[i].refused(json_object_get(analysis, obstacles[i].field))) return false;
  return true;
}

/* Reports what an FMU cannot do. */
static void check_abilities(export_run *self) {
  const json_t *analysis = self->document.analysis;
  for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++)
    if (obstacles[i].refused(json_object_get(analysis, obstacles[i].field)))
      refuse_field(self, obstacles[i].field, obstacles[i].reason);
  if (self->document.study)
    mbs_diagnose(self->list, MBS_INVALID, "/study", "an FMU computes one motion; leave the study out");
}

/* Assembles the mechanism, for the labels and units of all columns. Returns false with the error in the list. */
static bool assemble(export_run *self, const mbs_limits *limits) {
  const mbs_hooks hooks = {.now = api_now};
  mbs_error error = {0};
  api_document assembly;
  api_document_assembly(&self->document, &assembly);
  json_object_del(assembly.analysis, "outputs"); /* all arrays are needed */
  self->model = api_document_build(&assembly, limits, self->list);
  const bool good = self->model && mbs_run(self->model, &hooks, &self->result, &error) == MBS_OK;
  if (self->model && !good) mbs_diagnose(self->list, error.status, error.pointer, "%s", error.message);
  api_document_free(&assembly);
  return good;
}

/* ---- the variables ----------------------------------------------------------------------------------------------- */

/* Returns the name of a variable, which in an FMU is unique among those of all kinds: the label, or if that is the name
 * of the time, a parameter or an input, the label with "_2" or the next free number. */
static const char *free_name(export_run *self, const char *label) {
  const char *name = label;
  const size_t size = strlen(label) + 24;
  for (int k = 2; json_object_get(self->names, name); k++) {
    char *other = mbs_arena_alloc(self->arena, size, 1);
    if (!other) return label;
    snprintf(other, size, "%s_%d", label, k);
    name = other;
  }
  json_object_set_new(self->names, name, json_true());
  return name;
}

/* Adds a column of an array as an output. */
static void add_column(export_run *self, const mbs_array *array, size_t column) {
  const char *label = array->labels[column];
  self->labels[self->column_count] = label;
  self->columns[self->column_count++] =
      (api_fmu_variable){.name = free_name(self, label), .unit = array->units[column], .start = NAN};
  json_object_set_new(self->taken, label, json_true());
}

static bool has_column(const export_run *self, const char *label) {
  return json_object_get(self->taken, label) != NULL;
}

static void add_array(export_run *self, const mbs_array *array) {
  const size_t columns = mbs_array_columns(array);
  for (size_t k = 0; k < columns; k++)
    if (!has_column(self, array->labels[k])) add_column(self, array, k);
}

/* Adds all sensors, and positions and velocities of bodies and joints. */
static void add_default(export_run *self) {
  static const char *const names[] = {"r", "p", "theta", "rd", "pd", "omega", "theta_d"};
  size_t index;
  const json_t *sensor;
  json_array_foreach(json_object_get(self->document.model, "sensors"), index, sensor) {
    const char *name = json_string_value(json_object_get(sensor, "name"));
    const mbs_array *array = name ? mbs_result_array(self->result, name) : NULL;
    if (array) add_array(self, array);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const mbs_array *array = mbs_result_array(self->result, names[i]);
    if (array) add_array(self, array);
  }
}

/* Adds the column with a label: the last one, as sensors come last. Returns false if no array has one. */
static bool add_label(export_run *self, const char *label) {
  for (size_t i = self->result->array_count; i-- > 0;) {
    const mbs_array *array = &self->result->arrays[i];
    const size_t columns = mbs_array_columns(array);
    for (size_t k = 0; k < columns && !array->timeless; k++) {
      if (strcmp(array->labels[k], label) != 0) continue;
      add_column(self, array, k);
      return true;
    }
  }
  return false;
}

/* Adds the requested outputs. Reports those that do not exist, and repeated ones. */
static void add_requested(export_run *self) {
  size_t index;
  const json_t *item;
  json_array_foreach(self->outputs, index, item) {
    const char *label = json_string_value(item);
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/outputs/%zu", index);
    if (!label)
      mbs_diagnose(self->list, MBS_WRONG_TYPE, pointer, "a label or the name of a sensor is expected");
    else if (has_column(self, label))
      mbs_diagnose(self->list, MBS_DUPLICATE_NAME, pointer, "'%.100s' is listed twice", label);
    else if (!add_label(self, label))
      mbs_diagnose(self->list, MBS_UNKNOWN_NAME, pointer,
                   "no sensor and no column of the results is called '%.100s'; 'mbs run --out' writes all columns",
                   label);
  }
}

static void list_columns(export_run *self) {
  size_t most = json_array_size(self->outputs);
  for (size_t i = 0; !self->outputs && i < self->result->array_count; i++)
    most += mbs_array_columns(&self->result->arrays[i]);
  self->columns = mbs_arena_alloc(self->arena, most + 1, sizeof *self->columns);
  self->labels = mbs_arena_alloc(self->arena, most + 1, sizeof *self->labels);
  if (!self->columns || !self->labels)
    mbs_diagnose(self->list, MBS_NO_MEMORY, "", "out of memory");
  else if (self->outputs)
    add_requested(self);
  else
    add_default(self);
}

/* Lists the parameters that are not expressions of others: numbers, with or without a unit. */
static void list_parameters(export_run *self, size_t count) {
  const json_t *values = json_object_get(self->document.model, "parameters");
  for (size_t i = 0; i < count; i++) {
    api_fmu_variable *out = &self->parameters[self->parameter_count];
    out->name = mbs_model_parameter(self->model, i, &out->start, &out->unit);
    if (!*out->unit && json_is_string(json_object_get(values, out->name))) continue;
    json_object_set_new(self->names, out->name, json_true());
    self->parameter_count++;
  }
}

static void list_numbers(export_run *self) {
  const size_t parameters = mbs_model_parameters(self->model);
  self->input_count = mbs_model_inputs(self->model);
  self->parameters = mbs_arena_alloc(self->arena, parameters + 1, sizeof *self->parameters);
  self->inputs = mbs_arena_alloc(self->arena, self->input_count + 1, sizeof *self->inputs);
  if (!self->parameters || !self->inputs) {
    mbs_diagnose(self->list, MBS_NO_MEMORY, "", "out of memory");
    return;
  }
  list_parameters(self, parameters);
  for (size_t i = 0; i < self->input_count; i++) {
    self->inputs[i].unit = "";
    self->inputs[i].name = mbs_model_input(self->model, i, &self->inputs[i].start);
    json_object_set_new(self->names, self->inputs[i].name, json_true());
  }
}

/* ---- the texts --------------------------------------------------------------------------------------------------- */

static json_t *names_of(const api_fmu_variable *list, size_t count) {
  json_t *names = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(names, json_string(list[i].name));
  return names;
}

/* Returns what the library must know besides the document, without the token. */
static json_t *interface_of(const export_run *self) {
  json_t *labels = json_array();
  for (size_t i = 0; i < self->column_count; i++) json_array_append_new(labels, json_string(self->labels[i]));
  return json_pack("{s:o, s:o, s:o}", "parameters", names_of(self->parameters, self->parameter_count), "inputs",
                   names_of(self->inputs, self->input_count), "outputs", labels);
}

/* Computes the digest of document, engine and variables. Returns false if memory runs out. */
static bool compute_token(const export_run *self, const json_t *interface, char token[API_DIGEST_SIZE]) {
  char *text = json_dumps(interface, JSON_COMPACT);
  const bool good = text && api_content_hash(&self->document, token);
  if (good) {
    api_digest digest;
    api_digest_begin(&digest);
    api_digest_add(&digest, token, strlen(token));
    api_digest_add(&digest, text, strlen(text));
    api_digest_end(&digest, token);
  }
  free(text);
  return good;
}

/* Returns a number of the analysis; NaN if it is an expression or not given. */
static double number_of(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool describe(const export_run *self, const char *token, api_buffer *out) {
  const json_t *analysis = self->document.analysis;
  const api_model_description description = {
      .name = mbs_model_name(self->model),
      .description = json_string_value(json_object_get(self->document.model, "description")),
      .token = token,
      .parameters = self->parameters,
      .parameter_count = self->parameter_count,
      .inputs = self->inputs,
      .input_count = self->input_count,
      .outputs = self->columns,
      .output_count = self->column_count,
      .stop_time = number_of(analysis, "t_end"),
      .step_size = number_of(analysis, "dt"),
      .tolerance = number_of(json_object_get(analysis, "integrator"), "rtol")};
  return api_model_description_write(&description, self->version, out);
}

/* Returns the texts of the FMU; NULL if memory runs out. */
static json_t *write_texts(export_run *self) {
  char token[API_DIGEST_SIZE];
  json_t *interface = interface_of(self), *texts = NULL;
  api_buffer xml = {0};
  if (interface && compute_token(self, interface, token) && describe(self, token, &xml)) {
    json_object_set_new(interface, "token", json_string(token));
    json_object_set(self->document.root, "x-fmu", interface);
    char *document = api_json_string(json_incref(self->document.root));
    texts = json_pack("{s:s, s:s, s:s%, s:s}", "fmi", versions[self->version], "name", mbs_model_name(self->model),
                      "description", xml.data, xml.size, "document", document ? document : "");
    free(document);
  }
  api_buffer_free(&xml);
  json_decref(interface);
  if (!texts) mbs_diagnose(self->list, MBS_NO_MEMORY, "", "out of memory");
  return texts;
}

json_t *api_fmu_make(json_t *root, const mbs_limits *limits, mbs_diagnostics *list) {
  export_run self = {.list = list,
                     .arena = mbs_arena_new(limits->memory),
                     .taken = json_object(),
                     .names = json_pack("{s:b}", "time", true)};
  json_t *texts = NULL;
  if (self.arena && read_request(&self, root)) {
    mbs_model *model = api_document_build(&self.document, limits, list); /* finds errors of the analysis */
    const bool valid = model != NULL;
    mbs_model_free(model);
    check_abilities(&self);
    if (valid && assemble(&self, limits)) {
      list_numbers(&self);
      list_columns(&self);
    }
    if (list->count == 0) texts = write_texts(&self);
  }
  mbs_result_free(self.result);
  mbs_model_free(self.model);
  mbs_arena_free(self.arena);
  json_decref(self.taken);
  json_decref(self.names);
  api_document_free(&self.document);
  json_decref(root);
  return texts;
}

bool api_fmu_write(const json_t *texts, api_buffer *out) {
  const char *description = json_string_value(json_object_get(texts, "description"));
  const char *document = json_string_value(json_object_get(texts, "document"));
  api_fmi_version version = API_FMI_2;
  find_version(json_string_value(json_object_get(texts, "fmi")), &version);
  return description && document && api_fmu_file_write(version, description, document, out);
}
