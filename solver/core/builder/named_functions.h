/* named_functions.h - functions of the document: tables, and expressions of arguments. */
#ifndef MBS_BUILDER_NAMED_FUNCTIONS_H
#define MBS_BUILDER_NAMED_FUNCTIONS_H

#include "builder/builder.h"
#include "expression/lookup.h"

/* The choices of the fields `interpolation` and `outside`, in their order. */
typedef enum mbs_interpolation {
  MBS_INTERPOLATION_LINEAR,
  MBS_INTERPOLATION_SPLINE,
  MBS_INTERPOLATION_AKIMA,
  MBS_INTERPOLATION_MONOTONE
} mbs_interpolation;
typedef enum mbs_outside { MBS_OUTSIDE_ERROR, MBS_OUTSIDE_HOLD, MBS_OUTSIDE_EXTEND, MBS_OUTSIDE_PERIODIC } mbs_outside;

/* Registers the names of the functions of the document, before its parameters are read. */
void mbs_list_named_functions(mbs_builder *builder);
/* Reads all functions, after the names of the parameters are known. */
void mbs_read_named_functions(mbs_builder *builder);
/* Returns the function of that name, which is read at its first use; NULL if there is none. If it is wrong, numbers
 * that use it are not compared. */
const mbs_named_function *mbs_find_named_function(mbs_builder *builder, const char *name);

/* Reads the table of a function of one or two arguments, with all errors. Returns NULL after a report. */
const mbs_table *mbs_read_table(mbs_builder *builder, const mbs_node *node, const mbs_named_function *function);

#endif
