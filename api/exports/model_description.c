/* model_description.c - see model_description.h. */
#include "api/exports/model_description.h"

#include "api/exports/unit_powers.h"
#include "mbs.h"

#include <libxml/xmlwriter.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The document while it is written. */
typedef struct writer {
  xmlTextWriter *xml;
  const api_model_description *description;
  api_fmi_version version;
  bool failed; /* memory ran out */
} writer;

static void begin(writer *self, const char *name) {
  self->failed |= xmlTextWriterStartElement(self->xml, BAD_CAST name) < 0;
}

static void end(writer *self) { self->failed |= xmlTextWriterEndElement(self->xml) < 0; }

static void attribute(writer *self, const char *name, const char *value) {
  self->failed |= xmlTextWriterWriteAttribute(self->xml, BAD_CAST name, BAD_CAST value) < 0;
}

static void integer(writer *self, const char *name, long value) {
  char text[24];
  snprintf(text, sizeof text, "%ld", value);
  attribute(self, name, text);
}

/* Writes a number with the fewest digits from which the same double is read; nothing if it is not finite. */
static void number(writer *self, const char *name, double value) {
  if (!isfinite(value)) return;
  api_buffer text = {0};
  api_buffer_number(&text, value);
  api_buffer_add(&text, "", 1);
  if (!text.failed) attribute(self, name, text.data);
  self->failed |= text.failed;
  api_buffer_free(&text);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* Returns variable number `index` in the order of value references, without the time. */
static const api_fmu_variable *variable_at(const api_model_description *description, size_t index) {
  if (index < description->parameter_count) return &description->parameters[index];
  index -= description->parameter_count;
  if (index < description->input_count) return &description->inputs[index];
  return &description->outputs[index - description->input_count];
}

static size_t variable_count(const api_model_description *description) {
  return description->parameter_count + description->input_count + description->output_count;
}

/* Returns true if no earlier variable, including the time, has the unit of this one. */
static bool is_new_unit(const api_model_description *description, size_t index) {
  const char *unit = variable_at(description, index)->unit;
  if (strcmp(unit, "s") == 0) return false;
  for (size_t i = 0; i < index; i++)
    if (strcmp(variable_at(description, i)->unit, unit) == 0) return false;
  return true;
}

static void write_unit(writer *self, const char *unit) {
  static const char *const bases[] = API_UNIT_BASES;
  int powers[API_UNIT_BASE_COUNT];
  begin(self, "Unit");
  attribute(self, "name", unit);
  if (api_unit_powers(unit, powers)) {
    begin(self, "BaseUnit");
    for (int k = 0; k < API_UNIT_BASE_COUNT; k++)
      if (powers[k] != 0) integer(self, bases[k], powers[k]);
    end(self);
  }
  end(self);
}

static void write_units(writer *self) {
  begin(self, "UnitDefinitions");
  write_unit(self, "s");
  for (size_t i = 0; i < variable_count(self->description); i++) {
    const char *unit = variable_at(self->description, i)->unit;
    if (*unit && is_new_unit(self->description, i)) write_unit(self, unit);
  }
  end(self);
}

/* ---- the other parts --------------------------------------------------------------------------------------------- */

static void write_interface(writer *self) {
  const bool second = self->version == API_FMI_2;
  begin(self, "CoSimulation");
  attribute(self, "modelIdentifier", API_FMU_LIBRARY);
  attribute(self, "canHandleVariableCommunicationStepSize", "true");
  if (second) attribute(self, "canNotUseMemoryManagementFunctions", "true");
  attribute(self, second ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", "true");
  attribute(self, second ? "canSerializeFMUstate" : "canSerializeFMUState", "true");
  end(self);
}

static void write_log_categories(writer *self) {
  static const char *const names[] = {"logStatusDiscard", "logStatusError"};
  begin(self, "LogCategories");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    begin(self, "Category");
    attribute(self, "name", names[i]);
    end(self);
  }
  end(self);
}

static void write_default_experiment(writer *self) {
  begin(self, "DefaultExperiment");
  number(self, "startTime", 0);
  number(self, "stopTime", self->description->stop_time);
  number(self, "tolerance", self->description->tolerance);
  number(self, "stepSize", self->description->step_size);
  end(self);
}

static void write_variable(writer *self, const api_fmu_variable *variable, size_t reference, const char *causality,
                           const char *variability, const char *initial) {
  const bool second = self->version == API_FMI_2;
  begin(self, second ? "ScalarVariable" : "Float64");
  attribute(self, "name", variable->name);
  integer(self, "valueReference", (long)reference);
  if (variable->description) attribute(self, "description", variable->description);
  attribute(self, "causality", causality);
  attribute(self, "variability", variability);
  if (initial) attribute(self, "initial", initial);
  if (second) begin(self, "Real");
  if (*variable->unit) attribute(self, "unit", variable->unit);
  number(self, "start", variable->start);
  if (second) end(self);
  end(self);
}

static void write_list(writer *self, const api_fmu_variable *list, size_t count, size_t *reference,
                       const char *causality, const char *variability, const char *initial) {
  for (size_t i = 0; i < count; i++) write_variable(self, &list[i], (*reference)++, causality, variability, initial);
}

static void write_variables(writer *self) {
  static const api_fmu_variable time = {.name = "time", .unit = "s", .start = NAN};
  const api_model_description *from = self->description;
  size_t reference = 0;
  begin(self, "ModelVariables");
  write_list(self, &time, 1, &reference, "independent", "continuous", NULL);
  write_list(self, from->parameters, from->parameter_count, &reference, "parameter", "fixed", "exact");
  /* FMI 2.0 forbids `initial` for inputs, FMI 3.0 has "exact" as its default. */
  write_list(self, from->inputs, from->input_count, &reference, "input", "continuous", NULL);
  write_list(self, from->outputs, from->output_count, &reference, "output", "continuous", "calculated");
  end(self);
}

/* FMI 2.0 numbers the variables from 1, so that the index is the value reference plus one. */
static void write_unknowns(writer *self, const char *group, const char *element) {
  const api_model_description *from = self->description;
  const size_t first = 1 + from->parameter_count + from->input_count;
  if (group) begin(self, group);
  for (size_t i = 0; i < from->output_count; i++) {
    begin(self, element);
    if (self->version == API_FMI_2)
      integer(self, "index", (long)(first + i + 1));
    else
      integer(self, "valueReference", (long)(first + i));
    end(self);
  }
  if (group) end(self);
}

static void write_structure(writer *self) {
  const bool second = self->version == API_FMI_2;
  begin(self, "ModelStructure");
  if (self->description->output_count > 0) {
    write_unknowns(self, second ? "Outputs" : NULL, second ? "Unknown" : "Output");
    write_unknowns(self, second ? "InitialUnknowns" : NULL, second ? "Unknown" : "InitialUnknown");
  }
  end(self);
}

static void write_root(writer *self) {
  const bool second = self->version == API_FMI_2;
  begin(self, "fmiModelDescription");
  attribute(self, "fmiVersion", second ? "2.0" : "3.0");
  attribute(self, "modelName", self->description->name);
  attribute(self, second ? "guid" : "instantiationToken", self->description->token);
  if (self->description->description) attribute(self, "description", self->description->description);
  attribute(self, "generationTool", "mbsd " MBS_VERSION);
  attribute(self, "variableNamingConvention", "flat");
  write_interface(self);
  write_units(self);
  write_log_categories(self);
  write_default_experiment(self);
  write_variables(self);
  write_structure(self);
  end(self);
}

bool api_model_description_write(const api_model_description *description, api_fmi_version version, api_buffer *out) {
  xmlBuffer *text = xmlBufferCreate();
  writer self = {.xml = text ? xmlNewTextWriterMemory(text, 0) : NULL, .description = description, .version = version};
  bool good = self.xml && xmlTextWriterSetIndent(self.xml, 1) >= 0 &&
              xmlTextWriterStartDocument(self.xml, NULL, "UTF-8", NULL) >= 0;
  if (good) {
    write_root(&self);
    good = xmlTextWriterEndDocument(self.xml) >= 0 && !self.failed;
  }
  xmlFreeTextWriter(self.xml);
  if (good) api_buffer_add(out, xmlBufferContent(text), (size_t)xmlBufferLength(text));
  xmlBufferFree(text);
  return good && !out->failed;
}
