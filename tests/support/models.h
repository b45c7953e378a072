/* models.h - models for tests and benchmarks: documents read, built and run in one call, and parametric documents.
 *
 * Documents and analyses are JSON texts. What cannot be read, built or run ends the program with what the solver said,
 * except in the functions that return a status. Texts that are returned are the caller's to free. */
#ifndef TESTS_SUPPORT_MODELS_H
#define TESTS_SUPPORT_MODELS_H

#include "json.h"
#include "mbs.h"

/* Step through a list of many similar models. Sanitizers make runs ten times as long, so that build sees one model of
 * seven and the release build all. Seven has no factor in common with 2, 3 and 4, by which lists alternate. A property
 * test whose source has this name gets the label "release", by which ./test runs it in the release build, too. */
#ifdef MBS_SANITIZED
enum { MODELS_EVERY = 7 };
#else
enum { MODELS_EVERY = 1 };
#endif

/* ---- reading and running ------------------------------------------------------------------------------------- */

/* The text of a file; `path` from the top folder of the source, where tests run. */
char *models_file(const char *path);
/* The text of models/NAME.json. */
char *models_named(const char *name);
/* The same with the members of another object, which replace those that it has. */
char *models_named_with(const char *name, const char *added);
/* The text of tests/reference/models/NAME.json. */
char *models_of_tests(const char *name);

/* The text of a format of printf. */
char *models_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The members of two objects in one. */
char *models_merged(const char *one, const char *two);

/* `analysis` NULL: the one in the document. */
mbs_model *models_build(const char *document, const char *analysis);
/* NULL, and the mistakes in `list`, where the document has any. */
mbs_model *models_try_build(const char *document, const char *analysis, mbs_diagnostics *list);

/* The same with a study beside it. */
mbs_model *models_try_build_study(const char *document, const char *analysis, const char *study, mbs_diagnostics *list);

/* Builds and runs. */
mbs_result *models_run(const char *document, const char *analysis);
/* The same for runs that may fail; `*result` then holds what was computed. The document must be right. */
mbs_status models_try_run(const char *document, const char *analysis, mbs_result **result, mbs_error *error);

/* ---- results ------------------------------------------------------------------------------------------------- */

/* Reporting times reached. */
size_t models_rows(const mbs_result *result);
/* Numbers in a row of an array. */
size_t models_columns(const mbs_result *result, const char *array);
const double *models_row(const mbs_result *result, const char *array, size_t row);
/* Coordinates and velocities of a row of uT, which has them in the document's order, in that of the model [nq + nv]. */
void models_state(const mbs_result *result, const mbs_model *model, size_t row, double *out);
/* Largest absolute difference of two results' rows of an array, as a share of max(1, largest absolute value). */
double models_difference(const mbs_result *one, const mbs_result *two, const char *array, size_t row);

/* The first note of the report with these words; NULL: none. */
const char *models_note(const mbs_result *result, const char *words);

/* The document with its bodies' `initial` as in a row of `state` and without its joints' `initial`. */
char *models_with_state(const char *document, const mbs_result *state, size_t row);

/* A planar document as a spatial one, in the x-y plane, without sensors. NULL where a joint does not exist in space. */
char *models_in_space(const char *document);

/* How many of the old units the new ones are. */
typedef struct models_scale {
  double length, mass, time;
} models_scale;

/* The document of a mechanism so many times as long, heavy and slow, without its sensors. NULL where that cannot be
 * said: laws of the state, and elements whose defaults have units (contacts, friction). */
char *models_scaled(const char *document, const models_scale *by);
char *models_scaled_analysis(const char *analysis, const models_scale *by);

/* ---- documents ----------------------------------------------------------------------------------------------- */

/* n rods of 1 m and 1 kg hanging in a row from the ground, each at `angle` from the downward vertical. */
char *models_chain(size_t n, double angle);
/* The same in space: on hinges whose axes are at right angles one to the next, or on ball joints. */
char *models_spatial_chain(size_t n, bool balls);
/* A chain of 3 with force elements whose numbers follow from the parameters k and l0: the one of a number below
 * MODELS_FORCES, in the order of their classes, even ones with constants, odd ones with laws of time and state; or all
 * of them, and one that reads others. */
enum { MODELS_FORCES = 8, MODELS_ALL_FORCES = MODELS_FORCES };
char *models_with_forces(const char *chain, bool spatial, int which);
/* Three parallel cranks, of which one is redundant while they are as long as each other: `a` is the length of all, `e`
 * what the third one is longer by. */
extern const char models_parallel_cranks[];
/* The N-four-bar benchmark: N + 1 upright rods on the ground 1 m apart, N rods that join their tips; all of 1 m and
 * 1 kg. It starts upright, the tips moving to the right at 1 m/s. */
char *models_four_bars(size_t n);

/* A scissor lift of n stages: two rods of 2 m and 1 kg each, crossed and joined in the middle, their ends joined to
 * those of the next stage; one end on a pin of the ground, the other `slides` times on its line, which but once is
 * redundant. */
char *models_scissor_lift(size_t n, size_t slides);
/* A net of n x n meshes of rods of 1 m and 1 kg, joined at its knots, that hangs from its upper corners at rest; the
 * rods across stand in a zigzag. */
char *models_net(size_t n);

/* A row of sliding masses b0, b1 ... that falls along its line with gravity g, each held by a spring k0, k1 ... and a
 * damper c0, c1 ... to the one before; with more forces, each after a comma. */
char *models_row_of_masses(int count, const char *more);
/* A study's "vary" of all of its 2 count + 1 parameters. */
char *models_varied_of_masses(int count);

/* Theo Jansen's walking linkage with so many legs about one crank: 6 bodies a leg, one freedom. */
char *models_strandbeest(size_t legs);

/* A mechanism of `bodies` bodies at random places, held by a random tree of joints and `loops` more constraints, with
 * springs, dampers and torques. Bodies come in random order, joints in random direction; positions fit together, the
 * velocities do not. The same seed makes the same mechanism. */
char *models_random(uint64_t seed, size_t bodies, size_t loops);

/* The same in space. */
char *models_random_spatial(uint64_t seed, size_t bodies, size_t loops);

/* A number in [-1, 1) from a seed that moves on. */
double models_uniform(uint64_t *seed);

#endif
