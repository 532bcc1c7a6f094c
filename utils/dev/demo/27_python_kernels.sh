# A kernel in Python, judged by derived bounds; a tolerance that lets wrong results pass.
# More: docs/check.md
export PYTHONPATH="$PWD/python:$PWD/build/release/python" ASSAY_PYTHON="$PWD/.venv/bin/python"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "A blocked product in NumPy, right and with its last block left out, by assay.check:"
cat >"$folder/kernels.py" <<'PYTHON'
import numpy as np


def blocked(src, wei, blocks=None):
    out = np.zeros((src.shape[0], wei.shape[1]), np.float32)
    for k in list(range(0, src.shape[1], 32))[:blocks]:
        out += src[:, k : k + 32] @ wei[k : k + 32]
    return out


def short(src, wei):
    return blocked(src, wei, -1)
PYTHON
cat >"$folder/check.py" <<'PYTHON'
import assay
import kernels

right = assay.check(kernels.blocked, "matmul 64x200:200x48")
wrong = assay.check(kernels.short, "matmul 64x200:200x48")
print(right, wrong, sep="\n\n")
raise SystemExit(not right or bool(wrong))
PYTHON
(cd "$folder" && "$ASSAY_PYTHON" check.py)

echo
echo "The same function as an engine of assay verify:"
assay verify "--engine=python:$folder/kernels.py:blocked" --matmul 64x200:200x48 128x77:77x9 --quiet

echo
echo "What needs no reference: the same bits whatever the batch, the threads, the addresses, what the result held; no NaN that leaks:"
assay verify --engine=native --property=all --matmul 33x100:100x20 --softmax 6x40

echo
echo "How good is allclose with 1e-2 as a test of this program?"
assay verify --show-program --mode=L --matmul 16x64:64x16 >"$folder/listed.txt" || [ $? -eq 3 ]
sed -n '/func.func/,/^}/p' "$folder/listed.txt" >"$folder/matmul.mlir"
code=0
assay audit "$folder/matmul.mlir" --rule close:1e-2,1e-2 || code=$?
echo "exit code $code (1 is: a fault is accepted or a right result rejected); by the derived bound:"
assay audit "$folder/matmul.mlir" --rule bound --quiet
[ "$code" -eq 1 ]
