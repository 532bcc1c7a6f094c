# dev_fuzz [SECONDS]: builds every fuzzer with Clang's libFuzzer and AddressSanitizer and runs one after the other for SECONDS
# (default 60) from the corpus fuzz/corpus/NAME. After a crash its input is in .cache/fuzz, and the exit code is 1.
# dev_fuzz damaged [COUNT]: COUNT (default 2000) damaged inputs over all readers, through the release build's commands.

dev_fuzz_damaged() {
  dev_setup test
  dev_build release
  .venv/bin/python utils/damage --count "${1:-2000}"
}

# dev_fuzz programs [COUNT] [--seed S]: COUNT (default 10000) random programs through JAX: XLA, the reference and the native engine.
dev_fuzz_programs() {
  local count=10000
  case "${1:-}" in [0-9]*) count=$1; shift ;; esac
  dev_setup test
  dev_build release
  ASSAY_BIN=$PWD/build/release/bin PYTHONPATH=$PWD/python:$PWD/build/release/python \
    .venv/bin/python utils/random_programs --count "$count" "$@"
}

dev_fuzz() {
  local seconds=${1:-60} fuzzer name failed=0
  if [ "$seconds" = damaged ]; then
    shift
    dev_fuzz_damaged "$@"
    return
  fi
  if [ "$seconds" = programs ]; then
    shift
    dev_fuzz_programs "$@"
    return
  fi
  dev_setup fuzz
  dev_build fuzz $(sed -n 's/^ *assay_fuzzer(\([a-z0-9_]*\).*/fuzz_\1/p' fuzz/CMakeLists.txt)
  for fuzzer in build/fuzz/bin/fuzz_*; do
    [ -x "$fuzzer" ] || { echo "dev fuzz: no fuzzer was built" >&2; return 3; }
    name=$(basename "$fuzzer")
    mkdir -p ".cache/fuzz/$name"
    printf '%s: %s s … ' "$name" "$seconds"
    if ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0 "$fuzzer" ".cache/fuzz/$name" \
      $(compgen -G "fuzz/corpus/${name#fuzz_}" || true) -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
      -artifact_prefix=".cache/fuzz/$name-" >".cache/fuzz/$name.log" 2>&1; then
      sed -n 's/^Done \([0-9]*\) runs.*/\1 inputs, nothing found/p' ".cache/fuzz/$name.log"
    else
      echo "FAILED; see .cache/fuzz/$name.log"
      failed=1
    fi
  done
  return "$failed"
}
