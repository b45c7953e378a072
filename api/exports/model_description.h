/* model_description.h - modelDescription.xml of an FMU for co-simulation, in FMI 2.0 or 3.0. */
#ifndef API_EXPORTS_MODEL_DESCRIPTION_H
#define API_EXPORTS_MODEL_DESCRIPTION_H

#include "api/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum api_fmi_version { API_FMI_2, API_FMI_3, API_FMI_VERSIONS } api_fmi_version;

/* Name of the library in an FMU, without its extension. It is the same in all FMUs. */
#define API_FMU_LIBRARY "mbsd"

typedef struct api_fmu_variable {
  const char *name, *unit, *description; /* unit "": none; description may be NULL */
  double start;                          /* start value of a parameter or input */
} api_fmu_variable;

/* The content of a model description. The value reference of the time is 0; those of parameters, inputs and outputs
 * follow in this order. */
typedef struct api_model_description {
  const char *name, *description; /* description may be NULL */
  const char *token;              /* identifies the document and the engine */
  const api_fmu_variable *parameters, *inputs, *outputs;
  size_t parameter_count, input_count, output_count;
  double stop_time, step_size, tolerance; /* default experiment; NaN: not given */
} api_model_description;

/* Appends the XML text to `out`. Returns false if memory runs out. */
bool api_model_description_write(const api_model_description *description, api_fmi_version version, api_buffer *out);

#endif
