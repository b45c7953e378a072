/* verify.c - mbs verify: checks that a certificate is unchanged and belongs to the given files. */
#include "api/base/clock.h"
#include "api/base/values.h"
#include "api/certificate/certificate.h"
#include "api/certificate/page.h"
#include "api/documents/content.h"
#include "api/formats/file_names.h"
#include "api/jobs/job.h"
#include "certificate.h"
#include "cli.h"
#include "npz.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct verify_options {
  const char *certificate, *model, *analysis, *results;
  bool run;
} verify_options;

static bool read_options(int argc, char **argv, verify_options *options) {
  static const struct option known[] = {{"model", required_argument, NULL, 'm'},
                                        {"analysis", required_argument, NULL, 'a'},
                                        {"results", required_argument, NULL, 'r'},
                                        {"run", no_argument, NULL, 'x'},
                                        {0}};
  int option;
  while ((option = getopt_long(argc, argv, "m:a:r:x", known, NULL)) != -1) {
    if (option == 'm')
      options->model = optarg;
    else if (option == 'a')
      options->analysis = optarg;
    else if (option == 'r')
      options->results = optarg;
    else if (option == 'x')
      options->run = true;
    else
      return false;
  }
  if (options->run && !options->model) fputs("mbs: --run requires --model FILE, the document to run again\n", stderr);
  if (!cli_takes(argc, argv, "CERTIFICATE") || (options->run && !options->model)) return false;
  options->certificate = argv[optind];
  return true;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

typedef struct verification {
  json_t *certificate;
  const json_t *arrays;  /* arrays that the certificate lists */
  cli_npz_array *stored; /* stored arrays; NULL: not given */
  size_t stored_count;
  char **names; /* names of the arrays' files */
  bool holds;
} verification;

/* Prints one line of the result. */
static void tell(verification *self, bool right, const char *what, const char *how) {
  printf("%-13s %s%s\n", what, right ? "" : "NOT VERIFIED: ", how);
  self->holds = self->holds && right;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static size_t count_of(const json_t *entry) {
  size_t count = 1, i;
  json_t *size;
  json_array_foreach(json_object_get(entry, "shape"), i, size) count *= (size_t)json_number_value(size);
  return count;
}

/* Checks the certificate's own checksum; a page is also generated again from the certificate in it. */
static void verify_itself(verification *self, const char *text, size_t size, bool page) {
  tell(self, api_certificate_holds(self->certificate), "certificate",
       api_certificate_holds(self->certificate) ? "unchanged" : "its checksum does not match its content");
  if (!page) return;
  api_buffer again = {0};
  api_certificate_page(self->certificate, &again);
  bool same = !again.failed && again.size == size && memcmp(again.data, text, size) == 0;
  bool alike = strcmp(text_of(self->certificate, "version"), MBS_VERSION) == 0;
  api_buffer_free(&again);
  if (same || alike)
    tell(self, same, "page", same ? "matches the certificate in it" : "does not match the certificate in it");
  else
    printf("%-13s not compared: created by another version\n", "page");
}

static void verify_document(verification *self, const char *text, size_t size) {
  char sum[API_DIGEST_SIZE] = "";
  bool same = cli_document_sum(text, size, sum) &&
              strcmp(sum, text_of(json_object_get(self->certificate, "document"), "sha256")) == 0;
  tell(self, same, "document", same ? "matches the certificate" : "differs from the document of the certificate");
}

static const cli_npz_array *stored_array(const verification *self, size_t index) {
  for (size_t i = 0; self->names && i < self->stored_count; i++)
    if (strcmp(self->stored[i].name, self->names[index]) == 0) return &self->stored[i];
  return NULL;
}

static void verify_results(verification *self) {
  size_t i, wrong = 0;
  json_t *entry;
  api_results_digest digest;
  char how[400] = "";
  api_results_digest_begin(&digest);
  json_array_foreach(self->arrays, i, entry) {
    const cli_npz_array *array = stored_array(self, i);
    api_results_digest_array(&digest, text_of(entry, "name"), NULL, 0);
    if (array) api_results_digest_numbers(&digest, array->data, array->count);
    api_results_digest_array_end(&digest);
    bool same = array && array->count == count_of(entry) &&
                strcmp(text_of(json_array_get(digest.arrays, i), "sha256"), text_of(entry, "sha256")) == 0;
    if (!same && wrong++ == 0)
      snprintf(how, sizeof how, "%s '%.200s'", array ? "different numbers in" : "missing array",
               text_of(entry, "name"));
  }
  json_decref(api_results_digest_end(&digest));
  size_t length = strlen(how);
  if (wrong > 1) snprintf(how + length, sizeof how - length, " and %zu more", wrong - 1);
  tell(self, wrong == 0, "results", wrong ? how : "match the certificate, bit for bit");
}

/* ---- running again --------------------------------------------------------------------------------------------- */

typedef struct rerun {
  verification *verification;
  api_results_digest digest;
  double farthest; /* largest difference of the stored numbers, relative to the largest of their array */
  char array[256];
} rerun;

/* Measures the difference between stored and recomputed numbers. */
static void measure(rerun *self, const mbs_array *array, const cli_npz_array *stored) {
  size_t count = array->shape[0] * mbs_array_columns(array);
  double largest = 0, difference = 0;
  if (!stored || stored->count != count) return;
  for (size_t i = 0; i < count; i++) {
    largest = fmax(largest, fabs(array->data[i]));
    difference = fmax(difference, fabs(array->data[i] - stored->data[i]));
  }
  if (!(difference > self->farthest * largest)) return;
  self->farthest = largest > 0 ? difference / largest : INFINITY;
  snprintf(self->array, sizeof self->array, "%s", array->name);
}

static const char *keep(void *context, const mbs_array *array, const char *labels, const char *units) {
  (void)labels;
  (void)units;
  rerun *self = context;
  size_t index = json_array_size(self->digest.arrays);
  cli_digest_array(&self->digest, array);
  if (index < json_array_size(self->verification->arrays))
    measure(self, array, stored_array(self->verification, index));
  return NULL;
}

static void run_again(verification *self, const char *text, size_t size) {
  rerun again = {.verification = self};
  const job_hooks hooks = {.context = &again, .array = keep, .now = api_now};
  const mbs_limits limits = {0};
  char *plain = cli_certified(text, &size, false), how[500] = "identical, bit for bit";
  job_outcome outcome;
  api_results_digest_begin(&again.digest);
  api_job_run(plain ? plain : text, size, &limits, &hooks, &outcome);
  json_t *results = api_results_digest_end(&again.digest);
  bool same = strcmp(text_of(results, "sha256"), text_of(json_object_get(self->certificate, "results"), "sha256")) == 0;
  size_t i, others = 0;
  json_t *entry;
  json_array_foreach(self->arrays, i, entry) {
    const char *sum = text_of(json_array_get(json_object_get(results, "arrays"), i), "sha256");
    others += strcmp(sum, text_of(entry, "sha256")) != 0;
  }
  if (!same) snprintf(how, sizeof how, "different bits in %zu of %zu arrays", others, json_array_size(self->arrays));
  size_t length = strlen(how);
  if (!same && self->stored && *again.array)
    snprintf(how + length, sizeof how - length,
             "; the stored results differ by at most %.2g of their largest value, in '%.200s'", again.farthest,
             again.array);
  if (!same && strcmp(text_of(self->certificate, "version"), MBS_VERSION) != 0) {
    length = strlen(how);
    snprintf(how + length, sizeof how - length, "; created by version %s, this is " MBS_VERSION,
             text_of(self->certificate, "version"));
  }
  tell(self, same, "run again", how);
  json_decref(results);
  job_outcome_free(&outcome);
  free(plain);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* Lists the names of the arrays' files. */
static bool name_files(verification *self) {
  size_t count = json_array_size(self->arrays), i;
  const char **names = calloc(count + 1, sizeof *names);
  json_t *entry;
  json_array_foreach(self->arrays, i, entry) if (names) names[i] = text_of(entry, "name");
  self->names = names ? api_unique_names(&api_file_names, names, count) : NULL;
  free(names);
  return self->names != NULL;
}

static int verify(verification *self, const verify_options *options) {
  const char *document = NULL;
  size_t size = 0;
  int code = CLI_DONE;
  cli_files files = {0};
  json_t *root = NULL;
  if (options->model) document = cli_read_parsed(options->model, options->analysis, &files, &size, &root, &code);
  json_decref(root);
  if (options->model && !document) {
    cli_files_free(&files);
    return code;
  }
  code = CLI_DONE;
  if (options->results && !(self->stored = cli_npz_read(options->results, &self->stored_count))) code = CLI_USAGE;
  if (code == CLI_DONE && !name_files(self)) code = CLI_USAGE;
  if (code == CLI_DONE) {
    if (document) verify_document(self, document, size);
    if (self->stored) verify_results(self);
    if (options->run) run_again(self, document, size);
    if (self->holds)
      printf("\n%s\n", text_of(json_object_get(self->certificate, "verdict"), "text"));
    else
      printf("\nThe verdict of the certificate is not shown, because the certificate is not verified.\n");
    code = self->holds ? CLI_DONE : CLI_RUN_FAILED;
  }
  cli_files_free(&files);
  return code;
}

int cli_verify(int argc, char **argv) {
  verify_options options = {0};
  verification self = {.holds = true};
  size_t size;
  bool page;
  if (!read_options(argc, argv, &options)) return cli_say_usage(argv[0]);
  char *text = cli_read_file(options.certificate, &size);
  if (!text) return CLI_USAGE;
  self.certificate = api_certificate_read(text, size, &page);
  int code = CLI_USAGE;
  if (self.certificate) {
    self.arrays = json_object_get(json_object_get(self.certificate, "results"), "arrays");
    verify_itself(&self, text, size, page);
    code = verify(&self, &options);
  } else {
    fprintf(stderr, "mbs: %s is not a certificate (JSON or HTML page)\n", options.certificate);
  }
  api_unique_names_free(self.names, json_array_size(self.arrays));
  if (self.stored) cli_npz_free(self.stored, self.stored_count);
  json_decref(self.certificate);
  free(text);
  return code;
}
