/* The classes of a study, which stands beside a model. */
#include "mbs.h"

#include <math.h>

#define END \
  { .name = NULL }

enum { VALUES_MAX = 1000000, VARIED_MAX = 1000, OUTPUTS_MAX = 1000, CONSTRAINTS_MAX = 1000, DATA_MAX = 100000 };

static const mbs_field vary_fields[] = {
    {.name = "parameter", .kind = MBS_KIND_TEXT, .required = true, .doc = "an entry of the model's parameters"},
    {.name = "values",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = VALUES_MAX,
     .fallback = NAN,
     .doc = "its values, in a grid or a list"},
    {.name = "from", .kind = MBS_KIND_NUMBER, .fallback = NAN, .doc = "first of equal steps, with 'to' and 'count'"},
    {.name = "to", .kind = MBS_KIND_NUMBER, .fallback = NAN, .doc = "last of equal steps"},
    {.name = "count",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 1,
     .high = VALUES_MAX,
     .doc = "number of values from 'from' to 'to', both included"},
    {.name = "scale",
     .kind = MBS_KIND_CHOICE,
     .choices = "linear|log",
     .fallback_text = "linear",
     .doc = "equal differences, or equal ratios, between them"},
    {.name = "normal",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .doc = "mean and standard deviation of a normal distribution, where values are drawn"},
    {.name = "uniform",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .doc = "ends of a uniform distribution, where values are drawn"},
    {.name = "bounds",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .doc = "least and greatest value that optimize and fit try; without them there is none"},
    {.name = "start",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .doc = "where optimize and fit begin; without it, at the document's value, or in the middle of the bounds where "
            "that is outside"},
    END};
static const mbs_class vary_class = {
    .name = "vary",
    .doc = "A parameter of a study. With its name alone it keeps the value that the document gives.",
    .fields = vary_fields};

static const mbs_field output_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "label of its column"},
    {.name = "of",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .doc = "a sensor's name, or any expression that a sensor may have; of a linearization also frequencies[1], "
            "damping_ratios[1], eigenvalues[1].re, eigenvalues[1].im"},
    {.name = "take",
     .kind = MBS_KIND_CHOICE,
     .choices = "final|initial|at|min|max|time_of_min|time_of_max|mean|rms|integral",
     .fallback_text = "final",
     .doc = "what is kept of its motion, which counts between reporting times, too"},
    {.name = "at", .kind = MBS_KIND_NUMBER, .fallback = NAN, .unit = "s", .doc = "of \"take\": \"at\": the time"},
    {.name = "when",
     .kind = MBS_KIND_LAW,
     .fallback = NAN,
     .doc = "of \"take\": \"at\": the instant when this expression is zero"},
    {.name = "direction",
     .kind = MBS_KIND_CHOICE,
     .choices = "either|rising|falling",
     .fallback_text = "either",
     .doc = "how it passes through zero then"},
    {.name = "count",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .low = 1,
     .high = 1e9,
     .doc = "at which of these zeros, counted from 1"},
    END};
static const mbs_class output_class = {
    .name = "output", .doc = "A number that a study keeps of each run.", .fields = output_fields};

static const mbs_field optimize_fields[] = {
    {.name = "minimize",
     .kind = MBS_KIND_TEXT,
     .doc = "an expression of outputs and parameters that is to become small"},
    {.name = "maximize", .kind = MBS_KIND_TEXT, .doc = "or one that is to become large"},
    {.name = "subject_to",
     .kind = MBS_KIND_TEXT,
     .min_count = 0,
     .max_count = CONSTRAINTS_MAX,
     .doc = "constraints, two expressions of outputs and parameters with <=, >= or == between them"},
    {.name = "method",
     .kind = MBS_KIND_CHOICE,
     .choices = "auto|local|global",
     .fallback_text = "auto",
     .doc = "local: from the start; auto: from the best of the start and a few points within the bounds; global: all "
            "of the bounds are searched, with at most 'runs' evaluations"},
    END};
static const mbs_class optimize_class = {
    .name = "optimize",
    .doc = "What is sought: values of the parameters, within their bounds, for which an expression is least.",
    .fields = optimize_fields};

static const mbs_field datum_fields[] = {
    {.name = "of",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .doc = "what was measured: as of an output"},
    {.name = "t",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = DATA_MAX,
     .fallback = NAN,
     .unit = "s",
     .doc = "when; not where the analysis is of one state"},
    {.name = "values",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = DATA_MAX,
     .fallback = NAN,
     .required = true,
     .doc = "what was measured then"},
    {.name = "sigma",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = DATA_MAX,
     .or_single = true,
     .fallback = 1,
     .doc = "its standard deviation, one for all or one for each; without any the data tell how good they are"},
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
     .doc = "what was measured"},
    {.name = "method",
     .kind = MBS_KIND_CHOICE,
     .choices = "auto|local|global",
     .fallback_text = "auto",
     .doc =
         "local: from the start; auto: from the best of the start and a few points within the bounds; global: all "
         "of the bounds are searched, with at most 'runs' evaluations, as a frequency needs that is fitted to a long "
         "record"},
    END};
static const mbs_class fit_class = {.name = "fit",
                                    .doc = "Values of the parameters, within their bounds, that agree with data best: "
                                           "the sum of ((model - value) / sigma)^2 is least.",
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
     .doc = "grid: all combinations, the last parameter fastest; list: the first values together, then the second, "
            "...; the others draw values from distributions"},
    {.name = "runs",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 1,
     .high = INFINITY,
     .doc = "number of runs, where values are drawn; with optimize and fit the most that are tried"},
    {.name = "seed",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1,
     .low = 0,
     .high = 9007199254740992,
     .doc = "another one draws other values"},
    {.name = "outputs",
     .kind = MBS_KIND_OBJECT,
     .of = &output_class,
     .min_count = 1,
     .max_count = OUTPUTS_MAX,
     .doc = "what is kept of each run; a fit may go without"},
    {.name = "gradient", .kind = MBS_KIND_BOOL, .doc = "derivatives of the outputs in the parameters, of each run"},
    {.name = "optimize", .kind = MBS_KIND_OBJECT, .of = &optimize_class, .doc = "the best values are sought"},
    {.name = "fit", .kind = MBS_KIND_OBJECT, .of = &fit_class, .doc = "those that agree with data are sought"},
    END};
static const mbs_class study_class = {
    .name = "study", .doc = "Many runs of one model, with other values of its parameters.", .fields = study_fields};

const mbs_class *mbs_class_study(void) { return &study_class; }
