/* parse.h - parses documents in the command-line program, which reads one or two and ends. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "api/documents/document.h"

/* Parses as api_document_parse() does. The values of a large text are put into large memory pages and stay there until
 * the process ends, because freeing each of them would take as long as creating them. Only for a process with one
 * thread. */
bool cli_parse(const char *text, size_t size, api_document *document, api_syntax_error *error);
/* Releases the values of documents at the end of a command; does nothing if one of them was large. */
void cli_release(json_t *value);

#endif
