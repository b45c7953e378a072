"""Describes the functions of mbs/mbsd.h to cffi, which compiles the extension _mbsd._library against them."""

import os

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("MBSD_SOURCE", os.path.join(HERE, "..", ".."))
BUILD = os.environ.get("MBSD_BUILD", os.path.join(SOURCE, "build", "release"))

builder = cffi.FFI()
builder.cdef("""
    typedef struct mbs_array {
        const char *name, *unit, *doc;
        int rank;
        size_t shape[4];
        const char *const *labels;
        const char *const *units;
        double *data;
        bool timeless;
        ...;
    } mbs_array;

    typedef enum mbsd_status { MBSD_SUCCEEDED, MBSD_FAILED, MBSD_CANCELLED, MBSD_INVALID } mbsd_status;
    typedef struct mbsd_answer mbsd_answer;
    mbsd_status mbsd_answer_status(const mbsd_answer *answer);
    const char *mbsd_answer_json(const mbsd_answer *answer);
    const char *mbsd_answer_error(const mbsd_answer *answer);
    const mbs_array *mbsd_answer_arrays(const mbsd_answer *answer, size_t *count);
    const void *mbsd_answer_bytes(const mbsd_answer *answer, size_t *size);
    void mbsd_answer_free(mbsd_answer *answer);

    typedef struct mbsd_control {
        bool (*progress)(void *user, double t, double fraction);
        void *user;
        size_t threads;
    } mbsd_control;
    mbsd_answer *mbsd_run(const char *text, size_t size, const mbsd_control *control);

    mbsd_answer *mbsd_check(const char *text, size_t size);

    typedef struct mbsd_simulation mbsd_simulation;
    typedef struct mbsd_variable {
        const char *name, *unit, *array;
        double start;
    } mbsd_variable;
    mbsd_simulation *mbsd_simulation_new(const char *text, size_t size, mbsd_answer **refusal);
    void mbsd_simulation_free(mbsd_simulation *simulation);
    const mbsd_variable *mbsd_simulation_inputs(const mbsd_simulation *simulation, size_t *count);
    const mbsd_variable *mbsd_simulation_parameters(const mbsd_simulation *simulation, size_t *count);
    const mbsd_variable *mbsd_simulation_outputs(const mbsd_simulation *simulation, size_t *count);
    mbsd_answer *mbsd_simulation_reset(mbsd_simulation *simulation, const char *changes);
    bool mbsd_simulation_set_inputs(mbsd_simulation *simulation, const double *values);
    bool mbsd_simulation_step(mbsd_simulation *simulation, double dt);
    double mbsd_simulation_time(const mbsd_simulation *simulation);
    bool mbsd_simulation_read(mbsd_simulation *simulation, const size_t *outputs, size_t count, double *values);
    void mbsd_simulation_step_all(mbsd_simulation *const *simulations, size_t simulation_count, const double *inputs,
                                  double dt, const size_t *outputs, size_t count, double *values, bool *good);
    size_t mbsd_simulation_state_size(const mbsd_simulation *simulation);
    void mbsd_simulation_get_state(mbsd_simulation *simulation, void *state);
    bool mbsd_simulation_set_state(mbsd_simulation *simulation, const void *state, size_t size);
    const char *mbsd_simulation_error(mbsd_simulation *simulation);

    typedef struct mbsd_import_options {
        const char *format, *main_file, *keyframe;
        bool floating, partial;
    } mbsd_import_options;
    mbsd_answer *mbsd_import(const char *path, const mbsd_import_options *options);
    mbsd_answer *mbsd_export_fmu(const char *text, size_t size);
    mbsd_answer *mbsd_schema(void);

    extern "Python" bool mbsd_go_on(void *user, double t, double fraction);
""")
# The library lies beside the extension.
builder.set_source("_mbsd._library", '#include "mbs/mbsd.h"', libraries=["mbs"], library_dirs=[BUILD],
                   include_dirs=[os.path.join(SOURCE, folder) for folder in ("library", "solver")],
                   extra_link_args=["-Wl,-rpath,$ORIGIN"], py_limited_api=True)
