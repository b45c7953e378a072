/* findings.h - what speaks for a result and against it, in words and digits. The rules: docs/manual/certificate.md. */
#ifndef API_CERTIFICATE_FINDINGS_H
#define API_CERTIFICATE_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

enum { API_FINDINGS_MAX = 12, API_DIGITS_MOST = 12, API_DIGITS_LEAST = 2 };
/* No digits follow from a finding. */
#define API_NO_DIGITS 99

typedef struct api_finding {
  const char *check; /* "constraints" */
  bool examined;
  bool pointless; /* there is nothing to examine */
  bool against;   /* it speaks against the result */
  bool motion;    /* its digits are those of the motion; false: of reactions, or none */
  int digits;     /* API_NO_DIGITS: none follow */
  char text[700];
} api_finding;

typedef struct api_findings {
  api_finding items[API_FINDINGS_MAX];
  size_t count;
} api_findings;

/* From a report, as a job has it (null: there is none), and its error (null: none). */
void api_findings_make(const json_t *report, const json_t *error, api_findings *out);

#endif
