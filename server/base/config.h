/* config.h - the settings of the daemon: defaults, then the configuration file, then the environment, then the command
 * line; later sources override earlier ones. */
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

/* Contains a field for each option of options.def. */
typedef struct srv_config {
  char *backup; /* the directory of --backup, if given */
#define OPTION(kind, field, name, fallback, low, high, doc) srv_option_##kind field;
#include "server/base/options.def"
#undef OPTION
} srv_config;

typedef enum srv_config_result {
  SRV_CONFIG_RUN,    /* start the service */
  SRV_CONFIG_CHECK,  /* --check: check the data directory */
  SRV_CONFIG_BACKUP, /* --backup: copy the data directory */
  SRV_CONFIG_HEALTH, /* --health: query the running service */
  SRV_CONFIG_READY,  /* --ready: query whether it accepts jobs */
  SRV_CONFIG_DONE,   /* --help, --version or --new-token was processed: exit 0 */
  SRV_CONFIG_BAD     /* an error, which was reported on `errors`: exit 2 */
} srv_config_result;

/* Reads all settings. Writes the output of --help, --version and --new-token to `out`. The caller frees `config` with
 * srv_config_free() in any case. */
srv_config_result srv_config_read(int argc, char **argv, srv_config *config, FILE *out, FILE *errors);
void srv_config_free(srv_config *config);

#endif
