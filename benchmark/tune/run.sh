#!/usr/bin/env bash
# `./dev bench tune`: compares the shipped model's picks and the analytic model's with a fresh race, on 60 shapes that are in no
# training data, one and two threads (6 minutes; --quick: one). Prints a line for each number of threads, then the ratio.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
facts=$(mktemp)
trap 'rm -f "$facts"' EXIT
budget=600
[ "${1:-}" = --quick ] && budget=60
assay tune validate --model_dir models/gemm_f32_rcr --shapes benchmark/tune/unseen60.csv --sample 60 --threads 1,2 \
  --kernels sample:100 --pairs 15 --budget "$budget" --json "$facts"
python3 - "$facts" <<'PY'
import json, math, sys

rows = json.load(open(sys.argv[1]))["rows"]


def describe(kind, some):
    shares = sorted(row[kind + "_efficiency"] for row in some)
    long = [row[kind + "_efficiency"] for row in some if row["best_ns"] >= 20000]
    regrets = [row["best_ns"] / row[kind + "_efficiency"] - row["best_ns"] for row in some if row["best_ns"] < 20000]
    print(f"  {kind:8}: mean {100 * sum(shares) / len(shares):.1f} %, P10 {100 * shares[len(shares) // 10]:.1f} %, "
          f"minimum where the best takes 20 us {100 * min(long, default=1):.1f} %, "
          f"greatest regret below {max(regrets, default=0) / 1000:.2f} us")


for threads in ("t1", "t2"):
    some = [row for row in rows if row["problem"].endswith(" " + threads)]
    if some:
        print(f"{threads[1]} thread{'s' if threads != 't1' else ''}, {len(some)} problems:")
        describe("learned", some)
        describe("analytic", some)
ratios = [row["learned_efficiency"] / row["analytic_efficiency"] for row in rows if row["analytic_efficiency"] > 0]
geomean = math.exp(sum(map(math.log, ratios)) / len(ratios))
mean = sum(row["learned_efficiency"] for row in rows) / len(rows)
print(f"bench tune: {geomean:.2f}x analytic choice (geomean of {len(ratios)} cases, worst {min(ratios):.2f}), {100 * mean:.0f}% of limit")
PY
