"""`assay import`: files written by PyTorch, NumPy and safetensors themselves, folders as msprobe lays them out, and hostile ones."""
import io
import json
import os
import pathlib
import pickle
import struct
import zipfile

import h5py
import numpy
import pytest

torch = pytest.importorskip("torch")


def read(path):
    """Every dataset: name -> array (equal tensors are hard links, which visititems would visit once)."""
    with h5py.File(path) as file:
        return {f"{step}/{name}": item[()] for step, group in file.items() for name, item in group.items()}


def imported(assay, tmp_path, source, expect=0):
    ran = assay("import", source, tmp_path / "out.h5")
    assert ran.returncode == expect, ran.stdout + ran.stderr
    return read(tmp_path / "out.h5") if expect == 0 else ran.stderr


def test_state_dict_views_and_every_type(assay, tmp_path):
    base = torch.arange(24, dtype=torch.float32)
    value = {"model": {"weight": torch.nn.Parameter(base.reshape(4, 6).t()), "tail": base[20:], "every_other": base[::2], "scalar": torch.tensor(2.5)},
             "outputs": [torch.arange(5), (torch.tensor([True, False]), torch.tensor([1 + 2j]))], "step": 7, "name": "x",
             "expanded": torch.tensor([3.0]).expand(4, 5), "empty": torch.zeros(0, 3), "half": torch.tensor([1.5], dtype=torch.float16)}
    torch.save(value, tmp_path / "a.pt")
    found = imported(assay, tmp_path, tmp_path / "a.pt")
    expected = {"model.weight": value["model"]["weight"], "model.tail": base[20:], "model.every_other": base[::2], "model.scalar": value["model"]["scalar"],
                "outputs.0": value["outputs"][0], "outputs.1.0": value["outputs"][1][0], "outputs.1.1": value["outputs"][1][1],
                "expanded": value["expanded"], "empty": value["empty"], "half": value["half"]}
    assert sorted(found) == sorted("0/" + name for name in expected)
    for name, tensor in expected.items():
        mine = found["0/" + name]
        assert mine.shape == tuple(tensor.shape) and numpy.array_equal(mine, tensor.detach().numpy()), name


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "int16", "int32", "float64", "complex128", "uint16"])
def test_types_keep_their_bytes(assay, tmp_path, dtype):
    tensor = torch.tensor([1.0, 2.0, 3.0, 4.0]).to(getattr(torch, dtype))
    torch.save(tensor, tmp_path / "one.pt")
    (values,) = imported(assay, tmp_path, tmp_path / "one.pt").values()
    assert values.tobytes() == bytes(tensor.untyped_storage().tolist())


def test_module_names_of_a_dump_stay(assay, tmp_path):
    torch.save({"/3/blocks.0.norm.LayerNorm.0.forward_output.0": torch.ones(2), "plain/name": torch.zeros(1)}, tmp_path / "n.pt")
    assert sorted(imported(assay, tmp_path, tmp_path / "n.pt")) == ["0/plain.name", "3/blocks.0.norm.LayerNorm.0.forward_output.0"]


