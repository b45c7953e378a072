/* algebra_simd.h - products, factors and eliminations over vectors (base/real.h), with OF_WIDTH(name) defined. Include
 * it first, because it renames functions. */
/* Renames the functions, because they exist once per width. */
#define mbs_jacobian_times OF_WIDTH(lanes_jacobian_times)
#define mbs_jacobian_transposed OF_WIDTH(lanes_jacobian_transposed)
#define mbs_solve_up OF_WIDTH(lanes_solve_up)
#define mbs_solve_down OF_WIDTH(lanes_solve_down)
#define mbs_transform_jacobian OF_WIDTH(lanes_transform_jacobian)
#define mbs_solve_factors OF_WIDTH(lanes_solve_factors)
#define mbs_add_transformed OF_WIDTH(lanes_add_transformed)
#define mbs_spread_multipliers OF_WIDTH(lanes_spread_multipliers)
#define mbs_missing_accelerations OF_WIDTH(lanes_missing_accelerations)
#define mbs_assemble_schur OF_WIDTH(lanes_assemble_schur)
#define mbs_zero_redundant OF_WIDTH(lanes_leave_out)
#define mbs_shift_schur OF_WIDTH(lanes_shift_schur)
#define mbs_factor_schur OF_WIDTH(lanes_factor_schur)
#define mbs_solve_schur OF_WIDTH(lanes_solve_schur)
#define mbs_tree_factor OF_WIDTH(lanes_tree_factor)
#define mbs_tree_solve_up OF_WIDTH(lanes_tree_solve_up)
#define mbs_tree_solve_down OF_WIDTH(lanes_tree_solve_down)
#define mbs_skyline_factor OF_WIDTH(lanes_skyline_factor)
#define mbs_skyline_solve OF_WIDTH(lanes_skyline_solve)
#define mbs_fill_factor OF_WIDTH(lanes_fill_factor)
#define mbs_fill_solve OF_WIDTH(lanes_fill_solve)

#include "equations/elimination.c"
#include "equations/products.c"
#include "equations/schur.c"
#include "linalg/sparse.c"
