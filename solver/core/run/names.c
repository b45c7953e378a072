/* names.c - see names.h. */
#include "run/names.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* space for a separator, quotes and " and 18446744073709551615 more" */
enum { ENDING = 32 };

mbs_name_list mbs_name_list_open(char *text, size_t size) {
  text[0] = '\0';
  return (mbs_name_list){.text = text, .size = size};
}

static void add(mbs_name_list *list, const char *name, const char *quote) {
  assert(list->written <= list->count && strlen(list->text) < list->size);
  size_t used = strlen(list->text);
  bool fits = list->written == list->count && used + strlen(name) + ENDING <= list->size;
  list->count++;
  if (!fits) return;
  snprintf(list->text + used, list->size - used, "%s%s%s%s", used ? ", " : "", quote, name, quote);
  list->written++;
}

void mbs_name_list_add(mbs_name_list *list, const char *name) { add(list, name, "'"); }

void mbs_name_list_add_plain(mbs_name_list *list, const char *name) { add(list, name, ""); }

const char *mbs_name_list_close(mbs_name_list *list) {
  size_t used = strlen(list->text);
  if (list->count > list->written)
    snprintf(list->text + used, list->size - used, "%s%zu more", used ? " and " : "", list->count - list->written);
  return list->text;
}
