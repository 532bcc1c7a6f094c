# dev_bench [NAME...]: benchmarks and their peers. A benchmark is a folder benchmark/NAME with run.sh (or bench.py, run by
# the Python of .venv, or a built program build/release/bin/bench_NAME); without a name all of them run, one after the other. Arguments
# that begin with `--` are passed to each.

dev_bench_one() {
  local name=$1
  shift
  export PATH="$PWD/build/release/bin:$PWD/.venv/bin:$PATH"
  export ASSAY_BENCH="./dev bench $name${*:+ $*}" # for the JSON, which records how it was made
  if [ -f "benchmark/$name/run.sh" ]; then
    bash "benchmark/$name/run.sh" "$@"
  elif [ -f "benchmark/$name/bench.py" ]; then
    PYTHONPATH="$PWD/python:$PWD/build/release/python" .venv/bin/python "benchmark/$name/bench.py" "$@"
  elif [ -x "build/release/bin/bench_$name" ]; then
    "build/release/bin/bench_$name" "$@"
  else
    echo "dev bench: no benchmark named '$name'; there are: $(dev_bench_names)" >&2
    return 2
  fi
}

dev_bench_names() {
  local folder
  for folder in benchmark/*/; do
    ls "$folder" | grep -qxE 'run\.sh|bench\.py|main\.cpp' && basename "$folder"
  done | tr '\n' ' '
}

dev_bench() {
  local word names=() options=() failed=0
  while [ $# -gt 0 ]; do
    case "$1" in
      --json) options+=("$1" "$2"); shift ;;
      --large|--model|--models|--fault|--faults|--pairs|--seed|--seeds|--mode|--only|--keep|--again|--folder|--blocks|--rounds) options+=("$1" "$2"); shift ;;
      --*) options+=("$1") ;;
      *) names+=("$1") ;;
    esac
    shift
  done
  [ "${#names[@]}" -gt 0 ] || names=($(dev_bench_names))
  for word in "${names[@]}"; do dev_bench_one "$word" "${options[@]}" || failed=$?; done
  return "$failed"
}
