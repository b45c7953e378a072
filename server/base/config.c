/* config.c - see config.h. */
#include "server/base/config.h"

#include "mbs.h"
#include "server/base/number.h"
#include "server/base/tokens.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { TEXT, LIST, WORD, FLAG, COUNT, BYTES, SECONDS, DAYS } option_kind;

typedef struct option_row {
  option_kind kind;
  size_t offset; /* offset in srv_config */
  const char *name, *fallback;
  double low, high;
  const char *doc;
} option_row;

static const option_row rows[] = {
#define OPTION(kind, field, name, fallback, low, high, doc) \
  {kind, offsetof(srv_config, field), name, fallback, low, high, doc},
#include "server/base/options.def"
#undef OPTION
};

enum {
  ROWS = sizeof rows / sizeof rows[0],
  NAME_SIZE = 64,
  HELP = 1000,
  VERSION,
  CHECK,
  BACKUP,
  HEALTH,
  READY,
  NEW_TOKEN
};

static const option_row *row_of(const char *name) {
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(rows[i].name, name) == 0) return &rows[i];
  return NULL;
}

static const char *nearest_name(const char *word) {
  const char *names[ROWS];
  for (size_t i = 0; i < ROWS; i++) names[i] = rows[i].name;
  return mbs_nearest(word, names, ROWS);
}

static void environment_name(const option_row *row, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "MBSD_%s", row->name);
  for (char *c = name; *c; c++) *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

/* The allowed words of a WORD option are in its doc: "|text|json|: ...". */
static bool word_allowed(const option_row *row, const char *text) {
  char barred[NAME_SIZE];
  int length = snprintf(barred, sizeof barred, "|%s|", text);
  return length > 2 && length < (int)sizeof barred && !strchr(text, '|') && strstr(row->doc, barred) != NULL;
}

/* Writes "a, b, c" and a newline. */
static void write_words(const option_row *row, FILE *out) {
  for (const char *word = row->doc + 1, *end; (end = strchr(word, '|')); word = end + 1)
    fprintf(out, "%s%.*s", word == row->doc + 1 ? "" : ", ", (int)(end - word), word);
  fputc('\n', out);
}

static bool parse_flag(const char *text, bool *flag) {
  *flag = strcmp(text, "yes") == 0 || strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
  return *flag || strcmp(text, "no") == 0 || strcmp(text, "0") == 0 || strcmp(text, "false") == 0;
}

static bool parse_number(const option_row *row, const char *text, double *number) {
  const char *end = srv_number_read(text, row->kind == BYTES, number);
  if (!end || *end != '\0' || (row->kind == COUNT && *number != floor(*number))) return false;
  return *number >= row->low && *number <= row->high;
}

/* Returns true if a list has an empty entry, which is an error. */
static bool has_empty_entry(const char *text) {
  for (;;) {
    text += strspn(text, " \t");
    if (*text == ',' || *text == '\0') return true;
    text = strchr(text, ',');
    if (!text) return false;
    text++;
  }
}

static bool add_to_list(char **list, const char *text) {
  char *longer = NULL;
  if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list && **list && *text ? "," : "", text) < 0) return false;
  free(*list);
  *list = longer;
  return true;
}

static bool set_text(char **place, const char *text) {
  free(*place);
  *place = strdup(text);
  return *place != NULL;
}

/* Sets one field from text; `source` is its origin, for messages. */
static bool set_value(srv_config *config, const option_row *row, const char *text, const char *source, FILE *errors) {
  void *member = (char *)config + row->offset;
  double number;
  if (row->kind == LIST) {
    if (text != row->fallback && has_empty_entry(text)) {
      fprintf(errors, "mbsd: %s: %s is '%s', which contains an empty name; omit it, or separate names with commas\n",
              source, row->name, text);
      return false;
    }
    return add_to_list(member, text);
  }
  if (row->kind == TEXT || row->kind == WORD) {
    if (row->kind == WORD && !word_allowed(row, text)) {
      fprintf(errors, "mbsd: %s: %s is '%s'; expected one of ", source, row->name, text);
      write_words(row, errors);
      return false;
    }
    return set_text(member, text);
  }
  if (row->kind == FLAG) {
    bool good = parse_flag(text, member);
    if (!good) fprintf(errors, "mbsd: %s: %s is '%s'; expected yes or no\n", source, row->name, text);
    return good;
  }
  assert(row->kind == COUNT || row->kind == BYTES || row->kind == SECONDS || row->kind == DAYS);
  if (!parse_number(row, text, &number)) {
    fprintf(errors, "mbsd: %s: %s is '%s'; expected %s from %.15g to %.15g\n", source, row->name, text,
            row->kind == COUNT ? "an integer" : "a number", row->low, row->high);
    return false;
  }
  if (row->kind == SECONDS || row->kind == DAYS) {
    *(double *)member = number;
  } else {
    *(size_t *)member = (size_t)number;
  }
  return true;
}

