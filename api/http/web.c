/* web.c - see web.h. */
#include "api/http/web.h"

#include "api/base/hash.h"
#include "api/http/problem.h"
#include "embedded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Everything comes from the service itself; scripts may set styles (charts set their sizes). */
#define PAGE_POLICY                                                                                     \
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " \
  "base-uri 'none'; form-action 'none'; frame-ancestors "
static const char page_policy[] = PAGE_POLICY "'none'";
/* "/?embed", which shows a mechanism and runs nothing, may be embedded in any page. */
static const char part_policy[] = PAGE_POLICY "*";
/* Only the worker with the solver compiles WebAssembly. */
static const char solver_policy[] = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/* The manual contains pictures, styles and mechanisms ("/?embed"), but no scripts. */
static const char manual_policy[] = "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; "
                                    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static const char *page_content_policy(const char *name) {
  return strcmp(name, "solver-worker.js") == 0 ? solver_policy : page_policy;
}

static const char *content_type(const char *name) {
  static const struct {
    const char *extension, *type;
  } types[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".txt", "text/plain; charset=utf-8"},
      {".wasm", "application/wasm"},
  };
  const char *extension = strrchr(name, '.');
  for (size_t i = 0; extension && i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i].extension, extension) == 0) return types[i].type;
  }
  return "application/octet-stream";
}

static const embedded_file *find_file(const embedded_file *files, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(files[i].name, name) == 0) return &files[i];
  return NULL;
}

static void respond_file(const api_call *call, api_response *response, const embedded_file *file, const char *policy) {
  char tag[24];
  snprintf(tag, sizeof tag, "%016" PRIx64, api_hash(API_HASH_START, file->data, file->size));
  if (!api_respond_unchanged(call->request, response, tag)) {
    api_respond_static(response, 200, content_type(file->name), file->data, file->size);
  }
  api_response_header(response, "Cache-Control", "no-cache");
  api_response_header(response, "Content-Security-Policy", "%s", policy);
  api_response_header(response, "Referrer-Policy", "no-referrer");
}

static bool respond_web_file(const api_call *call, api_response *response, const char *name) {
  const embedded_file *file = find_file(embedded_web, embedded_web_count, name);
  if (file) respond_file(call, response, file, page_content_policy(name));
  return file != NULL;
}

void api_web_index(const api_call *call, api_response *response) {
  const embedded_file *file = find_file(embedded_web, embedded_web_count, "index.html");
  const char *policy = api_target_query(&call->target, "embed") ? part_policy : page_policy;
  if (file)
    respond_file(call, response, file, policy);
  else
    api_problem(call, response, API_PROBLEM_NOT_FOUND,
                "This program was built without the web page; GET /api/v1 lists all calls");
}

/* Redirects to the address where relative links of the manual's first page are correct. */
static void respond_manual_folder(const api_call *call, api_response *response) {
  static const char body[] = "See docs/\n";
  api_respond_static(response, 308, "text/plain; charset=utf-8", body, sizeof body - 1);
  api_response_header(response, "Location", "%s/docs/", call->prefix);
}

static void respond_manual(const api_call *call, api_response *response, const char *name) {
  const embedded_file *file = find_file(embedded_manual, embedded_manual_count, name);
  if (file)
    respond_file(call, response, file, manual_policy);
  else if (embedded_manual_count == 0)
    api_problem(
        call, response, API_PROBLEM_NOT_FOUND,
        "This program was built without the manual, because lowdown was missing; read docs/manual in the source code");
  else
    api_problem(call, response, API_PROBLEM_NOT_FOUND, "The manual has no page '%.60s'; /docs/ lists them", name);
}

bool api_web_file(const api_call *call, api_response *response) {
  const api_target *target = &call->target;
  char name[256] = "";
  size_t length = 0;
  for (size_t i = 0; i < target->segment_count; i++) {
    length += (size_t)snprintf(name + length, sizeof name - length, "%s%s", i ? "/" : "", target->segments[i]);
    if (length >= sizeof name) return false;
  }
  static const char manual[] = "docs/";
  if (strcmp(name, "docs") == 0)
    respond_manual_folder(call, response);
  else if (strcmp(name, manual) == 0)
    respond_manual(call, response, "index.html");
  else if (strncmp(name, manual, sizeof manual - 1) == 0)
    respond_manual(call, response, name + sizeof manual - 1);
  else
    return length > 0 && respond_web_file(call, response, name);
  return true;
}
