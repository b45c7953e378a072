/* final_documents.h - copies of store_end, and the texts that a store adds to reports and errors.
 *
 * All texts are malloc'd; the functions replace them. */
#ifndef SERVER_STORE_COMMON_FINAL_DOCUMENTS_H
#define SERVER_STORE_COMMON_FINAL_DOCUMENTS_H

#include "server/store/store.h"

/* Copies an end with its texts. Returns false if memory runs out. The caller frees the copy with store_end_free() in
 * either case. */
bool store_end_copy(const store_end *end, store_end *copy);
/* Frees the texts of a copy. */
void store_end_free(store_end *copy);
/* Returns true if both are equal: everything that a run wrote is stored. */
bool store_extent_is(const store_extent *a, const store_extent *b);

/* Sets the time `t` of an error. Returns false if memory runs out or the text is not a JSON object. */
bool store_error_set_time(const char **error, double t);
/* Sets the checksum of the results in a report; 0 means no checksum, and then the report may be NULL. Returns false if
 * memory runs out. */
bool store_report_set_checksum(const char **report, uint64_t checksum);

#endif
