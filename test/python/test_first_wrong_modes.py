"""Faults between and inside of modules are named, and pairs that only another implementation or rounding tells apart are not accused,
whether modules or every operator was recorded."""
import json
import re

import pytest
from first_wrong_pairs import FAULTS, FILE, SOUND

MODES = pytest.mark.parametrize("operators", [False, True], ids=["modules", "operators"])
# Rows that cancel in an embedding's gradient, added in bf16.
LIMITS = {("gpt, bits, torch.bfloat16", True)}


def compare(pair, operators, assay, folder):
    pair.record(folder, operators)
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--json", "out.json", "--quiet")
    assert ran.returncode in (0, 1), ran.stderr
    return ran, json.loads((folder / "out.json").read_text())["first_wrong"]


@MODES
@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_named_where_it_is(name, operators, assay, tmp_path):
    pair = FAULTS[name]()
    ran, found = compare(pair, operators, assay, tmp_path)
    assert ran.returncode == 1 and found["answer"] == "named", ran.stdout
    first = found["suspects"][0]
    place = f"{first['module']} {first['where'].split('/')[0]}"  # without the line of the source
    assert not pair.place or re.search(rf"(^|\s)({pair.place})(,|$|\s)", place), ran.stdout
    assert not (operators and pair.operator) or re.search(pair.operator, first["class"] + " " + first["reason"]), ran.stdout


@MODES
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_device_is_not_accused(name, operators, assay, tmp_path):
    if (name, operators) in LIMITS:
        pytest.skip("a known limit: docs/dumps.md")
    ran, found = compare(SOUND[name](), operators, assay, tmp_path)
    assert ran.returncode == 0 and found["answer"] == "none" and found["suspects"] == [], ran.stdout
    bare = "first wrong: none\n" in ran.stdout
    assert bare == (not found["explained"]), ran.stdout  # differences are never passed over in silence


def test_what_nothing_explains_cannot_be_told(assay, tmp_path):
    """Tensors whose names do not show what made them."""
    import h5py

    for name, value in (("bench", 1.0), ("target", 2.0)):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / FILE, "w") as file:
            file["1/alone"] = [value]
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--quiet")
    assert ran.returncode == 1 and "first wrong: cannot tell: 1 tensors" in ran.stdout and "the first is 'alone'" in ran.stdout, ran.stdout
    assert "to have it judged, record both sides with their operators (dump_torch_api=True)" in ran.stdout, ran.stdout
    folders = assay("compare", "target", "bench", "--first-wrong", "--json", "out.json")
    assert folders.returncode == 1 and "first wrong rank: cannot tell" in folders.stdout and "first wrong: cannot tell: 1 tensors" in folders.stdout, folders.stdout
    facts = json.loads((tmp_path / "out.json").read_text())
    assert facts["first_wrong"]["answer"] == "cannot tell" and "first_wrong_rank" not in facts


@pytest.mark.parametrize("name, answer, code", [("fused against plain", "none: every difference is explained", 0), ("extra roll", "named", 1)])
def test_folders_of_ranks_answer_as_one_pair_does(name, answer, code, assay, tmp_path):
    (FAULTS.get(name) or SOUND[name])().record(tmp_path, True)
    one = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--quiet")
    folders = assay("compare", "target", "bench", "--first-wrong")
    assert (one.returncode, folders.returncode) == (code, code), one.stdout + folders.stdout
    (first,) = re.findall(r"^first wrong: .*", one.stdout, re.M)
    assert first in folders.stdout and (code or answer in first), folders.stdout
