/* parts.h - writes parts of results to results.db (assembly.h). */
#ifndef SERVER_STORE_SQLITE_RESULTS_PARTS_H
#define SERVER_STORE_SQLITE_RESULTS_PARTS_H

#include "server/store/sqlite/connection/state.h"

void sqlite_parts_init(sqlite_store *store);
/* Sets the verbs array, tile and is_behind. */
void sqlite_part_verbs(srv_store *verbs);

#endif
