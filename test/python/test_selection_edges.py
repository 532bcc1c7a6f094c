"""Selection at its edges: sizes of 1 in every layout, data without measurements, files with a byte-order mark, folders that do not exist
yet, candidates of several operations. Each expectation is computed here, from strides, rows and files that other tools wrote."""
import csv
import io
import itertools
import json
import pathlib
import re
import tempfile

import numpy as np
import pyarrow
import pyarrow.parquet as pq
import pytest
import test_tune_conv
import test_tune_published

MODEL = pathlib.Path(__file__).resolve().parents[2] / "models" / "gemm_f32_rcr"
LAYOUTS = ("rcr", "rrr", "crr", "ccr")
BOM = b"\xef\xbb\xbf"


def places(layout, m, n, k):
    """Where the elements of A and B are, by the orders that a layout names."""
    a = np.arange(m * k).reshape((m, k), order="C" if layout[0] == "r" else "F")
    b = np.arange(k * n).reshape((k, n), order="C" if layout[1] == "r" else "F")
    return a.tolist(), b.tolist()


@pytest.mark.parametrize("m, n, k", list(itertools.product((1, 9), (1, 40), (1, 33))))
def test_a_model_serves_every_layout_of_the_same_memory(assay, m, n, k):
    from assay.tune import Predictor

    predictor = Predictor(MODEL)
    for layout in LAYOUTS:
        words = ("--model_dir", MODEL, "--m", m, "--n", n, "--k", k, "--layout", layout, "--threads", 1, "--top_k", 2)
        problem = dict(m=m, n=n, k=k, layout=layout, threads=1)
        if places(layout, m, n, k) == places("rcr", m, n, k):
            said = [assay("tune", "predict", *words, "--json", "-"), assay("tune", "search", *words, "--budget", 20, "--json", "-")]
            assert [one.returncode for one in said] == [0, 0], (layout, said)
            ranked = predictor.rank_kernels(problem, top_k=2)
            assert [kernel["kernel"] for kernel in json.loads(said[0].stdout)["kernels"]] == [kernel["kernel"] for kernel in ranked]
            assert f"f32 rcr {m}x{n}x{k} " in json.loads(said[0].stdout)["problem"]
            assert predictor.predict_tflops(problem, ranked[0]["kernel"]) > 0
            assert predictor.choose(problem).kernel in predictor.candidates(problem)
        else:
            for said in assay("tune", "predict", *words), assay("tune", "search", *words):
                assert said.returncode == 2 and "is for f32 rcr, expected f32" in said.stderr, said
            with pytest.raises(ValueError, match="is for f32 rcr, expected"):
                predictor.rank_kernels(problem)


# ---- unusable data

BAD_SIZES = [("m", 3.5), ("k", 2.0**31), ("n", 0.0), ("k", float("nan")), ("k", float("inf")), ("m", -4.0), ("tile_m", 12.25), ("warp_n", 0.0), ("split_k", 1.5)]
BAD_WORDS = [("dtype", "fp17", "expected fp32, fp16"), ("kernel_name", "banana", "has no valid prefix gemm_"), ("layout", "rcx", "expected rcr, rrr, crr or ccr"), ("kernel_name", "", "has no valid prefix gemm_")]


def gemm_rows(dtype="fp8"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.parquet"
        test_tune_published.write_data(path, test_tune_published.problems(6, seed=2), test_tune_published.kernels(5, dtype=dtype), dtype)
        table = pq.read_table(path).to_pylist()
    assert len(table) == 30
    return table


def write(path, rows):
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pyarrow.Table.from_pylist(rows), path)


TRAIN = ("tune", "train", "--data_dir", "data", "--out_dir", "m", "--n_splits", 2, "--n_estimators", 3, "--targets", "tflops")


