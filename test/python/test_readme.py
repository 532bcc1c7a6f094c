"""What the README shows is what happens: its files are written as they stand, its commands run in their order, and every line of output
that it shows comes in that order."""
import os
import re
import subprocess
import sys

import examples_world
import pytest

README = (examples_world.SOURCE / "README.md").read_text()
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


# The parts under a heading that have something to run.
SECTIONS = [part for part in re.split(r"^## ", README, flags=re.M) if _BLOCK.search(part)]


def _commands(text):
    """A console block: each command with the output lines that are shown below it."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


@pytest.mark.parametrize("section", SECTIONS, ids=[part.split("\n")[0] for part in SECTIONS])
def test_section_does_what_it_shows(section, tmp_path):
    path = os.pathsep.join([str(examples_world.BIN), os.path.dirname(sys.executable), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "JAX_PLATFORMS": "cpu",
                   "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(tmp_path)])}
    shown_lines = 0
    for kind, name, text in _BLOCK.findall(section):
        if kind != "console":
            (tmp_path / name).write_text(text)
            continue
        for command, shown in _commands(text):
            run = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
            printed = iter((run.stdout + run.stderr).splitlines())
            for line in shown:
                assert line in printed, f"$ {command}\ndoes not print, or not there:\n{line}\nbut:\n{run.stdout}{run.stderr}"
            shown_lines += len(shown)
    assert shown_lines > 0


def test_what_is_promised_stands_there():
    assert "./dev demo" in README and "./dev test" in README
    assert len(README.splitlines()) < 120 and README.count("![") == 1
    assert len(SECTIONS) == 3
