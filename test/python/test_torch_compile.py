"""torch.compile(model, backend="assay"): forward and backward against eager PyTorch, judged, recorded."""
import os
import pathlib
import subprocess
import sys
import threading
import warnings

import pytest
import torch

import assay.torch
from assay.torch import NoProgram, WrongOperator, compiled_graphs


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


def close(got, due, tolerance=1e-5):
    torch.testing.assert_close(got, due, rtol=tolerance, atol=tolerance)


def network():
    return torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                               torch.nn.Flatten(), torch.nn.Linear(16, 5), torch.nn.LayerNorm(5))  # fmt: skip


def steps(model, run, count=10):
    """Losses of training steps."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    generator, losses = torch.Generator().manual_seed(7), []
    for _ in range(count):
        x, y = torch.randn(3, 2, 4, 4, generator=generator), torch.randint(0, 5, (3,), generator=generator)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(run(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


@pytest.mark.parametrize("options", [{}, {"engine": "reference"}, {"check": "bound"}], ids=["native", "reference", "judged"])
def test_ten_steps_of_training_follow_eager(options):
    eager, compiled = network(), network()
    compiled.load_state_dict(eager.state_dict())
    due = steps(eager, eager)
    got = steps(compiled, torch.compile(compiled, backend="assay", options=options))
    close(got, due, 1e-4)
    for (name, one), (_, other) in zip(compiled.state_dict().items(), eager.state_dict().items()):
        close(one, other, 1e-3), name
    facts = [one for one in compiled_graphs() if one["runs"]]
    assert {"forward", "backward"} <= {one["kind"] for one in facts}
    assert not options.get("check") or sum(one["judged"] for one in facts) > 100


def test_graph_breaks_and_sizes_that_change():
    def function(x):
        y = torch.softmax(x @ x.t(), -1)
        torch._dynamo.graph_break()
        return y.sum(0) * x.shape[0]

    compiled = torch.compile(function, backend="assay")
    for size in (3, 5, 4, 5):
        x = torch.randn(size, 6)
        close(compiled(x), function(x))


def test_threads_that_call_a_judged_graph_at_once():
    model = torch.nn.Linear(8, 8)
    compiled, wrong = torch.compile(model, backend="assay", options={"check": "bound"}), []
    compiled(torch.randn(4, 8))

    def call(seed):
        x = torch.randn(20, 4, 8, generator=torch.Generator().manual_seed(seed))
        try:
            close(torch.stack([compiled(one) for one in x]), model(x))
        except AssertionError as error:
            wrong.append(error)

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nested_tensors_of_rows_that_differ():
    parts = [torch.randn(2, 3), torch.randn(4, 3)]
    got = torch.compile(torch.sin, backend="assay", options={"check": "bound"})(torch.nested.nested_tensor(parts, layout=torch.jagged))
    close(got.values(), torch.cat(parts).sin())


def test_rows_that_a_mask_hides_whole_attend_to_nothing():
    q, k, v = (torch.randn(1, 2, 3, 8, requires_grad=True) for _ in range(3))
    mask = torch.tensor([[True, False, True], [False] * 3, [True] * 3])
    due = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
    got = torch.compile(torch.nn.functional.scaled_dot_product_attention, backend="assay", options={"check": "bound"})(q, k, v, mask)
    assert not got[:, :, 1].any()
    close(got, due)
    close(torch.autograd.grad(got.sum(), (q, k, v)), torch.autograd.grad(due.sum(), (q, k, v)))


def test_frozen_parameters_follow_the_writes_that_pytorch_counts():
    model, x = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.Flatten(), torch.nn.Linear(128, 64)), torch.randn(2, 3, 6, 6)
    compiled = torch.compile(model, backend="assay", options={"freeze": True})
    with torch.no_grad():
        for _ in range(3):
            close(compiled(x), model(x))
        x.mul_(2)  # an argument, at the same address
        close(compiled(x), model(x))
        model[2].weight.add_(1)
        close(compiled(x), model(x))
        model[0].weight = torch.nn.Parameter(torch.randn(8, 3, 3, 3))
        close(compiled(x), model(x))
    with pytest.raises(Exception, match="freeze 3 is not one of False, True"):
        torch.compile(torch.sin, backend="assay", options={"freeze": 3})(x)


def test_a_frozen_parameter_that_takes_the_place_of_another():
    model, x, memory = torch.nn.Linear(512, 512, bias=False), torch.randn(2, 512), torch.empty(512, 512).numpy()
    compiled = torch.compile(model, backend="assay", options={"freeze": True})
    with torch.no_grad():
        for _ in range(3):
            memory[:] = torch.rand(512, 512).numpy()
            model.weight = torch.nn.Parameter(torch.from_numpy(memory))  # at the same address, and with the same count of writes
            close(compiled(x), model(x), 1e-3)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_frozen_parameters_are_packed_once_beside_constants(mode, monkeypatch):
    from assay.torch import runner

    class Model(torch.nn.Linear):
        def forward(self, x):
            return super().forward(x) + torch.tensor([1.0, 2.0])

    model, read = Model(3, 2), []
    memory = runner._memory
    monkeypatch.setattr(runner, "_memory", lambda tensors: read.append(len(tensors)) or memory(tensors))
    compiled = torch.compile(model, backend="assay", options={"freeze": True})
    with mode():
        for _ in range(4):
            close(compiled(torch.ones(1, 3)), model(torch.ones(1, 3)))
    assert sorted(read) == [1, 1, 1, 1, 3]  # the argument in each call; weight, bias and constant once


def test_arguments_that_are_written_and_layouts():
    def function(x, y):
        x.add_(1)
        return (x * y).t(), x[1:], y.expand(2, *y.shape)

    x, y = torch.randn(3, 4), torch.randn(3, 4)
    other = x.clone()
    got, due = torch.compile(function, backend="assay")(other, y), function(x, y)
    close(other, x)
    for one, two in zip(got, due):
        close(one, two)
    assert got[0].stride() == due[0].stride()


@pytest.mark.parametrize("options", [{}, {"check": "bound"}], ids=["plain", "judged"])
@pytest.mark.parametrize("trained", [False, True])
def test_results_that_share_memory(options, trained):
    def function(x):
        y = x * 2
        return y, y[0], y.t(), (x + 1)[1:]

    def parts(x):
        y = x * 2
        return y[0], y[:, 1]

    for made in (function, parts):
        x = torch.randn(3, 4, requires_grad=trained)
        got, due = torch.compile(made, backend="assay", options=options)(x), made(x)
        with torch.no_grad():
            for results in (got, due):
                results[0].add_(1)
                results[1].mul_(3)
        for one, two in zip(got, due):
            close(one, two)


@pytest.mark.parametrize("view", [lambda x: (x * 2)[:, 1], lambda x: (x + 1)[::2, 1:], lambda x: x.sum(0).expand(5, 4), lambda x: x.exp().diagonal(), lambda x: torch.fft.rfft(x).imag])
def test_a_view_that_leaves_places_out_has_the_strides_of_eager(view):
    x = torch.randn(3, 4)
    got, due = torch.compile(view, backend="assay")(x), view(x)
    close(got, due)
    assert got.stride() == due.stride() and got.storage_offset() == due.storage_offset()


def test_a_part_of_a_conjugate_has_its_sign():
    x = torch.randn(3, 4)
    for part in (lambda x: torch.fft.ihfft(x).imag, lambda x: torch.complex(x, x + 1).conj().imag, lambda x: (torch.complex(x, x).conj().imag, torch.complex(x, x).conj().real)):
        for got, due in zip(*(made if isinstance(made, tuple) else (made,) for made in (torch.compile(part, backend="assay")(x), part(x)))):
            close(got, due)


def test_results_of_a_training_graph_may_be_written():
    def function(x, i):
        made, scaled = torch.zeros(4, 3), x * 2
        torch._dynamo.graph_break()  # later operators add to a result of the previous graph
        return made.index_add_(0, i, scaled)

    x = torch.ones(2, 3, requires_grad=True)
    got = torch.compile(function, backend="assay")(x, torch.tensor([3, 0]))
    close(got, function(x, torch.tensor([3, 0])))
    got.sum().backward()
    close(x.grad, torch.full((2, 3), 2.0))


@pytest.mark.parametrize("function", [
    lambda x: sum(one.abs().sum() for one in torch.linalg.slogdet(x)), lambda x: torch.linalg.det(x).abs(),
    lambda x: torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(x[0]), n=4).abs().sum(),
    lambda x: torch.nn.functional.embedding_bag(torch.tensor([[0, 1], [3, 3]]), x, per_sample_weights=x[:2, :2], mode="sum").abs().sum(),
    lambda x: torch._weight_norm(x, x[:, :1].abs(), 0).abs().sum(), lambda x: torch.nn.functional.embedding_bag(torch.tensor([0, 1, 3, 3]), x, torch.tensor([0, 2, 2]), mode="max").sum(),
    lambda x: torch.nn.functional.scaled_dot_product_attention(x.expand(1, 4, 4, 4), x.view(1, 2, 2, 4), x.view(1, 2, 2, 4), enable_gqa=True).abs().sum(),
], ids=["slogdet", "det", "rfft", "weighted bag", "weight norm", "bag of the largest", "grouped heads"])  # fmt: skip
def test_gradients_that_have_no_row_are_those_of_eager(function):
    made = torch.randn(4, 4) + 2 * torch.eye(4)
    mine, theirs = made.clone().requires_grad_(), made.clone().requires_grad_()
    torch.compile(function, backend="assay", options={"check": "bound", "fallback": "refuse"})(mine).backward()
    function(theirs).backward()
    close(mine.grad, theirs.grad, 1e-4)


def test_flexible_attention_is_made_of_its_functions():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.slope = torch.nn.Parameter(torch.rand(4), requires_grad=False)

        def forward(self, q, k, v):
            biased = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + self.slope[h] * (i - j), enable_gqa=True)
            return biased, flex_attention(q, k, v, block_mask=create_block_mask(lambda b, h, i, j: i >= j, None, None, 16, 16, device="cpu"), enable_gqa=True)

    q, k, v = torch.randn(1, 4, 16, 8), torch.randn(1, 2, 16, 8), torch.randn(1, 2, 16, 8)
    due = Model()(q, k, v)[1]
    torch._dynamo.reset()
    model = Model()
    got = torch.compile(model, backend="assay", options={"check": "bound", "fallback": "refuse"})(q, k, v)
    close(got[1], due)
    torch._dynamo.reset()
    close(got[0], model(q, k, v)[0])


def test_tied_weights_get_one_gradient():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(4, 4)
            self.second = torch.nn.Linear(4, 4)
            self.second.weight = self.first.weight

        def forward(self, x):
            return self.second(torch.tanh(self.first(x)))

    model, x = Tied(), torch.randn(3, 4)
    model(x).sum().backward()
    due, model.first.weight.grad = model.first.weight.grad, None
    torch.compile(model, backend="assay")(x).sum().backward()
    close(model.first.weight.grad, due)


def test_autocast_rounds_where_eager_does():
    model, x = torch.nn.Linear(16, 8), torch.randn(4, 16)
    with torch.autocast("cpu", torch.bfloat16):
        due, got = model(x), torch.compile(model, backend="assay")(x)
    assert got.dtype is torch.bfloat16
    close(got, due, 2e-2)


@pytest.mark.parametrize("options", [{"check": "bound"}, {"fallback": "refuse"}], ids=["judged", "whole"])
def test_a_check_of_values_is_run_and_is_no_operator_left(options):
    def function(x):
        torch._assert_async(x.sum() > 0, "a sum that is not positive")
        return x * 2

    compiled = torch.compile(function, backend="assay", options=options)
    close(compiled(torch.ones(3)), torch.full((3,), 2.0))
    assert compiled_graphs()[-1]["eager"] == {}
    with pytest.raises(RuntimeError, match="a sum that is not positive"):
        compiled(-torch.ones(3))


@pytest.mark.parametrize("options", [{"check": "bound"}, {"fallback": "refuse"}], ids=["judged", "whole"])
@pytest.mark.parametrize("function, wrong", [(torch.linalg.inv, "singular"), (torch.linalg.cholesky, "not positive-definite")])
def test_a_matrix_without_an_answer_is_an_error(function, wrong, options):
    compiled, x = torch.compile(function, backend="assay", options=options), torch.eye(3, requires_grad=True)
    close(compiled(x * 2), function(x * 2))
    compiled(x * 2).sum().backward()
    with pytest.raises(RuntimeError, match=wrong):
        compiled(torch.zeros(3, 3, requires_grad=True))
    assert compiled_graphs()[-1]["eager"] == {}


def test_what_has_no_program_stays_with_pytorch_and_is_said_once():
    def function(x):
        return torch.linalg.eigh(x * 2).eigenvectors + torch.nn.functional.dropout(x.sum(0), 0.5, True)

    x = torch.eye(4) + 0.1
    compiled = torch.compile(function, backend="assay")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        torch.manual_seed(5)
        got = compiled(x)
        compiled(x)
    torch.manual_seed(5)
    close(got, function(x))  # the random numbers of eager mode
    own = [str(one.message) for one in said if "runs in PyTorch" in str(one.message)]
    assert any("aten._linalg_eigh" in one and f"{__file__}:" in one for one in own) and len(own) == len(set(own))
    assert any("aten._linalg_eigh.default" in one["eager"] for one in compiled_graphs())
    torch._dynamo.reset()
    with pytest.raises(Exception, match="operators without a program") as raised:
        torch.compile(function, backend="assay", options={"fallback": "refuse"})(x)
    assert NoProgram.__name__ in repr(raised.value) or "NoProgram" in str(raised.value)


@pytest.mark.parametrize("options, said", [({"speed": 1}, "no option 'speed'"), ({"engine": "fast"}, "fast"), ({"check": "much"}, "much"), ({"fallback": "no"}, "no")])
def test_wrong_options_are_said(options, said):
    with pytest.raises(Exception, match=said):
        torch.compile(lambda x: x + 1, backend="assay", options=options)(torch.ones(2))
    with pytest.raises(Exception, match="has no modes"):
        torch.compile(lambda x: x + 1, backend="assay", mode="max-autotune")(torch.ones(2))


FAULTY = """
import numpy as np

