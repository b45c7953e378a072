#include "study/random.h"

enum { ROUNDS = 10 };

void mbs_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  static const uint32_t factors[2] = {0xD2511F53u, 0xCD9E8D57u}, steps[2] = {0x9E3779B9u, 0xBB67AE85u};
  uint32_t words[4] = {counter[0], counter[1], counter[2], counter[3]}, keys[2] = {key[0], key[1]};
  for (int round = 0; round < ROUNDS; round++) {
    const uint64_t one = (uint64_t)factors[0] * words[0], other = (uint64_t)factors[1] * words[2];
    const uint32_t next[4] = {(uint32_t)(other >> 32) ^ words[1] ^ keys[0], (uint32_t)other,
                              (uint32_t)(one >> 32) ^ words[3] ^ keys[1], (uint32_t)one};
    for (int k = 0; k < 4; k++) words[k] = next[k];
    for (int k = 0; k < 2; k++) keys[k] += steps[k];
  }
  for (int k = 0; k < 4; k++) out[k] = words[k];
}

uint64_t mbs_random_bits(uint64_t seed, uint64_t index, uint32_t place, uint32_t stream) {
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), place, stream},
                 key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t words[4];
  mbs_philox(counter, key, words);
  return (uint64_t)words[1] << 32 | words[0];
}

double mbs_random_uniform(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

/* A Feistel network permutes the numbers with an even number of bits, fewer than four times `count`. Results of `count`
 * or more are permuted again (Black, Rogaway, Ciphers with Arbitrary Finite Domains, 2002). */
uint64_t mbs_random_permutation(uint64_t seed, uint32_t place, uint64_t count, uint64_t index) {
  enum { NETWORK_ROUNDS = 8, NETWORK_STREAM = 1000 };
  int half = 1;
  while (half < 31 && (uint64_t)1 << (2 * half) < count) half++;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint32_t round = 0; round < NETWORK_ROUNDS; round++) {
      const uint64_t mixed = left ^ (mbs_random_bits(seed, right, place, NETWORK_STREAM + round) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}
