# Prints a job's report, or {"error": ...}, as plain text: one line a field, then a table for each list of objects.
def words: gsub("_"; " ");
def is_scalar: type != "object" and type != "array";
def is_short: is_scalar or (type == "array" and all(.[]; is_scalar));
def cell:
  if . == null then "-"
  elif type == "boolean" then (if . then "yes" else "no" end)
  elif type == "array" then map(cell) | join(", ")
  elif type == "object" then to_entries | map("\(.key | words) \(.value | cell)") | join(", ")
  else tostring end;
def pad($width): . + (" " * ($width - length) // "");

# Rows that are objects of the same fields, as lines of aligned columns under their names.
def table:
  (.[0] | keys_unsorted) as $columns
  | [$columns | map(words)] + map([.[$columns[]] | cell])
  | transpose | map((map(length) | max) as $width | map(pad($width)))
  | transpose | .[] | "  " + (join("  ") | sub(" +$"; ""));

# The initial conditions as rows: a coordinate or velocity, before and after the correction.
def initial_rows:
  [.labels, .before, .after] | map(.coordinates + .velocities) | transpose
  | map({label: .[0], before: .[1], after: .[2]});

if .initial_conditions then
  .correction = (.initial_conditions | del(.labels, .before, .after))
  | .initial_conditions |= initial_rows
else . end
| to_entries | map(select(.value != null and .value != [] and .value != ""))
| map(select(.value | is_short)) as $short
| ($short | map(.key | length) | max) as $width
| ($short[] | "\(.key | words | pad($width))  \(.value | cell)"),
  (.[] | select(.value | is_short | not)
   | "\(.key | words):",
     (.value | if type == "array" then table else to_entries[] | "  \(.key | words): \(.value | cell)" end))
