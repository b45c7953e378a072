/* submission.h - copies of submissions. */
#ifndef SERVER_STORE_COMMON_SUBMISSION_H
#define SERVER_STORE_COMMON_SUBMISSION_H

#include "api/service.h"

/* Copies all that a submission points to, but for the receipt, into one block, which is returned, malloc'd; NULL
 * without memory. An unknown client becomes "", an unknown span 1. */
char *store_submission_copy(const service_submission *job, service_submission *copy);

#endif
