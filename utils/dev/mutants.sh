# dev_mutants [PATTERN...] [OPTION...]: mutation testing of the sources (utils/mutants, docs/testing.md). Plausible faults are
# compiled into a copy below build/mutants and put on one at a time; the table says which of them no test notices.

dev_mutants() {
  CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1 python3 utils/mutants "$@"
}
