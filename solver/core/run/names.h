/* names.h - names of elements in a sentence. */
#ifndef MBS_RUN_NAMES_H
#define MBS_RUN_NAMES_H

#include <stddef.h>

/* A list of quoted names that grows: "'a', 'b' and 3 more". */
typedef struct mbs_name_list {
  char *text;     /* [size] where it is written; empty at first */
  size_t size;    /* at least 64 */
  size_t count;   /* of all names */
  size_t written; /* of those in `text` */
} mbs_name_list;

/* Opens an empty list in `text` [size]. */
mbs_name_list mbs_name_list_open(char *text, size_t size);
/* Adds a name in quotes, or as it is; where there is no more room it is counted only. */
void mbs_name_list_add(mbs_name_list *list, const char *name);
void mbs_name_list_add_plain(mbs_name_list *list, const char *name);
/* Ends the list with the count of the names that had no room, and returns its text. */
const char *mbs_name_list_close(mbs_name_list *list);

#endif
