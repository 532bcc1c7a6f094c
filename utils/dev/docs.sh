# dev_docs [serve]: builds the site of docs/ in build/site; `serve` shows it on http://127.0.0.1:8000 and follows changes.

dev_docs() {
  case "${1:-build}" in
    build) NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict >build/site.log 2>&1 && echo "site: build/site/index.html" || { grep -vE "^INFO" build/site.log >&2; return 1; } ;;
    serve) NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs serve ;;
    *) echo "dev docs: unknown argument '$1', expected serve or nothing" >&2; return 2 ;;
  esac
}
