# Prints the constants of C sources as "file name value", one a line: `static const double` with a number as its value,
# and numbered enum constants whose name says that they limit iterations, steps or trials. Tableaus of methods and
# mathematical constants are left out (docs/theory/thresholds.md states the rule).
function print_constants(text,   parts, count, i, name, value) {
  gsub(/\/\*[^*]*\*\//, "", text)
  sub(/.*(double|enum \{) */, "", text)
  if (kind == "double") while (gsub(/\{[^{}]*\}/, "list", text)) continue
  sub(/ *[;}].*/, "", text)
  count = split(text, parts, /, */)
  for (i = 1; i <= count; i++) {
    if (parts[i] !~ /^ *[A-Za-z_0-9]+ = -?[0-9.][^{]*$/) continue
    name = parts[i]
    sub(/^ */, "", name)
    value = name
    sub(/ =.*/, "", name)
    sub(/.* = */, "", value)
    sub(/ *$/, "", value)
    if (kind == "enum" && name !~ limits) continue
    if (kind == "double" && name ~ /[0-9]|^(mbs_full_turn|pi|degrees|one)$/) continue
    print FILENAME, name, value
  }
}
BEGIN {
  limits = "(^|_)(ITERATIONS|STEPS|HALVINGS|TRIALS|TRIES|ROUNDS|SWEEPS|ATTEMPTS|PATIENCE|REFINEMENTS|REPEATS|SEARCH|" \
           "DEEPEST|NEWTON|INVERSE|FINISH|APPROACH|LEVELS|WORSE|POLLS?|SLSQP|CHATTER|TURN_OVERS|ELSEWHERE|" \
           "WINDOWS?)(_|$)"
}
FILENAME ~ /base\/sines|study\/random/ {next}
kind == "" && /^(static )?const double [A-Za-z_0-9[\]]+ =/ {kind = "double"}
kind == "" && /^ +static const double [A-Za-z_0-9[\]]+ =/ {kind = "double"}
kind == "" && /^ *enum \{.*=/ {kind = "enum"}
kind != "" {
  line = line " " $0
  if (/;/) {
    print_constants(line)
    kind = line = ""
  }
}
