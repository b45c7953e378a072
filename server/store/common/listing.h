/* listing.h - what lists of jobs have in common: cursors, and filters that no index knows. */
#ifndef SERVER_STORE_COMMON_LISTING_H
#define SERVER_STORE_COMMON_LISTING_H

#include "api/service.h"

/* A page that looks for what no index knows ends after so many jobs. */
enum { STORE_LOOKED_AT_ONCE = 10000 };

/* The number that a cursor says, of the last job that was listed: those before it come next; INT64_MAX: all. False: it
 * is no cursor. */
bool store_cursor_read(const char *cursor, int64_t *before);

/* Whether a job fulfils the tag, the text and the time of a filter. */
bool store_job_fulfils(const service_job *job, const service_filter *filter);

#endif
