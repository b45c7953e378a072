/* session.h - access of other files of the module to the session. */
#ifndef MBS_WASM_SESSION_H
#define MBS_WASM_SESSION_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the coordinates and velocities of the last opened mechanism as mbs_session_coordinates(); false if there
 * is none. */
bool session_coordinates(size_t nq, double *q, size_t nv, double *v);

#endif
