/* names.h - names of elements in a sentence. */
#ifndef MBS_RUN_NAMES_H
#define MBS_RUN_NAMES_H

#include <stddef.h>

/* A list of quoted names that grows: "'a', 'b' and 3 more". */
typedef struct mbs_name_list {
  char *text;     /* [size] output; initially empty */
  size_t size;    /* size of the output, at least 64 */
  size_t count;   /* number of names added */
  size_t written; /* number of names in `text` */
} mbs_name_list;

/* Opens an empty list in `text` [size]. */
mbs_name_list mbs_name_list_open(char *text, size_t size);
/* Adds a name in quotes, or without. If the text is full, the name is only counted. */
void mbs_name_list_add(mbs_name_list *list, const char *name);
void mbs_name_list_add_plain(mbs_name_list *list, const char *name);
/* Closes the list with the number of names that are not in the text, and returns its text. */
const char *mbs_name_list_close(mbs_name_list *list);

#endif
