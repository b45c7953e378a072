/* parts.h - writes parts of results to the database (assembly.h). */
#ifndef SERVER_STORE_POSTGRES_RESULTS_PARTS_H
#define SERVER_STORE_POSTGRES_RESULTS_PARTS_H

#include "server/store/postgres/connection/state.h"

void postgres_parts_init(postgres_store *store);
/* Sets the verbs array, tile and is_behind. */
void postgres_part_verbs(srv_store *verbs);

#endif
