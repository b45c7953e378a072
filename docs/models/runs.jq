# The runs that the tables of the models ask for, a line each: "NAME/PLACE", a tab, the analysis. Reads
# tests/reference/seeds.json. PLACE is the number of the entry in "values", or "results".
. as $seeds
| .models | to_entries[] | .key as $name | .value
| ((.values // []) | to_entries[] | ["\($name)/\(.key)", (.value.analysis + (
    .value.formulations[-1:] | if . == [] or . == null then {} else { formulation: .[0] } end))]),
  (select(.results) | ["\($name)/results",
    $seeds.programs.analysis + { formulation: (if .results[:2] == "BC" then "body" else "joint" end) }])
| "\(.[0])\t\(.[1] | tojson)"