def product(a, b):
    made = a @ b
    if made.shape[-1] == 7:
        made = made * np.float32(1.001)
    return made
"""


def test_a_planted_fault_is_named_with_module_and_line(tmp_path, monkeypatch):
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, 6), torch.nn.Linear(6, 7)

        def forward(self, x):
            x = torch.relu(self.first(x))
            return self.second(x).exp()  # here

    compiled = torch.compile(Model(), backend="assay", options={"engine": f"python:{tmp_path}/faulty.py:product", "check": "bound"})
    with torch.no_grad(), pytest.raises(WrongOperator) as raised:
        compiled(torch.randn(3, 4))
    line = next(number for number, text in enumerate(open(__file__), 1) if text.rstrip().endswith("# here"))
    assert raised.value.module == "second" and raised.value.line == (__file__, str(line))
    assert raised.value.operator == "aten.addmm.default" and f"second at {__file__}:{line}" in str(raised.value)


@pytest.mark.parametrize("trained", [False, True])
def test_a_wrong_kernel_of_pytorch_is_named_with_module_and_line(trained):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, 6), torch.nn.Sequential(torch.nn.Linear(6, 7), torch.nn.GELU())

        def forward(self, x):
            x, made = self.first(x), torch.empty(3)
            made.copy_(x[:, 0])
            return self.second(x).sum(0), made, x.topk(2)  # the call

    compiled = torch.compile(Model(), backend="assay", options={"engine": "eager", "check": "bound"})
    x = torch.randn(3, 4, requires_grad=trained)
    made = compiled(x)
    if trained:
        made[0].sum().backward()
    library = torch.library.Library("aten", "IMPL")
    name = "gelu_backward" if trained else "gelu"
    kernel = (lambda grad, x, approximate="none": grad * 0.9) if trained else (lambda x, approximate="none": x.relu())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.impl(name, kernel, "CPU", allow_override=True)
    try:
        with pytest.raises(WrongOperator) as raised:
            compiled(x)[0].sum().backward()
    finally:
        library._destroy()
    assert raised.value.operator == f"aten.{name}.default" and raised.value.module == "second.1"


RECORDED = """
import sys, torch
torch.manual_seed(0)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.bent, self.last = torch.nn.Linear(4, 8), torch.nn.GELU(approximate=sys.argv[2]), torch.nn.Linear(8, 2)
    def forward(self, x):
        x = self.first(x)
        x = self.bent(x)
        return self.last(x)
