"""`assay.run` and `assay.load`: programs in this process, compared with the program `assay run` and JAX."""
import os
import pathlib
import sys

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
    with pytest.raises(FileNotFoundError, match="'nothing.mlir' is neither a file nor"):
        assay.load("nothing.mlir")
    with pytest.raises(ValueError, match="has no function @foo; it has @main"):
        assay.load(ADD, entry="foo")
    with pytest.raises(ValueError, match="nativ"):
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


def test_convolutions_by_winograd_are_asked_for():
    sizes, weights = "tensor<1x16x16x16xf32>", "tensor<3x3x16x16xf32>"
    text = f"func.func @main(%x: {sizes}, %w: {weights}) -> {sizes} {{\n" \
           "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} " \
           "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : " \
           f"({sizes}, {weights}) -> {sizes}\n  return %0 : {sizes}\n}}\n"
    x, w = np.arange(4096, dtype=np.float32).reshape(1, 16, 16, 16), np.full((3, 3, 16, 16), 3, np.float32)
    exact = assay.run(text, x, w)
    np.testing.assert_array_equal(assay.run(text, x, w, engine="native"), exact)
    tiles = assay.run(text, x, w, engine="native", alg="wino")
    assert (tiles != exact).any()
    np.testing.assert_allclose(tiles, exact, rtol=1e-5)
    with pytest.raises(ValueError, match="algorithm 'fft' is unknown; expected direct, wino or auto"):
        assay.run(text, x, w, alg="fft")


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("framework", ["numpy", "torch"])
def test_results_are_the_callers_own(engine, framework):
    """A call's results may be written to, outlive the program, and are not shared with later results."""
    text = "func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>) {\n" \
           "  %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n  %s = stablehlo.constant dense<7.0> : tensor<3xf32>\n" \
           "  %0 = stablehlo.add %x, %c : tensor<3xf32>\n  %n = stablehlo.constant dense<> : tensor<0xf32>\n" \
           "  return %x, %c, %s, %0, %n : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>\n}\n"
    make = np.float32 if framework == "numpy" else pytest.importorskip("torch").FloatTensor
    want = [[4, 5, 6], [1, 2, 3], [7, 7, 7], [5, 7, 9], []]
    program, x = assay.load(text, engine=engine), make([4, 5, 6])
    first = program(x)
    assert [list(map(float, one)) for one in first] == want
    for one in first[:4]:
        one[:] = -1
    assert list(map(float, x)) == [4, 5, 6]
    second = program(x)
    del program
    assert [list(map(float, one)) for one in second] == want


def test_results_that_are_kept_do_not_fill_the_memory_of_later_calls():
    program = assay.load("func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {\n  %0 = stablehlo.negate %x : tensor<1000xf32>\n"
                         "  return %0 : tensor<1000xf32>\n}\n", max_memory=10000)
    x = np.arange(1000, dtype=np.float32)
    for result in [program(x) for _ in range(5)]:
        np.testing.assert_array_equal(result, -x)


CALL = "func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i64>) {\n" \
       "  %0:2 = stablehlo.custom_call @mine(%x) {mhlo.backend_config = {factor = 2.5 : f64, names = [\"a\", true, 7 : i8]}}\n" \
       "    : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i64>)\n  return %0#0, %0#1 : tensor<2x2xf32>, tensor<i64>\n}\n"


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_custom_calls_of_python(engine):
    seen = []

    def mine(x, factor, names):
        seen.append((x.dtype, x.shape, factor, names))
        return x * np.float32(factor), np.int64(len(names))

    x = np.float32([[1, 2], [3, 4]])
    program = assay.load(CALL, engine=engine, custom_calls={"mine": mine})
    for _ in range(2):
        scaled, count = program(x)
        np.testing.assert_array_equal(scaled, x * 2.5)
        assert count == 3
    assert seen == [(np.dtype("float32"), (2, 2), 2.5, ["a", True, 7])] * 2


@pytest.mark.parametrize("function, message", [
    (lambda x, **_: x, "returned 1 array, expected 2"),
    (lambda x, **_: (x.astype(np.float64), np.int64(1)), r"result 0 of 'mine' is float64\[2, 2\], expected float32\[2, 2\]"),
    (lambda x, **_: (x[0], np.int64(1)), r"result 0 of 'mine' is float32\[2\]"),
    (lambda x, **_: 1 // 0, "ZeroDivisionError"),
    (lambda x: x, "unexpected keyword argument"),
])
def test_a_custom_call_that_goes_wrong_has_its_place(function, message):
    with pytest.raises(RuntimeError, match=message) as raised:
        assay.run(CALL, np.zeros((2, 2), np.float32), custom_calls={"mine": function})
    assert "<text>:2:" in str(raised.value) and "stablehlo.custom_call" in str(raised.value)


def test_a_custom_call_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="custom_call target 'mine' is unknown"):
        assay.load(CALL, custom_calls={"other": print})


def test_engines_that_know_whole_problems_get_them(tmp_path, monkeypatch):
    """The reference does not replace them, which would hide their errors."""
    (tmp_path / "twice.py").write_text("def product(a, b):\n    return 2 * (a @ b)\n")
    monkeypatch.setenv("ASSAY_PYTHON", sys.executable)
    text = "func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {\n" \
           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>\n" \
           "  return %0 : tensor<3x5xf32>\n}\n"
    a, b = np.ones((3, 4), np.float32), np.ones((4, 5), np.float32)
    assert (assay.run(text, a, b, engine=f"python:{tmp_path}/twice.py:product") == 8).all()
    with pytest.raises(ValueError, match="twice.py:nothing' does not load, or calls an operation of the program invalid; `assay run"):
        assay.load(text, engine=f"python:{tmp_path}/twice.py:nothing")


@pytest.mark.parametrize("engine", ["onednn", "plugin:libassay_example.so", "pjrt:pjrt_assay.so"])
def test_engines_with_a_worker_find_the_program_from_python(engine):
    """The worker is `assay`, not the calling interpreter."""
    kind, _, file = engine.partition(":")
    library = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib" / (file or "libassay_onednn.so")
    if not library.exists():
        pytest.skip(f"{library} is not built")
    text = "func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {\n" \
           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>\n" \
           "  return %0 : tensor<3x5xf32>\n}\n"
    a, b = np.ones((3, 4), np.float32), np.ones((4, 5), np.float32)
    assert (assay.load(text, engine=f"{kind}:{library}" if file else kind)(a, b) == 4).all()
