/* routes.c - see routes.h. */
#include "api/routes.h"

#include "api/http/web.h"
#include "api/resources/examples.h"
#include "api/resources/job_filter.h"
#include "api/resources/jobs.h"
#include "api/resources/meta.h"
#include "api/resources/results.h"
#include "api/resources/results_npz.h"
#include "api/resources/schemas.h"
#include "api/resources/validate.h"

static const api_route routes[] = {
    {"GET", "/", NULL, api_web_index},
    {"GET", "/healthz", NULL, api_health},
    {"GET", "/readyz", NULL, api_ready},
    {"GET", "/metrics", NULL, api_metrics},
    {"GET", "/api/v1", NULL, api_index},
    {"GET", "/api/v1/openapi.json", NULL, api_openapi},
    {"GET", "/api/v1/schemas/{name}", NULL, api_schema_file},
    {"GET", "/api/v1/examples", NULL, api_examples_list},
    {"GET", "/api/v1/examples/{name}", NULL, api_examples_get},
    {"POST", "/api/v1/validate", "scene", api_validate},
    {"GET", "/api/v1/jobs", API_JOB_FILTER "|limit|cursor", api_jobs_list},
    {"POST", "/api/v1/jobs", NULL, api_jobs_post},
    {"GET", "/api/v1/jobs/{id}", NULL, api_jobs_get},
    {"PATCH", "/api/v1/jobs/{id}", NULL, api_jobs_patch},
    {"DELETE", "/api/v1/jobs/{id}", NULL, api_jobs_delete},
    {"POST", "/api/v1/jobs/{id}/cancel", NULL, api_jobs_cancel},
    {"GET", "/api/v1/jobs/{id}/model", NULL, api_jobs_model},
    {"GET", "/api/v1/jobs/{id}/results", NULL, api_results_list},
    {"GET", "/api/v1/jobs/{id}/results.npz", NULL, api_results_npz},
    {"GET", "/api/v1/jobs/{id}/results/{name}", "format|from|to|stride|columns", api_results_get},
};

const api_route *api_routes(size_t *count) {
  *count = sizeof routes / sizeof *routes;
  return routes;
}
