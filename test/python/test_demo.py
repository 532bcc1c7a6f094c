"""Each step of ./dev demo states what it shows and where to read more: its closing table has both."""
import re

import documents
import pytest

STEPS = sorted((documents.SOURCE / "utils/dev/demo").glob("[0-9][0-9]_*.sh"))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.stem)
def test_a_step_says_what_it_shows_and_where_to_read_on(step):
    first, second = step.read_text().splitlines()[:2]
    assert re.fullmatch(r"# \S.{20,120}\.", first), first
    page = re.fullmatch(r"# More: (docs/[\w/]+\.md)", second)
    assert page and (documents.SOURCE / page[1]).exists(), second


def test_the_journey_comes_first():
    assert len(STEPS) >= 12 and STEPS[0].stem == "05_journey"
