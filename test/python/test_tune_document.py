"""The commands of CK Tile's heuristics document, copied from it with our program's name for `python3 SCRIPT.py` and `./PROGRAM`, in
its order and on small data of its forms. Each runs, or says in one message what replaces it (what needs a GPU), with exit code 2."""
import json
import os
import random
import shlex
import subprocess

import pyarrow.parquet as pq
import pytest

from test_tune_published import features, kernels, problems, rate

ROCMINFO = """#!/bin/sh
cat <<END
*******
Agent 1
*******
  Name:                    AMD EPYC
  Device Type:             CPU
  Compute Unit:            96
*******
Agent 2
*******
  Name:                    gfx950
  Device Type:             GPU
  Cache Info:
    L1:                      32(0x20) KB
    L2:                      4096(0x1000) KB
  Max Clock Freq. (MHz):   2200
  Compute Unit:            250
  SIMDs per CU:            4
  Wavefront Size:          64(0x40)
  ISA 1
    Name:                  amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-
END
"""

RUNS = """
tune convert_json_to_parquet --input data/fp16_original/benchmark_results_fp16_rcr.json --output data/fp16_original/fp16_training_data.parquet --arch gfx950
tune data_pipeline ck_tile_testrun_2.log -o data/gemm_universal_fp8_rcr_gfx950.parquet --arch gfx950 --capture_hw
tune train --data_dir data/ --out_dir models/gemm_universal_fp8_gfx950 --op gemm_universal --dtype fp8 --arch gfx950
tune evaluate --model_dir models/gemm_universal_fp8_gfx950 --data_dir data/ --op gemm_universal --dtype fp8
tune predict --model_dir models/gemm_universal_fp8_gfx950 --m 128 --n 1536 --k 7168 --layout rcr
tune search --model_dir models/gemm_universal_fp8_gfx950 --m 128 --n 1536 --k 7168 --strategy random --budget 500 --top_k 10
tune train --data_dir data/ --out_dir models/v2 --warm_start models/gemm_universal_fp8_gfx950 --warm_start_n_estimators 200
tune convert_csv_to_parquet --input train.csv --output train.parquet
tune train --operation grouped_conv --direction forward --dtype bf16
tune train --operation grouped_conv --data_dir train.parquet --out_dir /tmp/grouped_conv_bwd_data_bf16_gfx950_new --dtype bf16 --arch gfx950 --targets tflops --n_splits 5
"""

SAYS = {
    "tune generate_benchmark_data.py --build_dir /path/to/build --output_dir data/fp16_original --dtype fp16 --layout rcr --num_build_jobs 4 "
    "--warmup 10 --repeat 50": "`assay tune collect` measures this machine's kernels",
    "tune gemm_09_ml_heuristic --model ../heuristics/models/gemm_universal_fp16_gfx950/model_tflops.lgbm": "`assay tune predict` ranks them",
    "tune train --op gemm_streamk --dtype fp8 --data_dir data/ --out_dir models/": "op 'gemm_streamk' has no features",
    "tune grouped_conv_full_benchmark.py --problem_set forward_training_miopen": "`assay tune convert` reads its CSV",
    "tune validate_training_shapes.py": "`assay tune evaluate`",
    "tune validate_ml_vs_oracle.py --variant bwd_data": "`assay tune validate`",
    "tune validate_ml_vs_oracle.py --operation grouped_conv --variant bwd_data --problem-set bwd_data_model_crawler_validation --oracle-csv "
    "bwd_data_model_crawler_oracle.csv --save-predictions /tmp/bwd_data_old_predictions.csv": "`assay tune evaluate -o picks.csv`",
    "tune test_model_quality.sh": "exit code 1 when the new model loses quality",
    "tune compare_model_predictions.py --old-predictions /tmp/bwd_data_old_predictions.csv --new-predictions "
    "/tmp/bwd_data_new_predictions.csv --variant bwd_data": "--baseline OLD",
}  # fmt: skip


def write_json(path, shapes, pool):
    noise = random.Random(1)
    results = []
    for name, part in pool:
        config = {"name": name, "dtype": "fp16", "layout": "rcr", **{key: part[key] for key in ("pipeline", "epilogue", "scheduler", "persistent")}}
        for key in ("tile", "warp", "warp_tile", "pad"):
            config.update(zip([f"{key}_{x}" for x in "mnk"], part[key]))
        benchmarks = []
        for m, n, k in shapes:
            tflops = rate(m, n, k, features(m, n, k, "rcr", part, 2.0), noise.uniform(0.9, 1.1))
            benchmarks.append(dict(kernel_name=name, m=m, n=n, k=k, avg_time_ms=2.0 * m * n * k / tflops * 1e-9, tflops=tflops, is_valid=True, error=None))
        results.append({"kernel_config": config, "benchmarks": benchmarks})
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"metadata": {"dtype": "fp16", "layout": "rcr"}, "results": results}))


