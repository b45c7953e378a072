/* content.h - what a document asks for, whatever its spelling: which documents are equal, which differ in numbers
 * alone, and how much work one is. */
#ifndef API_DOCUMENTS_CONTENT_H
#define API_DOCUMENTS_CONTENT_H

#include "api/base/digest.h"
#include "api/documents/document.h"

#include <stdbool.h>
#include <stdint.h>

/* The digest of the model, the analysis that counts, the study and the engine's version: in compact JSON with sorted
 * keys, numbers as the JSON library prints doubles. False without memory. */
bool api_content_hash(const api_document *document, char out[API_DIGEST_SIZE]);
/* A name for what is computed: model and analysis as above, whatever the engine, and whether it is certified or not.
 * Numbers of 17 digits, members by name, nothing between. */
bool api_content_document_hash(const api_document *document, char out[API_DIGEST_SIZE]);

/* The same for all documents that differ in numbers alone; never 0. */
uint64_t api_content_kind(const api_document *document);

/* The time that the analysis simulates, and how many rows it reports of how many bodies. False where the document does
 * not give that in plain numbers. */
bool api_content_span(const api_document *document, double *span, double *cells);

#endif
