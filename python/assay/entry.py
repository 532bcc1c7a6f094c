"""The commands that pip installs: `assay` itself, `assay-opt`, and the commands of torch_xray, each of which calls the program.

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


def _become(name):
    """Replaces this process with the program `assay`, or with another one in its folder."""
    try:
        path = os.path.join(os.path.dirname(program.find()), name)
    except FileNotFoundError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    os.execv(path, [path, *sys.argv[1:]])


def assay():
    """The program itself, where pip has installed it."""
    return _become("assay")


def assay_opt():
    """`assay-opt`: passes over programs, and conversion between their forms."""
    return _become("assay-opt")


def summary():
    return _forward("summary", *sys.argv[1:])


def compare():
    return _forward("compare", *sys.argv[1:])


def summary_diff_check():
    return _forward("diff", *sys.argv[1:])


def jprof():
    return _forward("extract", "--format", "pytest", *sys.argv[1:])
