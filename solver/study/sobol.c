/* Direction numbers follow from a primitive polynomial modulo 2 and first numbers m of each dimension (Bratley, Fox,
 * ACM TOMS 14, 1988):
 *
 *   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s),   v_k = m_k / 2^k.
 *
 * Polynomials and first numbers: Joe, Kuo, SIAM Journal on Scientific Computing 30, 2008, their new-joe-kuo-6. */
#include "study/sobol.h"

static const struct {
  int degree;
  unsigned inner; /* a_1 ... a_(s-1) as bits */
  unsigned first[7];
} dimensions[MBS_SOBOL_DIMENSIONS] = {{0, 0, {0}}, /* the digits of the index in reverse order */
                                      {1, 0, {1}},
                                      {2, 1, {1, 3}},
                                      {3, 1, {1, 3, 1}},
                                      {3, 2, {1, 1, 1}},
                                      {4, 1, {1, 1, 3, 3}},
                                      {4, 4, {1, 3, 5, 13}},
                                      {5, 2, {1, 1, 5, 5, 17}},
                                      {5, 4, {1, 1, 5, 5, 5}},
                                      {5, 7, {1, 1, 7, 11, 19}},
                                      {5, 11, {1, 1, 5, 1, 1}},
                                      {5, 13, {1, 1, 1, 3, 11}},
                                      {5, 14, {1, 3, 5, 5, 31}},
                                      {6, 1, {1, 3, 3, 9, 7, 49}},
                                      {6, 13, {1, 1, 1, 15, 21, 21}},
                                      {6, 16, {1, 3, 1, 13, 27, 49}},
                                      {6, 19, {1, 1, 1, 15, 7, 5}},
                                      {6, 22, {1, 3, 1, 15, 13, 25}},
                                      {6, 25, {1, 1, 5, 5, 19, 61}},
                                      {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                      {7, 4, {1, 3, 7, 13, 13, 15, 69}}};

uint64_t mbs_sobol_bits(size_t dimension, uint64_t index) {
  const int s = dimensions[dimension].degree;
  uint64_t m[MBS_SOBOL_BITS], out = 0;
  for (int k = 0; k < MBS_SOBOL_BITS && index >> k; k++) {
    m[k] = s == 0 ? 1 : k < s ? dimensions[dimension].first[k] : m[k - s] ^ m[k - s] << s;
    for (int i = 1; i < s && k >= s; i++)
      if (dimensions[dimension].inner >> (s - 1 - i) & 1) m[k] ^= m[k - i] << i;
    if (index >> k & 1) out ^= m[k] << (MBS_SOBOL_BITS - 1 - k);
  }
  return out;
}
