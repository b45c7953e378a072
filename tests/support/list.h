/* list.h - a growing list of JSON texts: members of an object, elements of an array. */
#ifndef TESTS_SUPPORT_LIST_H
#define TESTS_SUPPORT_LIST_H

#include <stddef.h>
#include <stdio.h>

typedef struct text_list {
  char *text; /* valid after list_close() */
  size_t size, count;
  FILE *out;
} text_list;

/* Creates an empty list. The list functions end the program if memory runs out. */
text_list *list_open(void);
/* Appends an item, formatted like printf. Items are separated by commas. */
void list_add(text_list *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Frees the list and returns the text of its items, which the caller frees. */
char *list_close(text_list *self);
/* Returns the format with each %s replaced by the text of one list, and frees the lists. The caller frees the text. */
char *list_fill(const char *format, ...);

#endif
