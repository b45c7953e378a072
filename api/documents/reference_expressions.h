/* reference_expressions.h - the reference page about expressions. */
#ifndef API_DOCUMENTS_REFERENCE_EXPRESSIONS_H
#define API_DOCUMENTS_REFERENCE_EXPRESSIONS_H

#include "api/base/buffer.h"

/* Appends the operators, every function with its derivative, and every name of a quantity. */
void api_reference_expressions(api_buffer *out);

#endif
