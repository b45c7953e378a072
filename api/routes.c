/* routes.c - see routes.h. */
#include "routes.h"

#include "resources.h"

#include <string.h>

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
    {"POST", "/api/v1/validate", NULL, API_WORK_COMPUTE, api_validate},
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

bool api_route_matches(const api_route *route, api_call *call) {
  const char *pattern = route->path[1] ? route->path : "";
  size_t segment = 0, argument = 0;
  for (; *pattern; segment++) {
    pattern++;
    size_t length = strcspn(pattern, "/");
    if (segment == call->target.segment_count) return false;
    const char *text = call->target.segments[segment];
    if (pattern[0] == '{') {
      if (text[0] == '\0') return false;
      call->arguments[argument++] = text;
    } else if (strlen(text) != length || strncmp(text, pattern, length) != 0) {
      return false;
    }
    pattern += length;
  }
  return segment == call->target.segment_count;
}
