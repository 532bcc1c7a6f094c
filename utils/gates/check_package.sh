#!/usr/bin/env bash
# check_package.sh DIST: installs the wheels and the .deb of DIST each in a clean folder, without files of this checkout's build, and
# runs the demo's first step, a check from Python, the pytest plugin and JAX on the PJRT plugin with the installed files, under each Python
# that this machine has and that a wheel of DIST supports. The exit code is 0 when everything succeeds.
set -euo pipefail
dist=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
deb=$(ls "$dist"/assay_*.deb)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PYTHONPATH ASSAY_BIN ASSAY_PYTHON VIRTUAL_ENV LD_LIBRARY_PATH

# The demo's first step in a folder without other files of the checkout; $1: the folder of the program.
first_step() {
  mkdir -p "$folder/step/test" "$folder/step/utils/dev"
  cp -r "$source/test/programs" "$source/test/reference" "$source/test/cli" "$folder/step/test/"
  cp -r "$source/utils/dev/demo" "$folder/step/utils/dev/"
  (cd "$folder/step" && PATH="$1:/usr/bin:/bin" bash -euo pipefail utils/dev/demo/10_programs.sh) >"$folder/step.log" 2>&1 || {
    tail -n 20 "$folder/step.log" >&2
    return 1
  }
  grep 'agree with XLA' "$folder/step.log"
}

cat >"$folder/test_kernel.py" <<'PYTHON'
import assay
import numpy as np


def matmul(a, b):
    return a @ b


def short(a, b):
    return a[:, :-1] @ b[:-1]


@assay.sweep(m=16)
def test_right(assay_check, m):
    assay_check(matmul, f"matmul {m}x40:40x7")


def test_wrong():
    assert assay.check(short, "matmul 8x40:40x7").status == "FAILED"


def test_engine():
    assert assay.check(None, "matmul 8x40:40x7", engine="onednn")
PYTHON
printf 'def matmul(src, wei):\n    return src @ wei\n' >"$folder/kernels.py"

# Everything that a wheel promises, with the Python $1 in the environment $2.
wheel_holds() {
  local python=$1 venv=$2
  "$python" -m venv "$venv"
  # The wheel of DIST that is for this Python, never one of that name from an index.
  "$venv/bin/pip" install --disable-pip-version-check --quiet --no-index --no-deps --find-links "$dist" assay
  "$venv/bin/pip" install --disable-pip-version-check --quiet numpy pytest
  if "$venv/bin/python" -c 'import torch' 2>/dev/null; then echo "check_package: the folder is not clean" >&2; return 1; fi
  first_step "$venv/bin"
  # The libraries that the program loads are in the wheel or in every manylinux system.
  if ldd "$venv"/lib/python3*/site-packages/assay/bin/assay | grep -E '/usr/lib/llvm|hdf5_serial.*=> /lib|not found'; then
    echo "check_package: the program of the wheel needs libraries of this system" >&2
    return 1
  fi
  # Builds the template as in docs/plugins.md.
  local package
  package=$(cd "$folder" && "$venv/bin/python" -c 'import assay; print(assay.__path__[0])')
  cc -std=c99 -O2 -fPIC -shared -I"$package/include" "$package/share/assay/examples/plugin_template/template.c" -o "$folder/libtemplate.so"
  (cd "$folder" && "$venv/bin/assay" verify --engine=plugin:./libtemplate.so --matmul 64x512:512x48 --quiet | grep '^tests:1 passed:1 ')
  (cd "$folder" && "$venv/bin/python" -m pytest -q -p no:cacheprovider test_kernel.py | tail -n 1)
  (cd "$folder" && PATH="$venv/bin:$PATH" assay verify --engine=python:kernels.py:matmul --matmul 8x40:40x7 --quiet | grep '^tests:1 passed:1 ')
  "$venv/bin/pip" install --disable-pip-version-check --quiet jax
  (cd "$folder" && JAX_PLATFORMS=assay "$venv/bin/python" -c 'import jax
print("jax", jax.__version__, jax.devices(), jax.jit(lambda x: x + 1)(1.0))' | grep '\[assay:0\] 2.0$')
}

count=0
. "$source/utils/dev/package.sh" # dev_package_later_pythons
for python in python3 "${dev_package_later_pythons[@]}"; do
  # A name in PATH may be a shim for a Python that is not selected.
  version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
  case " ${seen:-} " in *" $version "*) continue ;; esac
  seen="${seen:-} $version"
  echo "check_package: a wheel under Python $version"
  wheel_holds "$python" "$folder/venv-$version"
  count=$((count + 1))
done

echo "check_package: $(basename "$deb")"
dpkg-deb --info "$deb" | grep -E 'Depends|Version'
dpkg -x "$deb" "$folder/root"
first_step "$folder/root/usr/bin"
# The installed batch files are found.
{ "$folder/root/usr/bin/assay" verify --mode=L --matmul --batch=shapes_llm || [ $? -eq 3 ]; } | grep -E 'listed:[1-9]'
echo "check_package: the .deb and the wheels hold, under $count Pythons"
