"""Convolutions: `assay tune auto`, `check` and `compare`, and `assay.tune.Predictor`, whose results are compared with direct sums
written here in NumPy (float64, exact for the integers used)."""
import json
import pathlib
import re

import numpy as np
import pyarrow.parquet as pq
import pytest

SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "models" / "conv_fwd_f32_nhwc"
LAYERS = ["mb2ic9ih11oc33kh3ph1", "mb1ic16ih9iw13oc40kh3sh2ph1", "mb1ic24ih7oc40kh1", "mb1ic16ih12oc16kh3dh1ph2", "mb2g20ic20ih8oc20kh3ph1",
          "mb1g4ic32ih10oc48kh3ph1", "mb1ic6id4ih9oc10kh3ph1", "mb1ic3ih20oc16oh10kh3sh2ph0"]  # fmt: skip


def sizes(words):
    """(batch, groups, in, out, [image, window, result, stride, dilation, padding in front] of each side) of a descriptor."""
    given = {name: int(number) for name, number in re.findall(r"([a-z]+)(\d+)", words)}
    deep = "id" in given
    sides = []
    for side in "dhw"[not deep:]:
        own = lambda kind, otherwise: given.get(kind + side, given.get(kind + "h", otherwise))
        image, window, stride, dilation, low = own("i", 1), own("k", 1), own("s", 1), own("d", 0) + 1, own("p", 0)
        follows = (image + 2 * low - (window - 1) * dilation - 1) // stride + 1
        sides.append((image, window, given.get("oh", follows), stride, dilation, low))
    return given["mb"], given.get("g", 1), given["ic"], given["oc"], sides


def taps(words):
    """For each tap of the window: its index, and the part of the padded image that it reads for the results."""
    sides = sizes(words)[4]
    for tap in np.ndindex(*(side[1] for side in sides)):
        yield tap, tuple(slice(at * dilation, at * dilation + (result - 1) * stride + 1, stride)
                         for at, (_, _, result, stride, dilation, _) in zip(tap, sides))


def padded(words, image):
    """The image with zeros around it, as many after as the last window needs."""
    widths = [(low, max(0, (result - 1) * stride + (window - 1) * dilation + 1 - low - size))
              for size, window, result, stride, dilation, low in sizes(words)[4]]
    return np.pad(image, [(0, 0), *widths, (0, 0)])


def convolve(words, image, filter):
    batch, groups, _, out, sides = sizes(words)
    result = np.zeros((batch, *(side[2] for side in sides), out))
    wide = padded(words, image)
    for tap, seen in taps(words):
        x = wide[(slice(None), *seen)]
        for x_part, w_part, part in parts(x, filter[tap], groups):
            result[..., part] += x_part @ w_part
    return result


def parts(x, w, groups):
    """For each group: its channels of x, its part of w [C / groups, K], and the outputs that they make."""
    inputs, outputs = x.shape[-1] // groups, w.shape[-1] // groups
    for group in range(groups):
        part = slice(group * outputs, (group + 1) * outputs)
        yield x[..., group * inputs : (group + 1) * inputs], w[:, part], part


def gradients(words, image, filter, gradient):
    """The gradients of the data and of the filter, by the sums above, for each element."""
    _, groups, _, _, sides = sizes(words)
    wide = np.zeros_like(padded(words, image))
    kept, of_filter = padded(words, image), np.zeros_like(filter)
    for tap, seen in taps(words):
        at = (slice(None), *seen)
        inputs, outputs = image.shape[-1] // groups, filter.shape[-1] // groups
        for group in range(groups):
            ins, outs = slice(group * inputs, (group + 1) * inputs), slice(group * outputs, (group + 1) * outputs)
            wide[at][..., ins] += gradient[..., outs] @ filter[tap][:, outs].T
            of_filter[tap][:, outs] = np.tensordot(kept[at][..., ins], gradient[..., outs], [range(gradient.ndim - 1)] * 2)
    inner = tuple(slice(low, low + size) for size, *_, low in sides)
    return wide[(slice(None), *inner)], of_filter


