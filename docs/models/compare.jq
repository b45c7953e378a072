# What the seeds print of the models beside what the program computes: {"NAME": Markdown}. Inputs are result arrays,
# FOLDER/NAME/PLACE/ARRAY.json of the runs that runs.jq asks for, FOLDER/NAME/understood.json (mbs validate --json), and the
# results that seeds.json names, FOLDER/NAME.json. Variables: $seeds, tests/reference/seeds.json; $misprints, a list of them.

# A number with n significant digits.
def shown(n):
  def digits(m): m | tostring | . + "0" * (n - length);
  if . == 0 then "0"
  elif . < 0 then "-" + (-. | shown(n))
  else
    (log10 | floor) as $at
    | (. / pow(10; $at - n + 1) | round) as $rounded
    | (if $rounded >= pow(10; n) then [$rounded / 10, $at + 1] else [$rounded, $at] end) as [$digits, $exponent]
    | ($digits | tostring | sub("0+$"; "")) as $text
    | if $exponent >= n or $exponent < -4 then
        $text[:1] + (if ($text | length) > 1 then "." + $text[1:] else "" end) + "e\($exponent)"
      elif $exponent < 0 then "0." + "0" * (-$exponent - 1) + $text
      elif ($text | length) > $exponent + 1 then $text[: $exponent + 1] + "." + $text[$exponent + 1 :]
      else $text + ("0" * ($exponent + 1 - ($text | length)) // "")
      end
  end;

def row(cells): "| \(cells | join(" | ")) |";
def table(head; rows): [row(head), row(head | map("---")), rows] | join("\n");
def cell: gsub("\\|"; "\\|");

# The row of an array at an instant, as one list.
def at($run; $t): ([$run.T.data[] - $t | fabs] | index(min)) as $i | .data[$i] | [.] | flatten;
def of_unit($unit): if ($unit // "") == "" then "" else " [\($unit)]" end;

def line($t; $what; $given; $is; $ours; $digits):
  row([($t | shown(6)), ($what | cell), $given, ($ours | shown($digits)), ($ours - $is | shown(2))]);
def instants($whose; rows): table(["t [s]", "quantity", "\($whose) value", "ours", "difference"]; rows);
def heading: "### \(.[:1] | ascii_upcase)\(.[1:])";

# An entry of "values" with its run.
def values($run):
  . as $entry | $run[.array] as $array
  | [range(.t | length) as $i | .t[$i] as $t | ($array | at($run; $t)) as $numbers
     | range(.columns | length) as $k | .columns[$k] as $c
     | line($t; ($array.labels[$c] | if . == "" then $array.name else . end)
         + of_unit($entry.unit // $array.units[$c] | if . == "" then $array.unit else . end);
         $entry.given[$i][$k]; $entry.given[$i][$k] | tonumber; $numbers[$c] * ($entry.factor // 1); 10)] as $lines
  | "\(.place | heading)\n\n\(.note // "")\n\n\(instants("the seed's"; $lines | join("\n")))\n";

def counts($understood):
  { bodies: "moving bodies", coordinates: "coordinates", rows: "rows of constraints",
    degrees_of_freedom: "degrees of freedom" } as $words
  | { bodies: ($understood.bodies | length), rows: ($understood.rows | length),
      coordinates: ($understood.initial_conditions.labels.coordinates | length),
      degrees_of_freedom: $understood.degrees_of_freedom } as $is
  | [.[] | $is[.what] as $ours | row([(.place | cell), $words[.what], (.value | tostring), ($ours | tostring), ($ours - .value | tostring)])]
  | "### What it counts\n\n"
    + table(["place", "quantity", "the seed's value", "ours", "difference"]; join("\n")) + "\n";

# Results of the program that a model comes from: some coordinates, and the largest difference of each array.
def results($run; $reference):
  .except as $except
  | ($run.uT.labels | length / 2) as $n
  | [$seeds.programs.shown[] as $t | ($reference.T | index($t)) as $i | ($run.uT | at($run; $t)) as $numbers
     | range($n) as $c
     | line($t; $run.uT.labels[$c] + of_unit($run.uT.units[$c]); $reference.uT[$i][$c] | shown(8); $reference.uT[$i][$c];
         $numbers[$c]; 8)]
    as $lines
  | [$seeds.programs.arrays[] | select($reference[.field] and (.array | IN($except[]?) | not) and (($reference[.field][0] | [.] | flatten | length) > 0))
     | . as $of | $run[.array] as $array
     | [range($reference.T | length) as $i | ($array | at($run; $reference.T[$i])) as $ours
        | ($reference[$of.field][$i] | [.] | flatten) as $theirs
        | range($theirs | length) as $k | [$theirs[$k], ($ours[$k] - $theirs[$k] | fabs)]] as $pairs
     | row([.array, ($pairs | length | tostring), ([$pairs[][0] | fabs] | max | shown(6)),
            ([$pairs[][1]] | max | shown(2))])] as $largest
  | "### Results of the program that it comes from\n\n\($seeds.programs.about)\n\n\(instants("its"; $lines | join("\n")))\n\n"
    + "Over all of its \($reference.T | length) instants, to \($reference.T[-1]) s:\n\n"
    + table(["array", "numbers", "largest value", "largest difference"]; $largest | join("\n")) + "\n";

def misprints($seed):
  . as $places
  | [$misprints[] | select(.seed == $seed and (.place | IN($places[])))
     | "* \(.place): \(.printed). Meant: \(.meant)."]
  | "### Misprints of the seed\n\n" + join("\n") + "\n";

reduce inputs as $file ({};
    (input_filename | split("/")) as $path
    | setpath(if $path[-1] == "understood.json" then [$path[-2], "understood"]
              elif $file | has("data") then [$path[-3], $path[-2], $file.name]
              else ["references", ($path[-1] | rtrimstr(".json"))] end; $file))
| . as $read
| $seeds.models | with_entries(
    .key as $name | $read[$name] as $runs
    | .value |= (
        . as $entry
        | [ "\($seeds.sources[.seed]): \(.place).",
            (select((.counts or .values or .results) | not) | "Numbers to compare with are not printed for this model."),
            (select(.counts) | .counts | counts($runs.understood)),
            ((.values // []) | to_entries[] | .key as $k | .value | values($runs[$k | tostring])),
            (select(.results) | results($runs.results; $read.references[.results])),
            ((.remarks // [])[]),
            (select(.misprints) | .misprints | misprints($entry.seed)) ]
        | join("\n\n")))
