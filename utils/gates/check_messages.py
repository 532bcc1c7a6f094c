#!/usr/bin/env python3
"""Checks that a test asserts every message that users can see.

usage: check_messages.py [--list] [PATH...]

Messages are the string literals of src/ and tools/ in a call that makes an error, a refusal, a warning or a note (SINKS below; what such a
call streams belongs to the message). Adjacent literals are joined, the places that formatv or a stream fills in divide it into pieces, and
the two sides of a `? :` are two messages.

A message counts as tested when WORDS consecutive words of it are in a test (whatever is filled in between the pieces), or, if it is shorter,
all of its words. The texts of a test are: a FileCheck line, an expected-error or a RUN line of a .mlir or .test file, a string
literal of a C++ test, a string of a Python test that is not a docstring. Comments do not count.

test/messages_without_test.txt lists the messages that no test can provoke, one per line: `words of the message | reason`.
Two messages with the same wording count as one, because the script cannot distinguish them.

--list prints every message with the test or reason for it; PATH... restricts it to these sources.
Exit code 1 when a message has neither a test nor a reason, or when a line of the list matches no message or one that has a test.
"""
import argparse
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REASONS = ROOT / "test/messages_without_test.txt"
WORDS = 4
SINKS = set("makeError refuse Refusal emitOpError emitError emitWarning emitRemark error errs fail failure damaged damagedFile invalid "
            "unsupported wrong bad cannot note leftOut leaveOut notAsked warn warning addContext".split())
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?P<raw>.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|'
                   r'^[ \t]*#[^\n]*|[A-Za-z_]\w*|::|<<|->|\d[\w.\']*|\S', re.S | re.M)
WORD = re.compile(r"[A-Za-z0-9_]+(?:['-][A-Za-z0-9_]+)*")
HOLE = "\0"


def tokens(text):
    """[(token, its line)] of C++ without comments and preprocessor lines; a literal keeps its quotes."""
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        if not match[0].startswith(("//", "/*")) and not match[0].lstrip().startswith("#"):
            yield ('"' + match["raw"] + '"' if match["raw"] is not None else match[0]), line


def unquoted(literal):
    return re.sub(r"\\(x1b(?:\[K)?|.)", lambda m: " " if m[1][0] in "ntrx" else m[1], literal[1:-1])


def end_of(toks, at):
    """The end of the message whose call begins at toks[at] (the bracket): after the bracket, and after everything streamed."""
    depth, streams = 0, False
    while at < len(toks):
        token = toks[at][0]
        if token in ("(", "{", "["):
            depth += 1
        elif token in (")", "}", "]"):
            depth -= 1
            if depth < 0:
                return at
            if depth == 0 and not streams:
                if at + 1 < len(toks) and toks[at + 1][0] == "<<":
                    streams = True
                else:
                    return at
        elif depth == 0 and token in (";", ","):
            return at
        at += 1
    return at


def texts(toks):
    """The messages in one call's tokens: adjacent literals are joined, anything between them is a hole; alternatives are separate
    messages."""
    texts, here, holed = [], "", False
    for i, (token, _) in enumerate(toks):
        if token[0] != '"':
            # Within one argument a stream or a sum continues; an alternative or another argument begins a new text.
            if token in ("?", ":", ",") and here:
                texts.append(here)
                here = ""
            holed = True
            continue
        here += (HOLE if holed and here else "") + unquoted(token)
        holed = False
    return texts + [here] if here else texts


def pieces(text):
    """Lists of words between the places that are filled in."""
    # A word that touches such a place ("g{1}") is only partly known, so it does not count.
    text = re.sub(r"[\w.]*(?:" + HOLE + r"|\{\d[^}]*\})[\w.]*", HOLE, text.replace("{{", "{"))
    found = [WORD.findall(part) for part in re.split(HOLE + r"|\{\d[^}]*\}|%[sd]", text)]
    return [part for part in found if part]


def messages(path):
    """(line, text, pieces) of every message of one source."""
    toks = list(tokens(path.read_text()))
    skip = 0
    for i, (token, line) in enumerate(toks[:-1]):
        if i < skip or token not in SINKS or toks[i + 1][0] not in ("(", "{"):
            continue
        skip = end_of(toks, i + 1)
        for number, text in enumerate(texts(toks[i + 1:skip])):
            parts = pieces(text)
            words = sum(map(len, parts))
            # A later argument may be a value to fill in, so only one that looks like a text counts.
            if words >= (2 if number == 0 else 3) and not re.fullmatch(r"[\w./:-]+", text):
                yield line, text.replace(HOLE, "{}"), parts