@pytest.mark.parametrize("column, value", [*BAD_SIZES, *[word[:2] for word in BAD_WORDS]])
def test_train_refuses_what_is_no_measurement(assay, tmp_path, column, value):
    """Rows are named by their number in their own file, even if another file comes first."""
    rows = gemm_rows()
    write(tmp_path / "data" / "a.parquet", rows[:13])
    numbers = isinstance(value, float)
    bad = [{**row, column: float(row[column])} if numbers else dict(row) for row in rows[13:]]
    bad[4][column] = value
    write(tmp_path / "data" / "b.parquet", bad)
    got = assay(*TRAIN, "--dtype", "fp17" if value == "fp17" else "fp8")
    assert got.returncode == 2 and got.stderr.count("\n") == 1, got.stdout + got.stderr
    assert "'data/b.parquet' row 4" in got.stderr, got.stderr
    assert next((text for name, word, text in BAD_WORDS if (name, word) == (column, value)), f"row 4 has {column} = ") in got.stderr, got.stderr
    bad[4][column] = rows[17][column]
    write(tmp_path / "data" / "b.parquet", bad)
    got = assay(*TRAIN)
    assert got.returncode == 0 and "30 rows over 6 problems" in got.stdout, got.stdout + got.stderr


@pytest.mark.parametrize("column", ["tile_m", "warp_tile_k", "n", "is_valid", "kernel_name", "measured_tflops"])
def test_train_refuses_a_missing_column(assay, tmp_path, column):
    write(tmp_path / "data" / "a.parquet", [{key: value for key, value in row.items() if key != column} for row in gemm_rows()])
    got = assay(*TRAIN)
    assert got.returncode == 2 and f"no column '{column}'" in got.stderr, got.stdout + got.stderr


def test_train_refuses_numbers_that_are_text(assay, tmp_path):
    write(tmp_path / "data" / "a.parquet", [{**row, "m": str(row["m"])} for row in gemm_rows()])
    got = assay(*TRAIN)
    assert got.returncode == 2 and "the data set's column 'm' is text, expected numbers" in got.stderr, got.stdout + got.stderr


@pytest.mark.parametrize("column, value", [("C", 1.5), ("stride_h", 0.0), ("pad_w", 0.5), ("block_size", 3.5), ("G", float("nan"))])
def test_train_refuses_a_convolution_that_is_none(assay, tmp_path, column, value):
    test_tune_conv.write_csv(tmp_path / "a.csv", test_tune_conv.problems(6, 2, seed=1), test_tune_conv.kernels(3, 2))
    assert assay("tune", "convert", "a.csv", "-o", "data/a.parquet").returncode == 0
    rows = pq.read_table(tmp_path / "data" / "a.parquet").to_pylist()
    rows = [{**row, column: float(row[column])} for row in rows]
    rows[7][column] = value
    write(tmp_path / "data" / "a.parquet", rows)
    got = assay(*TRAIN)
    assert got.returncode == 2 and f"'data/a.parquet' row 7 has {column} = " in got.stderr, got.stdout + got.stderr


NAME = test_tune_published.kernels(1, dtype="fp16")[0][0]
GOOD = dict(kernel_name=NAME, m=16, n=32, k=64, split_k=1, dtype="fp16", layout="rcr", latency_ms=0.5, tflops=1.5, is_valid=True)


def as_csv(records):
    out = io.StringIO()
    lines = csv.DictWriter(out, list(GOOD), lineterminator="\n")
    lines.writeheader()
    lines.writerows(records)
    return out.getvalue()


def as_json(records):
    config = lambda r: {"name": r["kernel_name"], "dtype": r["dtype"], "layout": r["layout"]}
    return json.dumps({"results": [{"kernel_config": config(r), "benchmarks": [{**r, "avg_time_ms": r["latency_ms"]}]} for r in records]})


def as_log(records):
    lines = []
    for r in records:
        lines.append(f"Shape 0: M={r['m']} N={r['n']} K={r['k']} dtype={r['dtype']} layout={r['layout']}")
        lines.append(json.dumps({"name": r["kernel_name"], "problem": {key: r[key] for key in ("m", "n", "k", "split_k")},
                                 "perf_result": {"latency(ms)": r["latency_ms"], "tflops(TFlops)": r["tflops"]}}))  # fmt: skip
    return "\n".join(lines) + "\n"


FORMS = {"csv": (as_csv, "line 3"), "json": (as_json, "results[1].benchmarks[0]"), "log": (as_log, "line 4")}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("column, value, text", [("m", 16.5, "m is 16.5, expected a whole number from 1"), ("n", 0, "n is 0, expected"), ("k", -1, "k is -1, expected"), ("m", 2**31, "m is 2.14748e+09, expected a whole number from 1 to 2147483647"),
                                                 ("dtype", "fp17", "dtype is 'fp17', expected fp32"), ("kernel_name", "banana", "kernel name 'banana' has no valid"),
                                                 ("split_k", 2.5, "split_k is 2.5, expected"), ("layout", "rcx", "layout is 'rcx', expected")])  # fmt: skip
