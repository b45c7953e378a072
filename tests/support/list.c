/* See list.h. */
#include "list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

text_list *list_open(void) {
  text_list *self = calloc(1, sizeof *self);
  if (!self) abort();
  self->out = open_memstream(&self->text, &self->size);
  if (!self->out) abort();
  return self;
}

void list_add(text_list *self, const char *format, ...) {
  va_list arguments;
  if (self->count++) fputs(",\n", self->out);
  va_start(arguments, format);
  if (vfprintf(self->out, format, arguments) < 0) abort();
  va_end(arguments);
}

char *list_close(text_list *self) {
  if (fclose(self->out) != 0) abort();
  char *text = self->text;
  free(self);
  return text;
}

char *list_fill(const char *format, ...) {
  text_list *whole = list_open();
  va_list lists;
  va_start(lists, format);
  for (const char *hole; (hole = strstr(format, "%s")) != NULL; format = hole + 2) {
    char *text = list_close(va_arg(lists, text_list *));
    fprintf(whole->out, "%.*s%s", (int)(hole - format), format, text);
    free(text);
  }
  va_end(lists);
  fputs(format, whole->out);
  return list_close(whole);
}
