/* health.h - asks a running service whether it is well: a health check that needs no other program. */
#ifndef SERVER_HTTP_HEALTH_H
#define SERVER_HTTP_HEALTH_H

#include "server/base/config.h"

#include <stdbool.h>

enum { HEALTH_WHY_SIZE = 512 };

/* GET /healthz of the service that listens where this configuration says. False, and says why, if the answer is not 200
 * or does not come within seconds. */
bool srv_health_ask(const srv_config *config, char why[HEALTH_WHY_SIZE]);

#endif
