/* markdown.h - writes texts and tables in Markdown. */
#ifndef API_DOCUMENTS_MARKDOWN_H
#define API_DOCUMENTS_MARKDOWN_H

#include "api/base/buffer.h"

#include <jansson.h>

/* Appends a text, with a backslash before each character that has a meaning in Markdown. */
void api_markdown_text(api_buffer *out, const char *text);
/* Appends a text as code, in backquotes; also valid in a cell of a table. */
void api_markdown_code(api_buffer *out, const char *text);
/* Appends a JSON value as a block of code, an object with one member per line. */
void api_markdown_json(api_buffer *out, const json_t *value);

#endif
