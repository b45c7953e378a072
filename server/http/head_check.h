/* head_check.h - what is refused before a request is looked at: heads that another server might read differently. */
#ifndef SERVER_HTTP_HEAD_CHECK_H
#define SERVER_HTTP_HEAD_CHECK_H

#include "api/http/request.h"

/* What is wrong with the head of a request, as a sentence without its full stop; NULL when nothing is. */
const char *srv_head_complaint(const api_header *headers, size_t count);
/* The first value of a header, whatever its case; NULL where it did not come. */
const char *srv_head_field(const api_header *headers, size_t count, const char *name);

#endif
