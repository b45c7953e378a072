/* fmu_importer.c - see fmu_importer.h. */
#include "fmu_importer.h"

#include "api/exports/fmu.h"
#include "fmu/fmi2.h"
#include "fmu/fmi3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Writes the request's FMU into memory. */
static void export_fmu(const char *request, api_buffer *out) {
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  json_error_t error;
  json_t *root = json_loads(request, JSON_DECODE_INT_AS_REAL, &error);
  if (!root) fail_msg("line %d: %s", error.line, error.text);
  json_t *texts = api_fmu_make(root, &limits, &list);
  if (!texts) fail_msg("%s: %s", list.items[0].pointer, list.items[0].message);
  assert_true(api_fmu_write(texts, out));
  json_decref(texts);
}

/* Makes the folders of a path. */
static void make_folders(char *path) {
  for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(path, 0755);
    *at = '/';
  }
}

static void unpack(const api_buffer *file, const char *folder) {
  struct archive *archive = archive_read_new();
  struct archive_entry *entry;
  archive_read_support_format_zip(archive);
  assert_int_equal(archive_read_open_memory(archive, file->data, file->size), ARCHIVE_OK);
  while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, archive_entry_pathname(entry));
    make_folders(path);
    const size_t size = (size_t)archive_entry_size(entry);
    char *bytes = malloc(size + 1);
    assert_int_equal(archive_read_data(archive, bytes, size), (la_ssize_t)size);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
    free(bytes);
  }
  archive_read_free(archive);
}

/* ---- the description --------------------------------------------------------------------------------------------- */