def integers(seed, *shape):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float64)


def operands(words):
    batch, groups, inputs, outputs, sides = sizes(words)
    image = integers(1, batch, *(side[0] for side in sides), inputs)
    filter = integers(2, *(side[1] for side in sides), inputs // groups, outputs)
    return image, filter, integers(3, batch, *(side[2] for side in sides), outputs)


@pytest.mark.parametrize("framework", ["numpy", "torch"])
@pytest.mark.parametrize("words", LAYERS)
def test_predictor_runs_convolutions(framework, words):
    from assay.tune import Predictor

    torch = pytest.importorskip("torch") if framework == "torch" else None
    given = lambda x: torch.tensor(x, dtype=torch.float32) if torch else x.astype(np.float32)
    image, filter, gradient = operands(words)
    of_data, of_filter = gradients(words, image, filter, gradient)
    predictor = Predictor()
    for op, first, second, expected in (("conv_fwd", image, filter, convolve(words, image, filter)), ("conv_bwd_data", gradient, filter, of_data),
                                        ("conv_bwd_weight", image, gradient, of_filter)):  # fmt: skip
        for threads in (1, 2):
            got = predictor.run(given(first), given(second), problem={"op": op, "problem": words, "threads": threads})
            assert type(got) is type(given(first)) and str(got.dtype).endswith("float32")
            np.testing.assert_array_equal(np.asarray(got, np.float64), expected, err_msg=f"{op} {words}")
    # Arrays that are not dense are copied; another run of the problem has other operands.
    turned = given(image)[..., ::-1] if not torch else given(image).flip(-1)
    got = predictor.run(turned, given(2 * filter), problem={"op": "conv_fwd", "problem": words}, threads=1)
    np.testing.assert_array_equal(np.asarray(got, np.float64), convolve(words, image[..., ::-1], 2 * filter))


def test_predictor_ranks_convolutions_like_the_command(assay):
    from assay.tune import Predictor

    problem = dict(op="conv_fwd", problem="mb1ic64ih28oc64kh3ph1", threads=1)
    predictor = Predictor(SHIPPED)
    ranked = predictor.rank_kernels(problem, top_k=5)
    scores = [kernel["score"] for kernel in ranked]
    assert len(ranked) == 5 and scores == sorted(scores, reverse=True) and all(kernel["tflops"] > 0 for kernel in ranked)
    said = assay("tune", "predict", "--model_dir", SHIPPED, "--problem", problem["problem"], "--threads", 1, "--top_k", 5, "--json", "-")
    assert said.returncode == 0, said.stderr
    printed = json.loads(said.stdout)
    assert [kernel["kernel"] for kernel in printed["kernels"]] == [kernel["kernel"] for kernel in ranked]
    assert [kernel["score"] for kernel in printed["kernels"]] == pytest.approx(scores, rel=1e-6)
    assert printed["note"] == predictor.note
    assert predictor.select_best(problem) == ranked[0]["kernel"] and predictor.predict_tflops(problem) == ranked[0]["tflops"]
    assert predictor.predict_tflops(problem, ranked[3]["kernel"]) == pytest.approx(ranked[3]["tflops"], rel=1e-9)
    everything, candidates = predictor.kernels(op="conv_fwd"), predictor.candidates(problem)
    assert ranked[0]["kernel"] in candidates and set(candidates) < set(everything)
    listed = json.loads(assay("kernels", "list", "--op", "conv_fwd", "--json", "-").stdout)
    assert listed["kernels"] == everything and listed["op"] == "conv_fwd"
    choice = predictor.choose(problem)
    assert choice.kernel == ranked[0]["kernel"] and str(SHIPPED) in choice.by  # a named folder is used on any machine
    assert Predictor(SHIPPED.parent / "none").choose(problem).by == "the engine's rule"


def test_predictor_refuses_what_is_no_convolution(tmp_path, monkeypatch):
    from assay.tune import Predictor

    monkeypatch.setenv("ASSAY_MODEL_DIR", str(tmp_path))
    words, predictor = "mb1ic8ih5oc4kh3ph1", Predictor(SHIPPED)
    for wrong, message in ((dict(op="conv_fwd"), "needs its problem"), (dict(op="conv_fwd", problem=words, m=3), "a convolution has no m"),
                           (dict(op="conv_fwd", problem="mb1xx3"), "expected words like"), (dict(op="conv_bwd_data", problem=words), "is for conv_fwd f32, expected"),
                           (dict(op="conv_fwd", problem=words, dtype="bf16"), "are of f32 and nhwc"), (dict(m=4, n=4, k=4), "is not of kernels that this machine can run")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            predictor.rank_kernels(wrong)
    with pytest.raises(OSError, match="no kernel is called"):
        predictor.predict_tflops(dict(op="conv_fwd", problem=words), "windows_of_nobody")
    with pytest.raises(ValueError, match="cannot compute"):
        predictor.predict_tflops(dict(op="conv_fwd", problem=words), next(name for name in predictor.kernels(op="conv_fwd") if name.startswith("channels")))
    with pytest.raises(ValueError, match="has no latency; it has"):
        predictor.predict_latency(dict(op="conv_fwd", problem=words))
    with pytest.raises(OSError, match="no model of conv_bwd_weight f32 nhwc is installed"):
        Predictor().rank_kernels(dict(op="conv_bwd_weight", problem=words))
    x, w = np.ones((1, 5, 5, 8), np.float32), np.ones((3, 3, 8, 4), np.float32)
    problem = dict(op="conv_fwd", problem=words)
    assert predictor.run(x, w, problem=problem).shape == (1, 5, 5, 4)
    for a, b, asked, message in ((x[:, :4], w, problem, r"the first operand is \[1, 4, 5, 8\], mb1ic8ih5oc4kh3ph1 has \[1, 5, 5, 8\]"),
                                 (x, w[:2], problem, "the second operand is"), (x.astype(np.float64), w, problem, "no kernel convolves float64 and float32"),
                                 (x, w, dict(op="gemm", m=1, n=1, k=1), "products are known from their arrays")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            predictor.run(a, b, problem=asked)


def auto(assay, *words):
    """Runs `tune auto`; repeats it if a stalled machine left no time for a phase."""
    for _ in range(4):
        got = assay("tune", "auto", *words)
        if not ("left no time" in got.stderr or "nothing was measured" in got.stderr):
            break
    return got


def test_auto_makes_a_model_of_convolutions(assay, tmp_path, monkeypatch):
    """Measurements of two runs add up; the shipped model's trees come before the new ones; the installed model is used."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    words = ("--op", "conv_fwd", "--budget", "8", "--threads", "1", "--cap", "0.002", "--json", "report.json")
    rows = 0
    for run in range(2):
        got = auto(assay, *words)
        assert got.returncode in (0, 1), got.stderr
        assert f"starts from '{SHIPPED}'" in got.stdout.replace("/build/release/bin/../../..", ""), got.stdout
        report = json.loads((tmp_path / "report.json").read_text())
        assert report["op"] == "conv_fwd" and report["model"] == str(tmp_path / "home/assay/models/conv_fwd_f32_nhwc")
        assert report["over_before"]["problems"] == report["over_analytic"]["problems"] == report["checked"] > 0
        assert f"checked on {report['checked']} unseen problems" in got.stdout and "the engine's rule" in got.stdout
        better = [report[side]["speedup"] > 1 and report[side]["low"] > 0.98 for side in ("over_before", "over_analytic")]
        assert report["installed"] == all(better) == (got.returncode == 0) and report["seconds"] < 20
        (file,) = (tmp_path / "home/assay/models/conv_fwd_f32_nhwc.data").glob("*.parquet")
        table = pq.read_table(file)
        assert table.num_rows == report["collected"]["rows"] > rows and set(table.column("op_type").to_pylist()) == {"conv_fwd"}
        assert report["collected"]["reused"] == rows
        rows = table.num_rows
    folder = tmp_path / "home/assay/models/conv_fwd_f32_nhwc"
    if not folder.exists():
        return
    manifest = json.loads((folder / "train_manifest.json").read_text())
    before = json.loads((SHIPPED / "train_manifest.json").read_text())
    assert manifest["prev_n_estimators"]["efficiency"] == before["total_n_estimators"]["efficiency"] < manifest["total_n_estimators"]["efficiency"]
    explained = assay("kernels", "explain", "--op", "conv_fwd", "--problem", "mb1ic64ih28oc64kh3ph1", "--threads", 1)
    assert f"by model '{folder}'" in explained.stdout, explained.stdout


def test_models_of_convolutions_are_checked_and_compared(assay, tmp_path, monkeypatch):
    """A model of another machine is used if a check found it faster, and the output says so; two models are compared."""
    (tmp_path / "layers.txt").write_text("mb1ic16ih8oc16kh3ph1\nmb1ic24ih9oc24kh1\nmb1g16ic16ih8oc16kh3ph1\nmb2ic8ih7oc40kh3ph1\n")
    collect = ("tune", "collect", "--op", "conv_fwd", "--shapes", "layers.txt", "--threads", "1", "--kernels", "sample:8", "--pairs", "3", "--quiet")
    train = ("tune", "train", "--data_dir", "rows.parquet", "--n_splits", "2", "--targets", "efficiency", "--min_child_samples", "2", "--quiet")
    assert assay(*collect, "-o", "rows.parquet").returncode == 0
    for name, trees in (("old", 3), ("new", 30)):
        assert assay(*train, "--out_dir", name, "--n_estimators", trees).returncode == 0
    got = assay("tune", "compare", "--model_dir", "new", "--old", "old", "--shapes", "layers.txt", "--threads", "1,2", "--pairs", "7", "--json", "c.json")
    assert got.returncode == 0, got.stderr
    compared = json.loads((tmp_path / "c.json").read_text())
    assert compared["problems"] == 8 and "of 8 problems differ" in got.stdout
    assert all(row["problem"].startswith("conv_fwd f32 nhwc mb") and row["new"] != row["old"] for row in compared["rows"])
    changes = compared["changes"]
    assert changes["agree"] + len(compared["rows"]) == 8
    got = assay("tune", "compare", "--model_dir", "new", "--old", SHIPPED.parent / "conv_bwd_data_f32_nhwc", "--shapes", "layers.txt", "--threads", "1")
    assert got.returncode == 2 and "is of conv_bwd_data f32, not of conv_fwd f32" in got.stderr, got.stderr
    # The same model, as if from another machine.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ASSAY_MODEL_DIR", str(tmp_path / "new"))
    spec = json.loads((tmp_path / "new/feature_spec.json").read_text())
    spec["arch"] = "avx2 l1=1K l2=2K l3=4K"
    (tmp_path / "new/feature_spec.json").write_text(json.dumps(spec))
    explain = ("kernels", "explain", "--op", "conv_fwd", "--problem", "mb1ic64ih28oc64kh3ph1", "--threads", 1)
    said = assay(*explain).stdout
    assert "by the engine's rule" in said and "`assay tune check` measures whether it serves here" in said
    got = assay("tune", "check", "--budget", "1", "--threads", "1", "--json", "check.json")
    assert got.returncode == 0, got.stderr
    (row,) = json.loads((tmp_path / "check.json").read_text())["models"]
    assert row["over"] == "the engine's rule" and row["problems"] > 0 and row["low"] <= row["speedup"] <= row["high"]
    assert row["foreign"].startswith("is of another machine")
    assert f"x the engine's rule over {row['problems']} problems" in got.stdout
    said = assay(*explain).stdout
    assert ("by model" if row["serves"] else "and was measured here: ") in said, said
    assert "x the engine's rule over" in said
