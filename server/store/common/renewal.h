/* renewal.h - the request and answer of a heartbeat: a copy of its runs, with a lease for each. */
#ifndef SERVER_STORE_COMMON_RENEWAL_H
#define SERVER_STORE_COMMON_RENEWAL_H

#include "server/store/store.h"

typedef struct store_renewal {
  store_renewed renewed;
  void *context;
  store_run *runs;     /* [count] */
  store_lease *leases; /* [count]; set by the engine */
  size_t count;
} store_renewal;

/* Copies the arguments of the verb heartbeat. Returns false if memory runs out. */
bool store_renewal_init(store_renewal *renewal, const store_run *runs, size_t count, store_renewed renewed,
                        void *context);
/* Answers the heartbeat and frees the contents of the renewal. */
void store_renewal_answer(store_renewal *renewal, service_status status);

#endif
