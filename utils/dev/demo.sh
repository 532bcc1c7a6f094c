# dev_demo [STEP...]: the main job on real input: one journey from a wrong model to a kernel that is right and fast (05_journey.sh), then
# further capabilities. Runs utils/dev/demo/NN_name.sh in order (those whose names begin with STEP), each in its own shell with the
# built programs first on PATH. A step's first line describes it, its second (`# More: PAGE`) names a page with more: the table at the end
# is made from them. The first failure ends the demo. Each step is a test of the suite, golden.demo.NN_name.

dev_demo() {
  local step name steps=() count=0 started=$SECONDS
  for name in "${@:-[0-9][0-9]_}"; do
    for step in utils/dev/demo/$name*.sh; do
      [ -f "$step" ] || { echo "demo: no step '$name'; there are: $(cd utils/dev/demo && ls [0-9][0-9]_*.sh | sed 's/\.sh$//' | tr '\n' ' ')" >&2; return 2; }
      steps+=("$step")
    done
  done
  for step in "${steps[@]}"; do
    count=$((count + 1))
    printf '\n=== demo %d of %d: %s ===\n' "$count" "${#steps[@]}" "$(basename "$step" .sh | sed 's/^[0-9]*_//; s/_/ /g')"
    PATH="$PWD/build/release/bin:$PATH" bash -euo pipefail "$step" </dev/null || {
      echo "demo: FAILED in $step" >&2
      return 1
    }
  done
  printf '\nWhat was shown, and where to read on (docs/tasks has a page for each thing that you may want to do):\n\n'
  for step in "${steps[@]}"; do
    printf '  %-24s %s\n' "$(sed -n '2s/^# More: //p' "$step")" "$(sed -n '1s/^# //p' "$step")"
  done
  printf '\ndemo: all %d steps held (%d s)\n' "$count" "$((SECONDS - started))"
}
