/* lapack.c - the functions of linalg/lapack.h, which call LAPACK here for every size (CMakeLists.txt). */
#include "dense/dense.h"

const dense_functions lapack_dense = {
    .workspace = mbs_lapack_workspace,
    .least_squares = mbs_least_squares,
    .singular_values = mbs_singular_values,
    .linear_solve = mbs_linear_solve,
    .pivoted_columns = mbs_pivoted_columns,
    .lu_factor = mbs_lu_factor,
    .lu_solve = mbs_lu_solve,
    .symmetric_eigen = mbs_symmetric_eigen,
    .general_eigen = mbs_general_eigen,
    .tridiagonal_solve = mbs_tridiagonal_solve,
};
