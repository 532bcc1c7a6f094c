"""C++ text as tokens, and the extent of an expression or a statement around a place in it.

The sources are formatted by clang-format, and the code relies on that: a comparison operator has white space on both sides, the
angle bracket of a template has none. Text that is read wrongly gives a mutant that does not compile, and such a mutant is discarded
(tree.py).
"""
import bisect
import re

_TOKEN = re.compile(
    r'(?P<space>\s+|//[^\n]*|/\*.*?\*/)'
    r'|(?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)'
    r'|(?P<text>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:[uUL])?\'(?:[^\'\\\n]|\\.)+\')'
    r"|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"
    r'|(?P<word>[A-Za-z_]\w*)'
    r'|(?P<sign><<=|>>=|<=>|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||[-+*/%&|^!=]=|<=|>=|<<|.)',
    re.S | re.M)

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = {")", "]", "}"}
# The ends of a comparison's operand, in either direction at the same depth.
_LOWER = {",", ";", "?", ":", "&&", "||", "&", "|", "^", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
          "return", "else", "do", "case", "throw", "co_return", "==", "!=", "<", ">", "<=", ">="}
_EXPRESSION_ENDS = {",", ";", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return", "else", "do", "case"}


class Token:
    __slots__ = ("kind", "text", "start", "end", "spaced")

    def __init__(self, kind, text, start, end, spaced):
        self.kind, self.text, self.start, self.end, self.spaced = kind, text, start, end, spaced

    def __repr__(self):
        return self.text


class Source:
    """A file's text with its tokens and, for every bracket, the position of its partner."""

    def __init__(self, text):
        self.text = text
        self.tokens = []
        spaced = True
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup if match.lastgroup != "mark" else "text"
            if kind == "space" or kind == "directive":
                spaced = True
                continue
            self.tokens.append(Token(kind, match.group(), match.start(), match.end(), spaced))
            spaced = False
        self.starts = [token.start for token in self.tokens]
        self.partner = {}
        self._pair()
        self._pair_angles()

    def _pair(self):
        stack = []
        self.opener = []  # for every token the innermost bracket around it, -1 outside of all
        for index, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in _CLOSE and stack:
                self.partner[index] = stack[-1]
                self.partner[stack.pop()] = index
            self.opener.append(stack[-1] if stack else -1)
            if token.kind == "sign" and token.text in _OPEN:
                stack.append(index)

    def _pair_angles(self):
        """The brackets of template arguments: `<` right after a word."""
        for index, token in enumerate(self.tokens):
            if token.text != "<" or token.spaced or index == 0 or self.tokens[index - 1].kind != "word":
                continue
            depth, at = 0, index
            while at < len(self.tokens):
                text = self.tokens[at].text
                if text in _OPEN and at in self.partner:
                    at = self.partner[at]
                elif text == "<":
                    depth += 1
                elif text == ">":
                    depth -= 1
                    if depth == 0:
                        self.partner[index], self.partner[at] = at, index
                        break
                elif text in (";", "}", ")", "&&", "||") or text in _CLOSE:
                    break
                at += 1

    def spaced_after(self, index):
        return index + 1 < len(self.tokens) and self.tokens[index + 1].spaced

    def is_template_bracket(self, index):
        return self.tokens[index].text in "<>" and index in self.partner

    def token_at(self, offset):
        """The first token that ends after `offset`."""
        index = bisect.bisect_right(self.starts, offset) - 1
        if index < 0 or self.tokens[index].end <= offset:
            index += 1
        return index

    def _walk(self, index, step, ends):
        """Walks from `index` in direction `step` inside the same brackets; returns the last index that still belongs."""
        last = None
        while 0 <= index < len(self.tokens):
            text = self.tokens[index].text
            outward = _CLOSE if step > 0 else set(_OPEN)
            if text in outward:
                break
            if index in self.partner:
                jump = self.partner[index]
                if text == "{" and step > 0 and (last is None or self.tokens[last].text == ")"):
                    break  # a block, not a list of initialisers
                if text == "}" and step < 0 and self.tokens[index + 1].kind != "sign":
                    break  # the block before
                last = jump
                index = jump + step
                continue
            if text in ends:
                break
            last = index
            index += step
        return last

    def operands(self, index):
        """(first token, last token) of the binary expression around the comparison at `index`, or None."""
        left = self._walk(index - 1, -1, _LOWER)
        right = self._walk(index + 1, +1, _LOWER)
        return None if left is None or right is None else (left, right)

    def expression(self, first, last):
        """The smallest whole expression that contains tokens first..last: up to a comma, an assignment or the brackets."""
        depth_ok = all(first <= self.partner.get(i, i) <= last for i in range(first, last + 1))
        while not depth_ok:  # grow until all brackets inside are closed
            for i in range(first, last + 1):
                other = self.partner.get(i, i)
                first, last = min(first, other), max(last, other)
            depth_ok = all(first <= self.partner.get(i, i) <= last for i in range(first, last + 1))
        left = self._walk(first - 1, -1, _EXPRESSION_ENDS)
        right = self._walk(last + 1, +1, _EXPRESSION_ENDS)
        return (first if left is None else left, last if right is None else right)

    def is_block(self, opener):
        """Whether the brace at `opener` contains statements: a function's body, a branch, a loop or a plain block."""
        if opener < 1 or self.tokens[opener].text != "{":
            return False
        return self.tokens[opener - 1].text in (")", "const", "override", "noexcept", "else", "do", ";", "{", "}")

    def in_function(self, index):
        while (index := self.opener[index]) >= 0:
            if self.is_block(index) and self.tokens[index - 1].text not in (";", "{", "}"):
                return True
        return False

    def statement_before(self, index):
        """Whether a statement can begin at `index`: the previous token ends a statement or opens a block."""
        if index == 0 or not self.is_block(self.opener[index]):
            return False
        before = self.tokens[index - 1].text
        if before in (";", "{", "}", "else", "do"):
            return True
        if before == ":":  # after a label of a switch
            at = index - 1
            while at > 0 and self.tokens[at - 1].text not in (";", "{", "}", "?", "case", "default"):
                at -= 1
            return self.tokens[at - 1].text in ("case", "default")
        if before == ")" and index - 1 in self.partner:
            opener = self.partner[index - 1]
            return opener > 0 and self.tokens[opener - 1].text in ("if", "for", "while", "constexpr")
        return False

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def slice(self, first, last):
        return self.text[self.tokens[first].start:self.tokens[last].end]
