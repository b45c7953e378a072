/* examples.c - mbs examples: lists and prints the built-in models and studies. */
#include "api/documents/examples.h"

#include "cli.h"

#include <getopt.h>
#include <string.h>

static int print_one(const char *name) {
  api_example example;
  if (api_example_find(name, &example)) {
    fwrite(example.text, 1, example.size, stdout);
    return CLI_DONE;
  }
  fprintf(stderr, "mbs: unknown example '%s'; ", name);
  if (api_example_nearest(name, &example)) fprintf(stderr, "did you mean '%s'? ", example.name);
  fputs("mbs examples lists all names\n", stderr);
  return CLI_USAGE;
}

/* Lists the examples from number `from` up to, but not including, `end`. */
static int list(size_t from, size_t end) {
  size_t width = 0;
  for (size_t i = from; i < end; i++) {
    size_t length = strlen(api_example_at(i).name);
    if (length > width) width = length;
  }
  for (size_t i = from; i < end; i++) {
    const api_example example = api_example_at(i);
    json_t *json = api_example_json(&example);
    const char *title = json_string_value(json_object_get(json, "title"));
    printf("%-*s  %s\n", (int)width, example.name, title ? title : "");
    json_decref(json);
  }
  return CLI_DONE;
}

int cli_examples(int argc, char **argv) {
  bool studies = false;
  static const struct option known[] = {{"studies", no_argument, NULL, 's'}, {0}};
  int option;
  while ((option = getopt_long(argc, argv, "", known, NULL)) == 's') studies = true;
  const bool good = option == -1 && cli_takes(argc, argv, "[NAME]");
  const int names = argc - optind;
  if (studies && names > 0) fputs("mbs: NAME and --studies cannot be combined: --studies prints a list\n", stderr);
  if (!good || (studies && names > 0)) return cli_say_usage(argv[0]);
  if (studies) return list(api_example_models(), api_example_count());
  return names == 0 ? list(0, api_example_models()) : print_one(argv[optind]);
}
