"""Two ranks under gloo: `assay compare DIR DIR` names the rank on which a kernel is wrong, and the call, although the other rank
gets its results."""
import json
import pathlib
import re
import shutil

import preloaded
import pytest

WORKER = pathlib.Path(__file__).with_name("rank_worker.py")
FAULTS = 10


def run_ranks(folder, kind):
    preloaded.ranks(2, WORKER, kind, folder, FAULTS)


@pytest.mark.parametrize("kind", ["tensor", "data"])
def test_the_rank_and_the_call_are_named(tmp_path, assay, kind):
    run_ranks(tmp_path, kind)
    clean = assay("compare", "clean", "bench", "--first-wrong")
    assert clean.returncode == 0 and "first wrong rank: none" in clean.stdout, clean.stdout + clean.stderr
    for i in range(FAULTS):
        rank, call, module = (tmp_path / f"fault{i}" / "expected.txt").read_text().split(" ")
        ran = assay("compare", f"fault{i}", "bench", "--first-wrong")
        assert ran.returncode == 1 and f"first wrong rank: {rank}\nfirst wrong: {call}\n" in ran.stdout, (i, rank, call, ran.stdout)
        (line,) = re.findall(r"^  1\. .*", ran.stdout, re.M)
        assert not module or f" in {module}, " in line, line  # backward calls run outside of modules
    found = assay("compare", "fault0", "bench", "--first-wrong", "--json", "-")
    facts = json.loads(found.stdout)
    assert [r["rank"] for r in facts["ranks"]] == [0, 1] and str(facts["first_wrong_rank"]) == (tmp_path / "fault0" / "expected.txt").read_text().split()[0]


def test_what_cannot_be_paired_is_said(tmp_path, assay):
    for folder in ("a", "b", "empty"):
        (tmp_path / folder).mkdir()
    assert "no dump in" in assay("compare", "empty", "empty").stderr
    for name in ("a/globalrank-0_localrank-0.h5", "a/globalrank-1_localrank-1.h5", "b/globalrank-1_localrank-1.h5", "b/globalrank-2_localrank-0.h5"):
        (tmp_path / name).write_bytes(b"")
    ran = assay("compare", "a", "b")
    assert ran.returncode == 2 and "rank 0 is in 'a' and not in 'b'" in ran.stderr
    shutil.copy(tmp_path / "a/globalrank-1_localrank-1.h5", tmp_path / "a/globalrank-1_localrank-0.h5")
    assert "dumps of the same rank" in assay("compare", "a", "b").stderr
    ran = assay("compare", "a", "b", "--html", "page.html")
    assert ran.returncode == 2 and "is a folder" in ran.stderr
