#!/usr/bin/env python3
"""The recipes of CONTRIBUTING.md are true: each has a toy that needs exactly the files that the recipe names.

usage: recipes.py [--build FOLDER]

test/recipes/NAME.patch is a toy made by one recipe. Its header names the recipe (`recipe: Add a metric`), the targets to build and
commands that must succeed (`run: assay doctor | grep toy`). Without --build the toys' files are compared with those of the recipe, and
each patch must still apply to this tree. With --build all toys are applied to a copy of the tree in FOLDER, which is built, and
every command is run: some minutes with a warm compiler cache. Exit code 1: a recipe does not hold.

test/recipes/NAME.known is an existing thing that replaces a toy: its names (`known: F8E3M4 f8E3M4`) are in the sources that the
recipe names, and in no others but tests.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROOTS = ("src/", "test/", "tools/", "python/", "docs/", "inputs/", "utils/", "fuzz/")
SOURCES = ("src/", "tools/", "python/")


def recipe_paths(title):
    """The files that a recipe of CONTRIBUTING.md names, <placeholders> as patterns."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.search(rf"\*\*{re.escape(title)}\.\*\*(.*?)(?=\n\*\*Add |\Z)", text, re.S)
    if not found:
        return None
    names = re.findall(r"`([^`\s]+)`", found[1])
    return [name for name in names if name.startswith(ROOTS)]


def pattern(path):
    return re.compile("".join("[^/]+" if part.startswith("<") else re.escape(part)
                              for part in re.split(r"(<[^<>]+>)", path)))


def header(patch, key):
    return re.findall(rf"^{key}: (.*)$", patch.read_text().split("\ndiff --git", 1)[0], re.M)


def compare(title, named, touched):
    complaints = [f"'{title}' does not name {path}" for path in touched
                  if not any(pattern(name).fullmatch(path) for name in named)]
    return complaints + [f"'{title}' names {name}, which the toy did not need" for name in named
                         if not any(pattern(name).fullmatch(path) for path in touched)]


def check_known(file):
    """Complaints about an existing thing."""
    title, words = header(file, "recipe")[0], header(file, "known")[0].split()
    found = subprocess.run(["git", "grep", "-lE", "|".join(words), "--", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True)
    knowing = [path for path in found.stdout.split() if not path.endswith("Test.cpp")]
    return compare(title, [name for name in recipe_paths(title) or [] if name.startswith(SOURCES)], knowing)


def check(patch):
    """Complaints about one toy."""
    title = (header(patch, "recipe") or ["?"])[0]
    named = recipe_paths(title)
    if not named:
        return [f"CONTRIBUTING.md has no recipe '{title}' that names files"]
    complaints = compare(title, named, re.findall(r"^diff --git a/\S+ b/(\S+)$", patch.read_text(), re.M))
    applied = subprocess.run(["git", "apply", "--check", str(patch)], cwd=ROOT, capture_output=True, text=True)
    if applied.returncode:
        complaints.append(f"does not apply any more: {applied.stderr.strip()}")
    if not header(patch, "build") or not header(patch, "run"):
        complaints.append("says no targets to build or no command to run")
    return complaints


def run(command, folder, **more):
    print(f"$ {command}", flush=True)
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, **more).returncode


def build(patches, folder):
    """Applies every toy to a copy of the tree, builds it, runs the toys' commands. Returns the failed ones."""
    folder.mkdir(parents=True, exist_ok=True)
    # Times are kept, so that targets built in an earlier copy are rebuilt only if a file differs.
    copy = (f"find {folder} -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {{}} + && tar -C {ROOT} --exclude ./build "
            f"--exclude ./.git --exclude ./.venv -cf - . | tar -C {folder} -xf -")
    if run(copy, ROOT) or run(f"ln -sfn {ROOT}/.venv .venv", folder):
        return [copy]
    for patch in patches:  # a fresh copy has none of them yet
        if run(f"patch -p1 --quiet --no-backup-if-mismatch < {patch}", folder):
            return [f"patch < {patch.name}"]
    targets = " ".join(target for patch in patches for target in header(patch, "build"))
    make = f"cmake --preset release >/dev/null && ninja -C build/release {targets}"
    if run(make, folder):
        return [make]
    here = f"export PATH={folder}/build/release/bin:/usr/lib/llvm-22/bin:$PATH; "
    return [command for patch in patches for command in header(patch, "run") if run(here + command, folder)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    patches = sorted(pathlib.Path(__file__).parent.glob("*.patch"))
    known = sorted(pathlib.Path(__file__).parent.glob("*.known"))
    complaints = [f"{patch.name}: {text}" for patch in patches for text in check(patch)]
    complaints += [f"{file.name}: {text}" for file in known for text in check_known(file)]
    if arguments.build and not complaints:
        complaints = [f"failed: {command}" for command in build(patches, arguments.build.resolve())]
    print("\n".join(complaints + [f"recipes: {len(patches) + len(known)} toys, {len(complaints)} complaints"]))
    return 1 if complaints or not patches else 0


if __name__ == "__main__":
    sys.exit(main())
