/* reference_example.h - what the models that come with the program show of a class: a piece of a document, and the
 * columns that it adds to the result arrays. */
#ifndef API_DOCUMENTS_REFERENCE_EXAMPLE_H
#define API_DOCUMENTS_REFERENCE_EXAMPLE_H

#include "api/base/buffer.h"
#include "mbs.h"

/* The sections "Example" and "Result columns" of a class, in Markdown; nothing where no model uses it. */
void api_reference_example(const mbs_class *cls, api_buffer *out);
/* The page of all arrays that the models record. */
void api_reference_arrays(api_buffer *out);

#endif
