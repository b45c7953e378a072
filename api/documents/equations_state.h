/* equations_state.h - the members beside a model whose equations are requested: a formulation and a state. */
#ifndef API_DOCUMENTS_EQUATIONS_STATE_H
#define API_DOCUMENTS_EQUATIONS_STATE_H

#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* Makes a copy of the document without a study and without these members ("a|b|c"), in a formulation (NULL: its own). A
 * document without an analysis becomes an assembly. */
void api_equations_document(const api_document *document, const char *members, const char *formulation,
                            api_document *plain);

/* A state at which numbers are evaluated; q and v in the order of the equations' labels, one allocation that begins at
 * q. */
typedef struct api_equations_state {
  mbs_diagnostics *list;
  double t, *q, *v;
  bool t_given, q_given, v_given;
} api_equations_state;

/* Reads {"t", "q", "v"}. The equations must be at their start, from which missing values are taken. Returns false with
 * the errors in `list`. The caller frees state->q in either case. */
bool api_equations_state_read(const mbs_equations *equations, const api_document *document, const json_t *at,
                              const mbs_limits *limits, mbs_diagnostics *list, api_equations_state *state);

#endif