def test_npz_and_safetensors(assay, tmp_path):
    arrays = {"x": numpy.arange(6.0).reshape(2, 3), "1/fc.Linear.0.forward_output.0": numpy.float32([1, 2])}
    numpy.savez(tmp_path / "a.npz", **arrays)
    found = imported(assay, tmp_path, tmp_path / "a.npz")
    assert numpy.array_equal(found["0/x"], arrays["x"]) and numpy.array_equal(found["1/fc.Linear.0.forward_output.0"], [1, 2])
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    (tmp_path / "w.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + numpy.float32([4, 5]).tobytes())
    (values,) = imported(assay, tmp_path, tmp_path / "w.safetensors").values()
    assert values.tolist() == [4, 5]


def write_rank(folder, save):
    """A folder in the form of msprobe's task 'tensor', level mix."""
    names = ["Module.conv1.Conv2d.forward.0.input.0", "Module.conv1.Conv2d.forward.0.parameters.weight", "Module.conv1.Conv2d.forward.0.output.0",
             "Functional.relu.2.forward.input.0", "Functional.relu.2.forward.output.0", "Module.conv1.Conv2d.backward.0.output.0",
             "Module.conv1.Conv2d.backward.0.input.0", "Module.conv1.Conv2d.parameters_grad.weight"]
    (folder / "dump_tensor_data").mkdir(parents=True)
    data = {}
    for i, name in enumerate(names):
        file = save(folder / "dump_tensor_data" / name, torch.full((2,), float(i)))
        call, part = (name.rsplit(".", 2)[0], "input_args" if ".input." in name else "parameters" if ".parameters." in name else "output")
        data.setdefault(call, {}).setdefault(part, []).append({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": float(i), "data_name": file})
    data["Functional.statistics.0.forward"] = {"output": [{"type": "torch.Tensor", "data_name": None}]}
    (folder / "dump.json").write_text(json.dumps({"task": "tensor", "level": "mix", "data": data}, indent=1))


def save_pt(path, tensor):
    torch.save(tensor, f"{path}.pt")
    return path.name + ".pt"


def save_npy(path, tensor):
    numpy.save(f"{path}.npy", tensor.numpy())
    return path.name + ".npy"


@pytest.mark.parametrize("save", [save_pt, save_npy])
def test_msprobe_names_become_those_of_a_dump(assay, tmp_path, save):
    write_rank(tmp_path / "step2" / "rank0", save)
    found = imported(assay, tmp_path, tmp_path / "step2" / "rank0")
    assert {name: values[0] for name, values in found.items()} == {
        "2/conv1.Conv2d.0.forward_input.0": 0, "2/conv1.Conv2d.0.forward_params.weight": 1, "2/conv1.Conv2d.0.forward_output.0": 2,
        "2/Functional.relu.2.forward_input.0": 3, "2/Functional.relu.2.forward_output.0": 4, "2/conv1.Conv2d.0.backward_grad_output.0": 5,
        "2/conv1.Conv2d.0.backward_grad_input.0": 6, "2/conv1.Conv2d.0.params_grad.weight": 7}


def test_msprobe_ranks_and_steps_become_files_that_compare(assay, tmp_path):
    for step in (0, 1):
        for rank in (0, 3):
            write_rank(tmp_path / "npu" / f"step{step}" / f"rank{rank}", save_pt)
    said = assay("import", tmp_path / "npu", tmp_path / "one.h5")
    assert said.returncode == 2 and "2 ranks" in said.stderr and not (tmp_path / "one.h5").exists()
    ran = assay("import", tmp_path / "npu", tmp_path / "ranks")
    assert ran.returncode == 0, ran.stderr
    files = [tmp_path / "ranks" / f"globalrank-{r}_localrank-{r}.h5" for r in (0, 3)]
    assert sorted((tmp_path / "ranks").iterdir()) == files
    assert len(read(files[1])) == 16
    compared = assay("compare", *files)
    assert compared.returncode == 0 and "16 tensors compared: 16 pass" in compared.stdout


class Runs:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("call", [(os.system, ("touch hacked",)), (eval, ("open('hacked', 'w')",)), (pathlib.Path, ("x",))])
def test_a_hostile_pickle_runs_nothing(assay, tmp_path, call):
    torch.save({"weight": torch.ones(2), "bomb": Runs(*call)}, tmp_path / "bad.pt")
    said = imported(assay, tmp_path, tmp_path / "bad.pt", expect=2)
    assert "describes no tensor; nothing of it was run" in said and len(said.strip().splitlines()) == 1
    assert not (tmp_path / "hacked").exists() and not list(tmp_path.glob("out*"))


def archive(path, pickled, storages=None):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("archive/data.pkl", pickled)
        for key, data in (storages or {}).items():
            file.writestr(f"archive/data/{key}", data)


def tensor_pickle(shape, strides, offset=0):
    """The pickle of one tensor with these sizes in storage '0' of 4 floats."""
    def integers(values):
        return b"(" + b"".join(b"\x8a\x08" + struct.pack("<q", v) for v in values) + b"t"
    storage = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x04tQ"
    return b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"\x8a\x08" + struct.pack("<q", offset) + integers(shape) + integers(strides) + b"\x89N" + b"tR."


@pytest.mark.parametrize("shape, strides, offset, words", [
    ([4], [1], 0, None), ([5], [1], 0, "too short"), ([4], [1], 1, "too short"), ([2, 2], [-1, 1], 2, "too short"), ([-4], [1], 0, "negative"),
    ([1 << 40, 1 << 20], [0, 0], 0, "memory"), ([1 << 62, 4], [1, 1], 0, ""), ([2], [1 << 62], 0, "damaged"), ([4], [1], -3, "damaged")])
def test_sizes_beyond_the_storage_are_refused(assay, tmp_path, shape, strides, offset, words):
    archive(tmp_path / "t.pt", tensor_pickle(shape, strides, offset), {"0": numpy.float32([1, 2, 3, 4]).tobytes()})
    if words is None:
        (values,) = imported(assay, tmp_path, tmp_path / "t.pt").values()
        assert values.tolist() == [1, 2, 3, 4]
    else:
        said = imported(assay, tmp_path, tmp_path / "t.pt", expect=2)
        assert words in said and len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("pickled", [b"", b"\x80\x02", b"\x80\x02(", b"h\x05.", b"X\xff\xff\xff\x7fab.", b"\x80\x02}q\0h\0h\0s.", b"\x80\x02]q\0h\0a.", b"R.", b"\x8a\xff.", b"u.", b"c"])
def test_damaged_pickles_end_in_one_message(assay, tmp_path, pickled):
    archive(tmp_path / "d.pt", pickled)
    ran = assay("import", tmp_path / "d.pt", tmp_path / "out.h5")
    assert ran.returncode in (2, 3) and len(ran.stderr.strip().splitlines()) == 1, ran.stderr


def test_what_is_no_recording_is_said(assay, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.txt").write_text("x")
    buffer = io.BytesIO()
    pickle.dump([1], buffer)
    (tmp_path / "old.pt").write_bytes(buffer.getvalue())
    (tmp_path / "stat").mkdir()
    (tmp_path / "stat" / "dump.json").write_text('{"task": "statistics", "data": {"a": {"output": [{"Max": 1}]}}}')
    for source, words in (("empty", "no dump.json"), ("x.txt", "expected .npy, .npz"), ("old.pt", "before 1.6"), ("missing.pt", "missing.pt"), ("stat", "task 'tensor'")):
        assert words in imported(assay, tmp_path, tmp_path / source, expect=2)


INPUTS = pathlib.Path(__file__).with_name("inputs")
X = [numpy.arange(6, dtype="f").reshape(2, 3) * numpy.float32(scale) for scale in (1, -0.5)]


def softmax(x):
    e = numpy.exp(x.astype("d") - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def test_results_and_inputs_of_polygraphy(assay, tmp_path):
    found = imported(assay, tmp_path, INPUTS / "polygraphy_results.json")
    assert list(found) == ["0/probs.out", "0/arg", "1/probs.out", "1/arg"]  # in the file's order
    for step, x in enumerate(X):
        numpy.testing.assert_allclose(found[f"{step}/probs.out"], softmax(x), rtol=1e-6)
        numpy.testing.assert_array_equal(found[f"{step}/arg"], x.argmax(1))
    found = imported(assay, tmp_path, INPUTS / "polygraphy_inputs.json")
    assert found.keys() == {"0/x", "1/x"} and all((found[f"{i}/x"] == x).all() for i, x in enumerate(X))


def test_each_runner_of_polygraphy_is_a_dump(assay, tmp_path):
    results = json.loads((INPUTS / "polygraphy_results.json").read_text())
    results["lst"].append(["trt/runner", results["lst"][0][1][:1]])
    (tmp_path / "two.json").write_text(json.dumps(results))
    ran = assay("import", "two.json", "one.h5")
    assert ran.returncode == 2 and "holds 2 ranks or runners" in ran.stderr
    assert assay("import", "two.json", "all").returncode == 0
    assert len(read(tmp_path / "all" / "onnxrt-runner.h5")) == 4 and len(read(tmp_path / "all" / "trt_runner.h5")) == 2


@pytest.mark.parametrize(
    "text, said",
    [("{", "not JSON"), ("[" * 40000, "nests"), ('{"lst": [3]}', "has no iterations"), ('{"lst": [["a", [{}]]]}', 'has no "outputs"'), ("{}", "expected Polygraphy's results"), ("[]", "expected Polygraphy's results"),
     ('[{"x": {"array": "?"}}]', "Base64"), ('[{"x": {"array": "AAAA"}}]', "npy")],
)
def test_other_json_is_refused(assay, tmp_path, text, said):
    (tmp_path / "a.json").write_text(text)
    assert said.lower() in imported(assay, tmp_path, tmp_path / "a.json", expect=2).lower()


def test_folders_of_onnx_tensors(assay, tmp_path):
    ran = assay("import", INPUTS / "onnx", "out.h5")
    assert ran.returncode == 0 and "output_12" in ran.stdout + ran.stderr  # text is left out, with a note
    found = read(tmp_path / "out.h5")
    for step, x in enumerate(X):
        numpy.testing.assert_array_equal(found[f"{step}/input_0"], x)
        numpy.testing.assert_allclose(found[f"{step}/output_0"], softmax(x), rtol=1e-6)
        numpy.testing.assert_array_equal(found[f"{step}/output_1"], x.argmax(1))
    import ml_dtypes

    lists = {2: numpy.float32([1.5, -2, 0]), 3: numpy.float16([1.5, -2]), 4: numpy.array([1.5, -2], ml_dtypes.bfloat16), 5: numpy.int8([-128, 0, 127]), 6: numpy.uint64([2**64 - 1, 3]),
             7: numpy.complex64([1 + 2j]), 8: numpy.array([True, False, True]), 9: numpy.float64(0.1), 10: numpy.int64([-1, 2**62]), 11: numpy.array([1, 448], ml_dtypes.float8_e4m3fn)}
    for i, value in lists.items():
        mine = found[f"1/output_{i}"]
        assert mine.shape == value.shape and mine.tobytes() == value.tobytes(), i
    assert [name for name in found if name.startswith("1/output")][-2:] == ["1/output_10", "1/output_11"]


def test_damaged_onnx_tensors(assay, tmp_path):
    """Every truncation and sixty changed bytes: leads to an error or a tensor, never to a crash."""
    good = (INPUTS / "onnx/test_data_set_0/output_0.pb").read_bytes()
    rng = numpy.random.default_rng(0)
    cases = [good[:n] for n in range(len(good))]
    for _ in range(60):
        bad = bytearray(good)
        bad[rng.integers(len(bad))] = rng.integers(256)
        cases.append(bytes(bad))
    for i, case in enumerate(cases):
        folder = tmp_path / f"case{i}"
        folder.mkdir()
        (folder / "a.pb").write_bytes(case)
        ran = assay("import", folder, folder / "o.h5")
        assert ran.returncode in (0, 2, 3), (i, ran.returncode, ran.stderr)
    (tmp_path / "case0" / "b.txt").write_text("")
    assert assay("import", tmp_path / "nothing", "o.h5").returncode == 2
