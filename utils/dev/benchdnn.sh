# dev_benchdnn DIR [--limit N] [--driver NAME] [--write FILE]: the problem lists of an unmodified checkout of uxlfoundation/oneDNN at DIR.

dev_benchdnn() {
  [ $# -gt 0 ] || { echo "usage: ./dev benchdnn DIR [--limit N] [--driver NAME...] [--write FILE]" >&2; return 2; }
  python3 utils/evidence/benchdnn_files.py "$@"
}
