/* check_limits.h - how far a document is checked in the process that answers requests. */
#ifndef API_RESOURCES_CHECK_LIMITS_H
#define API_RESOURCES_CHECK_LIMITS_H

#include "api/service.h"
#include "mbs.h"

/* The limits of a model that is only looked at. */
mbs_limits api_check_limits(const service *asked);

#endif
