/* planar_lanes.h - the planar kernels compiled a second time, over vectors of four numbers: four mechanisms of one
 * structure a call. Arrays are interleaved: number i of lane k stands at 4 i + k. */
#ifndef TESTS_LANES_PLANAR_LANES_H
#define TESTS_LANES_PLANAR_LANES_H

#include "model/model.h"

enum { LANES = 4 };

/* Numbers of four mechanisms, and their state. */
typedef struct lanes_in {
  const double *gravity;   /* [3] */
  const double *blocks;    /* [block_numbers x numbers of a mbs_block_constants] */
  const double *kernels;   /* [nB + 1 x numbers of a planar_constants] */
  const double *radius2;   /* [nB + 1] */
  const double *functions; /* [3 function_count] */
  const double *q, *v;     /* [nq], [nv] */
} lanes_in;

/* What an evaluation gives, up to the factors of M. */
typedef struct lanes_out {
  double *Phi, *rhsV, *rhsA; /* [rows] */
  double *C;                 /* [value_count] */
  double *h;                 /* [nv] */
  double *M;                 /* [tree.size]; of the recursive back end 1 / D, then L^-T h [nv] each */
} lanes_out;

/* Numbers in a mbs_block_constants, and in a planar_constants. */
size_t lanes_block_size(void);
size_t lanes_kernel_size(void);

/* Four evaluations at once, without forces. False: no memory. */
bool lanes_evaluate(const mbs_model *model, const lanes_in *in, const lanes_out *out);

#endif
