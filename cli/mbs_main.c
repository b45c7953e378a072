/* mbs - runs and checks models on the command line. */
#include "cli.h"

#include "mbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: mbs run MODEL [--analysis FILE] [--out DIR] [--npz | --json]\n"
    "                                                            run a model, print its report\n"
    "       mbs study FILE [--out DIR] [--npz | --json] [--jobs N]\n"
    "                                                            many runs with other values of parameters\n"
    "       mbs verify CERTIFICATE [--model FILE] [--results FILE] [--run]\n"
    "                                                            say whether a certificate holds\n"
    "       mbs validate MODEL [--json]                          say what is understood of a model\n"
    "       mbs inspect MODEL [--analysis FILE] [--all] [--json] say how a model is evaluated, and what it costs\n"
    "       mbs equations MODEL [--format text|json|latex|mathml] show the equations of a model\n"
    "       mbs check MODEL CLAIM [--json]                       check equations of your own against them\n"
    "       mbs examples [NAME | --studies]                      list the examples, or print one\n"
    "       mbs report FILE                                      print a job or a report for people\n"
    "       mbs reference [NAME | --out DIR]                     print what documents may contain, as the manual has "
    "it\n"
    "       mbs schema                                           print the JSON Schema of models\n"
    "       mbs --version | --help, mbs COMMAND --help\n"
    "\n";

static const char run_help[] =
    "  --analysis FILE  a JSON object that counts instead of the model's own analysis\n"
    "  --out DIR        write the result arrays into DIR (made if need be), one CSV file each\n"
    "  --npz            ... or all in DIR/results.npz, for numpy.load()\n"
    "  --json           ... or one JSON file each, with labels and units, as the service gives them\n"
    "  --jobs N         make the runs of a study in N processes instead of one for each processor; the\n"
    "                   results are the same. Small studies, optimizations and fits are made in one process\n"
    "  --certificate FILE   have the result examined, and write what vouches for it: JSON, .html or .txt\n"
    "\n";

static const char verify_help[] = "  --model FILE     the document that it is of\n"
                                  "  --results FILE   its results, an .npz of mbs run --npz or of the service\n"
                                  "  --run            runs the model again and compares the bits\n"
                                  "\n";

static const char inspect_help[] =
    "  --analysis FILE  a JSON object that counts instead of the model's own analysis\n"
    "  --all            all of what is abbreviated otherwise: lists, and pictures of large matrices\n"
    "  --json           the same for programs, all of it\n"
    "\n";

static const char equations_help[] =
    "  --format F       text (the default), json, latex (a document) or mathml (a page)\n"
    "  --only B,C       these of B, Bdot_thetad, C, D, rhsV, rhsA, M, h\n"
    "  --t T            numbers at this time of a driven motion\n"
    "  --at FILE        numbers at a state, {\"t\", \"q\", \"v\"} by the labels of theta and theta_d; it is not "
    "corrected\n"
    "  --formulation F  joint or body instead of the model's own\n"
    "  --sparse         in JSON leave zero blocks out\n"
    "\n";

static const char footnote[] =
    "MODEL is a file, or the name of an example, as FourBar. A file called - is the standard input. Mistakes of a\n"
    "document are printed one a line, each after its JSON pointer. Exit codes: 0 done, 1 wrong usage or a file that\n"
    "cannot be read or written, 2 the document has mistakes, 3 the run failed or the model cannot be assembled.\n";

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
     " FILE [--analysis FILE] [--out DIR] [--npz | --json] [--jobs N]\n\nRuns a study: FILE has \"model\", "
     "\"analysis\" and "
     "\"study\", which says which parameters take\n"
     "which values and what is kept of each run. Writes the arrays parameters, outputs and status.",
     run_help},
    {"verify", cli_verify,
     " CERTIFICATE [--model FILE] [--analysis FILE] [--results FILE] [--run]\n\nSays whether a certificate, as JSON "
     "or as a page, is as it was made, and whether document and results are those that it is of.",
     verify_help},
    {"validate", cli_validate,
     " MODEL [--json]\n\nSays what is understood of a model: tree, cut joints, constraint rows, freedoms, and whether "
     "it "
     "can be\n"
     "assembled; or all its mistakes.",
     ""},
    {"inspect", cli_inspect,
     " MODEL [--analysis FILE] [--all] [--json]\n\nSays how a model is evaluated: tree, rows, patterns of C, M "
     "and S, "
     "order of evaluation, memory, and the\n"
     "processor time of each part at the start, in both formulations. For when something is slow or odd.",
     inspect_help},
    {"equations", cli_equations,
     " MODEL [--format F] [--only B,C] [--t T] [--at FILE] [--formulation F] [--sparse]\n\nShows the equations of a "
     "model as a teacher writes them, in blocks and symbols, with the numbers where it starts.",
     equations_help},
    {"check", cli_check,
     " MODEL CLAIM [--json]\n\nChecks equations of your own: CLAIM is a file {\"claim\": {\"B\": [[..]], ..}}, or the "
     "matrices alone. Says of each block whether\n"
     "it is right, and of a wrong one which slip it looks like. Exit code 3: not all is right.",
     "  --json           the answer of POST /api/v1/check\n\n"},
    {"report", cli_report,
     " FILE\n\nPrints a job, a list of jobs, a report or a problem document, as the service answers them, for people.",
     ""},
    {"examples", cli_examples,
     " [NAME | --studies]\n\nLists the models that are built in, or prints the document of an example: to begin with, "
     "as in\nmbs examples FourBar > mine.json.",
     "  --studies  lists the examples that are studies of a model: optimizations and a fit, for mbs study\n\n"},
    {"reference", cli_reference,
     " [NAME | --out DIR]\n\nLists what documents may contain, or tells of one joint, driver, force, function, shape "
     "or "
     "object, as\n"
     "mbs reference revolute, in Markdown.",
     "  --out DIR        write all pages into DIR, a folder that is there\n\n"},
    {"schema", cli_schema, "\n\nPrints the JSON Schema of models, as the service has it at /api/v1/schemas.", ""},
};

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
  fprintf(stderr, "%s%s%s", usage, run_help, footnote);
  return CLI_USAGE;
}

int main(int argc, char **argv) {
  int code = run_command(argc, argv);
  /* What was printed may still wait for a place; a full disk must not look like success. */
  bool lost = ferror(stdout) != 0;
  errno = 0;
  if (fclose(stdout) == 0 && !lost) return code;
  fprintf(stderr, "mbs: the standard output cannot be written%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
  return code == CLI_DONE ? CLI_USAGE : code;
}
