/* routes.c - see routes.h. */
#include "api/routes.h"

#include "api/http/web.h"
#include "api/resources/certificate.h"
#include "api/resources/check.h"
#include "api/resources/equations.h"
#include "api/resources/events.h"
#include "api/resources/examples.h"
#include "api/resources/export.h"
#include "api/resources/import.h"
#include "api/resources/job_filter.h"
#include "api/resources/jobs.h"
#include "api/resources/meta.h"
#include "api/resources/results.h"
#include "api/resources/results_files.h"
#include "api/resources/results_glb.h"
#include "api/resources/runs.h"
#include "api/resources/schemas.h"
#include "api/resources/usage.h"
#include "api/resources/validate.h"

static const api_route routes[] = {
    {"GET", "/", "embed", api_web_index, false},
    {"GET", "/healthz", NULL, api_health, false},
    {"GET", "/readyz", NULL, api_ready, false},
    {"GET", "/metrics", NULL, api_metrics, false},
    {"GET", "/api/v1", NULL, api_index, false},
    {"GET", "/api/v1/openapi.json", NULL, api_openapi, false},
    {"GET", "/api/v1/schemas/{name}", NULL, api_schema_file, false},
    {"GET", "/api/v1/usage", NULL, api_usage_get, false},
    {"GET", "/api/v1/examples", NULL, api_examples_list, false},
    {"GET", "/api/v1/examples/{name}", NULL, api_examples_get, false},
    {"POST", "/api/v1/validate", "scene", api_validate, false},
    {"POST", "/api/v1/check", NULL, api_check_post, false},
    {"POST", "/api/v1/equations", "format|only|mathml", api_equations_post, false},
    {"POST", "/api/v1/import", "format|main|partial|keyframe|floating", api_import_post, false},
    {"POST", "/api/v1/export/fmu", NULL, api_export_fmu_post, false},
    {"GET", "/api/v1/events", NULL, api_events_of_all, false},
    {"GET", "/api/v1/jobs", API_JOB_FILTER "|limit|cursor", api_jobs_list, true},
    {"POST", "/api/v1/jobs", NULL, api_jobs_post, false},
    {"GET", "/api/v1/jobs/{id}", NULL, api_jobs_get, false},
    {"PATCH", "/api/v1/jobs/{id}", NULL, api_jobs_patch, false},
    {"DELETE", "/api/v1/jobs/{id}", NULL, api_jobs_delete, false},
    {"POST", "/api/v1/jobs/{id}/cancel", NULL, api_jobs_cancel, false},
    {"GET", "/api/v1/jobs/{id}/events", NULL, api_events_of_job, false},
    {"GET", "/api/v1/jobs/{id}/model", NULL, api_jobs_model, true},
    {"GET", "/api/v1/jobs/{id}/model.fmu", "fmi", api_export_fmu_of_job, true},
    {"GET", "/api/v1/jobs/{id}/certificate", "format", api_certificate_get, true},
    {"GET", "/api/v1/jobs/{id}/equations", "format|only|mathml|t|sparse", api_equations_of_job, true},
    {"GET", "/api/v1/jobs/{id}/results", NULL, api_results_list, true},
    {"GET", "/api/v1/jobs/{id}/results.npz", NULL, api_results_npz, true},
    {"GET", "/api/v1/jobs/{id}/results.mat", NULL, api_results_mat, true},
    {"GET", "/api/v1/jobs/{id}/results.h5", NULL, api_results_h5, true},
    {"GET", "/api/v1/jobs/{id}/results.glb", "from|to|stride", api_results_glb, true},
    {"GET", "/api/v1/jobs/{id}/results.csv", "from|to|rows|stride|columns", api_results_csv, true},
    {"GET", "/api/v1/jobs/{id}/results.csv.zip", NULL, api_results_csv_zip, true},
    {"GET", "/api/v1/jobs/{id}/results/{name}", "format|from|to|rows|stride|columns", api_results_get, true},
    {"GET", "/api/v1/jobs/{id}/runs/{run}", NULL, api_runs_get, true},
    {"GET", "/api/v1/jobs/{id}/runs/{run}/model", NULL, api_runs_model, true},
};

const api_route *api_routes(size_t *count) {
  *count = sizeof routes / sizeof *routes;
  return routes;
}
