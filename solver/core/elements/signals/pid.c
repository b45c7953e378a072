/* A PID controller with anti-windup:
 *
 *   u = kp e + ki I + kd N (e - D),   I' = e,   D' = N (e - D),   D(0) = e(0),
 *
 * within its limits. I' = 0 while u is limited and e drives it further. Without a filter the derivative is that of e.
 */
#include "elements/signals/signal.h"

#include <string.h>

static const mbs_field fields[] = {
    MBS_SIGNAL_NAME,
    {.name = "input", .kind = MBS_KIND_LAW, .required = true, .fallback = NAN, .doc = "control error e"},
    {.name = "kp", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "proportional gain"},
    {.name = "ki", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "integral gain"},
    {.name = "kd", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "derivative gain"},
    {.name = "filter",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .doc = "bandwidth N of the derivative's filter in 1/s; default: none, the derivative is exact and the input "
            "depends on "
            "positions, time and states only"},
    {.name = "limits",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 2,
     .fallback = NAN,
     .doc = "smallest and largest value of the signal; default: none"},
    MBS_SIGNAL_END};

enum { LOCALS = 12 };

static void declare(mbs_builder *builder, mbs_document_signal *signal) {
  static const char *const numbers[] = {"kp", "ki", "kd"};
  const mbs_node *node = signal->node;
  const bool integrates = mbs_read_given(node, "ki"), derives = mbs_read_given(node, "kd"),
             filters = derives && mbs_read_given(node, "filter"), limited = mbs_read_value(node, "limits")->count == 2;
  mbs_local_name *local = mbs_builder_alloc(builder, LOCALS, sizeof *local);
  if (!local) return;
  signal->locals = local;
  signal->place = mbs_read_value(node, "input")->pointer;
  if (!signal->place) signal->place = node->pointer;
  *local++ = (mbs_local_name){.name = "e", .text = mbs_definition_text(builder, node, "input")};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    *local++ = (mbs_local_name){.name = numbers[k], .text = mbs_definition_text(builder, node, numbers[k])};
  if (integrates) {
    const char *rate = limited ? "if(u > most && ki*e > 0 || u < least && ki*e < 0, 0, e)" : "e";
    *local++ = (mbs_local_name){.name = "I", .input = mbs_signal_add_state(builder, signal, rate, false)};
  }
  if (filters) {
    *local++ = (mbs_local_name){.name = "N", .text = mbs_definition_text(builder, node, "filter")};
    *local++ = (mbs_local_name){.name = "D", .input = mbs_signal_add_state(builder, signal, "N*(e - D)", true)};
  } else if (derives) {
    *local++ = (mbs_local_name){.name = "rate", .input = mbs_signal_input_rate(builder, signal)};
  }
  const char *text = mbs_arena_format(builder->arena, "kp*e%s%s", integrates ? " + ki*I" : "",
                                      filters   ? " + kd*N*(e - D)"
                                      : derives ? " + kd*rate"
                                                : "");
  /* a copy, as the compiler knows definitions by their address */
  signal->text = limited ? mbs_arena_text(builder->arena, "max(least, min(most, u))") : text;
  builder->failed |= !text || !signal->text;
  if (!limited) return;
  *local++ = (mbs_local_name){.name = "least", .text = mbs_definition_item(builder, node, "limits", 0)};
  *local++ = (mbs_local_name){.name = "most", .text = mbs_definition_item(builder, node, "limits", 1)};
  *local++ = (mbs_local_name){.name = "u", .text = text, .of_locals = true};
}

static void check(mbs_binder *binder, const mbs_document_signal *signal) {
  static const char *const numbers[] = {"kp", "ki", "kd", "filter"};
  double limits[2] = {0, 0};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (mbs_read_given(signal->node, numbers[k])) mbs_read_number(binder, signal->node, numbers[k]);
  if (mbs_read_numbers(binder, signal->node, "limits", limits, 2) == 2 && !(limits[0] < limits[1]))
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(signal->node, "limits")->pointer,
                 "the first limit, %g, must be smaller than the second, %g", limits[0], limits[1]);
}

const mbs_signal_class mbs_signal_pid = {
    .base = {.name = "pid",
             .doc = "A PID controller. Its integrator stops while the limits hold the output and the error drives it "
                    "further (anti-windup).",
             .equation = "u = kp e + ki I + kd N (e - D)\nI' = e, D' = N (e - D), D(0) = e(0)",
             .fields = fields,
             .family = MBS_FAMILY_SIGNAL,
             .spaces = MBS_ANY_SPACE},
    .declare = declare,
    .check = check,
};
