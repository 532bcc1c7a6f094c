#!/usr/bin/env python3
"""Checks that every flag in a command's --help is used by a test of that command.

usage: check_flags.py [--assay PROGRAM] [--list]

A flag counts as tested when a RUN line of test/ contains the command and the flag (in the line, or in a batch file that it names), or
when a Python test contains both. An alias counts like its name. A driver's knob of `verify` needs the driver in the same place.
--list prints every flag with the file that tests it. Exit code 1 when a flag has none.
"""
import argparse
import pathlib
import re
import sys

from program_help import commands, flags, help_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Tests:
    """The commands that tests run: RUN lines one by one, Python files as wholes."""

    def __init__(self):
        self.units = []
        for path in sorted((ROOT / "test").rglob("*")):
            if path.suffix in (".test", ".mlir") and "Inputs" not in path.parts:
                lines, here = [], ""
                for line in path.read_text(errors="replace").splitlines():
                    at = line.find("RUN:")
                    if at < 0:
                        continue
                    here += line[at + 4:]
                    if here.endswith("\\"):
                        here = here[:-1]
                        continue
                    lines.append(here)
                    here = ""
                self.units += [(path, line + self.batches(line)) for line in lines]
            elif path.suffix == ".py":
                self.units.append((path, path.read_text()))

    @staticmethod
    def batches(line):
        """The text of the batch files that a line names."""
        names = re.findall(r"--batch=(?:%S|%source|[\w/]*/)?/?([\w/.]+)", line)
        paths = [place / name for name in names for place in (ROOT, ROOT / "test/cli", ROOT / "inputs", *(ROOT / "inputs").iterdir())]
        return " ".join(" " + path.read_text().replace("\n", " ") for path in paths if path.is_file())

    def find(self, command, driver, aliases):
        called = [re.compile(rf"assay +{' +'.join(command)}(?![\w-])" if unit.suffix != ".py" else
                             r"[\"']" + r"[\"'], *[\"']".join(command) + r"[\"' ]|assay +" + " +".join(command) + r"\b") for unit in
                  (pathlib.Path("a.test"), pathlib.Path("a.py"))]
        used = [re.compile(rf"(?<![\w-]){re.escape(alias)}(?![\w-])") for alias in aliases]
        for path, text in self.units:
            if called[path.suffix == ".py"].search(text) and any(one.search(text) for one in used) and \
                    (not driver or re.search(rf"(?<![\w-]){driver}(?![\w-])", text)):
                return path.relative_to(ROOT)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", default=str(ROOT / "build/release/bin/assay"))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    tests, total, without = Tests(), 0, 0
    for command in commands(options.assay):
        for driver, aliases in flags(help_of(options.assay, *command)):
            total += 1
            name = " ".join(filter(None, ("assay", *command, driver, ",".join(aliases))))
            where = tests.find(command, driver, aliases)
            if options.list:
                print(f"{name}: {where}")
            if not where:
                without += 1
                print(f"{name}: no test uses it")
    print(f"check_flags.py: {total} flags, {without} without a test")
    return 1 if without or total < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
