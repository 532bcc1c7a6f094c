"""PrecisionDebugger.backend: the results of compiled code are recorded operator by operator, in the forward and the backward pass, and
compares with an eager record."""
import h5py
import pytest
import torch
from torch import nn

from assay.torch import PrecisionDebugger

DUMP = "globalrank-0_localrank-0.h5"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.up, self.norm, self.down = nn.Linear(6, 8), nn.LayerNorm(8), nn.Linear(8, 3)

    def forward(self, x):
        a, b = self.norm(self.up(x)).chunk(2, -1)
        return self.down(torch.cat([nn.functional.gelu(a), b.tanh()], -1))


def run(folder, inner=None, backward=True, steps=1):
    torch._dynamo.reset()
    model, x = Net(), torch.randn(5, 6, generator=torch.Generator().manual_seed(1))
    debugger = PrecisionDebugger(str(folder), model=model, dump_torch_api=True)
    call = torch.compile(model, backend=debugger.backend(inner)) if inner else model
    results = []
    debugger.start()
    for step in range(steps):
        if step:
            debugger.step()
        with torch.set_grad_enabled(backward):
            y = call(x)
        if backward:
            y.square().sum().backward()
        results.append(y.detach())
    debugger.stop()
    return results, [p.grad for p in model.parameters()]


def operators(folder):
    with h5py.File(folder / DUMP) as file:
        return [name.split(".")[1] for name in file["1"] if "-aten." in name and name.endswith(".forward_output.0")]


@pytest.mark.parametrize("backward", [False, True], ids=["inference", "training"])
def test_compiled_code_beside_an_eager_record(tmp_path, assay, backward):
    (eager,), gradients = run(tmp_path / "bench", backward=backward)
    (result,), others = run(tmp_path / "compiled", inner="eager", backward=backward)
    assert torch.equal(eager, result) and (not backward or all(torch.equal(a, b) for a, b in zip(gradients, others)))
    seen = operators(tmp_path / "compiled")
    assert "aten-addmm-default" in seen and "aten-native_layer_norm-default" in seen and ("aten-gelu_backward-default" in seen) == backward
    ran = assay("compare", f"compiled/{DUMP}", f"bench/{DUMP}", "--first-wrong", "--ignore-unmatched")
    assert ran.returncode == 0 and "first wrong: none" in ran.stdout and " 0 Fail" in ran.stdout, ran.stdout[-3000:]


def test_a_wrong_kernel_of_the_compiler_is_named(tmp_path, assay):
    def wrong(graph, inputs):
        """A graph compiled by a code generator with a wrong tanh."""

        class Interpreter(torch.fx.Interpreter):
            def call_function(self, target, args, kwargs):
                result = super().call_function(target, args, kwargs)
                return result * 1.01 if target is torch.ops.aten.tanh.default else result

        return Interpreter(graph).run

    run(tmp_path / "bench")
    run(tmp_path / "target", inner=wrong)
    ran = assay("compare", f"target/{DUMP}", f"bench/{DUMP}", "--first-wrong", "--ignore-unmatched")
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("  1. ")]
    assert ran.returncode == 1 and "aten.tanh (" in line and "certain: it was computed again" in line and "compiled code" in line, ran.stdout[-3000:]


def test_steps_and_what_runs_outside_a_recording(tmp_path):
    results, _ = run(tmp_path / "two", inner="eager", steps=2)
    assert torch.equal(*results)
    with h5py.File(tmp_path / "two" / DUMP) as file:
        counts = [len([name for name in file[step] if "-aten." in name]) for step in ("1", "2")]
    assert counts[0] == counts[1] > 20
    model = Net()
    debugger = PrecisionDebugger(str(tmp_path / "off"), model=model, dump_torch_api=True)
    assert torch.compile(model, backend=debugger.backend("eager"))(torch.ones(2, 6)).shape == (2, 3)
    assert not (tmp_path / "off").exists()


