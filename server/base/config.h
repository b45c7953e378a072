/* config.h - the settings of the daemon: defaults, then the configuration file, then the environment, then the command
 * line; the later counts. */
#ifndef SERVER_BASE_CONFIG_H
#define SERVER_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef char *srv_option_TEXT;
typedef char *srv_option_LIST;
typedef char *srv_option_WORD;
typedef bool srv_option_FLAG;
typedef size_t srv_option_COUNT;
typedef size_t srv_option_BYTES;
typedef double srv_option_SECONDS;
typedef double srv_option_DAYS;

/* One member an option of options.def. */
typedef struct srv_config {
  char *backup; /* the folder that --backup names, where that is what is asked for */
#define OPTION(kind, field, name, fallback, low, high, doc) srv_option_##kind field;
#include "server/base/options.def"
#undef OPTION
} srv_config;

typedef enum srv_config_result {
  SRV_CONFIG_RUN,    /* go on */
  SRV_CONFIG_CHECK,  /* --check: look through the data folder instead */
  SRV_CONFIG_BACKUP, /* --backup: copy it instead */
  SRV_CONFIG_HEALTH, /* --health: ask the service that runs */
  SRV_CONFIG_DONE,   /* --help, --version or --new-token was answered: exit 0 */
  SRV_CONFIG_BAD     /* a mistake, which was reported on `errors`: exit 2 */
} srv_config_result;

/* Reads all settings. Answers to --help, --version and --new-token go to `out`. Free with srv_config_free() in any
 * case. */
srv_config_result srv_config_read(int argc, char **argv, srv_config *config, FILE *out, FILE *errors);
void srv_config_free(srv_config *config);

#endif
