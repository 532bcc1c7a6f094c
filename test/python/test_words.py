"""The gate of words (utils/gates/check_words.py) finds each of them, and complains only if there are more than before."""
import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("check_words", ROOT / "utils/gates/check_words.py")
gate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gate)


@pytest.mark.parametrize("line", ["the road of a layer", "enum class ConvRoad {", "spoilt rows", "read as they lie", "What lies behind", "it hangs on the size",
                                  "exp and its kin", "written anew", "the seed's table", "void goOn();", "int n; ///< Of all runs", "'x' is no tensor", "how it lies in memory",
                                  "what is said of it", "the same of y", "run in turns", "a word that is none", "handed on",
                                  "wrote behind the end", "a file with a name a line", "waits in vain"])
def test_each_word_is_found(line):
    ((_, word),) = gate.found_in(line)
    assert gate.instead(word)


@pytest.mark.parametrize("line", ["a broadcast", "railroad crossings", "it lies within the bound", "who opens the file", "the seed of the fill", "renewed", "they take turns", "there is none"])
def test_plain_words_are_not(line):
    assert not gate.found_in(line)


def test_only_more_than_before_is_a_complaint():
    found = {"src/a.cpp": [(1, "road"), (2, "road")], "docs/a.md": [(3, "anew")]}
    assert not list(gate.findings({"src/a.cpp": found["src/a.cpp"]}, {"src/a.cpp": 2}))
    assert len(list(gate.findings({"src/a.cpp": found["src/a.cpp"]}, {"src/a.cpp": 1}))) == 3
    assert list(gate.findings(found, {"src/a.cpp": 5, "docs/a.md": 5})) == ["docs/a.md:3: 'anew': say again"]
