/* validation.h - validates a document and reports how it was understood. */
#ifndef API_DOCUMENTS_VALIDATION_H
#define API_DOCUMENTS_VALIDATION_H

#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* Makes a copy of the document with the analysis "assembly". Other members of the analysis stay, except those that only
 * a motion uses. */
void api_document_assembly(const api_document *document, api_document *assembly);

/* Builds the model and assembles it (corrects its initial conditions), without simulating a motion. Returns the report
 * of the assembly with "assembled" and, if that is false, "error". Returns NULL with all errors in `list` if the
 * document is invalid. `scene` adds the drawing data as "scene". */
json_t *api_document_validate(api_document *document, const mbs_limits *limits, bool scene, mbs_diagnostics *list);

#endif
