/* fmi3.c - the functions of FMI 3.0 for co-simulation (https://fmi-standard.org). A library must export all functions
 * of the standard; those that the FMU does not support return an error. */
#include "fmi3.h"
#include "instance.h"

#include <stdlib.h>
#include <string.h>

/* An instance with the importing program's functions. */
typedef struct component {
  fmu_instance *instance;
  fmi3LogMessageCallback log;
  fmi3InstanceEnvironment environment;
} component;

static fmu_instance *instance_of(fmi3Instance c) { return ((component *)c)->instance; }

static void log_message(void *context, fmu_status status, const char *category, const char *message) {
  const component *self = context;
  if (self->log) self->log(self->environment, (fmi3Status)status, category, message);
}

#define FMI3_FUNCTION(type, name, ...) \
  FMU_EXPORT type name(__VA_ARGS__);   \
  type name(__VA_ARGS__)

FMI3_FUNCTION(const char *, fmi3GetVersion, void) { return "3.0"; }

/* ---- creation ---------------------------------------------------------------------------------------------------- */

FMI3_FUNCTION(void, fmi3FreeInstance, fmi3Instance c) {
  if (!c) return;
  fmu_instance_free(instance_of(c));
  free(c);
}

FMI3_FUNCTION(fmi3Instance, fmi3InstantiateCoSimulation, fmi3String name, fmi3String token, fmi3String folder,
              fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
              const fmi3ValueReference intermediate[], size_t intermediate_count, fmi3InstanceEnvironment environment,
              fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  (void)name, (void)visible, (void)event_mode, (void)early_return;
  (void)logging; /* there are no messages but those of errors and discarded steps */
  (void)intermediate, (void)intermediate_count, (void)update;
  component *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->log = log;
  self->environment = environment;
  const fmu_host host = {self, log_message};
  self->instance = fmu_instance_new(&host, token, folder);
  if (self->instance) return self;
  free(self);
  return NULL;
}

FMI3_FUNCTION(fmi3Instance, fmi3InstantiateModelExchange, fmi3String name, fmi3String token, fmi3String folder,
              fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment,
              fmi3LogMessageCallback log) {
  (void)name, (void)token, (void)folder, (void)visible, (void)logging;
  if (log) log(environment, fmi3Error, "logStatusError", "the FMU is for co-simulation only");
  return NULL;
}

FMI3_FUNCTION(fmi3Instance, fmi3InstantiateScheduledExecution, fmi3String name, fmi3String token, fmi3String folder,
              fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
              fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock) {
  (void)update, (void)lock, (void)unlock;
  return fmi3InstantiateModelExchange(name, token, folder, visible, logging, environment, log);
}

