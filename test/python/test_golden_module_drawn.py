"""Every formula of modules (src/assay/trace/ModulePrograms.cpp), of their parameters' gradients (ModuleGradients.cpp) and of attention between projections
(ReplayAttention.cpp) over its range: shapes, epsilons, parameters and defaults given and left out, in f32 and f64. A recording of PyTorch's results has to
be explained by the formula: `assay compare --rule bound` passes results that are one unit in the last place off by it, and names it for one wrong element.
Modules whose settings were recorded (ModuleOperators.cpp) likewise, over their settings.
"""
import json
import pathlib
import re
import zlib

import h5py
import pytest
import torch
from aten_drawn.draw import Draw
from module_drawn import ATTENTION, BACKWARD, CONVOLUTION_GRADIENTS, EXACT, FLOATS, FORWARD, INPUT_GRADIENTS, RECORDED

TRACE = pathlib.Path(__file__).resolve().parents[2] / "src/assay/trace"
CALLS = 12  # of each formula


def rows_of(file, pattern):
    return re.findall(pattern, (TRACE / file).read_text())


def number(text):
    return float.fromhex(text) if "0x" in text else float(text)


def formula(name, option, setting):
    return (name, number(option)) if setting == "eps" else name


ROWS = [formula(*row) for row in rows_of("ModulePrograms.cpp", r'\{"\w+", Row::\w+, Row::\w+,\s*"([^"]+)",\s*\w+,\s*([^,}]+)(?:,\s*"(\w+)")?')]
GRADIENTS = [
    (part, parameter, number(eps))
    for part, parameter, eps in rows_of("ModuleGradients.cpp", r'\{"(\w+)",\s*"(\w+)",\s*\w+,\s*\w+,\s*\w+,\s*([^,}]+)')
]
CLASSES = rows_of("ModuleOperators.cpp", r'\{"(\w+)",\s*"aten\.(?!\w*backward)')
GRADIENT_CLASSES = [name for name in rows_of("ModuleOperators.cpp", r'\{"(\w+)",\s*"aten\.(?=\w*backward)') if name != "Conv"]


def calls(name, make):
    """Calls with alternating types."""
    for turn in range(CALLS):
        d = Draw(zlib.crc32(f"{name} {turn}".encode()))
        d.dtype = FLOATS[turn % 2]
        yield make(d)


def moved(call, exact):
    """Another right output: one unit in the last place further away, wherever anything was rounded."""
    came = "0.backward_grad_output.0" if "backward" in call.output else "0.forward_input.0"
    y, x = call.tensors[call.output], call.tensors.get(came)
    handed_on = y == x if x is not None and x.shape == y.shape else y == 0
    return y if exact else torch.where(handed_on | (y == 0), y, torch.nextafter(y, torch.full_like(y, torch.inf)))


