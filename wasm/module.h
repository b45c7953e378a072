/* module.h - what the page calls in the WebAssembly module, and what that asks of the page.
 *
 * Texts lie in the module's memory: allocate() makes room for a document, and answer() tells where the text of the last
 * answer is. Answers are those of the service: JSON, of a problem (RFC 9457) where the document has mistakes. */
#ifndef MBS_WASM_MODULE_H
#define MBS_WASM_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_EXPORT(name) __attribute__((export_name(name)))
#define MODULE_IMPORT(name) __attribute__((import_module("page"), import_name(name)))

/* Room for `size` bytes; NULL: there is none. */
MODULE_EXPORT("allocate") void *module_allocate(size_t size);
MODULE_EXPORT("release") void module_release(void *memory);

/* The last answer, until the next call. */
MODULE_EXPORT("answer") const char *module_answer(void);
MODULE_EXPORT("answer_size") size_t module_answer_size(void);

/* Reads a document, builds its model and assembles it. The answer is that of POST /validate, whose status is returned;
 * `scene`: with what a drawing needs. */
MODULE_EXPORT("validate") int module_validate(const char *text, size_t size, bool scene);

/* Runs the job of a document; page_array() takes its arrays, one after another. The answer is {"status", "report",
 * "error"} as of a job of the service, with status 200 whether it succeeded or not, or a problem. A run that wants a
 * method which is not built in fails with the code "method_not_built": the service has all. */
MODULE_EXPORT("run") int module_run(const char *text, size_t size);

/* The same for who has `seconds` for it, the building of its model included: what takes longer is given up. The answer
 * has "fraction", too, how much of the run was done: 1 of a whole one. A study is not begun. */
MODULE_EXPORT("attempt") int module_attempt(const char *text, size_t size, double seconds);

/* The same for the analysis "assembly", whatever the document asks for: one row of positions to be drawn. */
MODULE_EXPORT("assemble") int module_assemble(const char *text, size_t size);

/* ---- the session: the mechanism on the screen, moved by hand (mbs_session in solver/mbs.h) ---- */

/* Opens a session of a document. 200: the answer is {"assembled", "error", "scene", "degrees_of_freedom", "mobility",
 * "redundant": labels of rows}; where "assembled" is false, it has but "error". Else a problem, as of
 * module_validate(). What does not assemble, or has mistakes, leaves the session before in hand. `carry`: it begins
 * where that one stands. */
MODULE_EXPORT("open") int module_open(const char *text, size_t size, bool carry);

/* The calls below ask for a session. They return whether they succeeded; if not, the answer is an error as of a job
 * ({"code", "detail", ...}), and the mechanism stands as before. */

/* Pulls a point (x, y, z) of a body, in its axes from its mass centre, towards a target; in the plane z is not looked
 * at. How far the two then are from each other: module_distance(). */
MODULE_EXPORT("pull")
bool module_pull(size_t body, double x, double y, double z, double to_x, double to_y, double to_z);
MODULE_EXPORT("distance") double module_distance(void);
/* Gives a parameter, leads a driver, of the name text [size] a value. */
MODULE_EXPORT("set") bool module_set(const char *text, size_t size, double value);
MODULE_EXPORT("drive") bool module_drive(const char *text, size_t size, double value);
/* Goes on with the motion for dt [s]. */
MODULE_EXPORT("step") bool module_step(double dt);

/* What the velocities below are read of: the motion that the mechanism makes by hand, or the motion in hand, with its
 * accelerations and forces. */
MODULE_EXPORT("take_unit_motion") bool module_take_unit_motion(void);
MODULE_EXPORT("evaluate") bool module_evaluate(void);

/* Where it stands, until the next call: [bodies x 3 or 7], as mbs_session_poses() has them, and the time [s]. */
MODULE_EXPORT("poses") const double *module_poses(void);
MODULE_EXPORT("time") double module_time(void);
/* As the functions mbs_session_*() of these names have them, or NULL. */
MODULE_EXPORT("points") const double *module_points(int level);
MODULE_EXPORT("centres") const double *module_centres(int level);
MODULE_EXPORT("mass_centre") const double *module_mass_centre(void);
MODULE_EXPORT("instant_centres") const double *module_instant_centres(void);
MODULE_EXPORT("reactions") const double *module_reactions(void);
MODULE_EXPORT("forces") const double *module_forces(void);

/* The tour of a mechanism with one freedom, of another one that begins where this one stands, which stays: its
 * positions follow one another until the next call of module_open(). */
MODULE_EXPORT("begin_tour") bool module_begin_tour(double stride);
/* To the next position; how that came out, as a mbs_sweep_result. */
MODULE_EXPORT("go_on_tour") int module_go_on_tour(void);
MODULE_EXPORT("tour_points") const double *module_tour_points(void);
MODULE_EXPORT("tour_centres") const double *module_tour_centres(void);

/* ---- equations ------------------------------------------------------------------------------------------------- */

/* Derives the equations of a document, which need not be the session's: {"matrices": names}, or a problem. */
MODULE_EXPORT("derive") int module_derive(const char *text, size_t size);
/* What was derived last: {"at"?, "only"?, "format"?}. "at": "session" for where the session stands, or {"t", "q", "v"}
 * with arrays in the document's order; without it where the last numbers were. "only": matrices, "B,C". "format":
 * "json", sparse as of POST /equations; "values", its numbers alone (api_equations_values_json()); "latex": {"latex"}.
 * Status 409: nothing is derived, or it is of another mechanism; 413: too many blocks for once. */
MODULE_EXPORT("equations") int module_equations(const char *text, size_t size);

/* {"expression"} as mathematics: {"mathml", "derivatives": [{"by", "symbol", "mathml"}]}, the derivatives by each name
 * in it, other names held. Status 422: it is no expression. */
MODULE_EXPORT("formula") int module_formula(const char *text, size_t size);

/* ---- what it asks of the page ---------------------------------------------------------------------------------- */

/* Takes an array of a run: `text` [size] says what it is, as GET /jobs/ID/results lists it; data [count]. Both go when
 * it returns. */
MODULE_IMPORT("array") void page_array(const char *text, size_t size, const double *data, size_t count);

#endif
