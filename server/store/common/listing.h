/* listing.h - code for lists of jobs that engines share: cursors, and filters without an index. */
#ifndef SERVER_STORE_COMMON_LISTING_H
#define SERVER_STORE_COMMON_LISTING_H

#include "api/service.h"

/* A page whose filter has no index ends after this number of jobs. */
enum { STORE_LOOKED_AT_ONCE = 10000 };

/* Reads the number in a cursor, of the last job that was listed; the page continues with the jobs before it. INT64_MAX
 * without a cursor. Returns false if the text is not a cursor. */
bool store_cursor_read(const char *cursor, int64_t *before);

/* Returns true if a job matches the tag, the text and the time of a filter. */
bool store_job_fulfils(const service_job *job, const service_filter *filter);

#endif
