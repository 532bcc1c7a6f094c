"""What the README shows is what happens."""
import re

import documents
import pytest

README = (documents.SOURCE / "README.md").read_text()

# The parts under a heading that have something to run.
SECTIONS = [part for part in re.split(r"^## ", README, flags=re.M) if documents.blocks(part)]


@pytest.mark.parametrize("section", SECTIONS, ids=[part.split("\n")[0] for part in SECTIONS])
def test_section_does_what_it_shows(section, tmp_path):
    assert documents.run(section, tmp_path) > 0


def test_what_is_promised_stands_there():
    assert "./dev demo" in README and "./dev test" in README
    assert len(README.splitlines()) < 120 and README.count("![") == 1
    assert len(SECTIONS) == 3
