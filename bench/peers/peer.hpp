/* peer.hpp - what the programs of this folder share: their clock, the calls of a class Peer with evaluate(),
 * difference() and simulate() as compare.h has them, and the runs that are compared. */
#ifndef PEERS_PEER_HPP
#define PEERS_PEER_HPP

#include "compare.h"

#include <cstdio>
#include <ctime>
#include <exception>
#include <vector>

inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

template <typename Peer> peers_peer as_peer(Peer &peer) {
  return {&peer, [](void *self, size_t state) { static_cast<Peer *>(self)->evaluate(state); },
          [](void *self, size_t state) { return static_cast<Peer *>(self)->difference(state); },
          [](void *self, double setting, double *centres) {
            return static_cast<Peer *>(self)->simulate(setting, centres);
          }};
}

/* Runs of all mechanisms that are simulated; make(mechanism) is one in the other program's hands. */
template <typename Make> void race_all(const char *peer_name, const std::vector<double> &settings, Make make) {
  peers_print_simulations_head();
  for (size_t i = 0; i < peers_simulated_count; i++) {
    const peers_subject &subject = peers_simulated[i];
    peers_mechanism *mechanism = peers_mechanism_new(subject.name, subject.document(), subject.t_end);
    auto peer = make(*mechanism);
    const peers_peer calls = as_peer(*peer);
    peers_race(mechanism, peer_name, &calls, settings.data(), settings.size());
    peers_mechanism_free(mechanism);
  }
}

/* The exit code of a program that does this. */
inline int run_program(void (*all)()) {
  try {
    all();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

#endif
