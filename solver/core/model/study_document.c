/* The classes of a study, which is given with a model. */
#include "mbs/document.h"

#include <math.h>

#define END \
  { .name = NULL }

enum { VALUES_MAX = 1000000, VARIED_MAX = 1000, OUTPUTS_MAX = 1000, CONSTRAINTS_MAX = 1000, DATA_MAX = 100000 };

static const mbs_field vary_fields[] = {
    {.name = "parameter", .kind = MBS_KIND_TEXT, .required = true, .doc = "name of a parameter of the model"},
    {.name = "values",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = VALUES_MAX,
     .fallback = NAN,
     .doc = "values of the parameter, for grid and list"},
    {.name = "from",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .doc = "first value of equal steps, together with 'to' and 'count'"},
    {.name = "to", .kind = MBS_KIND_NUMBER, .fallback = NAN, .doc = "last value of equal steps"},
    {.name = "count",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 1,
     .high = VALUES_MAX,
     .doc = "number of values from 'from' to 'to', ends included"},
    {.name = "scale",
     .kind = MBS_KIND_CHOICE,
     .choices = "linear|log",
     .fallback_text = "linear",
     .doc = "linear: equal steps; log: equal ratios"},
    {.name = "normal",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .doc = "mean and standard deviation of a normal distribution"},
    {.name = "uniform",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .doc = "lower and upper end of a uniform distribution"},
    {.name = "bounds",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .doc = "lower and upper bound for optimize and fit; default: unbounded"},
    {.name = "start",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .doc = "starting value of optimize and fit; default: the value in the document, or the middle of the bounds if "
            "that value is outside"},
    END};
static const mbs_class vary_class = {.name = "vary",
                                     .doc =
                                         "A parameter of a study. With only a name it keeps the value of the document.",
                                     .fields = vary_fields};

static const mbs_field output_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "label of its column"},
    {.name = "of",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .doc = "the name of a sensor, or any expression that a sensor may have; for a linearization also frequencies[1], "
            "damping_ratios[1], eigenvalues[1].re, eigenvalues[1].im"},
    {.name = "take",
     .kind = MBS_KIND_CHOICE,
     .choices = "final|initial|at|min|max|time_of_min|time_of_max|mean|rms|integral",
     .fallback_text = "final",
     .doc = "value taken from the motion, also between reporting times"},
    {.name = "at", .kind = MBS_KIND_NUMBER, .fallback = NAN, .unit = "s", .doc = "for \"take\": \"at\": the time"},
    {.name = "when",
     .kind = MBS_KIND_LAW,
     .fallback = NAN,
     .doc = "for \"take\": \"at\": the expression whose zero sets the time"},
    {.name = "direction",
     .kind = MBS_KIND_CHOICE,
     .choices = "either|rising|falling",
     .fallback_text = "either",
     .doc = "direction of the zero crossing"},
    {.name = "count",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .low = 1,
     .high = 1e9,
     .doc = "number of the zero, counted from 1"},
    END};
static const mbs_class output_class = {
    .name = "output", .doc = "A scalar result of each run of a study.", .fields = output_fields};

static const mbs_field optimize_fields[] = {
    {.name = "minimize", .kind = MBS_KIND_TEXT, .doc = "expression of outputs and parameters to minimize"},
    {.name = "maximize", .kind = MBS_KIND_TEXT, .doc = "expression of outputs and parameters to maximize"},
    {.name = "subject_to",
     .kind = MBS_KIND_TEXT,
     .min_count = 0,
     .max_count = CONSTRAINTS_MAX,
     .doc = "constraints, two expressions of outputs and parameters with <=, >= or == between them"},
    {.name = "method",
     .kind = MBS_KIND_CHOICE,
     .choices = "auto|local|global",
     .fallback_text = "auto",
     .doc = "local: from the start; auto: from the best of the start and a few points within the bounds; global: "
            "search all of the bounds with at most 'runs' evaluations"},
    END};
