/* The session of the module: one model and its mechanism, which the page moves. */
#include "session.h"
#include "answers.h"
#include "api/base/clock.h"
#include "api/base/values.h"
#include "api/documents/report_json.h"
#include "api/documents/scene_json.h"
#include "api/documents/validation.h"
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mbs_model *model;
static mbs_session *session, *sweep;
static double distance;

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Builds the model of the document with its analysis, whose method later integrates the motion. If the document has
 * no analysis, builds it for an assembly. */
static mbs_model *build(api_document *document, mbs_diagnostics *list) {
  if (document->analysis) return api_document_build(document, &module_limits, list);
  api_document assembly;
  api_document_assembly(document, &assembly);
  mbs_model *built = api_document_build(&assembly, &module_limits, list);
  api_document_free(&assembly);
  return built;
}

static void set_session(mbs_model *new_model, mbs_session *new_session) {
  mbs_session_free(sweep);
  mbs_session_free(session);
  mbs_model_free(model);
  sweep = NULL;
  model = new_model;
  session = new_session;
}

/* Returns the labels of redundant rows. */
static json_t *redundant_rows(const mbs_report *report) {
  json_t *labels = json_array();
  for (size_t r = 0; r < report->rows; r++)
    if (report->constraints[r].redundant) json_array_append_new(labels, api_json_text(report->constraints[r].label));
  return labels;
}

static void answer_opened(void) {
  json_t *answer = json_object();
  json_object_set_new(answer, "assembled", json_true());
  json_object_set_new(answer, "scene", api_scene_json(model));
  json_object_set_new(answer, "degrees_of_freedom", json_integer(mbs_session_freedoms(session)));
  json_object_set_new(answer, "velocity_freedoms", json_integer(mbs_session_report(session)->velocity_freedoms));
  json_object_set_new(answer, "mobility", json_integer(mbs_session_mobility(session)));
  json_object_set_new(answer, "redundant", redundant_rows(mbs_session_report(session)));
  answer_json(answer);
}

static void answer_not_assembled(const mbs_error *error) {
  json_t *answer = json_object();
  json_object_set_new(answer, "assembled", json_false());
  json_object_set_new(answer, "error", api_error_json(error));
  answer_json(answer);
}

int module_open(const char *text, size_t size, bool carry) {
  api_document document;
  if (!answer_begin(text, size, &document)) return answer_status();
  mbs_diagnostics list = {0};
  mbs_model *new_model = build(&document, &list);
  if (!new_model) answer_errors(&list, document.root);
  api_document_free(&document);
  if (!new_model) return answer_status();
  mbs_diagnostics_free(&list);
  mbs_error error;
  mbs_session *new_session = mbs_session_new(new_model, carry ? session : NULL, &error);
  if (new_session) {
    set_session(new_model, new_session);
    answer_opened();
  } else {
    mbs_model_free(new_model);
    answer_not_assembled(&error);
  }
  return answer_status();
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static bool succeeded(mbs_status status) {
  if (status == MBS_OK) return true;
  answer_json(api_error_json(mbs_session_error(session)));
  return false;
}

bool module_pull(size_t body, double x, double y, double z, double to_x, double to_y, double to_z) {
  const double point[3] = {x, y, z}, target[3] = {to_x, to_y, to_z};
  distance = NAN;
  return succeeded(mbs_session_drag(session, body, point, target, 0, &distance));
}

double module_distance(void) { return distance; }

/* Calls `change` with a name that is terminated by a zero. */
static bool with_name(mbs_status (*change)(mbs_session *, const char *, double), const char *text, size_t size,
                      double value) {
  char *name = strndup(text, size);
  if (!name) return succeeded(MBS_NO_MEMORY);
  bool success = succeeded(change(session, name, value));
  free(name);
  return success;
}

bool module_set(const char *text, size_t size, double value) { return with_name(mbs_session_set, text, size, value); }

bool module_drive(const char *text, size_t size, double value) {
  return with_name(mbs_session_drive, text, size, value);
}

/* Time for one step, so that a motion that needs tiny steps ends with an error [s]. */
static const double step_seconds = 2;

static bool within_time(void *deadline, double t, double fraction, uint64_t evaluations) {
  (void)t, (void)fraction, (void)evaluations;
  return api_now(NULL) < *(const double *)deadline;
}

bool module_step(double dt) {
  double deadline = api_now(NULL) + step_seconds;
  const mbs_hooks hooks = {.user = &deadline, .progress = within_time};
  return succeeded(mbs_session_step(session, dt, &hooks));
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool module_take_unit_motion(void) { return succeeded(mbs_session_take_unit_motion(session)); }

bool module_evaluate(void) { return succeeded(mbs_session_evaluate(session)); }

const double *module_poses(void) { return mbs_session_poses(session); }

double module_time(void) { return mbs_session_time(session); }

const double *module_points(int level) { return mbs_session_points(session, level); }

const double *module_centres(int level) { return mbs_session_centres(session, level); }

const double *module_mass_centre(void) { return mbs_session_mass_centre(session); }

const double *module_instant_centres(void) { return mbs_session_instant_centres(session); }

const double *module_reactions(void) { return mbs_session_reactions(session); }

const double *module_forces(void) { return mbs_session_forces(session); }

bool session_coordinates(size_t nq, double *q, size_t nv, double *v) {
  return session && mbs_session_coordinates(session, nq, q, nv, v);
}

/* ---- the sweep
 * ----------------------------------------------------------------------------------------------------- */

bool module_sweep_begin(double stride) {
  mbs_error error;
  mbs_session_free(sweep);
  sweep = mbs_session_new(model, session, &error);
  if (!sweep) {
    answer_json(api_error_json(&error));
    return false;
  }
  mbs_status status = mbs_session_sweep_begin(sweep, stride);
  if (status != MBS_OK) answer_json(api_error_json(mbs_session_error(sweep)));
  return status == MBS_OK;
}

int module_sweep_next(void) { return mbs_session_sweep_next(sweep); }

const double *module_sweep_points(void) { return mbs_session_points(sweep, 0); }

const double *module_sweep_centres(void) { return mbs_session_centres(sweep, 0); }
