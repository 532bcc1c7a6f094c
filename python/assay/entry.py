"""The commands that pip installs: `assay` itself, and the names of torch_xray, each a call of the program.

    summary DUMP.h5 OUT.txt           assay summary DUMP.h5 OUT.txt
    compare XPU.h5 GPU.h5 OUT.csv     assay compare XPU.h5 GPU.h5 OUT.csv
    summary_diff_check A B OUT        assay diff A B OUT
    jprof [FLAGS] dump.json           assay extract [FLAGS] dump.json --format pytest
"""
import os
import sys

from . import program


def _forward(*words):
    try:
        return program.call(*words)
    except OSError as error:
        print(f"{words[0]}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def assay():
    """The program itself, where pip has installed it."""
    try:
        path = program.find()
    except FileNotFoundError as error:
        print(f"assay: {error}", file=sys.stderr)
        return 2
    os.execv(path, [path, *sys.argv[1:]])


def summary():
    return _forward("summary", *sys.argv[1:])


def compare():
    return _forward("compare", *sys.argv[1:])


def summary_diff_check():
    return _forward("diff", *sys.argv[1:])


def jprof():
    return _forward("extract", "--format", "pytest", *sys.argv[1:])