def test_convert_leaves_out_by_place_what_is_no_measurement(assay, tmp_path, form, column, value, text):
    make, place = FORMS[form]
    (tmp_path / f"x.{form}").write_text(make([GOOD, {**GOOD, column: value}, {**GOOD, "m": 17}]))
    got = assay("tune", "convert", f"x.{form}", "-o", "new/x.parquet")
    assert got.returncode == 0 and "2 rows (2 valid), 1 damaged" in got.stdout, got.stdout + got.stderr
    assert f"note: {place} is left out: {text}" in got.stdout, got.stdout
    assert pq.read_table(tmp_path / "new" / "x.parquet").column("m").to_pylist() == [16, 17]
    (tmp_path / f"x.{form}").write_text(make([{**GOOD, column: value}]))
    got = assay("tune", "convert", f"x.{form}", "-o", "y.parquet")
    assert got.returncode == 2 and text in got.stderr and not (tmp_path / "y.parquet").exists(), got.stdout + got.stderr


def test_convert_names_the_place_of_what_is_no_record(assay, tmp_path):
    whole = json.loads(as_json([GOOD]))
    whole["results"] += [{}, {"kernel_config": {}, "benchmarks": [3]}]
    (tmp_path / "x.json").write_text(json.dumps(whole))
    got = assay("tune", "convert", "x.json", "-o", "x.parquet")
    assert "1 rows (1 valid), 2 damaged" in got.stdout and "note: results[1] is left out: it has no kernel_config or no benchmarks" in got.stdout, got.stdout
    assert "note: results[2].benchmarks[0] is left out: it is not an object" in got.stdout, got.stdout
    (tmp_path / "x.log").write_text(as_log([GOOD]) + '{"name": 3}\n{"name": \n' + as_log([GOOD]) + '{\n"a": 1')
    got = assay("tune", "convert", "x.log", "-o", "x.parquet")
    assert "2 rows (2 valid), 3 damaged" in got.stdout and "note: line 3 is left out: it has no name or no perf_result" in got.stdout, got.stdout
    assert "note: line 4 is left out: its object does not end" in got.stdout and "note: line 7 is left out: its object does not end" in got.stdout, got.stdout


def test_convert_refuses_a_type_that_is_none(assay, tmp_path):
    (tmp_path / "x.csv").write_text(as_csv([GOOD]))
    got = assay("tune", "convert", "x.csv", "-o", "y.parquet", "--dtype", "fp17")
    assert got.returncode == 2 and "--dtype is 'fp17', expected fp32" in got.stderr, got.stderr


def test_the_documents_examples_of_convert(assay, tmp_path):
    """Each form that docs/tune_data.md shows, by the shown command, against the file as read by Python's own modules."""
    section = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "tune_data.md").read_text().partition("## What convert reads")[2].partition("\n## ")[0]
    blocks = dict(re.findall(r"`(\w+\.(?:json|log|csv))`.*?```\w+\n(.*?)```", section, re.S))
    assert set(blocks) == {"gemm.json", "gemm.log", "gemm.csv", "conv.csv"}
    for name, text in blocks.items():
        (tmp_path / name).write_text(text)
    expected = {
        "gemm.json": [(b["m"], b["avg_time_ms"]) for r in json.loads(blocks["gemm.json"])["results"] for b in r["benchmarks"]],
        "gemm.log": [(int(re.search(r"M=(\d+)", blocks["gemm.log"])[1]), json.loads(blocks["gemm.log"].partition("\n")[2])["perf_result"]["latency(ms)"])],
        "gemm.csv": [(int(row["m"]), float(row["latency_ms"])) for row in csv.DictReader(io.StringIO(blocks["gemm.csv"]))],
        "conv.csv": [(int(row["C"]), float(row["latency_ms"])) for row in csv.DictReader(io.StringIO(blocks["conv.csv"]))],
    }
    commands = re.findall(r"^    assay (tune convert (\S+) -o (\S+).*)", section, re.M)
    assert [name for _, name, _ in commands] == list(expected)
    for words, name, out in commands:
        got = assay(*words.split())
        assert got.returncode == 0 and " 0 damaged" in got.stdout, got.stdout + got.stderr
        rows = pq.read_table(tmp_path / out).to_pylist()
        assert [(row["C" if name == "conv.csv" else "m"], row["latency_ms"]) for row in rows] == expected[name] and all(row["is_valid"] for row in rows)


