# dev_env: prints the variables that a shell needs to use the build of this checkout: eval "$(./dev env)". ASSAY is the folder of the build,
# as on the pages of docs/tasks.

dev_env() {
  local build=$PWD/build/release
  [ -x "$build/bin/assay" ] || { echo "dev env: there is no build yet: run ./dev build first" >&2; return 1; }
  printf 'export ASSAY=%q PATH=%q:%q:$PATH PYTHONPATH=%q:%q${PYTHONPATH:+:$PYTHONPATH}\n' \
    "$build" "$build/bin" "$PWD/.venv/bin" "$PWD/python" "$build/python"
}
