/* id.h - names for jobs. */
#ifndef SERVER_BASE_ID_H
#define SERVER_BASE_ID_H

#include "api/service.h"

#include <stdbool.h>

/* A new UUID of version 7 (RFC 9562): its first 48 bits are the time in milliseconds, 74 bits are random. False when
 * the system gives no random numbers. */
bool srv_id_new(char id[SERVICE_ID_SIZE]);

#endif