# ---- files as other programs write them


def test_a_byte_order_mark_is_no_part_of_the_text(assay, tmp_path):
    for form, (make, _) in FORMS.items():
        (tmp_path / f"x.{form}").write_bytes(BOM + make([GOOD]).encode())
        got = assay("tune", "convert", f"x.{form}", "-o", f"{form}.parquet")
        assert got.returncode == 0, got.stderr
        assert pq.read_table(tmp_path / f"{form}.parquet").column("kernel_name").to_pylist() == [NAME]
    (tmp_path / "shapes.csv").write_bytes(BOM + b"m,n,k\r\n8,9,10\r\n")
    got = assay("tune", "collect", "--shapes", "shapes.csv", "--kernels", "sample:2", "--pairs", 3, "--threads", 1, "-o", "c.parquet")
    assert got.returncode == 0 and set(pq.read_table(tmp_path / "c.parquet").column("n").to_pylist()) == {9}, got.stderr
    for text in (b"problem\nmb1ic8ih6oc8kh3ph1\n", b"mb1ic8ih6oc8kh3ph1\n"):
        (tmp_path / "convs.txt").write_bytes(BOM + text)
        got = assay("tune", "collect", "--op", "conv_fwd", "--shapes", "convs.txt", "--kernels", "sample:2", "--pairs", 3, "--threads", 1, "-o", "v.parquet")
        assert got.returncode == 0, got.stderr
    np.savez(tmp_path / "a.npz", x=np.ones(3))
    assert assay("import", "a.npz", "a.h5").returncode == 0
    (tmp_path / "rule.json").write_bytes(BOM + b'{"default": "exact"}')
    (tmp_path / "names.json").write_bytes(BOM + b"{}")
    got = assay("compare", "a.h5", "a.h5", "--rule", "rule.json", "--map", "names.json")
    assert got.returncode == 0, got.stdout + got.stderr


def test_folders_on_the_way_to_an_output_are_made(assay, tmp_path):
    (tmp_path / "x.csv").write_text(as_csv([GOOD]))
    (tmp_path / "shapes.csv").write_text("m,n,k\n8,8,8\n")
    (tmp_path / "p.mlir").write_text("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %r = stablehlo.tanh %a : tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n")
    np.save(tmp_path / "a.npy", np.arange(3.0))
    for words in (("tune", "convert", "x.csv", "-o", "OUT/x.parquet"), ("kernels", "list", "--json", "OUT/f.json"),
                  ("tune", "collect", "--shapes", "shapes.csv", "--kernels", "sample:2", "--pairs", 3, "--threads", 1, "-o", "OUT/c.parquet"),
                  ("import", "a.npy", "OUT/a.h5"), ("run", "p.mlir", "--input", "random", "--output", "OUT/r.npz"),
                  ("run", "p.mlir", "--input", "random", "--record", "OUT/rec.h5"), ("doctor", "--no-measure", "--json", "OUT/d.json"),
                  ("verify", "--json=OUT/v.json", "--matmul", "4x5:5x6"), ("verify", "--resume=OUT/resume", "--matmul", "4x5:5x6"),
                  ("verify", "--junit=OUT/v.xml", "--matmul", "4x5:5x6"), ("audit", "p.mlir", "--rule", "dtype", "--json", "OUT/a.json")):  # fmt: skip
        folder = f"{len(list(tmp_path.iterdir()))}/deep"
        (out,) = [str(word).rpartition("=")[2].replace("OUT", folder) for word in words if "OUT/" in str(word)]
        got = assay(*[str(word).replace("OUT", folder) for word in words])
        assert got.returncode in (0, 1) and (tmp_path / out).exists(), f"{words}\n{got.stdout}{got.stderr}"


def test_npy_is_imported_under_its_name(assay, tmp_path):
    import h5py

    for array in (np.arange(6.0).reshape(2, 3), np.float32(2.5), np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)), np.zeros((0, 4), np.int8)):
        np.save(tmp_path / "layer1.out.npy", array)
        got = assay("import", "layer1.out.npy", "out.h5")
        assert got.returncode == 0 and "1 tensors" in got.stdout, got.stderr
        with h5py.File(tmp_path / "out.h5") as file:
            (name,) = file["0"]
            assert name == "layer1.out" and np.array_equal(file["0"][name][()], array) and file["0"][name].dtype == array.dtype
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    assert assay("import", "objects.npy", "out.h5").returncode == 2
    (tmp_path / "cut.npy").write_bytes((tmp_path / "layer1.out.npy").read_bytes()[:20])
    assert assay("import", "cut.npy", "out.h5").returncode == 2


