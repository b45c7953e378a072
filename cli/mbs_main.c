/* mbs - runs and checks models on the command line. */
#include "api/base/name_list.h"
#include "cli.h"
#include "mbs.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char run_help[] =
    "  --analysis FILE  use the analysis in FILE (a JSON object) instead of that of the model\n"
    "  --out DIR        write the result arrays into DIR, one CSV file per array. DIR is created if necessary.\n"
    "                   Files of an earlier run of mbs are removed first. If another file in DIR has the name of\n"
    "                   a result file, nothing is written\n"
    "  --npz            write all arrays into one file, DIR/results.npz, for numpy.load()\n"
    "  --json           write one JSON file per array, with labels and units, as the service returns it\n"
    "  --csv FILE       write time, coordinates, their rates and sensors of a single run into one CSV file\n"
    "  --columns LIST   write time and these columns of any arrays into that file instead: labels, such as\n"
    "                   pin.q,bob.x\n"
    "  --glb FILE       write the mechanism and its motion in a single run as a binary glTF file, for Blender\n"
    "                   and other viewers\n"
    "  --jobs N         use N processes for the runs of a study (default: one per processor). The results do\n"
    "                   not depend on N. Small studies, optimizations and fits use one process\n"
    "  --certificate FILE   examine the result and write a certificate: JSON, .html or .txt\n"
    "\n"
    "-a, -o, -n, -j and -c are short for --analysis, --out, --npz, --json and --certificate.\n"
    "\n";

static const char verify_help[] =
    "  --model FILE     compare with this document\n"
    "  --analysis FILE  the analysis that was given with --analysis when the model was run\n"
    "  --results FILE   compare with these results: an .npz file of mbs run --npz or of the service\n"
    "  --run            run the model again and compare the results bit for bit; requires --model\n"
    "\n";

static const char import_help[] =
    "  --format F       dap, adm, robotran, urdf, mjcf or sdf (default: found from the files)\n"
    "  -o FILE          write the document into FILE, which is replaced as a whole (default: standard output)\n"
    "  --strict         fail with exit code 2 if the document does not contain a part of the model (notes `dropped`)\n"
    "  --partial        leave out what cannot be converted, instead of failing with all such places\n"
    "  --main PATH      the file to convert, if a folder or archive has several\n"
    "  --keyframe NAME  mjcf: start at this key frame\n"
    "  --floating       urdf: let the root link move freely instead of fixing it to the ground\n"
    "  --report         print the response of POST /api/v1/import instead of the document alone\n"
    "\n"
    "Notes are printed on standard error, one per line, as FILE:LINE: LEVEL: TEXT. LEVEL is `mapped`\n"
    "(expressed by other elements with the same motion), `changed` (the meaning is the same, but a name or a number\n"
    "is another) or `dropped` (the model does not contain it).\n"
    "\n";

static const char plot_help[] =
    "  -o FILE          the picture: .svg, .png or .pdf\n"
    "  --columns LIST   labels of columns of any arrays, such as pin.q,bob.x (default: coordinates, rates and "
    "sensors)\n"
    "  --against LABEL  column on the horizontal axis (default: time)\n"
    "  --analysis FILE  use the analysis in FILE (a JSON object) instead of that of the model\n"
    "  --size WxH       size in pixels (default: 800x600, or higher)\n"
    "  --script         print the gnuplot script instead of running it\n"
    "\n";

static const char animate_help[] =
    "  -o FILE          the animation: .gif, .mp4 or .webm\n"
    "  --size WxH       size in pixels (default: 800x600)\n"
    "  --fps N          frames per second (default: 25)\n"
    "  --speed S        seconds of the motion in one second (default: 1)\n"
    "  --analysis FILE  use the analysis in FILE (a JSON object) instead of that of the model\n"
    "  --model FILE     model of the RESULTS, for its shapes and joints; without it the bodies are lines between "
    "points\n"
    "  --script         print the gnuplot script instead of running it\n"
    "\n";

static const char export_help[] =
    "  --fmu FILE       write an FMU for co-simulation into FILE, which is replaced as a whole\n"
    "  --fmi VERSION    of FMI 2.0 (the default) or 3.0\n"
    "  --outputs A,B    the FMU's outputs: names of sensors and labels of columns, such as pin.q (default: sensors,\n"
    "                   and positions and velocities of bodies and joints)\n"
    "  --analysis FILE  use the analysis in FILE (a JSON object) instead of that of the model\n"
    "\n";

static const char inspect_help[] =
    "  --analysis FILE  use the analysis in FILE (a JSON object) instead of that of the model\n"
    "  --all            print long lists and pictures of large matrices in full\n"
    "  --json           print everything as JSON\n"
    "\n";

