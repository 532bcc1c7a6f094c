# Ranks of a tensor-parallel layer, merged and compared with one process; where the first NaN was made.
# More: docs/dumps_ranks.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/ranks.py" <<'PYTHON'
"""A layer of 8 features cut over two ranks, whose parts are summed; on rank 1 the second part has one wrong column."""
import sys

import numpy as np

rng = np.random.default_rng(0)
x, up, down = rng.standard_normal((4, 6), np.float32), rng.standard_normal((8, 6), np.float32), rng.standard_normal((6, 8), np.float32)


def tensors(part, fault=None):
    hidden = x @ up[part].T
    if fault == "column":
        hidden[:, 2] *= 1.05
    if fault == "nan":
        hidden[1, 2] = np.nan
    weight = np.ascontiguousarray(down[:, part])
    values = [("up.Linear.0.forward_params.weight", up[part]), ("up.Linear.0.forward_input.0", x), ("up.Linear.0.forward_output.0", hidden)]
    values += [("down.Linear.0.forward_params.weight", weight), ("down.Linear.0.forward_input.0", hidden), ("down.Linear.0.forward_output.0", hidden @ weight.T)]
    return {f"/1/{name}": value for name, value in values}


folder = sys.argv[1]
np.savez(f"{folder}/whole.npz", **tensors(slice(None)))
for name, fault in (("column", "column"), ("nan", "nan")):
    np.savez(f"{folder}/{name}0.npz", **tensors(slice(0, 4)))
    np.savez(f"{folder}/{name}1.npz", **tensors(slice(4, 8), fault))
PYTHON
"$PWD/.venv/bin/python" "$folder/ranks.py" "$folder"
assay import "$folder/whole.npz" "$folder/whole.h5" --quiet
for run in column nan; do
  mkdir "$folder/$run"
  for rank in 0 1; do assay import "$folder/$run$rank.npz" "$folder/$run/globalrank-${rank}_localrank-$rank.h5" --quiet; done
done
cat >"$folder/layout.json" <<'JSON'
{"mesh": ["tp 2"],
 "tensors": [{"name": "up.*.weight", "tp": "shard 0"}, {"name": "down.*.weight", "tp": "shard 1"},
             {"name": "up.*.forward_output.0", "tp": "shard 1"}, {"name": "down.*.forward_input.0", "tp": "shard 1"},
             {"name": "down.*.forward_output.0", "tp": "sum"}]}
JSON
echo "A layer cut over two ranks; on rank 1 one column of its half is wrong: assay compare ranks/ whole.h5 --first-wrong --layout layout.json"
assay compare "$folder/column" "$folder/whole.h5" --first-wrong --layout "$folder/layout.json" --quiet >"$folder/said.txt" || [ $? -eq 1 ]
cat "$folder/said.txt"
grep -q "^first wrong rank: 1$" "$folder/said.txt" && grep -q "^first wrong: up$" "$folder/said.txt"
echo
echo "Another run ended in NaN; who made it? assay summary ranks/ --quiet"
assay summary "$folder/nan" --quiet | tee "$folder/said.txt"
grep -q "^first NaN: rank 1, 'up.Linear.0.forward_output.0'" "$folder/said.txt"
