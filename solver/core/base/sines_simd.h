/* sines_simd.h - the code of sines.c for vectors of WIDTH numbers: included once for each width, with TARGET, what
 * processor it is for, and OF_WIDTH(name). */
typedef double OF_WIDTH(reals) __attribute__((vector_size(8 * WIDTH)));
typedef int64_t OF_WIDTH(masks) __attribute__((vector_size(8 * WIDTH)));
#define reals OF_WIDTH(reals)
#define masks OF_WIDTH(masks)

#define SELECT(mask, one, other) ((reals)(((mask) & (masks)(one)) | (~(mask) & (masks)(other))))
#define ALL(x) ((reals){0} + (x))

/* Computes sin(y + tail), |y| <= pi/4; the terms of the tail are omitted if it is zero. */
TARGET static inline reals OF_WIDTH(sine)(reals y, reals tail, masks has_tail) {
  const reals z = y * y, w = z * z, v = z * y;
  const reals r = S2 + z * (S3 + z * S4) + z * w * (S5 + z * S6);
  const reals plain = y + v * (S1 + z * r);
  const reals whole = y - ((z * (0.5 * tail - v * r) - tail) - v * S1);
  return SELECT(has_tail, whole, plain);
}

TARGET static inline reals OF_WIDTH(cosine)(reals y, reals tail) {
  const reals z = y * y, w = z * z;
  const reals r = z * (C1 + z * (C2 + z * C3)) + w * w * (C4 + z * (C5 + z * C6));
  const reals half = 0.5 * z, first = 1.0 - half;
  return first + (((1.0 - first) - half) + (z * r - y * tail));
}

/* Returns a mask of the numbers that must be computed one by one. */
TARGET static inline masks OF_WIDTH(take_some)(reals x, reals *s, reals *c) {
  const masks sign = (masks){0} + INT64_MIN;
  const reals size = (reals)((masks)x & ~sign);
  /* n, y = x - n pi/2 and its tail */
  const masks inner = size < near_edge;
  reals n = x * share + to_integer;
  n -= to_integer;
  n = (reals)(~inner & (masks)n);
  const reals r = x - n * quarter, w = n * quarter_tail;
  const reals y = r - w, tail = (r - y) - w;
  const reals beside = (reals)((masks)y & ~sign);
  const reals sin_y = OF_WIDTH(sine)(y, tail, ~inner), cos_y = OF_WIDTH(cosine)(y, tail);
  /* n modulo 4, the last bits of n + to_integer, selects the result: (s, c), (c, -s), (-s, -c), (-c, s) */
  const masks turns = (masks)(n + to_integer);
  const masks odd = -(turns & 1), second = (turns & 2) << 62, mixed = ((turns + 1) & 2) << 62;
  *s = (reals)((masks)SELECT(odd, cos_y, sin_y) ^ second);
  *c = (reals)((masks)SELECT(odd, sin_y, cos_y) ^ mixed);
  const masks usual = (size > tiny) & (size < large) & (inner | ((beside > near_zero * size) & (beside < near_edge)));
  const masks plain = usual | ((masks)x == 0); /* +0 is the angle of bodies that do not rotate */
  return ~plain;
}

TARGET static inline void OF_WIDTH(take)(size_t count, const double *angles, double *sines, double *cosines) {
  for (size_t k = 0; k < count; k += WIDTH) {
    reals x, s, c;
    memcpy(&x, angles + k, sizeof x);
    const masks single = OF_WIDTH(take_some)(x, &s, &c);
    memcpy(sines + k, &s, sizeof s);
    memcpy(cosines + k, &c, sizeof c);
    int64_t any = 0;
    for (size_t i = 0; i < WIDTH; i++) any |= single[i];
    if (!any) continue;
    for (size_t i = 0; i < WIDTH; i++) {
      if (!single[i]) continue;
      sines[k + i] = sin(angles[k + i]);
      cosines[k + i] = cos(angles[k + i]);
    }
  }
}

#undef SELECT
#undef ALL
#undef reals
#undef masks
