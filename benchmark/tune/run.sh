#!/usr/bin/env bash
# `./dev bench tune`: the shipped model's picks and the analytic model's against a fresh oracle, on shapes that are in no
# training data. --budget limits the seconds (default 240).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
facts=$(mktemp)
trap 'rm -f "$facts"' EXIT
budget=240
[ "${1:-}" = --quick ] && budget=60
assay tune validate --model_dir models/gemm_f32_rcr --shapes benchmark/tune/unseen60.csv --sample 60 --threads 1 \
  --cap 0.15 --kernels sample:150 --pairs 15 --budget "$budget" --json "$facts"
python3 - "$facts" <<'PY'
import json, math, sys

facts = json.load(open(sys.argv[1]))
ratios = [row["learned_efficiency"] / row["analytic_efficiency"] for row in facts["rows"] if row["analytic_efficiency"] > 0]
geomean = math.exp(sum(map(math.log, ratios)) / len(ratios))
print(f"bench tune: {geomean:.2f}x analytic choice (geomean of {len(ratios)} cases, worst {min(ratios):.2f}), "
      f"{100 * facts['summary']['learned']['mean']:.0f}% of limit")
PY
