"""Checks a bill of materials against the schema of CycloneDX: `check_bom.py FILE`."""

import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = Path(sys.argv[1]).read_text()
if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
    sys.exit(f"{sys.argv[1]}: {error}")

bom = json.loads(text)
names = [component["bom-ref"] for component in bom["components"]]
if len(set(names)) < len(names):
    sys.exit("a component is listed twice")
needed = {name for entry in bom["dependencies"] for name in entry["dependsOn"]}
if missing := needed - set(names):
    sys.exit(f"not listed: {missing}")
print(f"{len(names)} components")
