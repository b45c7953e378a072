/* mbs/mbsd.h - runs models that are JSON documents, as the service and the program mbs do.
 *
 *     static bool go_on(void *user, double t, double fraction) { return !*(const bool *)user; }
 *
 *     mbsd_answer *answer = mbsd_run(text, strlen(text), &(mbsd_control){.progress = go_on, .user = &stop});
 *     const mbs_array *angle = mbsd_answer_array(answer, "theta");
 *     if (mbsd_answer_status(answer) != MBSD_SUCCEEDED) puts(mbsd_answer_error(answer));
 *     mbsd_answer_free(answer);
 *
 * A document is UTF-8 text: a model, or {"model": ..., "analysis": ..., "study": ...}. Numbers in texts have a point,
 * whatever the locale of the program. There are no global variables: several threads may call these functions at the
 * same time and may read one answer together. Each function that returns an answer returns NULL if memory runs out. */
#ifndef MBS_MBSD_H
#define MBS_MBSD_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"
#include "mbs/result.h"

typedef enum mbsd_status {
  MBSD_SUCCEEDED,
  MBSD_FAILED,    /* the error has the element and the time; rows up to the failure are in the arrays */
  MBSD_CANCELLED, /* `progress` returned false; rows up to then are in the arrays */
  MBSD_INVALID    /* the error lists all errors of the document or of the imported file; there are no arrays */
} mbsd_status;

/* The result of a call. */
typedef struct mbsd_answer mbsd_answer;

/* Returns how the call ended. */
MBS_API mbsd_status mbsd_answer_status(const mbsd_answer *answer);
/* Returns the JSON text of the answer: of a run or a study its report, with "notes"; "null" if there is none. */
MBS_API const char *mbsd_answer_json(const mbsd_answer *answer);
/* Returns the JSON text {"code", "detail", "t", "element", "pointer"}. An invalid document adds "errors": a list of
 * {"pointer", "detail", "code"}. A text that is not JSON has "line" and "column" instead. Returns "null" if the call
 * succeeded. */
MBS_API const char *mbsd_answer_error(const mbsd_answer *answer);
/* Returns the arrays in the service's order and sets their number. They exist as long as the answer. */
MBS_API const mbs_array *mbsd_answer_arrays(const mbsd_answer *answer, size_t *count);
/* Returns the array of that name, or NULL. */
MBS_API const mbs_array *mbsd_answer_array(const mbsd_answer *answer, const char *name);
/* Returns the bytes of an exported file and sets their number; NULL if there are none. They exist as long as the
 * answer. */
MBS_API const void *mbsd_answer_bytes(const mbsd_answer *answer, size_t *size);
/* Frees an answer; NULL is allowed. */
MBS_API void mbsd_answer_free(mbsd_answer *answer);

/* Functions and limits of the caller for one computation. NULL in place of it selects the defaults. */
typedef struct mbsd_control {
  /* Called by the thread of the call: at the start, and then about every 10 ms. `t`: time of the motion [s]; in a
   * study it is 0. `fraction`: finished part of the work, from 0 to 1. Returns false to cancel. May be NULL. */
  bool (*progress)(void *user, double t, double fraction);
  void *user;
  size_t threads; /* most threads that make runs of a study, with the same results; 0: one for each processor */
} mbsd_control;

/* Runs a document: its analysis, its study or its optimization. The arrays have the bits of `mbs run` and of the
 * service. */
MBS_API mbsd_answer *mbsd_run(const char *text, size_t size, const mbsd_control *control);

/* Checks a document without running it: the status is MBSD_SUCCEEDED, or MBSD_INVALID with all errors. */
MBS_API mbsd_answer *mbsd_check(const char *text, size_t size);

/* ---- a motion step by step ---- */

/* A motion that the host advances in steps, with inputs that it sets before each of them. One thread uses a simulation
 * at a time; several may use one each. A call that fails leaves the simulation as it was, and mbsd_simulation_error()
 * returns the reason. Its results are never NaN or infinite.
 *
 *     mbsd_simulation *motion = mbsd_simulation_new(text, strlen(text), &refusal);
 *     while (mbsd_simulation_set_inputs(motion, &u) && mbsd_simulation_step(motion, 0.01)) ... */
typedef struct mbsd_simulation mbsd_simulation;

/* An input, a parameter or an output. Texts exist as long as the simulation. */
typedef struct mbsd_variable {
  const char *name;  /* outputs: names of sensors, and labels as "pin.q" or "bob.x" */
  const char *unit;  /* "" without one, or if it is not known */
  const char *array; /* outputs: the array of results that has it as a column; sensors: their name; others: "" */
  double start;      /* inputs and parameters: the value at the start; outputs: 0 */
} mbsd_variable;

