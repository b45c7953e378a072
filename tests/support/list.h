/* list.h - a list of JSON texts that grows: members of an object, elements of an array. */
#ifndef TESTS_SUPPORT_LIST_H
#define TESTS_SUPPORT_LIST_H

#include <stddef.h>
#include <stdio.h>

typedef struct text_list {
  char *text; /* valid once the list is closed */
  size_t size, count;
  FILE *out;
} text_list;

/* An empty list; what cannot be written ends the program. */
text_list *list_open(void);
/* One more item, as printf writes it; commas stand between items. */
void list_add(text_list *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The items' text, the caller's to free; the list is gone. */
char *list_close(text_list *self);
/* The format with the lists' texts in the place of its %s, one list each; closes them. The caller's to free. */
char *list_fill(const char *format, ...);

#endif