def test_inductor(tmp_path, assay):
    run(tmp_path / "bench", backward=False)
    (result,), _ = run(tmp_path / "compiled", inner="inductor", backward=False)
    with torch.no_grad():
        torch.testing.assert_close(result, Net()(torch.randn(5, 6, generator=torch.Generator().manual_seed(1))))
    ran = assay("summary", f"compiled/{DUMP}", "--quiet")
    assert ran.returncode == 0 and len(operators(tmp_path / "compiled")) >= 6


def test_inductor_trains(tmp_path, assay):
    (eager,), gradients = run(tmp_path / "bench")
    (result,), others = run(tmp_path / "compiled", inner="inductor")
    torch.testing.assert_close(result, eager)
    for mine, theirs in zip(others, gradients):
        torch.testing.assert_close(mine, theirs)
    backward = [name for name in operators(tmp_path / "compiled") if name in ("aten-mm-default", "aten-addmm-default")]
    assert len(backward) >= 5  # two forward, three backward: the model's input needs no gradient


def test_inductor_beside_its_own_graphs(tmp_path, assay):
    for folder, inner in (("bench", "decomposed"), ("target", "inductor")):
        run(tmp_path / folder, inner=inner)
    assert operators(tmp_path / "bench") == operators(tmp_path / "target")
    ran = assay("compare", f"target/{DUMP}", f"bench/{DUMP}", "--first-wrong")
    assert ran.returncode == 0 and "first wrong: none" in ran.stdout and " 0 Fail" in ran.stdout, ran.stdout[-3000:]


class Breaking(Net):
    """A branch on a tensor's value: torch.compile makes two graphs of it."""

    def forward(self, x):
        y = self.norm(self.up(x))
        if float(y.detach().sum()) > 1e9:
            return y
        return self.down(torch.cat([nn.functional.gelu(y[:, :4]), y[:, 4:].tanh()], -1))


def test_graph_breaks_and_sizes_that_change(tmp_path, assay):
    def record(folder, inner):
        torch._dynamo.reset()
        model = Breaking()
        debugger = PrecisionDebugger(str(folder), model=model, dump_torch_api=True)
        call = torch.compile(model, backend=debugger.backend(inner), dynamic=True) if inner else model
        debugger.start()
        results = []
        for step, batch in enumerate((5, 3, 7)):
            if step:
                debugger.step()
            results.append(call(torch.randn(batch, 6, generator=torch.Generator().manual_seed(batch))))
            results[-1].square().sum().backward()
        debugger.stop()
        return results

    eager, compiled = record(tmp_path / "bench", None), record(tmp_path / "compiled", "eager")
    assert all(torch.equal(a, b) for a, b in zip(eager, compiled)) and [y.shape[0] for y in compiled] == [5, 3, 7]
    with h5py.File(tmp_path / "compiled" / DUMP) as file:
        for step, batch in (("1", 5), ("2", 3), ("3", 7)):
            names = [name for name in file[step] if name.endswith(".forward_output.0") and "-aten." in name]
            kinds = [name.split(".")[1] for name in names]
            assert {"aten-addmm-default", "aten-tanh-default", "aten-gelu_backward-default"} <= set(kinds), (step, kinds)
            assert any(file[step][name].shape == (batch, 3) for name in names)
    ran = assay("compare", f"compiled/{DUMP}", f"bench/{DUMP}", "--first-wrong", "--ignore-unmatched")
    assert ran.returncode == 0 and "first wrong: none" in ran.stdout and " 0 Fail" in ran.stdout, ran.stdout[-3000:]


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValueError, match="dump_torch_api=True"):
        PrecisionDebugger(str(tmp_path), model=Net()).backend()
    with pytest.raises(ValueError, match="inner is 'cuda'"):
        PrecisionDebugger(str(tmp_path / "x"), model=Net(), dump_torch_api=True).backend("cuda")
