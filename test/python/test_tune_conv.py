"""CK Tile's grouped convolutions: a model folder written here by LightGBM to its specification (97 features), ranked by
`assay tune predict`, and its CSV converted, trained on and evaluated. The features are computed here from CK Tile's definitions."""
import csv
import json
import math
import random

import lightgbm
import numpy as np
import pytest

PIPELINES = {"compv3": 0, "compv4": 1, "compv5": 2, "mem": 3, "preshufflev2": 4, "basic_v1": 5, "compv6": 6}
HARDWARE = dict(num_cus=256, simds_per_cu=4, total_simds=1024, shader_engines=32, max_clock_mhz=2400, max_waves_per_cu=32, wavefront_size=64,
                lds_capacity=65536, l1_cache_kb=32, l2_cache_kb=4096, l3_cache_kb=262144, num_xcd=8)  # fmt: skip
SIDES = "dhw"


def kernels(count, dims, variant="forward", seed=1):
    choice, out = random.Random(seed), {}
    while len(out) < count:
        part = dict(tile=[choice.choice([16, 32, 64, 128]), choice.choice([64, 128]), choice.choice([64, 128])], pipeline=choice.choice(list(PIPELINES)),
                    wave=choice.choice(["intrawave", "interwave"]), dsb=choice.random() < 0.5, si=choice.random() < 0.5)  # fmt: skip
        suffix = "_dsb" * part["dsb"] + "_si" * part["si"]
        out[f"grouped_conv_{variant}_bf16_{dims}d_{'x'.join(map(str, part['tile']))}_{part['pipeline']}_{part['wave']}{suffix}"] = part
    return list(out.items())


def problems(count, dims, seed):
    choice, out = random.Random(seed), []
    while len(out) < count:
        groups = choice.choice([1, 1, 2, 8])
        p = dict(N=choice.choice([1, 2, 16]), G=groups, C=groups * choice.choice([1, 3, 16, 64]), K=groups * choice.choice([1, 5, 32, 128]))
        for side, name in zip(SIDES, ("Di", "Hi", "Wi")):
            p[name] = choice.choice([7, 14, 30, 57])
            p[{"d": "Z", "h": "Y", "w": "X"}[side]] = choice.choice([1, 3, 5])
            p["stride_" + side], p["pad_" + side], p["dilation_" + side] = choice.choice([1, 2]), choice.choice([0, 1, 2]), 1
        if dims == 2:
            p.update(Di=1, Z=1, stride_d=1, pad_d=0)
        p["dilation_h"] = p["dilation_w"] = 2 if p["Y"] == p["X"] == 3 and choice.random() < 0.3 else 1
        if all(out_side(p, side) >= 1 for side in SIDES):
            out.append(p)
    return out


def out_side(p, side):
    extent, window = {"d": ("Di", "Z"), "h": ("Hi", "Y"), "w": ("Wi", "X")}[side]
    return (p[extent] + 2 * p["pad_" + side] - ((p[window] - 1) * p["dilation_" + side] + 1)) // p["stride_" + side] + 1


