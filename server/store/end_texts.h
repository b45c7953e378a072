/* end_texts.h - what a store puts into the texts that a job ends with. Each text is malloc'd, and replaced. */
#ifndef SERVER_STORE_END_TEXTS_H
#define SERVER_STORE_END_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

/* Puts the time that was reached into an error; false without memory, or where the text is none. */
bool store_error_set_time(const char **error, double t);
/* Says in a report what the checksum of the results is; 0: there is none, and no report may be NULL, too. False without
 * memory. */
bool store_report_set_checksum(const char **report, uint64_t checksum);

#endif
