/* text.h - copies of texts. */
#ifndef API_BASE_TEXT_H
#define API_BASE_TEXT_H

#include <stddef.h>

/* A copy, malloc'd; NULL of NULL, and without memory. */
char *api_text_copy(const char *text);
/* The same of its first characters; `text` is UTF-8. */
char *api_text_start(const char *text, size_t characters);

#endif
