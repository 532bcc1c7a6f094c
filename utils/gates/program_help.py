"""What `assay --help` and the help of its commands list: commands, subcommands, flags. Used by the gate of flags, the site and the completions."""
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
    """[(name, its description)] of the commands or subcommands that a help lists."""
    return list(dict(re.findall(r"^  ([a-z]+) {2,}(\S.*)", text, re.M)).items())


def subcommands(name, text):
    """The same for a command's own help; nothing where it has none."""
    if "Subcommands:" in text:
        return listed(text.split("Subcommands:")[1].split("\n\n")[0])
    return listed(text) if f"assay {name} COMMAND" in text else []


def commands(program):
    """Yields the words of every command, and of each subcommand instead of a command that has some."""
    for name, _ in listed(help_of(program)):
        below = subcommands(name, help_of(program, name))
        yield from ([(name, inner) for inner, _ in below] or [(name,)])


def flags(text):
    """[(driver or None, [aliases])] of one command's help."""
    for line in text.splitlines():
        driver = re.match(r"  --(\w+) (--[\w-]+)=\.\.\. ", line)
        if driver:
            yield "--" + driver[1], [driver[2]]
            continue
        found = re.match(rf"  ({FLAG}(?:,{FLAG})*)(?:[ ={{]|$)", line)
        if found and not {"--help", "--help-all"} & set(found[1].split(",")):
            yield None, found[1].split(",")