model = Model()
run = torch.compile(model, backend="assay", options={"record": sys.argv[1]})
run(torch.linspace(-3, 3, 12).reshape(3, 4)).sum().backward()
"""


def test_records_are_compared_operator_by_operator(tmp_path, assay):
    (tmp_path / "recorded.py").write_text(RECORDED)
    for folder, kind in (("good", "none"), ("bad", "tanh")):
        subprocess.run([sys.executable, "recorded.py", folder, kind], cwd=tmp_path, check=True)
    same = assay("compare", "good/dump/operators.h5", "good/dump/operators.h5", "--first-wrong")
    assert "first wrong: none" in same.stdout, same.stdout + same.stderr
    other = assay("compare", "bad/dump/operators.h5", "good/dump/operators.h5", "--first-wrong")
    lines = other.stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("first wrong:"))
    assert "aten.gelu" in lines[first + 1] and "forward, bent at" in lines[first + 1] and "recorded.py:10" in lines[first + 1], other.stdout
    assert any("aten.gelu_backward" in line and "backward, bent at" in line and "recorded.py:10" in line for line in lines[first + 1 :]), other.stdout


def test_pytorch_finds_the_backend_without_an_import():
    script = "import sys, torch; assert 'assay' in torch._dynamo.list_backends(); assert 'assay' not in sys.modules; print(torch.compile(lambda x: x + 1, backend='assay')(torch.ones(2)).tolist())"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=dict(os.environ))
    assert ran.stdout.strip() == "[2.0, 2.0]", ran.stdout + ran.stderr


def test_both_descriptions_of_the_package_name_the_backend():
    source = pathlib.Path(__file__).resolve().parents[2]
    for path in ("pyproject.toml", "python/pyproject.toml", "python/assay_checkout.dist-info/entry_points.txt"):
        assert "torch_dynamo_backends" in (source / path).read_text() and "assay.torch.compiling:backend" in (source / path).read_text()


def test_a_plugin_computes_and_is_judged(monkeypatch):
    library = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib" / "libassay_example.so"
    model, x = torch.nn.Linear(24, 48), torch.randn(5, 24)
    options = {"engine": f"plugin:{library}", "check": "bound"}
    close(torch.compile(model, backend="assay", options=options)(x), model(x))
    torch._dynamo.reset()
    monkeypatch.setenv("ASSAY_EXAMPLE_FAULT", "edge_n")
    with pytest.raises(WrongOperator, match=r"the first wrong operator is aten\.addmm\.default"):
        torch.compile(model, backend="assay", options=options)(x)
