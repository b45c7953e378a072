/* binding.h - numbers of a model for other values of its parameters: a document with these values, and the comparison
 * of two sets. */
#ifndef TESTS_PROPERTY_BINDING_H
#define TESTS_PROPERTY_BINDING_H

#include "model/constants.h"

/* Fails the calling test with the text `what` unless `count` items of `size` bytes are equal. */
void assert_same(const char *what, const void *one, const void *two, size_t count, size_t size);
/* Compares all numbers of two sets, of one model or of two models with equal structure. */
void assert_same_numbers(const mbs_constants *one, const mbs_constants *two);

/* Returns the document with the parameters `values` (NaN: unchanged). */
char *with_parameters(const char *text, const mbs_model *model, const double *values);
/* Returns the document with every number replaced by an expression of parameters, except those that determine the
 * structure. */
char *with_expressions(const char *document, uint64_t seed);

#endif
