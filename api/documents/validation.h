/* validation.h - what the program understands of a document. */
#ifndef API_DOCUMENTS_VALIDATION_H
#define API_DOCUMENTS_VALIDATION_H

#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* The same document with the analysis "assembly"; what else its analysis says stays, but for what only a motion has. */
void api_document_assembly(const api_document *document, api_document *assembly);

/* Builds the model, then assembles it (corrects its initial conditions) without any motion. Returns the report of
 * that, with "assembled" and, where that is false, "error"; NULL with all mistakes in `list` when the document is
 * wrong. `scene`: with what a drawing needs, as "scene". */
json_t *api_document_validate(api_document *document, const mbs_limits *limits, bool scene, mbs_diagnostics *list);

#endif
