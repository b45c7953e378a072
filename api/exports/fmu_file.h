/* fmu_file.h - the FMU as a file: a ZIP archive of the model description, the library and the document. */
#ifndef API_EXPORTS_FMU_FILE_H
#define API_EXPORTS_FMU_FILE_H

#include "api/base/buffer.h"
#include "api/exports/model_description.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the archive to `out`; `description` is the text of modelDescription.xml, and `document` that of the resource
 * model.json. The same texts give the same bytes. Returns false if memory runs out. */
bool api_fmu_file_write(api_fmi_version version, const char *description, const char *document, api_buffer *out);

#endif
