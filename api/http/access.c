/* access.c - see access.h. */
#include "api/http/access.h"

#include "api/http/problem.h"

#include <string.h>
#include <strings.h>

/* Paths without a token: those that browsers load by plain links and that contain only public content, and those for
 * monitoring. */
static const char *const open_paths[] = {"/", "/healthz", "/readyz", "/api/v1/openapi.json", "/api/v1/schemas/{name}"};

service_right api_access_right(const api_route *route) {
  if (strcmp(route->method, "GET") != 0) return SERVICE_RIGHT_RUN;
  for (size_t i = 0; i < sizeof open_paths / sizeof *open_paths; i++)
    if (strcmp(route->path, open_paths[i]) == 0) return SERVICE_RIGHT_NONE;
  return SERVICE_RIGHT_READ;
}

/* Returns the token of "Authorization: Bearer TOKEN"; NULL if there is none. */
static const char *bearer_token(const api_request *request) {
  static const char scheme[] = "Bearer ";
  const char *value = api_request_header(request, "Authorization");
  if (!value || strncasecmp(value, scheme, strlen(scheme)) != 0) return NULL;
  value += strlen(scheme);
  return value + strspn(value, " ");
}

static void ask_for_token(const api_call *call, api_response *response, bool came) {
  api_problem(
      call, response, API_PROBLEM_NO_TOKEN, "%s",
      came ? "The token is unknown or was revoked. Ask the operator of the service for a new one"
           : "This service requires a token in the header `Authorization: Bearer TOKEN`. Ask its operator for one");
  api_response_header(response, "WWW-Authenticate", "Bearer realm=\"mbsd\"%s", came ? ", error=\"invalid_token\"" : "");
}

static void refuse(const api_call *call, api_response *response, service_right needed) {
  api_problem(call, response, API_PROBLEM_MISSING_RIGHT, "%s needs the permission '%s'; the token of '%s' has '%s'",
              needed == SERVICE_RIGHT_ADMIN ? "Changing a job of another client" : "This call",
              service_right_name(needed), call->holder->name, service_right_name(call->holder->right));
  api_response_header(response, "WWW-Authenticate", "Bearer realm=\"mbsd\", error=\"insufficient_scope\", scope=\"%s\"",
                      service_right_name(needed));
}

const char *api_access_only_owner(const api_call *call) {
  return call->holder && call->holder->right == SERVICE_RIGHT_OWN ? call->holder->name : NULL;
}

/* Returns true if a client may use the job in the path: its own job, or it only reads and may read all, or the path
 * names none. Returns false after answering with an error. */
static bool may_use_job(const api_call *call, const api_route *route, api_response *response) {
  static const char one_job[] = "/api/v1/jobs/{id}";
  const bool reads = strcmp(route->method, "GET") == 0, only_own = api_access_only_owner(call) != NULL;
  if ((reads && !only_own) || strncmp(route->path, one_job, strlen(one_job)) != 0) return true;
  service_job job = {0};
  service_status status = call->service->job(call->service->context, call->arguments[0], &job);
  if (status == SERVICE_NOT_FOUND) return true; /* the handler will report it */
  bool own = strcmp(job.client, call->holder->name) == 0;
  service_job_free(&job);
  if (status != SERVICE_OK)
    api_problem_service(call, response, status, "job");
  else if (!own && only_own)
    api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no job '%.40s'", call->arguments[0]);
  else if (!own)
    refuse(call, response, SERVICE_RIGHT_ADMIN);
  return status == SERVICE_OK && own;
}

bool api_access_admits(api_call *call, const api_route *route, api_response *response) {
  service_right needed = api_access_right(route);
  if (needed == SERVICE_RIGHT_NONE || !call->service->holder) return true;
  const char *token = bearer_token(call->request);
  if (token) call->holder = call->service->holder(call->service->context, token, strlen(token));
  if (!call->holder) {
    ask_for_token(call, response, token != NULL);
    return false;
  }
  if (call->holder->right == SERVICE_RIGHT_ADMIN) return true;
  const bool only_own = call->holder->right == SERVICE_RIGHT_OWN && strcmp(route->path, "/metrics") != 0;
  if (only_own || call->holder->right >= needed) return may_use_job(call, route, response);
  refuse(call, response, needed);
  return false;
}
