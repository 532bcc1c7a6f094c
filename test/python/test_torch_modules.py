"""PrecisionDebugger: the recorded tensors, their names, and the messages about tensors that are not recorded."""
import h5py
import ml_dtypes
import numpy
import pytest
import torch
from torch import nn

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"


def record(folder, model, *args, backward=False, steps=1, **kwargs):
    debugger = PrecisionDebugger(dump_path=str(folder), hook_name="dump", rank=[0], step=list(range(1, steps + 1)), model=model)
    debugger.start()
    for step in range(steps):
        if step:
            debugger.step()
        output = model(*args, **kwargs)
        if backward:
            output.float().sum().backward()
    debugger.stop()
    return output


def datasets(folder, step=1):
    """{name: array} in creation order."""
    with h5py.File(folder / FILE, "r") as file:
        return {name: file[f"{step}/{name}"][()] for name in file[str(step)]}


class Nested(nn.Module):
    """Takes positional, keyword and nested tensors and returns a mapping."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, *, scale, extra):
        y = self.fc(x) * scale + extra["list"][1]
        return {"y": y, "pair": (y + 1, y.int())}


def test_names_kinds_and_order_of_a_small_model(tmp_path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.LayerNorm(8)).half()
    x = torch.randn(5, 4).half()
    y = record(tmp_path, model, x)
    found = datasets(tmp_path)
    assert list(found) == [
        "Sequential.0.forward_input.0",
        "0.Linear.0.forward_params.weight",
        "0.Linear.0.forward_params.bias",
        "0.Linear.0.forward_input.0",
        "0.Linear.0.forward_output.0",
        "1.ReLU.0.forward_input.0",
        "1.ReLU.0.forward_output.0",
        "2.LayerNorm.0.forward_params.weight",
        "2.LayerNorm.0.forward_params.bias",
        "2.LayerNorm.0.forward_input.0",
        "2.LayerNorm.0.forward_output.0",
        "Sequential.0.forward_output.0",
    ]
    numpy.testing.assert_array_equal(found["Sequential.0.forward_input.0"], x.numpy())
    numpy.testing.assert_array_equal(found["Sequential.0.forward_output.0"], y.detach().numpy())
    # The in-place ReLU did not overwrite its recorded input.
    assert (found["1.ReLU.0.forward_input.0"] < 0).any()


def test_kwargs_and_nested_structures(tmp_path):
    model = Nested()
    record(tmp_path, model, torch.ones(2, 4), scale=torch.tensor(2.0), extra={"list": [torch.zeros(1), torch.ones(3)]})
    names = [name for name in datasets(tmp_path) if name.startswith("Nested.0")]
    assert names == [
        "Nested.0.forward_input.0",
        "Nested.0.forward_input.scale",
        "Nested.0.forward_input.extra.list.0",
        "Nested.0.forward_input.extra.list.1",
        "Nested.0.forward_output.y",
        "Nested.0.forward_output.pair.0",
        "Nested.0.forward_output.pair.1",
    ]


def test_backward_agrees_with_autograd(tmp_path):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh())
    x = torch.randn(2, 4, requires_grad=True)
    record(tmp_path, model, x, backward=True)
    found = datasets(tmp_path)
    grad_output = torch.ones(2, 3)
    hidden = model[0](x)
    expected = grad_output * (1 - torch.tanh(hidden) ** 2)
    numpy.testing.assert_array_equal(found["1.Tanh.0.backward_grad_output.0"], grad_output)
    numpy.testing.assert_allclose(found["1.Tanh.0.backward_grad_input.0"], expected.detach(), rtol=1e-5)
    numpy.testing.assert_allclose(
        found["0.Linear.0.backward_grad_input.0"], (expected @ model[0].weight).detach(), rtol=1e-5
    )
    numpy.testing.assert_array_equal(found["0.Linear.0.params_grad.weight"], model[0].weight.grad)


def test_calls_are_counted_per_module_path_and_steps_are_groups(tmp_path):
    shared = nn.Linear(2, 2)
    model = nn.Sequential(shared, nn.ReLU(), shared)
    record(tmp_path, model, torch.ones(1, 2), steps=2)
    for step in (1, 2):
        names = datasets(tmp_path, step)
        assert "0.Linear.0.forward_output.0" in names and "0.Linear.1.forward_output.0" in names


@pytest.mark.parametrize(
    "dtype, view",
    [
        (torch.bfloat16, ml_dtypes.bfloat16),
        (torch.float8_e4m3fn, ml_dtypes.float8_e4m3fn),
        (torch.float8_e5m2, ml_dtypes.float8_e5m2),
    ],
)
def test_narrow_floats_keep_their_bits(tmp_path, dtype, view):
    x = torch.linspace(-3, 3, 13).to(dtype)
    record(tmp_path, nn.Identity(), x)
    with h5py.File(tmp_path / FILE, "r") as file:
        stored = file["1/Identity.0.forward_input.0"]
        name = stored.attrs["dtype"]
        bits = stored[()]
    assert name == numpy.dtype(view).name
    numpy.testing.assert_array_equal(bits.view(view).astype(numpy.float32), x.float().numpy())


def test_complex_bool_integers_scalars_and_empty_tensors(tmp_path):
    class Many(nn.Module):
        def forward(self, *tensors):
            return tensors

    tensors = [
        torch.tensor([1 + 2j, -3j]).conj(),
        torch.tensor([True, False]),
        torch.tensor(7, dtype=torch.int64),
        torch.empty(0, 3),
        torch.arange(6).reshape(2, 3).t(),
    ]
    record(tmp_path, Many(), *tensors)
    found = datasets(tmp_path)
    for i, tensor in enumerate(tensors):
        numpy.testing.assert_array_equal(found[f"Many.0.forward_input.{i}"], tensor.resolve_conj().numpy())


def test_equal_tensors_are_stored_once(tmp_path):
    x = torch.randn(1000)
    record(tmp_path, nn.Sequential(nn.Identity(), nn.Identity()), x)
    with h5py.File(tmp_path / FILE, "r") as file:
        offsets = {file["1"][name].id.get_offset() for name in file["1"]}
    assert len(offsets) == 1


def test_summary_is_written_at_stop(tmp_path):
    record(tmp_path, nn.Linear(2, 2), torch.ones(1, 2))
    text = (tmp_path / "globalrank-0_localrank-0_summary.csv").read_text()
    assert "Linear.0.forward_output.0" in text


def test_nothing_recorded_says_so(tmp_path, capfd):
    debugger = PrecisionDebugger(dump_path=str(tmp_path / "a"), rank=[4, 5], step=[1], model=nn.Linear(1, 1))
    debugger.start()
    debugger.stop()
    assert "NOTHING WAS RECORDED" in capfd.readouterr().err
    with PrecisionDebugger(dump_path=str(tmp_path / "b"), model=nn.Linear(1, 1)):
        pass
    assert "no hook fired" in capfd.readouterr().err
    with PrecisionDebugger(dump_path=str(tmp_path / "c"), step=[3], model=nn.Linear(1, 1)):
        pass
    assert "only 1 step ran" in capfd.readouterr().err


def test_a_stop_without_a_start_is_said(tmp_path, capfd):
    PrecisionDebugger(tmp_path / "d", model=torch.nn.Linear(2, 2)).stop()
    assert f"NOTHING WAS RECORDED in {tmp_path / 'd'}: stop() came without start()" in capfd.readouterr().err


def test_only_the_chosen_steps(tmp_path):
    model = nn.Linear(1, 1)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), step=[2], model=model)
    debugger.start()
    for _ in range(3):
        model(torch.ones(1, 1))
        debugger.step()
    debugger.stop()
    with h5py.File(tmp_path / FILE, "r") as file:
        assert list(file) == ["2"]


def test_start_without_stop_begins_a_step(tmp_path):
    model = nn.Linear(1, 1)
    for _ in range(3):  # a debugger constructed in each model execution
        debugger = PrecisionDebugger(dump_path=str(tmp_path), rank=[0], step=[1], model=model)
        debugger.start()
        model(torch.ones(1, 1))
    debugger.stop()
    with h5py.File(tmp_path / FILE, "r") as file:
        assert list(file) == ["1"]
        assert "Linear.0.forward_output.0" in file["1"]
        assert "Linear.1.forward_output.0" not in file["1"]


def test_compiled_modules_are_reported(tmp_path, capfd):
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model[0].compile(backend="eager")
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        pass
    assert "module '0' will not be recorded inside: Module.compile() replaced its call" in capfd.readouterr().err
    wrapped = torch.compile(model, backend="eager")
    with PrecisionDebugger(dump_path=str(tmp_path / "w"), model=wrapped):
        pass
    assert "OptimizedModule" in capfd.readouterr().err


def test_modules_that_never_ran_are_reported(tmp_path, capfd):
    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.unused = nn.Linear(1, 1), nn.Linear(1, 1)

        def forward(self, x):
            return self.used(x)

    record(tmp_path, Half(), torch.ones(1, 1))
    assert "the hooks of 1 leaf modules never fired" in capfd.readouterr().err


def test_wrong_arguments_are_refused(tmp_path):
    with pytest.raises(ValueError, match="'dump' is the only kind"):
        PrecisionDebugger(dump_path=str(tmp_path), hook_name="overflow_check", model=nn.Linear(1, 1))
    with pytest.raises(TypeError, match="expected a torch.nn.Module"):
        PrecisionDebugger(dump_path=str(tmp_path), model=lambda x: x)
    with pytest.raises(ValueError, match="expected a list of whole numbers"):
        PrecisionDebugger(dump_path=str(tmp_path), rank=["a"], model=nn.Linear(1, 1))
    with pytest.raises(ValueError, match="nothing to record"):
        PrecisionDebugger(dump_path=str(tmp_path / "n")).start()


def test_a_failing_writer_stops_the_recording_and_not_the_model(tmp_path, capfd):
    (tmp_path / "file").write_text("not a folder")
    y = record(tmp_path / "file" / "dump", nn.Linear(2, 2), torch.ones(1, 2))
    assert y.shape == (1, 2)
    assert "RECORDING STOPPED" in capfd.readouterr().err


def test_a_gradient_is_the_modules_share_and_the_models_gradients_do_not_change(tmp_path):
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc, self.act = nn.Linear(3, 3), nn.ReLU(inplace=True)

        def forward(self, x):
            return x + self.act(self.fc(x))

    torch.manual_seed(2)
    model, x = Residual(), torch.randn(2, 3, requires_grad=True)
    model(x).sum().backward()
    expected = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    expected_x = x.grad.clone()
    model.zero_grad()
    x.grad = None
    record(tmp_path, model, x, backward=True)
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, expected[name], rtol=0, atol=0)
    torch.testing.assert_close(x.grad, expected_x, rtol=0, atol=0)
    share = datasets(tmp_path)["fc.Linear.0.backward_grad_input.0"]
    numpy.testing.assert_allclose(share, (expected_x - 1).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("steps, ran, says", [([0], 1, "had step 1 alone"), (0, 3, "had the steps 1 to 3"), ([0, -2], 2, "had the steps 1 to 2"), ([0, 9], 2, "only 2 steps ran")])
def test_steps_that_there_are_not_are_named(tmp_path, capfd, steps, ran, says):
    model = nn.Linear(1, 1)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), model=model, step=steps)
    debugger.start()
    for number in range(ran):
        if number:
            debugger.step()
        model(torch.ones(1, 1))
    debugger.stop()
    said = capfd.readouterr().err
    assert "NOTHING WAS RECORDED" in said and says in said and "0: steps are counted from 1" in said, said


def test_two_recorders_into_one_folder_are_refused(tmp_path, capfd):
    one, two = nn.Linear(1, 1), nn.Linear(1, 1)
    first = PrecisionDebugger(dump_path=str(tmp_path), model=one)
    first.start()
    one(torch.ones(1, 1))
    for other in ({"model": two}, {"model": one, "dump_torch_api": True}, {"model": one, "filter": ["x*"]}):
        with pytest.raises(ValueError, match="is being recorded by another PrecisionDebugger.*give another dump_path"):
            PrecisionDebugger(dump_path=str(tmp_path / "." / ""), **other).start()
    again = PrecisionDebugger(dump_path=str(tmp_path), model=one)  # the same debugger, constructed again: the next step
    again.start()
    one(torch.ones(1, 1))
    again.stop()
    PrecisionDebugger(dump_path=str(tmp_path / "other"), model=two).start()
    second = PrecisionDebugger(dump_path=str(tmp_path / "other"), model=two)
    second.stop()
    with h5py.File(tmp_path / "globalrank-0_localrank-0.h5") as file:
        assert list(file) == ["1", "2"] and "Linear.0.forward_output.0" in file["2"]


def test_control_characters_in_names_are_escaped(tmp_path, capfd, assay):
    """A name must not send commands to a terminal: \\x1b[2J clears the screen, \\x9b is the same in one character."""
    evil = "a\x1b[2J\x07\r\x7f\x9bb"

    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.add_module(evil, nn.Linear(2, 2))
            self.add_module(f"{evil}unused", nn.Linear(2, 2))

        def forward(self, x):
            return {evil: self.get_submodule(evil)(x), "nested\n\x1b]0;title\x07": torch.sparse_coo_tensor([[0]], [1.0], [2])}

    torch.manual_seed(0)
    sides = []
    for side, scale in (("bench", 1), ("target", 1.5)):
        model = Odd()
        with torch.no_grad(), PrecisionDebugger(dump_path=str(tmp_path / side), model=model):
            model(torch.full((1, 2), float(scale)))
        sides.append(f"{side}/globalrank-0_localrank-0.h5")
    texts = [capfd.readouterr().err]
    for words in (["summary", sides[0]], ["summary", sides[0], "sum.txt"], ["compare", *reversed(sides), "--first-wrong"], ["compare", *reversed(sides), "--all"],
                  ["compare", sides[0], f"{evil}.h5"], ["compare", "target", "bench"], ["extract", sides[0]]):
        ran = assay(*words)
        texts += [ran.stdout, ran.stderr]
    texts.append((tmp_path / "sum.txt").read_text())
    for text in texts:
        assert not [c for c in text if ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160], text
    assert "unused" in texts[0] and sum(r"a\x1b[2J\x07\x0d\x7f\x9bb" in text for text in texts) >= 6, texts
