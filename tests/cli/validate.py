"""validate.py SCHEMA FILE - is the JSON in FILE as SCHEMA says? References are to files beside the schema."""
import json
import pathlib
import sys

import jsonschema

path = pathlib.Path(sys.argv[1]).resolve()
schema = json.loads(path.read_text())
# Debian's version knows no registries, newer ones only deprecate resolvers.
resolver = jsonschema.RefResolver(path.as_uri(), schema)
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema, resolver=resolver).validate(json.loads(pathlib.Path(sys.argv[2]).read_text()))
