/* claims.h - chooses the next job and hands out jobs. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_CLAIMS_H
#define SERVER_STORE_POSTGRES_QUEUE_CLAIMS_H

#include "server/store/store.h"

/* Sets the verbs claim, claim_short, claim_next_block and stop_claims. */
void postgres_claim_verbs(srv_store *verbs);

#endif
