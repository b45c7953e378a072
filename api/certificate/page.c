/* page.c - see page.h. */
#include "api/certificate/page.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LENGTH = 100 };

static const char data_begin[] = "<script type=\"application/json\" id=\"certificate\">";
static const char data_end[] = "</script>";

static const char style[] = ":root{color-scheme:light dark}"
                            "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}"
                            "h1{font-size:1.5rem;margin-bottom:.25rem}h2{font-size:1.1rem;margin-top:2rem}"
                            ".verdict{border:2px solid;border-radius:.5rem;padding:1rem;font-size:1.1rem}"
                            "table{border-collapse:collapse;width:100%}"
                            "th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-top:1px solid #8888}"
                            "td.n{white-space:nowrap}code{font-size:.8rem;overflow-wrap:anywhere}"
                            "@media print{body{font-size:11pt;margin:0;max-width:none}tr{break-inside:avoid}}"
                            "@media(max-width:30rem){th,td{padding:.3rem}}";

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* ---- texts of both pages -------------------------------------------------------------------------------------- */

/* Returns "7 digits", "not examined", ... */
static void write_judgement(const json_t *check, char out[32]) {
  const json_t *digits = json_object_get(check, "digits");
  if (!json_is_true(json_object_get(check, "examined")))
    snprintf(out, 32, "not examined");
  else if (json_is_number(digits))
    snprintf(out, 32, "%g digits%s", json_number_value(digits),
             json_is_true(json_object_get(check, "against")) ? ", failed" : "");
  else
    snprintf(out, 32, "%s", json_is_true(json_object_get(check, "against")) ? "failed" : "examined");
}

/* A fact about the certified result: name and value. */
typedef struct fact {
  const char *name;
  char value[300];
} fact;

enum { FACTS = 7 };

static void write_facts(const json_t *certificate, fact out[FACTS]) {
  static const char *const keys[FACTS][2] = {
      {"Model", "model_name"}, {"Analysis", "analysis"}, {"Method", "method"}, {"Formulation", "formulation"},
      {"Job", "job"},          {"Finished", "finished"}, {"Engine", "version"}};
  for (int i = 0; i < FACTS; i++) {
    out[i].name = keys[i][0];
    snprintf(out[i].value, sizeof out[i].value, "%s%s", i == FACTS - 1 ? "mbs " : "", text_of(certificate, keys[i][1]));
  }
}

static const char verify_hint[] = "To verify this certificate: mbs verify FILE --model MODEL.json --results "
                                  "RESULTS.npz. Add --run to run the model again.";

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Appends the words of `text` in lines that begin with `indent` blanks. */
static void add_wrapped(const char *text, int indent, api_buffer *out) {
  int column = LINE_LENGTH;
  while (*text) {
    size_t length = strcspn(text, " ");
    if (column + 1 + (int)length > LINE_LENGTH) {
      api_buffer_print(out, "%s%*s", out->size && out->data[out->size - 1] != '\n' ? "\n" : "", indent, "");
      column = indent;
    } else {
      api_buffer_text(out, " ");
      column++;
    }
    api_buffer_add(out, text, length);
    column += (int)length;
    text += length + strspn(text + length, " ");
  }
  api_buffer_text(out, "\n");
}

void api_certificate_text(const json_t *certificate, api_buffer *out) {
  fact facts[FACTS];
  size_t i;
  json_t *item;
  api_buffer_text(out, "Certificate of a result\n\n");
  write_facts(certificate, facts);
  for (int k = 0; k < FACTS; k++)
    if (*facts[k].value) api_buffer_print(out, "%-12s %s\n", facts[k].name, facts[k].value);
  api_buffer_text(out, "\n");
  add_wrapped(text_of(json_object_get(certificate, "verdict"), "text"), 0, out);
  json_array_foreach(json_object_get(certificate, "checks"), i, item) {
    char judgement[32];
    write_judgement(item, judgement);
    api_buffer_print(out, "\n%s: %s\n", text_of(item, "check"), judgement);
    add_wrapped(text_of(item, "finding"), 4, out);
  }
  const json_t *results = json_object_get(certificate, "results");
  api_buffer_print(out, "\nSHA-256 of the document  %s\n", text_of(json_object_get(certificate, "document"), "sha256"));
  api_buffer_print(out, "SHA-256 of the results   %s\n", text_of(results, "sha256"));
  api_buffer_print(out, "This certificate         %s\n\n", text_of(certificate, "checksum"));
  add_wrapped(verify_hint, 0, out);
}

/* ---- the page ------------------------------------------------------------------------------------------------- */

static void add_element(const char *before, const char *text, const char *after, api_buffer *out) {
  api_buffer_text(out, before);
  api_buffer_html(out, text);
  api_buffer_text(out, after);
}

