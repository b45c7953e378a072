/* document.h - writes the document: names, numbers, elements. */
#ifndef IMPORT_DOCUMENT_H
#define IMPORT_DOCUMENT_H

#include "import/context.h"

/* Bodies and joints share their names. */
typedef enum import_name_kind { IMPORT_NAME_BODY, IMPORT_NAME_FORCE, IMPORT_NAME_DRIVER } import_name_kind;

/* Starts the document. `name` may be NULL. */
void import_document_open(import_context *context, const char *name, const char *space);

/* Keeps a name for the element of the source that has it, so that no earlier element without a name gets it. */
void import_reserve(import_context *context, import_name_kind kind, const char *source);
/* Returns a name that the document may use: that of the source, or if it has none (NULL or "") `word` and `number`.
 * Characters that are not allowed become "_", and repeated names get "_2" (notes `changed`). `place` is NULL for an
 * element that the source does not have. */
const char *import_name(import_context *context, import_name_kind kind, const char *source, const char *word,
                        size_t number, const import_location *place);
/* Like import_name(), for a name that expressions use: only letters, digits and "_". */
const char *import_identifier(import_context *context, import_name_kind kind, const char *source, const char *word,
                              size_t number, const import_location *place);

/* Return values of the document. The numbers must be finite. */
json_t *import_number(import_context *context, double value);
json_t *import_numbers(import_context *context, const double *values, size_t count);
/* Sets a member and takes ownership of `value`. */
void import_set(import_context *context, json_t *object, const char *key, json_t *value);
void import_set_text(import_context *context, json_t *object, const char *key, const char *text);
void import_set_number(import_context *context, json_t *object, const char *key, double value);
/* Sets a member to a list of two references. */
void import_set_pair(import_context *context, json_t *object, const char *key, const char *first, const char *second);
/* Returns the object in that member, which is added if it is missing. */
json_t *import_object_in(import_context *context, json_t *object, const char *key);

/* Appends {"name", "type"} to a list of the document and returns it. `type` may be NULL. */
json_t *import_add(import_context *context, json_t *list, const char *name, const char *type);
/* Returns the JSON pointer "/member/index" of the last element of a list of the document. */
const char *import_last(import_context *context, const char *member);

/* Returns a number as an expression prints it. */
const char *import_digits(import_context *context, double value);
/* Sets the body's mass and inertia, and "inertia_check" with a note if no rigid body has this inertia. J: 6 entries
 * [xx, yy, zz, xy, xz, yz]. */
void import_set_masses(import_context *context, json_t *body, double mass, const double J[6],
                       const import_location *place);

#endif