static const char equations_help[] =
    "  --format F       text (the default), json, latex (a document) or mathml (a page)\n"
    "  --only B,C       print only these matrices, out of B, Bdot_thetad, C, D, Jac_p, rhsV, rhsA, M, h\n"
    "  --t T            use the state of a driven motion at the time T [s]\n"
    "  --at FILE        use the state {\"t\", \"q\", \"v\"} in FILE, with the labels of theta and theta_d; it is not\n"
    "                   corrected\n"
    "  --formulation F  use joint or body coordinates instead of those of the model\n"
    "  --sparse         omit zero blocks in JSON\n"
    "\n";

static const char model_note[] =
    "MODEL is a file or the name of an example, such as FourBar. The file name - means standard input. Errors of a\n"
    "document are printed one per line, as FILE:LINE:COLUMN: POINTER: MESSAGE [CODE], with the JSON pointer of the\n"
    "value and the code of the error.\n"
    "\n";

static const char exit_codes[] = "Exit codes:\n"
                                 "   0  success\n"
                                 "   1  wrong usage, or a file or folder cannot be read or written\n"
                                 "   2  the document is invalid\n"
                                 "   3  the run failed, the model cannot be assembled, or a check failed\n";

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *arguments, *summary, *help, *options; /* arguments: after "usage: mbs NAME"; help: a paragraph */
} command;

#define RUN_ARGUMENTS " [--analysis FILE] [--out DIR] [--npz | --json]"

static const command commands[] = {
    {"run", cli_run, " MODEL" RUN_ARGUMENTS " [--csv FILE [--columns LIST]] [--glb FILE] [--certificate FILE]",
     "run a model, print its report", "Runs a model and prints its report.", run_help},
    {"study", cli_run, " FILE" RUN_ARGUMENTS " [--jobs N]", "run a model with many parameter sets",
     "Runs a study. FILE has \"model\", \"analysis\" and \"study\", which sets the values of the parameters and the\n"
     "outputs of each run. Writes the arrays parameters, outputs and status.",
     run_help},
    {"verify", cli_verify, " CERTIFICATE [--model FILE] [--analysis FILE] [--results FILE] [--run]",
     "check a certificate",
     "Checks that a certificate (JSON or HTML page) was not changed, and that it belongs to the given\ndocument and "
     "results.",
     verify_help},
    {"validate", cli_validate, " MODEL [--json]", "validate a model, print its structure",
     "Prints the structure of a model (tree, cut joints, constraint rows, degrees of freedom) and whether it\ncan be "
     "assembled, or all its errors.",
     "  --json           print the response of POST /api/v1/validate\n\n"},
    {"import", cli_import,
     " SOURCE [--format F] [-o FILE] [--strict] [--partial] [--main PATH] [--keyframe NAME] [--floating] [--report]",
     "convert a model of another program",
     "Converts a model of another program to a document: of DAP_JC, DAP_BC, simEngine2D or Robotran, URDF, MJCF,\n"
     "SDF. SOURCE is a file, a folder, or a zip or tar.gz archive of it.",
     import_help},
    {"plot", cli_plot,
     " MODEL|RESULTS -o FILE [--columns LIST] [--against LABEL] [--analysis FILE] [--size WxH] [--script]",
     "plot columns of results",
     "Plots columns of results over time, or over another column, by gnuplot (package gnuplot-nox). Columns of equal\n"
     "unit share a panel. RESULTS is a folder of mbs run --out, or a file of --csv; a MODEL is run first. CSV files\n"
     "have no units: use mbs run --json, or MODEL, to see them in the plot.",
     plot_help},
    {"animate", cli_animate,
     " MODEL|RESULTS -o FILE [--size WxH] [--fps N] [--speed S] [--analysis FILE] [--model FILE] [--script]",
     "draw the motion as a GIF or video",
     "Draws the motion as an animated GIF by gnuplot (package gnuplot-nox), or as a video with ffmpeg (package\n"
     "ffmpeg). RESULTS is a folder of mbs run --out; a MODEL is run first.",
     animate_help},
    {"export", cli_export, " MODEL --fmu FILE [--fmi VERSION] [--outputs A,B] [--analysis FILE]",
     "write a model for other programs",
     "Writes an FMU, with which other programs simulate the model as a part of theirs: its parameters, inputs and\n"
     "outputs are variables of the FMU.",
     export_help},
    {"inspect", cli_inspect, " MODEL [--analysis FILE] [--all] [--json]", "show how a model is evaluated, with timings",
     "Shows how a model is evaluated: tree, rows, nonzero entries of the matrices C, M and\nS = C M^-1 C', order of "
     "evaluation, memory, and the processor time of each part at the initial state, in\nboth formulations. Use it to "
     "find out why a run is slow.",
     inspect_help},
    {"equations", cli_equations, " MODEL [--format F] [--only B,C] [--t T] [--at FILE] [--formulation F] [--sparse]",
     "show the equations of a model",
     "Shows the equations of a model in blocks and symbols, with their numbers at the initial state.", equations_help},
    {"check", cli_check, " MODEL CLAIM [--json]", "compare your own equations with those of a model",
     "Compares your own equations with those of a model. CLAIM is a file {\"claim\": {\"B\": [[..]], ..}}, or only\n"
     "the matrices. Prints for each block whether it is right, and for a wrong block the likely error.\nThe exit code "
     "is 3 if a block is wrong.",
     "  --json           print the response of POST /api/v1/check\n\n"},
    {"examples", cli_examples, " [NAME | --studies]", "list the examples, or print one of them",
     "Lists the built-in models, or prints one of them, for example\nmbs examples FourBar > mine.json.",
     "  --studies        list the built-in studies (optimizations and a fit) for mbs study\n\n"},
    {"report", cli_report, " FILE", "print a response of the service as text",
     "Prints a response of the service as text: a job, a list of jobs, a report or a problem document. If FILE\n"
     "is -, it is read from standard input.",
     ""},
    {"reference", cli_reference, " [NAME | --out DIR]", "print pages of the reference manual",
     "Lists the pages of the reference, or prints the page of a joint, driver, force, function, shape or\nobject in "
     "Markdown, for example mbs reference revolute.",
     "  --out DIR        write all pages into DIR. DIR is created if necessary. Pages of an earlier run of mbs\n"
     "                   are removed first\n\n"},
    {"schema", cli_schema, "", "print the JSON Schema of models",
     "Prints the JSON Schema of models, as at /api/v1/schemas of the service.", ""},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* ---- help ------------------------------------------------------------------------------------------------------- */

/* Prints the usage of all commands and the options of mbs run. */
static void print_help(FILE *out) {
  enum { SUMMARY = 60 };
  for (size_t i = 0; i < COMMANDS; i++) {
    const int used = fprintf(out, "%s mbs %s%s", i ? "      " : "usage:", commands[i].name, commands[i].arguments);
    const bool full = used >= SUMMARY;
    fprintf(out, "%s%*s%s\n", full ? "\n" : "", full ? SUMMARY : SUMMARY - used, "", commands[i].summary);
  }
  fprintf(out, "       mbs --version | --help, mbs COMMAND --help\n\n%s%s%s", run_help, model_note, exit_codes);
}

static void print_command_help(const command *shown) {
  const bool reads_model = shown->run == cli_run || strncmp(shown->arguments, " MODEL", 6) == 0;
  printf("usage: mbs %s%s\n\n%s\n\n%s%s%s", shown->name, shown->arguments, shown->help, shown->options,
         reads_model ? model_note : "", exit_codes);
}

int cli_say_usage(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(name + strlen("mbs "), commands[i].name) == 0)
      fprintf(stderr, "usage: %s%s\n", name, commands[i].arguments);
  return CLI_USAGE;
}

