/* A named expression. */
#include "elements/signals/signal.h"

static const mbs_field fields[] = {MBS_SIGNAL_NAME,
                                   {.name = "value",
                                    .kind = MBS_KIND_LAW,
                                    .required = true,
                                    .fallback = NAN,
                                    .doc = "expression of time, states and the quantities that the reader may use"},
                                   MBS_SIGNAL_END};

static void declare(mbs_builder *builder, mbs_document_signal *signal) {
  signal->text = mbs_definition_text(builder, signal->node, "value");
  signal->place = mbs_read_value(signal->node, "value")->pointer;
}

const mbs_signal_class mbs_signal_expression = {
    .base = {.name = "expression",
             .doc = "A named expression. An expression that reads the signal contains it, so both have the same "
                    "derivatives and switches. It may use what its reader may use: positions in constraints, "
                    "also velocities and forces in laws, everything in sensors.",
             .fields = fields,
             .family = MBS_FAMILY_SIGNAL,
             .spaces = MBS_ANY_SPACE},
    .declare = declare,
};
