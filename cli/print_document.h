/* print_document.h - writes a document for readers. */
#ifndef CLI_PRINT_DOCUMENT_H
#define CLI_PRINT_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints a document with its elements one to a line, and numbers with as few digits as give the same double. Returns
 * false, with errno, if it cannot be written. */
bool cli_print_document(const json_t *document, FILE *out);

#endif
