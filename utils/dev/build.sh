# dev_build [PRESET [TARGET...]]: configures if needed and builds everything; programs are in build/PRESET/bin.

dev_build() {
  local preset=${1:-release} options=()
  shift $(($# > 0))
  # The Python module is built if .venv has nanobind, which every group installs.
  [[ $preset =~ ^(release|debug)$ ]] && compgen -G '.venv/lib/python3*/site-packages/nanobind' >/dev/null &&
    options=(-DASSAY_PYTHON=ON "-DPython_EXECUTABLE=$PWD/.venv/bin/python")
  mkdir -p .cache
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD}
  if [ ! -f "build/$preset/build.ninja" ] ||
    { [ "${#options[@]}" -gt 0 ] && ! grep -q '^ASSAY_PYTHON:BOOL=ON' "build/$preset/CMakeCache.txt"; }; then
    cmake --preset "$preset" "${options[@]}" >".cache/configure-$preset.log" 2>&1 || {
      tail -n 30 ".cache/configure-$preset.log" >&2
      echo "dev build: CMake failed; the whole log is .cache/configure-$preset.log" >&2
      return 2
    }
  fi
  if [ -t 1 ]; then
    cmake --build --preset "$preset" ${1:+--target "$@"}
  else
    cmake --build --preset "$preset" ${1:+--target "$@"} >".cache/build-$preset.log" 2>&1 || {
      grep -E 'error|FAILED' ".cache/build-$preset.log" | head -n 30 >&2
      echo "dev build: the build failed; the whole log is .cache/build-$preset.log" >&2
      return 2
    }
    echo "dev build: build/$preset is up to date"
  fi
  [ "${#options[@]}" -eq 0 ] || dev_install_package
}

# Installs the Python package in .venv, in place: `import assay`, and the commands summary, compare, summary_diff_check, jprof.
dev_install_package() {
  local stamp
  stamp=".venv/.assay-package-$(cat python/pyproject.toml <(pwd) | sha256sum | cut -c1-16)"
  [ ! -f "$stamp" ] || return 0
  .venv/bin/python -m pip install --disable-pip-version-check --no-input --no-deps -e python </dev/null \
    >.cache/setup-package.log 2>&1 || {
    tail -n 20 .cache/setup-package.log >&2
    echo "dev build: pip could not install python/; the whole log is .cache/setup-package.log" >&2
    return 2
  }
  rm -f .venv/.assay-package-*
  : >"$stamp"
}
