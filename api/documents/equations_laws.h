/* equations_laws.h - the laws of forces and drivers as formulas, with exact derivatives. */
#ifndef API_DOCUMENTS_EQUATIONS_LAWS_H
#define API_DOCUMENTS_EQUATIONS_LAWS_H

#include "api/base/buffer.h"
#include "mbs.h"

#include <jansson.h>

/* Returns [{"name", "type", "equation", "laws": [{"pointer", "text", "latex", "derivatives": [{"by", "text",
 * "latex"}]}]}] of the elements with that role; `mathml` adds MathML to each LaTeX. Laws of drivers have their first
 * and second derivative by t, others the derivatives by each state variable that they use. */
json_t *api_equations_laws(const mbs_equations *equations, mbs_equation_role role, bool mathml);
/* Appends the same content as lines in this notation. */
void api_equations_laws_write(const mbs_equations *equations, mbs_notation notation, api_buffer *out);

#endif