def features(p, part):
    """CK Tile's features by name, in its order."""
    log2 = lambda x: math.log2(max(x, 1))
    deep = p["Di"] > 1 or p["Z"] > 1 or p["pad_d"] > 0
    do, ho, wo = (out_side(p, side) for side in SIDES)
    do = do if deep else 1
    image, window, result = p["Di"] * p["Hi"] * p["Wi"], p["Z"] * p["Y"] * p["X"], do * ho * wo
    c, k = p["C"] / p["G"], p["K"] / p["G"]
    row = {name: p[name] for name in ("N", "C", "K", "G", "Hi", "Wi", "Y", "X", "stride_h", "stride_w", "pad_h", "pad_w")}
    row.update(Ho=ho, Wo=wo, **{f"log2_{name}": log2(p[name]) for name in ("N", "C", "K", "G", "Hi", "Wi")})
    row.update(log2_spatial=log2(image), log2_filter=log2(window), log2_output=log2(result))
    flops = 2 * p["N"] * p["K"] * result * c * window
    row["arithmetic_intensity"] = flops / max((p["N"] * p["C"] * image + p["K"] * c * window + p["N"] * p["K"] * result) * 2, 1)
    row.update(filter_area=window, is_1x1_conv=p["Y"] == p["X"] == p["Z"] == 1, is_3x3_conv=p["Y"] == p["X"] == 3 and (not deep or p["Z"] == 3),
               channels_per_group=c, aspect_ratio_hw=p["Hi"] / p["Wi"], aspect_ratio_filter=p["Y"] / p["X"], is_3d=deep, Di=p["Di"], Z=p["Z"], Do=do,
               stride_d=p["stride_d"], pad_d=p["pad_d"], dilation_h=p["dilation_h"], dilation_w=p["dilation_w"], log2_channels_per_group=log2(c),
               log2_output_channels_per_group=log2(k), is_depthwise=p["G"] == p["C"] == p["K"], group_density=p["G"] / p["C"],
               is_small_group=c < 16 or k < 16, channels_product_per_group=c * k, batch_group_product=p["N"] * p["G"],
               is_small_batch_grouped=p["N"] < 8 and p["G"] > 1)  # fmt: skip
    block, m, n = part["tile"]
    local = (m + n) * block * 2
    row.update(block_size=block, gemm_m_per_block=m, gemm_n_per_block=n, pipeline=PIPELINES[part["pipeline"]], num_warps=block / 4, tile_volume=m * n * block,
               tile_mn=m * n, lds_usage_estimate=local, lds_usage_ratio=local / (32768 if part["pipeline"] == "compv4" else 65536), block_tile_ratio_m=m / block,
               block_tile_ratio_n=n / block, block_efficiency=min(m, n) / max(m, n), **{f"is_compv{i}": part["pipeline"] == f"compv{i}" for i in (3, 4, 5)},
               is_intrawave=part["wave"] == "intrawave", has_dsb=part["dsb"], has_si=part["si"], is_basic=part["pipeline"].startswith("basic_v"),
               is_compv6=part["pipeline"] == "compv6", is_mem=part["pipeline"] == "mem")  # fmt: skip
    sizes, tile = (p["N"] * result, p["K"], int(c * window)), (m, n, block)
    tiles = [-(-size // side) for size, side in zip(sizes, tile)]
    fills = [(size % side) / side if size % side else 1.0 for size, side in zip(sizes, tile)]
    row.update(zip(("gemm_m_output", "gemm_n_output", "gemm_k_output"), sizes), **dict(zip(("num_tiles_m", "num_tiles_n", "num_tiles_k"), tiles)))
    row.update(total_output_tiles=tiles[0] * tiles[1], **dict(zip(("tile_eff_m", "tile_eff_n", "tile_eff_k"), fills)), overall_tile_efficiency=math.prod(fills),
               cu_utilization=tiles[0] * tiles[1] / 256)  # fmt: skip
    row.update((f"ratio_gemm_{x}_to_tile_{x}", size / side) for x, size, side in zip("mnk", sizes, tile))
    row.update((f"problem_smaller_than_tile_{x}", size < side) for x, size, side in zip("mnk", sizes, tile))
    row.update((f"hw_{name}", value) for name, value in HARDWARE.items())
    return {name: float(value) for name, value in row.items()}


def rate(row, noise):
    return 300 * row["overall_tile_efficiency"] ** 0.2 * min(1, row["cu_utilization"]) ** 0.2 * (1 + 0.1 * row["pipeline"] + 0.1 * row["has_dsb"]) * noise


def descriptor(p):
    words = [("g", "G"), ("mb", "N"), ("ic", "C"), ("id", "Di"), ("ih", "Hi"), ("iw", "Wi"), ("oc", "K"), ("kd", "Z"), ("kh", "Y"), ("kw", "X")]
    text = "".join(f"{word}{p[name]}" for word, name in words)
    for side in SIDES:
        text += f"s{side}{p['stride_' + side]}p{side}{p['pad_' + side]}d{side}{p['dilation_' + side] - 1}o{side}{out_side(p, side)}"
    return text


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A published folder and its booster: trained on random rows of two and three dimensions."""
    folder = tmp_path_factory.mktemp("conv") / "grouped_conv_forward_bf16_gfx950"
    rng, rows = np.random.default_rng(3), []
    for dims in (2, 3):
        pool = kernels(30, dims, seed=dims)
        rows += [features(p, part) for p in problems(60, dims, seed=5 + dims) for _, part in pool]
    names = list(rows[0])
    assert len(names) == 97
    x = np.array([[row[name] for name in names] for row in rows])
    y = np.log1p([rate(row, rng.uniform(0.9, 1.1)) for row in rows])
    booster = lightgbm.train(dict(objective="regression", num_leaves=31, learning_rate=0.1, verbose=-1, seed=1, num_threads=1),
                             lightgbm.Dataset(x, y, feature_name=names, categorical_feature=["pipeline"]), 30)  # fmt: skip
    folder.mkdir()
    booster.save_model(folder / "model_tflops.lgbm")
    spec = {"op_type": "grouped_conv", "dtype": "bf16", "arch": "gfx950", "feature_names": names, "categorical_features": ["pipeline"],
            "targets": ["tflops"], "log_targets": ["tflops"]}  # fmt: skip
    (folder / "feature_spec.json").write_text(json.dumps(spec))
    return folder, booster, names


@pytest.mark.parametrize("dims", [2, 3])
def test_picks_are_lightgbms(assay, tmp_path, published, dims):
    folder, booster, names = published
    pool = kernels(80, dims, seed=20 + dims)
    (tmp_path / "names.txt").write_text("".join(name + "\n" for name, _ in pool) + kernels(1, 5 - dims)[0][0] + "\n")
    for p in problems(15, dims, seed=30 + dims):
        theirs = booster.predict(np.array([[features(p, part)[name] for name in names] for _, part in pool]), num_threads=1)
        got = assay("tune", "predict", "--model_dir", folder, "--problem", descriptor(p), "--candidates", "names.txt", "--top_k", 80, "--json", "-")
        assert got.returncode == 0, got.stderr
        ours = {kernel["kernel"]: kernel for kernel in json.loads(got.stdout)["kernels"]}
        assert len(ours) == 80
        for (name, _), score in zip(pool, theirs):
            assert ours[name]["score"] == pytest.approx(score, rel=1e-12), (p, name)
            assert ours[name]["tflops"] == pytest.approx(math.expm1(score), rel=1e-9)
        first = json.loads(got.stdout)["kernels"][0]["kernel"]
        assert theirs[[name for name, _ in pool].index(first)] == theirs.max()


def write_csv(path, shapes, pool):
    rng = np.random.default_rng(9)
    header = ["N", "C", "K", "G", "Di", "Hi", "Wi", "Z", "Y", "X"] + [f"{kind}_{side}" for kind in ("stride", "pad", "dilation") for side in SIDES]
    with path.open("w", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(["kernel", "problem_idx", *header, "latency_ms", "tflops", "non_zero"])
        for index, p in enumerate(shapes):
            for name, part in pool:
                row = features(p, part)
                tflops = rate(row, rng.uniform(0.97, 1.03))
                flops = 2 * row["N"] * row["K"] * row["Ho"] * row["Wo"] * row["Do"] * row["channels_per_group"] * row["filter_area"]
                lines.writerow([name, index, *(p[key] for key in header), flops / tflops * 1e-9, tflops, 1])


def test_converted_data_trains_and_is_judged(assay, tmp_path, published):
    pool = kernels(25, 2, variant="bwd_data", seed=4)
    shapes = problems(30, 2, seed=8)
    twin = dict(shapes[0], stride_h=3 - shapes[0]["stride_h"])  # differs in a stride alone: a problem of its own
    write_csv(tmp_path / "a.csv", [*shapes, twin], pool)
    (tmp_path / "data").mkdir()
    assert assay("tune", "convert", "a.csv", "-o", "data/a.parquet").returncode == 0
    train = ("tune", "train", "--data_dir", "data", "--out_dir", "m", "--n_splits", "2", "--n_estimators", "40", "--num_leaves", "15")
    got = assay(*train)
    assert got.returncode == 0 and "775 rows over 31 problems" in got.stdout, got.stdout + got.stderr
    got = assay("tune", "evaluate", "--model_dir", "m", "--data_dir", "data", "--json", "e.json")
    assert got.returncode == 0, got.stderr
    summary = json.loads((tmp_path / "e.json").read_text())["summary"]
    assert summary["problems"] == 31 and summary["mean"]["value"] > 0.9
    # A row of features by hand, from the exported ones.
    import pyarrow.parquet as pq

    assert assay("tune", "features", "--op", "grouped_conv", "--dtype", "bf16", "--data_dir", "data", "-o", "f.parquet").returncode == 0
    exported = {(row["problem"], row["kernel_name"]): row for row in pq.read_table(tmp_path / "f.parquet").to_pylist()}
    p, (name, part) = shapes[3], pool[7]
    side = lambda key: "x".join(str(p[k]) for k in key)
    key = f"nhwgc N{p['N']}_C{p['C']}_K{p['K']}_G{p['G']}_{side(['Di', 'Hi', 'Wi'])}_f{side('ZYX')}_" + "_".join(
        kind[0] + side([f"{kind}_{s}" for s in SIDES]) for kind in ("stride", "pad", "dilation"))
    for feature, value in features(p, part).items():
        assert exported[key, name][feature] == pytest.approx(value, rel=1e-6), feature
    (tmp_path / "names.txt").write_text("".join(name + "\n" for name, _ in pool))
    got = assay("tune", "predict", "--model_dir", "m", "--problem", descriptor(p), "--candidates", "names.txt", "--top_k", 1)
    assert got.returncode == 0 and "of 25 kernels of CK Tile" in got.stdout, got.stderr
    found = assay("tune", "search", "--model_dir", "m", "--problem", descriptor(p), "--candidates", "names.txt", "--top_k", 1)
    assert found.returncode == 0 and got.stdout.split("\n")[2] in found.stdout and "all candidates were ranked" in found.stdout, found.stderr


@pytest.mark.parametrize("words, text", [
    (("--m", 1, "--n", 1, "--k", 1), "is of convolutions: name one by --problem"),
    (("--problem", "mb1ic3ih8oc4kh9"), "--problem 'mb1ic3ih8oc4kh9' does not fit: oh comes to 0"),
    (("--problem", "mb1ic3ih8oc4kx3"), "has 'kx3', expected words like mb2 ic64 ih56"),
    (("--problem", "g2mb1ic3ih8oc4kh3"), "multiples of g"),
    (("--problem", "mb1ic3ih8oc4kh3oh9"), "oh comes to 6"),
    (("--problem", "mb1ic3ih8oc4kh3", "--candidates", "two.txt"), "a model is of one direction"),
    (("--problem", "mb1ic3ih8oc4kh3", "--candidates", "deep.txt"), "none of them of bf16 in 2d"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(assay, tmp_path, published, words, text):
    (tmp_path / "one.txt").write_text(kernels(1, 2)[0][0] + "\n")
    (tmp_path / "two.txt").write_text(kernels(1, 2)[0][0] + "\n" + kernels(1, 2, variant="bwd_weight")[0][0] + "\n")
    (tmp_path / "deep.txt").write_text(kernels(1, 3)[0][0] + "\n")
    extra = () if "--candidates" in words else ("--candidates", "one.txt")
    got = assay("tune", "predict", "--model_dir", published[0], *words, *extra)
    assert got.returncode == 2 and text in got.stderr and got.stderr.count("\n") == 1, got.stdout + got.stderr


def test_directions_are_not_mixed(assay, tmp_path):
    (tmp_path / "data").mkdir()
    for variant in ("bwd_data", "bwd_weight"):
        write_csv(tmp_path / "a.csv", problems(6, 2, seed=1), kernels(3, 2, variant=variant))
        assert assay("tune", "convert", "a.csv", "-o", f"data/{variant}.parquet").returncode == 0
    got = assay("tune", "train", "--data_dir", "data", "--out_dir", "m")
    assert got.returncode == 2 and "mixes convolutions of 'bwd_data' and 'bwd_weight'" in got.stderr, got.stderr