static const mbs_class optimize_class = {
    .name = "optimize",
    .doc = "Searches for parameter values within their bounds for which an expression is minimal.",
    .fields = optimize_fields};

static const mbs_field datum_fields[] = {{.name = "of",
                                          .kind = MBS_KIND_LAW,
                                          .required = true,
                                          .fallback = NAN,
                                          .doc = "measured quantity, as 'of' of an output"},
                                         {.name = "t",
                                          .kind = MBS_KIND_NUMBER,
                                          .min_count = 1,
                                          .max_count = DATA_MAX,
                                          .fallback = NAN,
                                          .unit = "s",
                                          .doc = "times of the values; absent for analyses of one state"},
                                         {.name = "values",
                                          .kind = MBS_KIND_NUMBER,
                                          .min_count = 1,
                                          .max_count = DATA_MAX,
                                          .fallback = NAN,
                                          .required = true,
                                          .doc = "measured values at these times"},
                                         {.name = "sigma",
                                          .kind = MBS_KIND_NUMBER,
                                          .min_count = 1,
                                          .max_count = DATA_MAX,
                                          .or_single = true,
                                          .fallback = 1,
                                          .doc = "standard deviation, one number for all values or one for each; "
                                                 "default: estimated from the residuals"},
                                         END};
static const mbs_class datum_class = {
    .name = "data", .doc = "Measured values of one quantity.", .fields = datum_fields};

static const mbs_field fit_fields[] = {
    {.name = "data",
     .kind = MBS_KIND_OBJECT,
     .of = &datum_class,
     .min_count = 1,
     .max_count = OUTPUTS_MAX,
     .required = true,
     .doc = "measured quantities"},
    {.name = "method",
     .kind = MBS_KIND_CHOICE,
     .choices = "auto|local|global",
     .fallback_text = "auto",
     .doc =
         "local: from the start; auto: from the best of the start and a few points within the bounds; global: search "
         "all of the bounds with at most 'runs' evaluations, for example to fit a frequency to a long record"},
    END};
static const mbs_class fit_class = {.name = "fit",
                                    .doc = "Searches for parameter values within their bounds that fit data best: the "
                                           "sum of ((model - value) / sigma)^2 is minimal.",
                                    .fields = fit_fields};

static const mbs_field study_fields[] = {
    {.name = "vary",
     .kind = MBS_KIND_OBJECT,
     .of = &vary_class,
     .min_count = 1,
     .max_count = VARIED_MAX,
     .required = true,
     .doc = "the parameters and their values"},
    {.name = "design",
     .kind = MBS_KIND_CHOICE,
     .choices = "grid|list|random|latin-hypercube|sobol",
     .fallback_text = "grid",
     .doc = "grid: all combinations, the last parameter changes fastest; list: the first value of each parameter, then "
            "the second of each, ...; the other designs draw random values"},
    {.name = "runs",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 1,
     .high = INFINITY,
     .doc = "number of runs for designs that draw values; for optimize and fit the largest number of trials"},
    {.name = "seed",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .low = 0,
     .high = 9007199254740992,
     .doc = "seed of the random numbers"},
    {.name = "outputs",
     .kind = MBS_KIND_OBJECT,
     .of = &output_class,
     .min_count = 1,
     .max_count = OUTPUTS_MAX,
     .doc = "outputs of each run; optional for a fit"},
    {.name = "gradient",
     .kind = MBS_KIND_BOOL,
     .doc = "compute the derivatives of the outputs by the parameters for each run"},
    {.name = "optimize",
     .kind = MBS_KIND_OBJECT,
     .of = &optimize_class,
     .doc = "search for the best values of the parameters"},
    {.name = "fit", .kind = MBS_KIND_OBJECT, .of = &fit_class, .doc = "search for parameter values that fit data"},
    END};
static const mbs_class study_class = {
    .name = "study", .doc = "Many runs of one model with different parameter values.", .fields = study_fields};

const mbs_class *mbs_class_study(void) { return &study_class; }
