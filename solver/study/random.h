/* random.h - counter-based random numbers: functions of seed and position, so that each can be computed separately
 * (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11). */
#ifndef MBS_RANDOM_H
#define MBS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Computes Philox-4x32-10: four words from a counter of four and a key of two. */
void mbs_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Returns 64 random bits for (seed, index, place). `stream` separates different purposes. */
uint64_t mbs_random_bits(uint64_t seed, uint64_t index, uint32_t place, uint32_t stream);

/* Converts 64 bits to a number between 0 and 1, exclusive, with 53 bits. */
double mbs_random_uniform(uint64_t bits);

/* Returns element `index` of the permutation of 0 ... count - 1 for (seed, place). */
uint64_t mbs_random_permutation(uint64_t seed, uint32_t place, uint64_t count, uint64_t index);

#endif
