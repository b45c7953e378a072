/* library_errors.h - replaces libmicrohttpd's HTML error pages by problem documents.
 *
 * If a header does not fit into its memory, or is invalid in some ways, the library sends an HTML page without a
 * callback. It logs a line before that. So this module reads the log lines and sends a problem document to the client.
 * The library does not name the client: it is the one with a complete header that was not processed, or else the one
 * that has sent unread data, or else the one whose body was read last. If several clients qualify, the library's page
 * is sent. */
#ifndef SERVER_HTTP_LIBRARY_ERRORS_H
#define SERVER_HTTP_LIBRARY_ERRORS_H

#include "server/http/state.h"

/* Processes a line that the library logs, on the loop's thread. */
void http_library_logged(srv_http *http, const char *line);

#endif
