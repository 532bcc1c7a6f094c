# dev_conformance DIR [--json FILE] [--write-status]: the suites of an unmodified checkout of openxla/stablehlo at DIR.

dev_conformance() {
  [ $# -gt 0 ] || { echo "usage: ./dev conformance DIR [--json FILE] [--write-status]" >&2; return 2; }
  python3 utils/conformance.py "$@"
}
