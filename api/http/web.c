/* web.c - see web.h. */
#include "api/http/web.h"

#include "api/base/hash.h"
#include "api/http/problem.h"
#include "embedded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Everything comes from the service itself; styles may be set by scripts (charts size their parts so). */
static const char page_policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                                  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/* The worker that holds the solver, and it alone, compiles WebAssembly. */
static const char solver_policy[] = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

static const char *content_policy(const char *name) {
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

static bool respond_file(const api_call *call, api_response *response, const char *name) {
  for (size_t i = 0; i < embedded_web_count; i++) {
    const embedded_file *file = &embedded_web[i];
    if (strcmp(file->name, name) != 0) continue;
    char tag[24];
    snprintf(tag, sizeof tag, "%016" PRIx64, api_hash(API_HASH_START, file->data, file->size));
    if (!api_respond_unchanged(call->request, response, tag)) {
      api_respond_static(response, 200, content_type(name), file->data, file->size);
    }
    api_response_header(response, "Cache-Control", "no-cache");
    api_response_header(response, "Content-Security-Policy", "%s", content_policy(name));
    api_response_header(response, "Referrer-Policy", "no-referrer");
    return true;
  }
  return false;
}

void api_web_index(const api_call *call, api_response *response) {
  if (respond_file(call, response, "index.html")) return;
  api_problem(call, response, API_PROBLEM_NOT_FOUND,
              "The program was built without its web interface; /api/v1 lists the calls");
}

bool api_web_file(const api_call *call, api_response *response) {
  char name[256];
  size_t length = 0;
  for (size_t i = 0; i < call->target.segment_count; i++) {
    length += (size_t)snprintf(name + length, sizeof name - length, "%s%s", i ? "/" : "", call->target.segments[i]);
    if (length >= sizeof name) return false;
  }
  return length > 0 && respond_file(call, response, name);
}
