# dev_package [--check]: a wheel and a .deb in dist/. The wheel needs Python, NumPy and a Linux with at least this machine's C library:
# LLVM, MLIR, HDF5 and oneDNN are bundled. --check installs both in clean folders and runs the demo's first step with each.

dev_package_limit_mb=150

dev_package_wheel() {
  local raw=.cache/wheel built
  rm -rf "$raw"
  mkdir -p "$raw" dist
  CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1 .venv/bin/python -m build --wheel --no-isolation --outdir "$raw" . \
    >.cache/package-wheel.log 2>&1 || {
    grep -E 'error|FAILED' .cache/package-wheel.log | head -n 20 >&2
    echo "dev package: the wheel was not built; the whole log is .cache/package-wheel.log" >&2
    return 2
  }
  built=$(ls "$raw"/*.whl)
  rm -f dist/assay-*.whl
  # Arrow comes with the wheel pyarrow, which `assay tune` asks for by name.
  PATH="$PWD/.venv/bin:$PATH" .venv/bin/python -m auditwheel repair --strip --exclude 'libarrow.so.*' --exclude 'libparquet.so.*' \
    --wheel-dir dist "$built" >>.cache/package-wheel.log 2>&1 || {
    tail -n 5 .cache/package-wheel.log >&2
    echo "dev package: its libraries were not bundled; the whole log is .cache/package-wheel.log" >&2
    return 2
  }
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
    --check) bash utils/gates/check_package.sh dist; return ;;
    "") ;;
    *) echo "usage: ./dev package [--check]" >&2; return 2 ;;
  esac
  mkdir -p .cache dist
  dev_package_wheel && dev_package_deb && dev_package_sizes
}
