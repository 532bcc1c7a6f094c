"""Faults between and inside of modules are named, and pairs that differ only by implementation or rounding are not accused,
whether modules or every operator was recorded."""
import contextlib
import json
import re

import pytest
import torch
from first_wrong_pairs import FAULTS, FILE, SOUND

from assay.torch import PrecisionDebugger, begin_dump, end_dump

MODES = pytest.mark.parametrize("operators", [False, True], ids=["modules", "operators"])
# Known limits: rows that cancel in an embedding's gradient, added in bf16.
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
    place = f"{first['module']} {first['where'].split('/')[0]}"  # without the source line
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
    assert bare == (not found["explained"]), ran.stdout  # differences are never ignored silently


def test_what_nothing_explains_cannot_be_told(assay, tmp_path):
    """Tensors whose names do not show which operator made them."""
    import h5py

    for name, value in (("bench", 1.0), ("target", 2.0)):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / FILE, "w") as file:
            file["1/alone"] = [value]
    ran = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--quiet")
    assert ran.returncode == 1 and "first wrong: cannot tell: 1 tensors" in ran.stdout and "the first is 'alone'" in ran.stdout, ran.stdout
    assert "to have it judged, record both sides with their operators (dump_torch_api=True)" in ran.stdout, ran.stdout
    folders = assay("compare", "target", "bench", "--first-wrong", "--json", "out.json")
    assert folders.returncode == 1 and "first wrong: cannot tell: 1 tensors" in folders.stdout, folders.stdout
    facts = json.loads((tmp_path / "out.json").read_text())
    assert facts["first_wrong"]["answer"] == "cannot tell" and "first_wrong_rank" not in facts


@contextlib.contextmanager
def operators_alone():
    begin_dump(X_DUMP_NUM=100)
    yield
    end_dump()


@pytest.mark.parametrize("whole", [True, False], ids=["with its model", "operators alone"])
@pytest.mark.parametrize("last, answer", [("roll", "cannot tell"), ("scale", "cannot tell"), ("copy", "none"), ("unused", "none")])
def test_a_last_operator_that_one_side_lacks_is_not_explained(last, answer, whole, assay, tmp_path, monkeypatch):
    """No later tensor shows that it changes the result, and no module is around it."""
    torch.manual_seed(0)
    model, x = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.ReLU(), torch.nn.Linear(6, 5)), torch.randn(4, 6)
    ends = {"roll": lambda y: torch.roll(y, 1, -1), "scale": lambda y: y * 1.02, "copy": lambda y: y.clone(), "unused": lambda y: (y.clone(), y)[1]}
    for name, end in (("bench", lambda y: y), ("target", ends[last])):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        with torch.no_grad(), PrecisionDebugger(dump_path=".", step=[1], model=model, dump_torch_api=True) if whole else operators_alone():
            end(model(x))
    monkeypatch.chdir(tmp_path)
    target, bench = (str(next((tmp_path / name).rglob("*.h5"))) for name in ("target", "bench"))
    ran = assay("compare", target, bench, "--first-wrong", "--json", "out.json", "--quiet")
    found = json.loads((tmp_path / "out.json").read_text())["first_wrong"]
    assert found["answer"] == answer and ran.returncode == (answer != "none"), ran.stdout
    assert answer == "none" or "nothing that was recorded reads it" in ran.stdout, ran.stdout


@pytest.mark.parametrize("more", [(), ("--ignore-unmatched",)])
def test_where_nothing_was_compared_nothing_is_explained(more, assay, tmp_path):
    import h5py

    for name, shape in (("bench", (2, 3)), ("target", (5,))):
        (tmp_path / name).mkdir()
        with h5py.File(tmp_path / name / FILE, "w") as file:
            file[f"1/{name}.Layer.0.forward_output.0"] = [[0.5] * 3] * 2 if len(shape) == 2 else [1.0] * 5
            file[f"1/0000{len(shape)}-aten.aten-{name}-default.0.forward_output.0"] = [2.5] * (7 * len(shape))
    pair = (f"target/{FILE}", f"bench/{FILE}"), ("target", "bench")
    for paths in pair:
        ran = assay("compare", *paths, "--first-wrong", "--json", "out.json", *more)
        assert ran.returncode == 3 and "first wrong: cannot tell: 4 tensors" in ran.stdout and "explained (" not in ran.stdout, ran.stdout
        assert "nothing was compared; to have it judged, record the same steps" in ran.stdout, ran.stdout
        assert json.loads((tmp_path / "out.json").read_text())["first_wrong"]["answer"] == "cannot tell"


@pytest.mark.parametrize("name, answer, code", [("fused against plain", "none: every difference is explained", 0), ("extra roll", "named", 1)])
def test_folders_of_ranks_answer_as_one_pair_does(name, answer, code, assay, tmp_path):
    (FAULTS.get(name) or SOUND[name])().record(tmp_path, True)
    one = assay("compare", f"target/{FILE}", f"bench/{FILE}", "--first-wrong", "--quiet")
    folders = assay("compare", "target", "bench", "--first-wrong")
    assert (one.returncode, folders.returncode) == (code, code), one.stdout + folders.stdout
    (first,) = re.findall(r"^first wrong: .*", one.stdout, re.M)
    assert first in folders.stdout and (code or answer in first), folders.stdout
