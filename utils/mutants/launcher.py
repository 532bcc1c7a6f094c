"""The launcher for the copy's compiler: files with mutants find assay_mutants.h and are compiled without warnings.

Files without mutants are compiled with the same command line as in the project's own build, so that ccache has them.
"""
import shutil

_LAUNCHER = """#!/bin/sh
# Written by utils/mutants/launcher.py: the last word is the source.
for source; do :; done
case "$(head -n 1 "$source" 2>/dev/null)" in
  '#include "assay_mutants.h"'*) set -- "$@" -w -I{home}/include ;;
esac
exec {ccache} "$@"
"""


def write(home):
    """Writes the launcher into a folder; returns its path, which cmake uses as that of ccache (CCACHE_PROGRAM)."""
    path = home / "compile.sh"
    text = _LAUNCHER.format(home=home, ccache=shutil.which("ccache") or "")
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)
    return path
