/* reference_example.h - shows, from the built-in models, how a class is used: a piece of a document, and the columns
 * that it adds to the result arrays. */
#ifndef API_DOCUMENTS_REFERENCE_EXAMPLE_H
#define API_DOCUMENTS_REFERENCE_EXAMPLE_H

#include "api/base/buffer.h"
#include "mbs.h"

/* Appends the sections "Example" and "Result columns" of a class, in Markdown; nothing if no model uses the class. */
void api_reference_example(const mbs_class *cls, api_buffer *out);
/* Appends the page of all arrays that the models record. */
void api_reference_arrays(api_buffer *out);

#endif