/* ---- sources --------------------------------------------------------------------------------------------------- */

static char *trimmed(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
  return text;
}

static bool read_line(srv_config *config, char *line, const char *source, FILE *errors) {
  char *text = trimmed(line);
  if (*text == '\0' || *text == '#') return true;
  char *equals = strchr(text, '=');
  if (!equals) {
    fprintf(errors, "mbsd: %s: expected `name = value`\n", source);
    return false;
  }
  *equals = '\0';
  const char *name = trimmed(text);
  const option_row *row = row_of(name);
  if (!row || row->offset == offsetof(srv_config, config)) {
    const char *near = nearest_name(name);
    fprintf(errors, "mbsd: %s: unknown setting '%s'%s%s\n", source, name, near ? "; did you mean " : "",
            near ? near : "");
    return false;
  }
  return set_value(config, row, trimmed(equals + 1), source, errors);
}

static bool read_file(srv_config *config, const char *path, FILE *errors) {
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(errors, "mbsd: cannot read %s: %s\n", path, strerror(errno));
    return false;
  }
  bool good = true;
  char *line = NULL;
  size_t capacity = 0;
  for (int number = 1; getline(&line, &capacity, file) >= 0; number++) {
    char source[512];
    snprintf(source, sizeof source, "%s:%d", path, number);
    good = read_line(config, line, source, errors) && good;
  }
  free(line);
  fclose(file);
  return good;
}

static bool read_environment(srv_config *config, FILE *errors) {
  bool good = true;
  for (size_t i = 0; i < ROWS; i++) {
    char name[NAME_SIZE];
    environment_name(&rows[i], name);
    const char *text = getenv(name);
    if (text) good = set_value(config, &rows[i], text, name, errors) && good;
  }
  return good;
}

static void write_help(FILE *out) {
  fputs("Usage: mbsd [options]\n\nServes multibody simulations over HTTP. You can also set each option in "
        "the\nenvironment (name in brackets) or in the configuration file (without the dashes).\nThe command line "
        "overrides the environment, which overrides the file.\n\n",
        out);
  for (size_t i = 0; i < ROWS; i++) {
    char name[NAME_SIZE];
    environment_name(&rows[i], name);
    fprintf(out, "  --%s=%s   [%s]\n        %s\n", rows[i].name,
            *rows[i].fallback      ? rows[i].fallback
            : rows[i].kind == LIST ? "NAME"
                                   : "...",
            name, rows[i].doc);
  }
  fputs("  --health\n        Check that the service with the other given options responds, and exit\n  --ready\n       "
        " Check that it accepts jobs, and exit\n  --check\n       "
        " Check all data in --data, report errors, and exit; also while a daemon runs\n  --backup=DIR\n        Copy "
        "all data in --data to the new folder DIR, and exit; also while a daemon runs\n  --new-token NAME PERMISSION\n "
        "       Print a new token with the permission read, run or admin, and its line for the token file\n  --help\n  "
        "      Print this help\n  --version\n        Print the version\n\nThe values shown are the defaults. Sizes "
        "accept the suffixes K, M, G, T (powers of 1024). Times are in\nseconds, those of --keep-days in days.\n",
        out);
}

/* Processes --new-token, with the words after the options. */
static srv_config_result new_token(char **words, int count, FILE *out, FILE *errors) {
  const char *name = count == 2 ? words[0] : "", *right = count == 2 ? words[1] : "";
  return srv_token_new(name, right, out, errors) ? SRV_CONFIG_DONE : SRV_CONFIG_BAD;
}

