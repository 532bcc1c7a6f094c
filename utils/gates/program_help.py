"""The contents of `assay --help` and of the help of its commands: commands, subcommands, flags. The gate of flags, the site and the completions
use it."""
import re
import subprocess
import sys

FLAG = r"--?[A-Za-z][\w-]*"


def help_of(program, *command):
    """The text of `PROGRAM COMMAND --help-all`; ends this script if there is none."""
    said = subprocess.run([program, *command, "--help-all"], capture_output=True, text=True, timeout=120)
    if said.returncode != 0:
        sys.exit(f"assay {' '.join(command)} --help-all: exit code {said.returncode}: {said.stderr.strip()}")
    return said.stdout


def listed(text):
    """[(name, its description)] for the commands or subcommands in a help text."""
    return list(dict(re.findall(r"^  ([a-z]+) {2,}(\S.*)", text, re.M)).items())


def subcommands(name, text):
    """The same for a command's own help; empty if it has none."""
    if "Subcommands:" in text:
        return listed(text.split("Subcommands:")[1].split("\n\n")[0])
    return listed(text) if f"assay {name} COMMAND" in text else []


def commands(program):
    """Yields the words of every command, or of each of its subcommands if it has some."""
    for name, _ in listed(help_of(program)):
        below = subcommands(name, help_of(program, name))
        yield from ([(name, inner) for inner, _ in below] or [(name,)])


def flags(text):
    """[(driver or None, [aliases])] from one command's help."""
    for line in text.splitlines():
        driver = re.match(r"  --(\w+) (--[\w-]+)=\.\.\. ", line)
        if driver:
            yield "--" + driver[1], [driver[2]]
            continue
        found = re.match(rf"  ({FLAG}(?:,{FLAG})*)(?:[ ={{]|$)", line)
        if found and not {"--help", "--help-all"} & set(found[1].split(",")):
            yield None, found[1].split(",")
