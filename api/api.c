/* api.c - api_handle(): finds the handler of a request. */
#include "api/api.h"

#include "api/base/name_list.h"
#include "api/http/access.h"
#include "api/http/encoding.h"
#include "api/http/origin_guard.h"
#include "api/http/problem.h"
#include "api/http/range.h"
#include "api/http/web.h"
#include "api/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* HEAD is handled as GET; the server sends no body. */
static const char *effective_method(const api_request *request) {
  return strcmp(request->method, "HEAD") == 0 ? "GET" : request->method;
}

static bool check_query(const api_call *call, const api_route *route, api_response *response) {
  api_name_list known;
  api_name_list_split(&known, route->parameters);
  for (size_t i = 0; i < call->target.parameter_count; i++) {
    const char *name = call->target.parameters[i].name;
    if (api_name_list_has(&known, name)) continue;
    char hint[256];
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "Unknown query parameter '%.60s'; %s", name,
                api_name_list_hint(&known, name, hint, sizeof hint));
    return false;
  }
  return true;
}

/* Returns true for "application/json" and "application/...+json", with or without parameters. */
static bool is_json(const char *type) {
  static const char application[] = "application/", suffix[] = "json";
  const size_t length = strcspn(type, "; \t"), least = sizeof application - 1 + sizeof suffix - 1;
  if (length < least || strncasecmp(type, application, sizeof application - 1) != 0) return false;
  const char *end = type + length - (sizeof suffix - 1);
  return strncasecmp(end, suffix, sizeof suffix - 1) == 0 && (length == least || end[-1] == '+');
}

/* Documents are JSON; sources of other programs have any type. Returns false after answering 415. */
static bool check_media_type(const api_call *call, const api_route *route, api_response *response) {
  const char *type = api_request_header(call->request, "Content-Type");
  if (!type || call->request->body_size == 0 || strcmp(route->method, "POST") != 0 || is_json(type) ||
      strcmp(route->path, "/api/v1/import") == 0)
    return true;
  api_problem(call, response, API_PROBLEM_MEDIA_TYPE,
              "The request body has the Content-Type '%.60s'; send JSON, as application/json (with curl: --json)",
              type);
  api_response_header(response, "Accept-Post", "application/json");
  return false;
}

/* Reads are permitted from every page: a browser does not show another site's page the response. */
static bool check_origin(const api_call *call, api_response *response) {
  return strcmp(effective_method(call->request), "GET") == 0 || api_origin_guard_may_change(call, response);
}

/* Answers a request that matches no route. */
static void respond_without_route(const api_call *call, const char *allow, api_response *response) {
  if (api_origin_guard_preflight(call, allow[0] ? allow : "GET, HEAD", response)) return;
  if (allow[0]) {
    api_problem(call, response, API_PROBLEM_METHOD_NOT_ALLOWED, "This path supports only the methods %s", allow);
    api_response_header(response, "Allow", "%s", allow);
  } else if (strcmp(effective_method(call->request), "GET") != 0 || !api_web_file(call, response)) {
    api_problem(call, response, API_PROBLEM_NOT_FOUND, "No resource has this path; GET /api/v1 lists all calls");
  }
}

/* Calls a route if the request has permission. The holder of a token is the client, whatever the address. */
static void call_route(api_call *call, const api_route *route, api_response *response) {
  if (!api_access_admits(call, route, response) || !check_origin(call, response)) return;
  if (!check_query(call, route, response) || !check_media_type(call, route, response)) return;
  const api_request *request = call->request;
  api_request named = *request;
  if (call->holder) named.client = call->holder->name;
  call->request = &named;
  if (route->beside && !request->beside)
    response->beside = true;
  else
    route->handle(call, response);
  call->request = request;
}

bool api_is_probe(const char *target) {
  static const char *const paths[] = {"/healthz", "/readyz", "/metrics"};
  size_t length = strcspn(target, "?");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (strlen(paths[i]) == length && strncmp(paths[i], target, length) == 0) return true;
  return false;
}

static void dispatch(api_call *call, api_response *response) {
  char allow[64] = "";
  size_t length = 0;
  const api_route *routes = call->routes;
  for (size_t i = 0; i < call->route_count; i++) {
    if (!api_route_matches(&routes[i], call) || (call->service->only_runs && !api_is_probe(routes[i].path))) continue;
    response->route = routes[i].path;
    if (strcmp(routes[i].method, effective_method(call->request)) == 0) {
      call_route(call, &routes[i], response);
      return;
    }
    bool reads = strcmp(routes[i].method, "GET") == 0;
    length += (size_t)snprintf(allow + length, sizeof allow - length, "%s%s", length ? ", " : "",
                               reads ? "GET, HEAD" : routes[i].method);
  }
  if (call->service->only_runs)
    api_problem(call, response, API_PROBLEM_NOT_FOUND,
                "This service only runs jobs (--workers-only): it serves only /healthz, /readyz and /metrics");
  else
    respond_without_route(call, allow, response);
}

void api_handle(const api_request *request, api_response *response) {
  *response = (api_response){0};
  api_call call = {.request = request, .service = request->service};
  call.routes = api_routes(&call.route_count);
  api_prefix(request, call.prefix);
  char why[160];
  if (!api_target_parse(request->target, &call.target, why)) {
    api_problem(&call, response, API_PROBLEM_BAD_REQUEST, "%s", why);
  } else if (request->service->limits.body_bytes > 0 && request->body_size > request->service->limits.body_bytes) {
    api_problem(&call, response, API_PROBLEM_BODY_TOO_LARGE,
                "The request body is larger than the limit of %zu bytes (--body)", request->service->limits.body_bytes);
  } else if (!api_encoding_reads(&call, response)) {
    /* answered */
  } else if (api_origin_guard_knows_host(&call, response)) {
    dispatch(&call, response);
  }
  if (!api_encoding_apply(&call, response)) api_range_apply(&call, response);
  api_target_free(&call.target);
  if (!api_response_find(response, "Cache-Control")) api_response_header(response, "Cache-Control", "no-store");
  api_response_header(response, "X-Content-Type-Options", "nosniff");
  api_origin_guard_share(&call, response);
}