/* Stores in `given` the command line's text of each option; sets lists immediately. */
static srv_config_result parse_command_line(int argc, char **argv, srv_config *config, const char *given[ROWS],
                                            FILE *out, FILE *errors) {
  static const srv_config_result actions[] = {[CHECK - HELP] = SRV_CONFIG_CHECK,
                                              [BACKUP - HELP] = SRV_CONFIG_BACKUP,
                                              [HEALTH - HELP] = SRV_CONFIG_HEALTH,
                                              [READY - HELP] = SRV_CONFIG_READY};
  struct option options[ROWS + 8] = {{0}};
  for (int i = 0; i < ROWS; i++)
    options[i] = (struct option){rows[i].name, rows[i].kind == FLAG ? optional_argument : required_argument, NULL, i};
  options[ROWS] = (struct option){"help", no_argument, NULL, HELP};
  options[ROWS + 1] = (struct option){"version", no_argument, NULL, VERSION};
  options[ROWS + 2] = (struct option){"check", no_argument, NULL, CHECK};
  options[ROWS + 3] = (struct option){"backup", required_argument, NULL, BACKUP};
  options[ROWS + 4] = (struct option){"health", no_argument, NULL, HEALTH};
  options[ROWS + 5] = (struct option){"ready", no_argument, NULL, READY};
  options[ROWS + 6] = (struct option){"new-token", no_argument, NULL, NEW_TOKEN};
  srv_config_result result = SRV_CONFIG_RUN;
  bool makes_token = false;
  optind = 0; /* restart, because a test may read twice */
  for (int choice; (choice = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (choice == HELP) {
      write_help(out);
      return SRV_CONFIG_DONE;
    }
    if (choice == VERSION) {
      fprintf(out, "mbsd %s\n", MBS_VERSION);
      return SRV_CONFIG_DONE;
    }
    if (choice == '?') return SRV_CONFIG_BAD;
    makes_token = makes_token || choice == NEW_TOKEN;
    if (choice == NEW_TOKEN) continue;
    if (choice >= CHECK && choice <= READY) {
      result = actions[choice - HELP];
      if (choice == BACKUP && !set_text(&config->backup, optarg)) return SRV_CONFIG_BAD;
      continue;
    }
    given[choice] = optarg ? optarg : "yes";
    if (rows[choice].kind == LIST && !set_value(config, &rows[choice], optarg, "command line", errors))
      return SRV_CONFIG_BAD;
  }
  if (makes_token) return new_token(argv + optind, argc - optind, out, errors);
  if (optind < argc) {
    fprintf(errors, "mbsd: '%s' is not an option; see mbsd --help\n", argv[optind]);
    return SRV_CONFIG_BAD;
  }
  return result;
}

srv_config_result srv_config_read(int argc, char **argv, srv_config *config, FILE *out, FILE *errors) {
  *config = (srv_config){0};
  const char *given[ROWS] = {0};
  srv_config_result result = parse_command_line(argc, argv, config, given, out, errors);
  if (result == SRV_CONFIG_DONE || result == SRV_CONFIG_BAD) return result;
  bool good = true;
  for (size_t i = 0; i < ROWS; i++) good = set_value(config, &rows[i], rows[i].fallback, "default", errors) && good;
  /* The file's own name first: it may come from the environment or the command line, although both override the
   * file. */
  const char *file = given[row_of("config") - rows];
  if (!file) file = getenv("MBSD_CONFIG");
  if (file && *file) good = read_file(config, file, errors) && good;
  good = read_environment(config, errors) && good;
  for (size_t i = 0; i < ROWS; i++)
    if (given[i] && rows[i].kind != LIST) good = set_value(config, &rows[i], given[i], "command line", errors) && good;
  return good ? result : SRV_CONFIG_BAD;
}

void srv_config_free(srv_config *config) {
  free(config->backup);
  for (size_t i = 0; i < ROWS; i++)
    if (rows[i].kind == TEXT || rows[i].kind == LIST || rows[i].kind == WORD)
      free(*(char **)((char *)config + rows[i].offset));
  *config = (srv_config){0};
}
