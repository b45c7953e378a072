/* row_checksum.h - the checksum (XXH3) of the values of a row and of their types. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_ROW_CHECKSUM_H
#define SERVER_STORE_SQLITE_CONNECTION_ROW_CHECKSUM_H

#include <sqlite3.h>

/* Maximum number of values in a row. */
enum { SQLITE_ROW_VALUES = 64 };

sqlite3_int64 sqlite_row_checksum(sqlite3_value *const *values, int count);

/* Registers the SQL function checksum(VALUE, ...) in a connection. Returns a code of SQLite. */
int sqlite_row_checksum_function(sqlite3 *connection);

#endif
