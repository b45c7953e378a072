/* id.h - creates ids of jobs. */
#ifndef SERVER_BASE_ID_H
#define SERVER_BASE_ID_H

#include "api/service.h"

#include <stdbool.h>

/* Creates a UUID of version 7 (RFC 9562): its first 48 bits are the time in milliseconds, 74 bits are random. Returns
 * false if the system provides no random numbers. */
bool srv_id_new(char id[SERVICE_ID_SIZE]);

#endif
