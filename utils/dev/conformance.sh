# dev_conformance DIR [--suite NAME,...] [--json FILE] [--before FILE] [--write-status]: the suites of an unmodified checkout of openxla/stablehlo at DIR.
# dev_conformance jax [--only REGEX] [--write FILE.md]: every function of JAX with simple arguments, compared with XLA.
# dev_conformance jax --python PYTHON [--every N] [...]: the newest JAX for this Python, in a separate environment: the sweep (every 20th
#   program), whole programs in every form, and the plugin's tests.
# dev_conformance jax-tests DIR [--files NAME,...] [--only REGEX] [--shard I/N]: JAX's own test files on the PJRT plugin, compared with its CPU backend.
# dev_conformance torch [--only REGEX] [--types f32,...] [--samples N] [--resume] [--write FILE.md]: PyTorch's OpInfo database, by the derived bound.
# dev_conformance torch-models [--only REGEX] [--train] [--write FILE.md]: models of torchvision and transformers, exported and compiled.
# dev_conformance programs [--only NAME,...]: whole programs as JAX and PyTorch export them, in every form in which they are stored.

# Tests the newest JAX under another Python; $1: that Python; the other arguments are passed to the sweep.
dev_conformance_newest() {
  local python=$1 environment code=0 version
  shift
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || {
    echo "dev conformance: '$python' is no Python" >&2
    return 2
  }
  environment=${XDG_CACHE_HOME:-$HOME/.cache}/assay/newest-jax-$version
  [ -x "$environment/bin/python" ] || "$python" -m venv "$environment" || return 2
  "$environment/bin/python" -m pip install -q --disable-pip-version-check --upgrade jax numpy scipy flatbuffers h5py pytest || return 2
  dev_build release || return
  "$environment/bin/python" -c 'import sys, jax, jaxlib; from jaxlib.mlir.dialects import stablehlo
print("Python %d.%d.%d," % sys.version_info[:3], "jax", jax.__version__ + ",", "jaxlib", jaxlib.__version__ + ",", "StableHLO", stablehlo.get_current_version())'
  local -x ASSAY_BIN=$PWD/build/release/bin PYTHONPATH=$PWD/python
  "$environment/bin/python" utils/jax_sweep --every 20 "$@" || code=1
  "$environment/bin/python" utils/whole_programs || code=1
  # Without the flag of an older XLA that the tests set by default.
  XLA_FLAGS=--xla_backend_optimization_level=0 "$environment/bin/python" -m pytest -q -p no:cacheprovider test/python/test_jax_plugin*.py test/python/test_newest_artifacts.py || code=1
  return $code
}

dev_conformance() {
  [ $# -gt 0 ] || { echo "usage: ./dev conformance DIR [--suite NAME,...] [--json FILE] [--before FILE] [--write-status]" >&2; return 2; }
  if [ "$1" = jax ]; then
    shift
    if [ "${1:-}" = --python ]; then
      shift
      [ $# -gt 0 ] || { echo "usage: ./dev conformance jax --python PYTHON [--every N]" >&2; return 2; }
      dev_conformance_newest "$@"
      return
    fi
    dev_setup test
    dev_build release
    ASSAY_BIN=$PWD/build/release/bin .venv/bin/python utils/jax_sweep "$@"
    return
  fi
  if [ "$1" = jax-tests ]; then
    shift
    dev_setup test
    dev_build release
    [ -d .cache/absl ] || .venv/bin/python -m pip install -q --target .cache/absl absl-py hypothesis
    .venv/bin/python utils/jax_tests --path "$PWD/.cache/absl" "$@"
    return
  fi
  if [ "$1" = torch ]; then
    shift
    dev_setup test
    dev_build release
    [ -d .cache/torchlibs/expecttest ] || .venv/bin/python -m pip install -q --no-deps --target .cache/torchlibs expecttest hypothesis sortedcontainers attrs
    .venv/bin/python utils/torch_conformance "$@"
    return
  fi
  if [ "$1" = torch-models ]; then
    shift
    dev_setup test
    dev_build release
    [ -d .cache/torchlibs/transformers ] || .venv/bin/python -m pip install -q --no-deps --target .cache/torchlibs torchvision==0.28.0 'transformers<5' \
      'huggingface_hub<1' 'tokenizers<0.23' safetensors regex pyyaml requests tqdm packaging filelock pillow charset-normalizer idna urllib3 certifi fsspec
    .venv/bin/python utils/torch_models "$@"
    return
  fi
  if [ "$1" = programs ]; then
    shift
    dev_setup test
    dev_build release
    .venv/bin/python -m pip install -q --no-deps --target .cache/torchax torchax ||
      echo "dev conformance: torchax could not be installed; the programs of PyTorch are left out" >&2
    ASSAY_BIN=$PWD/build/release/bin .venv/bin/python utils/whole_programs --torchax .cache/torchax "$@"
    return
  fi
  .venv/bin/python utils/conformance "$@"
}