# ---- CK Tile's kernels


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """models/ with a model of products, data/ with rows of products, of convolutions in two directions, and of this machine."""
    folder = tmp_path_factory.mktemp("shelf")
    boosters, names = test_tune_published.write_folder(folder / "models" / "gemm_universal_fp8_gfx950")
    (folder / "data").mkdir()
    pool = test_tune_published.kernels(12)
    test_tune_published.write_data(folder / "data" / "gemm.parquet", test_tune_published.problems(5, seed=4), pool)
    return folder, boosters["tflops"], names, pool


def test_candidates_are_those_of_the_models_operation(assay, tmp_path, shelf):
    import shutil

    shutil.copytree(shelf[0], tmp_path, dirs_exist_ok=True)
    for variant in ("forward", "bwd_data"):
        test_tune_conv.write_csv(tmp_path / "a.csv", test_tune_conv.problems(6, 2, seed=1), test_tune_conv.kernels(4, 2, variant=variant, seed=3))
        assert assay("tune", "convert", "a.csv", "-o", f"data/{variant}.parquet").returncode == 0
    (tmp_path / "shapes.csv").write_text("m,n,k\n8,8,8\n")
    collect = ("tune", "collect", "--shapes", "shapes.csv", "--kernels", "sample:2", "--pairs", 3, "--threads", 1, "-o", "data/own.parquet")
    assert assay(*collect).returncode == 0
    product = ("tune", "predict", "--model_dir", "models/gemm_universal_fp8_gfx950", "--m", 128, "--n", 256, "--k", 512, "--top_k", 50, "--json", "-")
    got = assay(*product)
    assert got.returncode == 0, got.stderr
    assert {row["kernel"] for row in json.loads(got.stdout)["kernels"]} == {name for name, _ in shelf[3]}
    # The document's own words; a model of one direction ranks kernels of that direction alone.
    for direction in ("forward", "bwd_data"):
        train = ("tune", "train", "--operation", "grouped_conv", "--direction", direction, "--dtype", "bf16")
        got = assay(*train, "--n_splits", 2, "--n_estimators", 4, "--num_leaves", 4)
        folder = f"models/grouped_conv_{direction}_bf16_gfx950"
        assert got.returncode == 0 and f"'{folder}'" in got.stdout and "24 rows over 6 problems" in got.stdout, got.stdout + got.stderr
        got = assay("tune", "predict", "--model_dir", folder, "--problem", "mb2ic64ih56oc64kh3ph1", "--top_k", 50, "--json", "-")
        assert got.returncode == 0, got.stderr
        kernels = {row["kernel"] for row in json.loads(got.stdout)["kernels"]}
        assert kernels == {name for name, _ in test_tune_conv.kernels(4, 2, variant=direction, seed=3)}
        got = assay("tune", "evaluate", "--model_dir", folder, "--data_dir", "data")
        assert got.returncode == 0 and "6 problems" in got.stdout, got.stdout + got.stderr
    for words in (("train", "--operation", "grouped_conv"), ("predict", "--model_dir", folder, "--problem", "mb2ic64ih56oc64kh3ph1")):
        got = assay("tune", *words, "--direction", "sideways")
        assert got.returncode == 2 and "--direction is 'sideways', expected forward, bwd_data or bwd_weight" in got.stderr, got.stderr
    got = assay("tune", "predict", "--model_dir", folder, "--problem", "mb2ic64ih56oc64kh3ph1", "--direction", "forward")
    assert got.returncode == 2 and "is for direction bwd_data, expected forward" in got.stderr, got.stderr
    # A list of names may hold both operations.
    (tmp_path / "names.txt").write_text("".join(name + "\n" for name, _ in shelf[3] + test_tune_conv.kernels(4, 2)))
    got = assay(*product, "--candidates", "names.txt")
    assert got.returncode == 0 and len(json.loads(got.stdout)["kernels"]) == 12, got.stderr


