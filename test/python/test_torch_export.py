"""assay.torch.export and .pt2 files: models as programs, against PyTorch."""
import subprocess
import sys

import numpy as np
import pytest
import torch

import assay
import assay.torch
from assay.torch import NoProgram


class Small(torch.nn.Module):
    """A model with features that exports meet: a buffer, tied weights, keywords, a dictionary of results."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.embedding = torch.nn.Embedding(11, 8)
        self.inner = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.LayerNorm(8))
        self.head = torch.nn.Linear(8, 11, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("scale", torch.tensor([2.0]))

    def forward(self, tokens, *, shift=None):
        x = self.inner(self.embedding(tokens)) * self.scale
        if shift is not None:
            x = x + shift
        return {"logits": self.head(x), "sizes": (x.mean(-1), x.amax(-1))}


def close(got, due):
    torch.testing.assert_close(got, due, rtol=1e-5, atol=1e-5)


TOKENS = torch.tensor([[1, 5, 3], [2, 2, 10]])


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_model_gives_what_it_gives(engine):
    model = Small().eval()
    shift = torch.ones(8)
    exported = assay.torch.export(model, TOKENS, keywords={"shift": shift}, engine=engine)
    with torch.no_grad():
        close(exported(TOKENS, shift=shift), model(TOKENS, shift=shift))
        close(exported(TOKENS.flip(0), shift=-shift), model(TOKENS.flip(0), shift=-shift))


def test_parameters_have_the_models_names_and_operations_its_lines():
    exported = assay.torch.export(Small().eval(), TOKENS)
    assert {"embedding.weight", "inner.0.weight", "inner.0.bias", "scale"} <= set(exported.parameters)
    assert exported.names[-1] == "tokens" and "inner.0.weight" in exported.names
    assert 'loc("inner.0.weight")' in exported.text
    line = next(number for number, text in enumerate(open(__file__), 1) if "self.inner(self.embedding(tokens))" in text)
    assert f'loc("inner.2"("{__file__}":{line}:1))' in exported.text


def test_arguments_that_do_not_fit_are_said():
    exported = assay.torch.export(Small().eval(), TOKENS)
    with pytest.raises(ValueError, match="was exported for arguments like"):
        exported(TOKENS, shift=torch.ones(8))
    with pytest.raises(ValueError, match="argument tokens is torch.int32, the model was exported for a tensor of torch.int64"):
        exported(TOKENS.int())
    fixed = assay.torch.export(Sized(), torch.zeros(2, 4), 5, torch.zeros(4, 3))
    with pytest.raises(ValueError, match="argument word is 6, the model was exported with 5, which is a constant of its program"):
        fixed(torch.zeros(2, 4), 6, torch.zeros(4, 3))
    with pytest.raises(ValueError, match="argument y is float, the model was exported for a tensor of torch.float32"):
        fixed(torch.zeros(2, 4), 5, 1.0)


def test_buffers_that_the_model_writes_change_as_in_eager_mode():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6)).train()
    exported, x = assay.torch.export(model, torch.randn(5, 4)), torch.randn(5, 4)
    before = model[1].running_mean.clone()
    got = exported(x)
    assert torch.equal(model[1].running_mean, before)  # the model's own buffers are unchanged
    close(got, model(x))
    close(exported.parameters["1.running_mean"], model[1].running_mean)
    close(exported.parameters["1.num_batches_tracked"], model[1].num_batches_tracked)


def test_open_sizes_are_a_program_for_each():
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(-1))
    made = torch.export.export(model, (torch.randn(5, 4),), dynamic_shapes=({0: torch.export.Dim("batch")},))
    exported = assay.torch.export(made)
    for size in (2, 7, 2):
        x = torch.randn(size, 4)
        close(exported(x), model(x))
    with pytest.raises(ValueError, match="open sizes"):
        exported.text


class Sized(torch.nn.Module):
    """Has numbers among its results, and a string as a constant."""

    def forward(self, x, word, y):
        return x.shape[0], (x + 1) @ y, 2 * x.shape[0] + word


def test_numbers_among_the_results_and_open_sizes_of_a_file(tmp_path, assay_program):
    fixed = assay.torch.export(Sized(), torch.zeros(2, 4), 5, torch.zeros(4, 3))
    assert fixed(torch.zeros(2, 4), 5, torch.zeros(4, 3))[::2] == (2, 9)
    any_size = {0: torch.export.Dim.DYNAMIC}
    made = torch.export.export(Sized(), (torch.zeros(2, 4), 5, torch.zeros(4, 3)), dynamic_shapes=(any_size, None, None))
    x, y = torch.randn(7, 4), torch.randn(4, 3)
    rows, product, number = assay.torch.export(made)(x, 5, y)
    assert (rows, number) == (7, 19)
    close(product, (x + 1) @ y)
    torch.export.save(made, tmp_path / "model.pt2")
    np.savez(tmp_path / "in.npz", in0=x.numpy(), in1=y.numpy(), out0=product.numpy())
    for path in ("model.pt2", "folder"):
        ran = assay_program("run", path, "--input", str(tmp_path / "in.npz"), "--expect", "in.npz", "--rule", "bound")
        assert ran.returncode == 0 and "checks: 1 passed" in ran.stdout, ran.stdout + ran.stderr
        assay.torch.export(made).save(tmp_path / "folder", x, 5, y)
    ran = assay_program("run", "model.pt2", "--input", "random")
    assert ran.returncode == 2 and "give an array for each of x, y" in ran.stderr and "there is none for x" in ran.stderr, ran.stderr


def test_an_operator_with_a_check_takes_no_argument_of_its_own():
    class Inverse(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.inv(x), torch.linalg.solve(x, x[:, :1])

    x = torch.randn(4, 4) + 4 * torch.eye(4)
    exported = assay.torch.export(Inverse(), x)
    assert exported.names == ["x"]
    for got, due in zip(exported(x), Inverse()(x)):
        close(got, due)


def test_what_has_no_program_is_named_with_its_place():
    class Decomposed(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.eigvals(x).abs()

    with pytest.raises(NoProgram) as raised:
        assay.torch.export(Decomposed(), torch.eye(3))

    class Alignment(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.ctc_loss(x, torch.tensor([[1, 2]]), (5,), (2,))

    with pytest.raises(NoProgram, match="cannot trace Alignment: aten._ctc_loss"):
        assay.torch.export(Alignment(), torch.zeros(5, 1, 3))

    class ByValue(torch.nn.Module):
        def forward(self, x):
            return x.new_full((3,), x.sum().item())

    with pytest.raises(NoProgram, match=r"aten.new_full.default \(a size or a number that depends on values\), first in .*test_torch_export.py:"):
        assay.torch.export(ByValue(), torch.ones(3))
    text = str(raised.value)
    assert "aten.linalg_eig.default" in text and f"{__file__}:" in text and 'torch.compile(model, backend="assay")' in text


@pytest.fixture
def saved(tmp_path):
    """A .pt2 file, its model, an input and in.npz."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(3 * 16, 4)).eval()
    x = torch.randn(2, 2, 4, 4)
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "model.pt2")
    with torch.no_grad():
        np.savez(tmp_path / "in.npz", in0=x.numpy(), out0=model(x).numpy())
    return tmp_path / "model.pt2", model, x


