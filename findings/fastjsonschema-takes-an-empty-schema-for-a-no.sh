#!/usr/bin/env bash
# 30 November 2026, fastjsonschema 2.22.3 and jsonschema 4.26.0 (from PyPI), Python 3.11.
#
# One would guess: `"additionalProperties": {}` allows any further key, as `true` does, so a schema may require a key that
# it says nothing else about.
# Seen: together with `required` the empty schema counts as `false`: compile() says "items ['name'] are required but not
# allowed" and refuses the schema, though without `required` it takes any key. One word in it, say a description, and
# all is well. For the same reason a schema is refused as a whole where one branch of its anyOf, or what its not holds,
# requires a key and allows none; such a part matches nothing, which is valid, and the rest accepts values.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "fastjsonschema==2.22.3" "jsonschema==4.26.0"
"$folder/venv/bin/python" - <<'PYTHON'
import fastjsonschema
from jsonschema import Draft7Validator

VALUE = {"name": "Ada"}


def compiled(schema):
    Draft7Validator.check_schema(schema)
    assert Draft7Validator(schema).is_valid(VALUE), "jsonschema has changed"
    try:
        assert fastjsonschema.compile(schema)(VALUE) == VALUE
        answer = "accepts"
    except fastjsonschema.JsonSchemaDefinitionException as error:
        answer = f"refuses the schema: {error}"
    print(f"{schema}: fastjsonschema {answer}")
    return answer == "accepts"


for further in (True, {"description": "anything"}, {"type": "string"}):
    assert compiled({"required": ["name"], "additionalProperties": further}), "the others have changed"
assert compiled({"additionalProperties": {}}), "the others have changed"
assert compiled({"properties": {"name": {}}, "required": ["name"], "additionalProperties": {}}), "the others have changed"
never = {"required": ["name"], "additionalProperties": False}
for refused in (
    {"required": ["name"], "additionalProperties": {}},
    {"properties": {"age": {}}, "required": ["name"], "additionalProperties": {}},
    {"anyOf": [{"required": ["name"]}, never]},
    {"not": never},
):
    assert not compiled(refused), "this has changed"
PYTHON
