# dev_help: what ./dev can do.

dev_help() {
  cat <<'TEXT'
usage: ./dev COMMAND [ARGUMENTS]

  setup [GROUP...]     installs what is missing (Debian packages, Python packages in .venv); groups: build test bench docs fuzz wheel
  build [PRESET]       set-up, then builds; programs in build/PRESET/bin; presets: release (default) debug asan tsan
  env                  what a shell needs to use that build: eval "$(./dev env)"
  demo [STEP...]       set-up, build, and the main job on real input: one journey, then further capabilities
  test [LABEL...]      set-up, build, every test or those of the labels unit lit golden diff fuzz python
  bench [NAME...]      benchmarks beside their peers (folders of benchmark/)
  conformance DIR      the suites of a checkout of openxla/stablehlo: a table of suite, files, passed, failed, reason
  conformance jax-tests DIR   JAX's own test files of a checkout of jax-ml/jax on the PJRT plugin, beside its CPU backend
  conformance jax      every function of JAX that takes simple arguments, in seven types, beside XLA
  conformance torch    PyTorch's operator database (OpInfo) as programs, in seven types: both engines and PyTorch by the derived bound
  conformance torch-models    models of torchvision and transformers, exported and compiled, every operator judged
  benchdnn DIR         the problem lists of a checkout of oneDNN for sixteen drivers: a table of what passed, what did not run and why
  fuzz [SECONDS]       every fuzzer in turn (default 60 s each)
  fuzz damaged [COUNT] damaged files of every kind through every command that reads them (default 2000)
  fuzz programs [COUNT] random programs through JAX: XLA and both engines judged by the derived bound (default 10000)
  docs [serve]         the site of docs/ in build/site; serve: on http://127.0.0.1:8000, following changes
  package [--check]    a wheel and a .deb in dist/; --check installs both in clean folders and runs the demo's first step
  recipes              a toy by each recipe of CONTRIBUTING.md, in a copy of the tree: built, run
  mutants [PATTERN]    puts faults into a copy of the sources and says which of them no test notices (--help)
  sanitize [NAME...]   the tests under the sanitizers address and thread (default: both)
  help                 this text

  DEV_JOBS=N           how many tests run at once (default: all cores)
TEXT
}
