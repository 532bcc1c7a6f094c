"""Figures that a user reads, each compared with a second computation: from the samples of the same report, from the operating system, from the
problem's own words. Measurements cannot be predicted; figures derived from them can."""
import json
import math
import os
import pathlib
import re
import statistics

import numpy as np
import pytest


def report(assay, tmp_path, *words, name="o.json"):
    ran = assay(*words)
    assert ran.returncode in (0, 1, 3), ran.stdout + ran.stderr
    return json.loads((tmp_path / name).read_text()), ran.stdout


def near(got, expected, rel=1e-6):
    assert got == pytest.approx(expected, rel=rel)


# ---- the machine

CACHES = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")


def shown_bytes(text):
    value, unit = re.fullmatch(r"([\d.]+) (KiB|MiB|GiB)", text).groups()
    return float(value) * {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]


def doctor(assay, *words):
    return {(row["group"], row["name"]): row["value"] for row in json.loads(assay("doctor", "--json", "-", *words).stdout)}


def test_doctor_says_what_the_system_says(assay):
    said = doctor(assay, "--no-measure")
    assert said["processor", "cores"] == str(len(os.sched_getaffinity(0)))
    caches = dict(re.findall(r"(L\d) ([\d.]+ \w+)", said["processor", "caches"]))
    if not CACHES.exists():
        pytest.skip("no caches in sysfs")
    expected = {}
    for index in CACHES.glob("index*"):
        if (index / "type").read_text().strip() != "Instruction":
            expected[f"L{(index / 'level').read_text().strip()}"] = int((index / "size").read_text().strip().removesuffix("K")) << 10
    for level in expected.keys() & caches.keys():
        near(shown_bytes(caches[level]), expected[level], 0.05)
    # The machine class in models has the same caches; the third level counts only as far as models use it.
    classes = re.findall(r"this one is '[^']* l1=(\d+)K l2=(\d+)K l3=(\d+)K'", " ".join(said.values()))
    for one in classes:
        assert [int(size) << 10 for size in one] == [expected["L1"], expected["L2"], min(expected["L3"], 32 << 20)]
    memory = int(re.search(r"MemTotal:\s+(\d+) kB", pathlib.Path("/proc/meminfo").read_text())[1]) << 10
    assert shown_bytes(said["processor", "memory"]) <= 1.01 * memory


# ---- verify, mode P

# words -> (operations, bytes of each element once; a destination that is added to counts twice), computed by hand from the words.
TIMED = {
    "--matmul 64x32:32x48": (2 * 64 * 32 * 48, 4 * (64 * 32 + 32 * 48 + 64 * 48)),
    "--matmul --dt=bf16 16x32:32x48": (2 * 16 * 32 * 48, 2 * (16 * 32 + 32 * 48 + 16 * 48)),
    "--matmul --attr-post-ops=sum 64x32:32x48": (2 * 64 * 32 * 48, 4 * (64 * 32 + 32 * 48 + 2 * 64 * 48)),
    "--matmul --strides=64x1:: 32x32:32x48": (2 * 32 * 32 * 48, 4 * (32 * 32 + 32 * 48 + 32 * 48)),
    "--matmul 3x16x8:3x8x5": (2 * 3 * 16 * 8 * 5, 4 * 3 * (16 * 8 + 8 * 5 + 16 * 5)),
    "--reorder --sdt=f32 --ddt=bf16 64x100": (0, 6 * 6400),
    "--eltwise --alg=relu 64x100": (0, 8 * 6400),
    "--eltwise --tag=axb --alg=relu 2x3x4x5": (0, 8 * 120),
    "--binary --alg=add 64x100:64x1": (0, 4 * (6400 + 64 + 6400)),
    "--reduction 64x100:64x1": (0, 4 * (6400 + 64)),
    "--concat 4x5:4x7": (0, 4 * 2 * 48),
}  # fmt: skip


