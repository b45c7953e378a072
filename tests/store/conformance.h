/* conformance.h - tests of the behaviour that every store must have, through its functions only.
 *
 * The test of an engine opens stores and calls store_conformance(); this code does not depend on the engine. */
#ifndef TESTS_STORE_CONFORMANCE_H
#define TESTS_STORE_CONFORMANCE_H

#include "server/store/store.h"

/* An engine under test. `a` and `b` are the handles of two servers on one database, initially empty. If the engine
 * serves a single server they are equal, and stand for two users of it. */
typedef struct store_engine {
  /* Opens an empty database, with leases of `lease_seconds`. */
  void (*open)(double lease_seconds, srv_store **a, srv_store **b);
  /* Opens the same database again, after both handles were closed. */
  void (*reopen)(srv_store **a, srv_store **b);
} store_engine;

/* Runs all tests; returns how many failed. */
int store_conformance(const store_engine *engine);

#endif
