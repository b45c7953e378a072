/* module.h - the calls of the WebAssembly module, and the function of the page that it calls. Texts are passed in
 * the module's memory: allocate() reserves it, answer() returns the last answer. Answers are those of the service:
 * JSON, or a problem (RFC 9457) if the document has errors. */
#ifndef MBS_WASM_MODULE_H
#define MBS_WASM_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_EXPORT(name) __attribute__((export_name(name)))
#define MODULE_IMPORT(name) __attribute__((import_module("page"), import_name(name)))

/* Allocates `size` bytes. Returns NULL if memory runs out. */
MODULE_EXPORT("allocate") void *module_allocate(size_t size);
MODULE_EXPORT("release") void module_release(void *memory);

/* Returns the last answer, which is valid until the next call. */
MODULE_EXPORT("answer") const char *module_answer(void);
MODULE_EXPORT("answer_size") size_t module_answer_size(void);

/* Reads a document, builds its model and assembles it. The answer and the returned status are those of POST
 * /validate; with `scene` the answer contains the drawing data. */
MODULE_EXPORT("validate") int module_validate(const char *text, size_t size, bool scene);

/* Runs a document like a job, and passes its arrays to page_array(), one after another. The answer is {"status",
 * "report", "error"} as for a job of the service, with status 200 for success and failure, or a problem. If the
 * document needs a method that the module does not contain, the run fails with the code "method_not_built"; the
 * service has all methods. */
MODULE_EXPORT("run") int module_run(const char *text, size_t size);

/* Like run(), with a time limit of `seconds` that includes building the model; a longer run is cancelled. The
 * answer also contains "fraction", the completed fraction of the run (1 if complete), unless the document is a study,
 * which is not run. */
MODULE_EXPORT("attempt") int module_attempt(const char *text, size_t size, double seconds);

/* Like run(), for the analysis "assembly" instead of the document's: returns one row of positions for drawing. */
MODULE_EXPORT("assemble") int module_assemble(const char *text, size_t size);

/* ---- the session: the mechanism that the user drags (mbs_session in solver/mbs.h) ---- */

/* Opens a session of a document. On status 200 the answer is {"assembled", "error", "scene", "degrees_of_freedom",
 * "velocity_freedoms", "mobility", "redundant": labels of rows}; if "assembled" is false, it contains only "error".
 * Otherwise the answer is a problem as of module_validate(). If the document cannot be assembled or has errors, the
 * previous session stays open. `carry`: starts at the position of the previous session. */
MODULE_EXPORT("open") int module_open(const char *text, size_t size, bool carry);

/* The calls below need a session and return true on success. On failure the answer is an error as of a job
 * ({"code", "detail", ...}), and the mechanism keeps its position. */

/* Drags a point (x, y, z) of a body, in its axes from its mass centre, towards a target. Planar models ignore z.
 * module_distance() returns the remaining distance. */
MODULE_EXPORT("pull")
bool module_pull(size_t body, double x, double y, double z, double to_x, double to_y, double to_z);
MODULE_EXPORT("distance") double module_distance(void);
/* Sets the parameter, or moves the driver, with the name text [size] to a value. */
MODULE_EXPORT("set") bool module_set(const char *text, size_t size, double value);
MODULE_EXPORT("drive") bool module_drive(const char *text, size_t size, double value);
/* Advances the motion by dt [s]. */
MODULE_EXPORT("step") bool module_step(double dt);

/* Selects the motion of the velocities below: take_unit_motion() the motion that dragging makes, evaluate() the
 * simulated motion with its accelerations and forces. */
MODULE_EXPORT("take_unit_motion") bool module_take_unit_motion(void);
MODULE_EXPORT("evaluate") bool module_evaluate(void);

/* Returns the poses [bodies x 3 or 7] as mbs_session_poses(), and the time [s]; valid until the next call. */
MODULE_EXPORT("poses") const double *module_poses(void);
MODULE_EXPORT("time") double module_time(void);
/* Return the arrays of the functions mbs_session_*() with these names, or NULL. */
MODULE_EXPORT("points") const double *module_points(int level);
MODULE_EXPORT("centres") const double *module_centres(int level);
MODULE_EXPORT("mass_centre") const double *module_mass_centre(void);
MODULE_EXPORT("instant_centres") const double *module_instant_centres(void);
MODULE_EXPORT("reactions") const double *module_reactions(void);
MODULE_EXPORT("forces") const double *module_forces(void);

/* Starts a sweep of a mechanism with one degree of freedom: a copy of the session moves through all positions,
 * until the next call of module_open(). The session itself does not move. */
MODULE_EXPORT("sweep_begin") bool module_sweep_begin(double stride);
/* Moves to the next position of the sweep. Returns the result as mbs_sweep_result. */
MODULE_EXPORT("sweep_next") int module_sweep_next(void);
MODULE_EXPORT("sweep_points") const double *module_sweep_points(void);
MODULE_EXPORT("sweep_centres") const double *module_sweep_centres(void);

/* ---- equations ------------------------------------------------------------------------------------------------- */

/* Derives the equations of a document, which may differ from that of the session. The answer is {"matrices":
 * names}, or a problem. */
MODULE_EXPORT("derive") int module_derive(const char *text, size_t size);
/* Returns the last derived equations for the query {"at"?, "only"?, "format"?}. "at": "session" for the state of
 * the session, or {"t", "q", "v"} with arrays in the document's order; without it the previous state. "only":
 * matrices, such as "B,C". "format": "json", sparse as of POST /equations; "values", only its numbers
 * (api_equations_values_json()); "latex": {"latex"}. Status 409: nothing is derived, or the state is that of
 * another mechanism; 413: too many blocks for one answer. */
MODULE_EXPORT("equations") int module_equations(const char *text, size_t size);

/* Returns {"expression"} as mathematics: {"mathml", "derivatives": [{"by", "symbol", "mathml"}]}, with the partial
 * derivatives with respect to each name. Status 422: the text is not an expression. */
MODULE_EXPORT("formula") int module_formula(const char *text, size_t size);

/* ---- function of the page -------------------------------------------------------------------------------------- */

/* Receives an array of a run: `text` [size] describes it as GET /jobs/ID/results does; data [count]. Both are valid
 * only during the call. */
MODULE_IMPORT("array") void page_array(const char *text, size_t size, const double *data, size_t count);

#endif
