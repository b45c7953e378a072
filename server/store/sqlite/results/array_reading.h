/* array_reading.h - reads result arrays: of a slice, only the bytes of its rows and columns. */
#ifndef SERVER_STORE_SQLITE_RESULTS_ARRAY_READING_H
#define SERVER_STORE_SQLITE_RESULTS_ARRAY_READING_H

#include "server/store/store.h"

/* Sets the verbs arrays and read of a store. */
void sqlite_array_reading_verbs(srv_store *verbs);

#endif
