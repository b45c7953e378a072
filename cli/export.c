/* export.c - mbs export: writes a model for other programs. */
#include "cli.h"
#include "replace_file.h"

#include "api/exports/fmu.h"

#include <getopt.h>
#include <string.h>

typedef struct options {
  const char *model, *analysis, *fmu, *fmi, *outputs;
} options;

static bool read_options(int argc, char **argv, options *out) {
  static const struct option known[] = {{"analysis", required_argument, NULL, 'a'},
                                        {"fmu", required_argument, NULL, 'u'},
                                        {"fmi", required_argument, NULL, 'i'},
                                        {"outputs", required_argument, NULL, 'o'},
                                        {0}};
  for (int option; (option = getopt_long(argc, argv, "a:", known, NULL)) != -1;) {
    switch (option) {
    case 'a': out->analysis = optarg; break;
    case 'u': out->fmu = optarg; break;
    case 'i': out->fmi = optarg; break;
    case 'o': out->outputs = optarg; break;
    default: return false;
    }
  }
  if (!cli_takes(argc, argv, "MODEL")) return false;
  if (!out->fmu) fprintf(stderr, "mbs: --fmu FILE is missing\n");
  out->model = argv[optind];
  return out->fmu != NULL;
}

/* Returns the labels of a list "a,b". */
static json_t *split_labels(const char *text) {
  json_t *labels = json_array();
  while (text) {
    const char *comma = strchr(text, ',');
    json_array_append_new(labels, comma ? json_stringn(text, (size_t)(comma - text)) : json_string(text));
    text = comma ? comma + 1 : NULL;
  }
  return labels;
}

/* Adds the options of the export to the document. */
static json_t *request_of(json_t *root, const options *asked) {
  if (asked->fmi) json_object_set_new(root, "fmi", json_string(asked->fmi));
  if (asked->outputs) json_object_set_new(root, "outputs", split_labels(asked->outputs));
  return root;
}

static bool write_bytes(const void *context, FILE *file) {
  const api_buffer *bytes = context;
  return fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
}

static int write_fmu(const json_t *texts, const char *path) {
  api_buffer bytes = {0};
  int code = CLI_USAGE;
  if (!api_fmu_write(texts, &bytes))
    fprintf(stderr, "mbs: cannot write %s: out of memory\n", path);
  else if (cli_replace_file(path, write_bytes, &bytes))
    code = CLI_DONE;
  api_buffer_free(&bytes);
  return code;
}

int cli_export(int argc, char **argv) {
  options asked = {0};
  if (!read_options(argc, argv, &asked)) return cli_say_usage(argv[0]);
  cli_files files = {0};
  int code = CLI_USAGE;
  json_t *root = cli_read_json(asked.model, asked.analysis, &files, &code);
  if (root) {
    const mbs_limits limits = {0};
    mbs_diagnostics list = {0};
    json_t *texts = api_fmu_make(request_of(root, &asked), &limits, &list);
    code = CLI_WRONG_DOCUMENT;
    if (texts)
      code = write_fmu(texts, asked.fmu);
    else
      cli_print_diagnostics(&list, &files);
    json_decref(texts);
    mbs_diagnostics_free(&list);
  }
  cli_files_free(&files);
  return code;
}
