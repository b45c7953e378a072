/* own.c - the functions of linear/dense/. */
#include "linalg/own_dense.h"

#include "dense/dense.h"

const dense_functions own_dense = {
    .workspace = mbs_own_workspace,
    .least_squares = mbs_own_least_squares,
    .singular_values = mbs_own_singular_values,
    .linear_solve = mbs_own_linear_solve,
    .pivoted_columns = mbs_own_pivoted_columns,
    .lu_factor = mbs_own_lu_factor,
    .lu_solve = mbs_own_lu_solve,
    .symmetric_eigen = mbs_own_symmetric_eigen,
    .general_eigen = mbs_own_general_eigen,
    .tridiagonal_solve = mbs_own_tridiagonal_solve,
};
