# jq --slurpfile model model.schema.json -f bundle_openapi.jq openapi.json
# The description of the calls with the schema of a model in it: `Model` among its components, and a component
# Model.NAME for each of its definitions, so that every reference stays within the document.
# What every call has (x-every-call) is written out: its headers in each response, its responses in each operation.
def component: "#/components/schemas/Model" + (if . == "" then "" else "." + . end);
# References within the schema of a model, "#/$defs/NAME", and to it from the calls.
def inside: walk(if type == "object" and (."$ref"? | type) == "string"
  then ."$ref" |= (ltrimstr("#/$defs/") | component) else . end);
def outside: walk(if type == "object" and (."$ref"? | type) == "string" and (."$ref" | startswith("model.schema.json"))
  then ."$ref" |= (ltrimstr("model.schema.json") | ltrimstr("#/$defs/") | component) else . end);
# One of several classes by its `type`: a validator that is to name mistakes goes by if and then, makers of clients know
# oneOf. A discriminator must be required: there is none if a class is meant without a `type`, as of signals.
def is_choice: type == "object" and (.allOf? | type) == "array" and (.allOf | length > 0 and all(has("if")));
def choices: walk(if is_choice
  then ([.allOf[] | {key: .if.properties.type.const, value: .then."$ref"}] | from_entries) as $mapping
    | {type, oneOf: [.allOf[].then]}
      + if .required then {required, discriminator: {propertyName: "type", mapping: $mapping}} else {} end
  else . end);
def complete($every):
  ([$every.headers[] | {key: ., value: {"$ref": ("#/components/headers/" + .)}}] | from_entries) as $headers
  | del(."x-every-call")
  | .components.responses[].headers += $headers
  | .paths |= map_values(with_entries(
      if (.value | type) != "object" or (.value | has("responses") | not) then . else .value.responses |= (map_values(
        if has("$ref") then . else .headers += $headers end) + $every.responses) end));

$model[0] as $schema
| complete(."x-every-call")
| outside
| .components.schemas.Model = ($schema | del(."$schema", ."$defs") | inside)
| .components.schemas += ($schema."$defs" | with_entries(.key |= "Model." + .) | inside | choices)
