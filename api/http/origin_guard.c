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

/* The host of "host:port", without the brackets of an IPv6 address; false where it is none. */
static bool host_of(const char *authority, char host[NAME_SIZE]) {
  bool six = authority[0] == '[';
  size_t length = strcspn(authority + six, six ? "]" : ":");
  if (length == 0 || length >= NAME_SIZE || (six && authority[1 + length] != ']')) return false;
  memcpy(host, authority + six, length);
  host[length] = '\0';
  return true;
}

static bool is_loopback(const char *host) {
  struct in_addr four;
  struct in6_addr six;
  if (strcasecmp(host, "localhost") == 0 || strcasecmp(host, "localhost.") == 0) return true;
  if (inet_pton(AF_INET, host, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, host, &six) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

static bool is_listed(const char *host, const char *names) {
  api_field rest = {names, strlen(names)}, name;
  while (api_field_next(&rest, ",", &name)) {
    if (name.length == 1 && name.text[0] == '*') return true;
    if (name.length == strlen(host) && strncasecmp(name.text, host, name.length) == 0) return true;
  }
  return false;
}

bool api_origin_guard_knows_host(const api_call *call, api_response *response) {
  const char *names = call->service->host_names, *authority = api_request_header(call->request, "Host");
  /* Every browser sends a Host, and calls itself Mozilla; what a script of the user's own says is its affair. */
  const char *agent = api_request_header(call->request, "User-Agent");
  if (!names || !authority || !agent || strncmp(agent, "Mozilla/", 8) != 0) return true;
  char host[NAME_SIZE];
  if (host_of(authority, host) && (is_loopback(host) || is_listed(host, names))) return true;
  api_problem(
      call, response, API_PROBLEM_FOREIGN_HOST,
      "The service listens for this machine alone and does not know the host '%.100s'; mbsd --host-name tells it "
      "other names",
      authority);
  return false;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Whether an Origin, "http://host:port", is of the host that the request is for. */
static bool is_own_origin(const char *origin, const char *host) {
  static const struct { const char *scheme, *port; } schemes[] = {{"http://", ":80"}, {"https://", ":443"}};
  if (!host) return false;
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t prefix = strlen(schemes[i].scheme);
    if (strncasecmp(origin, schemes[i].scheme, prefix) != 0) continue;
    const char *page = origin + prefix;
    size_t length = strlen(page);
    if (strncasecmp(page, host, length) != 0) return false;
    return host[length] == '\0' || strcmp(host + length, schemes[i].port) == 0; /* which an Origin leaves out */
  }
  return false;
}

bool api_origin_guard_may_change(const api_call *call, api_response *response) {
  const char *site = api_request_header(call->request, "Sec-Fetch-Site");
  const char *origin = api_request_header(call->request, "Origin");
  bool own;
  if (site) /* the browser has compared them, which counts more where a proxy changes the host */
    own = strcasecmp(site, "same-origin") == 0 || strcasecmp(site, "none") == 0;
  else
    own = !origin || is_own_origin(origin, api_request_header(call->request, "Host"));
  if (!own) api_problem(call, response, API_PROBLEM_CROSS_SITE, "The request comes from a page of another site");
  return own;
}
