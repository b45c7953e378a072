/* library_errors.h - problem documents instead of libmicrohttpd's own pages.
 *
 * Of heads that do not fit into its memory, and of some that it cannot read, the library makes an answer in HTML by
 * itself and asks nobody. It logs that before it sends it; so what it logs is listened to, and the client whom it means
 * gets a problem document and no more. The library does not say whom: it is the one whose head is whole and has not
 * been looked at, or else the one that has sent something that nobody has seen yet. Where there are several, the
 * library's page goes out. */
#ifndef SERVER_HTTP_LIBRARY_ERRORS_H
#define SERVER_HTTP_LIBRARY_ERRORS_H

#include "server/http/state.h"

/* On the loop's thread, with every line that the library logs. */
void http_library_logged(srv_http *http, const char *line);

#endif
