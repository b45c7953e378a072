/* submission.h - copies of submissions, and the limits of their clients. */
#ifndef SERVER_STORE_COMMON_SUBMISSION_H
#define SERVER_STORE_COMMON_SUBMISSION_H

#include "api/service.h"

/* Copies everything that a submission points to, except the receipt, into one malloc'd block, which it returns. Returns
 * NULL if memory runs out. A missing client becomes "", a missing span 1. */
char *store_submission_copy(const service_submission *job, service_submission *copy);
/* Returns true if the limits of the client allow a new job. Otherwise the receipt has the limit that is reached. */
bool store_limits_allow(const service_submission *job, const service_usage *usage, service_receipt *receipt);
/* Copies the name, the tags and `keep` of a job. Returns false if memory runs out; the copy must then be freed, too. */
bool store_expected_copy(const service_job *job, service_job *copy);

#endif