bool cli_takes(int argc, char **argv, const char *names) {
  const char *name = names;
  for (int i = optind; i <= argc; i++) {
    const size_t length = strcspn(name, " ");
    if (i == argc && length > 0 && *name != '[') {
      fprintf(stderr, "%s: %.*s is missing\n", argv[0], (int)length, name);
      return false;
    }
    if (i < argc && length == 0) {
      fprintf(stderr, "%s: takes %s%s, got %s'%s'\n", argv[0], *names ? "only " : "no argument", names,
              *names ? "also " : "", argv[i]);
      return false;
    }
    name += length + (name[length] == ' ');
  }
  return true;
}

/* Prints that there is no such command, with the most similar one or, if none is similar, the available commands. */
static int complain(const char *name) {
  const char *known[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++) known[i] = commands[i].name;
  char hint[256];
  fprintf(stderr, "mbs: unknown command '%s'; %s\nmbs --help lists all commands.\n", name,
          api_name_hint(known, COMMANDS, name, hint, sizeof hint));
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
    print_help(stdout);
    return CLI_DONE;
  }
  for (size_t i = 0; i < COMMANDS; i++) {
    const command *found = &commands[i];
    if (strcmp(found->name, name) != 0) continue;
    if (asks_for_help(argc - 1, argv + 1)) {
      print_command_help(found);
      return CLI_DONE;
    }
    char full_name[32]; /* name in messages, also in those of getopt_long() */
    snprintf(full_name, sizeof full_name, "mbs %s", name);
    argv[1] = full_name;
    return found->run(argc - 1, argv + 1);
  }
  if (argc > 1) return complain(name);
  print_help(stderr);
  return CLI_USAGE;
}

int main(int argc, char **argv) {
  int code = run_command(argc, argv);
  /* Buffered output may not have been written yet: a full disk must not look like success. */
  bool lost = ferror(stdout) != 0;
  if (lost) { /* the reason is no longer known; writing one more byte meets it again */
    clearerr(stdout);
    putchar('\n');
  }
  errno = 0;
  if (fclose(stdout) == 0 && !lost) return code;
  fprintf(stderr, "mbs: cannot write to standard output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
  return code == CLI_DONE ? CLI_USAGE : code;
}