def test_load_reads_pt2(saved):
    path, model, x = saved
    with torch.no_grad():
        close(assay.load(path)(x), model(x))
        close(assay.load(str(path), engine="native")(x.numpy()), model(x))


def test_run_takes_pt2(saved, assay_program):
    ran = assay_program("run", "model.pt2", "--input", "in.npz", "--expect", "in.npz", "--rule", "bound", "--engine", "native")
    assert ran.returncode == 0 and "checks: 1 passed, 0 failed" in ran.stdout, ran.stdout + ran.stderr


def test_run_says_what_is_no_pt2(tmp_path, assay_program, monkeypatch):
    ran = assay_program("run", "none.pt2", "--input", "random")
    assert ran.returncode == 2 and "there is no file 'none.pt2'" in ran.stderr
    (tmp_path / "bad.pt2").write_text("nothing")
    ran = assay_program("run", "bad.pt2", "--input", "random")
    assert ran.returncode == 2 and "is not an ExportedProgram that PyTorch" in ran.stderr
    monkeypatch.setenv("ASSAY_PYTHON", "/bin/false")
    ran = assay_program("run", "bad.pt2", "--input", "random")
    assert ran.returncode == 2 and "'bad.pt2' is read by PyTorch, in /bin/false" in ran.stderr and "install torch there" in ran.stderr
    monkeypatch.setenv("ASSAY_PYTHON", "/nowhere/python")
    ran = assay_program("run", "bad.pt2", "--input", "random")
    assert ran.returncode == 2 and "a .pt2 file is read by PyTorch" in ran.stderr


def test_without_pytorch_load_says_what_is_missing(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    script = "import assay\ntry:\n    assay.load('model.pt2')\nexcept ImportError as error:\n    print(error)"
    ran = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{script}"], capture_output=True, text=True)
    assert "'model.pt2' is an ExportedProgram of PyTorch, which is needed to read it (pip install torch)" in ran.stdout, ran.stdout + ran.stderr


def test_saved_as_text_and_as_folder(tmp_path, assay_program):
    model = Small().eval()
    exported = assay.torch.export(model, TOKENS)
    exported.save(tmp_path / "model.mlir", TOKENS)
    exported.save(tmp_path / "folder")
    with torch.no_grad():
        made = model(TOKENS)
    np.savez(tmp_path / "out.npz", **{f"out{i}": one.numpy() for i, one in enumerate([made["logits"], *made["sizes"]])})
    np.save(tmp_path / "tokens.npy", TOKENS.numpy())
    for words in (["model.mlir", "--input", "model.npz"], ["folder", "--input", "tokens.npy"]):
        ran = assay_program("run", *words, "--expect", "out.npz", "--rule", "bound")
        assert ran.returncode == 0 and "checks: 3 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.fixture
def assay_program(request, monkeypatch):
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)
    return request.getfixturevalue("assay")
