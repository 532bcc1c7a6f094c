"""A mutant: a range of one file, the text that replaces it, and its origin."""
import dataclasses
import hashlib


@dataclasses.dataclass
class Mutant:
    name: str  # numerics_nan_one_side, or FILE:LINE:KIND
    file: str  # relative to the project
    start: int
    end: int
    old: str
    new: str
    form: str  # expression, statement, or rebuild: the file is built with only the new text
    hurts: str = ""  # whom the fault would hurt
    tests: tuple = ()  # the tests most likely to notice
    equivalent: str = ""  # why no test can notice
    kind: str = "by hand"  # or the name of the mechanical kind
    around: str = ""  # the text on both sides, or the lines that a patch changes: distinguishes the faults of a
                      # file
    number: int = 0

    @property
    def mechanical(self):
        return self.kind != "by hand"

    @property
    def key(self):
        """Changes when the fault or the text around it changes, not when lines move."""
        parts = (self.kind, self.file, self.around, *((self.old, self.new) if self.mechanical else ()))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    @property
    def component(self):
        parts = self.file.split("/")
        return parts[2] if parts[:2] == ["src", "assay"] else parts[0]


def flat(text):
    """One line: the woven file has the same lines as the original, so that errors point at the right ones."""
    lines = []
    for line in text.split("\n"):
        quote = False
        for at, char in enumerate(line):
            if char == '"' and (at == 0 or line[at - 1] != "\\"):
                quote = not quote
            if not quote and line.startswith("//", at):
                line = line[:at]
                break
        lines.append(line.strip())
    return " ".join(lines)


def woven(mutant, old):
    """`old` (which may contain further mutants) and the mutant's text, one of which is chosen at run time."""
    on = f"::assay_mutants::on({mutant.number})"
    new = flat(mutant.new)
    if mutant.form == "expression":
        return f"({on} ? ({new}) : ({old}))"
    if not new.strip():
        return f"{{ if (!{on}) {{ {old} }} }}"
    if not mutant.old.strip():
        return f"{{ if ({on}) {{ {new} }} }} {old}"
    return f"{{ if ({on}) {{ {new} }} else {{ {old} }} }}"
