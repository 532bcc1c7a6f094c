# dev_conformance DIR [--suite NAME,...] [--json FILE] [--before FILE] [--write-status]: the suites of an unmodified checkout of openxla/stablehlo at DIR.
# dev_conformance jax [--only REGEX] [--write FILE.md]: every function of JAX that takes simple arguments, beside XLA.
# dev_conformance jax-tests DIR [--files NAME,...] [--only REGEX] [--shard I/N]: JAX's own test files on the PJRT plugin, beside its CPU backend.
# dev_conformance torch [--only REGEX] [--types f32,...] [--samples N] [--resume] [--write FILE.md]: PyTorch's OpInfo database, by the derived bound.
# dev_conformance torch-models [--only REGEX] [--train] [--write FILE.md]: models of torchvision and transformers, exported and compiled.
# dev_conformance programs [--only NAME,...]: whole programs as JAX and PyTorch export them, in every form that they are kept in.

dev_conformance() {
  [ $# -gt 0 ] || { echo "usage: ./dev conformance DIR [--suite NAME,...] [--json FILE] [--before FILE] [--write-status]" >&2; return 2; }
  if [ "$1" = jax ]; then
    shift
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
