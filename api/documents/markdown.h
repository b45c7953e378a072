/* markdown.h - texts and tables in Markdown. */
#ifndef API_DOCUMENTS_MARKDOWN_H
#define API_DOCUMENTS_MARKDOWN_H

#include "api/base/buffer.h"

#include <jansson.h>

/* A text as it is: what Markdown would take for something else has a backslash before it. */
void api_markdown_text(api_buffer *out, const char *text);
/* A text as code, `so`; for a cell of a table, too. */
void api_markdown_code(api_buffer *out, const char *text);
/* A JSON value as a block of code, an object with one member a line. */
void api_markdown_json(api_buffer *out, const json_t *value);

#endif
