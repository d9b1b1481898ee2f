"""What Helm makes of a chart: `chart.py FOLDER`, with {"name", "values"} on standard input.

Prints {"rendered": {template: text}, "lint": [what Helm's own lint complains of]}. Where Helm refuses the
chart or the values, it says why and ends with 1.
"""

import json
import sys

import helm_python

ERROR, WARNING = 3, 2

asked = json.load(sys.stdin)
try:
    chart = helm_python.Chart.load(sys.argv[1])
    chart.validate_schema(asked["values"])
    rendered = chart.render(asked["values"], name=asked["name"], namespace="somewhere")
    lint = helm_python.lint(sys.argv[1], asked["values"], strict=True)
except helm_python.HelmError as error:
    sys.exit(str(error))
complaints = [m["error"] for m in lint["messages"] if m["severity"] in (ERROR, WARNING)]
json.dump({"rendered": rendered, "lint": complaints + lint["errors"]}, sys.stdout)
