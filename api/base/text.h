/* text.h - copies of texts. */
#ifndef API_BASE_TEXT_H
#define API_BASE_TEXT_H

/* A copy, malloc'd; NULL of NULL, and without memory. */
char *api_text_copy(const char *text);

#endif
