/* mbs - runs and checks models on the command line. */
#include "cli.h"

#include "mbs.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: mbs run MODEL.json [--analysis FILE] [--out DIR] [--npz]   run a model, print its report\n"
    "       mbs validate MODEL.json                                  say what is understood of a model\n"
    "       mbs report FILE                                          print a job or a report for people\n"
    "       mbs schema                                               print the JSON Schema of models\n"
    "       mbs --version | --help\n"
    "\n"
    "  --analysis FILE  a JSON object that counts instead of the model's own analysis\n"
    "  --out DIR        write the result arrays into DIR (made if need be), one CSV file each\n"
    "  --npz            ... or all in DIR/results.npz, for numpy.load()\n"
    "\n"
    "A file called - is the standard input. Mistakes of a document are printed one a line, each after its JSON\n"
    "pointer. Exit codes: 0 done, 1 wrong usage or an unreadable file, 2 the document has mistakes, 3 the run\n"
    "failed or the model cannot be assembled.\n";

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
  } commands[] = {{"run", cli_run}, {"validate", cli_validate}, {"report", cli_report}, {"schema", cli_schema}};

  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--version") == 0) {
    puts("mbs " MBS_VERSION);
    return CLI_DONE;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    fputs(usage, stdout);
    return CLI_DONE;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(commands[i].name, name) == 0) return commands[i].run(argc - 1, argv + 1);
  }
  fputs(usage, stderr);
  return CLI_USAGE;
}
