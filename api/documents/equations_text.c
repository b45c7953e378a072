/* equations_text.c - the equations of a model as text, as a LaTeX document, and as an HTML page with MathML. Small
 * matrices are printed as tables; in large ones each row is a sum over its columns, and similar rows are printed
 * once. */
#include "api/base/buffer.h"
#include "api/base/values.h"
#include "api/documents/equations.h"
#include "api/documents/equations_laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Matrices with more columns are not printed as tables. */
enum { TABLE_COLUMNS = 12 };

typedef struct writer {
  const api_equations_shown *shown;
  api_buffer *out;
  mbs_notation notation;
} writer;

static void put(const writer *w, const char *text) { api_buffer_add(w->out, text, strlen(text)); }

void api_equations_escape(const char *text, mbs_notation notation, api_buffer *out) {
  if (notation == MBS_NOTATION_MATHML) {
    api_buffer_html(out, text);
    return;
  }
  for (; *text; text++) {
    bool latex = notation == MBS_NOTATION_LATEX;
    if (latex && strchr("~^\\", *text))
      api_buffer_text(out, *text == '~'   ? "\\textasciitilde{}"
                           : *text == '^' ? "\\textasciicircum{}"
                                          : "\\textbackslash{}");
    else
      api_buffer_print(out, latex && strchr("_%&#${}", *text) ? "\\%c" : "%c", *text);
  }
}

static void put_escaped(const writer *w, const char *text) { api_equations_escape(text, w->notation, w->out); }

static const char *term_of(const writer *w, const mbs_equation_matrix *matrix, size_t r, size_t c) {
  return mbs_equations_written(w->shown->equations, matrix->blocks[r * matrix->column_count + c].term, w->notation);
}

static bool is_table(const mbs_equation_matrix *matrix) {
  return !matrix->vector && matrix->column_count <= TABLE_COLUMNS && matrix->row_count <= 3 * TABLE_COLUMNS;
}

/* Appends "also r_23, r_29" for a row with similar ones. */
static void put_others(const writer *w, const mbs_equation_matrix *matrix, size_t r) {
  size_t others = 0;
  for (size_t k = r + 1; k < matrix->row_count; k++) {
    if (matrix->alike[k] != r) continue;
    put(w, others++ ? ", " : "same form: ");
    put_escaped(w, matrix->rows[k].label);
  }
}

static bool stands_once(const mbs_equation_matrix *matrix, size_t r) {
  return matrix->row_count > 3 * TABLE_COLUMNS && matrix->alike[r] != r;
}

static bool row_is_zero(const mbs_equation_matrix *matrix, size_t r) {
  for (size_t c = 0; c < matrix->column_count; c++)
    if (!matrix->blocks[r * matrix->column_count + c].zero) return false;
  return true;
}

/* Returns true if a matrix is printed. In body coordinates D equals C, and is printed once. */
static bool is_shown(const writer *w, const mbs_equation_matrix *matrix) {
  bool again = strcmp(matrix->name, "D") == 0 && strcmp(w->shown->equations->formulation, "body") == 0;
  return api_equations_wanted(w->shown->query, matrix->name) && (!again || w->shown->query->only);
}

