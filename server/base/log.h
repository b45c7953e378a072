/* log.h - the log: one line per event, on standard error.
 *
 *     srv_log(SRV_INFO, "job_finished", (srv_field[]){srv_text("id", id), srv_number("seconds", s), {0}});
 *
 * as text  `2026-11-20T14:31:05.123Z info job_finished id=0190... seconds=0.25`
 * as JSON  `{"time":"2026-11-20T14:31:05.123Z","level":"info","event":"job_finished","id":"0190...","seconds":0.25}` */
#ifndef SERVER_BASE_LOG_H
#define SERVER_BASE_LOG_H

#include <stdbool.h>

typedef enum srv_log_level { SRV_DEBUG, SRV_INFO, SRV_WARNING, SRV_ERROR } srv_log_level;

/* A named value of an event: `text`, or `number` if `text` is NULL. */
typedef struct srv_field {
  const char *name;
  const char *text;
  double number;
} srv_field;

srv_field srv_text(const char *name, const char *text);
srv_field srv_number(const char *name, double number);

/* Sets the level and format of the log; called once, before threads start. `level` is one of debug, info, warning,
 * error, which the options have validated. */
void srv_log_setup(const char *level, bool json);
/* Writes an event with its fields; the last one is {0}. Any thread. */
void srv_log(srv_log_level level, const char *event, const srv_field *fields);

#endif
