# dev_package [--check]: wheels and a .deb in dist/. A wheel needs Python, NumPy and a Linux with at least this machine's C library:
# LLVM, MLIR, HDF5 and oneDNN are bundled. One is for Debian's Python; if the machine has a Python 3.12 or later, another one is for all of these.
# --check installs all of them in clean folders, the wheels under every Python that the machine has, and runs the demo's first step with each.

dev_package_limit_mb=160 # of 151 MB, LLVM and MLIR are 71, the libraries that they need (ICU, Z3) 24, oneDNN 11

# Where Python 3.12 or later may be: in PATH, or among pyenv's.
dev_package_later_pythons=(python3.{12..19} "$HOME"/.pyenv/versions/3.1[2-9].*/bin/python)

# Prints the first of them that exists; nothing if there is none.
dev_package_later_python() {
  local one
  for one in "${dev_package_later_pythons[@]}"; do
    "$one" -c 'import sys; print(sys.executable)' 2>/dev/null && return # a name in PATH may be a shim without a Python
  done
  return 0
}

# Makes a wheel by the Python $1, built in the folder $2. The compiler has the name that build/release uses (Python's own configuration
# has another), so that files which were compiled there come from ccache.
dev_package_wheel_of() {
  local python=$1 folder=$2 raw=.cache/wheel log=.cache/package-${2##*/}.log built
  rm -rf "$raw"
  mkdir -p "$raw" dist
  CC=${CC:-cc} CXX=${CXX:-c++} CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1 "$python" -m build --wheel --no-isolation -Cbuild-dir="$folder" --outdir "$raw" . \
    >"$log" 2>&1 || {
    grep -E 'error|FAILED' "$log" | head -n 20 >&2
    echo "dev package: the wheel was not built; the whole log is $log" >&2
    return 2
  }
  built=$(ls "$raw"/*.whl)
  # Arrow is in the wheel pyarrow; `assay tune` requests it by name.
  PATH="$PWD/.venv/bin:$PATH" .venv/bin/python -m auditwheel repair --strip --exclude 'libarrow.so.*' --exclude 'libparquet.so.*' \
    --wheel-dir dist "$built" >>"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    echo "dev package: its libraries were not bundled; the whole log is $log" >&2
    return 2
  }
}

dev_package_wheels() {
  local later environment=.cache/wheel-python
  rm -f dist/assay-*.whl
  dev_package_wheel_of .venv/bin/python build/wheel || return
  later=$(dev_package_later_python)
  [ -n "$later" ] || { echo "dev package: no Python 3.12 or later here, so no wheel for those" >&2; return 0; }
  "$later" -m venv "$environment" || return 2
  dev_list utils/dev/packages/wheel.python.txt | "$environment/bin/python" -m pip install -q --disable-pip-version-check -r /dev/stdin || return 2
  dev_package_wheel_of "$PWD/$environment/bin/python" build/wheel-abi3
}

dev_package_deb() {
  rm -f dist/assay_*.deb
  (cd build/release && cpack -G DEB -B "$OLDPWD/.cache/deb") >.cache/package-deb.log 2>&1 || {
    tail -n 5 .cache/package-deb.log >&2
    echo "dev package: no .deb; the whole log is .cache/package-deb.log" >&2
    return 2
  }
  mv .cache/deb/assay_*.deb dist/
}

dev_package_sizes() {
  local file size
  for file in dist/assay-*.whl dist/assay_*.deb; do
    size=$(($(stat -c %s "$file") / 1000000))
    echo "$file: $size MB"
    [ "$size" -lt "$dev_package_limit_mb" ] || {
      echo "dev package: that is more than $dev_package_limit_mb MB" >&2
      return 1
    }
  done
}

dev_package() {
  case "${1:-}" in
    --check)
      compgen -G "dist/assay*" >/dev/null || { echo "dev package: nothing to check: ./dev package makes dist/ first" >&2; return 2; }
      bash utils/gates/check_package.sh dist
      return
      ;;
    "") ;;
    *) echo "usage: ./dev package [--check]" >&2; return 2 ;;
  esac
  mkdir -p .cache dist
  dev_package_wheels && dev_package_deb && dev_package_sizes
}
