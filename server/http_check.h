/* http_check.h - what is refused before a request is looked at: heads that another server might read differently. */
#ifndef SRV_HTTP_CHECK_H
#define SRV_HTTP_CHECK_H

#include "api.h"

/* What is wrong with the head of a request, as a sentence without its full stop; NULL when nothing is. */
const char *srv_http_complaint(const api_header *headers, size_t count);
/* The first value of a header, whatever its case; NULL where it did not come. */
const char *srv_http_header(const api_header *headers, size_t count, const char *name);

#endif
