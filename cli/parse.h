/* parse.h - documents of the command line, whose process reads one or two and ends. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "api/documents/document.h"

/* The same as api_document_parse(). For a large text the heap grows at once, of large pages; and its values stay until
 * the process ends, whether the document is freed or not: to free each of them would take as long as to make them. */
bool cli_parse(const char *text, size_t size, api_document *document, api_syntax_error *error);
/* Releases what was made of a document at the end of a command, likewise not where that is large. */
void cli_release(json_t *value);

#endif
