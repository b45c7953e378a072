/* renewal.c - see renewal.h. */
#include "server/store/common/renewal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void free_lists(store_renewal *renewal) {
  free(renewal->runs);
  free(renewal->leases);
}

bool store_renewal_init(store_renewal *renewal, const store_run *runs, size_t count, store_renewed renewed,
                        void *context) {
  assert(renewed && (runs || count == 0));
  *renewal = (store_renewal){renewed, context, calloc(count + 1, sizeof *runs),
                             calloc(count + 1, sizeof *renewal->leases), count};
  if (!renewal->runs || !renewal->leases) {
    free_lists(renewal);
    return false;
  }
  if (count > 0) memcpy(renewal->runs, runs, count * sizeof *runs);
  return true;
}

void store_renewal_answer(store_renewal *renewal, service_status status) {
  renewal->renewed(renewal->context, status, renewal->runs, renewal->leases, renewal->count);
  free_lists(renewal);
}
