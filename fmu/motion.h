/* motion.h - the document in an FMU, and its motion: a simulation of mbs/mbsd.h. Functions that fail write a message
 * "code: detail (element, time)". */
#ifndef FMU_MOTION_H
#define FMU_MOTION_H

#include <stdbool.h>
#include <stddef.h>

enum { FMU_MESSAGE_SIZE = 1200 };

typedef struct fmu_motion fmu_motion;

/* Reads the document in the folder of resources. Returns NULL if it is not that of the token, or cannot be read. */
fmu_motion *fmu_motion_new(const char *token, const char *folder, char message[FMU_MESSAGE_SIZE]);
void fmu_motion_free(fmu_motion *motion);

size_t fmu_motion_parameters(const fmu_motion *motion);
size_t fmu_motion_inputs(const fmu_motion *motion);
size_t fmu_motion_outputs(const fmu_motion *motion);
/* Returns the values of the document: parameters, then inputs. */
const double *fmu_motion_start(const fmu_motion *motion);
/* Returns the name of an output. */
const char *fmu_motion_output(const fmu_motion *motion, size_t index);

/* Begins the motion at its start, for these values: parameters, then inputs. */
bool fmu_motion_begin(fmu_motion *motion, const double *values, char message[FMU_MESSAGE_SIZE]);
/* Sets the values of the inputs from now on. */
bool fmu_motion_set_inputs(fmu_motion *motion, const double *inputs, char message[FMU_MESSAGE_SIZE]);
/* Advances the motion to the time `end`. On failure the state does not change. */
bool fmu_motion_advance(fmu_motion *motion, double end, char message[FMU_MESSAGE_SIZE]);
/* Computes an output at the present time. Returns false if it is not finite. */
bool fmu_motion_read(fmu_motion *motion, size_t index, double *output, char message[FMU_MESSAGE_SIZE]);
/* Returns the time at which the motion starts, and the time that it has reached [s]. */
double fmu_motion_first(const fmu_motion *motion);
double fmu_motion_time(const fmu_motion *motion);

/* Returns the size in bytes of a state, for the present values of the parameters. */
size_t fmu_motion_state_size(const fmu_motion *motion);
void fmu_motion_state_get(fmu_motion *motion, void *state);
/* Restores a state of this document and these values of the parameters. Returns false if it is another one. */
bool fmu_motion_state_set(fmu_motion *motion, const void *state, size_t size, char message[FMU_MESSAGE_SIZE]);

#endif
