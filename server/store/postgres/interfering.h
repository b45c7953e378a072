/* interfering.h - what others than its runner do to a job: cancel, change, remove. */
#ifndef SERVER_STORE_POSTGRES_INTERFERING_H
#define SERVER_STORE_POSTGRES_INTERFERING_H

#include "server/store/postgres/writer.h"

/* Sets the verbs of this file. */
void postgres_interfering_verbs(srv_store *verbs);

#endif
