/* certificate.c - see certificate.h. */
#include "api/certificate/certificate.h"

#include "api/base/values.h"
#include "api/certificate/findings.h"
#include "api/certificate/page.h"
#include "api/certificate/verdict.h"
#include "mbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *digits_json(int digits) { return digits == API_NO_DIGITS ? json_null() : json_integer(digits); }

static json_t *findings_json(const api_findings *findings) {
  json_t *list = json_array();
  for (size_t i = 0; i < findings->count; i++) {
    const api_finding *finding = &findings->items[i];
    json_t *entry = json_object();
    json_object_set_new(entry, "check", json_string(finding->check));
    json_object_set_new(entry, "examined", json_boolean(finding->examined));
    json_object_set_new(entry, "against", json_boolean(finding->against));
    json_object_set_new(entry, "digits", digits_json(finding->digits));
    json_object_set_new(entry, "finding", api_json_text(finding->text));
    json_array_append_new(list, entry);
  }
  return list;
}

static json_t *verdict_json(const api_verdict *verdict) {
  json_t *object = json_object();
  json_object_set_new(object, "level", json_string(verdict->level));
  json_object_set_new(object, "digits", digits_json(verdict->digits));
  json_object_set_new(object, "reaction_digits", digits_json(verdict->reaction_digits));
  json_object_set_new(object, "text", api_json_text(verdict->text));
  return object;
}

/* Returns the members of a report from which findings are derived. */
static json_t *figures_json(const json_t *report) {
  static const char *const members[] = {
      "residuals",         "energy",   "accuracy",   "examination", "redundant", "not_unique", "degrees_of_freedom",
      "velocity_freedoms", "mobility", "non_finite", "evaluations", "steps",     "rejected",   "longest_step"};
  json_t *figures = json_object();
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    json_t *member = json_object_get(report, members[i]);
    if (member) json_object_set(figures, members[i], member);
  }
  return figures;
}

static json_t *said_of(const json_t *report, const char *key) {
  json_t *value = json_object_get(report, key);
  return value ? json_incref(value) : json_null();
}

bool api_certificate_sum(const json_t *certificate, char out[API_DIGEST_SIZE]) {
  json_t *copy = json_copy((json_t *)certificate);
  json_object_del(copy, "checksum");
  /* Printed as it will be read back: integers become reals. */
  char *text = api_json_string(copy);
  json_t *read = text ? json_loads(text, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
  free(text);
  text = read ? json_dumps(read, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
  json_decref(read);
  if (!text) return false;
  api_digest digest;
  api_digest_begin(&digest);
  api_digest_add(&digest, text, strlen(text));
  api_digest_end(&digest, out);
  free(text);
  return true;
}

json_t *api_certificate_make(const api_certified *from) {
  static const char *const said[] = {"model_name", "analysis", "formulation", "method"};
  api_findings findings;
  api_verdict verdict;
  char sum[API_DIGEST_SIZE];
  json_t *certificate = json_object();
  api_findings_make(from->report, from->error, &findings);
  api_verdict_compute(from->report, &findings, &verdict);
  json_object_set_new(certificate, "certificate", json_integer(1));
  json_object_set_new(certificate, "version",
                      json_is_object(from->report) ? said_of(from->report, "version") : json_string(MBS_VERSION));
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    json_object_set_new(certificate, said[i], said_of(from->report, said[i]));
  json_object_set_new(certificate, "job", api_json_text(from->job));
  json_object_set_new(certificate, "finished", api_json_time(from->finished));
  json_object_set_new(certificate, "verdict", verdict_json(&verdict));
  json_object_set_new(certificate, "checks", findings_json(&findings));
  json_object_set_new(certificate, "figures", figures_json(from->report));
  json_object_set_new(certificate, "document", json_pack("{s:s}", "sha256", from->document));
  json_object_set_new(certificate, "results", from->results);
  if (api_certificate_sum(certificate, sum) &&
      json_object_set_new(certificate, "checksum", json_sprintf("sha256-%s", sum)) == 0)
    return certificate;
  json_decref(certificate);
  return NULL;
}

bool api_certificate_holds(const json_t *certificate) {
  char sum[API_DIGEST_SIZE], said[API_DIGEST_SIZE + 8];
  const char *checksum = json_string_value(json_object_get(certificate, "checksum"));
  if (!checksum || !api_certificate_sum(certificate, sum)) return false;
  snprintf(said, sizeof said, "sha256-%s", sum);
  return strcmp(said, checksum) == 0;
}

json_t *api_certificate_read(const char *text, size_t size, bool *page) {
  size_t length = size;
  const char *json = api_certificate_in_page(text, size, &length);
  *page = json != NULL;
  json_t *read = json_loadb(json ? json : text, length, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, NULL);
  if (json_is_object(read) && json_object_get(read, "certificate")) return read;
  json_decref(read);
  return NULL;
}
