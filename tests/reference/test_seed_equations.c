/* test_seed_equations.c - the printed equations of seed 000 for its examples SP, SC and SCd (appendix C: ChainOpen,
 * CutJoint), and the equations by its rules for AA in body coordinates and for the spatial RSSR: text and LaTeX of each
 * block, token for token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mbs.h"
#include "models.h"

typedef struct printed {
  const char *model, *matrix;
  size_t row, column;
  const char *text, *latex;
} printed;

/* clang-format off */
static const printed blocks[] = {
    {"SP", "B", 0, 0, "u_1", "\\mathbf{u}_{1}"},
    {"SP", "B", 0, 1, "0", "0"},
    {"SP", "B", 1, 0, "0", "0"},
    {"SP", "B", 1, 1, "0", "0"},
    {"SP", "B", 2, 0, "u_1", "\\mathbf{u}_{1}"},
    {"SP", "B", 2, 1, "~d_{2,2}", "\\breve{\\mathbf{d}}_{2,2}"},
    {"SP", "B", 3, 0, "0", "0"},
    {"SP", "B", 3, 1, "1", "1"},
    {"SP", "Bdot_thetad", 0, 0, "0", "0"},
    {"SP", "Bdot_thetad", 1, 0, "0", "0"},
    {"SP", "Bdot_thetad", 2, 0, "~dot(d_{2,2}) dot(theta_2)", "\\dot{\\breve{\\mathbf{d}}}_{2,2}\\,\\dot{\\theta}_{2}"},
    {"SP", "Bdot_thetad", 3, 0, "0", "0"},
    {"SP", "M", 0, 0, "m_1 + m_2", "m_{1} +m_{2}"},
    {"SP", "M", 0, 1, "m_2 u_1' ~d_{2,2}", "m_{2}\\,\\mathbf{u}_{1}^{T}\\,\\breve{\\mathbf{d}}_{2,2}"},
    {"SP", "M", 1, 0, "m_2 ~d_{2,2}' u_1", "m_{2}\\,\\breve{\\mathbf{d}}_{2,2}^{T}\\,\\mathbf{u}_{1}"},
    {"SP", "M", 1, 1, "m_2 d_{2,2}' d_{2,2} + J_2", "m_{2}\\,\\mathbf{d}_{2,2}^{T}\\,\\mathbf{d}_{2,2} +J_{2}"},
    {"SP", "h", 0, 0, "u_1' f_1 + u_1' (f_2 - m_2 ~dot(d_{2,2}) dot(theta_2))",
     "\\mathbf{u}_{1}^{T}\\,\\mathbf{f}_{1} +\\mathbf{u}_{1}^{T}\\,(\\mathbf{f}_{2} -m_{2}\\,\\dot{\\breve{"
     "\\mathbf{d}}}_{2,2}\\,\\dot{\\theta}_{2})"},
    {"SP", "h", 1, 0, "~d_{2,2}' (f_2 - m_2 ~dot(d_{2,2}) dot(theta_2)) + n_2",
     "\\breve{\\mathbf{d}}_{2,2}^{T}\\,(\\mathbf{f}_{2} -m_{2}\\,\\dot{\\breve{\\mathbf{d}}}_{2,2}\\,\\dot{"
     "\\theta}_{2}) +n_{2}"},
    {"SC", "B", 0, 0, "~d_{1,1}", "\\breve{\\mathbf{d}}_{1,1}"},
    {"SC", "B", 0, 1, "0", "0"},
    {"SC", "B", 0, 2, "0", "0"},
    {"SC", "B", 1, 0, "1", "1"},
    {"SC", "B", 1, 1, "0", "0"},
    {"SC", "B", 1, 2, "0", "0"},
    {"SC", "B", 2, 0, "~d_{2,1}", "\\breve{\\mathbf{d}}_{2,1}"},
    {"SC", "B", 2, 1, "~d_{2,2}", "\\breve{\\mathbf{d}}_{2,2}"},
    {"SC", "B", 2, 2, "0", "0"},
    {"SC", "B", 3, 0, "1", "1"},
    {"SC", "B", 3, 1, "1", "1"},
    {"SC", "B", 3, 2, "0", "0"},
    {"SC", "B", 4, 0, "0", "0"},
    {"SC", "B", 4, 1, "0", "0"},
    {"SC", "B", 4, 2, "u_3", "\\mathbf{u}_{3}"},
    {"SC", "B", 5, 0, "0", "0"},
    {"SC", "B", 5, 1, "0", "0"},
    {"SC", "B", 5, 2, "0", "0"},
    {"SC", "Bdot_thetad", 0, 0, "~dot(d_{1,1}) dot(theta_1)", "\\dot{\\breve{\\mathbf{d}}}_{1,1}\\,\\dot{\\theta}_{1}"},
    {"SC", "Bdot_thetad", 1, 0, "0", "0"},
    {"SC", "Bdot_thetad", 2, 0, "~dot(d_{2,1}) dot(theta_1) + ~dot(d_{2,2}) dot(theta_2)",
     "\\dot{\\breve{\\mathbf{d}}}_{2,1}\\,\\dot{\\theta}_{1} +\\dot{\\breve{\\mathbf{d}}}_{2,2}\\,\\dot{"
     "\\theta}_{2}"},
    {"SC", "Bdot_thetad", 3, 0, "0", "0"},
    {"SC", "Bdot_thetad", 4, 0, "0", "0"},
    {"SC", "Bdot_thetad", 5, 0, "0", "0"},
    {"SC", "C", 0, 0, "~d_{*,1}", "\\breve{\\mathbf{d}}_{*,1}"},
    {"SC", "C", 0, 1, "~d_{*,2}", "\\breve{\\mathbf{d}}_{*,2}"},
    {"SC", "C", 0, 2, "-u_3", "-\\mathbf{u}_{3}"},
    {"SC", "rhsV", 0, 0, "0", "0"},
    {"SC", "rhsA", 0, 0, "-~dot(d_{*,1}) dot(theta_1) - ~dot(d_{*,2}) dot(theta_2)",
     "-\\dot{\\breve{\\mathbf{d}}}_{*,1}\\,\\dot{\\theta}_{1} -\\dot{\\breve{\\mathbf{d}}}_{*,2}\\,\\dot{"
     "\\theta}_{2}"},
    {"SC", "M", 0, 0, "m_1 d_{1,1}' d_{1,1} + J_1 + m_2 d_{2,1}' d_{2,1} + J_2",
     "m_{1}\\,\\mathbf{d}_{1,1}^{T}\\,\\mathbf{d}_{1,1} +J_{1} +m_{2}\\,\\mathbf{d}_{2,1}^{T}\\,"
     "\\mathbf{d}_{2,1} +J_{2}"},
    {"SC", "M", 0, 1, "m_2 d_{2,1}' d_{2,2} + J_2", "m_{2}\\,\\mathbf{d}_{2,1}^{T}\\,\\mathbf{d}_{2,2} +J_{2}"},
    {"SC", "M", 0, 2, "0", "0"},
    {"SC", "M", 1, 0, "m_2 d_{2,2}' d_{2,1} + J_2", "m_{2}\\,\\mathbf{d}_{2,2}^{T}\\,\\mathbf{d}_{2,1} +J_{2}"},
    {"SC", "M", 1, 1, "m_2 d_{2,2}' d_{2,2} + J_2", "m_{2}\\,\\mathbf{d}_{2,2}^{T}\\,\\mathbf{d}_{2,2} +J_{2}"},
    {"SC", "M", 1, 2, "0", "0"},
    {"SC", "M", 2, 0, "0", "0"},
    {"SC", "M", 2, 1, "0", "0"},
    {"SC", "M", 2, 2, "m_3", "m_{3}"},
    {"SC", "h", 0, 0,
     "~d_{1,1}' (f_1 - m_1 ~dot(d_{1,1}) dot(theta_1)) + n_1"
     " + ~d_{2,1}' (f_2 - m_2 (~dot(d_{2,1}) dot(theta_1) + ~dot(d_{2,2}) dot(theta_2))) + n_2",
     "\\breve{\\mathbf{d}}_{1,1}^{T}\\,(\\mathbf{f}_{1} -m_{1}\\,\\dot{\\breve{\\mathbf{d}}}_{1,1}\\,\\dot{"
     "\\theta}_{1}) +n_{1} +\\breve{\\mathbf{d}}_{2,1}^{T}\\,(\\mathbf{f}_{2} -m_{2}\\,(\\dot{\\breve{"
     "\\mathbf{d}}}_{2,1}\\,\\dot{\\theta}_{1} +\\dot{\\breve{\\mathbf{d}}}_{2,2}\\,\\dot{\\theta}_{2})) +n_{2}"},
    {"SC", "h", 1, 0, "~d_{2,2}' (f_2 - m_2 (~dot(d_{2,1}) dot(theta_1) + ~dot(d_{2,2}) dot(theta_2))) + n_2",
     "\\breve{\\mathbf{d}}_{2,2}^{T}\\,(\\mathbf{f}_{2} -m_{2}\\,(\\dot{\\breve{\\mathbf{d}}}_{2,1}\\,\\dot{"
     "\\theta}_{1} +\\dot{\\breve{\\mathbf{d}}}_{2,2}\\,\\dot{\\theta}_{2})) +n_{2}"},
    {"SC", "h", 2, 0, "u_3' f_3", "\\mathbf{u}_{3}^{T}\\,\\mathbf{f}_{3}"},
    {"SCd", "C", 0, 0, "~d_{*,1}", "\\breve{\\mathbf{d}}_{*,1}"},
    {"SCd", "C", 0, 1, "~d_{*,2}", "\\breve{\\mathbf{d}}_{*,2}"},
    {"SCd", "C", 0, 2, "-u_3", "-\\mathbf{u}_{3}"},
    {"SCd", "C", 1, 0, "1", "1"},
    {"SCd", "C", 1, 1, "0", "0"},
    {"SCd", "C", 1, 2, "0", "0"},
    {"SCd", "rhsV", 0, 0, "0", "0"},
    {"SCd", "rhsV", 1, 0, "dot(f)", "\\dot{f}"},
    {"SCd", "rhsA", 0, 0, "-~dot(d_{*,1}) dot(theta_1) - ~dot(d_{*,2}) dot(theta_2)",
     "-\\dot{\\breve{\\mathbf{d}}}_{*,1}\\,\\dot{\\theta}_{1} -\\dot{\\breve{\\mathbf{d}}}_{*,2}\\,\\dot{"
     "\\theta}_{2}"},
    {"SCd", "rhsA", 1, 0, "ddot(f)", "\\ddot{f}"},
    {"AA_bc", "D", 0, 0, "I", "\\mathbf{I}"},
    {"AA_bc", "D", 0, 1, "~s_1^{Q}", "\\breve{\\mathbf{s}}_{1}^{Q}"},
    {"AA_bc", "D", 1, 0, "I", "\\mathbf{I}"},
    {"AA_bc", "D", 1, 1, "~s_1^{A}", "\\breve{\\mathbf{s}}_{1}^{A}"},
    {"AA_bc", "D", 1, 2, "-I", "-\\mathbf{I}"},
    {"AA_bc", "D", 1, 3, "-~s_2^{A}", "-\\breve{\\mathbf{s}}_{2}^{A}"},
    {"AA_bc", "D", 2, 2, "I", "\\mathbf{I}"},
    {"AA_bc", "D", 2, 3, "~s_2^{B}", "\\breve{\\mathbf{s}}_{2}^{B}"},
    {"AA_bc", "D", 2, 4, "-I", "-\\mathbf{I}"},
    {"AA_bc", "D", 2, 5, "-~s_3^{B}", "-\\breve{\\mathbf{s}}_{3}^{B}"},
    {"AA_bc", "D", 3, 4, "I", "\\mathbf{I}"},
    {"AA_bc", "D", 3, 5, "~s_3^{O}", "\\breve{\\mathbf{s}}_{3}^{O}"},
    {"AA_bc", "rhsA", 0, 0, "-~dot(s_1^{Q}) dot(phi_1)", "-\\dot{\\breve{\\mathbf{s}}}_{1}^{Q}\\,\\dot{\\phi}_{1}"},
    {"AA_bc", "rhsA", 1, 0, "-~dot(s_1^{A}) dot(phi_1) + ~dot(s_2^{A}) dot(phi_2)",
     "-\\dot{\\breve{\\mathbf{s}}}_{1}^{A}\\,\\dot{\\phi}_{1} +\\dot{\\breve{\\mathbf{s}}}_{2}^{A}\\,\\dot{"
     "\\phi}_{2}"},
    {"AA_bc", "rhsA", 2, 0, "-~dot(s_2^{B}) dot(phi_2) + ~dot(s_3^{B}) dot(phi_3)",
     "-\\dot{\\breve{\\mathbf{s}}}_{2}^{B}\\,\\dot{\\phi}_{2} +\\dot{\\breve{\\mathbf{s}}}_{3}^{B}\\,\\dot{"
     "\\phi}_{3}"},
    {"AA_bc", "rhsA", 3, 0, "-~dot(s_3^{O}) dot(phi_3)", "-\\dot{\\breve{\\mathbf{s}}}_{3}^{O}\\,\\dot{\\phi}_{3}"},
    {"RSSR_rod", "B", 0, 0, "~u_1 d_{1,1}", "\\tilde{\\mathbf{u}}_{1}\\,\\mathbf{d}_{1,1}"},
    {"RSSR_rod", "B", 0, 1, "0", "0"},
    {"RSSR_rod", "B", 1, 0, "u_1", "\\mathbf{u}_{1}"},
    {"RSSR_rod", "B", 1, 1, "0", "0"},
    {"RSSR_rod", "B", 2, 0, "0", "0"},
    {"RSSR_rod", "B", 2, 1, "~u_2 d_{2,2}", "\\tilde{\\mathbf{u}}_{2}\\,\\mathbf{d}_{2,2}"},
    {"RSSR_rod", "B", 3, 0, "0", "0"},
    {"RSSR_rod", "B", 3, 1, "u_2", "\\mathbf{u}_{2}"},
    {"RSSR_rod", "Bdot_thetad", 0, 0, "~u_1 dot(d_{1,1}) dot(theta_1)",
     "\\tilde{\\mathbf{u}}_{1}\\,\\dot{\\mathbf{d}}_{1,1}\\,\\dot{\\theta}_{1}"},
    {"RSSR_rod", "Bdot_thetad", 1, 0, "0", "0"},
    {"RSSR_rod", "Bdot_thetad", 2, 0, "~u_2 dot(d_{2,2}) dot(theta_2)",
     "\\tilde{\\mathbf{u}}_{2}\\,\\dot{\\mathbf{d}}_{2,2}\\,\\dot{\\theta}_{2}"},
    {"RSSR_rod", "Bdot_thetad", 3, 0, "0", "0"},
    {"RSSR_rod", "C", 0, 0, "e_*' ~u_1 d_{*,1}", "\\mathbf{e}_{*}^{T}\\,\\tilde{\\mathbf{u}}_{1}\\,\\mathbf{d}_{*,1}"},
    {"RSSR_rod", "C", 0, 1, "-e_*' ~u_2 d_{*,2}",
     "-\\mathbf{e}_{*}^{T}\\,\\tilde{\\mathbf{u}}_{2}\\,\\mathbf{d}_{*,2}"},
    {"RSSR_rod", "rhsV", 0, 0, "0", "0"},
    {"RSSR_rod", "rhsA", 0, 0, "-e_*' b_* - (dot(d_*)' dot(d_*) - (e_*' dot(d_*))^2)/l_*",
     "-\\mathbf{e}_{*}^{T}\\,\\mathbf{b}_{*} -(\\dot{\\mathbf{d}}_{*}^{T}\\,\\dot{\\mathbf{d}}_{*} -("
     "\\mathbf{e}_{*}^{T}\\,\\dot{\\mathbf{d}}_{*})^2)/l_{*}"},
    {"RSSR_rod", "M", 0, 0, "m_1 (~u_1 d_{1,1})' ~u_1 d_{1,1} + u_1' J_1 u_1",
     "m_{1}\\,(\\tilde{\\mathbf{u}}_{1}\\,\\mathbf{d}_{1,1})^{T}\\,\\tilde{\\mathbf{u}}_{1}\\,"
     "\\mathbf{d}_{1,1} +\\mathbf{u}_{1}^{T}\\,J_{1}\\,\\mathbf{u}_{1}"},
    {"RSSR_rod", "M", 0, 1, "0", "0"},
    {"RSSR_rod", "M", 1, 0, "0", "0"},
    {"RSSR_rod", "M", 1, 1, "m_2 (~u_2 d_{2,2})' ~u_2 d_{2,2} + u_2' J_2 u_2",
     "m_{2}\\,(\\tilde{\\mathbf{u}}_{2}\\,\\mathbf{d}_{2,2})^{T}\\,\\tilde{\\mathbf{u}}_{2}\\,"
     "\\mathbf{d}_{2,2} +\\mathbf{u}_{2}^{T}\\,J_{2}\\,\\mathbf{u}_{2}"},
    {"RSSR_rod", "h", 0, 0, "(~u_1 d_{1,1})' (f_1 - m_1 ~u_1 dot(d_{1,1}) dot(theta_1)) + u_1' n_1",
     "(\\tilde{\\mathbf{u}}_{1}\\,\\mathbf{d}_{1,1})^{T}\\,(\\mathbf{f}_{1} -m_{1}\\,\\tilde{\\mathbf{u}}_{1}"
     "\\,\\dot{\\mathbf{d}}_{1,1}\\,\\dot{\\theta}_{1}) +\\mathbf{u}_{1}^{T}\\,\\mathbf{n}_{1}"},
    {"RSSR_rod", "h", 1, 0, "(~u_2 d_{2,2})' (f_2 - m_2 ~u_2 dot(d_{2,2}) dot(theta_2)) + u_2' n_2",
     "(\\tilde{\\mathbf{u}}_{2}\\,\\mathbf{d}_{2,2})^{T}\\,(\\mathbf{f}_{2} -m_{2}\\,\\tilde{\\mathbf{u}}_{2}"
     "\\,\\dot{\\mathbf{d}}_{2,2}\\,\\dot{\\theta}_{2}) +\\mathbf{u}_{2}^{T}\\,\\mathbf{n}_{2}"},
};
/* clang-format on */