@pytest.mark.parametrize("words", TIMED)
def test_mode_p_is_that_of_its_samples(assay, tmp_path, words):
    data, text = report(assay, tmp_path, "verify", "--json=o.json", "--engine=native", "--mode=P", "--max-ms-per-prb=10", *words.split())
    (row,) = data["problems"]
    operations, moved = TIMED[words]
    samples = np.array(row["samples_ms"])
    assert row["runs"] == len(samples) >= 5
    near(row["min_ms"], samples.min())
    near(row["median_ms"], np.median(samples))
    near(row["mad_ms"], np.median(np.abs(samples - np.median(samples))))
    near(row["gbytes_per_second"], moved / samples.min() * 1e-6)
    line = next(line for line in text.split("\n") if line.startswith("  min "))
    said = [float(one) for one in re.search(r"min ([\d.]+) ms, median ([\d.]+) ms, MAD ([\d.]+) ms over (\d+) runs", line).groups()]
    np.testing.assert_allclose(said, [samples.min(), np.median(samples), row["mad_ms"], len(samples)], atol=6e-5)
    if operations == 0:
        assert "gflops" not in row
        assert float(re.search(r"; ([\d.]+) GB/s", line)[1]) == pytest.approx(row["gbytes_per_second"], abs=0.06)
        return
    near(row["gflops"], operations / samples.min() * 1e-6)
    assert float(re.search(r"; ([\d.]+) GFLOP/s", line)[1]) == pytest.approx(row["gflops"], abs=0.06)
    if "peak_gflops" in row:
        near(row["percent_of_peak"], 100 * row["gflops"] / row["peak_gflops"])
        assert float(re.search(r"\(([\d.]+) % of the measured peak", line)[1]) == pytest.approx(row["percent_of_peak"], abs=0.06)


def test_a_performance_template_is_that_of_the_samples(assay, tmp_path):
    data, text = report(assay, tmp_path, "verify", "--json=o.json", "--engine=native", "--mode=P", "--max-ms-per-prb=10", "--matmul", "--perf-template=X,%ops%,%ibytes%,%obytes%,%-time%,%-bw%,%-flops%", "32x64:64x16")
    (row,) = data["problems"]
    values = [float(one) for one in [line for line in text.split("\n") if line.startswith("X,")][-1].split(",")[1:]]
    seconds = min(row["samples_ms"]) * 1e-3
    expected = [2 * 32 * 64 * 16, 4 * (32 * 64 + 64 * 16), 4 * 32 * 16, seconds * 1e3, (4 * (32 * 64 + 64 * 16 + 32 * 16)) / seconds, 2 * 32 * 64 * 16 / seconds]
    np.testing.assert_allclose(values, expected, rtol=2e-3)


# ---- run


def test_the_profile_adds_up(assay, tmp_path):
    (tmp_path / "p.mlir").write_text("""
func.func @main(%a: tensor<64x48xf32>, %b: tensor<48x80xf32>) -> tensor<64x80xf32> {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x48xf32>, tensor<48x80xf32>) -> tensor<64x80xf32>
  %r = stablehlo.tanh %p : tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}
""")
    ran = assay("run", "p.mlir", "--input", "random", "--profile", "--output", "o.npz")
    assert ran.returncode == 0, ran.stderr
    rows = [re.split(r" {2,}", line.strip()) for line in ran.stdout.split("\n") if line.startswith("stablehlo.")]
    assert len(rows) == 2
    times = [float(row[2]) for row in rows]
    for (name, calls, ms, share, per_element, gflops, gbytes, *_), time in zip(rows, times):
        assert calls == "1" and float(share.rstrip(" %")) == pytest.approx(100 * time / sum(times), abs=0.1 + 0.06 / sum(times))
        flops, moved = (2 * 64 * 48 * 80, 4 * (64 * 48 + 48 * 80 + 64 * 80)) if "dot" in name else (0, 8 * 64 * 80)
        if time >= 0.02:  # so that three digits of a millisecond are shown
            assert float(per_element) == pytest.approx(time * 1e6 / (64 * 80), rel=0.06, abs=0.01)
            assert float(gbytes) == pytest.approx(moved / time * 1e-6, rel=0.06, abs=0.06)
            assert gflops == "-" if not flops else float(gflops) == pytest.approx(flops / time * 1e-6, rel=0.06, abs=0.06)


