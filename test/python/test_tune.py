"""assay tune against independent tools: features against formulas written here in plain Python, models against LightGBM's
own predictions, data sets against pyarrow, and a collection that is killed and continues."""
import json
import math
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time

import lightgbm
import numpy as np
import pyarrow.parquet as pq
import pytest

KERNEL = "tile_14x32x4_98x3072x384_np_nkm_plain_sk1_t0x0_exact_fused"
CK_KERNEL = ("gemm_universal_fp16_rcr_mem_cshuffle_interwave_False_False_False_True_"
               "128x64x32_2x2x1_32x32x16_vec8_8_4")
OTHER = "tile_6x64x4_3072x128x192_pp_mkn_pf8_sk4_t0x1_padded_fused"
MACHINE = "avx512 l1=32K l2=1024K l3=8192K"


def expected_features(m, n, k, threads, layout, tile):
    """CK Tile's formulas, and the cache terms, for f32 on MACHINE, from their definitions."""
    mr, nr, mc, nc, kc, nkm = tile
    log2 = lambda x: math.log2(max(x, 1))
    last = lambda x, t: (x % t) / t if x % t else 1
    size, l1, l2 = 4, 32 << 10, 1024 << 10
    mb, nb, kb = min(mc, m), min(nc, n), min(kc, k)
    return {
        "M": m, "N": n, "K": k, "log2_M": log2(m), "log2_N": log2(n), "log2_K": log2(k), "log2_MNK": log2(m * n * k),
        "arithmetic_intensity": 2 * m * n * k / max((m * k + k * n + m * n) * size, 1),
        "aspect_ratio_mn": m / max(n, 1), "aspect_ratio_mk": m / max(k, 1), "aspect_ratio_nk": n / max(k, 1),
        "layout": ["rcr", "rrr", "crr", "ccr"].index(layout), "threads": threads,
        "tile_m": mr, "tile_n": nr, "tile_mn": mr * nr, "block_m": mc, "block_n": nc, "block_k": kc,
        "num_tiles_m": -(-m // mr), "num_tiles_n": -(-n // nr), "total_output_tiles": -(-m // mr) * -(-n // nr),
        "tile_eff_m": last(m, mr), "tile_eff_n": last(n, nr), "overall_tile_efficiency": last(m, mr) * last(n, nr),
        "ratio_M_to_tile_m": m / mr, "ratio_N_to_tile_n": n / nr, "any_dim_too_small": float(m < mr or n < nr),
        "use_m": m / (mr * -(-m // mr)), "blocks_m": -(-m // mb), "blocks_n": -(-n // nb), "blocks_k": -(-k // kb),
        "last_block_k": last(k, kb), "a_block_l2": mb * kb * size / l2, "b_block_l2": kb * nb * size / l2,
        "inner_l2": (mb if nkm else nb) * kb * size / l2, "slivers_l1": (mr + nr) * kb * size / l1,
        "pack_cost_a": (-(-n // nb) if nkm else 1) / n, "pack_cost_b": (1 if nkm else -(-m // mb)) / m,
        "c_traffic": 8 * -(-k // kb) / k,
        "register_use": (mr * -(-nr // 16) + -(-nr // 16) + 1) / 32,
        "balance_rows": m * n / (threads * -(-(-(-m // mr)) // threads) * -(-n // nr) * mr * nr),
    }


@pytest.mark.parametrize("kernel,tile", [(KERNEL, (14, 32, 98, 3072, 384, True)), (OTHER, (6, 64, 3072, 128, 192, False))])
@pytest.mark.parametrize("m,n,k,threads,layout", [(1, 1, 1, 1, "rcr"), (64, 128, 256, 2, "rcr"), (997, 3073, 1001, 2, "rrr"),
                                                  (1, 4096, 7168, 1, "ccr"), (20480, 7168, 256, 4, "crr")])
def test_features_follow_their_formulas(assay, kernel, tile, m, n, k, threads, layout):
    got = assay("tune", "features", "--m", m, "--n", n, "--k", k, "--threads", threads, "--layout", layout, "--kernel", kernel,
                "--machine", MACHINE)
    assert got.returncode == 0, got.stderr
    values = json.loads(got.stdout)
    for name, value in expected_features(m, n, k, threads, layout, tile).items():
        assert values[name] == pytest.approx(value, rel=1e-6, abs=1e-12), name


def test_feature_page_is_up_to_date():
    made = subprocess.run([sys.executable, pathlib.Path(__file__).resolve().parents[2] / "utils/generate/gen_features.py", "--check"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr


def rows_and_model(tmp_path, **extra):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1500, 6))
    x[:, 3] = rng.integers(0, 40, 1500)
    x[rng.random(1500) < 0.2, 4] = np.nan
    y = 2 * x[:, 0] + np.sin(3 * x[:, 1]) + (x[:, 3] % 3 == 1) + np.nan_to_num(x[:, 4])
    parameters = dict(objective="regression", num_leaves=31, verbose=-1, num_threads=1, seed=1, **extra)
    model = lightgbm.train(parameters, lightgbm.Dataset(x, y, categorical_feature=[3]), 50)
    model.save_model(str(tmp_path / "model.lgbm"))
    test = x[:300] + np.array([0.1, 0.1, 0, 0, 0.1, 0])
    np.savetxt(tmp_path / "rows.csv", test, delimiter=",", fmt="%.17g")
    return model, test


@pytest.mark.parametrize("extra", [{}, {"zero_as_missing": True}, {"use_missing": False}, {"linear_tree": False, "max_depth": 3}])
def test_models_predict_as_lightgbm_does(assay, tmp_path, extra):
    model, rows = rows_and_model(tmp_path, **extra)
    got = assay("tune", "score", "model.lgbm", "rows.csv", "--rewrite", "copy.lgbm.gz")
    assert got.returncode == 0, got.stderr
    np.testing.assert_allclose(np.array(got.stdout.split(), float), model.predict(rows), rtol=1e-6)
    subprocess.run(["gunzip", "copy.lgbm.gz"], cwd=tmp_path, check=True)
    again = lightgbm.Booster(model_file=str(tmp_path / "copy.lgbm"))
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))


def test_thresholds_that_are_not_finite_decide_as_in_lightgbm(assay, tmp_path):
    """LightGBM writes inf where it separates NaN from all numbers; nan and -inf are put in by hand, at nodes of every kind."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2000, 5))
    for column, odd in enumerate((np.inf, -np.inf, np.nan)):
        x[rng.random(2000) < 0.3, column] = odd
    x[:, 3] = np.where(rng.random(2000) < 0.5, np.nan, 1)
    y = 3.0 * np.isinf(x[:, 0]) + 2.0 * np.isinf(x[:, 1]) + np.isnan(x[:, 2]) + 4 * np.isnan(x[:, 3]) + np.sin(x[:, 4])
    text = lightgbm.train(dict(objective="regression", num_leaves=8, verbose=-1), lightgbm.Dataset(x, y), 20).model_to_string()
    assert " inf" in text.split("end of trees")[0].split("feature_infos")[1].split("threshold=", 1)[1]
    choice = random.Random(2)
    odd = ["nan", "inf", "-inf"]
    lines = [line if not line.startswith("threshold=") else
             "threshold=" + " ".join(choice.choice(odd) if choice.random() < 0.3 else word for word in line[10:].split())
             for line in text.splitlines()]  # fmt: skip
    rows = x[:400].copy()
    rows[::7, choice.randrange(5)] = np.inf
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", fmt="%.17g")
    for name, model in (("plain", text), ("odd", "\n".join(line for line in lines if not line.startswith("tree_sizes")))):
        (tmp_path / f"{name}.lgbm").write_text(model)
        got = assay("tune", "score", f"{name}.lgbm", "rows.csv", "--rewrite", "copy.lgbm")
        assert got.returncode == 0, got.stderr
        expected = lightgbm.Booster(model_file=str(tmp_path / f"{name}.lgbm")).predict(rows)
        np.testing.assert_allclose(np.array(got.stdout.split(), float), expected, rtol=1e-12)
        np.testing.assert_array_equal(lightgbm.Booster(model_file=str(tmp_path / "copy.lgbm")).predict(rows), expected)
    broken = text.replace("leaf_value=", "leaf_value=nan ", 1)
    (tmp_path / "broken.lgbm").write_text(broken)
    assert assay("tune", "score", "broken.lgbm", "rows.csv").returncode == 2


def write_shapes(tmp_path, lines="16,32,64\n5,7,9\n"):
    (tmp_path / "shapes.csv").write_text("m,n,k\n" + lines)


COLLECT = ("tune", "collect", "--shapes", "shapes.csv", "--kernels", "sample:12", "--threads", "1", "--pairs", "5", "-o", "d.parquet")


def test_collect_train_evaluate_predict(assay, tmp_path):
    write_shapes(tmp_path, "".join(f"{m},{n},{k}\n" for m in (1, 20, 50) for n in (16, 70) for k in (32, 90)))
    got = assay(*COLLECT)
    assert got.returncode == 0, got.stderr
    table = pq.read_table(tmp_path / "d.parquet").to_pandas()
    assert len(table) == 12 * 12 and table.is_valid.all() and set(table.threads) == {1}
    flops = 2.0 * table.m * table.n * table.k
    np.testing.assert_allclose(table.measured_tflops, flops / table.latency_ms * 1e-9, rtol=1e-9)
    train = ("tune", "train", "--data_dir", "d.parquet", "--n_splits", "3", "--n_estimators", "20", "--targets", "efficiency,latency")
    for out in ("m1", "m2"):
        got = assay(*train, "--out_dir", out)
        assert got.returncode == 0, got.stderr
    for name in ("model_efficiency.lgbm.gz", "model_latency.lgbm.gz", "train_manifest.json", "feature_spec.json"):
        assert (tmp_path / "m1" / name).read_bytes() == (tmp_path / "m2" / name).read_bytes(), name
    got = assay("tune", "evaluate", "--model_dir", "m1", "--data_dir", "d.parquet", "--baseline", "m2", "--json", "e.json")
    assert got.returncode == 0, got.stderr
    summary = json.loads((tmp_path / "e.json").read_text())["summary"]
    assert 0.5 < summary["mean"]["value"] <= 1 and summary["problems"] == 12
    got = assay("tune", "predict", "--model_dir", "m1", "--m", 20, "--n", 70, "--k", 90, "--threads", 1, "--top_k", 4, "--json", "-")
    assert got.returncode == 0, got.stderr
    ranked = json.loads(got.stdout)["kernels"]
    assert len(ranked) == 4 and ranked[0]["score"] >= ranked[1]["score"]
    got = assay(*train, "--out_dir", "m3", "--warm_start", "m1", "--warm_start_n_estimators", "5")
    assert got.returncode == 0, got.stderr
    total = json.loads((tmp_path / "m3" / "train_manifest.json").read_text())
    assert total["total_n_estimators"]["latency"] > total["prev_n_estimators"]["latency"] > 0
    # The new trees continue from the old ones: held-out errors fall, and predictions stay close.
    for target in ("efficiency", "latency"):
        errors = [[fold["rmse"] for fold in json.loads((tmp_path / folder / f"cv_metrics_{target}.json").read_text())]
                  for folder in ("m1", "m3")]
        assert max(errors[1]) < 1.05 * max(errors[0]), (target, errors)
    got = assay("tune", "predict", "--model_dir", "m3", "--m", 20, "--n", 70, "--k", 90, "--threads", 1, "--top_k", 1000, "--json", "-")
    warm = {kernel["kernel"]: kernel for kernel in json.loads(got.stdout)["kernels"]}
    for kernel in ranked:
        assert warm[kernel["kernel"]]["latency"] == pytest.approx(kernel["latency"], rel=0.5)
    for strategy in ("random", "de"):
        got = assay("tune", "search", "--model_dir", "m1", "--m", 20, "--n", 70, "--k", 90, "--threads", 1, "--strategy", strategy,
                    "--budget", 200, "--top_k", 2, "--json", "-")
        assert got.returncode == 0 and len(json.loads(got.stdout)["kernels"]) == 2, got.stderr


def journal_rows(path):
    """The complete lines of a journal that are measurements."""
    lines = path.read_text().split("\n")[1:-1] if path.exists() else []
    return [row for row in map(json.loads, lines) if "kernel" in row]


def test_a_killed_collection_goes_on(assay, tmp_path):
    write_shapes(tmp_path, "".join(f"{m},64,64\n" for m in range(1, 4000)))
    program = os.path.join(os.environ["ASSAY_BIN"], "assay")
    run = subprocess.Popen([program, *COLLECT], cwd=tmp_path, stdout=subprocess.DEVNULL)
    journal = tmp_path / "d.parquet.journal"
    deadline = time.time() + 120
    while time.time() < deadline and len(journal_rows(journal)) < 20:
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.wait()
    before = len(journal_rows(journal))
    assert before >= 20 and not (tmp_path / "d.parquet").exists()
    with journal.open("ab") as file:
        file.write(b'{"m":1,"n":6')
    got = assay(*COLLECT, "--resume", "--seed", 9)
    assert got.returncode == 2 and "other settings: --seed 0 (now 9)" in got.stderr
    got = assay(*COLLECT, "--resume", "--budget", "1", "--json", "-")
    assert got.returncode == 0, got.stderr
    report = json.loads(got.stdout)
    assert report["reused"] == before and not journal.exists() and report["problems_left"] > 0
    assert pq.read_table(tmp_path / "d.parquet").num_rows == report["rows"]


def measured(folder):
    """(problem, kernel) -> its latest row, wherever it is; a later round replaces an earlier one."""
    rows = pq.read_table(folder / "d.parquet").to_pylist() if (folder / "d.parquet").exists() else []
    rows += [dict(row, kernel_name=row["kernel"]) for row in journal_rows(folder / "d.parquet.journal")]
    return {tuple(row[name] for name in ("m", "n", "k", "batch", "threads", "kernel_name")): row for row in rows}


class Endings:
    """Ends a collection in every possible way; for each there is a text that the error output must have."""

    def __init__(self, folder, random):
        self.folder, self.random = folder, random
        self.words = [os.path.join(os.environ["ASSAY_BIN"], "assay"), *COLLECT]

    def start(self, *more, **settings):
        words = list(self.words)
        for flag, value in zip(more[::2], more[1::2]):
            if flag in words:
                words[words.index(flag) + 1] = value
            else:
                words += [flag, value]
        return subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                **settings)

    def finish(self, run, codes, text=""):
        _, errors = run.communicate(timeout=120)
        assert run.returncode in codes and text in errors, (run.returncode, errors)

    def killed(self):
        run = self.start()
        time.sleep(self.random.uniform(0.02, 0.8))
        run.send_signal(signal.SIGKILL)
        self.finish(run, (-signal.SIGKILL, 0))

    def interrupted(self):
        run = self.start()
        time.sleep(self.random.uniform(0.1, 0.8))
        run.send_signal(signal.SIGINT)
        self.finish(run, (130, -signal.SIGINT, 0))

    def over_budget(self):
        self.finish(self.start("--budget", f"{self.random.uniform(0.05, 0.5):.2f}"), (0,))

    def over_time(self):
        self.finish(self.start("--max-seconds", "0.4"), (0, 2))

    def disk_full(self):
        sizes = [path.stat().st_size for path in self.folder.glob("d.parquet*")]
        limit = max(sizes, default=0) + self.random.randrange(100, 4000)

        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        run = self.start("--budget", "0.8", preexec_fn=limit_files, restore_signals=False)
        self.finish(run, (0, 2))
        assert run.returncode == 0 or not list(self.folder.glob("*.partial"))

    def other_settings(self):
        flag, value = self.random.choice([("--seed", "3"), ("--kernels", "sample:13"), ("--pairs", "6"), ("--dtype", "f64"),
                                          ("--layout", "rrr")])
        self.finish(self.start(flag, value), (2,), f"other settings: {flag} ")

    def other_problems(self):
        lines = "".join(f"{self.random.randrange(1, 90)},48,32\n" for _ in range(9))
        write_shapes(self.folder, lines)
        self.finish(self.start("--budget", "0.3", "--threads", self.random.choice(["1", "1,2"])), (0,))


def test_nothing_measured_is_ever_lost(tmp_path):
    """ASSAY_ENDINGS says how many times the collection is ended (50 takes a minute or two)."""
    choice = random.Random(18)
    endings = Endings(tmp_path, choice)
    write_shapes(tmp_path, "".join(f"{m},64,96\n" for m in range(1, 60)))
    endings.over_budget()
    before = measured(tmp_path)
    ways = [endings.killed, endings.interrupted, endings.over_budget, endings.over_time, endings.disk_full, endings.other_settings,
            endings.other_problems]
    count = int(os.environ.get("ASSAY_ENDINGS", "14"))
    for step in range(count):
        way = ways[step % len(ways)] if step < 2 * len(ways) else choice.choice([endings.killed, *ways])
        way()
        after = measured(tmp_path)
        assert before and not before.keys() - after.keys(), way.__name__
        for key, row in before.items():
            kept = after[key]
            assert kept["round"] > row["round"] or (kept["ratio"] == row["ratio"] and kept["pairs"] == row["pairs"]) \
                or (math.isnan(kept["ratio"]) and not row["is_valid"]), (way.__name__, row, kept)
        before = after
    got = subprocess.run([*endings.words, "--budget", "1"], cwd=tmp_path, capture_output=True, text=True)
    assert got.returncode == 0, got.stderr
    whole = pq.read_table(tmp_path / "d.parquet")
    assert whole.num_rows >= len(before) and not (tmp_path / "d.parquet.journal").exists()


def test_a_data_file_only_grows(assay, tmp_path):
    write_shapes(tmp_path)
    got = assay(*COLLECT)
    assert got.returncode == 0 and "2 problems to measure" in got.stdout and "1 of 2, about" in got.stdout, got.stderr
    first = pq.read_table(tmp_path / "d.parquet")
    got = assay(*COLLECT)
    assert got.returncode == 0 and "0 problems to measure" in got.stdout and "which held 24 measurements" in got.stdout
    assert pq.read_table(tmp_path / "d.parquet").equals(first)
    write_shapes(tmp_path, "5,7,9\n5,7,10\n5,7,10\n")
    got = assay(*COLLECT, "--json", "-")
    report = json.loads(got.stdout)
    assert report["problems_kept"] == 1 and report["problems_done"] == 2 and report["rows"] == 36
    again = pq.read_table(tmp_path / "d.parquet").to_pandas().set_index(["m", "k", "kernel_name"])
    for key, row in first.to_pandas().set_index(["m", "k", "kernel_name"]).iterrows():
        assert again.loc[key].equals(row), key
    (tmp_path / "log.csv").write_text("kernel_name,m,n,k,latency_ms,tflops\n" + CK_KERNEL + ",16,32,64,0.5,1.5\n")
    got = assay("tune", "convert", "log.csv", "-o", "d.parquet")
    assert got.returncode == 2 and "which are not overwritten" in got.stderr
    got = assay("tune", "convert", "log.csv", "-o", "c.parquet")
    assert got.returncode == 0, got.stderr
    got = assay(*COLLECT[:-1], "c.parquet")
    assert got.returncode == 2 and "does not say the settings" in got.stderr
    assert pq.read_table(tmp_path / "d.parquet").num_rows == 36


def auto(assay, *words):
    """`tune auto`; repeated if a stalled machine left no time for a phase."""
    for _ in range(4):
        got = assay("tune", "auto", *words)
        if not ("left no time" in got.stderr or "nothing was measured" in got.stderr):
            break
    return got


def test_auto_trains_on_the_measurements_of_all_its_runs(assay, tmp_path):
    words = ("--budget", "5", "--kernels", "sample:8", "--threads", "1", "--cap", "0.001", "--out_dir", "models", "--quiet")
    for run, seed in enumerate(("0", "0", "1")):
        start = time.monotonic()
        got = auto(assay, *words, "--seed", seed, "--json", "report.json")
        assert got.returncode in (0, 1), got.stderr
        # The budget is for all phases; without it the training alone takes several times as long.
        report = json.loads((tmp_path / "report.json").read_text())
        assert report["seconds"] < 15 and time.monotonic() - start < 20, report
        better = [report[side]["speedup"] > 1 and report[side]["low"] > 0.98 and report[side]["problems"] > 1 for side in ("over_before", "over_analytic")]
        assert report["installed"] == all(better) == (got.returncode == 0) and report["checked"] > 0
        assert ("installed: '" in got.stdout) == report["installed"] and not list((tmp_path / "models").glob("*.new"))
        files = sorted((tmp_path / "models").glob("*.data/*.parquet"))
        rows = sum(pq.read_table(file).num_rows for file in files)
        if run == 1:
            assert rows > before and f"; {before} measurements are of earlier runs" in got.stdout
        assert len(files) == (2 if run == 2 else 1) and rows > 0
        before = rows


def test_auto_continues_the_model_that_is_there(assay, tmp_path, monkeypatch):
    """The shipped trees remain before the new ones for the target that a short budget trains; the other targets keep the shipped files."""
    shipped = pathlib.Path(__file__).resolve().parents[2] / "models" / "gemm_f32_rcr"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    got = auto(assay, "--budget", "8", "--threads", "1", "--cap", "0.0008", "--json", "report.json")
    assert got.returncode in (0, 1), got.stderr
    assert f"starts from '{shipped}'" in got.stdout.replace("/build/release/bin/../../..", ""), got.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert pathlib.Path(report["base"]).resolve() == shipped and report["model"] == str(tmp_path / "home/assay/models/gemm_f32_rcr")
    assert report["over_before"]["problems"] == report["over_analytic"]["problems"] == report["checked"] > 0
    # Problems begin with the model's proposals: at most 41 kernels before the first step of neighbours.
    (file,) = (tmp_path / "home/assay/models/gemm_f32_rcr.data").glob("*.parquet")
    table = pq.read_table(file)
    assert table.num_rows == report["collected"]["rows"]
    if not report["installed"]:
        assert not (tmp_path / "home/assay/models/gemm_f32_rcr").exists()
        return
    folder = tmp_path / "home/assay/models/gemm_f32_rcr"
    manifest = json.loads((folder / "train_manifest.json").read_text())
    before = json.loads((shipped / "train_manifest.json").read_text())
    assert manifest["prev_n_estimators"]["efficiency"] == before["total_n_estimators"]["efficiency"] < manifest["total_n_estimators"]["efficiency"]
    assert set(before["seen_groups"]) < set(manifest["seen_groups"])
    spec = json.loads((folder / "feature_spec.json").read_text())
    assert set(spec["targets"]) == {"efficiency", "tflops", "latency", "bandwidth"} and spec["threads"] == [1, 2]
    assert (folder / "model_latency.lgbm.gz").read_bytes() == (shipped / "model_latency.lgbm.gz").read_bytes()


def test_bad_input_is_refused(assay, tmp_path):
    write_shapes(tmp_path)
    assert assay(*COLLECT).returncode == 0
    whole = (tmp_path / "d.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty").mkdir()
    for words, text in [(("train", "--data_dir", "cut.parquet", "--out_dir", "m"), "not a whole Parquet file"),
                        (("train", "--data_dir", "empty", "--out_dir", "m"), "no .parquet file"),
                        (("train", "--data_dir", "d.parquet", "--out_dir", "m", "--dtype", "bf16"), "no row of op"),
                        (("train", "--data_dir", "d.parquet", "--out_dir", "m"), "folds need at least"),
                        (("evaluate", "--model_dir", "empty", "--data_dir", "d.parquet"), "not a model folder"),
                        (("predict", "--model_dir", "nowhere", "--m", 1, "--n", 1, "--k", 1), "not a model folder"),
                        (("collect", "--shapes", "nowhere.csv", "-o", "x.parquet"), "cannot read"),
                        (("collect", "--shapes", "shapes.csv", "-o", "x.parquet", "--kernels", "most"), "all, active, active:N, or sample:N")]:
        got = assay("tune", *words)
        assert got.returncode == 2 and text in got.stderr, (words, got.stderr)
        assert got.stderr.count("\n") == 1


def test_predictor_ranks_like_the_command_and_refuses_by_message(assay, tmp_path):
    from assay.tune import Predictor

    folder = pathlib.Path(__file__).resolve().parents[2] / "models" / "gemm_f32_rcr"
    problem = dict(m=100, n=512, k=300, threads=1)
    predictor = Predictor(folder)
    ranked = predictor.rank_kernels(problem, top_k=5)
    scores = [kernel["score"] for kernel in ranked]
    assert len(ranked) == 5 and scores == sorted(scores, reverse=True)
    assert all(kernel["tflops"] > 0 and kernel["latency"] > 0 for kernel in ranked)
    assert predictor.select_best(problem) == ranked[0]["kernel"]
    said = assay("tune", "predict", "--model_dir", folder, "--m", 100, "--n", 512, "--k", 300, "--threads", 1, "--top_k", 5, "--json", "-")
    assert said.returncode == 0, said.stderr
    printed = json.loads(said.stdout)
    assert [kernel["kernel"] for kernel in printed["kernels"]] == [kernel["kernel"] for kernel in ranked]
    assert [kernel["score"] for kernel in printed["kernels"]] == pytest.approx(scores, rel=1e-6)
    assert printed["note"] == predictor.note
    assert predictor.predict_tflops(problem) == ranked[0]["tflops"]
    assert predictor.predict_latency(problem, ranked[3]["kernel"]) == pytest.approx(ranked[3]["latency"], rel=1e-9)
    candidates = predictor.candidates(problem)
    assert ranked[0]["kernel"] in candidates and set(candidates) < set(predictor.kernels())
    choice = predictor.choose(problem)
    assert choice.kernel in candidates and str(folder) in choice.by  # a named folder is used on any machine
    for wrong, message in ((dict(m=1, n=1, k=1, q=2), "a problem has no q"), (dict(m=1, n=1), "k is missing"), (dict(m=0, n=1, k=1), "m is 0, expected a whole"), (dict(m=5.5, n=1, k=1), "m is 5.5, expected a whole"),
                           (dict(m=2, n=2, k=2, layout="ccr"), "expected f32 ccr"), (dict(m=1, n=1, k=1, dtype="f33"), "'f33' is not one of"),
                           (dict(m=1, n=1, k=1, op="conv"), "kernels exist for gemm")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            predictor.rank_kernels(wrong)
    with pytest.raises(OSError, match="no kernel is called"):
        predictor.predict_tflops(problem, "tile_of_nobody")
    with pytest.raises(OSError, match="feature_spec.json"):
        Predictor(tmp_path).rank_kernels(dict(m=1, n=1, k=1))


@pytest.mark.parametrize("framework", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int8"])
def test_predictor_runs_products(framework, dtype):
    """Against NumPy in f64, for layouts that are read in place and for those that are copied."""
    import ml_dtypes
    from assay.tune import Predictor

    torch = pytest.importorskip("torch") if framework == "torch" else None
    rng = np.random.default_rng(1)
    kind = getattr(ml_dtypes, dtype) if dtype == "bfloat16" else np.dtype(dtype)

    def make(*shape):
        values = rng.integers(-4, 5, shape).astype(np.float64)  # exact in every type
        return values, torch.tensor(values).to(getattr(torch, dtype)) if torch else values.astype(kind)

    def rounded(exact):
        return exact if dtype == "int8" else exact.astype(kind).astype(np.float64)

    predictor = Predictor()
    wide = lambda made: made.double().numpy() if torch else made.astype(np.float64)
    for a_shape, b_shape in (((7, 33), (33, 20)), ((1, 5), (5, 1)), ((3, 4, 9), (3, 9, 6)), ((3, 4, 9), (9, 6)), ((4, 1), (1, 8)), ((0, 3), (3, 2))):
        (a, first), (b, second) = make(*a_shape), make(*b_shape)
        got = predictor.run(first, second)
        np.testing.assert_array_equal(wide(got), rounded(a @ b))
        assert str(got.dtype).removeprefix("torch.") == ("int32" if dtype == "int8" else dtype)
    (a, first), (b, second) = make(40, 30), make(50, 30)
    flip = (lambda x: x.T) if not torch else (lambda x: x.t())
    np.testing.assert_array_equal(wide(predictor.run(first, flip(second))), rounded(a @ b.T))
    np.testing.assert_array_equal(wide(predictor.run(flip(first), first)), rounded(a.T @ a))
    np.testing.assert_array_equal(wide(predictor.run(first[::2, ::3], first[:10, ::3].T if not torch else first[:10, ::3].t())), rounded(a[::2, ::3] @ a[:10, ::3].T))


def test_predictor_refuses_what_no_kernel_multiplies():
    from assay.tune import Predictor

    x = np.ones((3, 3), np.float32)
    for a, b, message in ((x, np.ones((4, 3), np.float32), "is not a product"), (x, x.astype(np.float64), "no kernel multiplies"), (x.astype(np.int64), x.astype(np.int64), "no kernel multiplies"),
                          (x, [[1.0]], "two arrays of NumPy"), (np.ones(3, np.float32), x, "is not a product")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            Predictor().run(a, b)


def test_a_warm_start_keeps_what_its_parent_has_seen(assay, tmp_path):
    """m2 continues from m1 with other shapes: the shapes of both count as seen, and both ranges as trained."""
    train = ("--n_splits", "2", "--n_estimators", "10", "--targets", "efficiency,tflops,latency")
    for name, shapes in (("a", [(16, 32, 64), (20, 30, 40), (9, 100, 17)]), ("b", [(50, 60, 70), (64, 8, 90), (33, 44, 200)])):
        (tmp_path / "shapes.csv").write_text("m,n,k\n" + "".join(f"{m},{n},{k}\n" for m, n, k in shapes))
        got = assay("tune", "collect", "--shapes", "shapes.csv", "--kernels", "sample:6", "--threads", "1", "--pairs", "3", "-o", f"{name}.parquet")
        assert got.returncode == 0, got.stderr
    assert assay("tune", "train", "--data_dir", "a.parquet", "--out_dir", "m1", *train).returncode == 0
    got = assay("tune", "train", "--data_dir", "b.parquet", "--out_dir", "m2", "--warm_start", "m1", *train)
    assert got.returncode == 0, got.stderr
    manifest = json.loads((tmp_path / "m2" / "train_manifest.json").read_text())
    assert manifest["training_range"] == {"m": [9, 64], "n": [8, 100], "k": [17, 200], "batch": [1, 1]}
    assert len(manifest["seen_groups"]) == 6
    got = assay("tune", "evaluate", "--model_dir", "m2", "--data_dir", "a.parquet", "--unseen")
    assert got.returncode == 3 and "nothing to judge" in got.stderr  # all shapes belong to an ancestor
    (tmp_path / "mixed.csv").write_text("m,n,k\n16,32,64\n50,60,70\n17,32,64\n")
    got = assay("tune", "validate", "--model_dir", "m2", "--shapes", "mixed.csv", "--kernels", "sample:4", "--threads", "1", "--pairs", "3", "--json", "v.json")
    assert "note: 2 of the 3 problems were in the model's training, or an ancestor's" in got.stdout, got.stdout + got.stderr
    assert json.loads((tmp_path / "v.json").read_text())["seen"] == 2
    got = assay("tune", "predict", "--model_dir", "m2", "--m", 16, "--n", 32, "--k", 900, "--threads", 1, "--top_k", 3, "--json", "-")
    said = json.loads(got.stdout)
    assert said["note"] == "k = 900 is 4.5 times the greatest k of the training (200): a guess"
    for kernel in said["kernels"]:  # one time covers all targets
        assert kernel["tflops"] * kernel["latency"] == pytest.approx(2 * 16 * 32 * 900 * 1e-9, rel=1e-9)


def test_active_collection_goes_on_from_the_best(assay, tmp_path):
    write_shapes(tmp_path, "64,200,96\n")
    done = assay("tune", "collect", "--shapes", "shapes.csv", "-o", "a.parquet", "--kernels", "active", "--threads", "1",
                 "--pairs", "5")
    assert done.returncode == 0, done.stderr
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    names = [row["kernel_name"] for row in rows]
    # The first sample, and at least one step of neighbours; each kernel once.
    assert len(names) > 64 and len(set(names)) == len(names)


def test_held_out_problems_are_not_trained_on(assay, tmp_path):
    """Labels that are noise can only be memorised: held-out rows must not be predicted."""
    rng = np.random.default_rng(5)
    lines = ["kernel_name,m,n,k,latency_ms,tflops"]
    for m, n, k in rng.integers(16, 4096, (40, 3)):
        for tile in ("64x64x32", "128x64x32", "128x128x64", "256x64x32", "64x128x64", "256x128x32"):
            tflops = math.exp(rng.normal())
            lines.append(f"{CK_KERNEL.replace('128x64x32', tile)},{m},{n},{k},{2e-9 * m * n * k / tflops},{tflops}")
    (tmp_path / "noise.csv").write_text("\n".join(lines) + "\n")
    got = assay("tune", "convert", "noise.csv", "-o", "noise.parquet", "--arch", "gfx950")
    assert got.returncode == 0, got.stderr
    got = assay("tune", "train", "--data_dir", "noise.parquet", "--out_dir", "model", "--op", "gemm_universal", "--dtype", "fp16",
                "--targets", "tflops", "--n_splits", "3", "--n_estimators", "5", "--learning_rate", "1", "--num_leaves", "400",
                "--min_child_samples", "1")
    assert got.returncode == 0, got.stderr
    folds = json.loads((tmp_path / "model" / "cv_metrics_tflops.json").read_text())
    assert len(folds) == 3 and max(fold["r2"] for fold in folds) < 0.2, folds
    # The final model has seen all of them.
    got = assay("tune", "evaluate", "--model_dir", "model", "--data_dir", "noise.parquet", "--op", "gemm_universal", "--dtype", "fp16",
                "--json", "-")
    assert got.returncode == 0, got.stderr
    assert json.loads(got.stdout)["summary"]["mean"]["value"] > 0.8
