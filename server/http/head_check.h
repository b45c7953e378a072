/* head_check.h - what is refused before a request is looked at: heads that another server might read differently. */
#ifndef SERVER_HTTP_HEAD_CHECK_H
#define SERVER_HTTP_HEAD_CHECK_H

#include "api/http/request.h"

/* What is wrong with the head of a request, as a sentence without its full stop; NULL when nothing is. */
const char *srv_head_complaint(const api_header *headers, size_t count);
/* The first value of a header, whatever its case; NULL where it did not come. */
const char *srv_head_field(const api_header *headers, size_t count, const char *name);

/* How a head lies in memory: libmicrohttpd keeps it as it came, with zeros for the ends of lines, and hands out
 * pointers into it. So it can be seen whether each line ended with CR LF and whether none was folded, which the library
 * overlooks and another server reads differently. */
typedef struct head_layout {
  const char *begin; /* of the first line */
  const char *next;  /* where the next line must begin */
  bool odd;
} head_layout;

/* Begins with the first line, whose first and last words are these. */
head_layout srv_head_layout(const char *method, const char *version);
/* A header as the library hands it out, in the order of the head. */
void srv_head_layout_field(head_layout *layout, const char *name, size_t name_size, const char *value,
                           size_t value_size);
/* As srv_head_complaint(); `size` is the whole head's. */
const char *srv_head_layout_complaint(const head_layout *layout, size_t size);
/* The host of a target in absolute form, and its length; NULL where the target is in another form. */
const char *srv_head_authority(const char *target, size_t *length);

#endif
