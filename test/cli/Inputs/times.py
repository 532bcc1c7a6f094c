"""times.py JSON TEXT: the printed minimum and median time are those of the samples in the report."""
import json
import re
import sys

samples = json.load(open(sys.argv[1]))["times_ms"]
least, median, runs = re.search(r"time: min ([\d.]+) ms, median ([\d.]+) ms over (\d+) runs", open(sys.argv[2]).read()).groups()
ordered = sorted(samples)
assert len(samples) == int(runs) == 40, samples
assert f"{ordered[0]:.3f}" == least, (least, ordered)
assert f"{ordered[len(ordered) // 2]:.3f}" == median, (median, ordered)
assert ordered[-1] > ordered[len(ordered) // 2], "the clock is too coarse to tell the median from the last"
