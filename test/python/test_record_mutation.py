"""The recorded bytes are those at the time of the hook, whatever changes the tensor afterwards: in-place operators,
`.data` and NumPy views (which no version counter sees), optimizers, other threads. Contents that the file already has are
linked."""
import csv
import threading

import h5py
import numpy
import pytest
import torch
from torch import nn

from assay.torch import PrecisionDebugger
from assay.torch.session import Session

FILE = "globalrank-0_localrank-0.h5"
LARGE = 1 << 20  # elements: the copy of one takes the writer longer than the hook


def in_place(parameter):
    with torch.no_grad():
        parameter.add_(1)


def past_the_version_counter(parameter):
    parameter.data.add_(1)


def through_numpy(parameter):
    values = parameter.detach().numpy()
    values += 1


def another_storage(parameter):
    parameter.data = parameter.data + 1


CHANGES = [in_place, past_the_version_counter, through_numpy, another_storage]


class Changing(nn.Module):
    """Notes its parameter when it is called and changes it at once."""

    def __init__(self, change):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(LARGE))
        self.change, self.seen = change, []

    def forward(self, x):
        self.seen.append(self.weight.detach().clone().numpy())
        self.change(self.weight)
        return x + 1


def group(folder, step):
    with h5py.File(folder / FILE) as file:
        return {name: dataset[()] for name, dataset in file[str(step)].items()}


@pytest.mark.parametrize("change", CHANGES)
def test_a_parameter_that_changes_within_a_step_and_between_steps(tmp_path, change):
    inner = Changing(change)
    model = nn.Sequential(inner, inner, nn.Identity(), inner)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), step=[1, 2, 3], model=model)
    debugger.start()
    for step in range(3):
        if step:
            change(inner.weight)  # before the hooks of the next step are set
            debugger.step()
            change(inner.weight)  # after the recorder's preparation
        model(torch.zeros(3))
    debugger.stop()
    assert len(inner.seen) == 9
    for step in range(3):
        found = group(tmp_path, step + 1)
        for call in range(3):
            recorded = found[f"0.Changing.{call}.forward_params.weight"]
            numpy.testing.assert_array_equal(recorded, inner.seen[3 * step + call])
    assert inner.seen[-1][0] == 12


def test_a_training_loop_records_the_parameters_of_each_step(tmp_path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 512), nn.Linear(512, 64))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    debugger = PrecisionDebugger(dump_path=str(tmp_path), model=model)
    expected = []
    debugger.start()
    for step in range(4):
        expected.append({name: value.detach().clone().numpy() for name, value in model.named_parameters()})
        optimizer.zero_grad()
        model(torch.randn(8, 64)).square().sum().backward()
        optimizer.step()  # at once, while the writer may still be behind
        debugger.step()
    debugger.stop()
    for step, values in enumerate(expected, 1):
        found = group(tmp_path, step)
        for name, value in values.items():
            layer, item = name.split(".")
            numpy.testing.assert_array_equal(found[f"{layer}.Linear.0.forward_params.{item}"], value)


class Overwrites(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.change = change

    def forward(self, x):
        self.change(x)
        return x


@pytest.mark.parametrize("change", CHANGES[:3])
def test_an_input_that_is_changed_after_its_hook(tmp_path, change):
    model = nn.Sequential(*(Overwrites(change) for _ in range(4)))
    with torch.no_grad(), PrecisionDebugger(dump_path=str(tmp_path), model=model):
        model(torch.zeros(LARGE))
    found = group(tmp_path, 1)
    for i in range(4):
        assert (found[f"{i}.Overwrites.0.forward_input.0"] == i).all()
        assert (found[f"{i}.Overwrites.0.forward_output.0"] == i + 1).all()
    assert (found["Sequential.0.forward_input.0"] == 0).all()


class Views(nn.Module):
    """Reads views of one storage: a part, the transpose, one row for all, every second element, a conjugate."""

    def __init__(self):
        super().__init__()
        self.leaf = nn.Identity()

    def forward(self, x):
        for view in (x, x[3:5], x.t(), x[0].expand(6, -1), x[:, ::2], torch.complex(x, x).conj(), x.view(-1)):
            self.leaf(view)
            x.data.add_(1)
        return x


def test_views_of_one_storage(tmp_path):
    model, x = Views(), torch.arange(700 * 900, dtype=torch.float32).view(700, 900)
    base = x.clone().numpy()
    with torch.no_grad(), PrecisionDebugger(dump_path=str(tmp_path), model=model):
        model(x)
    found = group(tmp_path, 1)
    # Views were taken from the storage before it changed; they show its contents when the leaf is called.
    wants = [base, (base + 1)[3:5], (base + 2).T, numpy.broadcast_to((base + 3)[0], (6, 900)), (base + 4)[:, ::2],
             base - 1j * base, base.reshape(-1) + 6]
    for call, want in enumerate(wants):
        numpy.testing.assert_array_equal(found[f"leaf.Identity.{call}.forward_input.0"], want)


def test_tensors_that_the_writer_reads_in_place_stay_until_it_has(tmp_path):
    session = Session(tmp_path / "x.h5", summary=False)
    for number in range(40):
        values = torch.full((300, 400), float(number))
        values[0, 0] = -1
        assert session.put(1, f"m.{number}.Linear.0.forward_output.0", values.t())
        values.fill_(1e9)
        del values
        torch.full((300, 400), 7.0)  # reuses freed memory
    session.close()
    with h5py.File(tmp_path / "x.h5") as file:
        for number in range(40):
            values = file[f"1/m.{number}.Linear.0.forward_output.0"][()]
            assert values[0, 0] == -1 and (values.ravel()[1:] == number).all()


def test_unchanged_contents_are_links(tmp_path):
    model = nn.Sequential(nn.Linear(64, 64), nn.Identity(), nn.Linear(64, 64))
    with torch.no_grad(), PrecisionDebugger(dump_path=str(tmp_path), step=[1, 2], model=model) as debugger:
        x = torch.randn(4, 64)
        model(x)
        debugger.step()
        model(x)
    with h5py.File(tmp_path / FILE) as file:
        objects = {}
        for step in ("1", "2"):
            for name, dataset in file[step].items():
                objects.setdefault(h5py.h5o.get_info(dataset.id).addr, []).append(f"{step}/{name}")
    # x, the first layer's and the last layer's output, two weights, two biases: everything else is a link
    assert len(objects) == 7, objects
    assert all({name.split("/")[0] for name in names} == {"1", "2"} for names in objects.values())


def test_a_thread_that_writes_meanwhile_never_makes_the_hash_a_lie(tmp_path, assay):
    values, stop = torch.zeros(LARGE), threading.Event()

    def scribble():
        while not stop.is_set():
            values.add_(1)

    writer = threading.Thread(target=scribble)
    writer.start()
    session = Session(tmp_path / "x.h5", summary=False)
    try:
        for number in range(20):
            assert session.put(1, f"m.{number}.Linear.0.forward_output.0", values, likely_new=number % 2 == 0)
    finally:
        stop.set()
        writer.join()
    session.close()
    assert assay("summary", "x.h5", "x.csv").returncode == 0
    with h5py.File(tmp_path / "x.h5") as file, open(tmp_path / "x.csv", newline="") as rows:
        for row, dataset in zip(csv.DictReader(rows), file["1"].values(), strict=True):
            assert row["Hash"] == dataset.attrs["hash"]
