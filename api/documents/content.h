/* content.h - digests of what a document asks for, independent of its spelling: equal documents, documents that differ
 * only in numbers, and the amount of work. */
#ifndef API_DOCUMENTS_CONTENT_H
#define API_DOCUMENTS_CONTENT_H

#include "api/base/digest.h"
#include "api/documents/document.h"

#include <stdbool.h>
#include <stdint.h>

/* Computes the digest of the model, the analysis in use, the study and the engine's version: compact JSON with sorted
 * keys, numbers as the JSON library prints doubles. Returns false if memory runs out. */
bool api_content_hash(const api_document *document, char out[API_DIGEST_SIZE]);
/* Computes the digest of model and analysis, independent of the engine and of `certify`: members sorted by name,
 * numbers with 17 digits, no blanks. Returns false if memory runs out. */
bool api_content_document_hash(const api_document *document, char out[API_DIGEST_SIZE]);

/* Returns the same value for all documents that differ only in numbers; never 0. */
uint64_t api_content_kind(const api_document *document);

/* Returns the time that the analysis simulates, and the number of cells: reported rows times bodies. Returns false if
 * the document does not give them as plain numbers. */
bool api_content_span(const api_document *document, double *span, double *cells);

#endif
