"""Holds objects of Kubernetes against the schemas of its API: `schemas.py VERSION…`, with a list of objects
on standard input. Prints a line for each mistake; keys that the API does not know are mistakes."""

import json
import sys

import kubernetes_validate

for found in json.load(sys.stdin):
    name = f"{found['kind']}/{found['metadata']['name']}"
    for version in sys.argv[1:]:
        try:
            kubernetes_validate.validate(found, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            place = ".".join(str(step) for step in error.path)
            print(f"{version} {name} {place}: {error.message[:300]}")
        except kubernetes_validate.SchemaNotFoundError as error:
            print(f"{version} {name}: {error.message}")
