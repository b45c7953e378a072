/* models.h - models for tests and benchmarks: documents read, built and run in one call, and parametric documents.
 *
 * Documents and analyses are JSON texts. If one cannot be read, built or run, the program ends with the message of the
 * solver, except in functions that return a status. The caller frees returned texts. */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "json.h"
#include "mbs.h"

/* Step through a list of many similar models. Sanitizers make runs ten times as long, so such a build tests one model
 * of seven and the release build all of them. Seven has no factor in common with 2, 3 and 4, by which lists alternate.
 * A property test whose source contains this name gets the label "release", by which ./test also runs it in the release
 * build. */
#ifdef MBS_SANITIZED
enum { MODELS_EVERY = 7 };
#else
enum { MODELS_EVERY = 1 };
#endif

/* ---- reading and running ------------------------------------------------------------------------------------- */

/* Returns the text of a file; `path` is relative to the root of the source, where tests run. */
char *models_file(const char *path);
/* Returns the text of models/NAME.json. */
char *models_named(const char *name);
/* Returns the document with the members of another object, which replace existing members. */
char *models_with(const char *document, const char *added);
/* Like models_named, but with the members of another object, which replace existing members. */
char *models_named_with(const char *name, const char *added);
/* Returns the text of tests/reference/models/NAME.json. */
char *models_of_tests(const char *name);

/* Returns a text formatted like printf. */
char *models_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns one object with the members of two. */
char *models_merged(const char *one, const char *two);

/* Builds a model. If `analysis` is NULL, the analysis of the document applies. */
mbs_model *models_build(const char *document, const char *analysis);
/* Builds a model. Returns NULL, with the errors in `list`, if the document is invalid. */
mbs_model *models_try_build(const char *document, const char *analysis, mbs_diagnostics *list);

/* Like models_try_build, with a study. */
mbs_model *models_try_build_study(const char *document, const char *analysis, const char *study, mbs_diagnostics *list);

/* Builds and runs a model. */
mbs_result *models_run(const char *document, const char *analysis);
/* Like models_run, for runs that may fail; `*result` then holds what was computed. The document must be valid. */
mbs_status models_try_run(const char *document, const char *analysis, mbs_result **result, mbs_error *error);

/* ---- results ------------------------------------------------------------------------------------------------- */

/* Returns the number of reporting times in the result. */
size_t models_rows(const mbs_result *result);
/* Returns the number of values in a row of an array. */
size_t models_columns(const mbs_result *result, const char *array);
const double *models_row(const mbs_result *result, const char *array, size_t row);
/* Copies the coordinates and velocities of a row of uT, which has the order of the document, in the order of the model
 * [nq + nv]. */
void models_state(const mbs_result *result, const mbs_model *model, size_t row, double *out);
/* Returns the largest absolute difference of a row of an array in two results, divided by max(1, largest absolute
 * value). */
double models_difference(const mbs_result *one, const mbs_result *two, const char *array, size_t row);

/* Returns the first note of the report that contains `words`, or NULL. */
const char *models_note(const mbs_result *result, const char *words);

/* Returns the document with the `initial` of its bodies as in a row of `state` and without the `initial` of its
 * joints. */
char *models_with_state(const char *document, const mbs_result *state, size_t row);

/* Converts a planar document to a spatial one in the x-y plane, without sensors. Returns NULL if it has an element that
 * is not converted. */
char *models_in_space(const char *document);

/* Factors by which lengths, masses and times are multiplied. */
typedef struct models_scale {
  double length, mass, time;
} models_scale;

/* Returns the document of a mechanism whose lengths, masses and times are multiplied by `by`, without its sensors.
 * Returns NULL where scaling is not possible: expressions that depend on the state, elements whose defaults have units
 * (contacts, friction), and those with lists of numbers of different dimensions (bushings). */
char *models_scaled(const char *document, const models_scale *by);
char *models_scaled_analysis(const char *analysis, const models_scale *by);

/* ---- documents ----------------------------------------------------------------------------------------------- */

/* Returns n rods of 1 m and 1 kg hanging in a chain from the ground, each at `angle` from the downward vertical. */
char *models_chain(size_t n, double angle);
/* Like models_chain, in space: with hinges whose axes are perpendicular to the next one, or with ball joints. */
char *models_spatial_chain(size_t n, bool balls);
/* A chain of 3 with force elements whose numbers depend on the parameters k and l0. `which` below MODELS_FORCES adds
 * one element, in the order of their classes: even ones with constants, odd ones with expressions of time and state.
 * MODELS_ALL_FORCES adds all of them, and an element that reads others. */
enum { MODELS_FORCES = 8, MODELS_ALL_FORCES = MODELS_FORCES };
char *models_with_forces(const char *chain, bool spatial, int which);
/* Three parallel cranks; one is redundant while all have the same length: `a` is the length of all, `e` the excess
 * length of the third. */
extern const char models_parallel_cranks[];
/* The N-four-bar benchmark: N + 1 upright rods on the ground 1 m apart and N rods that join their tips, each of 1 m and
 * 1 kg. It starts upright; the tips move to the right at 1 m/s. */
char *models_four_bars(size_t n);

/* A scissor lift of n stages: two rods of 2 m and 1 kg each, crossed and joined in the middle, their ends joined to
 * those of the next stage. One end is on a pin of the ground. The other is constrained to its line `slides` times; one
 * of these constraints is independent. */
char *models_scissor_lift(size_t n, size_t slides);
/* A net of n x n meshes of rods of 1 m and 1 kg, joined at its knots. It hangs at rest from its upper corners; the
 * horizontal rods form a zigzag. */
char *models_net(size_t n);
/* The same in space, with ball joints. */
char *models_spatial_net(size_t n);

/* Sliding masses b0, b1 ... in a row that falls along its line with gravity g, each connected by a spring k0, k1 ...
 * and a damper c0, c1 ... to the previous one. `more` adds forces, each after a comma. */
char *models_row_of_masses(int count, const char *more);
/* Returns the "vary" of a study with all of its 2 count + 1 parameters. */
char *models_varied_of_masses(int count);

/* Theo Jansen's walking linkage with `legs` legs on one crank: 6 bodies per leg, one degree of freedom. */
char *models_strandbeest(size_t legs);

/* A cart with an arm of two rods and a motor, with inertias along all coordinates; `cut`: a third pin closes a loop. */
char *models_rotors(bool cut);
/* A chain in space with inertias along its coordinates: a hinge, a joint of the type (NULL: a floating body instead)
 * and a ball. */
char *models_spatial_rotors(const char *type);

/* A mechanism of `bodies` bodies at random places, connected by a random tree of joints and `loops` more constraints,
 * with springs, dampers and torques. Bodies have random order, joints random direction. Positions satisfy the
 * constraints; velocities do not. Equal seeds give equal mechanisms. */
char *models_random(uint64_t seed, size_t bodies, size_t loops);

/* Like models_random, in space. */
char *models_random_spatial(uint64_t seed, size_t bodies, size_t loops);

/* Returns a random number in [-1, 1) and updates the seed. */
double models_uniform(uint64_t *seed);

#endif