def one_wrong(y):
    y = y.clone()
    y.view(-1)[y.numel() // 2] += 0.03 * max(y.abs().max().item(), 1e-30)
    return y


def write(path, recorded, output):
    """A recording; output(call) is what each call returned."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w", track_order=True) as file:
        group = file.create_group("1", track_order=True)
        for i, call in enumerate(recorded):
            for name, value in call.tensors.items():
                value = output(call) if name == call.output else value
                group[place(i, call, name)] = value.numpy()
    made_with = {place(i, call, "").split(".")[0]: call.settings for i, call in enumerate(recorded) if call.settings}
    path.with_name(f"{path.stem}_modules.json").write_text(json.dumps(made_with))


def place(i, call, name):
    return f"{i}.{call.class_name}.{name}" if call.class_name else f"{i}.attn.{name}"


def judged(assay, folder, recorded, exact):
    """[(the call, its row beside another right result, and beside a wrong one)]"""
    found = []
    write(folder / "bench.h5", recorded, lambda call: call.tensors[call.output])
    for name, output in (
        ("right", lambda call: moved(call, exact) if call.right is None else call.right),
        ("wrong", lambda call: one_wrong(call.tensors[call.output]) if call.wrong is None else call.wrong),
    ):
        write(folder / f"{name}.h5", recorded, output)
        ran = assay("compare", f"{name}.h5", "bench.h5", "--rule", "bound", "--json", f"{name}.json", "--quiet")
        assert ran.returncode in (0, 1), ran.stderr
        rows = {row["target"]: row for row in json.loads((folder / f"{name}.json").read_text())["rows"]}
        found.append([rows[place(i, call, call.output)] for i, call in enumerate(recorded)])
    return list(zip(recorded, *found))


def shown(call, row):
    sizes = {name: f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}" for name, value in call.tensors.items()}
    return f"{call.class_name} {sizes}: {row['status']} by {row['rule']}: {row['reason']}"


def check(assay, folder, name, make, *words, exact=False):
    bad = []
    for call, right, wrong in judged(assay, folder, list(calls(name, make)), exact):
        asked = not torch.equal(moved(call, exact), call.tensors[call.output])  # equal tensors need no bound
        if asked and (right["status"] != "Pass" or right["rule"] != "bound"):
            bad.append("a right one: " + shown(call, right))
        if wrong["status"] != "Fail" or wrong["rule"] != "bound" or not any(word in wrong["reason"] for word in words):
            bad.append("a wrong one: " + shown(call, wrong))
    assert not bad, f"{len(bad)} of {2 * CALLS}:\n" + "\n".join(bad[:4])


def title(row):
    """A formula's name in the report."""
    return row if isinstance(row, str) else f"{row[0]}, eps {row[1]:.3g}"


@pytest.mark.parametrize("row", sorted(set(ROWS), key=title), ids=title)
def test_a_modules_formula_is_pytorchs(row, assay, tmp_path):
    assert row in FORWARD, f"'{row}' has no drawing: test/python/module_drawn.py"
    check(assay, tmp_path, str(row), FORWARD[row], title(row), exact=row in EXACT)


@pytest.mark.parametrize("row", GRADIENTS, ids=lambda row: f"{row[0]}.{row[1]} {row[2]:g}")
def test_a_gradients_formula_is_pytorchs(row, assay, tmp_path):
    assert row in BACKWARD, f"{row} has no drawing: test/python/module_drawn.py"
    check(assay, tmp_path, str(row), BACKWARD[row], "the sum over its rows")


@pytest.mark.parametrize("name", CLASSES)
def test_a_module_is_what_its_settings_give(name, assay, tmp_path):
    assert name in RECORDED, f"'{name}' has no drawing: test/python/module_drawn.py"
    check(assay, tmp_path, name, RECORDED[name], "what its settings give", "layer norm, eps ", "softmax", exact=name in EXACT)


@pytest.mark.parametrize("name", CONVOLUTION_GRADIENTS)
def test_a_convolutions_gradients_are_what_its_settings_give(name, assay, tmp_path):
    check(assay, tmp_path, name, CONVOLUTION_GRADIENTS[name], "what its settings give")


@pytest.mark.parametrize("name", GRADIENT_CLASSES)
def test_a_modules_gradient_is_what_its_settings_give(name, assay, tmp_path):
    assert name in INPUT_GRADIENTS, f"'{name}' has no drawing: test/python/module_drawn.py"
    check(assay, tmp_path, f"{name} gradient", INPUT_GRADIENTS[name], "what its settings give")


@pytest.mark.parametrize("name", ATTENTION)
def test_attention_between_projections_is_pytorchs(name, assay, tmp_path):
    check(assay, tmp_path, name, ATTENTION[name], "attention (")
    words = [word for word in name.split(", ") if word]
    for call, _, wrong in judged(assay, tmp_path, list(calls(name, ATTENTION[name])), False):
        assert all(word in wrong["reason"] for word in words) and ("causal" in wrong["reason"]) == ("causal" in words), shown(call, wrong)


def test_every_drawing_has_a_formula():
    assert set(FORWARD) == set(ROWS) and set(BACKWARD) == set(GRADIENTS) and set(RECORDED) == set(CLASSES)
    assert set(INPUT_GRADIENTS) == set(GRADIENT_CLASSES)
