/* routes.c - see routes.h. */
#include "api/routes.h"

#include "api/http/web.h"
#include "api/resources/examples.h"
#include "api/resources/jobs.h"
#include "api/resources/meta.h"
#include "api/resources/results.h"
#include "api/resources/results_npz.h"
#include "api/resources/schemas.h"
#include "api/resources/validate.h"

static const api_route routes[] = {
    {"GET", "/", NULL, API_WORK_READ, api_web_index},
    {"GET", "/healthz", NULL, API_WORK_READ, api_health},
    {"GET", "/readyz", NULL, API_WORK_READ, api_ready},
    {"GET", "/metrics", NULL, API_WORK_READ, api_metrics},
    {"GET", "/api/v1", NULL, API_WORK_READ, api_index},
    {"GET", "/api/v1/openapi.json", NULL, API_WORK_READ, api_openapi},
    {"GET", "/api/v1/schemas/{name}", NULL, API_WORK_READ, api_schema_file},
    {"GET", "/api/v1/examples", NULL, API_WORK_READ, api_examples_list},
    {"GET", "/api/v1/examples/{name}", NULL, API_WORK_READ, api_examples_get},
    {"POST", "/api/v1/validate", "scene", API_WORK_COMPUTE, api_validate},
    {"GET", "/api/v1/jobs", "status|limit|cursor", API_WORK_READ, api_jobs_list},
    {"POST", "/api/v1/jobs", NULL, API_WORK_SUBMIT, api_jobs_post},
    {"GET", "/api/v1/jobs/{id}", NULL, API_WORK_READ, api_jobs_get},
    {"DELETE", "/api/v1/jobs/{id}", NULL, API_WORK_CHANGE, api_jobs_delete},
    {"POST", "/api/v1/jobs/{id}/cancel", NULL, API_WORK_CHANGE, api_jobs_cancel},
    {"GET", "/api/v1/jobs/{id}/model", NULL, API_WORK_READ, api_jobs_model},
    {"GET", "/api/v1/jobs/{id}/results", NULL, API_WORK_READ, api_results_list},
    {"GET", "/api/v1/jobs/{id}/results.npz", NULL, API_WORK_READ, api_results_npz},
    {"GET", "/api/v1/jobs/{id}/results/{name}", "format|from|to|stride|columns", API_WORK_READ, api_results_get},
};

const api_route *api_routes(size_t *count) {
  *count = sizeof routes / sizeof *routes;
  return routes;
}