/* Appends the certificate as JSON, escaped so that nothing in it can end its HTML element. */
static void add_data(const json_t *certificate, api_buffer *out) {
  char *text = json_dumps(certificate, JSON_COMPACT | JSON_SORT_KEYS);
  if (!text) {
    out->failed = true;
    return;
  }
  api_buffer_text(out, data_begin);
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, "<");
    api_buffer_add(out, at, length);
    at += length;
    if (*at) api_buffer_text(out, "\\u003c");
    at += *at != 0;
  }
  api_buffer_text(out, data_end);
  free(text);
}

static void add_facts(const json_t *certificate, api_buffer *out) {
  fact facts[FACTS];
  write_facts(certificate, facts);
  api_buffer_text(out, "<table><tbody>");
  for (int k = 0; k < FACTS; k++) {
    if (!*facts[k].value) continue;
    add_element("<tr><th scope=\"row\">", facts[k].name, "</th>", out);
    add_element("<td>", facts[k].value, "</td></tr>\n", out);
  }
  api_buffer_text(out, "</tbody></table>\n");
}

static void add_checks(const json_t *certificate, api_buffer *out) {
  size_t i;
  json_t *check;
  api_buffer_text(out, "<h2>Checks</h2>\n<table><thead><tr><th scope=\"col\">check</th>"
                       "<th scope=\"col\">outcome</th><th scope=\"col\">finding</th></tr></thead><tbody>\n");
  json_array_foreach(json_object_get(certificate, "checks"), i, check) {
    char judgement[32];
    write_judgement(check, judgement);
    add_element("<tr><th scope=\"row\">", text_of(check, "check"), "</th>", out);
    add_element("<td class=\"n\">", judgement, "</td>", out);
    add_element("<td>", text_of(check, "finding"), "</td></tr>\n", out);
  }
  api_buffer_text(out, "</tbody></table>\n");
}

static void add_sums(const json_t *certificate, api_buffer *out) {
  const json_t *results = json_object_get(certificate, "results");
  size_t i;
  json_t *array;
  api_buffer_text(out, "<h2>Checksums (SHA-256)</h2>\n<table><tbody>\n");
  add_element("<tr><th scope=\"row\">document</th><td><code>",
              text_of(json_object_get(certificate, "document"), "sha256"), "</code></td></tr>\n", out);
  add_element("<tr><th scope=\"row\">results</th><td><code>", text_of(results, "sha256"), "</code></td></tr>\n", out);
  json_array_foreach(json_object_get(results, "arrays"), i, array) {
    add_element("<tr><th scope=\"row\">", text_of(array, "name"), "</th>", out);
    add_element("<td><code>", text_of(array, "sha256"), "</code></td></tr>\n", out);
  }
  add_element("<tr><th scope=\"row\">this certificate</th><td><code>", text_of(certificate, "checksum"),
              "</code></td></tr>\n</tbody></table>\n", out);
}

/* Returns the certificate as it reads back from text, so that both give the same page. */
static json_t *normal(const json_t *certificate) {
  char *text = json_dumps(certificate, JSON_COMPACT);
  json_t *read = text ? json_loads(text, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
  free(text);
  return read;
}

void api_certificate_page(const json_t *made, api_buffer *out) {
  json_t *certificate = normal(made);
  if (!certificate) out->failed = true;
  const json_t *verdict = json_object_get(certificate, "verdict");
  api_buffer_text(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
  add_element("<title>Certificate: ", text_of(certificate, "model_name"), "</title>\n<style>", out);
  api_buffer_text(out, style);
  api_buffer_text(out, "</style></head>\n<body><main>\n<h1>Certificate of a result</h1>\n");
  add_facts(certificate, out);
  add_element("<h2>Verdict</h2>\n<p class=\"verdict\">", text_of(verdict, "text"), "</p>\n", out);
  add_checks(certificate, out);
  add_sums(certificate, out);
  add_element("<p>", verify_hint, "</p>\n</main>\n", out);
  if (certificate) add_data(certificate, out);
  api_buffer_text(out, "\n</body></html>\n");
  json_decref(certificate);
}

void api_certificate_policy(char out[256]) {
  struct sha256_ctx digest;
  uint8_t bytes[SHA256_DIGEST_SIZE];
  char encoded[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
  sha256_init(&digest);
  sha256_update(&digest, sizeof style - 1, (const uint8_t *)style);
  sha256_digest(&digest, sizeof bytes, bytes);
  base64_encode_raw(encoded, sizeof bytes, bytes);
  snprintf(out, 256,
           "default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
           encoded);
}

const char *api_certificate_in_page(const char *page, size_t size, size_t *length) {
  const char *begin = memmem(page, size, data_begin, sizeof data_begin - 1);
  if (!begin) return NULL;
  begin += sizeof data_begin - 1;
  const char *end = memmem(begin, size - (size_t)(begin - page), data_end, sizeof data_end - 1);
  if (!end) return NULL;
  *length = (size_t)(end - begin);
  return begin;
}