def test_predictor_ranks_configurations_as_lightgbm_does(shelf):
    from assay.tune import Predictor

    folder, booster, names, pool = shelf
    predictor = Predictor(folder / "models" / "gemm_universal_fp8_gfx950")
    rows = pq.read_table(folder / "data" / "gemm.parquet").to_pylist()
    configs = list({row["kernel_name"]: row for row in rows}.values())
    for m, n, k in test_tune_published.problems(8, seed=9):
        problem = {"m": m, "n": n, "k": k, "dtype": "fp8", "layout": "rcr"}
        x = np.array([[test_tune_published.features(m, n, k, "rcr", part)[name] for name in names] for _, part in pool])
        theirs = dict(zip([name for name, _ in pool], np.expm1(booster.predict(x, num_threads=1))))
        ranked = predictor.rank_kernels(problem, configs)
        assert [name for name, _ in ranked[:1]] == [max(theirs, key=theirs.get)] and {name for name, _ in ranked} == set(theirs)
        for name, tflops in ranked:
            assert tflops == pytest.approx(theirs[name], rel=1e-9)
        # By name only, by the folder of data, and a single kernel.
        assert dict(predictor.rank_kernels(problem, [{"kernel_name": name} for name, _ in pool])) == dict(ranked)
        assert [row["kernel"] for row in predictor.rank_kernels(problem, top_k=3)] == [name for name, _ in ranked[:3]]
        assert predictor.select_best(problem, configs) == ranked[0][0] == predictor.select_best(problem)
        assert predictor.predict_tflops(problem, pool[3][0]) == pytest.approx(theirs[pool[3][0]], rel=1e-9)
        assert predictor.predict_tflops(problem, configs[2]) == pytest.approx(theirs[configs[2]["kernel_name"]], rel=1e-9)
    problem = {"m": 128, "n": 128, "k": 128}
    for wrong, configs_, text in ((dict(problem, m=3.5), configs, "m is 3.5"), (dict(problem, q=1), configs, "has no q"), ({"m": 1, "n": 1}, configs, "needs k"),
                                  (dict(problem, dtype="fp16"), configs, "expected fp16"), (problem, [], "no configuration"),
                                  (problem, [{"tile_m": 3}], "no kernel_name"), (problem, [{"kernel_name": "banana"}], "banana"),
                                  (problem, [{**configs[0], "tile_m": 3.5}], "tile_m = 3.5"), (problem, [configs[0], {"kernel_name": "x"}], "other keys")):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            predictor.rank_kernels(wrong, configs_)
    with pytest.raises(ValueError, match="the configurations have no kernel_name"):
        predictor._ck.rank_configs("", "rcr", (1, 1, 1, 1), "", {"pipeline": ["mem"]}, {})
    with pytest.raises(ValueError, match="none of them runs on this machine"):
        predictor.choose(problem)
    with pytest.raises(ValueError, match="configs are for models of CK Tile's"):
        Predictor(MODEL).rank_kernels(problem, configs)


@pytest.mark.parametrize("dims", [2, 3])
def test_predictor_ranks_convolutions_as_the_document_does(assay, tmp_path, dims):
    """Its problem as a mapping; the figures are those of the command, whose own test compares it with LightGBM."""
    from assay.tune import Predictor

    test_tune_conv.write_csv(tmp_path / "a.csv", test_tune_conv.problems(8, dims, seed=1), test_tune_conv.kernels(5, dims, seed=3))
    assert assay("tune", "convert", "a.csv", "-o", "data/a.parquet").returncode == 0
    assert assay("tune", "train", "--out_dir", "models/m", "--n_splits", 2, "--n_estimators", 6, "--num_leaves", 6).returncode == 0
    rows = pq.read_table(tmp_path / "data" / "a.parquet").to_pylist()
    configs = list({row["kernel_name"]: row for row in rows}.values())
    predictor = Predictor(tmp_path / "models" / "m")
    for p in test_tune_conv.problems(6, dims, seed=7):
        told = assay("tune", "predict", "--model_dir", "models/m", "--problem", test_tune_conv.descriptor(p), "--top_k", 9, "--json", "-")
        expected = [(row["kernel"], row["tflops"]) for row in json.loads(told.stdout)["kernels"]]
        ranked = predictor.rank_kernels(p, configs)
        assert dict(ranked) == pytest.approx(dict(expected), rel=1e-9) and len(ranked) == 5
        assert [row["kernel"] for row in predictor.rank_kernels(p)] == [name for name, _ in expected]


# ---- running kernels from Python


