# dev_test [LABEL...]: every test, or those of the labels unit, lit, golden, diff, fuzz, python. After ctest's summary it lists the
# cases that tests skipped, with their reasons. It runs one test more than there are cores, because many wait for a process that they stopped.

dev_test() {
  local label expression= failed=0
  for label in "$@"; do expression+=${expression:+|}"^$label\$"; done
  rm -f build/release/results/*.xml
  ctest --preset release -j "${DEV_JOBS:-$(($(nproc) + 1))}" ${expression:+-L "$expression"} --no-tests=error </dev/null || failed=$?
  utils/gates/skipped_cases.py build/release/results || [ $? -eq 77 ] || failed=1 # 1: a skip that is not known
  return "$failed"
}
