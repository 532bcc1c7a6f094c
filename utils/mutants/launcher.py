"""The launcher of the compiler that the copy is built with: files with mutants find assay_mutants.h, and warn of nothing.

Files without mutants get the same words as in the project's own build, so that they come from ccache.
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
    """Writes the launcher into a folder; its path, which cmake takes for ccache's (CCACHE_PROGRAM)."""
    path = home / "compile.sh"
    text = _LAUNCHER.format(home=home, ccache=shutil.which("ccache") or "")
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)
    return path
