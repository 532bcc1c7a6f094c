"""One line of the demo's table from the JSON of `assay run --expect`: programs_row.py FACTS.json NAME VERDICT."""
import json
import sys

path, name, verdict = sys.argv[1:]
try:
    with open(path) as file:
        results = json.load(file)["results"]
except (OSError, ValueError, KeyError):
    results = []
if not results:
    print(f"{name:<30} {'-':>7}  {'-':<10} {'-':>8}  {verdict}")
    sys.exit(0)
largest = max(float(result["max_abs"] or 0) for result in results)
share = max(float(result["of_bound"]) for result in results)
print(f"{name:<30} {len(results):>7}  {largest:<10.3g} {share:>8.1%}  {verdict}")
