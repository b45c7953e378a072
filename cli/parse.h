/* parse.h - documents of the command line, whose process reads one or two and ends. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "api/documents/document.h"

/* The same as api_document_parse(). The values of a large text lie in large pages, and stay there until the process
 * ends, whether the document is freed or not: to free each of them would take as long as to make them. For a process
 * of one thread. */
bool cli_parse(const char *text, size_t size, api_document *document, api_syntax_error *error);
/* Releases what was made of documents at the end of a command; likewise not where one was large. */
void cli_release(json_t *value);

#endif
