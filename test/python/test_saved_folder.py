"""Folders as torch_xla's StableHLOGraphModule.save() writes them: the layout is made here with numpy and json, in the same way."""
import json

import numpy as np
import pytest

PROGRAM = """
func.func @main(%c: tensor<2xf32>, %w: tensor<3x2xf32>, %x: tensor<4x3xf32>, %s: tensor<f32>) -> tensor<4x2xf32> {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %q = stablehlo.add %p, %b : tensor<4x2xf32>
  %t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
  %r = stablehlo.multiply %q, %t : tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
"""


def location(kind, position=-1, name=""):
    return {"type_": kind, "position": position, "name": name}


def signature(*shape):
    return {"shape": list(shape), "dtype": "float32", "dynamic_dims": []}


@pytest.fixture
def saved(tmp_path):
    """The folder, and its tensors: a constant, a weight, inputs 0 and 2 (1 is not used)."""
    folder = tmp_path / "saved"
    for part in ("functions", "data", "constants"):
        (folder / part).mkdir(parents=True)
    rng = np.random.default_rng(0)
    tensors = {name: rng.integers(-4, 5, shape).astype("f") for name, shape in (("c", 2), ("w", (3, 2)), ("x", (4, 3)), ("s", ()))}
    for path, name in (("constants/0", "c"), ("data/layer.weight", "w")):
        with open(folder / path, "wb") as file:
            np.save(file, tensors[name])
    meta = {
        "name": "forward", "stablehlo_version": "0.0.0",
        "input_signature": [signature(2), signature(3, 2), signature(4, 3), signature()], "output_signature": [signature(4, 2)],
        "input_locations": [location("constant", 0), location("parameter", name="layer.weight"), location("input_arg", 0), location("input_arg", 2)],
        "unused_inputs": [[location("input_arg", 1), signature(7)]], "input_pytree_spec": None, "output_pytree_spec": None,
    }
    (folder / "functions/forward.meta").write_text(json.dumps(meta))
    (folder / "functions/forward.mlir").write_text(PROGRAM)
    np.save(tmp_path / "x.npy", tensors["x"])
    np.save(tmp_path / "s.npy", tensors["s"])
    return folder, tensors, meta


def result_of(assay, tmp_path, *words):
    ran = assay("run", "saved", *words, "--output", "out.npz", "--quiet")
    assert ran.returncode == 0, ran.stderr
    return np.load(tmp_path / "out.npz")["out0"]


def test_weights_and_constants_are_bound(tmp_path, assay, saved):
    folder, t, _ = saved
    expected = (t["x"] @ t["w"] + t["c"]) * t["s"]
    np.testing.assert_array_equal(result_of(assay, tmp_path, "--input", "x.npy", "--input", "zeros", "--input", "s.npy"), expected)
    np.savez(tmp_path / "in.npz", in0=t["x"], in2=t["s"])
    np.testing.assert_array_equal(result_of(assay, tmp_path, "--input", "in.npz"), expected)
    assert result_of(assay, tmp_path, "--input", "random").shape == (4, 2)


def test_the_artifact_is_preferred(tmp_path, assay, saved):
    import os
    import subprocess

    folder, t, _ = saved
    opt = os.path.join(os.environ["ASSAY_BIN"], "assay-opt")
    subprocess.run([opt, "--serialize", folder / "functions/forward.mlir", "-o", folder / "functions/forward.bytecode"], check=True)
    (folder / "functions/forward.mlir").write_text("not read")
    got = result_of(assay, tmp_path, "--input", "x.npy", "--input", "zeros", "--input", "s.npy")
    np.testing.assert_array_equal(got, (t["x"] @ t["w"] + t["c"]) * t["s"])


def test_several_methods(tmp_path, assay, saved):
    folder, t, meta = saved
    (folder / "functions/encode.meta").write_text(json.dumps(meta | {"name": "encode"}))
    (folder / "functions/encode.mlir").write_text(PROGRAM.replace("stablehlo.add", "stablehlo.subtract"))
    got = result_of(assay, tmp_path, "--entry", "encode", "--input", "x.npy", "--input", "zeros", "--input", "s.npy")
    np.testing.assert_array_equal(got, (t["x"] @ t["w"] - t["c"]) * t["s"])
    ran = assay("run", "saved", "--entry", "decode", "--input", "random")
    assert ran.returncode == 2 and "'saved' has no method 'decode'; it has encode, forward (--entry)" in ran.stderr


def damage(what, folder, meta):
    path = folder / "functions/forward.meta"
    if what == "missing weight":
        (folder / "data/layer.weight").unlink()
    elif what == "missing constant":
        (folder / "constants/0").unlink()
    elif what == "no program":
        (folder / "functions/forward.mlir").unlink()
    elif what == "no method":
        path.unlink()
    elif what == "bad json":
        path.write_text("{")
    elif what == "no locations":
        path.write_text("{}")
    elif what == "bad kind":
        meta["input_locations"][0]["type_"] = "thought"
    elif what == "path":
        meta["input_locations"][1]["name"] = "../../x.npy"
    elif what == "huge position":
        meta["input_locations"][2]["position"] = 1 << 40
    elif what == "wrong shape":
        with open(folder / "data/layer.weight", "wb") as file:
            np.save(file, np.zeros((5, 5), "f"))
    elif what == "no image":
        (folder / "data/layer.weight").write_text("gone")
    elif what == "fewer locations":
        meta["input_locations"].pop(0)
    elif what == "bad unused":
        meta["unused_inputs"] = [3]
    if what in ("bad kind", "path", "huge position", "fewer locations", "bad unused"):
        path.write_text(json.dumps(meta))


@pytest.mark.parametrize(
    "what, said",
    [
        ("missing weight", "'saved/data/layer.weight' is missing"),
        ("missing constant", "'saved/constants/0' is missing"),
        ("no program", "'saved' has no program 'forward.bytecode' or 'forward.mlir' in functions/"),
        ("no method", "'saved' is a folder without a program: expected what StableHLOGraphModule.save()"),
        ("bad json", "saved/functions/forward.meta: "),
        ("no locations", "saved/functions/forward.meta: no list 'input_locations'"),
        ("bad kind", "is not a location of an argument"),
        ("path", "'../../x.npy' is not a name of a file"),
        ("bad unused", "3 is not an unused input"),
        ("huge position", "is not a location of an argument"),
        ("wrong shape", "'saved/data/layer.weight' has shape tensor<5x5xf32>, expected tensor<3x2xf32>"),
        ("no image", "'saved/data/layer.weight' is not a tensor file"),
        ("fewer locations", "@main takes 4 arguments, 3 inputs were given"),
    ],
)
def test_damaged_folders_are_one_message(tmp_path, assay, saved, what, said):
    folder, _, meta = saved
    damage(what, folder, meta)
    ran = assay("run", "saved", "--input", "x.npy", "--input", "zeros", "--input", "s.npy")
    assert ran.returncode == 2 and said in ran.stderr and ran.stderr.count("assay: error: ") == 1, ran.stderr


def test_too_few_inputs(assay, saved):
    ran = assay("run", "saved", "--input", "x.npy")
    assert ran.returncode == 2 and "'saved' takes 3 inputs besides its weights, 1 were given (--input, one each)" in ran.stderr
