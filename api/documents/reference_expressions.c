#include "api/documents/reference_expressions.h"

#include "api/documents/markdown.h"
#include "mbs.h"

#include <stdio.h>

/* "min(a, b, ...)" */
static void add_call(api_buffer *out, const char *name, int least, int most) {
  char call[100];
  int used = snprintf(call, sizeof call, "%s(a", name);
  for (int i = 1; i < least; i++) used += snprintf(call + used, sizeof call - (size_t)used, ", %c", 'a' + i);
  snprintf(call + used, sizeof call - (size_t)used, most > least ? ", ...)" : ")");
  api_markdown_code(out, call);
}

void api_reference_expressions(api_buffer *out) {
  api_buffer_text(
      out,
      "# expressions\n\n"
      "A text that stands for a number: over parameters and `pi`; in functions of time also over `t`, in curves over "
      "`alpha`, in laws and sensors over the state. Numbers are written `12`, `0.5` or `1e-3`.\n\n"
      "## Operators\n\n"
      "| loosest first | |\n| --- | --- |\n"
      "| <code>a &#124;&#124; b</code> | 1 where one is not 0, else 0 |\n"
      "| `a && b` | 1 where both are not 0, else 0 |\n"
      "| `a < b`, `<=`, `>`, `>=`, `==`, `!=` | 1 where it is so, else 0; not chained |\n"
      "| `a + b`, `a - b` | |\n"
      "| `a*b`, `a/b` | |\n"
      "| `-a`, `!a` | `!a` is 1 where a is 0, else 0 |\n"
      "| `a^b` | from the right: `2^3^2` is `2^9`; `-2^2` is -4 |\n\n"
      "## Functions\n\n"
      "Derivatives are exact, here with `da` for the derivative of `a`; an argument that does not move has none. "
      "Angles are in radians, `log` is the natural logarithm.\n\n"
      "| function | derivative |\n| --- | --- |\n");
  const char *name = NULL, *derivative = NULL;
  int least = 0, most = 0;
  for (size_t i = 0; mbs_function_described(i, &name, &least, &most, &derivative); i++) {
    api_buffer_text(out, "| ");
    add_call(out, name, least, most);
    api_buffer_text(out, " | ");
    api_markdown_code(out, derivative);
    api_buffer_text(out, " |\n");
  }
  api_buffer_text(
      out,
      "\nWhere a function has a kink or a jump, the derivative is the one beside it. `mod(a, b)` has the sign of b. "
      "`if(a, b, c)` is b where a is not 0, else c. `smoothstep(a, b, c, d, e)` goes from c at a = b to e at a = d, "
      "with two continuous derivatives, and is constant outside.\n");
}
