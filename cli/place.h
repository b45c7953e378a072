/* place.h - finds the line and column that a JSON pointer (RFC 6901) leads to in the text of a document. */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Counted from 1, the column in characters. */
typedef struct cli_place {
  size_t line, column;
} cli_place;

/* Finds the item of an array, or the name of the member of an object, that `pointer` leads to in a valid JSON text of
 * `size` bytes, ended by a 0; "" leads to the whole value. Where the text has no such value, as of a field that is
 * missing, the place is that of the innermost value on the way. Returns false if already the pointer's first step leads
 * nowhere. */
bool cli_place_find(const char *text, size_t size, const char *pointer, cli_place *place);

#endif
