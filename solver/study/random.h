/* random.h - numbers that are functions of where they belong: counter-based, so that any of them can be had by itself
 * (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11). */
#ifndef MBS_RANDOM_H
#define MBS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Philox-4x32-10: four words for a counter of four and a key of two. */
void mbs_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* 64 random bits that belong to (seed, index, place); `stream` tells apart what they are for. */
uint64_t mbs_random_bits(uint64_t seed, uint64_t index, uint32_t place, uint32_t stream);

/* 53 of 64 bits as a number between 0 and 1, neither of which it is. */
double mbs_random_share(uint64_t bits);

/* Where the permutation of 0 ... count - 1 that belongs to (seed, place) has `index`. */
uint64_t mbs_random_place(uint64_t seed, uint32_t place, uint64_t count, uint64_t index);

#endif
