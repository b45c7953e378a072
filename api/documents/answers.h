/* answers.h - compares a student's equations with those of a document's model. */
#ifndef API_DOCUMENTS_ANSWERS_H
#define API_DOCUMENTS_ANSWERS_H

#include "api/documents/document.h"
#include "api/documents/equations.h"
#include "mbs.h"

#include <jansson.h>

/* Lists the other members of a request with "model" and "analysis". */
#define API_ANSWERS_MEMBERS "claim|at|tolerance|show|formulation"

/* Checks the answers in "claim", a member of the request like "model". Returns the verdicts; wrong or unreadable
 * answers are not errors. Returns NULL with all errors of the document in `list`, or, if there are none, with `excess`
 * if the equations are too large. */
json_t *api_document_check_answers(api_document *document, const mbs_limits *limits, mbs_diagnostics *list,
                                   api_equations_excess *excess);

#endif
