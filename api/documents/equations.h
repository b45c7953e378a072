/* equations.h - the equations of a document's model, shown. */
#ifndef API_DOCUMENTS_EQUATIONS_H
#define API_DOCUMENTS_EQUATIONS_H

#include "api/base/buffer.h"
#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* Members that may stand beside "model" and "analysis": where the numbers are taken, in which formulation the equations
 * are, and whether blocks that are zero are left out. */
#define API_EQUATIONS_MEMBERS "at|formulation|sparse"

typedef enum api_equations_format {
  API_EQUATIONS_JSON,
  API_EQUATIONS_TEXT,
  API_EQUATIONS_LATEX,  /* a document that compiles */
  API_EQUATIONS_MATHML, /* an HTML page */
  API_EQUATIONS_FORMATS
} api_equations_format;

/* What is asked for besides the document. */
typedef struct api_equations_query {
  api_equations_format format;
  const char *only; /* "B,C": these matrices; NULL: all */
  bool mathml;      /* blocks and symbols in JSON have a member "mathml", too */
} api_equations_query;

/* The format of that name, "json", ...; API_EQUATIONS_FORMATS where there is none. */
api_equations_format api_equations_format_named(const char *name);
/* Its media type. */
const char *api_equations_media_type(api_equations_format format);
/* "B|C|...", the names of matrices. */
#define API_EQUATIONS_MATRICES "B|Bdot_thetad|C|D|Jac_p|rhsV|rhsA|M|h"
/* Whether all of `only`, "B,C", are matrices; else the first that is none is in `problem`. */
bool api_equations_known(const char *only, char problem[300]);

/* What is shown at once: so many blocks that are not zero where nobody said which matrices; where somebody did, more;
 * in any case so many products. Zero blocks count where they are written out. */
enum { API_EQUATIONS_BLOCKS = 10000, API_EQUATIONS_CHOSEN_BLOCKS = 100000, API_EQUATIONS_PRODUCTS = 250000 };

/* Why equations are not shown, and what would be. */
typedef struct api_equations_excess {
  char detail[600]; /* "": they are */
  char fitting[80]; /* "B,C": matrices that may be asked for together; "": none */
} api_equations_excess;

/* Whether the equations are too large, before they are derived: those of `query` are counted, in any format. */
bool api_equations_exceed(const mbs_model *model, const api_equations_query *query, bool sparse,
                          api_equations_excess *excess);

/* The answer's text in the format, malloc'd; NULL with all mistakes in `list`, or where there is none with what is too
 * large in `excess`. */
char *api_document_equations(api_document *document, const api_equations_query *query, const mbs_limits *limits,
                             mbs_diagnostics *list, api_equations_excess *excess);

/* ---- equations_json.c, equations_text.c ---- */

/* A text as it may stand in a document of this notation, outside of mathematics. */
void api_equations_escape(const char *text, mbs_notation notation, api_buffer *out);

/* What all formats show. */
typedef struct api_equations_shown {
  mbs_equations *equations;
  const char *model_name;
  const char *note; /* why the numbers are not those of an assembled start; or NULL */
  const api_equations_query *query;
  bool sparse;
} api_equations_shown;

/* How many blocks they show that are not zero. */
size_t api_equations_blocks(const api_equations_shown *shown);
/* Whether a matrix is asked for. */
bool api_equations_wanted(const api_equations_query *query, const char *matrix);
/* Whether a symbol occurs in one that is. */
bool api_equations_named(const api_equations_shown *shown, const mbs_equation_symbol *symbol);
/* As JSON; malloc'd, NULL without memory. */
char *api_equations_json(const api_equations_shown *shown);
/* Its numbers alone, {"t", "symbols": [...], "matrices": {"B": [...]}}: values of the symbols and of the blocks of each
 * matrix, row by row, in the order in which api_equations_json() has them. */
json_t *api_equations_values_json(const api_equations_shown *shown);
/* As text, as LaTeX and as HTML; malloc'd, NULL without memory. */
char *api_equations_text(const api_equations_shown *shown);
char *api_equations_latex(const api_equations_shown *shown);
char *api_equations_html(const api_equations_shown *shown);

#endif
