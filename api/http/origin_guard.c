/* origin_guard.c - see origin_guard.h. */
#include "api/http/origin_guard.h"

#include "api/http/fields.h"
#include "api/http/problem.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAME_SIZE = 256 };

/* ---- the host ---------------------------------------------------------------------------------------------------- */

/* Extracts the host of "host:port", without the brackets of an IPv6 address and without a final dot. Returns false if
 * it is invalid. */
static bool host_of(const char *authority, char host[NAME_SIZE]) {
  bool six = authority[0] == '[';
  size_t length = strcspn(authority + six, six ? "]" : ":");
  if (length == 0 || length >= NAME_SIZE || strcspn(authority, " \t,/@?#\\\"<>") != strlen(authority) ||
      (six && authority[1 + length] != ']'))
    return false;
  const char *port = authority + length + (six ? 2 : 0);
  if (*port != '\0' && (*port != ':' || port[1 + strspn(port + 1, "0123456789")] != '\0')) return false;
  memcpy(host, authority + six, length);
  if (!six && length > 1 && host[length - 1] == '.') length--;
  host[length] = '\0';
  return true;
}

/* Returns true for an address. A page that was loaded from an address comes from the owner of that address; no other
 * site's name can be made to lead there. */
static bool is_address(const char *host) {
  unsigned char address[sizeof(struct in6_addr)];
  return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
}

/* Returns true if the list "a.example, b.example" contains a host. */
static bool is_listed(const char *host, const char *names) {
  api_field rest = {names, names ? strlen(names) : 0}, name;
  while (api_field_next(&rest, ",", &name))
    if (name.length == strlen(host) && strncasecmp(name.text, host, name.length) == 0) return true;
  return false;
}

bool api_origin_guard_knows_host(const api_call *call, api_response *response) {
  const char *names = call->service->host_names, *authority = api_request_header(call->request, "Host");
  /* Every browser sends Host; a request without it is HTTP/1.0, or was rejected before. */
  if (!authority) return true;
  char host[NAME_SIZE];
  if (!host_of(authority, host)) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The header Host is '%.100s'; expected HOST or HOST:PORT",
                authority);
    return false;
  }
  if (is_address(host) || strcasecmp(host, "localhost") == 0 || is_listed(host, names) || is_listed("*", names))
    return true;
  api_problem(call, response, API_PROBLEM_FOREIGN_HOST,
              "The host name '%.100s' is not one of this service. If it is correct, start the service with mbsd "
              "--host-name=%.100s",
              host, host);
  return false;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Returns true if the host of an Origin, without its scheme, is that of the request. `port` is the default port of the
 * scheme, which an Origin omits. */
static bool is_host(const char *page, const char *host, const char *port) {
  size_t length = strlen(page);
  if (!host || strncasecmp(page, host, length) != 0) return false;
  return host[length] == '\0' || strcmp(host + length, port) == 0;
}

/* Returns true if an Origin, "http://host:port", is the host of the request or, because a proxy may have changed that,
 * one of the service's own names. */
static bool is_own_origin(const char *origin, const char *host, const char *names) {
  static const struct { const char *scheme, *port; } schemes[] = {{"http://", ":80"}, {"https://", ":443"}};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t prefix = strlen(schemes[i].scheme);
    if (strncasecmp(origin, schemes[i].scheme, prefix) != 0) continue;
    const char *page = origin + prefix;
    return is_host(page, host, schemes[i].port) || is_listed(page, names);
  }
  return false;
}

/* Headers of responses that pages of listed origins may read. */
static const char shared_headers[] =
    "Accept-Ranges, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Location, Preference-Applied, "
    "Retry-After, traceparent, X-Request-Id";
/* Headers that such pages may send. */
static const char accepted_headers[] =
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Range, "
    "traceparent, tracestate, X-Request-Id";
enum { PREFLIGHT_SECONDS = 600 };

bool api_origin_guard_is_listed(const api_call *call) {
  const char *origin = api_request_header(call->request, "Origin");
  return origin && is_listed(origin, call->service->page_origins);
}

void api_origin_guard_share(const api_call *call, api_response *response) {
  const char *origins = call->service->page_origins;
  if (!origins || !origins[0]) return;
  api_response_header(response, "Vary", "Origin");
  if (!api_origin_guard_is_listed(call)) return;
  api_response_header(response, "Access-Control-Allow-Origin", "%s", api_request_header(call->request, "Origin"));
  api_response_header(response, "Access-Control-Expose-Headers", "%s", shared_headers);
}

bool api_origin_guard_preflight(const api_call *call, const char *methods, api_response *response) {
  if (strcmp(call->request->method, "OPTIONS") != 0 || !api_origin_guard_is_listed(call) ||
      !api_request_header(call->request, "Access-Control-Request-Method"))
    return false;
  api_respond_empty(response, 204);
  api_response_header(response, "Access-Control-Allow-Methods", "%s", methods);
  api_response_header(response, "Access-Control-Allow-Headers", "%s", accepted_headers);
  api_response_header(response, "Access-Control-Max-Age", "%d", PREFLIGHT_SECONDS);
  return true;
}

bool api_origin_guard_may_change(const api_call *call, api_response *response) {
  const char *site = api_request_header(call->request, "Sec-Fetch-Site");
  const char *origin = api_request_header(call->request, "Origin");
  bool own;
  if (api_origin_guard_is_listed(call)) return true;
  if (site) /* the browser compared them, which is more reliable if a proxy changes the host */
    own = strcasecmp(site, "same-origin") == 0 || strcasecmp(site, "none") == 0;
  else
    own = !origin || is_own_origin(origin, api_request_header(call->request, "Host"), call->service->host_names);
  if (!own)
    api_problem(call, response, API_PROBLEM_CROSS_SITE,
                "The request comes from a web page of another origin; such pages may not change anything");
  return own;
}
