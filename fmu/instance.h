/* instance.h - an instance of an FMU for co-simulation, below the functions of FMI 2.0 and 3.0, which only convert
 * their arguments. The document is in the resources of the FMU. An instance is used by one thread at a time; instances
 * share nothing. */
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Categories of log messages, in modelDescription.xml. */
#define FMU_LOG_DISCARD "logStatusDiscard"
#define FMU_LOG_ERROR "logStatusError"

#define FMU_EXPORT __attribute__((visibility("default")))

/* Both versions of FMI number their status so. */
typedef enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL } fmu_status;

/* The importing program. */
typedef struct fmu_host {
  void *context;
  void (*log)(void *context, fmu_status status, const char *category, const char *message);
} fmu_host;

typedef struct fmu_instance fmu_instance;

/* Creates an instance of the document in the folder of resources. `token` must be that of the document. Returns NULL
 * after logging the reason. */
fmu_instance *fmu_instance_new(const fmu_host *host, const char *token, const char *folder);
/* Frees an instance. */
void fmu_instance_free(fmu_instance *self);
/* Switches messages of the listed categories on or off; all if none is listed. At first all are on. */
fmu_status fmu_set_logging(fmu_instance *self, bool on, size_t count, const char *const *categories);
/* Reports the error of a call that the FMU does not support. */
fmu_status fmu_refuse(fmu_instance *self, const char *call);

/* Enters the initialization mode. The motion starts at t = 0. */
fmu_status fmu_enter_initialization(fmu_instance *self, double start_time);
/* Leaves it: computes the start of the motion. */
fmu_status fmu_exit_initialization(fmu_instance *self);
fmu_status fmu_terminate(fmu_instance *self);
/* Returns to the state after the instantiation, with all start values. */
fmu_status fmu_reset(fmu_instance *self);

/* Copy values of variables, which are numbered as in modelDescription.xml. An output that is not finite makes the call
 * FMU_DISCARD. */
fmu_status fmu_get(fmu_instance *self, const uint32_t *references, size_t count, double *values);
fmu_status fmu_set(fmu_instance *self, const uint32_t *references, size_t count, const double *values);

/* Advances the motion. A step that fails is discarded: the instance keeps the state at the time `t`, and the step may
 * be repeated with a shorter length. */
fmu_status fmu_step(fmu_instance *self, double t, double length);
/* Returns the time that the motion has reached [s]. */
double fmu_time(const fmu_instance *self);

/* The state of an instance: parameters, inputs and the motion. */
typedef struct fmu_state {
  size_t size;
  unsigned char bytes[];
} fmu_state;
/* Copies the state to a new *state, which replaces the old one if it is not NULL. */
fmu_status fmu_state_get(fmu_instance *self, fmu_state **state);
fmu_status fmu_state_set(fmu_instance *self, const fmu_state *state);
/* Creates a state from bytes that were copied from one. */
fmu_status fmu_state_read(fmu_instance *self, const void *bytes, size_t size, fmu_state **state);

#endif
