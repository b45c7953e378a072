/* equations_laws.h - what forces and drivers follow, as mathematics, with exact derivatives. */
#ifndef API_DOCUMENTS_EQUATIONS_LAWS_H
#define API_DOCUMENTS_EQUATIONS_LAWS_H

#include "api/base/buffer.h"
#include "mbs.h"

#include <jansson.h>

/* [{"name", "type", "equation", "laws": [{"pointer", "text", "latex", "derivatives": [{"by", "text", "latex"}]}]}] of
 * the elements of that role; `mathml`: with that beside the LaTeX. Laws of drivers have their first
 * and second derivative by t, others those by each name of the state in them. */
json_t *api_equations_laws(const mbs_equations *equations, mbs_equation_role role, bool mathml);
/* The same as lines, each in this notation. */
void api_equations_laws_write(const mbs_equations *equations, mbs_notation notation, api_buffer *out);

#endif