def write_log(path, shapes, pool):
    noise, lines = random.Random(2), []
    for number, (m, n, k) in enumerate(shapes):
        lines.append(f"Shape {number}: M={m} N={n} K={k} dtype=fp8 layout=rcr")
        for name, part in pool:
            tflops = rate(m, n, k, features(m, n, k, "rcr", part), noise.uniform(0.9, 1.1))
            ms = 2.0 * m * n * k / tflops * 1e-9
            result = {"latency(ms)": ms, "tflops(TFlops)": tflops, "bandwidth(GB/s)": (m * k + k * n + m * n) / ms * 1e-6}
            lines.append(json.dumps({"name": name, "problem": {"split_k": 1, "m": m, "n": n, "k": k}, "perf_result": result}, indent=2))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def document(tmp_path):
    """run("tune ...") in a folder with the document's inputs -> CompletedProcess; a GPU's rocminfo is on the path."""
    shapes = [(128, 1536, 7168), *problems(20, seed=6)]
    write_json(tmp_path / "data" / "fp16_original" / "benchmark_results_fp16_rcr.json", shapes[:10], kernels(6, dtype="fp16"))
    write_log(tmp_path / "ck_tile_testrun_2.log", shapes, kernels(12))
    header = "kernel,problem_idx,N,C,K,G,Di,Hi,Wi,Z,Y,X,stride_d,stride_h,stride_w,pad_d,pad_h,pad_w,dilation_d,dilation_h,dilation_w,latency_ms,tflops,non_zero"
    row = "grouped_conv_forward_bf16_2d_64x64x32_compv3_intrawave_dsb,0,2,64,128,1,1,28,28,1,3,3,1,1,1,0,1,1,1,1,1,0.05,4.6,99"
    rows = [row] + [row.replace("64x64x32", tile).replace(",0,2,64,", f",{i},{2 + i},64,").replace(",0.05,4.6,", f",{0.05 + i / 50},{4.6 - i / 9 + j},")
                    for i in range(8) for j, tile in enumerate(("16x64x64", "32x128x64"))]  # fmt: skip
    (tmp_path / "train.csv").write_text("\n".join([header, *rows]) + "\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rocminfo").write_text(ROCMINFO)
    (tmp_path / "bin" / "rocminfo").chmod(0o755)

    def run(words, gpu=True):
        path = os.environ["PATH"] if not gpu else f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay"), *shlex.split(words)], cwd=tmp_path, capture_output=True,
                              text=True, timeout=120, env={**os.environ, "PATH": path})  # fmt: skip

    return run


def test_the_documents_commands(document, tmp_path):
    for words in RUNS.strip().splitlines():
        extra = " --n_estimators 15 --num_leaves 15" if " train " in words else ""  # little data, small trees
        extra += " --n_splits 2" if extra and "--n_splits" not in words else ""
        got = document(words.replace("/tmp/", "tmp/") + extra)
        assert got.returncode == 0, f"{words}\n{got.stdout}{got.stderr}"
    for words, text in SAYS.items():
        got = document(words)
        assert got.returncode == 2 and text in got.stderr and got.stderr.count("\n") == 1, f"{words}\n{got.stdout}{got.stderr}"
    # Step 6 unpacks a model; what reads the folder continues.
    model = tmp_path / "models" / "gemm_universal_fp8_gfx950"
    packed = document("tune predict --model_dir models/gemm_universal_fp8_gfx950 --m 128 --n 1536 --k 7168 --json -").stdout
    subprocess.run(["gunzip", model / "model_tflops.lgbm.gz", model / "model_efficiency.lgbm.gz"], check=True)
    assert document("tune predict --model_dir models/gemm_universal_fp8_gfx950 --m 128 --n 1536 --k 7168 --json -").stdout == packed
    # What --capture_hw saw is in the data, and what the features are of in the model.
    table = pq.read_table(tmp_path / "data" / "gemm_universal_fp8_rcr_gfx950.parquet").to_pandas()
    assert set(table.hw_num_cus) == {250} and set(table.hw_max_clock_mhz) == {2200} and set(table.hw_lds_capacity) == {65536}
    assert json.loads((model / "feature_spec.json").read_text())["hardware"]["num_cus"] == 250


