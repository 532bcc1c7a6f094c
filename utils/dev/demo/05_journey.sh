# One journey: a PyTorch model goes to a new device, is wrong there, and ends on a kernel that is right and fast.
# More: docs/start/journey.md
plugin=plugin:build/release/lib/libassay_example.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=utils/dev/demo/mlp_torch.mlir
part() { printf '\n--- %s\n' "$1"; }
on_device() { ASSAY_EXAMPLE_FAULT=edge_n "$@"; }
fails() { # a command that must end with exit code 1
  local code=0
  "$@" || code=$?
  [ "$code" -eq 1 ] || { echo "demo: expected exit code 1 of: $* (got $code)" >&2; exit 1; }
}

echo "The model: nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 16)) as StableHLO, $model."
echo "The device: the example plugin (examples/plugin), whose product forgets the last column of every result."
PYTHONPATH="$PWD/python:$PWD/build/release/python" "$PWD/.venv/bin/python" utils/dev/demo/mlp_torch.py "$folder/data.npz"

part "1. Is the model right there?   assay run model.mlir --expect ... --engine plugin:device.so"
fails on_device assay run "$model" --input "$folder/data.npz" --expect "$folder/data.npz" --engine "$plugin" --quiet

part "2. Which operator is the first that is wrong?   assay run --record, assay compare --first-wrong"
assay run "$model" --input "$folder/data.npz" --quiet --record "$folder/trusted.h5" >"$folder/out.txt"
on_device assay run "$model" --input "$folder/data.npz" --quiet --engine "$plugin" --record "$folder/device.h5" >"$folder/out.txt"
fails assay compare "$folder/device.h5" "$folder/trusted.h5" --program "$model" --first-wrong --quiet | tee "$folder/said.txt"
grep -q '^first wrong: up$' "$folder/said.txt"

part "3. That operator alone, with its data, as a test.   assay extract, assay test"
assay extract "$folder/device.h5" --program "$model" -o "$folder/tests" | head -n 1
fails assay test "$folder/tests" --quiet

part "4. Is it the kernel, the reference or the tolerance?   assay triage"
on_device assay triage --matmul --engine="$plugin" 8x48:48x96 | tee "$folder/said.txt" | grep '^at fault' || true
grep -q '^at fault: engine' "$folder/said.txt"

part "5. The smallest test that still shows it: three lines.   assay reduce"
on_device assay reduce "$model" --input "$folder/data.npz" --engine "$plugin" -o "$folder/small.mlir" | head -n 1
sed -n '/func.func/,/^ *}/p' "$folder/small.mlir"

part "6. The kernel is fixed (the fault is switched off). Is it right now, at sizes around its tiles too?   assay test, assay verify"
assay test "$folder/small.mlir" --engine "$plugin"
assay verify --engine="$plugin" --matmul --dt=f32,bf16 8x48:48x96 1x1:1x1 17x33:33x65 --quiet
assay run "$model" --input "$folder/data.npz" --expect "$folder/data.npz" --engine "$plugin" --quiet

part "7. Is it fast, and which kernel that is right is the fastest here?   assay verify --mode=P, assay kernels explain"
for engine in "$plugin" onednn native; do
  assay verify --engine="$engine" --mode=P --max-ms-per-prb=200 --matmul 256x256:256x256 | sed -n "s|^  min|${engine%%:*}: min|p"
done
assay kernels explain --m 256 --n 256 --k 256 --top 3 --threads 1 --measure