static const mbs_equation_block *find_block(const mbs_equations *equations, const printed *wanted) {
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    if (strcmp(matrix->name, wanted->matrix) != 0) continue;
    if (wanted->row >= matrix->row_count || wanted->column >= matrix->column_count) return NULL;
    return &matrix->blocks[wanted->row * matrix->column_count + wanted->column];
  }
  return NULL;
}

static void compare(mbs_equations *equations, const printed *wanted) {
  const mbs_equation_block *block = find_block(equations, wanted);
  if (!block) fail_msg("%s has no %s[%zu, %zu]", wanted->model, wanted->matrix, wanted->row, wanted->column);
  const char *text = mbs_equations_written(equations, block->term, MBS_NOTATION_TEXT);
  const char *latex = mbs_equations_written(equations, block->term, MBS_NOTATION_LATEX);
  if (strcmp(text, wanted->text) != 0)
    fail_msg("%s %s[%zu, %zu] reads %s, not %s", wanted->model, wanted->matrix, wanted->row, wanted->column, text,
             wanted->text);
  assert_string_equal(latex, wanted->latex);
}

static void test_printed_blocks(void **state) {
  (void)state;
  const char *name = "";
  mbs_model *model = NULL;
  mbs_equations *equations = NULL;
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
    if (strcmp(blocks[k].model, name) != 0) {
      name = blocks[k].model;
      mbs_equations_free(equations);
      mbs_model_free(model);
      char *document = models_named(name);
      model = models_build(document, NULL);
      free(document);
      equations = mbs_equations_new(model);
      assert_non_null(equations);
    }
    compare(equations, &blocks[k]);
  }
  mbs_equations_free(equations);
  mbs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_printed_blocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
