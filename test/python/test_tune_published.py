"""Model folders as CK Tile publishes them: written here by LightGBM to its specification (the 72 features in its order, a
list of targets, TFLOPS and GB/s by their logarithms, milliseconds as they are), read by `assay tune`. The picks must be
LightGBM's own. The features are computed here in NumPy from CK Tile's definitions."""
import csv
import functools
import gzip
import json
import random
import shutil

import lightgbm
import numpy as np
import pyarrow
import pyarrow.parquet as pq
import pytest

LAYOUTS = ["rcr", "rrr", "crr", "ccr"]
PIPELINES = ["compv3", "compv4", "compv5", "mem"]
HARDWARE = dict(num_cus=256, simds_per_cu=4, total_simds=1024, shader_engines=32, max_clock_mhz=2400, max_waves_per_cu=32, wavefront_size=64,
                lds_capacity=65536, l1_cache_kb=32, l2_cache_kb=4096, l3_cache_kb=262144, num_xcd=8)  # fmt: skip


def kernels(count, dtype="fp8", layout="rcr", seed=1):
    """Different kernels: (name, its parts)."""
    choice, out = random.Random(seed), {}
    while len(out) < count:
        part = dict(tile=[choice.choice([64, 128, 192, 256]) for _ in range(2)] + [choice.choice([32, 64, 128])],
                    warp=choice.choice([[1, 4, 1], [2, 2, 1], [4, 1, 1]]), warp_tile=choice.choice([[16, 16, 32], [32, 32, 16]]),
                    pipeline=choice.choice(PIPELINES), scheduler=choice.choice(["intrawave", "interwave"]),
                    epilogue=choice.choice(["default", "cshuffle"]), pad=choice.choices([False, True], k=3), persistent=choice.random() < 0.5)  # fmt: skip
        sizes = "_".join("x".join(map(str, part[key])) for key in ("tile", "warp", "warp_tile"))
        truths = "_".join(str(one) for one in (*part["pad"], part["persistent"]))
        name = f"gemm_universal_{dtype}_{layout}_{part['pipeline']}_{part['epilogue']}_{part['scheduler']}_{truths}_{sizes}"
        if part["pipeline"] == "mem":
            part["pad"] = [True] * 3
        out[name] = part
    return list(out.items())


