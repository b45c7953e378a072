/* verdict.h - summarizes findings in one or two sentences. Rules: docs/manual/certificate.md. */
#ifndef API_CERTIFICATE_VERDICT_H
#define API_CERTIFICATE_VERDICT_H

#include "api/certificate/findings.h"

typedef struct api_verdict {
  const char *level;           /* "trusted", "partly_examined", "unexamined", "not_vouched" */
  int digits, reaction_digits; /* verified digits; API_NO_DIGITS: none are named */
  char text[1600];
} api_verdict;

void api_verdict_compute(const json_t *report, const api_findings *findings, api_verdict *out);

#endif
