/* health.h - asks a running service whether it responds, or accepts jobs, without another program. */
#ifndef SERVER_HTTP_HEALTH_H
#define SERVER_HTTP_HEALTH_H

#include "server/base/config.h"

#include <stdbool.h>

enum { HEALTH_WHY_SIZE = 512 };

/* Sends GET `path` (/healthz or /readyz) to the service at the address of this configuration. Returns false with the
 * reason, which contains the answer's, if the answer is not 200 or does not arrive within seconds. */
bool srv_health_ask(const srv_config *config, const char *path, char why[HEALTH_WHY_SIZE]);

#endif