def features(m, n, k, layout, part, size=1.0, hardware=HARDWARE):
    """CK Tile's features by name, in its order."""
    tm, tn, tk = part["tile"]
    wm, wn, wk = part["warp"]
    log2 = lambda x: np.log2(max(x, 1))
    last = lambda x, tile: (x % tile) / tile if x % tile else 1.0
    needs, pads, small = ([x % tile != 0 for x, tile in zip((m, n, k), (tm, tn, tk))], part["pad"],
                          [x < tile for x, tile in zip((m, n, k), (tm, tn, tk))])  # fmt: skip
    lds = (tm * tk + tn * tk) * size
    tiles = [-(-x // tile) for x, tile in zip((m, n, k), (tm, tn, tk))]
    fills = [last(x, tile) for x, tile in zip((m, n, k), (tm, tn, tk))]
    row = {"M": m, "N": n, "K": k, "split_k": 1, "log2_M": log2(m), "log2_N": log2(n), "log2_K": log2(k), "log2_MNK": log2(m * n * k),
           "arithmetic_intensity": 2.0 * m * n * k / max((m * k + k * n + m * n) * size, 1), "aspect_ratio_mn": m / n, "aspect_ratio_mk": m / k,
           "aspect_ratio_nk": n / k, "layout": LAYOUTS.index(layout), "tile_m": tm, "tile_n": tn, "tile_k": tk, "warp_m": wm, "warp_n": wn,
           "warp_k": wk}  # fmt: skip
    row.update(zip(("warp_tile_m", "warp_tile_n", "warp_tile_k"), part["warp_tile"]))
    row.update(pipeline=PIPELINES.index(part["pipeline"]), scheduler=int(part["scheduler"] == "interwave"),
               epilogue=int(part["epilogue"] == "cshuffle"), pad_m=pads[0], pad_n=pads[1], pad_k=pads[2], persistent=part["persistent"],
               num_warps=wm * wn * wk, tile_volume=tm * tn * tk, tile_mn=tm * tn, lds_usage_estimate=lds,
               lds_usage_ratio=lds / (32768 if part["pipeline"] == "compv4" else hardware["lds_capacity"]))  # fmt: skip
    row.update(zip(("num_tiles_m", "num_tiles_n", "num_tiles_k"), tiles), total_output_tiles=tiles[0] * tiles[1])
    row.update(zip(("tile_eff_m", "tile_eff_n", "tile_eff_k"), fills), overall_tile_efficiency=fills[0] * fills[1] * fills[2],
               cu_utilization=tiles[0] * tiles[1] / hardware["num_cus"])  # fmt: skip
    row.update(zip(("ratio_M_to_tile_m", "ratio_N_to_tile_n", "ratio_K_to_tile_k"), (m / tm, n / tn, k / tk)))
    row.update(zip([f"problem_smaller_than_tile_{x}" for x in "mnk"], small), any_dim_too_small=any(small))
    row.update(zip([f"needs_padding_{x}" for x in "mnk"], needs))
    row.update(zip([f"has_padding_when_needed_{x}" for x in "mnk"], (a and b for a, b in zip(needs, pads))))
    row.update(zip([f"missing_required_padding_{x}" for x in "mnk"], (a and not b for a, b in zip(needs, pads))),
               missing_any_required_padding=any(a and not b for a, b in zip(needs, pads)))  # fmt: skip
    row.update((f"hw_{name}", hardware[name]) for name in ("num_cus", "simds_per_cu", "total_simds", "shader_engines", "max_clock_mhz",
               "max_waves_per_cu", "wavefront_size", "lds_capacity", "l1_cache_kb", "l2_cache_kb", "l3_cache_kb", "num_xcd"))  # fmt: skip
    return {name: float(value) for name, value in row.items()}


def problems(count, seed=3):
    choice = random.Random(seed)
    size = lambda: choice.choice([choice.randrange(1, 300), 2 ** choice.randrange(4, 14), choice.randrange(1, 20000)])
    out = set()
    while len(out) < count:
        out.add((size(), size(), size()))
    return sorted(out)


def rate(m, n, k, row, noise):
    """A rate in TFLOPS that depends on all features, so that picks differ."""
    fill = row["overall_tile_efficiency"] ** 0.3 * min(1, row["cu_utilization"]) ** 0.2
    return 900 * fill * (1 + 0.1 * row["pipeline"] + 0.07 * row["scheduler"] - 0.2 * row["missing_any_required_padding"]) * noise


@functools.cache
def training(num_cus, lds_capacity):
    """Rows of features with their rates and times."""
    rng, pool, rows, rates, ms = np.random.default_rng(7), kernels(60, seed=2), [], [], []
    for m, n, k in problems(80, seed=11):
        for _, part in pool[: 20 + m % 40]:
            rows.append(features(m, n, k, "rcr", part, hardware=dict(HARDWARE, num_cus=num_cus, lds_capacity=lds_capacity)))
            rates.append(rate(m, n, k, rows[-1], rng.uniform(0.9, 1.1)))
            ms.append(2.0 * m * n * k / rates[-1] * 1e-9)
    return rows, np.array(rates), np.array(ms)


def write_folder(folder, order=None, numbered=True, packed=True, drop=(), hardware=HARDWARE, **spec):
    """Trains the three models with LightGBM on random data and writes them as CK Tile does; returns the boosters by target."""
    rows, rates, ms = training(hardware["num_cus"], hardware["lds_capacity"])
    names = order or list(rows[0])
    x = np.array([[row[name] for name in names] for row in rows])
    labels = {"tflops": np.log1p(rates), "latency": ms, "bandwidth": np.log1p(1e3 * rates)}
    folder.mkdir(parents=True)
    boosters = {}
    for target, y in labels.items():
        if target in drop:
            continue
        categories = [names.index(name) for name in ("layout", "pipeline", "scheduler", "epilogue")]
        data = lightgbm.Dataset(x, y, feature_name="auto" if numbered else names, categorical_feature=categories)
        boosters[target] = lightgbm.train(dict(objective="regression", num_leaves=31, learning_rate=0.1, verbose=-1, seed=42, num_threads=1), data, 30)
        text = boosters[target].model_to_string()
        path = folder / f"model_{target}.lgbm"
        path.write_text(text)
        if packed:
            with gzip.open(f"{path}.gz", "wt") as out:
                out.write(text)
            path.unlink()
    spec = {"op_type": "gemm_universal", "dtype": "fp8", "arch": "gfx950", "feature_names": names,
            "categorical_features": ["layout", "pipeline", "scheduler", "epilogue"], "targets": ["tflops", "latency", "bandwidth"],
            "log_targets": ["bandwidth", "tflops"], "params": {"num_leaves": 31}, **spec}  # fmt: skip
    (folder / "feature_spec.json").write_text(json.dumps({key: value for key, value in spec.items() if value is not None}))
    return boosters, names


def write_data(path, shapes, pool, dtype="fp8"):
    """A data set with CK Tile's columns, every kernel on every problem."""
    rng, columns = np.random.default_rng(5), {}
    for m, n, k in shapes:
        for name, part in pool:
            tflops = rate(m, n, k, features(m, n, k, "rcr", part), rng.uniform(0.95, 1.05))
            ms = 2.0 * m * n * k / tflops * 1e-9
            row = dict(op_type="gemm_universal", dtype=dtype, layout="rcr", arch="gfx950", kernel_name=name, m=m, n=n, k=k, split_k=1,
                       measured_tflops=tflops, latency_ms=ms, bandwidth_gb_s=(m * k + k * n + m * n) / ms * 1e-6, is_valid=True, run_id="0",
                       pipeline=part["pipeline"], scheduler=part["scheduler"], epilogue=part["epilogue"], persistent=part["persistent"])  # fmt: skip
            for key in ("tile", "warp", "warp_tile", "pad"):
                row.update(zip([f"{key}_{x}" for x in "mnk"], part[key]))
            for key, value in row.items():
                columns.setdefault(key, []).append(value)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pyarrow.table(columns), path)


def row_of(names, shape, part, hardware=HARDWARE):
    row = features(*shape, "rcr", part, hardware=hardware)
    return [row[name] for name in names]


def picks_of(booster, names, shapes, pool, hardware=HARDWARE):
    """The kernel that LightGBM ranks first for each problem; kernels in the order of their names, so that ties are broken in the same way."""
    pool = sorted(pool)
    rows = np.array([row_of(names, shape, part, hardware) for shape in shapes for _, part in pool])
    scores = booster.predict(rows).reshape(len(shapes), len(pool))
    return [pool[best][0] for best in scores.argmax(axis=1)], scores


def test_a_published_folder_gives_lightgbms_own_picks(assay, tmp_path):
    boosters, names = write_folder(tmp_path / "models" / "ck")
    shapes, pool = problems(1000), kernels(16)
    write_data(tmp_path / "data" / "fp8.parquet", shapes, pool)
    got = assay("tune", "evaluate", "--model_dir", "models/ck", "--data_dir", "data", "--op", "gemm_universal", "--dtype", "fp8", "-o", "picks.csv")
    assert got.returncode == 0 and "evaluated: 1000 problems" in got.stdout and "written to 'picks.csv'" in got.stdout, got.stderr
    with open(tmp_path / "picks.csv") as file:
        said = {(int(row["m"]), int(row["n"]), int(row["k"])): row["pick"] for row in csv.DictReader(file)}
    expected, scores = picks_of(boosters["tflops"], names, shapes, pool)
    assert len(set(expected)) > 5
    assert sum(said[shape] == pick for shape, pick in zip(shapes, expected)) == 1000
    # One problem: all kernels of the folder data, which is CK Tile's place for them, with the three predictions.
    for number in (0, 500, 999):
        m, n, k = shapes[number]
        got = assay("tune", "predict", "--model_dir", "models/ck", "--m", m, "--n", n, "--k", k, "--layout", "rcr", "--top_k", 16, "--json", "-")
        assert got.returncode == 0, got.stderr
        ranked = json.loads(got.stdout)["kernels"]
        by_name = dict(zip((name for name, _ in sorted(pool)), scores[number]))
        assert [kernel["kernel"] for kernel in ranked] == sorted(by_name, key=lambda name: (-by_name[name], name))
        rows = np.array([row_of(names, (m, n, k), dict(pool)[kernel["kernel"]]) for kernel in ranked])
        for target, value in (("tflops", np.expm1), ("latency", lambda x: np.maximum(x, 0)), ("bandwidth", np.expm1)):
            np.testing.assert_allclose([kernel[target] for kernel in ranked], value(boosters[target].predict(rows)), rtol=1e-9)


@pytest.mark.parametrize("form", ["other order", "names in the model", "one target", "no list of targets", "another GPU"])
def test_every_form_of_a_published_folder(assay, tmp_path, form):
    """The first models have 55 features and no logarithm is named; some hold one model only; the newest include their GPU."""
    options = {"other order": dict(order=sorted(features(1, 1, 1, "rcr", kernels(1)[0][1]))[8:]),
               "names in the model": dict(numbered=False, packed=False), "one target": dict(drop=("latency", "bandwidth")),
               "no list of targets": dict(drop=("latency", "bandwidth"), targets=None, log_targets=None, categorical_features=None),
               "another GPU": dict(hardware=dict(HARDWARE, num_cus=304, lds_capacity=163840),
                                   feature_engine="GemmUniversalFeatureEngine", feature_encoding_version=0)}[form]  # fmt: skip
    hardware = options.get("hardware", HARDWARE)
    if form == "another GPU":
        given = {"hardware": {name: value for name, value in hardware.items() if name != "total_simds"}}
        (boosters, names) = write_folder(tmp_path / "m", **options)
        spec = json.loads((tmp_path / "m" / "feature_spec.json").read_text())
        (tmp_path / "m" / "feature_spec.json").write_text(json.dumps({**spec, **given}))
    else:
        (boosters, names) = write_folder(tmp_path / "m", **options)
    pool = kernels(16)
    (tmp_path / "names.txt").write_text("\n".join(name for name, _ in pool + kernels(3, dtype="fp16")) + "\n")
    shapes = problems(5, seed=8)
    expected, scores = picks_of(boosters["tflops"], names, shapes, pool, hardware)
    for (m, n, k), pick, row in zip(shapes, expected, scores):
        got = assay("tune", "predict", "--model_dir", "m", "--m", m, "--n", n, "--k", k, "--candidates", "names.txt", "--top_k", 1, "--json", "-")
        assert got.returncode == 0, got.stderr
        first = json.loads(got.stdout)["kernels"][0]
        assert first["kernel"] == pick and first["score"] == pytest.approx(row.max(), rel=1e-12)
        if form == "no list of targets":
            assert first["tflops"] == pytest.approx(row.max(), rel=1e-12)  # without a list of logarithms there is none
    got = assay("tune", "predict", "--model_dir", "m", "--m", 8, "--n", 8, "--k", 8, "--candidates", "names.txt")
    assert "predicted: 10 of 16 kernels of CK Tile for fp8 rcr 8x8x8; 3 of other types or layouts left out" in got.stdout


def test_a_comparison_of_two_folders_is_reported(assay, tmp_path):
    """Agreement, improved, same and degraded against counts made here from the data and LightGBM's picks."""
    write_folder(tmp_path / "new")
    boosters, names = write_folder(tmp_path / "old", order=["M", "N", "K", "log2_M", "layout", "pipeline", "scheduler", "epilogue", "tile_m"])
    fresh = lightgbm.Booster(model_str=gzip.open(tmp_path / "new" / "model_tflops.lgbm.gz", "rt").read())
    shapes, pool = problems(60, seed=4), kernels(12)
    write_data(tmp_path / "d.parquet", shapes, pool)
    got = assay("tune", "evaluate", "--model_dir", "new", "--data_dir", "d.parquet", "--baseline", "old", "-o", "c.csv", "--json", "e.json")
    assert got.returncode in (0, 1), got.stderr
    table = pq.read_table(tmp_path / "d.parquet").to_pandas()
    rates = {key: group.set_index("kernel_name").measured_tflops for key, group in table.groupby(["m", "n", "k"])}
    mine = picks_of(fresh, list(features(1, 1, 1, "rcr", pool[0][1])), shapes, pool)[0]
    theirs = picks_of(boosters["tflops"], names, shapes, pool)[0]
    gains = [(rates[shape][a] - rates[shape][b]) / rates[shape].max() for shape, a, b in zip(shapes, mine, theirs)]
    counts = {"problems": 60, "agree": sum(a == b for a, b in zip(mine, theirs)), "improved": sum(gain > 0.005 for gain in gains),
              "same": sum(abs(gain) <= 0.005 for gain in gains), "degraded": sum(gain < -0.005 for gain in gains)}  # fmt: skip
    assert 0 < counts["agree"] < 60 and counts["improved"] > 0
    report = json.loads((tmp_path / "e.json").read_text())
    assert report["changes"] == counts and report["accepted"] == (got.returncode == 0)
    assert f"kernel selection agreement: {counts['agree']} of 60" in got.stdout and "old model" in got.stdout
    with open(tmp_path / "c.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["change"] for row in rows].count("improved") == counts["improved"] and len(rows) == 60
    for row in rows:
        shape = rates[int(row["m"]), int(row["n"]), int(row["k"])]
        assert float(row["efficiency"]) == pytest.approx(shape[row["pick"]] / shape.max(), abs=2e-6)
        assert float(row["old_efficiency"]) == pytest.approx(shape[row["old_pick"]] / shape.max(), abs=2e-6)
    got = assay("tune", "evaluate", "--model_dir", "new", "--data_dir", "d.parquet", "-o", "c.json")
    assert got.returncode == 0 and len(json.loads((tmp_path / "c.json").read_text())["picks"]) == 60


def test_published_folders_are_refused_by_name(assay, tmp_path):
    write_folder(tmp_path / "m", drop=("latency", "bandwidth"))
    spec = json.loads((tmp_path / "m" / "feature_spec.json").read_text())

    def altered(**changes):
        shutil.rmtree(tmp_path / "x", ignore_errors=True)
        shutil.copytree(tmp_path / "m", tmp_path / "x")
        (tmp_path / "x" / "feature_spec.json").write_text(json.dumps({**spec, **changes}))
        return "x"

    problem = ("--m", 8, "--n", 8, "--k", 8)
    (tmp_path / "names.txt").write_text(kernels(1)[0][0] + "\n")
    (tmp_path / "names.csv").write_text("m,n,k\n8,8,8\n")
    (tmp_path / "bad.txt").write_text("gemm_universal_fp8_rcr_strange\n")
    names = spec["feature_names"]
    for words, text in (
        (("predict", "--model_dir", "m", *problem), "data' does not exist; name them with --candidates"),
        (("predict", "--model_dir", "m", *problem, "--candidates", "bad.txt"), "has no valid"),
        (("predict", "--model_dir", "m", *problem, "--candidates", "names.txt", "--layout", "ccr"), "none of them of fp8 ccr"),
        (("predict", "--model_dir", "m", *problem, "--candidates", "names.txt", "--dtype", "fp16"), "is for fp8, expected fp16"),
        (("predict", "--model_dir", "m", "--m", 0, "--n", 8, "--k", 8), "--m is 0, expected at least 1"),
        (("predict", "--model_dir", "m", *problem, "--batch", 2), "--batch is 2"),
        (("search", "--model_dir", "m", *problem, "--strategy", "active", "--candidates", "names.txt"), "leave out --measure and --strategy active"),
        (("validate", "--model_dir", "m", "--shapes", "names.csv"), "assay tune predict --candidates"),
        (("predict", "--model_dir", altered(op_type="fmha"), *problem, "--candidates", "names.txt"), "`assay tune score` evaluates any model"),
    ):
        got = assay("tune", *words)
        assert got.returncode == 2 and text in got.stderr and got.stderr.count("\n") == 1, (words, got.stderr)
    for changes, text in ((dict(feature_names=[*names[:-1], "vec_frac_a"]), "'vec_frac_a', which this build does not compute"),
                          (dict(feature_encoding_version=1), "encoding version 1"), (dict(targets=["speed"]), "the target 'speed'"),
                          (dict(feature_names=names[1:]), "features that are not those"), (dict(targets=["latency"]), "no model_tflops.lgbm[.gz]"),
                          (dict(dtype=""), "has no dtype"), (dict(feature_names=[]), "has no feature_names")):  # fmt: skip
        got = assay("tune", "predict", "--model_dir", altered(**changes), *problem, "--candidates", "names.txt")
        assert got.returncode == 2 and text in got.stderr and got.stderr.count("\n") == 1, (changes, got.stderr)
    got = assay("tune", "predict", "--model_dir", "/".join([str(tmp_path), "none"]), *problem)
    assert got.returncode == 2
