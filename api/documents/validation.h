/* validation.h - what the program understands of a document. */
#ifndef API_DOCUMENTS_VALIDATION_H
#define API_DOCUMENTS_VALIDATION_H

#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* Builds the model, then assembles it (corrects its initial conditions) without any motion. Returns the report of
 * that, with "assembled" and, where that is false, "error"; NULL with all mistakes in `list` when the document is
 * wrong. `scene`: with what a drawing needs, as "scene". */
json_t *api_document_validate(api_document *document, const mbs_limits *limits, bool scene, mbs_diagnostics *list);

#endif
