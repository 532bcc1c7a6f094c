"""The help of every command: two screens at most, options in groups of a few, rare ones behind --help-all, and nothing lost between the two."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "utils/gates"))
import program_help  # noqa: E402

PROGRAM = os.path.join(os.environ["ASSAY_BIN"], "assay")
NAMES = [name for name, _ in program_help.listed(program_help.help_of(PROGRAM))]
COMMANDS = [(), *dict.fromkeys([(name,) for name in NAMES] + list(program_help.commands(PROGRAM)))]
TWO_SCREENS = 100  # lines
MOST_IN_A_GROUP = 16  # options; the drivers of verify are a separate list


def said(*words):
    run = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout


def groups(text):
    """{heading: names of the options below it}."""
    found, heading = {}, None
    for line in text.splitlines():
        if re.fullmatch(r"\S[^\n]*:", line):
            heading = line[:-1]
        elif not line.startswith(" "):
            heading = None
        elif heading and (option := re.match(rf"  ({program_help.FLAG})", line)):
            found.setdefault(heading, []).append(option[1])
    return found


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_fits_two_screens_in_groups(command):
    text = said(*command, "--help")
    assert len(text.splitlines()) <= TWO_SCREENS
    assert "Rarely needed" not in text
    usage = re.search(r"^[Uu]sage: (assay.*)", text, re.M)
    assert usage and usage[1].startswith(" ".join(("assay", *command))), text
    assert not command or re.search(rf"^  .*assay {command[0]} ", text.partition("\nexamples:\n")[2], re.M), "no example"
    too_long = {name: len(options) for name, options in groups(text).items() if len(options) > MOST_IN_A_GROUP and name != "DRIVER"}
    assert not too_long


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_all_has_what_help_has(command):
    short, every = said(*command, "--help"), said(*command, "--help-all")
    assert set(short.splitlines()) <= set(every.splitlines())
    hidden = set(every.splitlines()) - set(short.splitlines())
    assert bool(hidden) == ("Rarely needed:" in every)
    assert not hidden or "--help-all" in short


def test_the_help_of_the_program_groups_commands_by_job():
    text = said("--help")
    jobs = re.findall(r"^([A-Z][^:\n]*)\n  [a-z]", text, re.M)
    assert len(jobs) >= 4 and len(NAMES) >= 17
    for name in NAMES:
        assert re.search(rf"^  {name} +\w", text, re.M)


def test_every_python_file_compiles():
    root = pathlib.Path(__file__).resolve().parents[2]
    files = [path for folder in ("benchmark", "examples", "python", "test", "tools", "utils") for path in sorted((root / folder).rglob("*.py"))]
    assert len(files) > 200
    for path in files:
        compile(path.read_text(), str(path), "exec")


def test_a_group_of_verify_names_knobs_that_there_are():
    source = (pathlib.Path(__file__).resolve().parents[2] / "tools/assay/Verify.cpp").read_text()
    table = source[source.index("kHelpGroups[]"):source.index("/// The lines of knobHelp()")]
    names = [name for part in re.findall(r'"([^"]*)"', table) if not part[0].isupper() for name in part.split()]
    text = said("verify", "--help")
    assert len(names) > 30
    for name in names:
        assert re.search(rf"^  --{name}=", text, re.M), name


def test_the_projects_own_script_proposes_a_name():
    root = pathlib.Path(__file__).resolve().parents[2]
    for word, near in [("biuld", " (did you mean 'build'?)"), ("tests", " (did you mean 'test'?)"), ("qqqqq", "")]:
        run = subprocess.run([root / "dev", word], capture_output=True, text=True, timeout=60)
        assert (run.returncode, run.stderr) == (2, f"dev: unknown command '{word}'{near}; ./dev help lists them\n")
