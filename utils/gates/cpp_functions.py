"""Finds where the functions of a C++ file begin and end, without a compiler.

Comments, string literals and preprocessor lines are blanked out, then braces are matched. A brace outside of every
function opens a function when the words before it have a parameter list, do not name a class, an enumeration or a
namespace, and do not assign a value. A lambda outside of every function also counts as one. Anything inside a function
(lambdas, local classes) belongs to it. Braces that do not match are an error, so that nothing is skipped silently.
"""
import bisect
import re

# Comments, raw strings, strings, characters (not the ' of 1'000), preprocessor lines with their continuations.
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                     r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
# Words whose brackets are not a parameter list.
DECORATION = re.compile(r"\b(?:alignas|decltype|__attribute__|requires|explicit)\s*\((?:[^()]|\([^()]*\))*\)"
                        r"|\[\[.*?\]\]", re.DOTALL)
SCOPE = re.compile(r"(?:namespace|class|struct|union|enum|extern)\b")
OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|[^\s\w(]+)")
# A preceding macro call without a semicolon of its own; a TEST(...) alone is itself a head.
MACRO = re.compile(r"^(?:[A-Z][A-Z_0-9]+\((?:[^()]|\([^()]*\))*\)\s*)+(?=\S)")
LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(?:\((?:[^()]|\([^()]*\))*\)[^(){}]*)?$")
MEMBERS = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)")
NAME = re.compile(r"((?:\w+\s*::\s*)*(?:operator\s*(?:\(\)|[^\s\w(]+|\w+)|~?\w+))\s*(?:<[^<>()]*>)?\s*\(")


def blanked(text):
    """The text with everything that is not code replaced by spaces; the lines stay the same."""
    return SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def outside_brackets(head):
    """The head without the text inside ( ), and the number of brackets that are still open."""
    depth, kept = 0, []
    for part in re.split(r"([()])", head):
        depth -= part == ")"
        if depth == 0:
            kept.append(part)
        depth += part == "("
    return "".join(kept), depth


def significant(head):
    return MACRO.sub("", DECORATION.sub(" ", TEMPLATE.sub(" ", head)).strip())


def opens(head):
    """What a brace after `head` opens: a scope, a function, or a list of values."""
    code = significant(head)
    if LAMBDA.search(OPERATOR.sub("f", code)):
        return "function"
    outer, left_open = outside_brackets(OPERATOR.sub("f", code))
    if left_open or "=" in outer:
        return "values"
    if SCOPE.match(outer.removeprefix("inline").removeprefix("typedef").strip()) and not re.search(r"\)\s*\w*$", outer):
        return "scope"
    # A member initialiser before the body: A() : b{1} {}.
    if "(" not in code or (MEMBERS.search(outer) and re.search(r"[\w>]$", outer)):
        return "values"
    return "function"


def functions(text):
    """[(name, first line, last line)] of the functions in a C++ text. Errors: ValueError if braces do not match."""
    code = blanked(text)
    lines = [found.end() for found in re.finditer("\n", code)]
    line_of = lambda at: bisect.bisect_right(lines, at) + 1
    found = []
    stack = []  # for each brace outside of functions: where the head continues after it; None: it ends there
    start = depth = 0  # start of the head; depth in the function that is being read
    for brace in re.finditer("[{};]", code):
        at, char = brace.start(), brace.group()
        if depth:
            depth += (char == "{") - (char == "}")
            if char == "}" and not depth:
                found[-1] += (line_of(at),)
                start = at + 1 if not stack or stack[-1] is None else start
        elif char == "{":
            head = re.sub(r"^\s*(?:(?:public|private|protected)\s*:\s*)*", "", code[start:at])
            kind = opens(head)
            if kind == "function":
                depth = 1
                found.append((name_of(head), line_of(at - len(head))))
                continue
            stack.append(None if kind == "scope" else start)
            start = at + 1
        elif char == "}":
            if not stack:
                raise ValueError(f"line {line_of(at)}: a brace is closed that was not opened")
            opened = stack.pop()
            start = at + 1 if opened is None else opened
        elif not stack or stack[-1] is None:
            start = at + 1
    if stack or depth:
        raise ValueError("a brace is not closed")
    return found


def name_of(head):
    code = significant(head)
    called = None if LAMBDA.search(OPERATOR.sub("f", code)) else NAME.search(code)
    if called and called.group(1).startswith("TEST"):
        return re.sub(r"\s", "", code[called.start():])
    return re.sub(r"\s", "", called.group(1)) if called else "a lambda"
