#!/usr/bin/env python3
"""Checks that words which only this project used are not used any more; the field's terms replace them (docs/glossary.md).

usage: check_words.py [--check]     exit code 1 where a file has more of them than utils/gates/words_left.json allows
       check_words.py --list        prints every place
       check_words.py --write       writes today's numbers; a number may only decrease

The docs, and the texts of tools/ that a user reads, contain none. In comments and names of the other sources, those that
existed before this gate are counted by file, and the count may only decrease.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEFT = ROOT / "utils/gates/words_left.json"
# The word, and its replacement.
WORDS = {
    r"[a-z]*Roads?\b|\broads?\b": "algorithm",
    r"\b[sS]poil(?:s|t|ed|ing)?\b": "damaged, corrupted, changed",
    r"\b(?:[Aa]s|[Ww]here|[Ww]hat) (?:it |they )?lies?\b": "in place, where it is, the elements behind",
    r"\bhangs? on\b": "depends on",
    r"\bat the door\b": "at the interface, when it is called",
    r"\band (?:its|their) kin\b": "and similar ones",
    r"\banew\b": "again",
    r"\b[Tt]he seed's\b|\bthe seed tool\b": "CK Tile's, benchdnn's, xray's",
    r"\bgoOn\b|\bsayReady\b|\btakeApart\b": "advance, notifyReady, analyse",
    r"(?://+<?|#) Of\b|\"\"\"Of\b": "what it is ('The bytes of ...')",
    r"(?<![Tt]here )\b(?:is|are) no (?:tensor|number|part|problem|file|program|object)s?\b": "is not a",
    r"\bhow (?:it|they) lies? in\b": "the layout of",
    r"\b(?:says?|said|tells?|told) of\b": "says about",
    r"\b[Tt]he same of\b": "the same for",
    r"\bin turns\b": "alternately",
    r"\b(?:that|which) (?:is|are) none\b": "invalid, unknown, of another kind",
    r"\bhand(?:s|ed)? on\b": "passes on",
    r"\bbehind the (?:end|last|driver)\b": "after, past",
    r"\b(?:name|problem|number|row|one) a line\b": "one per line",
    r"\bin vain\b": "for nothing, without effect",
}
_PATTERN = re.compile("|".join(f"(?:{word})" for word in WORDS))
SUFFIXES = {".cpp", ".h", ".c", ".def", ".inc", ".py", ".md", ".sh", ".td"}
CLEAN = ("docs/", "tools/", "README.md", "CONTRIBUTING.md", "examples/")  # none at all
EXEMPT = {"utils/gates/check_words.py", "CHANGELOG.md", "test/python/test_words.py"}


def found_in(text):
    """[(line, word)]."""
    return [(at, match[0]) for at, line in enumerate(text.splitlines(), 1) for match in _PATTERN.finditer(line)]


def instead(word):
    return next(better for pattern, better in WORDS.items() if re.fullmatch(pattern, word))


def places():
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout.split("\n")
    for name in sorted(names):
        path = ROOT / name
        if path.suffix in SUFFIXES and name not in EXEMPT and path.exists():
            if found := found_in(path.read_text(errors="replace")):
                yield name, found


def findings(found, allowed):
    """The places where there are more than allowed."""
    for name, places_in in found.items():
        most = 0 if name.startswith(CLEAN) else allowed.get(name, 0)
        if len(places_in) > most:
            yield from (f"{name}:{line}: '{word}': say {instead(word)}" for line, word in places_in)
            if most:
                yield f"{name}: {len(places_in)} of these words, at most {most} as before"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    allowed, found = json.loads(LEFT.read_text()) if LEFT.exists() else {}, dict(places())
    if options.list:
        for name, places_in in found.items():
            print("\n".join(f"{name}:{line}: {word}" for line, word in places_in))
        return 0
    if options.write:
        counts = {name: len(places_in) for name, places_in in found.items() if not name.startswith(CLEAN)}
        allowed = {name: min(count, allowed.get(name, 0)) for name, count in counts.items() if name in allowed} if LEFT.exists() else counts
        LEFT.write_text(json.dumps(allowed, indent=0, sort_keys=True) + "\n")
    problems = list(findings(found, allowed))
    print("\n".join(problems), end="\n" if problems else "")
    print(f"check_words.py: {sum(map(len, found.values()))} of these words in {len(found)} files, {len(problems)} complaints")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
