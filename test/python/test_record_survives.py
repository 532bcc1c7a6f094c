"""The recorder never ends a model: tensors that it cannot record are named with the reason when the recording ends. Also what
stop() costs, how buffers are recorded, and which ranks report that nothing was recorded."""
import os
import time

import h5py
import numpy
import preloaded
import pytest
import torch
from torch import nn

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"


def small():
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU())


def names(folder, step="1"):
    with h5py.File(folder / FILE) as file:
        return list(file[step])


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_model_that_is_compiled_while_it_is_recorded(tmp_path, capfd, backend, fullgraph):
    torch._dynamo.reset()
    model, x = nn.Sequential(small(), small()), torch.randn(2, 4)
    want = model(x)
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        got = torch.compile(model, backend=backend, fullgraph=fullgraph)(x)
        got.sum().backward()
    torch.testing.assert_close(got, want, rtol=0, atol=0)
    said = capfd.readouterr().err
    assert "NOTHING WAS RECORDED" in said and "torch.compile or torch.export traced the model" in said
    assert "RECORDING STOPPED" not in said and not (tmp_path / FILE).exists()


def test_a_part_that_is_compiled_while_the_rest_is_recorded(tmp_path, capfd):
    torch._dynamo.reset()
    model, x = nn.Sequential(small(), small()), torch.randn(2, 4)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), model=model)
    debugger.start()
    model[0].compile(backend="eager")
    model(x)
    debugger.stop()
    found = names(tmp_path)
    assert "1.0.Linear.0.forward_output.0" in found and "0.0.Linear.0.forward_output.0" not in found
    said = capfd.readouterr().err
    assert "code; torch.compile or torch.export traced the model): 0.0, 0.1" in said


def test_starting_and_stopping_does_not_compile_again(tmp_path):
    torch._dynamo.reset()
    compiled = []

    def backend(graph, inputs):
        compiled.append(graph)
        return graph.forward

    model, x = small(), torch.randn(2, 4)
    run = torch.compile(model, backend=backend, fullgraph=True)
    for number in range(12):  # torch stops compiling after 8 versions
        with PrecisionDebugger(dump_path=str(tmp_path / str(number)), model=model):
            run(x)
        run(x)
    assert len(compiled) <= 2


def test_a_scripted_part_is_recorded_from_outside(tmp_path, capfd):
    model = nn.Sequential(torch.jit.script(nn.Linear(4, 4)), nn.ReLU())
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        y = model(torch.randn(2, 4))
    with h5py.File(tmp_path / FILE) as file:
        numpy.testing.assert_array_equal(file["1"]["1.ReLU.0.forward_output.0"][()], y.detach().numpy())
        assert "0.Linear.0.forward_output.0" in file["1"] and "0.Linear.0.forward_params.weight" in file["1"]
    assert "module '0' will not be recorded inside: it is a TorchScript module" in capfd.readouterr().err


def test_traces_and_exports_hold_nothing_of_the_recorder(tmp_path):
    model, x = small(), torch.randn(2, 4)

    def graphs():
        return str(torch.jit.trace(model, x).code), str(torch.export.export(model, (x,)).graph), torch.jit.script(model).code

    want = graphs()
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        assert graphs() == want


def test_tensors_without_data_are_named(tmp_path, capfd):
    from torch._subclasses.fake_tensor import FakeTensorMode

    model = small()
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        torch.vmap(model)(torch.randn(3, 4))
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            model(mode.from_tensor(torch.randn(2, 4)))
        nn.Sequential(small()).to("meta")
        torch.func.grad(lambda x: model(x).sum())(torch.randn(4))
    said = capfd.readouterr().err
    assert "(0.Linear.0.forward_input.0" in said or "(Sequential.0.forward_input.0" in said
    assert "it has no data of its own (inside torch.func or vmap)" in said
    assert "it has no data (meta or fake tensor)" in said
    assert "RECORDING STOPPED" not in said
    assert "0.Linear.0.forward_params.weight" in names(tmp_path)


def nested():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    mask = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    return nn.TransformerEncoder(layer, 2).eval(), torch.randn(2, 5, 8), mask


@pytest.mark.parametrize("operators", [False, True])
def test_nested_tensors_are_named(tmp_path, capfd, operators):
    model, x, mask = nested()
    with torch.no_grad():
        want = model(x, src_key_padding_mask=mask)
        debugger = PrecisionDebugger(dump_path=str(tmp_path), model=model, dump_torch_api=operators)
        debugger.start()
        got = model(x, src_key_padding_mask=mask)
        debugger.stop()
    torch.testing.assert_close(got, want, rtol=0, atol=0)
    said = capfd.readouterr().err
    assert "not recorded: 4 (layers.0.TransformerEncoderLayer.0.forward_input.0, " in said and "it is a nested tensor" in said
    assert "an argument or result is a nested tensor" in said or not operators
    assert "TransformerEncoder.0.forward_output.0" in names(tmp_path)


