# From measurements to a model that chooses kernels, in small.
# More: docs/tune.md
echo "Kernels for matrix products are generated; which is fastest depends on the problem. A few problems are measured here,"
echo "a small model is trained on them, and it ranks the kernels of a problem that it has not seen (docs/tune.md)."
echo
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'm,n,k\n' >"$folder/shapes.csv"
for m in 1 16 48 96; do for n in 32 130; do for k in 64 200; do echo "$m,$n,$k" >>"$folder/shapes.csv"; done; done; done
assay tune collect --shapes "$folder/shapes.csv" --kernels sample:40 --threads 1 --pairs 9 --budget 30 --quiet \
  -o "$folder/data.parquet"
assay tune train --data_dir "$folder/data.parquet" --out_dir "$folder/model" --targets efficiency,latency \
  --n_splits 4 --n_estimators 60 --quiet
assay tune predict --model_dir "$folder/model" --m 64 --n 96 --k 128 --threads 1 --top_k 3
echo
echo "Another model of the same measurements, and how the picks of the two differ:"
assay tune train --data_dir "$folder/data.parquet" --out_dir "$folder/small" --targets efficiency --n_splits 4 --n_estimators 5 --quiet
# 1: it misses an acceptance criterion, as a model of 16 problems measured in a blink may.
assay tune evaluate --model_dir "$folder/model" --data_dir "$folder/data.parquet" --baseline "$folder/small" -o "$folder/picks.csv" \
  >"$folder/evaluation.txt" || [ $? -eq 1 ]
grep -E 'agreement|per problem|written' "$folder/evaluation.txt"
echo
echo "A model of another machine serves here once it was measured to be the faster choice: assay tune check"
XDG_DATA_HOME=$folder/user assay tune check --budget 4 --quiet || [ $? -eq 3 ] # 3: every model is of this machine
echo
echo "The same from Python, in its process: assay.tune.Predictor"
PYTHONPATH="$PWD/python:$PWD/build/release/python" .venv/bin/python - "$folder/model" <<'PY'
import sys
import numpy as np
from assay.tune import Predictor

predictor = Predictor(sys.argv[1])
problem = {"m": 64, "n": 96, "k": 128, "threads": 1}
print("first of the model:", predictor.rank_kernels(problem, top_k=1)[0]["kernel"], predictor.note)
a, b = np.ones((64, 128), np.float32), np.ones((128, 96), np.float32)
product = predictor.run(a, b)
print("run(a, b):", product.shape, product.dtype, "all equal to 128:", bool((product == 128).all()))
assert (product == 128).all()
PY