FMI3_FUNCTION(fmi3Status, fmi3SetDebugLogging, fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String list[]) {
  return (fmi3Status)fmu_set_logging(instance_of(c), on, count, list);
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* The document determines the tolerance; the end is not needed. */
FMI3_FUNCTION(fmi3Status, fmi3EnterInitializationMode, fmi3Instance c, fmi3Boolean tolerance_defined,
              fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  return (fmi3Status)fmu_enter_initialization(instance_of(c), start);
}

FMI3_FUNCTION(fmi3Status, fmi3ExitInitializationMode, fmi3Instance c) {
  return (fmi3Status)fmu_exit_initialization(instance_of(c));
}

FMI3_FUNCTION(fmi3Status, fmi3Terminate, fmi3Instance c) { return (fmi3Status)fmu_terminate(instance_of(c)); }

FMI3_FUNCTION(fmi3Status, fmi3Reset, fmi3Instance c) { return (fmi3Status)fmu_reset(instance_of(c)); }

/* ---- values ------------------------------------------------------------------------------------------------------ */

FMI3_FUNCTION(fmi3Status, fmi3GetFloat64, fmi3Instance c, const fmi3ValueReference vr[], size_t count,
              fmi3Float64 values[], size_t value_count) {
  if (count != value_count) return (fmi3Status)fmu_refuse(instance_of(c), "a number of values other than variables");
  return (fmi3Status)fmu_get(instance_of(c), vr, count, values);
}

FMI3_FUNCTION(fmi3Status, fmi3SetFloat64, fmi3Instance c, const fmi3ValueReference vr[], size_t count,
              const fmi3Float64 values[], size_t value_count) {
  if (count != value_count) return (fmi3Status)fmu_refuse(instance_of(c), "a number of values other than variables");
  return (fmi3Status)fmu_set(instance_of(c), vr, count, values);
}

/* Functions for variables of the other types, of which there are none. */
#define NO_VARIABLES(type)                                                                              \
  FMI3_FUNCTION(fmi3Status, fmi3Get##type, fmi3Instance c, const fmi3ValueReference vr[], size_t count, \
                fmi3##type values[], size_t value_count) {                                              \
    (void)vr, (void)values, (void)value_count;                                                          \
    return count == 0 ? fmi3OK : (fmi3Status)fmu_refuse(instance_of(c), "fmi3Get" #type);               \
  }                                                                                                     \
  FMI3_FUNCTION(fmi3Status, fmi3Set##type, fmi3Instance c, const fmi3ValueReference vr[], size_t count, \
                const fmi3##type values[], size_t value_count) {                                        \
    (void)vr, (void)values, (void)value_count;                                                          \
    return count == 0 ? fmi3OK : (fmi3Status)fmu_refuse(instance_of(c), "fmi3Set" #type);               \
  }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

/* ---- states ------------------------------------------------------------------------------------------------------ */

FMI3_FUNCTION(fmi3Status, fmi3GetFMUState, fmi3Instance c, fmi3FMUState *state) {
  return (fmi3Status)fmu_state_get(instance_of(c), (fmu_state **)state);
}

FMI3_FUNCTION(fmi3Status, fmi3SetFMUState, fmi3Instance c, fmi3FMUState state) {
  return (fmi3Status)fmu_state_set(instance_of(c), state);
}

FMI3_FUNCTION(fmi3Status, fmi3FreeFMUState, fmi3Instance c, fmi3FMUState *state) {
  (void)c;
  if (!state) return fmi3OK;
  free(*state);
  *state = NULL;
  return fmi3OK;
}

FMI3_FUNCTION(fmi3Status, fmi3SerializedFMUStateSize, fmi3Instance c, fmi3FMUState state, size_t *size) {
  (void)c;
  *size = ((const fmu_state *)state)->size;
  return fmi3OK;
}

FMI3_FUNCTION(fmi3Status, fmi3SerializeFMUState, fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  const fmu_state *from = state;
  if (size < from->size) return (fmi3Status)fmu_refuse(instance_of(c), "a buffer smaller than the state");
  memcpy(bytes, from->bytes, from->size);
  return fmi3OK;
}

FMI3_FUNCTION(fmi3Status, fmi3DeserializeFMUState, fmi3Instance c, const fmi3Byte bytes[], size_t size,
              fmi3FMUState *state) {
  return (fmi3Status)fmu_state_read(instance_of(c), bytes, size, (fmu_state **)state);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

FMI3_FUNCTION(fmi3Status, fmi3DoStep, fmi3Instance c, fmi3Float64 t, fmi3Float64 length, fmi3Boolean no_earlier,
              fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return, fmi3Float64 *reached) {
  (void)no_earlier;
  const fmu_status status = fmu_step(instance_of(c), t, length);
  *event_needed = *terminate = *early_return = false;
  *reached = fmu_time(instance_of(c));
  return (fmi3Status)status;
}

/* ---- functions that the FMU does not support --------------------------------------------------------------------- */

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NOT_SUPPORTED(name, ...) \
  FMI3_FUNCTION(fmi3Status, name, fmi3Instance c, __VA_ARGS__) { return (fmi3Status)fmu_refuse(instance_of(c), #name); }
#define VARIABLES const fmi3ValueReference vr[], size_t count

NOT_SUPPORTED(fmi3GetBinary, VARIABLES, size_t sizes[], fmi3Binary values[], size_t value_count)
NOT_SUPPORTED(fmi3SetBinary, VARIABLES, const size_t sizes[], const fmi3Binary values[], size_t value_count)
NOT_SUPPORTED(fmi3GetClock, VARIABLES, fmi3Clock values[])
NOT_SUPPORTED(fmi3SetClock, VARIABLES, const fmi3Clock values[])
NOT_SUPPORTED(fmi3GetNumberOfVariableDependencies, fmi3ValueReference dependent, size_t *count)
NOT_SUPPORTED(fmi3GetVariableDependencies, fmi3ValueReference dependent, size_t elements[],
              fmi3ValueReference independents[], size_t independent_elements[], fmi3DependencyKind kinds[],
              size_t count)
NOT_SUPPORTED(fmi3GetDirectionalDerivative, const fmi3ValueReference unknowns[], size_t unknown_count,
              const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[], size_t seed_count,
              fmi3Float64 result[], size_t result_count)
NOT_SUPPORTED(fmi3GetAdjointDerivative, const fmi3ValueReference unknowns[], size_t unknown_count,
              const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[], size_t seed_count,
              fmi3Float64 result[], size_t result_count)
NOT_SUPPORTED(fmi3GetOutputDerivatives, VARIABLES, const fmi3Int32 orders[], fmi3Float64 values[], size_t value_count)
NOT_SUPPORTED(fmi3GetIntervalDecimal, VARIABLES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
NOT_SUPPORTED(fmi3GetIntervalFraction, VARIABLES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
              fmi3IntervalQualifier qualifiers[])
NOT_SUPPORTED(fmi3GetShiftDecimal, VARIABLES, fmi3Float64 shifts[])
NOT_SUPPORTED(fmi3GetShiftFraction, VARIABLES, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
NOT_SUPPORTED(fmi3SetIntervalDecimal, VARIABLES, const fmi3Float64 intervals[])
NOT_SUPPORTED(fmi3SetIntervalFraction, VARIABLES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
NOT_SUPPORTED(fmi3SetShiftDecimal, VARIABLES, const fmi3Float64 shifts[])
NOT_SUPPORTED(fmi3SetShiftFraction, VARIABLES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
NOT_SUPPORTED(fmi3UpdateDiscreteStates, fmi3Boolean *need_update, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
              fmi3Boolean *values_changed, fmi3Boolean *event_time_defined, fmi3Float64 *event_time)
NOT_SUPPORTED(fmi3CompletedIntegratorStep, fmi3Boolean no_earlier, fmi3Boolean *event_mode, fmi3Boolean *terminate)
NOT_SUPPORTED(fmi3SetTime, fmi3Float64 time)
NOT_SUPPORTED(fmi3SetContinuousStates, const fmi3Float64 states[], size_t count)
NOT_SUPPORTED(fmi3GetContinuousStateDerivatives, fmi3Float64 derivatives[], size_t count)
NOT_SUPPORTED(fmi3GetEventIndicators, fmi3Float64 indicators[], size_t count)
NOT_SUPPORTED(fmi3GetContinuousStates, fmi3Float64 states[], size_t count)
NOT_SUPPORTED(fmi3GetNominalsOfContinuousStates, fmi3Float64 nominals[], size_t count)
NOT_SUPPORTED(fmi3GetNumberOfEventIndicators, size_t *count)
NOT_SUPPORTED(fmi3GetNumberOfContinuousStates, size_t *count)
NOT_SUPPORTED(fmi3ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time)

#define NOT_SUPPORTED_MODE(name) \
  FMI3_FUNCTION(fmi3Status, name, fmi3Instance c) { return (fmi3Status)fmu_refuse(instance_of(c), #name); }
NOT_SUPPORTED_MODE(fmi3EnterEventMode)
NOT_SUPPORTED_MODE(fmi3EnterConfigurationMode)
NOT_SUPPORTED_MODE(fmi3ExitConfigurationMode)
NOT_SUPPORTED_MODE(fmi3EvaluateDiscreteStates)
NOT_SUPPORTED_MODE(fmi3EnterContinuousTimeMode)
NOT_SUPPORTED_MODE(fmi3EnterStepMode)
