/* fmu.h - a document as an FMU for co-simulation (https://fmi-standard.org). */
#ifndef API_EXPORTS_FMU_H
#define API_EXPORTS_FMU_H

#include "api/base/buffer.h"
#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>

/* Makes the texts of an FMU from {"model", "analysis", "fmi", "outputs"}, or from a bare model, which it owns. "fmi" is
 * "2.0", the default, or "3.0". "outputs" are labels of result columns and names of sensors; by default all sensors,
 * and positions and velocities of bodies and joints. Returns an object for api_fmu_write(). Returns NULL with the
 * errors of the document, and those of what an FMU cannot do, in `list`. */
json_t *api_fmu_make(json_t *root, const mbs_limits *limits, mbs_diagnostics *list);

/* Returns true if an analysis, or none (NULL), is of a kind that FMUs compute. */
bool api_fmu_is_possible(const json_t *analysis);

/* Appends the file of an FMU to `out`. The same texts give the same bytes. Returns false if memory runs out. */
bool api_fmu_write(const json_t *texts, api_buffer *out);

#endif
