/* equations_state.h - what stands beside a model where its equations are asked for: a formulation, and a state. */
#ifndef API_DOCUMENTS_EQUATIONS_STATE_H
#define API_DOCUMENTS_EQUATIONS_STATE_H

#include "api/documents/document.h"
#include "mbs.h"

#include <jansson.h>

/* A copy of the document without a study and these members ("a|b|c") beside its model, in a formulation (NULL: its
 * own); without an analysis it is an assembly. */
void api_equations_document(const api_document *document, const char *members, const char *formulation,
                            api_document *plain);

/* Where numbers are taken; q and v in the order of the equations' labels, one allocation that q begins. */
typedef struct api_equations_state {
  mbs_diagnostics *list;
  double t, *q, *v;
  bool t_given, q_given, v_given;
} api_equations_state;

/* Reads {"t", "q", "v"} of equations that are at their start; free(state->q) in any case. False with the mistakes in
 * `list`. */
bool api_equations_state_read(const mbs_equations *equations, const api_document *document, const json_t *at,
                              const mbs_limits *limits, mbs_diagnostics *list, api_equations_state *state);

#endif
