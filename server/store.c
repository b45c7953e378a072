/* store.c - see store.h. */
#include "store.h"

#include <string.h>

static const char *const state_names[STORE_STATES] = {"queued", "running", "succeeded", "failed", "cancelled"};

const char *store_state_name(store_state state) { return state_names[state]; }

store_state store_state_find(const char *name) {
  for (int i = 0; i < STORE_STATES; i++)
    if (strcmp(name, state_names[i]) == 0) return (store_state)i;
  return STORE_STATES;
}
