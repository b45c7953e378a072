/* health.h - asks a running service for its health, without another program. */
#ifndef SERVER_HTTP_HEALTH_H
#define SERVER_HTTP_HEALTH_H

#include "server/base/config.h"

#include <stdbool.h>

enum { HEALTH_WHY_SIZE = 512 };

/* Sends GET /healthz to the service at the address of this configuration. Returns false with the reason if the answer
 * is not 200 or does not arrive within seconds. */
bool srv_health_ask(const srv_config *config, char why[HEALTH_WHY_SIZE]);

#endif
