/* text.h - copies of strings. */
#ifndef API_BASE_TEXT_H
#define API_BASE_TEXT_H

#include <stddef.h>

/* Returns a malloc'd copy; NULL if `text` is NULL or memory runs out. */
char *api_text_copy(const char *text);
/* Returns a malloc'd copy of the first `characters` characters of a UTF-8 text; NULL if `text` is NULL or memory runs
 * out. */
char *api_text_start(const char *text, size_t characters);

#endif