static bool is_element(const xmlNode *node, const char *name) {
  return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

/* Returns the attribute, malloc'd; NULL if the element does not have it. */
static char *attribute(xmlNode *node, const char *name) {
  xmlChar *value = xmlGetNoNsProp(node, BAD_CAST name);
  char *copy = value ? strdup((const char *)value) : NULL;
  xmlFree(value);
  return copy;
}

static void expect_attribute(xmlNode *node, const char *name, const char *expected) {
  char *value = attribute(node, name);
  assert_non_null(value);
  if (expected) assert_string_equal(value, expected);
  free(value);
}

/* Returns the child of that name; fails the test if there is not exactly one. */
static xmlNode *only_child(xmlNode *node, const char *name) {
  xmlNode *found = NULL;
  for (xmlNode *child = node->children; child; child = child->next)
    if (is_element(child, name)) {
      assert_null(found);
      found = child;
    }
  if (!found) fail_msg("there is no element %s", name);
  return found;
}

/* Returns true if the unit is defined, once, with its base units. */
static bool is_defined(xmlNode *units, const char *unit) {
  int count = 0;
  for (xmlNode *child = units->children; child; child = child->next) {
    if (!is_element(child, "Unit")) continue;
    char *name = attribute(child, "name");
    count += strcmp(name, unit) == 0;
    only_child(child, "BaseUnit");
    free(name);
  }
  return count == 1;
}

/* Reads a variable and checks it: parameters and inputs have a start value, outputs and the time have none. */
static void read_variable(xmlNode *node, xmlNode *units, const fmu_importer *fmu, fmu_importer_variable *out) {
  xmlNode *real = fmu->version == 2 ? only_child(node, "Real") : node;
  char *reference = attribute(node, "valueReference"), *start = attribute(real, "start"),
       *variability = attribute(node, "variability"), *initial = attribute(node, "initial");
  *out = (fmu_importer_variable){.name = attribute(node, "name"),
                                 .causality = attribute(node, "causality"),
                                 .unit = attribute(real, "unit"),
                                 .reference = (uint32_t)strtoul(reference, NULL, 10),
                                 .start = start ? strtod(start, NULL) : NAN};
  if (out->unit && !is_defined(units, out->unit)) fail_msg("%s: unit %s", out->name, out->unit);
  const bool parameter = strcmp(out->causality, "parameter") == 0, input = strcmp(out->causality, "input") == 0;
  assert_true((start != NULL) == (parameter || input));
  assert_string_equal(variability, parameter ? "fixed" : "continuous");
  if (input || strcmp(out->causality, "independent") == 0)
    assert_null(initial);
  else
    assert_string_equal(initial, parameter ? "exact" : "calculated");
  free(reference);
  free(start);
  free(variability);
  free(initial);
}

/* Checks that a list of unknowns has all outputs in their order. */
static void check_unknowns(xmlNode *list, const char *element, const fmu_importer *fmu) {
  size_t next = 0;
  for (xmlNode *child = list->children; child; child = child->next) {
    if (!is_element(child, element)) continue;
    while (next < fmu->count && strcmp(fmu->variables[next].causality, "output") != 0) next++;
    assert_true(next < fmu->count);
    char *text = attribute(child, fmu->version == 2 ? "index" : "valueReference");
    const size_t number = strtoul(text, NULL, 10);
    assert_int_equal(number, fmu->version == 2 ? next + 1 : fmu->variables[next].reference);
    free(text);
    next++;
  }
  for (; next < fmu->count; next++) assert_string_not_equal(fmu->variables[next].causality, "output");
}

static void check_names(const fmu_importer *fmu) {
  int times = 0;
  for (size_t i = 0; i < fmu->count; i++) {
    times += strcmp(fmu->variables[i].causality, "independent") == 0;
    for (size_t k = 0; k < i; k++) {
      assert_string_not_equal(fmu->variables[i].name, fmu->variables[k].name);
      assert_int_not_equal(fmu->variables[i].reference, fmu->variables[k].reference);
    }
  }
  assert_int_equal(times, 1);
}

static void read_description(fmu_importer *fmu) {
  char path[128];
  snprintf(path, sizeof path, "%s/modelDescription.xml", fmu->folder);
  xmlDoc *document = xmlReadFile(path, NULL, XML_PARSE_NONET);
  assert_non_null(document);
  xmlNode *root = xmlDocGetRootElement(document), *units = only_child(root, "UnitDefinitions"),
          *list = only_child(root, "ModelVariables"), *structure = only_child(root, "ModelStructure"),
          *interface = only_child(root, "CoSimulation");
  char *version = attribute(root, "fmiVersion");
  fmu->version = strcmp(version, "3.0") == 0 ? 3 : 2;
  assert_string_equal(version, fmu->version == 3 ? "3.0" : "2.0");
  free(version);
  fmu->token = attribute(root, fmu->version == 2 ? "guid" : "instantiationToken");
  assert_non_null(fmu->token);
  expect_attribute(root, "modelName", NULL);
  expect_attribute(interface, "modelIdentifier", "mbsd");
  expect_attribute(interface, fmu->version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", "true");
  for (xmlNode *child = list->children; child; child = child->next) {
    if (!is_element(child, fmu->version == 2 ? "ScalarVariable" : "Float64")) continue;
    fmu->variables = realloc(fmu->variables, (fmu->count + 1) * sizeof *fmu->variables);
    read_variable(child, units, fmu, &fmu->variables[fmu->count++]);
  }
  check_names(fmu);
  if (fmu->version == 2) {
    check_unknowns(only_child(structure, "Outputs"), "Unknown", fmu);
    check_unknowns(only_child(structure, "InitialUnknowns"), "Unknown", fmu);
  } else {
    check_unknowns(structure, "Output", fmu);
    check_unknowns(structure, "InitialUnknown", fmu);
  }
  xmlFreeDoc(document);
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static void load_library(fmu_importer *fmu) {
  char path[128];
#ifdef __x86_64__
  const char *platform = fmu->version == 2 ? "linux64" : "x86_64-linux";
#else
  const char *platform = "aarch64-linux";
#endif
  snprintf(path, sizeof path, "%s/binaries/%s/mbsd.so", fmu->folder, platform);
  fmu->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!fmu->library) fail_msg("%s", dlerror());
}

void fmu_importer_open(const char *request, fmu_importer *fmu) {
  api_buffer file = {0};
  *fmu = (fmu_importer){.folder = "/tmp/mbsd fmu %41.XXXXXX"};
  assert_non_null(mkdtemp(fmu->folder));
  export_fmu(request, &file);
  unpack(&file, fmu->folder);
  api_buffer_free(&file);
  read_description(fmu);
  load_library(fmu);
}

static void remove_tree(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

void fmu_importer_close(fmu_importer *fmu) {
  for (size_t i = 0; i < fmu->count; i++) {
    free(fmu->variables[i].name);
    free(fmu->variables[i].causality);
    free(fmu->variables[i].unit);
  }
  free(fmu->variables);
  free(fmu->token);
  dlclose(fmu->library);
  remove_tree(fmu->folder);
}

uint32_t fmu_importer_reference(const fmu_importer *fmu, const char *name) {
  for (size_t i = 0; i < fmu->count; i++)
    if (strcmp(fmu->variables[i].name, name) == 0) return fmu->variables[i].reference;
  fail_msg("there is no variable %s", name);
  return 0;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Declares a pointer to a function of the library, for example `enter` for fmi2EnterInitializationMode. */
#define FUNCTION(self, type, pointer, name)          \
  type;                                              \
  do {                                               \
    void *found = dlsym((self)->fmu->library, name); \
    assert_non_null(found);                          \
    memcpy(&pointer, &found, sizeof found);          \
  } while (0)

static void keep_message(fmu_importer_instance *self, const char *category, const char *message) {
  snprintf(self->message, sizeof self->message, "%s", message);
  snprintf(self->category, sizeof self->category, "%s", category);
  self->messages++;
}

__attribute__((format(printf, 5, 6))) static void log_of_2(fmi2ComponentEnvironment environment, fmi2String name,
                                                           fmi2Status status, fmi2String category, fmi2String format,
                                                           ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  assert_string_equal(name, "instance");
  assert_true(status != fmi2OK);
  keep_message(environment, category, message);
}

static void log_of_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
  assert_true(status != fmi3OK);
  keep_message(environment, category, message);
}

static bool new2(fmu_importer_instance *self, const char *token) {
  char uri[160] = "file://";
  size_t length = strlen(uri);
  for (const char *at = self->fmu->folder; *at; at++) /* a space and a percent sign, as in "%20" */
    length += (size_t)snprintf(uri + length, sizeof uri - length, *at == ' ' || *at == '%' ? "%%%02X" : "%c", *at);
  snprintf(uri + length, sizeof uri - length, "/resources");
  const fmi2CallbackFunctions functions = {log_of_2, calloc, free, NULL, self};
  FUNCTION(self,
           fmi2Component(*instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *,
                                       fmi2Boolean, fmi2Boolean),
           instantiate, "fmi2Instantiate");
  self->component = instantiate("instance", fmi2CoSimulation, token, uri, &functions, 0, 0);
  return self->component != NULL;
}

static bool new3(fmu_importer_instance *self, const char *token) {
  char folder[160];
  snprintf(folder, sizeof folder, "%s/resources/", self->fmu->folder);
  FUNCTION(self,
           fmi3Instance(*instantiate)(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean,
                                      fmi3Boolean, const fmi3ValueReference *, size_t, fmi3InstanceEnvironment,
                                      fmi3LogMessageCallback, fmi3IntermediateUpdateCallback),
           instantiate, "fmi3InstantiateCoSimulation");
  self->component = instantiate("instance", token, folder, false, false, false, false, NULL, 0, self, log_of_3, NULL);
  return self->component != NULL;
}

bool fmu_importer_new(const fmu_importer *fmu, const char *token, fmu_importer_instance *out) {
  *out = (fmu_importer_instance){.fmu = fmu};
  if (!token) token = fmu->token;
  return fmu->version == 2 ? new2(out, token) : new3(out, token);
}

/* Returns the name of a function in the FMU's version. */
static const char *name_of(const fmu_importer_instance *self, const char *name2, const char *name3) {
  return self->fmu->version == 2 ? name2 : name3;
}
#define NAME(self, name) name_of(self, "fmi2" name, "fmi3" name)

void fmu_importer_free(fmu_importer_instance *self) {
  FUNCTION(self, void (*call)(void *), call, NAME(self, "FreeInstance"));
  call(self->component);
}

int fmu_importer_enter(fmu_importer_instance *self, double start) {
  if (self->fmu->version == 3) {
    FUNCTION(self, fmi3Status(*enter)(void *, fmi3Boolean, double, double, fmi3Boolean, double), enter,
             "fmi3EnterInitializationMode");
    return (int)enter(self->component, false, 0, start, false, 0);
  }
  FUNCTION(self, fmi2Status(*setup)(void *, fmi2Boolean, double, double, fmi2Boolean, double), setup,
           "fmi2SetupExperiment");
  assert_int_equal(setup(self->component, 0, 0, start, 0, 0), fmi2OK);
  FUNCTION(self, int (*enter)(void *), enter, "fmi2EnterInitializationMode");
  return enter(self->component);
}

static int plain(fmu_importer_instance *self, const char *name) {
  FUNCTION(self, int (*call)(void *), call, name);
  return call(self->component);
}

int fmu_importer_exit(fmu_importer_instance *self) { return plain(self, NAME(self, "ExitInitializationMode")); }

int fmu_importer_terminate(fmu_importer_instance *self) { return plain(self, NAME(self, "Terminate")); }

int fmu_importer_reset(fmu_importer_instance *self) { return plain(self, NAME(self, "Reset")); }

void fmu_importer_start(fmu_importer_instance *self) {
  if (fmu_importer_enter(self, 0) != IMPORTER_OK || fmu_importer_exit(self) != IMPORTER_OK)
    fail_msg("%s", self->message);
}

int fmu_importer_get(fmu_importer_instance *self, const uint32_t *references, size_t count, double *values) {
  if (self->fmu->version == 2) {
    FUNCTION(self, int (*get)(void *, const unsigned *, size_t, double *), get, "fmi2GetReal");
    return get(self->component, references, count, values);
  }
  FUNCTION(self, int (*get)(void *, const uint32_t *, size_t, double *, size_t), get, "fmi3GetFloat64");
  return get(self->component, references, count, values, count);
}

int fmu_importer_set(fmu_importer_instance *self, const char *name, double value) {
  const uint32_t reference = fmu_importer_reference(self->fmu, name);
  if (self->fmu->version == 2) {
    FUNCTION(self, int (*set)(void *, const unsigned *, size_t, const double *), set, "fmi2SetReal");
    return set(self->component, &reference, 1, &value);
  }
  FUNCTION(self, int (*set)(void *, const uint32_t *, size_t, const double *, size_t), set, "fmi3SetFloat64");
  return set(self->component, &reference, 1, &value, 1);
}

double fmu_importer_value(fmu_importer_instance *self, const char *name) {
  const uint32_t reference = fmu_importer_reference(self->fmu, name);
  double value = NAN;
  if (fmu_importer_get(self, &reference, 1, &value) != IMPORTER_OK) fail_msg("%s: %s", name, self->message);
  return value;
}

int fmu_importer_step(fmu_importer_instance *self, double t, double length, double *reached) {
  if (self->fmu->version == 3) {
    bool event, terminate, early;
    FUNCTION(self, int (*step)(void *, double, double, bool, bool *, bool *, bool *, double *), step, "fmi3DoStep");
    return step(self->component, t, length, false, &event, &terminate, &early, reached);
  }
  FUNCTION(self, int (*step)(void *, double, double, fmi2Boolean), step, "fmi2DoStep");
  FUNCTION(self, int (*status)(void *, fmi2StatusKind, double *), status, "fmi2GetRealStatus");
  const int result = step(self->component, t, length, 0);
  assert_int_equal(status(self->component, fmi2LastSuccessfulTime, reached), fmi2OK);
  return result;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

int fmu_importer_get_state(fmu_importer_instance *self, void **state) {
  FUNCTION(self, int (*call)(void *, void **), call, name_of(self, "fmi2GetFMUstate", "fmi3GetFMUState"));
  return call(self->component, state);
}

int fmu_importer_set_state(fmu_importer_instance *self, void *state) {
  FUNCTION(self, int (*call)(void *, void *), call, name_of(self, "fmi2SetFMUstate", "fmi3SetFMUState"));
  return call(self->component, state);
}

int fmu_importer_free_state(fmu_importer_instance *self, void **state) {
  FUNCTION(self, int (*call)(void *, void **), call, name_of(self, "fmi2FreeFMUstate", "fmi3FreeFMUState"));
  return call(self->component, state);
}

unsigned char *fmu_importer_save(fmu_importer_instance *self, void *state, size_t *size) {
  FUNCTION(self, int (*size_of)(void *, void *, size_t *), size_of,
           name_of(self, "fmi2SerializedFMUstateSize", "fmi3SerializedFMUStateSize"));
  FUNCTION(self, int (*save)(void *, void *, unsigned char *, size_t), save,
           name_of(self, "fmi2SerializeFMUstate", "fmi3SerializeFMUState"));
  assert_int_equal(size_of(self->component, state, size), 0);
  unsigned char *bytes = malloc(*size);
  assert_int_equal(save(self->component, state, bytes, *size), 0);
  return bytes;
}

int fmu_importer_load(fmu_importer_instance *self, const unsigned char *bytes, size_t size, void **state) {
  FUNCTION(self, int (*load)(void *, const unsigned char *, size_t, void **), load,
           name_of(self, "fmi2DeSerializeFMUstate", "fmi3DeserializeFMUState"));
  return load(self->component, bytes, size, state);
}
