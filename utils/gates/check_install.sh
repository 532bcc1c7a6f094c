#!/usr/bin/env bash
# check_install.sh BUILD: installs the build into a new folder, compiles the example plugin with only the installed
# header, and checks it with the installed program; builds and runs the example of embedding. The exit code is 0 when the verdicts are right with and without a fault.
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --prefix "$folder/usr" >"$folder/log"
plugin=$folder/usr/share/assay/examples/plugin
cc -std=c99 -O2 -fPIC -shared -I"$folder/usr/include" "$plugin"/*.c -lm -o "$folder/libexample.so"
grep -q ' verify ' "$folder/usr/share/bash-completion/completions/assay"
verify() { "$folder/usr/bin/assay" verify --engine=plugin:"$folder/libexample.so" --matmul --dt=f32 64x256:256x48; }
verify | tee "$folder/good"
grep -q '^tests:1 passed:1 ' "$folder/good"
if ASSAY_EXAMPLE_FAULT=drop_k verify >"$folder/bad"; then
  echo "check_install: a dropped term passed" >&2
  exit 1
fi
grep -q 'failed:1' "$folder/bad"
{ "$folder/usr/bin/assay" verify --mode=L --conv --batch=shapes_resnet_50 || true; } | grep 'listed:20$'
# A third-party program with the library inside, built against the installed files only.
cmake -S "$folder/usr/share/assay/examples/embed_cpp" -B "$folder/embed" -DCMAKE_PREFIX_PATH="$folder/usr" >"$folder/log"
cmake --build "$folder/embed" >>"$folder/log"
"$folder/embed/embed_cpp" | tee "$folder/embedded"
grep -q '^3 5 7 (f32, 3 elements; engine native)$' "$folder/embedded"
grep -q '^refused: .*no function @other; it has @main' "$folder/embedded"
echo '#include <assay/assay_dispatch.h>' | cc -std=c99 -pedantic-errors -fsyntax-only -I"$folder/usr/include" -x c -
cmake -S "$folder/usr/share/assay/examples/dispatch_cpp" -B "$folder/dispatch" -DCMAKE_PREFIX_PATH="$folder/usr" >"$folder/log"
cmake --build "$folder/dispatch" >>"$folder/log"
"$folder/dispatch/dispatch_cpp" | tee "$folder/dispatched"
grep -q '^8 threads: 8 of 8 had one kernel' "$folder/dispatched"
grep -q '^right: 6 of 6 products' "$folder/dispatched"
grep -q '^refused: ' "$folder/dispatched"
# The engine python:FILE.py:FUNCTION finds the package that was installed, where the Python module was built.
python=$(cd "$(dirname "$0")/../.." && pwd)/.venv/bin/python
if [ -d "$folder/usr/share/assay/python" ] && [ -x "$python" ]; then
  printf 'def matmul(src, wei):\n    return src @ wei\n' >"$folder/kernels.py"
  env -u PYTHONPATH ASSAY_PYTHON="$python" "$folder/usr/bin/assay" verify --engine=python:"$folder/kernels.py":matmul --matmul 8x40:40x7 |
    grep -q '^tests:1 passed:1 '
fi
