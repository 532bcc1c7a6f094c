# dev_test [LABEL...]: every test, or those of the labels unit, lit, golden, diff, fuzz, python; ctest's summary closes it.

dev_test() {
  local label expression=
  for label in "$@"; do expression+=${expression:+|}"^$label\$"; done
  ctest --preset release -j "${DEV_JOBS:-$(nproc)}" ${expression:+-L "$expression"} --no-tests=error </dev/null
}
