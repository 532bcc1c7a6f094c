# dev_build [PRESET [TARGET...]]: configures where needed and builds everything; programs land in build/PRESET/bin.

dev_build() {
  local preset=${1:-release} options=()
  shift $(($# > 0))
  # The Python module is built as soon as .venv has nanobind, which comes with the groups test and bench.
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
}
