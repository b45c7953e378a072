/* routes.c - see routes.h. */
#include "routes.h"

#include "resources.h"

#include <string.h>

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
    {"POST", "/api/v1/validate", NULL, api_validate},
    {"GET", "/api/v1/jobs", "status|limit|cursor", api_jobs_list},
    {"POST", "/api/v1/jobs", NULL, api_jobs_post},
    {"GET", "/api/v1/jobs/{id}", NULL, api_jobs_get},
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
