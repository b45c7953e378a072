/* mbs - runs and checks models on the command line. */
#include "api/base/name_list.h"
#include "cli.h"
#include "mbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: mbs run MODEL [--analysis FILE] [--out DIR] [--npz | --json]\n"
    "                                                            run a model, print its report\n"
    "       mbs study FILE [--out DIR] [--npz | --json] [--jobs N]\n"
    "                                                            run a model many times, with other parameters\n"
    "       mbs verify CERTIFICATE [--model FILE] [--results FILE] [--run]\n"
    "                                                            check a certificate\n"
    "       mbs validate MODEL [--json]                          check a model, print what it consists of\n"
    "       mbs inspect MODEL [--analysis FILE] [--all] [--json] show how a model is evaluated, and the time it takes\n"
    "       mbs equations MODEL [--format text|json|latex|mathml] show the equations of a model\n"
    "       mbs check MODEL CLAIM [--json]                       compare your own equations with those of a model\n"
    "       mbs examples [NAME | --studies]                      list the examples, or print one\n"
    "       mbs report FILE                                      print an answer of the service as text\n"
    "       mbs reference [NAME | --out DIR]                     print the reference of the manual\n"
    "       mbs schema                                           print the JSON Schema of models\n"
    "       mbs --version | --help, mbs COMMAND --help\n"
    "\n";

static const char run_help[] =
    "  --analysis FILE  use the analysis in FILE, a JSON object, instead of the model's own\n"
    "  --out DIR        write the result arrays into DIR, one CSV file each. DIR is made if need be. The files\n"
    "                   that an earlier mbs wrote there are removed first, and no others; where DIR has another\n"
    "                   file of the same name, nothing is written\n"
    "  --npz            write all arrays into one file, DIR/results.npz, for numpy.load()\n"
    "  --json           write one JSON file each instead, with labels and units, as the service gives them\n"
    "  --jobs N         make the runs of a study in N processes instead of one for each processor. The\n"
    "                   results are the same. Small studies, optimizations and fits use one process\n"
    "  --certificate FILE   examine the result, and write a certificate: JSON, .html or .txt\n"
    "\n";

static const char verify_help[] =
    "  --model FILE     compare with this document\n"
    "  --analysis FILE  the document was run with the analysis in FILE\n"
    "  --results FILE   compare with these results, an .npz of mbs run --npz or of the service\n"
    "  --run            run the model again and compare all bits; needs --model\n"
    "\n";

static const char inspect_help[] =
    "  --analysis FILE  use the analysis in FILE, a JSON object, instead of the model's own\n"
    "  --all            print long lists and pictures of large matrices in full\n"
    "  --json           print all of it as JSON\n"
    "\n";

static const char equations_help[] =
    "  --format F       text (the default), json, latex (a document) or mathml (a page)\n"
    "  --only B,C       only these of B, Bdot_thetad, C, D, Jac_p, rhsV, rhsA, M, h\n"
    "  --t T            give the numbers at this time [s] of a driven motion\n"
    "  --at FILE        give the numbers at a state, {\"t\", \"q\", \"v\"} by the labels of theta and theta_d; it is "
    "not "
    "corrected\n"
    "  --formulation F  joint or body, instead of the model's own\n"
    "  --sparse         in JSON leave zero blocks out\n"
    "\n";

static const char footnote[] =
    "MODEL is a file, or the name of an example, as FourBar. A file called - is the standard input. Mistakes of a\n"
    "document are printed one a line, as FILE:LINE:COLUMN: POINTER: MESSAGE; the JSON pointer names the value.\n"
    "\n"
    "Exit codes:\n"
    "   0  done\n"
    "   1  wrong usage, or a file or folder that cannot be read or written\n"
    "   2  the document has mistakes\n"
    "   3  the run failed, the model cannot be assembled, or what was to be checked is wrong\n";

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help, *options; /* what follows "usage: mbs NAME" */
} command;

