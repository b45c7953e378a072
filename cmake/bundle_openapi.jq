# jq --slurpfile model model.schema.json -f bundle_openapi.jq openapi.json
# The description of the calls with the schema of a model in it: `Model` among its components, and a component
# Model.NAME for each of its definitions, so that every reference stays within the document.
def component: "#/components/schemas/Model" + (if . == "" then "" else "." + . end);
# References within the schema of a model, "#/$defs/NAME", and to it from the calls.
def inside: walk(if type == "object" and (."$ref"? | type) == "string"
  then ."$ref" |= (ltrimstr("#/$defs/") | component) else . end);
def outside: walk(if type == "object" and (."$ref"? | type) == "string" and (."$ref" | startswith("model.schema.json"))
  then ."$ref" |= (ltrimstr("model.schema.json") | ltrimstr("#/$defs/") | component) else . end);

$model[0] as $schema
| outside
| .components.schemas.Model = ($schema | del(."$schema", ."$defs") | inside)
| .components.schemas += ($schema."$defs" | with_entries(.key |= "Model." + .) | inside)
