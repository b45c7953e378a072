/* head_check.h - refuses request headers that another server might read differently. */
#ifndef SERVER_HTTP_HEAD_CHECK_H
#define SERVER_HTTP_HEAD_CHECK_H

#include "api/http/request.h"

/* Returns the fault of a request's header, as a sentence without its full stop; NULL if there is none. */
const char *srv_head_complaint(const api_header *headers, size_t count);
/* Returns the first value of a header field, in any case; NULL if it is absent. */
const char *srv_head_field(const api_header *headers, size_t count, const char *name);

/* Memory layout of a header: libmicrohttpd stores it as received, with zeros at the ends of lines, and returns pointers
 * into it. So one can check whether each line ended with CR LF and none was folded; the library accepts such lines, and
 * another server reads them differently. */
typedef struct head_layout {
  const char *begin; /* begin of the first line */
  const char *next;  /* expected begin of the next line */
  bool odd;
} head_layout;

/* Starts with the first line; the arguments are its first and last words. */
head_layout srv_head_layout(const char *method, const char *version);
/* Checks a header field as the library returns it, in the order of the header. */
void srv_head_layout_field(head_layout *layout, const char *name, size_t name_size, const char *value,
                           size_t value_size);
/* Returns a fault as srv_head_complaint(); `size`: bytes of the whole header. */
const char *srv_head_layout_complaint(const head_layout *layout, size_t size);
/* Returns the host in a target of absolute form, and its length; NULL for another form. */
const char *srv_head_authority(const char *target, size_t *length);

#endif