def test_gradients_are_those_of_pytorch():
    torch = pytest.importorskip("torch")
    from assay.tune import Predictor

    predictor = Predictor()
    torch.manual_seed(3)
    for a_shape, b_shape in (((5, 7), (7, 3)), ((2, 5, 7), (2, 7, 3)), ((2, 5, 7), (7, 3)), ((1, 1), (1, 1)), ((0, 4), (4, 2)), ((3, 0), (0, 2))):
        for wants in ((True, True), (True, False), (False, True)):
            a, b = (torch.randn(shape, dtype=torch.float64, requires_grad=want) for shape, want in zip((a_shape, b_shape), wants))
            x, y = (one.detach().clone().requires_grad_(one.requires_grad) for one in (a, b))
            ours, theirs = predictor.run(a, b), x @ y
            assert ours.requires_grad and torch.allclose(ours, theirs)
            weight = torch.randn_like(theirs)
            (ours * weight).sum().backward()
            (theirs * weight).sum().backward()
            for mine, other in ((a, x), (b, y)):
                assert (mine.grad is None) == (other.grad is None) and (mine.grad is None or torch.allclose(mine.grad, other.grad))
    a = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a: predictor.run(a[:, ::2], a[:3].t()[:3]), (a,)) and torch.autograd.gradgradcheck(lambda a: predictor.run(a, a.t()), (a,))
    with torch.no_grad():
        assert not predictor.run(a, a.t()).requires_grad


@pytest.mark.parametrize("op", ["conv_fwd", "conv_bwd_data", "conv_bwd_weight"])
@pytest.mark.parametrize("groups, stride", [(1, 1), (2, 2)])
def test_gradients_of_convolutions_are_those_of_pytorch(op, groups, stride):
    torch = pytest.importorskip("torch")
    from assay.tune import Predictor

    torch.manual_seed(4)
    layer = {"op": op, "problem": f"g{groups}mb2ic4ih7oc6kh3ph1sh{stride}", "threads": 1}
    image, filter = torch.randn(2, 7, 7, 4), torch.randn(3, 3, 4 // groups, 6)
    plain = lambda x, w: torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), padding=1, stride=stride, groups=groups).permute(0, 2, 3, 1)
    result = torch.randn_like(plain(image, filter))
    values = {"x": image, "w": filter, "y": result}
    operands = {"conv_fwd": "xw", "conv_bwd_data": "yw", "conv_bwd_weight": "xy"}[op]

    def theirs(one, other):
        """The same by PyTorch; for the backward directions it is a gradient itself, so that it can be differentiated again."""
        given = dict(zip(operands, (one, other)))
        if op == "conv_fwd":
            return plain(one, other)
        (made,) = {"x", "w"} - set(given)
        variable = torch.zeros_like(values[made], requires_grad=True)
        out = plain(given.get("x", variable), given.get("w", variable))
        return torch.autograd.grad(out, variable, given["y"], create_graph=True)[0]

    ours = [values[role].clone().requires_grad_() for role in operands]
    other = [values[role].clone().requires_grad_() for role in operands]
    got, expected = Predictor().run(*ours, problem=layer), theirs(*other)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    weight = torch.randn_like(expected)
    (got * weight).sum().backward()
    (expected * weight).sum().backward()
    for mine, peer in zip(ours, other):
        torch.testing.assert_close(mine.grad, peer.grad, rtol=1e-4, atol=1e-4)


def test_run_takes_dense_tensors_of_the_host():
    torch = pytest.importorskip("torch")
    from assay.tune import Predictor

    x = torch.randn(6, 8)
    for a in (x[::2, ::2], x.t()[:4, :3].t(), x[:3, :1].expand(3, 4), x.flip(0)[:3, :4], torch.nn.Parameter(x[:3, :4])):
        for b in (x[:4], x[:, :4].t(), x[2:].flip(1)):
            torch.testing.assert_close(Predictor().run(a, b).detach(), (a @ b).detach(), rtol=1e-5, atol=1e-5)
    for wrong, text in ((torch.eye(8).to_sparse(), "dense tensors, got torch.sparse_coo"), (torch.eye(8).to_sparse_csr(), "got torch.sparse_csr"), (torch.empty(8, 8, device="meta"), "the host's memory")):
        for words in ((x, wrong), (wrong, x.t())):
            with pytest.raises(ValueError, match=text):
                Predictor().run(*words)
