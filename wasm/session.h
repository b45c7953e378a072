/* session.h - what other files of the module ask of the session. */
#ifndef MBS_WASM_SESSION_H
#define MBS_WASM_SESSION_H

#include <stdbool.h>
#include <stddef.h>

/* As mbs_session_coordinates(), of the mechanism that was opened last; false where there is none. */
bool session_coordinates(size_t nq, double *q, size_t nv, double *v);

#endif
