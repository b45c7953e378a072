/* final_documents.h - copies of the ends of jobs, and what a store adds to their texts: each is malloc'd, and replaced. */
#ifndef SERVER_STORE_COMMON_FINAL_DOCUMENTS_H
#define SERVER_STORE_COMMON_FINAL_DOCUMENTS_H

#include "server/store/store.h"

/* Copies an end with its texts. Returns false if memory runs out. store_end_free() is for the copy in either case. */
bool store_end_copy(const store_end *end, store_end *copy);
/* Frees the texts of a copy. */
void store_end_free(store_end *copy);
/* Returns true if both are equal: all that a run wrote is there. */
bool store_extent_is(const store_extent *a, const store_extent *b);

/* Puts the time that was reached into an error; false without memory, or where the text is none. */
bool store_error_set_time(const char **error, double t);
/* Says in a report what the checksum of the results is; 0: there is none, and no report may be NULL, too. False without
 * memory. */
bool store_report_set_checksum(const char **report, uint64_t checksum);

#endif
