# dev_demo: the main job on real input. Runs utils/dev/demo/NN_name.sh in order, each in a shell of its own with the built
# programs first on PATH; every step says in words what it shows and prints the figures. The first failure ends the demo.

dev_demo() {
  local step steps=(utils/dev/demo/[0-9][0-9]_*.sh) count=0 started=$SECONDS
  for step in "${steps[@]}"; do
    count=$((count + 1))
    printf '\n=== demo %d of %d: %s ===\n' "$count" "${#steps[@]}" "$(basename "$step" .sh | sed 's/^[0-9]*_//; s/_/ /g')"
    PATH="$PWD/build/release/bin:$PATH" bash -euo pipefail "$step" </dev/null || {
      echo "demo: FAILED in $step" >&2
      return 1
    }
  done
  printf '\ndemo: all %d steps held (%d s)\n' "$count" "$((SECONDS - started))"
}
