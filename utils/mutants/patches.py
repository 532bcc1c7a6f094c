"""Mutants written by hand: test/mutants/*.patch.

A patch is a unified diff of one file with a head of `key: text` lines:

    hurts: whoever compares a dump with NaN on one side sees a pass
    tests: unit.numerics, lit.cli/dumps.test
    equivalent: why nothing can notice (only if that is so)
    --- a/src/assay/...
    +++ b/src/assay/...
    @@ ...

Its place in the file is found by its text, not by its line numbers. The mutant replaces the smallest expression or run of statements
that contains the change. If the woven form does not compile, tree.py builds the file with only the patch.
"""
import difflib
import re

from mutant import Mutant
from tokens import Source


class BadPatch(Exception):
    pass


def _read(path):
    head, hunks, file = {}, [], None
    for line in path.read_text().split("\n"):
        if file is None and (match := re.match(r"(hurts|tests|equivalent): (.*)", line)):
            head[match[1]] = match[2]
        elif file is None and line.startswith("  ") and head:
            head[list(head)[-1]] += " " + line.strip()
        elif line.startswith("+++ "):
            file = line[4:].split("\t")[0].removeprefix("b/")
        elif line.startswith("@@"):
            hunks.append(([], [], int(re.match(r"@@ -(\d+)", line)[1])))
        elif hunks and line[:1] in (" ", "-", "+"):
            if line[0] != "+":
                hunks[-1][0].append(line[1:])
            if line[0] != "-":
                hunks[-1][1].append(line[1:])
    if file is None or not hunks or "hurts" not in head:
        raise BadPatch(f"{path.name}: wants a line `hurts: …`, and a diff of one file")
    return head, file, hunks


def _apply(name, text, hunks):
    """The text with every hunk applied; a hunk's place is where its old lines occur, nearest to its line number."""
    for old, new, line in hunks:
        old, new = "\n".join(old) + "\n", "\n".join(new) + "\n"
        places = [match.start() for match in re.finditer(re.escape(old), text) if match.start() == 0 or text[match.start() - 1] == "\n"]
        if not places:
            raise BadPatch(f"{name}: its old lines are not in the file any more")
        place = min(places, key=lambda at: abs(text.count("\n", 0, at) + 1 - line))
        text = text[:place] + new + text[place + len(old):]
    return text


def _changed(before, after):
    """The token range of `before` that differs, and the matching range of `after`."""
    a, b = [token.text for token in before.tokens], [token.text for token in after.tokens]
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return head, len(a) - tail - 1, head, len(b) - tail - 1


_BETWEEN = {"(", "[", "{", ";", ",", "return", "=", "else", "}"}
_KEYWORDS = {";", "if", "for", "while", "switch", "return", "break", "continue"}


def _as_expression(before, after):
    first, last, new_first, new_last = _changed(before, after)
    if first > last or new_first > new_last:  # an insertion or a removal: includes a neighbour
        left = before.tokens[first - 1].text not in _BETWEEN
        first, new_first = first - left, new_first - left
        last, new_last = last + (not left), new_last + (not left)
    words = {token.text for token in [*before.tokens[first:last + 1], *after.tokens[new_first:new_last + 1]]}
    if words & _KEYWORDS:
        return None
    left, right = before.expression(first, last)
    while {before.tokens[at].text for at in range(left, right + 1) if before.opener[at] == before.opener[left]} & {",", "="}:
        opener = before.opener[left]
        if opener < 0 or before.tokens[opener].text == "{":
            return None
        left, right = before.expression(opener, before.partner[opener])
    return left, right


def _as_statements(before, after):
    first, last, _, _ = _changed(before, after)
    while not before.statement_before(first):
        first -= 1
        if first < 0:
            return None
    last = max(last, first)
    while True:
        for index in range(first, last + 1):
            last = max(last, before.partner.get(index, index))
        text = before.tokens[last].text
        ends = text == ";" or (text == "}" and before.is_block(before.partner.get(last, -1)))
        if ends and before.opener[last] == before.opener[first]:
            return first, last
        last += 1
        if last >= len(before.tokens):
            return None


# Statements with an effect until the end of their scope: inside an `if` that scope would end with the statement.
_SCOPED = re.compile(r"\b(lock_guard|unique_lock|scoped_lock|scope_exit|make_scope_exit|Scoped\w+)\b")

# A jump to a label skips the `if` before it.
_LABEL = re.compile(r"(case\b|default\s*:)")


def _narrowed(text, mutated, form):
    """The mutant's range and text in `form`; None if the form is not possible."""
    if form == "rebuild":
        return 0, len(text), mutated
    before, after = Source(text), Source(mutated)
    extent = {"expression": _as_expression, "statement": _as_statements}[form](before, after)
    if extent is None:
        return None
    first, last = extent
    replaced = before.slice(first, last)
    if form == "statement" and (_SCOPED.search(replaced) or _LABEL.match(replaced)):
        return None
    new_last = len(after.tokens) - (len(before.tokens) - last)
    new = after.slice(first, new_last) if new_last >= first else ""
    if not new and form == "expression":
        return None
    return before.tokens[first].start, before.tokens[last].end, new


FORMS = ("expression", "statement", "rebuild")


def load(path, root, form):
    """The mutant of a patch in the first possible form, starting with `form`."""
    head, file, hunks = _read(path)
    target = root / file
    if not target.exists():
        raise BadPatch(f"{path.name}: there is no {file}")
    text = target.read_text()
    mutated = _apply(path.name, text, hunks)
    if mutated == text:
        raise BadPatch(f"{path.name}: changes nothing")
    for form in FORMS[FORMS.index(form):]:
        if form != "rebuild" and not file.endswith((".cpp", ".h", ".inc")):
            continue
        if (narrowed := _narrowed(text, mutated, form)) is None:
            continue
        start, end, new = narrowed
        diff = "".join(difflib.unified_diff(text.splitlines(True), mutated.splitlines(True), n=0))
        changed = re.sub(r"^(@@|---|\+\+\+).*\n", "", diff, flags=re.M)
        around = changed + "\0".join("\n".join(old) for old, _, _ in hunks)  # one change at two places makes two mutants
        tests = tuple(word.strip() for word in head.get("tests", "").split(",") if word.strip())
        return Mutant(path.stem, file, start, end, text[start:end], new, form, head["hurts"], tests,
                      head.get("equivalent", ""), around=around)
    raise BadPatch(f"{path.name}: no form fits")