# ---- selection

QUANTILES = {"p50": 50, "p10": 10, "min": 0}


def test_validate_is_that_of_its_rows(assay, tmp_path):
    (tmp_path / "s.csv").write_text("m,n,k\n16,32,64\n64,64,64\n128,96,200\n7,300,31\n96,512,512\n")
    data, text = report(assay, tmp_path, "tune", "validate", "--model_dir", pathlib.Path(__file__).resolve().parents[2] / "models" / "gemm_f32_rcr", "--shapes", "s.csv",
                        "--threads", "1", "--kernels", "sample:20", "--pairs", "5", "--json", "o.json")  # fmt: skip
    rows = data["rows"]
    assert len(rows) == 5
    for side in ("learned", "analytic"):
        efficiency = np.array([row[f"{side}_efficiency"] for row in rows])
        best = np.array([row["best_ns"] for row in rows])
        assert ((efficiency > 0) & (efficiency <= 1)).all() and any(row["oracle"] == row[side] for row in rows if row[f"{side}_efficiency"] == 1) >= (efficiency == 1).any()
        said = data["summary"][side]
        near(said["mean"], efficiency.mean())
        for name, percent in QUANTILES.items():
            near(said[name], np.percentile(efficiency, percent))
        long = best >= 20e3
        assert (said["min_20us"] is None) == (not long.any())
        if long.any():
            near(said["min_20us"], efficiency[long].min())
        # The time that a pick takes longer than the best kernel, if the best takes less than 20 us.
        regret = [(ns / share - ns) * 1e-3 for ns, share in zip(best[~long], efficiency[~long])]
        assert said["regret_us_below_20us"] == pytest.approx(max(regret, default=0), abs=1e-9)
        line = next(line for line in text.split("\n") if line.startswith(f"validated: {side}:"))
        mean, p50, p10, least = (float(one) for one in re.findall(r"([\d.]+) ?%", line)[:4])
        np.testing.assert_allclose([mean, p50, p10, least], [100 * said[name] for name in ("mean", "p50", "p10", "min")], atol=0.006)
        assert float(re.search(r"below 20 us ([\d.]+) us", line)[1]) == pytest.approx(said["regret_us_below_20us"], abs=0.006)


def student(degrees):
    stats = pytest.importorskip("scipy.stats")
    return stats.t.ppf(0.975, degrees)


def speedup_of(said):
    """The geometric mean of the report's own ratios with Student's interval of their logarithms."""
    logs = np.log(said["ratios"])
    assert said["problems"] == len(logs) and said["differing"] == (logs != 0).sum()
    near(said["speedup"], math.exp(logs.mean()))
    reach = student(len(logs) - 1) * logs.std(ddof=1) / math.sqrt(len(logs)) if len(logs) > 1 else 0
    near(said["low"], math.exp(logs.mean() - reach), 1e-3)
    near(said["high"], math.exp(logs.mean() + reach), 1e-3)
    assert said["serves"] == (len(logs) > 1 and said["speedup"] > 1 and said["low"] > 0.98)


