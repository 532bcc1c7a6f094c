# dev_mutants [PATTERN...] [OPTION...]: mutation testing of the sources (utils/mutants, docs/testing.md). Plausible faults are
# compiled into a copy below build/mutants and switched on one at a time; the table lists those that no test notices. `--python`: faults of
# the Python package instead.

dev_mutants() {
  if [ "${1:-}" = --python ]; then
    case " $* " in *" --help "* | *" --list "*) ;; *) dev_build release || return ;; esac
    .venv/bin/python utils/mutants/python_package.py "${@:2}"
    return
  fi
  CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1 python3 utils/mutants "$@"
}
