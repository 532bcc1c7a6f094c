"""The text of a file with all of its mutants, and the mutants that an error of the compiler points at."""
from mutant import woven


class Woven:
    """A woven file: its text, and where each mutant is in it. `header` is the path by which the file includes assay_mutants.h."""

    def __init__(self, text, mutants, header="assay_mutants.h"):
        self.places = []  # (start, end, mutant) in the woven text without the prefix
        self.left_out = []  # partly overlap another one
        chosen, reach = [], []
        for mutant in sorted(mutants, key=lambda m: (m.start, -m.end, m.number)):
            while reach and reach[-1].end <= mutant.start:
                reach.pop()
            if reach and reach[-1].end < mutant.end:
                self.left_out.append(mutant)
                continue
            reach.append(mutant)
            chosen.append(mutant)
        self.body = self._render(text, 0, len(text), chosen, 0)
        self.text = f'#include "{header}"\n#line 1\n{self.body}' if chosen else text

    def _render(self, text, start, end, mutants, shift):
        """text[start:end] with `mutants` (sorted, nested); `shift` is the position of the result in the woven text."""
        out, at, index = [], start, 0
        length = 0
        while index < len(mutants):
            outer = mutants[index]
            inner = [m for m in mutants[index + 1:] if m.start < outer.end and m.end <= outer.end]
            plain = text[at:outer.start]
            out.append(plain)
            length += len(plain)
            head = woven(outer, "\0").index("\0")
            begin = shift + length
            old = self._render(text, outer.start, outer.end, inner, begin + head)
            piece = woven(outer, old)
            out.append(piece)
            length += len(piece)
            self.places.append((begin, begin + len(piece), outer))
            at = outer.end
            index += 1 + len(inner)
        out.append(text[at:end])
        return "".join(out)

    def blamed(self, line, column):
        """The mutants that an error at (line, column), both from 1, may point at: the innermost around it, else those of the
        line."""
        lines = self.body.split("\n")
        if line > len(lines):
            return []
        start = sum(len(text) + 1 for text in lines[:line - 1])
        offset = start + column - 1
        around = [(end - begin, mutant) for begin, end, mutant in self.places if begin <= offset < end]
        if around:
            return [min(around, key=lambda entry: entry[0])[1]]
        return [mutant for begin, end, mutant in self.places if begin < start + len(lines[line - 1]) and end > start]
