/* answers.h - somebody's own equations of a document's model, checked. */
#ifndef API_DOCUMENTS_ANSWERS_H
#define API_DOCUMENTS_ANSWERS_H

#include "api/documents/document.h"
#include "api/documents/equations.h"
#include "mbs.h"

#include <jansson.h>

/* Members that may stand beside "model" and "analysis". */
#define API_ANSWERS_MEMBERS "claim|at|tolerance|show|formulation"

/* Judges the "claim" that stands beside the model. NULL with all mistakes of the document in `list`; claims that are
 * wrong or cannot be read are no mistakes of it. Where there is none, with what is too large in `excess`. */
json_t *api_document_check_answers(api_document *document, const mbs_limits *limits, mbs_diagnostics *list,
                                   api_equations_excess *excess);

#endif
