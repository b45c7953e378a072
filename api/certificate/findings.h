/* findings.h - the findings for and against a result, in words and digits. Rules: docs/manual/certificate.md. */
#ifndef API_CERTIFICATE_FINDINGS_H
#define API_CERTIFICATE_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

enum { API_FINDINGS_MAX = 12, API_DIGITS_MOST = 12, API_DIGITS_LEAST = 2 };
/* A finding that determines no digits. */
#define API_NO_DIGITS 99

typedef struct api_finding {
  const char *check; /* "constraints" */
  bool examined;
  bool pointless; /* there is nothing to examine */
  bool against;   /* the finding contradicts the result */
  bool motion;    /* true if the digits refer to the motion; false: to reactions, or there are none */
  int digits;     /* API_NO_DIGITS: none */
  char text[700];
} api_finding;

typedef struct api_findings {
  api_finding items[API_FINDINGS_MAX];
  size_t count;
} api_findings;

/* Derives the findings from a job's report (null: none) and its error (null: none). */
void api_findings_make(const json_t *report, const json_t *error, api_findings *out);

#endif
