/* helpers.h - the processes that make the runs of a study beside the program, which puts together what they made: as
 * many as it is told to have, once there is something to do for them. */
#ifndef CLI_HELPERS_H
#define CLI_HELPERS_H

#include "api/jobs/block.h"
#include "api/jobs/job_hooks.h"

typedef struct cli_helpers cli_helpers;

/* At most `most` of them. NULL: no memory. */
cli_helpers *cli_helpers_new(size_t most);
void cli_helpers_free(cli_helpers *helpers);
/* The hooks `share` and `shared` of a job (job_hooks.h). */
bool cli_helpers_share(cli_helpers *helpers, const job_share *share);
job_shared cli_helpers_take(cli_helpers *helpers, size_t first, api_block_result *made, double *ahead);
/* Looks after them now and then, while the program makes runs itself. */
void cli_helpers_look(cli_helpers *helpers);
/* Ends those that there are: they are not needed any more. */
void cli_helpers_end(cli_helpers *helpers);

/* How many processors this process may use. */
size_t cli_processors(void);

#endif
