/* fmi2.c - the functions of FMI 2.0 for co-simulation (https://fmi-standard.org). */
#include "fmi2.h"
#include "instance.h"
#include "resources.h"

#include <stdlib.h>
#include <string.h>

/* A component: an instance with the importing program's functions. */
typedef struct component {
  fmu_instance *instance;
  void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
  fmi2ComponentEnvironment environment;
  double start_time;
  char name[]; /* name of the instance */
} component;

static fmu_instance *instance_of(fmi2Component c) { return ((component *)c)->instance; }

static void log_message(void *context, fmu_status status, const char *category, const char *message) {
  const component *self = context;
  if (self->logger) self->logger(self->environment, self->name, (fmi2Status)status, category, "%s", message);
}

FMU_EXPORT const char *fmi2GetTypesPlatform(void);
const char *fmi2GetTypesPlatform(void) { return "default"; }

FMU_EXPORT const char *fmi2GetVersion(void);
const char *fmi2GetVersion(void) { return "2.0"; }

/* ---- creation ---------------------------------------------------------------------------------------------------- */

FMU_EXPORT void fmi2FreeInstance(fmi2Component c);
void fmi2FreeInstance(fmi2Component c) {
  if (!c) return;
  fmu_instance_free(instance_of(c));
  free(c);
}

FMU_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                                         const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                                         fmi2Boolean logging);
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
  (void)visible, (void)logging; /* there are no messages but those of errors and discarded steps */
  const size_t length = name ? strlen(name) : 0;
  component *self = calloc(1, sizeof *self + length + 1);
  char *folder = fmu_path_of_uri(location);
  if (self) {
    if (length > 0) memcpy(self->name, name, length);
    self->logger = functions ? functions->logger : NULL;
    self->environment = functions ? functions->componentEnvironment : NULL;
    const fmu_host host = {self, log_message};
    if (type != fmi2CoSimulation)
      log_message(self, FMU_ERROR, "logStatusError", "the FMU is for co-simulation only");
    else
      self->instance = fmu_instance_new(&host, guid, folder);
  }
  free(folder);
  if (self && self->instance) return self;
  free(self);
  return NULL;
}

FMU_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String list[]);
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String list[]) {
  return (fmi2Status)fmu_set_logging(instance_of(c), on, count, list);
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

FMU_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                                          fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop);
/* The document determines the tolerance; the end is not needed. */
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  ((component *)c)->start_time = start;
  return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c);
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return (fmi2Status)fmu_enter_initialization(instance_of(c), ((component *)c)->start_time);
}

FMU_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c);
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (fmi2Status)fmu_exit_initialization(instance_of(c)); }

FMU_EXPORT fmi2Status fmi2Terminate(fmi2Component c);
fmi2Status fmi2Terminate(fmi2Component c) { return (fmi2Status)fmu_terminate(instance_of(c)); }

FMU_EXPORT fmi2Status fmi2Reset(fmi2Component c);
fmi2Status fmi2Reset(fmi2Component c) {
  ((component *)c)->start_time = 0;
  return (fmi2Status)fmu_reset(instance_of(c));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

FMU_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real values[]);
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real values[]) {
  return (fmi2Status)fmu_get(instance_of(c), vr, count, values);
}

FMU_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                  const fmi2Real values[]);
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real values[]) {
  return (fmi2Status)fmu_set(instance_of(c), vr, count, values);
}

/* Functions for variables of the other types, of which there are none. */
#define NO_VARIABLES(type)                                                                                           \
  FMU_EXPORT fmi2Status fmi2Get##type(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2##type v[]); \
  fmi2Status fmi2Get##type(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2##type v[]) {           \
    (void)vr, (void)v;                                                                                               \
    return count == 0 ? fmi2OK : (fmi2Status)fmu_refuse(instance_of(c), "fmi2Get" #type);                            \
  }                                                                                                                  \
  FMU_EXPORT fmi2Status fmi2Set##type(fmi2Component c, const fmi2ValueReference vr[], size_t count,                  \
                                      const fmi2##type v[]);                                                         \
  fmi2Status fmi2Set##type(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2##type v[]) {     \
    (void)vr, (void)v;                                                                                               \
    return count == 0 ? fmi2OK : (fmi2Status)fmu_refuse(instance_of(c), "fmi2Set" #type);                            \
  }
NO_VARIABLES(Integer)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

/* ---- states ------------------------------------------------------------------------------------------------------ */

FMU_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  return (fmi2Status)fmu_state_get(instance_of(c), (fmu_state **)state);
}

FMU_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state);
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return (fmi2Status)fmu_state_set(instance_of(c), state);
}

FMU_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state);
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
  (void)c;
  if (!state) return fmi2OK;
  free(*state);
  *state = NULL;
  return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size);
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
  (void)c;
  *size = ((const fmu_state *)state)->size;
  return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  const fmu_state *from = state;
  if (size < from->size) return (fmi2Status)fmu_refuse(instance_of(c), "a buffer smaller than the state");
  memcpy(bytes, from->bytes, from->size);
  return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                              fmi2FMUstate *state);
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
  return (fmi2Status)fmu_state_read(instance_of(c), bytes, size, (fmu_state **)state);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

FMU_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real length, fmi2Boolean no_earlier);
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real length, fmi2Boolean no_earlier) {
  (void)no_earlier;
  return (fmi2Status)fmu_step(instance_of(c), t, length);
}

FMU_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value);
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = fmu_time(instance_of(c));
  return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value);
/* The motion never ends by itself. */
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  (void)c;
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = 0;
  return fmi2OK;
}

/* ---- functions that the FMU does not support --------------------------------------------------------------------- */

#define NOT_SUPPORTED(name, ...)                            \
  FMU_EXPORT fmi2Status name(fmi2Component c, __VA_ARGS__); \
  fmi2Status name(fmi2Component c, __VA_ARGS__) { return (fmi2Status)fmu_refuse(instance_of(c), #name); }
_Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")
    NOT_SUPPORTED(fmi2GetDirectionalDerivative, const fmi2ValueReference unknowns[], size_t unknown_count,
                  const fmi2ValueReference knowns[], size_t known_count, const fmi2Real dv[], fmi2Real result[])
        NOT_SUPPORTED(fmi2SetRealInputDerivatives, const fmi2ValueReference vr[], size_t count,
                      const fmi2Integer order[], const fmi2Real values[])
            NOT_SUPPORTED(fmi2GetRealOutputDerivatives, const fmi2ValueReference vr[], size_t count,
                          const fmi2Integer order[], fmi2Real values[])
                NOT_SUPPORTED(fmi2GetStatus, const fmi2StatusKind kind, fmi2Status *value)
                    NOT_SUPPORTED(fmi2GetIntegerStatus, const fmi2StatusKind kind, fmi2Integer *value)
                        NOT_SUPPORTED(fmi2GetStringStatus, const fmi2StatusKind kind, fmi2String *value)

                            FMU_EXPORT fmi2Status fmi2CancelStep(fmi2Component c);
fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)fmu_refuse(instance_of(c), "fmi2CancelStep"); }
