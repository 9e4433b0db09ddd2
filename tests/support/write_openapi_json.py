#!/usr/bin/env python3
"""write_openapi_json.py FOLDER FILE.yaml... : writes each OpenAPI document to FOLDER as JSON."""

import json
import pathlib
import sys

import yaml

for name in sys.argv[2:]:
    source = pathlib.Path(name)
    document = yaml.load(source.read_text(), Loader=yaml.CSafeLoader)
    (pathlib.Path(sys.argv[1]) / f"{source.stem}.json").write_text(json.dumps(document, indent=1))