static const command commands[] = {
    {"run", cli_run,
     " MODEL [--analysis FILE] [--out DIR] [--npz | --json] [--certificate FILE]\n\nRuns a model and prints its "
     "report.",
     run_help},
    {"study", cli_run,
     " FILE [--analysis FILE] [--out DIR] [--npz | --json] [--jobs N]\n\nRuns a study. FILE has \"model\", "
     "\"analysis\" and \"study\", which gives values to parameters and names the\n"
     "outputs of a run. Writes the arrays parameters, outputs and status.",
     run_help},
    {"verify", cli_verify,
     " CERTIFICATE [--model FILE] [--analysis FILE] [--results FILE] [--run]\n\nChecks that a certificate (JSON or "
     "page) was not changed, and that it belongs to the document and\nthe results that are given.",
     verify_help},
    {"validate", cli_validate,
     " MODEL [--json]\n\nPrints what a model consists of (tree, cut joints, constraint rows, degrees of freedom) and "
     "whether it\ncan be assembled; or all its mistakes.",
     "  --json           print the answer of POST /api/v1/validate\n\n"},
    {"inspect", cli_inspect,
     " MODEL [--analysis FILE] [--all] [--json]\n\nShows how a model is evaluated: tree, rows, patterns of C, M "
     "and S, order of evaluation, memory, and the\n"
     "processor time of each part at the start, in both formulations. Use it to find out why a run is slow.",
     inspect_help},
    {"equations", cli_equations,
     " MODEL [--format F] [--only B,C] [--t T] [--at FILE] [--formulation F] [--sparse]\n\nShows the equations of a "
     "model in blocks and symbols, with their numbers at the start.",
     equations_help},
    {"check", cli_check,
     " MODEL CLAIM [--json]\n\nCompares your own equations with those of a model. CLAIM is a file {\"claim\": {\"B\": "
     "[[..]], ..}}, or the\nmatrices alone. Prints for each block whether it is right, and for a wrong one the likely "
     "mistake.\nThe exit code is 3 if a block is wrong.",
     "  --json           print the answer of POST /api/v1/check\n\n"},
    {"report", cli_report,
     " FILE\n\nPrints an answer of the service as text: a job, a list of jobs, a report or a problem document.", ""},
    {"examples", cli_examples,
     " [NAME | --studies]\n\nLists the models that are built in, or prints one to start from, as in\n"
     "mbs examples FourBar > mine.json.",
     "  --studies        list the studies that are built in: optimizations and a fit, for mbs study\n\n"},
    {"reference", cli_reference,
     " [NAME | --out DIR]\n\nLists the pages of the reference, or prints the page of one joint, driver, force, "
     "function, shape or\nobject in Markdown, as mbs reference revolute.",
     "  --out DIR        write all pages into DIR. DIR is made if need be. The pages that an earlier mbs wrote\n"
     "                   there are removed first\n\n"},
    {"schema", cli_schema, "\n\nPrints the JSON Schema of models, as the service has it at /api/v1/schemas.", ""},
};

/* Says that there is no such command, and which one is near. */
static int complain(const char *name) {
  const char *known[sizeof commands / sizeof *commands];
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) known[i] = commands[i].name;
  char hint[256];
  fprintf(stderr, "mbs: there is no command '%s'; %s\nmbs --help tells what each command does.\n", name,
          api_name_hint(known, sizeof known / sizeof *known, name, hint, sizeof hint));
  return CLI_USAGE;
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}

static int run_command(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--version") == 0) {
    puts("mbs " MBS_VERSION);
    return CLI_DONE;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    printf("%s%s%s", usage, run_help, footnote);
    return CLI_DONE;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    const command *found = &commands[i];
    if (strcmp(found->name, name) != 0) continue;
    if (!asks_for_help(argc - 1, argv + 1)) return found->run(argc - 1, argv + 1);
    printf("usage: mbs %s%s\n\n%s%s", name, found->help, found->options, footnote);
    return CLI_DONE;
  }
  if (argc > 1) return complain(name);
  fprintf(stderr, "%s%s%s", usage, run_help, footnote);
  return CLI_USAGE;
}

int main(int argc, char **argv) {
  int code = run_command(argc, argv);
  /* What was printed may still wait for a place; a full disk must not look like success. */
  bool lost = ferror(stdout) != 0;
  if (lost) { /* one more byte meets the reason again, which is not known any more */
    clearerr(stdout);
    putchar('\n');
  }
  errno = 0;
  if (fclose(stdout) == 0 && !lost) return code;
  fprintf(stderr, "mbs: the standard output cannot be written%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
  return code == CLI_DONE ? CLI_USAGE : code;
}