def test_convert_keeps_what_training_reads(document, tmp_path):
    """The columns of CK Tile's own converters, with a type in each row whatever the file was."""
    gemm = {"op_type", "dtype", "layout", "arch", "kernel_name", "m", "n", "k", "split_k", "measured_tflops", "latency_ms", "bandwidth_gb_s",
            "is_valid", "pipeline", "scheduler", "epilogue", "persistent", "run_id", "vec_a", "vec_b", "vec_c",
            *(f"{key}_{x}" for key in ("tile", "warp", "warp_tile", "pad") for x in "mnk")}  # fmt: skip
    name = kernels(1)[0][0]
    (tmp_path / "one.csv").write_text(f"kernel_name,m,n,k,latency_ms,tflops\n{name},16,32,64,0.5,1.5\n")
    for source, dtype in (("data/fp16_original/benchmark_results_fp16_rcr.json", "fp16"), ("ck_tile_testrun_2.log", "fp8"), ("one.csv", "fp8")):
        got = document(f"tune convert {source} -o out.parquet")
        assert got.returncode == 0, got.stderr
        table = pq.read_table(tmp_path / "out.parquet").to_pandas()
        assert gemm <= set(table.columns) and set(table.dtype) == {dtype} and not table[sorted(gemm)].isna().any().any()
    assert document("tune convert train.csv -o conv.parquet").returncode == 0
    row = pq.read_table(tmp_path / "conv.parquet").to_pylist()[0]
    assert row["dtype"] == "bf16" and row["variant"] == "forward" and row["op_type"] == "grouped_conv" and row["arch"] == "gfx950"
    assert (row["tile_m"], row["tile_n"], row["tile_k"], row["has_dsb"], row["has_si"], row["wave_mode"]) == (64, 64, 32, 1, 0, "intrawave")
    elements = 2 * 64 * 28 * 28 + 128 * 64 * 9 + 2 * 128 * 28 * 28
    assert row["bandwidth_gb_s"] == pytest.approx(elements * 2 / 0.05e-3 * 1e-9) and row["measured_tflops"] == 4.6 and row["is_valid"]
    got = document("tune convert train.csv -o conv.parquet --dtype fp16 --variant bwd_data --op_type mine")
    row = pq.read_table(tmp_path / "conv.parquet").to_pylist()[0]
    assert (row["dtype"], row["variant"], row["op_type"]) == ("fp16", "bwd_data", "mine")


def test_convert_merges_and_captures(document, tmp_path):
    assert document("tune convert ck_tile_testrun_2.log -o a.parquet").returncode == 0
    got = document("tune convert --input data/fp16_original/benchmark_results_fp16_rcr.json --output b.parquet --merge_with a.parquet")
    assert got.returncode == 0 and "merged with 252 rows of other files" in got.stdout, got.stderr
    table = pq.read_table(tmp_path / "b.parquet").to_pandas()
    assert len(table) == 60 + 252 and set(table.dtype) == {"fp16", "fp8"}
    got = document("tune convert ck_tile_testrun_2.log -o c.parquet --capture_hw --arch gfx942")
    assert got.returncode == 2 and "this node's GPU is 'gfx950', --arch is 'gfx942'" in got.stderr
    got = document("tune convert ck_tile_testrun_2.log -o c.parquet --capture_hw", gpu=False)
    assert got.returncode == 2 and "leave the flag out" in got.stderr and got.stderr.count("\n") == 1
    assert document("tune convert ck_tile_testrun_2.log -o c.parquet --capture_hw").returncode == 0
    got = document("tune convert data/fp16_original/benchmark_results_fp16_rcr.json -o b.parquet --merge_with c.parquet")
    table = pq.read_table(tmp_path / "b.parquet").to_pandas()
    assert got.returncode == 0 and table.hw_num_cus.isna().sum() == 60 and set(table.hw_num_cus.dropna()) == {250}


def test_tune_chooses_the_trees(document, tmp_path):
    assert document("tune convert ck_tile_testrun_2.log -o data/d.parquet").returncode == 0
    got = document("tune train --data_dir data/d.parquet --out_dir m --dtype fp8 --tune --n_estimators 15 --n_splits 2 --targets tflops")
    assert got.returncode == 0 and got.stdout.count("tune: ") == 6 and ", best so far" in got.stdout, got.stderr
    best = [line for line in got.stdout.splitlines() if line.endswith(", best so far")][-1]
    leaves = best.split("tune: ")[1].split(" leaves")[0]
    parameters = json.loads((tmp_path / "m" / "train_manifest.json").read_text())["parameters"]["tflops"]
    assert f"num_leaves={leaves} " in parameters
    got = document("tune train --data_dir data/d.parquet --out_dir m --arch gfx942")
    assert got.returncode == 2 and "the data is of 'gfx950', --arch says 'gfx942'" in got.stderr
