/* name_list.h - lists of known names, and hints for unknown names. */
#ifndef API_BASE_NAME_LIST_H
#define API_BASE_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { API_NAME_LIST_MAX = 128, API_NAME_LIST_TEXT = 2048 };

/* The names of a list written "a|b|c". */
typedef struct api_name_list {
  char text[API_NAME_LIST_TEXT];
  const char *items[API_NAME_LIST_MAX];
  size_t count;
} api_name_list;

/* Splits a list "a|b|c"; NULL is the empty list. */
void api_name_list_split(api_name_list *names, const char *list);
void api_name_list_add(api_name_list *names, const char *name);
bool api_name_list_has(const api_name_list *names, const char *name);
/* Writes "did you mean 'b'?", or, if no name is similar, "available: a, b, c", with as many names as fit into `size`.
 * Returns `out`. */
const char *api_name_list_hint(const api_name_list *names, const char *name, char *out, size_t size);
/* Writes the hint for a list of any length. */
const char *api_name_hint(const char *const *known, size_t count, const char *name, char *out, size_t size);

#endif
