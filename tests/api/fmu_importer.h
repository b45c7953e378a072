/* fmu_importer.h - a program that imports FMUs, for tests: unpacks the file, reads modelDescription.xml, loads the
 * library, and calls the functions of FMI 2.0 or 3.0. */
#ifndef TESTS_API_FMU_IMPORTER_H
#define TESTS_API_FMU_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fmu_importer_variable {
  char *name, *causality, *unit;
  uint32_t reference;
  double start; /* NaN: none */
} fmu_importer_variable;

typedef struct fmu_importer {
  int version; /* 2 or 3 */
  char folder[64], *token;
  fmu_importer_variable *variables;
  size_t count;
  void *library;
} fmu_importer;

/* An instance, with its last log message. Calls return the status, which both versions number alike. */
typedef struct fmu_importer_instance {
  const fmu_importer *fmu;
  void *component;
  char message[1024], category[64];
  int messages;
} fmu_importer_instance;

enum { IMPORTER_OK = 0, IMPORTER_DISCARD = 2, IMPORTER_ERROR = 3 };

/* Unpacks and loads an FMU from the request {"model", "analysis", "fmi", "outputs"}. Checks the rules of the standard
 * for modelDescription.xml that an importer relies on. Fails the test if anything is wrong. */
void fmu_importer_open(const char *request, fmu_importer *fmu);
void fmu_importer_close(fmu_importer *fmu);
/* Returns the value reference of a variable; fails the test if there is none. */
uint32_t fmu_importer_reference(const fmu_importer *fmu, const char *name);

/* Creates an instance. Returns false, with the message, if the FMU refuses. `token` NULL: that of the description. */
bool fmu_importer_new(const fmu_importer *fmu, const char *token, fmu_importer_instance *out);
void fmu_importer_free(fmu_importer_instance *self);
int fmu_importer_enter(fmu_importer_instance *self, double start);
int fmu_importer_exit(fmu_importer_instance *self);
/* Both of the above; fails the test on an error. */
void fmu_importer_start(fmu_importer_instance *self);
int fmu_importer_terminate(fmu_importer_instance *self);
int fmu_importer_reset(fmu_importer_instance *self);
int fmu_importer_get(fmu_importer_instance *self, const uint32_t *references, size_t count, double *values);
int fmu_importer_set(fmu_importer_instance *self, const char *name, double value);
double fmu_importer_value(fmu_importer_instance *self, const char *name);
/* Sets *reached to the last time that was reached. */
int fmu_importer_step(fmu_importer_instance *self, double t, double length, double *reached);
int fmu_importer_get_state(fmu_importer_instance *self, void **state);
int fmu_importer_set_state(fmu_importer_instance *self, void *state);
int fmu_importer_free_state(fmu_importer_instance *self, void **state);
/* Returns the bytes of a state, malloc'd. */
unsigned char *fmu_importer_save(fmu_importer_instance *self, void *state, size_t *size);
int fmu_importer_load(fmu_importer_instance *self, const unsigned char *bytes, size_t size, void **state);

#endif
