"""Threads that call the recorded model at the same time: each call is recorded completely, under its own number, with the gradients
that belong to it; also operators, and backward passes in other threads than the forward ones."""
import concurrent.futures
import sys
import threading

import h5py
import numpy
import pytest
import torch
from torch import nn

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"
THREADS, CALLS = 4, 6


class Block(nn.Module):
    """Reads its input three times, so that the gradient of its input is a sum over several nodes."""

    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x)))) * x


@pytest.fixture(autouse=True)
def switches_often():
    """Threads change places at nearly every bytecode."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def model():
    torch.manual_seed(0)
    return nn.Sequential(*(Block() for _ in range(4)))


def together(work):
    """work(number) in THREADS threads that begin at once."""
    barrier = threading.Barrier(THREADS)

    def begin(number):
        barrier.wait()
        return work(number)

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def inputs(number):
    """The inputs of a thread; the first element shows which thread made the call."""
    x = torch.randn(3, 8, generator=torch.Generator().manual_seed(number))
    x[0, 0] = number
    return x


def by_call(path):
    """{number of a call: {name without it: values}}, of modules."""
    calls = {}
    with h5py.File(path) as file:
        for name, data in file["1"].items():
            if ".params_grad." in name or "-aten." in name:
                continue
            prefix = name.split(".forward_")[0].split(".backward_")[0]
            module, call = prefix.rsplit(".", 1)
            calls.setdefault(int(call), {})[module + name.removeprefix(prefix)] = data[()]
    return calls


def expected(net, x, folder):
    """The recording of a single call."""
    with PrecisionDebugger(str(folder), model=net):
        net(x.clone().requires_grad_()).sum().backward()
    return by_call(folder / FILE)[0]


@pytest.mark.parametrize("backward", ["in the same thread", "in the main thread", "in other threads", None])
@pytest.mark.parametrize("operators", [False, True])
def test_calls_of_several_threads(tmp_path, capfd, operators, backward):
    net = model()
    debugger = PrecisionDebugger(str(tmp_path / "dump"), model=net, dump_torch_api=operators)
    debugger.start()

    def work(number):
        results = []
        for _ in range(CALLS):
            y = net(inputs(number).requires_grad_())
            if backward == "in the same thread":
                y.sum().backward()
            results.append(y)
        return results

    with torch.set_grad_enabled(backward is not None):
        results = together(work)
    if backward == "in the main thread":
        sum(y.sum() for ys in results for y in ys).backward()
    if backward == "in other threads":
        together(lambda number: [y.sum().backward() for y in results[(number + 1) % THREADS]])
    debugger.stop()
    assert capfd.readouterr().err == ""
    wanted = [expected(net, inputs(number), tmp_path / str(number)) for number in range(THREADS)]
    named = {name for name in wanted[0] if backward is not None or ".backward_" not in name}
    calls = by_call(tmp_path / "dump" / FILE)
    assert sorted(calls) == list(range(THREADS * CALLS))
    # A number may belong to different threads in different modules: each call is followed by its values.
    for name in sorted(named):
        got = sorted(calls[call][name].tobytes() for call in calls)
        assert got == sorted(wanted[number][name].tobytes() for number in range(THREADS) for _ in range(CALLS)), name


def test_operators_of_several_threads(tmp_path):
    """Each thread's calls are recorded, in its order, forward and backward."""
    net = model()

    def operators(folder, work):
        with PrecisionDebugger(str(folder), model=net, dump_torch_api=True):
            work()
        with h5py.File(folder / FILE) as file:
            names = [name for name in file["1"] if "-aten." in name and name.endswith("forward_output.0")]
        assert len({name.split("-")[0] for name in names}) == len(names)  # each number once
        return [name.split("-", 1)[1] for name in sorted(names)]

    def once(number=0):
        x = inputs(number).requires_grad_()
        torch.autograd.grad(net(x).sum(), [x, *net.parameters()])

    # The recording of another thread has its modules and backward passes, but not the loss, here a sum.
    alone = operators(tmp_path / "alone", lambda: together(lambda number: once() if number == 0 else None))
    assert sum("addmm" in name for name in alone) == 8 and any("gelu_backward" in name for name in alone)
    found = operators(tmp_path / "together", lambda: together(once))
    assert sorted(found) == sorted(alone * THREADS)


def test_a_call_inside_of_which_another_thread_is_started(tmp_path):
    """A graph over threads: one thread's result is read by the next module in another thread."""

    class Elsewhere(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                return pool.submit(lambda: self.inner(x * 2)).result() + x

    net, x = nn.Sequential(nn.Linear(8, 8), Elsewhere(nn.Linear(8, 8)), nn.Linear(8, 8)), inputs(1)
    with PrecisionDebugger(str(tmp_path), model=net):
        net(x).sum().backward()
    here = nn.Sequential(net[0], net[1].inner, net[2])
    first = net[0](x).detach().requires_grad_()
    doubled = (first * 2).detach().requires_grad_()
    here[1](doubled).backward(net[2].weight.sum(0).expand(3, 8))
    with h5py.File(tmp_path / FILE) as file:
        numpy.testing.assert_allclose(file["1"]["1.inner.Linear.0.backward_grad_input.0"][()], doubled.grad.numpy(), rtol=1e-5, atol=1e-6)
        assert "1.inner.Linear.0.forward_output.0" in file["1"] and "1.Elsewhere.0.backward_grad_output.0" in file["1"]


def test_tensors_that_are_lent_to_the_writer(tmp_path):
    """Outputs that are not contiguous are read in place while threads continue."""

    class Turns(nn.Module):
        def forward(self, x):
            return (x + 1).t()

    net = Turns()
    with PrecisionDebugger(str(tmp_path), model=net):
        together(lambda number: [net(torch.full((64, 256), float(number * 100 + i))) for i in range(20)])
    with h5py.File(tmp_path / FILE) as file:
        found = sorted(int(data[0, 0]) for name, data in file["1"].items() if "forward_output" in name)
        assert found == sorted(number * 100 + i + 1 for number in range(THREADS) for i in range(20))
        for data in file["1"].values():
            assert (data[()] == data[0, 0]).all()


def test_the_last_steps_in_memory(tmp_path, capfd):
    net = model()
    debugger = PrecisionDebugger(str(tmp_path), model=net, triggers="nan", keep_last=2, after=0)
    debugger.start()
    for _ in range(3):
        together(lambda number: [net(inputs(number)) for _ in range(CALLS)])
        debugger.step()
    debugger.fire()
    together(lambda number: [net(inputs(number)) for _ in range(CALLS)])
    debugger.step()
    debugger.stop()
    assert "not recorded" not in capfd.readouterr().err
    with h5py.File(tmp_path / FILE) as file:
        assert sorted(file) == ["3", "4"]
        for step in file:
            assert sum(name.startswith("Sequential.") and "forward_output" in name for name in file[step]) == THREADS * CALLS
