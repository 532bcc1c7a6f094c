"""Mechanical mutants: every place of a file where one of five small faults is possible, and a draw among them by seed.

    comparison  a < b   becomes a <= b; a == b becomes a != b; ...
    bound       for (...; i < n; ...) stops one earlier: i + 1 < n
    logic       a && b  becomes a || b, and the reverse
    constant    a whole number becomes one more or one less
    removed     a statement is removed: a call, an assignment, a break
"""
import hashlib
import re

from mutant import Mutant
from tokens import Source

_SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# A statement that signals processes or deletes files is not changed: a mutant of it could have effects outside the copy.
_DANGEROUS = re.compile(r"\b(kill|killpg|unlink|remove|remove_directories|rename|setrlimit|_exit|abort)\b")
_DECLARES = re.compile(r"\b(static_assert|using|typedef|template|constexpr|static|friend|operator|namespace|struct|class|enum|"
                       r"extern|goto|public|private|protected|assert|case|default|return)\b")


def _in_for_header(source, index):
    """Whether the comparison at `index` is the condition of a `for`."""
    opener = source.opener[index]
    return opener > 0 and source.tokens[opener].text == "(" and source.tokens[opener - 1].text == "for"


def _in_directive_context(source, index):
    """Whether the place is inside a static assertion, template arguments, a constexpr definition or an enumeration."""
    for opener in range(index, -1, -1):
        if source.tokens[opener].text == "<" and source.partner.get(opener, -1) > index:
            return True
        if source.tokens[opener].text in (";", "{", "}"):
            break
    words = {token.text for token in source.tokens[max(opener, 0):index] if token.kind == "word"}
    return bool(words & {"static_assert", "constexpr", "enum", "alignas", "template", "case", "sizeof", "kill"})


def _comparisons(source):
    for index, token in enumerate(source.tokens):
        if token.text not in _SWAPS or not token.spaced or not source.spaced_after(index) or source.is_template_bracket(index):
            continue
        extent = source.operands(index)
        if extent is None or _in_directive_context(source, index):
            continue
        left, right = source.slice(extent[0], index - 1), source.slice(index + 1, extent[1])
        if _DANGEROUS.search(left + right):
            continue
        yield "comparison", extent, f"{left} {_SWAPS[token.text]} {right}"
        if token.text in ("<", "<=") and _in_for_header(source, index):
            yield "bound", extent, f"{left} + 1 {token.text} {right}"


def _logic(source):
    for index, token in enumerate(source.tokens):
        if token.text not in ("&&", "||") or not token.spaced or not source.spaced_after(index):
            continue
        ends = {",", ";", "?", ":", "=", "return", "&&", "||", "case"}
        left, right = source._walk(index - 1, -1, ends), source._walk(index + 1, +1, ends)
        if left is None or right is None or _in_directive_context(source, index):
            continue
        # `a || b && c`: the swap is a change of one place only if the neighbouring operators are of one kind.
        neighbours = {source.tokens[at].text for at in (left - 1, right + 1) if 0 <= at < len(source.tokens)}
        if neighbours & {"&&", "||"}:
            continue
        a, b = source.slice(left, index - 1), source.slice(index + 1, right)
        if _DANGEROUS.search(a + b):
            continue
        yield "logic", (left, right), f"({a}) {'||' if token.text == '&&' else '&&'} ({b})"


def _constants(source):
    for index, token in enumerate(source.tokens):
        if token.kind != "number" or not re.fullmatch(r"\d+", token.text) or int(token.text) > 4096:
            continue
        if _in_directive_context(source, index):
            continue
        value = int(token.text)
        yield "constant", (index, index), str(value + 1)
        if value > 0:
            yield "constant", (index, index), str(value - 1)


def _removals(source):
    tokens = source.tokens
    for index, token in enumerate(tokens):
        if token.kind != "word" and token.text not in ("++", "--", "*") or not source.statement_before(index):
            continue
        end = index
        while end < len(tokens) and tokens[end].text != ";":
            end = source.partner[end] if source.partner.get(end, 0) > end else end
            if tokens[end].text == "}" and tokens[source.partner.get(end, end)].text == "{" and end + 1 < len(tokens) and \
                    tokens[end + 1].text not in (",", ")", ";", ".", "->"):
                end = len(tokens)
            end += 1
        if end >= len(tokens):
            continue
        text = source.slice(index, end)
        if _DECLARES.search(text.split("(")[0]) or _DANGEROUS.search(text) or text.startswith(("for", "if", "while", "switch", "else", "do ")):
            continue
        words = tokens[index:index + 2]
        if len(words) > 1 and words[0].kind == "word" and words[1].kind == "word":
            continue  # a declaration
        if re.match(r"[\w:<>,\s*&]+[*&>\s]\s*\w+\s*(=|;|\{|\()", text) and not re.match(r"\w+(\(|\.|->|\[|\s*[-+*/|&^]?=|\+\+|--|;)", text):
            continue  # a declaration of a qualified or templated type
        yield "removed", (index, end), ""


def sites(path, text):
    """Every mechanical mutant of a file, in the order of the text."""
    source = Source(text)
    found = []
    for kind, (first, last), new in [*_comparisons(source), *_logic(source), *_constants(source), *_removals(source)]:
        if not source.in_function(first):
            continue
        start, end = source.tokens[first].start, source.tokens[last].end
        form = "statement" if kind == "removed" else "expression"
        found.append((start, end, kind, new, form))
    found.sort(key=lambda site: (site[0], -site[1], site[2], site[3]))
    mutants = []
    for start, end, kind, new, form in found:
        name = f"{path}:{source.line_of(start)}:{kind}"
        around = text[max(start - 60, 0):start] + "\0" + text[end:end + 60]
        mutants.append(Mutant(name, path, start, end, text[start:end], new, form, kind=kind, around=around))
    return mutants


def draw(files, seed, count):
    """`count` mutants of `files` (path -> text): those whose hash with the seed is smallest, so that an edit elsewhere does not change the
    choice."""
    everything = [mutant for path in sorted(files) for mutant in sites(path, files[path])]
    everything.sort(key=lambda mutant: hashlib.sha256(f"{seed}:{mutant.key}".encode()).digest())
    return everything[:count]
