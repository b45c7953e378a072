/* machine.h - the processors and the memory that this process may use. */
#ifndef SERVER_BASE_MACHINE_H
#define SERVER_BASE_MACHINE_H

#include <stddef.h>

/* Returns the number of processors that this process may use, by its affinity mask. */
size_t srv_machine_processors(void);

/* Returns the number of workers: one for each of the processors, within the processor quota of the control group
 * (rounded up), and as many as its memory can hold with `memory` bytes for each; at least 1. Containers, systemd units
 * and Slurm jobs are control groups, of version 1 or 2. `root` is "", or for tests a folder with `proc` and `sys`. */
size_t srv_machine_workers(const char *root, size_t processors, size_t memory);

#endif
