/* row_checksum.h - the checksum (XXH3) of the values of a row and of their types. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_ROW_CHECKSUM_H
#define SERVER_STORE_SQLITE_CONNECTION_ROW_CHECKSUM_H

#include <sqlite3.h>

/* Most values of a row. */
enum { SQLITE_ROW_VALUES = 64 };

sqlite3_int64 sqlite_row_checksum(sqlite3_value *const *values, int count);

/* Makes it known to a connection as the SQL function checksum(VALUE, ...). A code of SQLite. */
int sqlite_row_checksum_function(sqlite3 *connection);

#endif
