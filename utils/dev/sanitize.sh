# dev_sanitize [address|thread]...: the tests under sanitizers (default: both). address: preset asan (AddressSanitizer and
# UndefinedBehaviorSanitizer), labels unit, lit and golden. thread: preset tsan, the test programs of everything that runs in
# several threads: the pool, the kernels, the native engine, the recorder's writer. The output of each is .cache/sanitize-NAME.log.

dev_sanitize_programs="support_tests kernels_tests native_tests trace_tests"

dev_sanitize_address() {
  dev_build asan || return
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    ctest --preset asan -j "${DEV_JOBS:-$(nproc)}" -L '^(unit|lit|golden)$' --no-tests=error </dev/null
}

dev_sanitize_thread() {
  local program failed=0
  dev_build tsan $dev_sanitize_programs || return
  for program in $dev_sanitize_programs; do
    printf '%s: ' "$program"
    # LLVM and MLIR are not instrumented, so reports about their own locks are suppressed.
    if TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 ignore_noninstrumented_modules=1" \
      "build/tsan/bin/$program" --gtest_brief=1 >".cache/sanitize-$program.log" 2>&1; then
      grep -E '^\[  PASSED  \]' ".cache/sanitize-$program.log"
    else
      echo "FAILED; see .cache/sanitize-$program.log"
      grep -E 'WARNING: ThreadSanitizer|^\[  FAILED  \]' ".cache/sanitize-$program.log" | sort | uniq -c | head -n 10
      failed=1
    fi
  done
  return "$failed"
}

dev_sanitize() {
  local which failed=0
  [ $# -gt 0 ] || set -- address thread
  for which in "$@"; do
    case "$which" in
      address | thread) ;;
      *) echo "usage: ./dev sanitize [address|thread]..." >&2; return 2 ;;
    esac
  done
  mkdir -p .cache
  for which in "$@"; do
    echo "dev sanitize: $which"
    "dev_sanitize_$which" 2>&1 | tee ".cache/sanitize-$which.log" || failed=1
  done
  return "$failed"
}