/* Starts the motion of a document: type and times of its analysis, its inputs over time, and a study have no effect.
 * Returns NULL if the document is invalid or cannot be assembled, with the reason in `*refusal`, which the caller
 * frees; it is NULL if memory runs out. */
MBS_API mbsd_simulation *mbsd_simulation_new(const char *text, size_t size, mbsd_answer **refusal);
/* Frees a simulation; NULL is allowed. */
MBS_API void mbsd_simulation_free(mbsd_simulation *simulation);
/* Return the inputs, parameters and outputs, and set their number. Outputs of one name are equal. */
MBS_API const mbsd_variable *mbsd_simulation_inputs(const mbsd_simulation *simulation, size_t *count);
MBS_API const mbsd_variable *mbsd_simulation_parameters(const mbsd_simulation *simulation, size_t *count);
MBS_API const mbsd_variable *mbsd_simulation_outputs(const mbsd_simulation *simulation, size_t *count);

/* Returns to the start, with changes of the document: {"parameters": {name: number}, "initial": {joint or body:
 * value}}. The members of the value replace those of `initial`; a number or a list is the position. NULL: none; changes
 * of an earlier call do not count. Inputs have their start values. The answer has no JSON; its status is
 * MBSD_SUCCEEDED, or MBSD_INVALID or MBSD_FAILED with the error. */
MBS_API mbsd_answer *mbsd_simulation_reset(mbsd_simulation *simulation, const char *changes);
/* Sets all inputs [number of inputs], which hold until the next call. Where drivers read inputs, the mechanism moves to
 * them when the next step begins. Returns false if a number is not finite. */
MBS_API bool mbsd_simulation_set_inputs(mbsd_simulation *simulation, const double *values);
/* Advances by `dt` [s], in as many steps of the integration as the tolerances require. Events happen as in a run.
 * Returns false if the motion cannot continue. */
MBS_API bool mbsd_simulation_step(mbsd_simulation *simulation, double dt);
/* Returns the time [s]. */
MBS_API double mbsd_simulation_time(const mbsd_simulation *simulation);
/* Reads the outputs of these indices at the present time. Returns false if one has no finite value. */
MBS_API bool mbsd_simulation_read(mbsd_simulation *simulation, const size_t *outputs, size_t count, double *values);
/* Sets the inputs of several simulations of one document, row by row (NULL: keeps them), steps each, and reads the
 * outputs of these indices into values [simulations x count]. Sets good[i] to false, and keeps the row of values, if
 * simulation i fails; it is then as before. */
MBS_API void mbsd_simulation_step_all(mbsd_simulation *const *simulations, size_t simulation_count,
                                      const double *inputs, double dt, const size_t *outputs, size_t count,
                                      double *values, bool *good);

/* Returns the size of a state in bytes. */
MBS_API size_t mbsd_simulation_state_size(const mbsd_simulation *simulation);
/* Copies the state, inputs included. */
MBS_API void mbsd_simulation_get_state(mbsd_simulation *simulation, void *state);
/* Returns to a state, after which the same inputs give the same bits. It may come from another simulation of the same
 * document with the same changes. Returns false if it does not. */
MBS_API bool mbsd_simulation_set_state(mbsd_simulation *simulation, const void *state, size_t size);
/* Returns the JSON text {"code", "detail", "t", "element", "pointer"} of the last call that failed, "null" if the last
 * one succeeded; valid until the next call. */
MBS_API const char *mbsd_simulation_error(mbsd_simulation *simulation);

/* Options of a conversion. With {0} the content of the source decides. Texts may be NULL. */
typedef struct mbsd_import_options {
  const char *format;    /* "dap", "adm", "robotran", "urdf", "mjcf", "sdf" */
  const char *main_file; /* path of the file to convert if the source has several */
  const char *keyframe;  /* name of the initial state (mjcf) */
  bool floating;         /* the root of a tree (urdf) is free instead of fixed to the ground */
  bool partial;          /* parts that cannot be converted are notes instead of errors */
} mbsd_import_options;

/* Converts a file, a folder or an archive of another program. The answer is {"format", "model", "notes", "summary"}.
 * Errors are in the form of the import's notes; "file", "line" and "column" locate an error of the whole source. */
MBS_API mbsd_answer *mbsd_import(const char *path, const mbsd_import_options *options);

/* Makes an FMU for co-simulation. The text is a document, which may have beside the model "fmi": "2.0" (the default) or
 * "3.0", and "outputs": labels of columns and names of sensors. The answer has the bytes of the file. */
MBS_API mbsd_answer *mbsd_export_fmu(const char *text, size_t size);

/* Returns the JSON Schema of documents as the answer's JSON. */
MBS_API mbsd_answer *mbsd_schema(void);

#endif
