"""Recording changes nothing: outputs, gradients, and parameters and buffers after a training step have the same bits with and
without it, whatever the model examines (the identity of its arguments, hooks, hints of the autograd graph)."""
import copy
import io
import re

import h5py
import numpy
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from assay.torch import PrecisionDebugger

FILE = "globalrank-0_localrank-0.h5"


class Of(nn.Module):
    """A module made of parts and a function of them and the inputs."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def normal(*shape, grad=False):
    return torch.randn(*shape, requires_grad=grad)


def self_attention():
    return nn.MultiheadAttention(16, 4, batch_first=True), [normal(2, 5, 16, grad=True)] * 3


def padded():
    return torch.tensor([[False] * 5, [False] * 3 + [True] * 2])


def encoder():
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
    inner = nn.TransformerEncoder(layer, 2)
    return Of(lambda m, x: m.inner(x, src_key_padding_mask=padded()), inner=inner), [normal(2, 5, 16)]


def encoder_in_evaluation():
    model, inputs = encoder()
    return model.eval(), inputs


def gated_after_a_residual():
    """A tensor with three readers, two of them in one module: the order in which their gradients are added counts."""
    mlp = Of(lambda m, x: m.down(nn.functional.silu(m.gate(x)) * m.up(x)), gate=nn.Linear(16, 64), up=nn.Linear(16, 64), down=nn.Linear(64, 16))
    block = Of(lambda m, x: m.norm(x + m.mlp(x)), mlp=mlp, norm=nn.LayerNorm(16))
    return nn.Sequential(nn.Linear(16, 16), block, copy.deepcopy(block)), [normal(7, 16)]


def tied_weights():
    table, head = nn.Embedding(11, 8), nn.Linear(8, 11, bias=False)
    head.weight = table.weight
    return Of(lambda m, i: m.head(torch.tanh(m.table(i))), table=table, head=head), [torch.tensor([1, 5, 5, 0])]


def shared_modules():
    shared = nn.Linear(6, 6)
    return nn.Sequential(shared, nn.GELU(), shared, nn.Tanh(), shared), [normal(3, 6, grad=True)]


def in_place():
    return nn.Sequential(nn.Linear(6, 6), nn.ReLU(inplace=True), nn.Linear(6, 6), nn.SiLU(inplace=True)), [normal(3, 6)]


def views():
    def half(m, x):
        a, b = x.chunk(2, dim=-1)
        return m.act(a.transpose(0, 1)).transpose(0, 1) * b

    gate = Of(half, act=nn.ReLU())
    written = Of(lambda m, x: m.act(x.clone().view(-1)[3:]), act=nn.ReLU(inplace=True))
    return nn.Sequential(nn.Linear(6, 8), gate, written), [normal(4, 6)]


def under_autocast():
    def run(m, x):
        with torch.autocast("cpu", torch.bfloat16):
            return m.inner(x).float()

    inner = nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 16), nn.LayerNorm(16))
    return Of(run, inner=inner), [normal(4, 16)]


def checkpointed(reentrant):
    def make():
        inner = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.3), nn.Tanh(), nn.Linear(8, 8))
        return Of(lambda m, x: m.last(checkpoint(m.inner, x, use_reentrant=reentrant)), inner=inner, last=nn.Linear(8, 8)), [normal(3, 8, grad=True)]

    make.__name__ = f"checkpointed_{'re' if reentrant else 'non_re'}entrant"
    return make


def recurrent():
    return Of(lambda m, x: m.lstm(x)[0], lstm=nn.LSTM(6, 8, num_layers=2, batch_first=True)), [normal(2, 5, 6)]


def normalised():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Flatten()), [normal(2, 3, 6, 6)]


def looks_at_its_argument():
    def detaches(m, x):
        return m.after(x.detach_() * 2)

    def compares(m, x):
        changed = m.inner(x)
        return x * 3 if changed is x else changed

    inner = Of(lambda m, x: x)  # returns its argument
    return nn.Sequential(nn.Linear(4, 4), Of(compares, inner=inner), nn.Linear(4, 4), Of(detaches, after=nn.Linear(4, 4))), [normal(3, 4)]


def differentiates_inside():
    def forces(m, x):
        x = x.requires_grad_()
        energy = m.energy(x).sum()
        return torch.autograd.grad(energy, x, create_graph=True)[0] + energy

    return Of(forces, energy=nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))), [normal(3, 4)]


def a_parameter_as_argument():
    outer = Of(lambda m, x: m.apply_(x, m.weight), apply_=Of(lambda m, x, w: x @ w if isinstance(w, nn.Parameter) else x))
    outer.weight = nn.Parameter(normal(4, 4))
    return outer, [normal(3, 4)]


MODELS = [
    self_attention, encoder, encoder_in_evaluation, gated_after_a_residual, tied_weights, shared_modules, in_place, views,
    under_autocast, checkpointed(True), checkpointed(False), recurrent, normalised, looks_at_its_argument,
    differentiates_inside, a_parameter_as_argument,
]


def first(output):
    return output if isinstance(output, torch.Tensor) else output[0]


def training_steps(make, folder):
    """All results of two training steps; recorded into `folder` if there is one."""
    torch.manual_seed(0)
    model, inputs = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    debugger = PrecisionDebugger(dump_path=str(folder), model=model) if folder else None
    found = []
    for _ in range(2):
        if debugger:
            debugger.start()
        output = first(model(*inputs))
        output.square().sum().backward()
        found += [output, *(x.grad for x in inputs if x.grad is not None), *(p.grad for p in model.parameters())]
        optimizer.step()
        optimizer.zero_grad()
    if debugger:
        debugger.stop()
    return [tensor.detach().clone() for tensor in [*found, *model.state_dict().values()] if tensor is not None]


def bits(tensor):
    return tensor.contiguous().view(-1).view(torch.uint8).numpy().tobytes() if tensor.dim() else tensor.numpy().tobytes()


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_training_has_the_same_bits(tmp_path, make, capfd):
    plain, recorded = training_steps(make, None), training_steps(make, tmp_path)
    assert len(plain) == len(recorded) > 2
    for number, (want, got) in enumerate(zip(plain, recorded)):
        assert bits(want) == bits(got), f"tensor {number} differs by {(want.double() - got.double()).abs().max()}"
    assert "RECORDING STOPPED" not in capfd.readouterr().err
    with h5py.File(tmp_path / FILE) as file:
        names = list(file["1"]) + list(file["2"])
        # The recording has the right contents: the first step's output is in the file.
        (whole,) = [name for name in file["1"] if re.fullmatch(r"\w+\.0\.forward_output\.0", name)]
        numpy.testing.assert_array_equal(file["1"][whole][()], plain[0].numpy())
        assert any("forward_params" in name for name in names)


@pytest.mark.parametrize("make", [self_attention, encoder_in_evaluation], ids=lambda make: make.__name__)
def test_inference_takes_the_same_fused_path(tmp_path, make, capfd):
    torch.manual_seed(0)
    model, inputs = make()
    model.eval()
    with torch.no_grad():
        want = first(model(*inputs))
        with PrecisionDebugger(dump_path=str(tmp_path), model=model):
            got = first(model(*inputs))
    assert bits(want) == bits(got)
    if make is encoder_in_evaluation:
        said = capfd.readouterr().err
        assert "never fired (unused, or run by compiled or fused code)" in said and "layers.0.linear1" in said
        assert "inner.layers.0.TransformerEncoderLayer.0.forward_output.0" in said and "it is a nested tensor" in said


def test_a_model_is_copied_saved_and_left_as_it_was(tmp_path):
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    before = {key: copy.copy(value) for key, value in model[0].__dict__.items()}
    x = torch.randn(2, 3)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), model=model)
    debugger.start()
    saved = io.BytesIO()
    torch.save(model, saved)
    model(x)
    copy.deepcopy(model)(x)  # another model: not recorded
    debugger.stop()
    assert {key: value for key, value in model[0].__dict__.items() if key.startswith("_forward")} == {
        key: value for key, value in before.items() if key.startswith("_forward")
    }
    assert not nn.modules.module._has_any_global_hook()
    saved.seek(0)
    torch.testing.assert_close(torch.load(saved, weights_only=False)(x), model(x), rtol=0, atol=0)
    with h5py.File(tmp_path / FILE) as file:
        assert "0.Linear.0.forward_output.0" in file["1"] and "0.Linear.1.forward_output.0" not in file["1"]


def test_hooks_of_the_models_own_come_first(tmp_path):
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    model[1].register_forward_pre_hook(lambda module, args: (args[0] + 100,))
    model[1].register_forward_hook(lambda module, args, output: output * 2)
    with torch.no_grad(), PrecisionDebugger(dump_path=str(tmp_path), model=model):
        y = model(torch.zeros(1, 3))
    with h5py.File(tmp_path / FILE) as file:
        found = {name: data[()] for name, data in file["1"].items()}
    numpy.testing.assert_array_equal(found["1.ReLU.0.forward_input.0"] * 2, y.numpy())
    numpy.testing.assert_array_equal(found["1.ReLU.0.forward_output.0"], y.numpy())
    assert len(model[1]._forward_hooks) == 1 and len(model[1]._forward_pre_hooks) == 1


def test_the_shares_of_a_tensor_with_several_readers(tmp_path):
    torch.manual_seed(3)
    model, inputs = gated_after_a_residual()
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        model(*inputs).square().sum().backward()
    with h5py.File(tmp_path / FILE) as file:
        found = {name: torch.from_numpy(data[()]) for name, data in file["1"].items()}
    for block in "12":
        mlp = f"{block}.mlp"
        share = found[f"{mlp}.gate.Linear.0.backward_grad_input.0"] + found[f"{mlp}.up.Linear.0.backward_grad_input.0"]
        torch.testing.assert_close(found[f"{mlp}.Of.0.backward_grad_input.0"], share, rtol=1e-5, atol=1e-12)
        # The block reads its input as a residual and through the mlp.
        whole = found[f"{block}.norm.LayerNorm.0.backward_grad_input.0"] + share
        torch.testing.assert_close(found[f"{block}.Of.0.backward_grad_input.0"], whole, rtol=1e-5, atol=1e-12)


def test_a_tensor_that_is_passed_three_times_has_one_gradient(tmp_path):
    torch.manual_seed(0)
    model, (x, *_) = self_attention()
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        model(x, x, x)[0].sum().backward()
    with h5py.File(tmp_path / FILE) as file:
        names = [name for name in file["1"] if "backward_grad_input" in name]
        assert names == ["MultiheadAttention.0.backward_grad_input.0"]
        numpy.testing.assert_array_equal(file["1"][names[0]][()], x.grad.numpy())


def test_a_backward_pass_through_a_part_records_what_ran(tmp_path):
    model = Of(lambda m, x: (m.a(x), m.b(x)), a=nn.Linear(3, 3), b=nn.Linear(3, 3))
    x = torch.randn(2, 3, requires_grad=True)
    with PrecisionDebugger(dump_path=str(tmp_path), model=model):
        model(x)[0].sum().backward()
    with h5py.File(tmp_path / FILE) as file:
        numpy.testing.assert_array_equal(file["1"]["Of.0.backward_grad_input.0"][()], x.grad.numpy())
        assert "b.Linear.0.backward_grad_input.0" not in file["1"]
