"""`assay.run` and `assay.load`: programs in this process, beside the program `assay run` and JAX."""
import pathlib

import numpy as np
import pytest

import assay

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs"
ADD = "func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {\n" \
      "  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>\n" \
      "  %1 = stablehlo.add %a, %0 : tensor<2x3xf32>\n  return %1 : tensor<2x3xf32>\n}\n"


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("name", ["mlp_inference", "transformer_block", "lstm_scan"])
def test_recorded_programs_agree_with_xla(name, engine):
    path = PROGRAMS / f"{name}.mlir"
    if not path.exists():
        pytest.fail(f"{path} is gone")
    data = np.load(PROGRAMS / f"{name}.npz")
    program = assay.load(path, engine=engine)
    given = [data[f"in{i}"] for i in range(len(program.inputs))]
    results = program(*given)
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(program.outputs) > 0
    for i, got in enumerate(results):
        want = data[f"out{i}"]
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5)


def test_text_kinds_of_arrays_and_layouts():
    a, b = np.arange(6, dtype=np.float32).reshape(3, 2).T, [1, 2, 3]
    got = assay.run(ADD, a, b)
    assert isinstance(got, np.ndarray)
    np.testing.assert_array_equal(got, a + np.float32([1, 2, 3]))
    torch = pytest.importorskip("torch")
    result = assay.run(ADD, torch.from_numpy(a), torch.tensor([1.0, 2, 3]))
    assert isinstance(result, torch.Tensor)
    np.testing.assert_array_equal(result.numpy(), got)


def test_arrays_that_change_between_calls_are_read_again():
    weight = np.eye(64, dtype=np.float32)
    text = "func.func @main(%a: tensor<32x64xf32>, %w: tensor<64x64xf32>) -> tensor<32x64xf32> {\n" \
           "  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>\n" \
           "  return %0 : tensor<32x64xf32>\n}\n"
    program = assay.load(text, engine="native")
    a = np.ones((32, 64), np.float32)
    np.testing.assert_array_equal(program(a, weight), a)
    weight *= 3
    np.testing.assert_array_equal(program(a, weight), 3 * a)


def test_bad_calls_say_what_is_wrong(tmp_path):
    program = assay.load(ADD)
    with pytest.raises(ValueError, match="takes 2 arguments, got 1"):
        program(np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match=r"argument 1 is float64\[3\], the program takes float32\[3\]"):
        program(np.zeros((2, 3), np.float32), np.zeros(3))
    with pytest.raises(FileNotFoundError, match="there is no file 'nothing.mlir'"):
        assay.load("nothing.mlir")
    with pytest.raises(OSError, match="has no function @foo; it has @main"):
        assay.load(ADD, entry="foo")
    with pytest.raises(OSError, match="nativ"):
        assay.load(ADD, engine="nativ")
    bad = tmp_path / "bad.mlir"
    bad.write_text("func.func @main( {")
    with pytest.raises(ValueError, match="bad.mlir:1"):
        assay.load(bad)


def test_a_failed_check_names_its_place():
    text = "func.func @main(%a: tensor<i32>) -> tensor<i32> {\n" \
           "  check.expect_eq_const %a, dense<4> : tensor<i32>\n  return %a : tensor<i32>\n}\n"
    assert assay.run(text, np.int32(4)) == 4
    with pytest.raises(RuntimeError, match="<text>:2:3: check failed"):
        assay.run(text, np.int32(5))


def test_memory_limit():
    with pytest.raises(OSError, match="memory"):
        assay.run("func.func @main() -> tensor<1000000xf32> {\n  %0 = stablehlo.iota dim = 0 : tensor<1000000xf32>\n"
                  "  return %0 : tensor<1000000xf32>\n}\n", max_memory=1000)
