# dev_conformance DIR [--suite NAME,...] [--json FILE] [--before FILE] [--write-status]: the suites of an unmodified checkout of openxla/stablehlo at DIR.
# dev_conformance jax [--only REGEX] [--write FILE.md]: every function of JAX that takes simple arguments, beside XLA.

dev_conformance() {
  [ $# -gt 0 ] || { echo "usage: ./dev conformance DIR [--suite NAME,...] [--json FILE] [--before FILE] [--write-status]" >&2; return 2; }
  if [ "$1" = jax ]; then
    shift
    dev_setup test
    dev_build release
    ASSAY_BIN=$PWD/build/release/bin .venv/bin/python utils/jax_sweep.py "$@"
    return
  fi
  .venv/bin/python utils/conformance "$@"
}