def test_strings(path):
    """The texts and expectations of a test, in pieces."""
    text = path.read_text(errors="replace")
    if path.suffix in (".mlir", ".test"):
        expected = re.findall(r"expected-(?:error|warning|remark|note)(?:-re)?\s*(?:@\S+)?\s*(?:\d+\s*)?\{\{(.*)", text)
        lines = re.findall(r"^.*?\b[A-Z][A-Z0-9_-]*: (.*)", text, re.M)
        yield from (re.sub(r"\{\{|\}\}", HOLE, line.replace("{{.*}}", HOLE)) for line in expected)
        yield from (re.sub(r"\{\{.*?\}\}", HOLE, line) for line in lines)
    elif path.suffix == ".py":
        tree = ast.parse(text)
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                yield node.value
    else:
        here = []
        for token, _ in list(tokens(text)) + [(";", 0)]:
            if token[0] == '"':
                here.append(unquoted(token))
            elif here:
                yield "".join(here)
                here = []


def sources():
    for folder in ("src", "tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".inc") and not is_test(path):
                yield path


def is_test(path):
    return bool(re.search(r"Test|Agreement|OnEachIsa", path.name))


class Tests:
    """The texts that the tests expect, as words, indexed by runs of 1 to WORDS words."""

    def __init__(self):
        self.lines, self.runs = [], {}
        files = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".cpp", ".h") and is_test(path)]
        files += [path for path in (ROOT / "test").rglob("*") if path.suffix in (".test", ".mlir", ".py", ".cpp", ".c")]
        for path in sorted(files):
            if "mutants" in path.parts or "programs" in path.parts:
                continue
            for said in test_strings(path):
                words = WORD.findall(said.replace(HOLE, " HOLE "))
                for n in range(1, WORDS + 1):
                    for i in range(len(words) - n + 1):
                        self.runs.setdefault(tuple(words[i:i + n]), set()).add(len(self.lines))
                self.lines.append((" ".join(words), path))

    def find(self, parts):
        """The test that contains a message: WORDS of its words in order, with only filled-in text between them, or all of its words if
        there are fewer."""
        words = [(word, i) for i, part in enumerate(parts) for word in part]
        size = min(WORDS, len(words))
        for first in range(len(words) - size + 1):
            window = words[first:first + size]
            runs = [tuple(word for word, i in window if i == part) for part in sorted({i for _, i in window})]
            lines = set.intersection(*(self.runs.get(run, set()) for run in runs))
            pattern = re.compile(r"\b" + r" (?:\S+ ){0,8}?".join(" ".join(run) for run in runs) + r"\b")
            for line in sorted(lines):
                if pattern.search(self.lines[line][0]):
                    return self.lines[line][1]
        return None


def reasons():
    """[(words, reason)] of the list."""
    for line in REASONS.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            words, _, reason = line.partition(" | ")
            yield words.strip(), reason.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    tests, excused = Tests(), list(reasons())
    wrong = [f"{REASONS.name}: '{words}' has no reason" for words, reason in excused if not reason]
    used, total, untested, later, seen = set(), 0, 0, 0, set()
    for path in sources():
        where = path.relative_to(ROOT)
        if options.paths and not any(str(where).startswith(chosen) for chosen in options.paths):
            continue
        for line, text, parts in messages(path):
            if (where, text) in seen:
                continue
            seen.add((where, text))
            total += 1
            found = tests.find(parts)
            plain = " ".join(sum(parts, []))
            fits = [(words, reason) for words, reason in excused if " ".join(WORD.findall(words)) in plain]
            used.update((words, bool(found)) for words, _ in fits)
            what = str(found.relative_to(ROOT)) if found else fits[0][1] if fits else None
            later += not found and bool(fits) and fits[0][1].startswith("not tested yet")
            untested += what is None
            if options.list or what is None:
                print(f"{where}:{line}: {text}: {what or 'no test has it'}")
    if not options.paths:
        for words, reason in excused:
            if (words, False) not in used:
                wrong.append(f"{REASONS.name}: '{words}' " + ("has a test now" if (words, True) in used else "is not part of any message"))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"check_messages.py: {total} messages, {untested} without test or reason, {len(excused)} lines of reasons, {later} not tested yet")
    return 1 if untested or wrong or total < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
