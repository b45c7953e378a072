/* text_position.h - finds the line and column of a JSON pointer (RFC 6901) in the text of a document. */
#ifndef CLI_TEXT_POSITION_H
#define CLI_TEXT_POSITION_H

#include <stdbool.h>
#include <stddef.h>

/* A position in a text. Lines and columns are counted from 1, columns in characters. */
typedef struct cli_text_position {
  size_t line, column;
} cli_text_position;

/* Finds the array item, or the name of the object member, that `pointer` refers to in a valid JSON text of `size`
 * bytes, ended by a 0; "" refers to the whole value. If the text has no such value, e.g. because a field is missing,
 * finds the innermost existing value on the way. Returns false if the first step of the pointer does not exist. */
bool cli_text_position_find(const char *text, size_t size, const char *pointer, cli_text_position *place);

#endif
