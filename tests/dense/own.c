/* own.c - the functions of linalg/dense/. */
#include "linalg/dense_small.h"

#include "dense/dense.h"

const dense_functions own_dense = {
    .workspace = mbs_dense_workspace,
    .least_squares = mbs_dense_least_squares,
    .singular_values = mbs_dense_singular_values,
    .linear_solve = mbs_dense_linear_solve,
    .pivoted_columns = mbs_dense_pivoted_columns,
    .lu_factor = mbs_dense_lu_factor,
    .lu_solve = mbs_dense_lu_solve,
    .symmetric_eigen = mbs_dense_symmetric_eigen,
    .general_eigen = mbs_dense_general_eigen,
    .tridiagonal_solve = mbs_dense_tridiagonal_solve,
};
