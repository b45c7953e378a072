/* binding.h - numbers of a model for other values of its parameters: the document that has these, and whether two sets
 * are the same. */
#ifndef TESTS_PROPERTY_BINDING_H
#define TESTS_PROPERTY_BINDING_H

#include "model/constants.h"

/* Fails the test that calls it, with these words. */
void assert_same(const char *what, const void *one, const void *two, size_t count, size_t size);
/* All numbers of two sets, of one model or of two that are built alike. */
void assert_same_numbers(const mbs_constants *one, const mbs_constants *two);

/* The text of a document whose parameters are `values` (NaN: as they are). */
char *with_parameters(const char *text, const mbs_model *model, const double *values);
/* The document of which every number is an expression of parameters, but for those that structure follows from. */
char *with_expressions(const char *document, uint64_t seed);

#endif
