/* health.h - asks a running service whether it is well: a health check that needs no other program. */
#ifndef SERVER_HTTP_HEALTH_H
#define SERVER_HTTP_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

enum { HEALTH_WHY_SIZE = 256 };

/* GET /healthz of the service that listens at this host and port. False, and says why, if the answer is not 200 or does
 * not come within seconds. */
bool srv_health_ask(const char *host, size_t port, char why[HEALTH_WHY_SIZE]);

#endif
