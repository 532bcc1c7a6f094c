"""What makes the copy quick to build: a header that is compiled beforehand, and a launcher of the compiler that gives it to woven files.

Most of a file's time goes into the headers of MLIR. Files without mutants come from ccache as ever; woven ones, which no cache
knows, are compiled with the header and with less optimisation.
"""
import collections
import hashlib
import pathlib
import re
import shutil
import subprocess

_FLAGS = ("-O1 -fPIC -Wall -Wextra -Wno-unused-parameter -Wno-comment -ffp-contract=off -fno-math-errno -std=c++20").split()
# The header brings functions of MLIR's that nobody calls into programs that do not link it.
LINKER_FLAGS = "-Wl,--no-as-needed -L/usr/lib/llvm-22/lib -Wl,-rpath,/usr/lib/llvm-22/lib -lMLIR"
_FEWEST_USERS = {"<": 9, '"': 2}

_LAUNCHER = """#!/bin/sh
# Written by utils/mutants/precompiled.py: the last word is the source.
for source; do :; done
case "$(head -n 1 "$source" 2>/dev/null) $*" in
  '#include "assay_mutants.h"'*-std=c++20*-c*)
    set -- "$@" -I{home}/include
    [ -f {header}.gch ] && exec "$@" -w -O1 -fPIC -include {header} ;;
esac
exec {ccache} "$@"
"""


def launcher(home):
    """Writes the launcher; its path, which cmake takes for ccache's (CCACHE_PROGRAM)."""
    path = home / "compile.sh"
    text = _LAUNCHER.format(header=home / "woven.h", home=home, ccache=shutil.which("ccache") or "")
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)
    return path


def _wanted(sources):
    """Headers from outside that several sources include, and the dialect's, which most of them include."""
    users = collections.Counter(match for path in sources for match in set(re.findall(r'^#include ([<"][^>"\n]+)', path.read_text(), re.M)))
    chosen = sorted(name for name, count in users.items()
                    if count >= _FEWEST_USERS[name[0]] and (name[0] == "<" and re.fullmatch(r"<[a-z_]+", name) or name.startswith(('"mlir/', '"llvm/')))
                    and "Intrinsics" not in name)
    return [f"#include {name}{'>' if name[0] == '<' else chr(34)}" for name in chosen] + ['#include "assay/dialect/Stablehlo.h"']


def compile_header(home, tree, build, ninja):
    """Makes woven.h.gch where it is not there or a header of the dialect has changed. A failure only costs time: files
    are then compiled without."""
    sources = [path for path in (tree / "src").rglob("*") if path.suffix in (".cpp", ".h")]
    text = "\n".join(_wanted(sources)) + "\n"
    generated = re.findall(r"^(src/assay/dialect/\w+\.h\.inc):", subprocess.run(["ninja", "-C", str(build), "-t", "targets", "all"],
                                                                             capture_output=True, text=True).stdout, re.M)
    if not generated or not ninja(home / "header.log", generated):
        return
    digest = hashlib.sha256(text.encode())
    for path in sorted([*(tree / "src" / "assay" / "dialect").glob("*.h"), *(build / "src" / "assay" / "dialect").glob("*.h.inc")]):
        digest.update(path.read_bytes())
    stamp = home / "woven.stamp"
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    (home / "woven.h").write_text(text)
    command = ["c++", *_FLAGS, f"-I{tree}/src", f"-I{build}/src", "-isystem", _llvm(build), "-x", "c++-header",
               str(home / "woven.h"), "-o", str(home / "woven.h.gch")]
    done = subprocess.run(command, capture_output=True, text=True)
    (home / "header.log").write_text(done.stderr)
    if done.returncode == 0:
        stamp.write_text(digest.hexdigest())
    else:
        pathlib.Path(home / "woven.h.gch").unlink(missing_ok=True)


def _llvm(build):
    found = re.search(r"-isystem (\S*llvm\S*)", (build / "build.ninja").read_text())
    return found[1] if found else "/usr/include"
