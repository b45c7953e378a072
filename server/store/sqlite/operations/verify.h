/* verify.h - reads all results and compares them with their checksums. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_VERIFY_H
#define SERVER_STORE_SQLITE_OPERATIONS_VERIFY_H

#include "server/store/sqlite/connection/db.h"

#include <stdint.h>

/* Result of the check. */
typedef struct sqlite_results_check {
  uint64_t runs, arrays, bytes; /* amounts read */
  uint64_t unchecked;           /* bytes among them stored before checksums existed */
  uint64_t damaged;             /* arrays, or runs whose list of arrays is damaged, that differ from their checksums */
} sqlite_results_check;

/* Reads the results of every run in results.db, in the order of arrival. Calls `damaged`, which may be NULL, for each
 * array that differs from its checksum (`array` NULL: the list of arrays of that run). Returns another status than OK
 * if the database could not be read to the end. The connection may be read-only. */
service_status sqlite_results_verify(sqlite_db *results, sqlite_results_check *check,
                                     void (*damaged)(void *context, const char *job, int attempt, const char *array),
                                     void *context);

#endif
