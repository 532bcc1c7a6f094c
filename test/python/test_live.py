"""PrecisionDebugger while a model runs: filters, triggers, the ring of the last steps, on and off."""
import math

import h5py
import pytest
import torch
from torch import nn

from assay.torch import PrecisionDebugger
from assay.torch.triggers import Against, Jump, NotFinite

DUMP = "globalrank-0_localrank-0.h5"


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def run(folder, net, steps, at=None, value=math.nan, **options):
    """Runs this many steps, one of them with a corrupted input; the loss is observed."""
    debugger = PrecisionDebugger(str(folder), model=net, **options)
    debugger.start()
    torch.manual_seed(1)
    for step in range(1, steps + 1):
        x = torch.randn(3, 4)
        if step == at:
            x[0, 0] = value
        loss = net(x).square().mean()
        loss.backward()
        debugger.observe(loss=loss)
        debugger.step()
    debugger.stop()


def groups(folder):
    with h5py.File(folder / DUMP) as file:
        return {int(step): set(file[step]) for step in file}


def test_the_last_steps_are_written_when_a_nan_appears(tmp_path, capfd):
    run(tmp_path / "ring", model(), 9, at=6, triggers="nan", keep_last=3)
    run(tmp_path / "whole", model(), 9, at=6)
    ring, whole = groups(tmp_path / "ring"), groups(tmp_path / "whole")
    assert sorted(ring) == [4, 5, 6]
    for step, names in ring.items():
        assert names == whole[step]
    with h5py.File(tmp_path / "ring" / DUMP) as mine, h5py.File(tmp_path / "whole" / DUMP) as theirs:
        for step in ("4", "5", "6"):
            for name in mine[step]:
                assert mine[step][name][()].tobytes() == theirs[step][name][()].tobytes(), name
                assert mine[step][name].attrs["hash"] == theirs[step][name].attrs["hash"]
    said = capfd.readouterr().err
    assert "step 6: 'output' has a NaN or Inf; steps 4, 5, 6 are written" in said and "NOTHING" not in said
    assert (tmp_path / "ring" / "globalrank-0_localrank-0_summary.csv").exists()


def test_without_a_ring_the_next_steps_are_recorded(tmp_path, capfd):
    run(tmp_path / "next", model(), 9, at=3, triggers=["nan"], after=2)
    assert sorted(groups(tmp_path / "next")) == [4, 5]
    assert "step 3: 'output' has a NaN or Inf; 2 more will be recorded" in capfd.readouterr().err


def test_no_trigger_writes_nothing_and_says_so(tmp_path, capfd):
    run(tmp_path / "calm", model(), 4, triggers=["nan", "jump"], keep_last=2)
    assert not (tmp_path / "calm" / DUMP).exists()
    assert "no trigger fired in 5 steps; nothing was written" in capfd.readouterr().err


def test_a_jump_of_the_loss(tmp_path, capfd):
    run(tmp_path / "jump", model(), 20, at=15, value=1e3, triggers=[Jump(window=16)], keep_last=1, dump_torch_api=True)
    assert sorted(groups(tmp_path / "jump")) == [15]
    assert "step 15: loss jumps to" in capfd.readouterr().err
    import json

    entries = json.loads((tmp_path / "jump" / "globalrank-0_localrank-0_operators.json").read_text())
    files = {entry["outputs"][0]["file"].split(":/")[1].split("/")[0] for entry in entries if entry["outputs"] and isinstance(entry["outputs"][0], dict)}
    assert files == {"15"}


def test_a_rule_against_a_stored_bench(tmp_path, capfd):
    run(tmp_path / "bench", model(), 5)
    other = model()
    with torch.no_grad():
        other[2].weight[1, 3] += 0.25
    run(tmp_path / "same", model(), 5, triggers=[Against(tmp_path / "bench" / DUMP)], keep_last=1)
    assert not (tmp_path / "same" / DUMP).exists()
    run(tmp_path / "other", other, 5, triggers=[Against(tmp_path / "bench" / DUMP, rule="close:1e-3,1e-5")], keep_last=1)
    said = capfd.readouterr().err
    assert sorted(groups(tmp_path / "other")) == [1]
    assert f"step 1: '2.Linear.0.forward_output.0' beside {DUMP}: " in said and "elements fail" in said
    run(tmp_path / "none", model(), 2, triggers=[Against(tmp_path / "bench" / DUMP, names="*.weight.absent")], keep_last=1)
    assert "has none of the recorded tensors under" in capfd.readouterr().err


