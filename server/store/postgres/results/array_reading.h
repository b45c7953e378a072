/* array_reading.h - reads the results of jobs. */
#ifndef SERVER_STORE_POSTGRES_RESULTS_ARRAY_READING_H
#define SERVER_STORE_POSTGRES_RESULTS_ARRAY_READING_H

#include "server/store/store.h"

/* Sets the verbs arrays and read. */
void postgres_array_reading_verbs(srv_store *verbs);

#endif
