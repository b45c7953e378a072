/* The classes of a study, which stands beside a model. */
#include "mbs.h"

#include <math.h>

#define END \
  { .name = NULL }

enum { VALUES_MAX = 1000000, VARIED_MAX = 1000, OUTPUTS_MAX = 1000 };

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
     .doc = "number of runs, where values are drawn"},
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
     .required = true,
     .doc = "what is kept of each run"},
    {.name = "gradient", .kind = MBS_KIND_BOOL, .doc = "derivatives of the outputs in the parameters, of each run"},
    END};
static const mbs_class study_class = {
    .name = "study", .doc = "Many runs of one model, with other values of its parameters.", .fields = study_fields};

const mbs_class *mbs_class_study(void) { return &study_class; }