def test_inner_modules_and_values_of_ones_own(tmp_path, capfd):
    class Hidden(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(4, 4)

        def forward(self, x):
            return torch.nan_to_num(self.inner(x))  # the NaN does not reach the output

    run(tmp_path / "out", Hidden(), 4, at=2, triggers=[NotFinite()], keep_last=1)
    assert not (tmp_path / "out" / DUMP).exists()
    run(tmp_path / "in", Hidden(), 4, at=2, triggers=[NotFinite(modules="in*")], keep_last=1)
    assert sorted(groups(tmp_path / "in")) == [2]
    net = model()
    debugger = PrecisionDebugger(str(tmp_path / "own"), model=net, triggers=[NotFinite()], keep_last=1)
    with debugger:
        net(torch.ones(1, 4))
        debugger.fire("the user asks")
    assert sorted(groups(tmp_path / "own")) == [1] and "step 1: the user asks" in capfd.readouterr().err


def test_a_filter(tmp_path):
    run(tmp_path / "some", model(), 1, filter=["2"])
    assert {name.split(".")[0] for name in groups(tmp_path / "some")[1]} == {"2"}
    run(tmp_path / "called", model(), 1, filter=lambda path, module: isinstance(module, nn.ReLU))
    assert {name.split(".")[1] for name in groups(tmp_path / "called")[1]} == {"ReLU"}


def test_on_and_off_within_a_step(tmp_path):
    net = model()
    debugger = PrecisionDebugger(str(tmp_path / "run"), model=net)
    debugger.start()
    net(torch.ones(1, 4))
    debugger.pause()
    net(torch.ones(1, 4) * 2)
    debugger.step()
    net(torch.ones(1, 4) * 3)
    debugger.resume()
    net(torch.ones(1, 4) * 4)
    net(torch.ones(1, 4) * 5)
    debugger.stop()
    with h5py.File(tmp_path / "run" / DUMP) as file:
        seen = {step: [file[step][name][()][0, 0] for name in file[step] if name.startswith("Sequential") and "forward_input" in name] for step in file}
    assert seen == {"1": [1], "2": [4, 5]}


def test_the_ring_holds_contents_once_and_keeps_its_limit(tmp_path, capfd):
    from assay.torch.ring import Ring

    ring = Ring(tmp_path / "r.h5", 2, 1 << 20, lambda *_: None)
    weight = torch.zeros(100_000)  # 400 kB
    for step in range(1, 6):
        assert ring.put(step, "w", weight) and ring.put(step, "again", weight) and ring.put(step, "x", torch.full((1000,), float(step)))
    assert ring.steps() == [4, 5] and ring._bytes == 400_000 + 2 * 4_000
    weight[0] = 7.0  # the ring held a copy
    ring.put(6, "w", weight)
    assert ring._bytes == 2 * 400_000 + 4_000
    assert not ring.put(6, "big", torch.zeros(300_000))
    ring.write()
    assert ring.close()
    with h5py.File(tmp_path / "r.h5") as file:
        assert sorted(file) == ["6"] and file["6/w"][0] == 7.0
    assert "one step is more than the 1 MB that `ring_bytes` allows" in capfd.readouterr().err


def test_a_trigger_that_fails_leaves_the_model_alone(tmp_path, capfd):
    class Broken:
        def step(self, observed):
            raise KeyError("nothing here")

    run(tmp_path / "run", model(), 3, triggers=[Broken()], keep_last=1)
    assert capfd.readouterr().err.count("trigger Broken failed and is not called again") == 1


@pytest.mark.parametrize(
    "options, said",
    [
        ({"triggers": "nam"}, "expected \"nan\", \"jump\""),
        ({"triggers": [3]}, "has no step"),
        ({"keep_last": 2}, "give triggers"),
    ],
)
def test_wrong_arguments(tmp_path, options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        PrecisionDebugger(str(tmp_path), model=model(), **options)


def test_the_models_bits_stay(tmp_path):
    net, other = model(), model()
    x = torch.randn(3, 4)
    with PrecisionDebugger(str(tmp_path / "run"), model=net, triggers=[NotFinite(modules="*")], keep_last=2):
        watched = net(x)
        watched.sum().backward()
    plain = other(x)
    plain.sum().backward()
    assert torch.equal(watched, plain) and all(torch.equal(a.grad, b.grad) for a, b in zip(net.parameters(), other.parameters()))
