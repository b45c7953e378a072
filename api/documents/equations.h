/* equations.h - prints the equations of a document's model. */
#ifndef API_DOCUMENTS_EQUATIONS_H
#define API_DOCUMENTS_EQUATIONS_H

#include "api/base/buffer.h"
#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* Names of the members that may stand beside "model" and "analysis": the state at which numbers are evaluated, the
 * formulation, and whether zero blocks are left out. */
#define API_EQUATIONS_MEMBERS "at|formulation|sparse"

typedef enum api_equations_format {
  API_EQUATIONS_JSON,
  API_EQUATIONS_TEXT,
  API_EQUATIONS_LATEX,  /* a complete document that compiles */
  API_EQUATIONS_MATHML, /* an HTML page */
  API_EQUATIONS_FORMATS
} api_equations_format;

/* Options of a request for equations, besides the document. */
typedef struct api_equations_query {
  api_equations_format format;
  const char *only; /* "B,C": these matrices; NULL: all */
  bool mathml;      /* blocks and symbols in JSON also have a member "mathml" */
} api_equations_query;

/* Returns the format of that name, "json", ...; API_EQUATIONS_FORMATS for another name. */
api_equations_format api_equations_format_named(const char *name);
/* Returns the media type of a format. */
const char *api_equations_media_type(api_equations_format format);
/* Names of the matrices. */
#define API_EQUATIONS_MATRICES "B|Bdot_thetad|C|D|Jac_p|rhsV|rhsA|M|h"
/* Returns true if all names in `only`, "B,C", are matrices; otherwise writes an error about the first unknown name to
 * `problem`. */
bool api_equations_known(const char *only, char problem[300]);

/* Limits of one response: nonzero blocks if the request selects no matrices, and if it does; products in any case. Zero
 * blocks count if they are printed. */
enum { API_EQUATIONS_BLOCKS = 10000, API_EQUATIONS_CHOSEN_BLOCKS = 100000, API_EQUATIONS_PRODUCTS = 250000 };

/* Reason why equations are too large, and a smaller request. */
typedef struct api_equations_excess {
  char detail[600]; /* "": they are not too large */
  char fitting[80]; /* "B,C": matrices that may be requested together; "": none */
} api_equations_excess;

/* Returns true if the equations are too large, before they are derived. Counts the matrices of `query`, in any
 * format. */
bool api_equations_exceed(const mbs_model *model, const api_equations_query *query, bool sparse,
                          api_equations_excess *excess);

/* Returns the text of the response, malloc'd. Returns NULL with all errors in `list`, or, if there are none, with
 * `excess` if the equations are too large. */
char *api_document_equations(api_document *document, const api_equations_query *query, const mbs_limits *limits,
                             mbs_diagnostics *list, api_equations_excess *excess);

/* ---- equations_json.c, equations_text.c ---- */

/* Appends a text, escaped for use outside of formulas in this notation. */
void api_equations_escape(const char *text, mbs_notation notation, api_buffer *out);

/* The input of all formats. */
typedef struct api_equations_shown {
  mbs_equations *equations;
  const char *model_name;
  const char *note; /* reason why the numbers are not those of an assembled start; or NULL */
  const api_equations_query *query;
  bool sparse;
} api_equations_shown;

/* Returns the number of nonzero blocks that are shown. */
size_t api_equations_blocks(const api_equations_shown *shown);
/* Returns true if the query asks for this matrix. */
bool api_equations_wanted(const api_equations_query *query, const char *matrix);
/* Returns true if a symbol occurs in a matrix that is shown. */
bool api_equations_named(const api_equations_shown *shown, const mbs_equation_symbol *symbol);
/* Returns the equations as JSON, malloc'd; NULL if memory runs out. */
char *api_equations_json(const api_equations_shown *shown);
/* Returns only the numbers, {"t", "symbols": [...], "matrices": {"B": [...]}}: values of the symbols and of the blocks
 * of each matrix, row by row, in the order of api_equations_json(). */
json_t *api_equations_values_json(const api_equations_shown *shown);
/* Return the equations as text, as LaTeX and as HTML, malloc'd; NULL if memory runs out. */
char *api_equations_text(const api_equations_shown *shown);
char *api_equations_latex(const api_equations_shown *shown);
char *api_equations_html(const api_equations_shown *shown);

#endif
