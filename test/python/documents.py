"""Runs a page as it is written: its named blocks are files, the commands of its console blocks run in order in one folder, and
the output must have every line that the page shows, in that order. `…` in a shown line stands for text that differs between machines."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import preloaded

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["ASSAY_BIN"])
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def blocks(text):
    """[(kind, name of the file or "", content)] of a page's runnable blocks."""
    return [block for block in _BLOCK.findall(text) if block[0] == "console" or block[1]]


def _commands(text):
    """A console block: each command with the output lines shown below it."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> "):
            found[-1] = (found[-1][0] + "\n" + line[2:], found[-1][1])
        else:
            found[-1][1].append(line)
    return found


def _matches(shown, line):
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), line) is not None


def run(text, folder):
    """Runs the blocks of a page. Returns how many lines of output were compared."""
    path = os.pathsep.join([str(BIN), os.path.dirname(sys.executable), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "JAX_PLATFORMS": "cpu", "ASSAY": str(BIN.parent),
                   "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(folder)])}
    compared = 0
    for kind, name, content in blocks(text):
        if kind != "console":
            (folder / name).write_text(content)
            continue
        for command, shown in _commands(content):
            if command.startswith("python "):
                done = preloaded.run(*shlex.split(command)[1:], cwd=folder, env=environment, timeout=300)
            else:
                done = subprocess.run(command, shell=True, executable="/bin/bash", cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
            printed = (done.stdout + done.stderr).splitlines()
            lines = iter(printed)
            for line in shown:
                assert any(_matches(line, other) for other in lines), f"$ {command}\ndoes not print, or not there:\n{line}\nbut:\n" + "\n".join(printed)
            compared += len(shown)
    return compared
