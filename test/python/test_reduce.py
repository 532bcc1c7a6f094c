"""`assay reduce` on a recording of PyTorch: the recorded results are under test, each operator alone, without PyTorch."""
import h5py
import numpy
import pytest
import torch
import vit

from assay.torch import begin_dump, end_dump


@pytest.fixture
def trace(tmp_path, monkeypatch):
    """A trace of the vision transformer with all tensors."""
    monkeypatch.chdir(tmp_path)
    model, inputs = vit.build(vit.SMALL), vit.inputs(vit.SMALL)
    with torch.no_grad():
        begin_dump(X_DEBUG=0x102, X_DUMP_NUM=100)
        model(*inputs)
        end_dump()
    (process,) = (tmp_path / "xray_debug").iterdir()
    return process


def change(trace, operator, which, function):
    """Changes one recorded result like a faulty kernel; returns the call's name."""
    with h5py.File(trace / "dump" / "operators.h5", "r+") as file:
        name = [name for name in file["1"] if f".{operator}." in name and name.endswith("forward_output.0")][which]
        data = function(file["1"][name][()])
        del file["1"][name]
        file["1"][name] = data
    return name.split(".")[0]


def one(y):
    y = y.copy()
    y.reshape(-1)[5] += 0.25
    return y


# Operator, the number of its call, the fault, and how many elements of the result must remain: a normalised row is not cut.
FAULTS = {
    "product without a part of its sum": ("aten-addmm-default", 2, lambda y: (y * 0.98).astype(y.dtype), 1),
    "gelu off by three parts in a thousand": ("aten-gelu-default", 0, lambda y: (y * 1.003).astype(y.dtype), 1),
    "one element of a normalisation": ("aten-native_layer_norm-default", 1, one, 96),
    "swapped rows of a sum": ("aten-add-Tensor", 1, lambda y: y[::-1].copy(), 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_result_becomes_a_small_test(trace, fault, assay, tmp_path):
    *planted, left = FAULTS[fault]
    call = change(trace, *planted)
    small = tmp_path / "small.mlir"
    ran = assay("reduce", trace / "dump.json", "-o", small)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "the recording computes" in ran.stdout and f"recorded as {call}" in ran.stdout
    assert not (tmp_path / "small.2.mlir").exists()
    data = numpy.load(tmp_path / "small.npz")
    assert data["got0"].size == left and (data["got0"] != data["out0"]).any()
    assert sum(data[name].size for name in data if name.startswith("in")) <= 400
    repeated = assay("test", small)
    assert repeated.returncode == 1 and "elements of 'got0' are wrong" in repeated.stdout, repeated.stdout
    assert assay("test", small, "--engine", "native").returncode == 0
    again = tmp_path / "again.mlir"
    assay("reduce", trace / "dump.json", "-o", again)
    assert again.read_text().replace("again.npz", "small.npz") == small.read_text()


def test_a_right_recording_gives_no_test(trace, assay, tmp_path):
    ran = assay("reduce", trace / "dump.json", "-o", tmp_path / "none.mlir")
    assert ran.returncode == 3 and "within its bound" in ran.stderr, ran.stdout + ran.stderr
    assert not (tmp_path / "none.mlir").exists()