static const char *title_of(const mbs_equation_matrix *matrix) {
  return strcmp(matrix->name, "Bdot_thetad") == 0 ? "Bdot theta'" : matrix->name;
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

static void pad(const writer *w, const char *text, size_t width) {
  put(w, text);
  for (size_t k = strlen(text); k < width; k++) put(w, " ");
}

static size_t longer(size_t width, const char *text) { return strlen(text) > width ? strlen(text) : width; }

static void text_table(const writer *w, const mbs_equation_matrix *matrix) {
  size_t widths[TABLE_COLUMNS + 1] = {0};
  for (size_t r = 0; r < matrix->row_count; r++) widths[0] = longer(widths[0], matrix->rows[r].label);
  for (size_t c = 0; c < matrix->column_count; c++) {
    widths[c + 1] = strlen(matrix->columns[c].label);
    for (size_t r = 0; r < matrix->row_count; r++) widths[c + 1] = longer(widths[c + 1], term_of(w, matrix, r, c));
  }
  put(w, "  ");
  pad(w, "", widths[0]);
  for (size_t c = 0; c < matrix->column_count; c++) {
    put(w, "  ");
    pad(w, matrix->columns[c].label, widths[c + 1]);
  }
  for (size_t r = 0; r < matrix->row_count; r++) {
    put(w, "\n  ");
    pad(w, matrix->rows[r].label, widths[0]);
    for (size_t c = 0; c < matrix->column_count; c++) {
      put(w, "  ");
      pad(w, term_of(w, matrix, r, c), c + 1 < matrix->column_count ? widths[c + 1] : 0);
    }
  }
  put(w, "\n");
}

/* Appends "label: block column + block column", for a vector its block. */
static void text_row(const writer *w, const mbs_equation_matrix *matrix, size_t r) {
  bool first = true;
  put(w, "  ");
  put(w, matrix->rows[r].label);
  put(w, ": ");
  for (size_t c = 0; c < matrix->column_count; c++) {
    if (matrix->blocks[r * matrix->column_count + c].zero) continue;
    if (!first) put(w, ", ");
    first = false;
    if (!matrix->vector) {
      put(w, "[");
      put(w, matrix->columns[c].label);
      put(w, "] ");
    }
    put(w, term_of(w, matrix, r, c));
  }
  if (first) put(w, "0");
  put(w, "\n");
  if (matrix->row_count <= 3 * TABLE_COLUMNS) return;
  size_t before = w->out->size;
  put(w, "    ");
  size_t indented = w->out->size;
  put_others(w, matrix, r);
  if (w->out->size == indented)
    w->out->size = before;
  else
    put(w, "\n");
}

static void text_matrix(const writer *w, const mbs_equation_matrix *matrix) {
  put(w, "\n");
  put(w, title_of(matrix));
  put(w, "\n");
  if (is_table(matrix)) {
    text_table(w, matrix);
    return;
  }
  for (size_t r = 0; r < matrix->row_count; r++)
    if (!stands_once(matrix, r)) text_row(w, matrix, r);
}

static void text_values(const writer *w, const mbs_equation_symbol *symbol) {
  char number[40];
  for (int k = 0; k < symbol->rows * symbol->columns; k++) {
    snprintf(number, sizeof number, "%s%.6g", k ? k % symbol->columns ? ", " : "; " : "", symbol->value[k]);
    put(w, number);
  }
}

/* Appends " m/s"; nothing for a quantity without a dimension. */
static void put_unit(const writer *w, const mbs_equation_symbol *symbol) {
  if (!symbol->unit || strcmp(symbol->unit, "1") == 0) return;
  put(w, " ");
  put_escaped(w, symbol->unit);
}

static void put_lines(const writer *w, const char **lines, size_t count, const char *before, const char *after) {
  for (size_t k = 0; k < count; k++) {
    put(w, before);
    put_escaped(w, lines[k]);
    put(w, after);
  }
}

/* Largest number of symbols that are listed; large models have too many to read. */
enum { SYMBOLS_LISTED = 200 };

static void text_symbols(const writer *w) {
  const mbs_equations *equations = w->shown->equations;
  put(w, "\nSymbols\n");
  for (size_t k = 0; k < equations->symbol_count && k < SYMBOLS_LISTED; k++) {
    const mbs_equation_symbol *symbol = &equations->symbols[k];
    if (!api_equations_named(w->shown, symbol)) continue;
    put(w, "  ");
    pad(w, symbol->name, 16);
    put(w, " = ");
    text_values(w, symbol);
    put_unit(w, symbol);
    put(w, "   ");
    put(w, symbol->meaning);
    put(w, "\n");
  }
}

static void put_title(const writer *w) {
  char text[160];
  const mbs_equations *equations = w->shown->equations;
  put_escaped(w, w->shown->model_name ? w->shown->model_name : "the model");
  snprintf(text, sizeof text, " in %s coordinates, t = %.9g", equations->formulation, equations->t);
  put(w, text);
}

static char *taken(api_buffer *out) {
  api_buffer_add(out, "", 1);
  if (out->failed) {
    api_buffer_free(out);
    return NULL;
  }
  return out->data;
}

char *api_equations_text(const api_equations_shown *shown) {
  api_buffer out = {0};
  const writer w = {shown, &out, MBS_NOTATION_TEXT};
  const mbs_equations *equations = shown->equations;
  put(&w, "Equations of ");
  put_title(&w);
  put(&w, "\n\n");
  if (shown->note) {
    put(&w, shown->note);
    put(&w, "\n\n");
  }
  put_lines(&w, equations->words, equations->word_count, "", "\n");
  put(&w, "\n");
  put_lines(&w, equations->system, equations->system_count, "  ", "\n");
  api_equations_laws_write(equations, w.notation, &out);
  for (size_t m = 0; m < equations->matrix_count; m++)
    if (is_shown(&w, &equations->matrices[m])) text_matrix(&w, &equations->matrices[m]);
  text_symbols(&w);
  return taken(&out);
}

/* ---- LaTeX --------------------------------------------------------------------------------------------------- */

static const char *latex_name(const char *matrix) {
  static const char *const names[][2] = {{"B", "\\mathbf{B}"},
                                         {"Bdot_thetad", "\\dot{\\mathbf{B}}\\,\\dot{\\theta}"},
                                         {"C", "\\mathbf{C}"},
                                         {"D", "\\mathbf{D}"},
                                         {"Jac_p", "\\boldsymbol{\\Phi}_q"},
                                         {"rhsV", "\\mathrm{rhs}_V"},
                                         {"rhsA", "\\mathrm{rhs}_A"},
                                         {"M", "\\mathbf{M}"},
                                         {"h", "\\mathbf{h}"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(names[k][0], matrix) == 0) return names[k][1];
  return matrix;
}

static void latex_table(const writer *w, const mbs_equation_matrix *matrix) {
  put(w, "\\[\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{$\n");
  put(w, latex_name(matrix->name));
  put(w, " = \\begin{bmatrix}\n");
  for (size_t r = 0; r < matrix->row_count; r++) {
    for (size_t c = 0; c < matrix->column_count; c++) {
      put(w, c ? " & " : "");
      put(w, term_of(w, matrix, r, c));
    }
    put(w, " \\\\\n");
  }
  put(w, "\\end{bmatrix}$}\n\\]\n");
}

static void latex_rows(const writer *w, const mbs_equation_matrix *matrix) {
  put(w, "\\[ ");
  put(w, latex_name(matrix->name));
  put(w, " \\text{ by rows} \\]\n\\begin{itemize}\n");
  for (size_t r = 0; r < matrix->row_count; r++) {
    bool first = true;
    if (stands_once(matrix, r)) continue;
    put(w, "\\item \\texttt{");
    put_escaped(w, matrix->rows[r].label);
    put(w, "}: ");
    for (size_t c = 0; c < matrix->column_count; c++) {
      if (matrix->blocks[r * matrix->column_count + c].zero) continue;
      put(w, first ? "" : "; ");
      first = false;
      if (!matrix->vector) {
        put(w, "[\\texttt{");
        put_escaped(w, matrix->columns[c].label);
        put(w, "}] ");
      }
      put(w, "$");
      put(w, term_of(w, matrix, r, c));
      put(w, "$");
    }
    if (first) put(w, "$0$");
    if (matrix->row_count > 3 * TABLE_COLUMNS) {
      put(w, " ");
      put_others(w, matrix, r);
    }
    put(w, "\n");
  }
  put(w, "\\end{itemize}\n");
}

static void latex_symbols(const writer *w) {
  const mbs_equations *equations = w->shown->equations;
  put(w, "\\begin{longtable}{l>{\\raggedright}p{0.42\\linewidth}>{\\raggedright\\arraybackslash}p{0.42\\linewidth}}\n");
  for (size_t k = 0; k < equations->symbol_count && k < SYMBOLS_LISTED; k++) {
    const mbs_equation_symbol *symbol = &equations->symbols[k];
    if (!api_equations_named(w->shown, symbol)) continue;
    put(w, "$");
    put(w, mbs_equations_written(w->shown->equations, symbol->term, MBS_NOTATION_LATEX));
    put(w, "$ & ");
    put_escaped(w, symbol->meaning);
    put(w, " & ");
    text_values(w, symbol);
    put_unit(w, symbol);
    put(w, " \\\\\n");
  }
  put(w, "\\end{longtable}\n");
}

char *api_equations_latex(const api_equations_shown *shown) {
  api_buffer out = {0};
  const writer w = {shown, &out, MBS_NOTATION_LATEX};
  const mbs_equations *equations = shown->equations;
  put(&w, "\\documentclass[a4paper]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n"
          "\\usepackage{amsmath,array,graphicx,longtable}\n\\usepackage[margin=2cm,landscape]{geometry}\n"
          "\\setcounter{MaxMatrixCols}{40}\n\\setlength{\\parindent}{0pt}\n\\begin{document}\n\\section*{");
  put_title(&w);
  put(&w, "}\n");
  if (shown->note) put_lines(&w, (const char **)&shown->note, 1, "", "\n\n");
  put_lines(&w, equations->words, equations->word_count, "", "\\\\\n");
  put(&w, "\n");
  put_lines(&w, equations->system, equations->system_count, "\\texttt{", "}\\\\\n");
  api_equations_laws_write(equations, w.notation, &out);
  for (size_t m = 0; m < equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &equations->matrices[m];
    if (!is_shown(&w, matrix)) continue;
    if (is_table(matrix) || (matrix->vector && matrix->row_count <= 3 * TABLE_COLUMNS))
      latex_table(&w, matrix);
    else
      latex_rows(&w, matrix);
  }
  latex_symbols(&w);
  put(&w, "\\end{document}\n");
  return taken(&out);
}

/* ---- HTML with MathML ---------------------------------------------------------------------------------------- */

static void html_cell(const writer *w, const mbs_equation_matrix *matrix, size_t r, size_t c) {
  const bool table = is_table(matrix);
  if (!table && matrix->blocks[r * matrix->column_count + c].zero) return;
  put(w, "<td>");
  if (!table && !matrix->vector) {
    put_escaped(w, matrix->columns[c].label);
    put(w, ": ");
  }
  put(w, "<math>");
  put(w, term_of(w, matrix, r, c));
  put(w, "</math></td>");
}

static void html_row(const writer *w, const mbs_equation_matrix *matrix, size_t r) {
  put(w, "<tr><th>");
  put_escaped(w, matrix->rows[r].label);
  put(w, "</th>");
  for (size_t c = 0; c < matrix->column_count; c++) html_cell(w, matrix, r, c);
  if (matrix->row_count > 3 * TABLE_COLUMNS) {
    put(w, "<td>");
    put_others(w, matrix, r);
    put(w, "</td>");
  }
  put(w, "</tr>\n");
}

static void html_matrix(const writer *w, const mbs_equation_matrix *matrix) {
  const bool table = is_table(matrix);
  size_t shown = 0;
  put(w, "<h2>");
  put_escaped(w, title_of(matrix));
  put(w, "</h2>\n<table>\n");
  if (table) {
    put(w, "<tr><td></td>");
    for (size_t c = 0; c < matrix->column_count; c++) {
      put(w, "<th>");
      put_escaped(w, matrix->columns[c].label);
      put(w, "</th>");
    }
    put(w, "</tr>\n");
  }
  for (size_t r = 0; r < matrix->row_count; r++) {
    if (stands_once(matrix, r) || (!table && row_is_zero(matrix, r))) continue;
    html_row(w, matrix, r);
    shown++;
  }
  put(w, shown == 0 ? "<tr><td>all rows are 0</td></tr>\n</table>\n" : "</table>\n");
}

static void html_symbols(const writer *w) {
  const mbs_equations *equations = w->shown->equations;
  put(w, "<h2>Symbols</h2>\n<table class=\"symbols\">\n<tr><th>symbol</th><th>meaning</th><th>value</th></tr>\n");
  for (size_t k = 0; k < equations->symbol_count && k < SYMBOLS_LISTED; k++) {
    const mbs_equation_symbol *symbol = &equations->symbols[k];
    if (!api_equations_named(w->shown, symbol)) continue;
    put(w, "<tr><td><math>");
    put(w, mbs_equations_written(w->shown->equations, symbol->term, MBS_NOTATION_MATHML));
    put(w, "</math></td><td>");
    put_escaped(w, symbol->meaning);
    put(w, "</td><td>");
    text_values(w, symbol);
    put_unit(w, symbol);
    put(w, "</td></tr>\n");
  }
  put(w, "</table>\n");
}

char *api_equations_html(const api_equations_shown *shown) {
  api_buffer out = {0};
  const writer w = {shown, &out, MBS_NOTATION_MATHML};
  const mbs_equations *equations = shown->equations;
  put(&w, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Equations of ");
  put_title(&w);
  put(&w, "</title></head><body>\n<h1>Equations of ");
  put_title(&w);
  put(&w, "</h1>\n");
  if (shown->note) put_lines(&w, (const char **)&shown->note, 1, "<p>", "</p>\n");
  put_lines(&w, equations->words, equations->word_count, "<p>", "</p>\n");
  put_lines(&w, equations->system, equations->system_count, "<p><code>", "</code></p>\n");
  api_equations_laws_write(equations, w.notation, &out);
  for (size_t m = 0; m < equations->matrix_count; m++)
    if (is_shown(&w, &equations->matrices[m])) html_matrix(&w, &equations->matrices[m]);
  html_symbols(&w);
  put(&w, "</body></html>\n");
  return taken(&out);
}