def test_check_is_that_of_its_ratios(assay, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    data, text = report(assay, tmp_path, "tune", "check", "--model_dir", pathlib.Path(__file__).resolve().parents[2] / "models" / "gemm_f32_rcr", "--budget", 2, "--threads", 1, "--json", "o.json")
    (said,) = data["models"]
    speedup_of(said)
    mean, count, low, high = re.search(r"([\d.]+)x the analytic choice over (\d+) problems \(([\d.]+) to ([\d.]+)\)", text).groups()
    np.testing.assert_allclose([float(mean), float(count), float(low), float(high)], [said["speedup"], said["problems"], said["low"], said["high"]], atol=0.006)


def test_auto_is_that_of_its_ratios(assay, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ASSAY_MODEL_DIR", str(tmp_path / "none"))
    data, text = report(assay, tmp_path, "tune", "auto", "--budget", 6, "--threads", 1, "--out_dir", "models", "--json", "o.json")
    for side in ("over_before", "over_analytic"):
        speedup_of(data[side])
    assert data["checked"] == data["over_before"]["problems"]
    mean, low, high, differing = re.search(r"([\d.]+)x \(([\d.]+) to ([\d.]+), (\d+) picks differ\)", text).groups()
    said = data["over_analytic"]
    np.testing.assert_allclose([float(mean), float(low), float(high), float(differing)], [said["speedup"], said["low"], said["high"], said["differing"]], atol=6e-4)


def test_evaluate_is_that_of_its_data(assay, tmp_path):
    """Efficiencies, top-1, top-5 and NDCG from the rows themselves and the ranking that `predict` prints."""
    import pyarrow.parquet as pq

    (tmp_path / "s.csv").write_text("m,n,k\n" + "".join(f"{m},{n},{k}\n" for m in (8, 33) for n in (16, 70) for k in (32, 90)))
    assert assay("tune", "collect", "--shapes", "s.csv", "--kernels", "sample:12", "--threads", "1", "--pairs", "3", "-o", "d.parquet").returncode == 0
    assert assay("tune", "train", "--data_dir", "d.parquet", "--n_splits", "2", "--n_estimators", "15", "--targets", "efficiency", "--out_dir", "m").returncode == 0
    data, text = report(assay, tmp_path, "tune", "evaluate", "--model_dir", "m", "--data_dir", "d.parquet", "--json", "o.json")
    table = pq.read_table(tmp_path / "d.parquet").to_pandas()
    efficiency, ndcg = [], {1: [], 5: [], 10: []}
    for (m, n, k), rows in table.groupby(["m", "n", "k"]):
        ranked = json.loads(assay("tune", "predict", "--model_dir", "m", "--m", m, "--n", n, "--k", k, "--threads", 1, "--top_k", 100000, "--json", "-").stdout)["kernels"]
        score = {row["kernel"]: row["score"] for row in ranked}
        rows = rows.sort_values("kernel_name")
        order = sorted(rows.index, key=lambda i: -score[rows.kernel_name[i]])
        rates = [rows.measured_tflops[i] for i in order]
        efficiency.append(rates[0] / max(rates))
        gain = lambda some: sum(rate / max(rates) / math.log2(place + 2) for place, rate in enumerate(some))
        for depth in ndcg:
            ndcg[depth].append(gain(rates[:depth]) / gain(sorted(rates, reverse=True)[:depth]))
    summary = data["summary"]
    assert summary["problems"] == 8
    near(summary["mean"]["value"], statistics.mean(efficiency), 2e-3)
    for name, percent in {"p50": 50, "p10": 10, "p1": 1, "min": 0}.items():
        near(summary[name]["value"], np.percentile(efficiency, percent), 2e-3)
    for depth, values in ndcg.items():
        near(summary[f"ndcg{depth}"]["value"], statistics.mean(values), 2e-3)
    for name in ("mean", "p50", "p10", "p1", "min", "top1", "top5"):
        assert summary[name]["low"] <= summary[name]["value"] + 1e-12 and summary[name]["value"] <= summary[name]["high"] + 1e-12, name
    assert 0 <= summary["top1"]["value"] <= summary["top5"]["value"] <= 1


# ---- assay.time


def test_times_of_kernels_are_those_of_their_samples():
    import assay

    took = assay.time({"add": np.add, "also": lambda a, b: a + b}, np.ones(3000, np.float32), np.ones(3000, np.float32), reference=lambda a, b: a + b, pairs=8, max_pairs=8)
    data = json.loads(took.to_json())
    first, second = data["samples"]["add"], data["samples"]["also"]
    near(data["seconds"]["add"], statistics.median(first))
    said = data["ratios"]["also"]
    pairs = sorted(b / a for a, b in zip(first, second))
    near(said["median"], statistics.median(pairs))
    low, high = (min(range(8), key=lambda i: abs(pairs[i] - said[end])) for end in ("low", "high"))
    near(said["low"], pairs[low])
    near(said["high"], pairs[high])
    # The probability that this many of eight are below the median: at least 95 %.
    assert said["pairs"] == 8 and sum(math.comb(8, below) for below in range(low + 1, high + 1)) / 2**8 >= 0.95
