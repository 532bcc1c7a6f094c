"""Dumps as files: files of h5py and ml_dtypes can be read, figures agree with NumPy, bad files lead to one message."""
import csv
import json

import h5py
import ml_dtypes
import numpy
import pytest

RNG = numpy.random.default_rng(7)


def write(path, tensors, step="1", **options):
    with h5py.File(path, "w", track_order=True) as file:
        group = file.create_group(step, track_order=True)
        for name, values in tensors.items():
            group.create_dataset(name, data=values, **options)


def rows_of(assay, *words):
    result = assay(*words, "--json", "-")
    assert result.returncode in (0, 1), result.stderr
    return json.loads(result.stdout)


def test_a_tensor_of_nan_has_no_figures(assay, tmp_path):
    write(tmp_path / "x.h5", {"nan": numpy.full(7, numpy.nan, "f"), "one": numpy.float32([numpy.nan, 2])})
    nan, one = rows_of(assay, "summary", "x.h5")["tensors"]
    assert nan["nan"] == 7 and not {"min", "max", "mean", "std", "norm", "p50"} & nan.keys()
    assert one["min"] == one["max"] == 2


def test_summary_agrees_with_numpy(assay, tmp_path):
    tensors = {
        "f16": RNG.standard_normal((7, 33)).astype(numpy.float16),
        "f32": (RNG.standard_normal(5000) + 100).astype(numpy.float32),
        "big_endian": RNG.standard_normal((3, 4)).astype(">f8"),
        "i64": RNG.integers(-(2**62), 2**62, 40),
        "bool": RNG.integers(0, 2, 50).astype(bool),
        "complex": (RNG.standard_normal(20) + 1j * RNG.standard_normal(20)).astype(numpy.complex64),
        "bf16": RNG.standard_normal(64).astype(ml_dtypes.bfloat16),
    }
    write(tmp_path / "x.h5", tensors)
    found = {row["module"]: row for row in rows_of(assay, "summary", "x.h5")["tensors"]}
    assert list(found) == list(tensors)
    for name, values in tensors.items():
        wide = numpy.abs(values) if name == "complex" else values.astype(numpy.float64)
        row = found[name]
        assert row["shape"] == list(values.shape)
        numpy.testing.assert_allclose(
            [row["min"], row["max"], row["mean"], row["std"], row["norm"]],
            [wide.min(), wide.max(), wide.mean(), wide.std(), numpy.linalg.norm(wide.ravel())],
            rtol=2e-6 if name == "complex" else 1e-12)
        median = numpy.sort(wide.ravel())[(wide.size + 1) // 2 - 1]
        numpy.testing.assert_allclose(row["p50"], median, rtol=1e-7)
    assert found["bf16"]["dtype"] == "bfloat16"


@pytest.mark.parametrize("options", [{}, {"chunks": (16, 8), "compression": "gzip", "shuffle": True}])
def test_compare_agrees_with_numpy(assay, tmp_path, options):
    bench = RNG.standard_normal((100, 40)).astype(numpy.float32)
    target = bench + (1e-4 * RNG.standard_normal(bench.shape)).astype(numpy.float32)
    write(tmp_path / "t.h5", {"a.Linear.0.forward_output.0": target}, **options)
    write(tmp_path / "b.h5", {"a.Linear.0.forward_output.0": bench}, **options)
    assert assay("compare", "t.h5", "b.h5", "r.csv").returncode in (0, 1)
    with open(tmp_path / "r.csv") as file:
        row = next(csv.DictReader(file))
    t, b = target.astype(numpy.float64).ravel(), bench.astype(numpy.float64).ravel()
    d = t - b
    expected = {
        "Cosine": t @ b / (numpy.linalg.norm(t) * numpy.linalg.norm(b)),
        "RMSE": numpy.sqrt((d**2).mean()),
        "IsClose (%)": 100 * (abs(d) <= 1e-5 + 1e-3 * abs(b)).mean(),
        "Max Err (t)": abs(d).max(),
        "GtNum": (abs(d) > 1e-5).sum(),
        "Min Err": abs(d).min(),
        "Rel L2": numpy.linalg.norm(d) / numpy.linalg.norm(b),
        "SNR (dB)": 10 * numpy.log10((b**2).sum() / (d**2).sum()),
    }
    for column, value in expected.items():
        assert float(row[column]) == pytest.approx(value, rel=1e-9), column
    assert list(row)[:8] == ["Index", "Status", "Module", "Cosine", "RMSE", "IsClose (%)", "Max Err (t)", "GtNum"]


def test_one_element_that_is_off_is_caught_in_every_type(assay, tmp_path):
    cases = {}
    for name, dtype, move in [("f64", numpy.float64, 1e-3), ("f32", numpy.float32, 1e-3), ("c64", numpy.complex64, 1e-3),
                              ("f16", numpy.float16, 32 * 2.0**-10), ("bf16", ml_dtypes.bfloat16, 32 * 2.0**-7),
                              ("i32", numpy.int32, 1)]:
        values = numpy.ones(1000)
        values[::2] = -1
        moved = values.copy()
        moved[501] += move
        cases[name] = values.astype(dtype), moved.astype(dtype)
    write(tmp_path / "b.h5", {name: pair[0] for name, pair in cases.items()})
    write(tmp_path / "t.h5", {name: pair[1] for name, pair in cases.items()})
    result = rows_of(assay, "compare", "t.h5", "b.h5")
    assert [row["status"] for row in result["rows"]] == ["Fail"] * len(cases)
    write(tmp_path / "same.h5", {name: pair[0] for name, pair in cases.items()})
    assert assay("compare", "same.h5", "b.h5").returncode == 0


def test_nan_is_counted_and_the_rest_still_compared(assay, tmp_path):
    bench = RNG.standard_normal(100).astype(numpy.float32)
    target = bench.copy()
    target[3] = numpy.nan
    target[7] += 0.5
    write(tmp_path / "t.h5", {"x": target})
    write(tmp_path / "b.h5", {"x": bench})
    row = rows_of(assay, "compare", "t.h5", "b.h5")["rows"][0]
    assert row["status"] == "Fail" and "differ 1" in row["non_finite"]
    assert row["max_abs_error"] == pytest.approx(0.5, rel=1e-5)


def test_unmatched_names_are_rows_and_a_written_map_gives_the_same_pairs(assay, tmp_path):
    values = {f"m.{i}.fc.ColumnParallelLinear.0.forward_output.0": RNG.standard_normal((4, 5 + i)) for i in range(5)}
    renamed = {name.replace("ColumnParallelLinear.0", "ColumnParalleLinear"): v for name, v in values.items()}
    renamed["only.Here.0.forward_output.0"] = numpy.zeros(3)
    write(tmp_path / "t.h5", values)
    write(tmp_path / "b.h5", renamed)
    first = assay("compare", "t.h5", "b.h5", "r.csv", "--write-map", "map.json")
    assert first.returncode == 1
    assert "renamed class: 'ColumnParallelLinear.N' is 'ColumnParalleLinear'" in first.stdout
    with open(tmp_path / "r.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["Status"] for row in rows] == [""] * 5 + ["Unmatched"]
    assert rows[-1]["Max Err (t)"] == ""
    again = rows_of(assay, "compare", "t.h5", "b.h5", "--map", "map.json")
    assert {row["match"] for row in again["rows"] if row["target"]} == {"map"}


def test_bad_files_give_one_message(assay, tmp_path):
    (tmp_path / "text.h5").write_text("no HDF5")
    write(tmp_path / "ok.h5", {"x": numpy.zeros(10000)})
    (tmp_path / "cut.h5").write_bytes((tmp_path / "ok.h5").read_bytes()[:9000])
    for name, text in [("text.h5", "is not an HDF5 file"), ("cut.h5", "is truncated"),
                       ("none.h5", "no such file or directory")]:
        result = assay("compare", name, "ok.h5")
        assert result.returncode == 2
        assert result.stderr.count("\n") == 1 and name in result.stderr and text in result.stderr
    write(tmp_path / "other.h5", {"y": numpy.zeros((3, 3))})
    nothing = assay("compare", "ok.h5", "other.h5")
    assert nothing.returncode == 3 and "nothing was compared" in nothing.stderr


HEADER = "name,op_name,dtype,shape,min-val,max-val,is_pass,max," + ",".join(f"1e-{n}" for n in range(1, 11))


def test_diff_blames_only_what_the_bench_does_better(assay, tmp_path):
    def row(name, verdict, largest, counts):
        return f'{name},aten.add.Tensor,torch.float,"[260, 1152]",-1,1,{verdict},{largest},' + ",".join(map(str, counts))

    rising = [0, 0, 0, 10, 500, 9000, 90000, 99999, 99999, 99999]
    worse = [0, 0, 700, 9000, 20000, 90000, 99999, 99999, 99999, 99999]
    (tmp_path / "xpu.csv").write_text("\n".join([HEADER, row("00001-aten", "pass", 1e-4, rising), row("00002-aten", "pass", 5e-3, worse),
                                                 row("00003-aten", "fail", 1, worse)]))
    (tmp_path / "gpu.csv").write_text("\n".join([HEADER, row("00001-aten", "pass", 9e-5, rising), row("00002-aten", "pass", 1e-4, rising),
                                                 row("00003-aten", "pass", 1e-4, rising)]))
    result = assay("diff", "xpu.csv", "gpu.csv", "result.csv")
    assert result.returncode == 1
    assert "3 operators: 1 pass, 2 Fail, 0 unmatched" in result.stdout
    with open(tmp_path / "result.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["is_pass"] for row in rows] == ["pass", "Fail", "Fail"]
    assert rows[1]["xpu_1e-3"] == "700" and rows[1]["gpu_1e-3"] == "0"
    assert assay("diff", "xpu.csv", "xpu.csv").returncode == 1  # a failing test of the target remains a failure
