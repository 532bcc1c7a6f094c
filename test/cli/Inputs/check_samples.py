"""check_samples.py REPORT RUNS: the figures of the first timed problem of verify's JSON are those of its samples."""
import json
import statistics
import sys

with open(sys.argv[1]) as file:
    problem = json.load(file)["problems"][0]
samples = problem["samples_ms"]
middle = statistics.median(samples)
due = {"runs": len(samples), "min_ms": min(samples), "median_ms": middle, "mad_ms": statistics.median(abs(sample - middle) for sample in samples)}
wrong = {name: (problem[name], value) for name, value in due.items() if abs(problem[name] - value) > 1e-9}
assert len(samples) == int(sys.argv[2]) and not wrong, (len(samples), wrong)