def test_a_second_backward_pass_and_odd_names(tmp_path, capfd):
    class Odd(nn.Module):
        def forward(self, x):
            return {"a/": x + 1, "/b": x + 2, "": x + 3, "c": x * 2}

    model = nn.ModuleDict({"inner": small(), "odd": Odd()})
    model.forward = lambda x: model["odd"](model["inner"](x))
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        loss = model(torch.randn(2, 4))["c"].sum()
        loss.backward(retain_graph=True)
        loss.backward()
    said = capfd.readouterr().err
    assert "RECORDING STOPPED" not in said
    assert "its name is taken in this step (a second backward pass?)" in said and "inner.1.ReLU.0.backward_grad_output.0" in said
    found = names(tmp_path)
    assert {"odd.Odd.0.forward_output.a|", "odd.Odd.0.forward_output.|b", "odd.Odd.0.forward_output.c"} <= set(found)


def test_an_error_of_the_recorders_own_is_named(tmp_path, capfd, monkeypatch):
    from assay.torch import debugger as module

    def broken(value, prefix=""):
        raise KeyError("of our own")

    model = small()
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        model(torch.randn(2, 4))
        monkeypatch.setattr(module, "leaves", broken)
        model(torch.randn(2, 4)).sum().backward()
    said = capfd.readouterr().err
    assert "0.Linear.1.forward_input" in said and "KeyError: 'of our own'" in said
    assert "0.Linear.0.forward_output.0" in names(tmp_path)


def test_a_module_that_raises_leaves_the_recording_in_order(tmp_path):
    class Fails(nn.Module):
        def forward(self, x):
            raise ValueError("the model's own")

    model = nn.Sequential(nn.Linear(4, 4), Fails())
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        with pytest.raises(ValueError, match="the model's own"):
            model(torch.randn(2, 4))
        model[1] = nn.ReLU()
        model(torch.randn(2, 4))
    assert "Sequential.1.forward_output.0" in names(tmp_path)


def test_hooks_on_parameters_do_not_stay(tmp_path):
    class Gives(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

        def forward(self):
            return self.weight

    model = Gives()
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        model().sum().backward()
    assert "Gives.0.backward_grad_output.0" in names(tmp_path)
    assert not model.weight._backward_hooks


def test_buffers_are_recorded_as_they_are_before_the_call(tmp_path, assay):
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    model.register_buffer("scale", torch.full((2,), 3.0), persistent=False)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), model=model)
    debugger.start()
    model(torch.randn(5, 4))
    after_one = model[1].running_mean.clone()
    debugger.step()
    model(torch.randn(5, 4))
    debugger.stop()
    with h5py.File(tmp_path / FILE) as file:
        assert (file["1"]["1.BatchNorm1d.0.forward_params.running_mean"][()] == 0).all()
        numpy.testing.assert_array_equal(file["2"]["1.BatchNorm1d.0.forward_params.running_mean"][()], after_one.numpy())
        assert file["2"]["1.BatchNorm1d.0.forward_params.num_batches_tracked"][()] == 1
        assert file["1"]["Sequential.0.forward_params.scale"][()].tolist() == [3, 3]
    compared = assay("compare", FILE, FILE, "--first-wrong", "--quiet")
    assert compared.returncode == 0 and "first wrong: none" in compared.stdout, compared.stdout + compared.stderr


RANKS = """
import torch
from assay.torch import PrecisionDebugger
model = torch.nn.Linear(1, 1)
with PrecisionDebugger(dump_path="dump", rank=RANKS, model=model):
    model(torch.ones(1, 1))
"""


def told(folder, ranks, **environment):
    cleared = {name: value for name, value in os.environ.items() if "RANK" not in name and "SIZE" not in name}
    ran = preloaded.run("-c", RANKS.replace("RANKS", repr(ranks)), cwd=folder, env={**cleared, **environment})
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def test_only_who_was_asked_for_says_that_nothing_was_recorded(tmp_path):
    assert told(tmp_path, [0], RANK="1", WORLD_SIZE="2") == ""
    assert told(tmp_path, [0], OMPI_COMM_WORLD_RANK="3") == ""
    assert told(tmp_path, [1], RANK="0", WORLD_SIZE="2") == ""
    assert told(tmp_path, [4, 5], RANK="1", WORLD_SIZE="2") == ""
    said = told(tmp_path, [4, 5], RANK="0", WORLD_SIZE="2")
    assert "NOTHING WAS RECORDED" in said and "rank 0 is not among the ranks [4, 5], and there are only 2" in said
    assert told(tmp_path, [1], RANK="1", WORLD_SIZE="2") == "" and (tmp_path / "dump" / "globalrank-1_localrank-0.h5").exists()


def test_stop_takes_no_time_that_grows_with_the_file(tmp_path, assay):
    """Processor time, so that other programs do not count; 10 s and more if each dataset is flushed separately."""
    model, x = nn.Sequential(*(nn.Linear(8, 8) for _ in range(2002))), torch.randn(2, 8)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), model=model)
    debugger.start()
    model(x)
    begin = time.process_time()
    debugger.stop()
    taken = time.process_time() - begin
    assert taken < 2.5, f"{taken:.2f} s"
    assert len(names(tmp_path)) == 2 * 2003 + 2 * 2002
    written = (tmp_path / FILE.replace(".h5", "_summary.csv")).read_text()
    assert assay("summary", FILE, "again.csv").returncode == 0
    assert (tmp_path / "again.csv").read_text() == written
