"""`assay test`, `compare` and `tune collect` on several processes like those of mpirun: one report, equal to that of one process,
and nothing lost when a process dies. The launcher's environment is set here."""

import json
import os
import pathlib
import subprocess
import time
import uuid

import h5py
import numpy as np
import pytest
from launched import kill_working, where_ranks_meet  # noqa: F401

ROOT = pathlib.Path(__file__).parents[2]
BIN = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin"))


@pytest.fixture
def job():
    return uuid.uuid4().hex


def start(rank, size, job, words, **more):
    environment = {**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size), "PMIX_NAMESPACE": job,
                   "OMPI_COMM_WORLD_LOCAL_SIZE": str(size), **more}  # fmt: skip
    return subprocess.Popen([BIN / "assay", *words], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def shared(size, job, words):
    ranks = [start(rank, size, job, words) for rank in range(size)]
    return [(*rank.communicate(timeout=120), rank.returncode) for rank in ranks]


def alone(words):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_")}
    return subprocess.run([BIN / "assay", *words], env=environment, capture_output=True, text=True)


PASSES = """func.func @main() {
  %x = stablehlo.constant dense<2.0> : tensor<f32>
  %y = stablehlo.add %x, %x : tensor<f32>
  check.expect_eq_const %y, dense<4.0> : tensor<f32>
  func.return
}
"""


def test_test_gives_the_report_of_one_process(tmp_path, job):
    for i in range(12):
        (tmp_path / f"{i:02}.mlir").write_text(PASSES if i % 4 else PASSES.replace("dense<4.0>", "dense<5.0>"))
    (tmp_path / "12.mlir").write_text("no program")
    words = ["test", str(tmp_path), "--json", str(tmp_path / "ranks.json")]
    (out, err, code), *others = shared(3, job, words)
    single = alone([*words[:-1], str(tmp_path / "one.json")])
    assert (out, code) == (single.stdout, single.returncode) and "9 passed, 3 failed, 0 skipped" in out
    assert "12.mlir" in err and [(o, c) for o, _, c in others] == [("", 0)] * 2
    assert json.loads((tmp_path / "ranks.json").read_text()) == json.loads((tmp_path / "one.json").read_text())


def test_test_beside_jobs_is_an_error(tmp_path, job):
    (tmp_path / "a.mlir").write_text(PASSES)
    out, err = start(0, 2, job, ["test", str(tmp_path), "-j", "2"]).communicate(timeout=60)
    assert "--jobs=2 beside 2 ranks of a launcher" in err, out + err


def test_a_process_of_test_that_dies_loses_nothing(tmp_path, job):
    """Rank 1 is killed while it holds a unit (a long loop): rank 0 runs it again."""
    long = PASSES.replace("  %y = stablehlo.add %x, %x : tensor<f32>\n", """  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3000000> : tensor<i32>
  %i = stablehlo.while(%it = %zero) : tensor<i32> cond {
    %c = stablehlo.compare LT, %it, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %it, %one : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  %y = stablehlo.add %x, %x : tensor<f32>
""")  # fmt: skip
    for i in range(4):
        (tmp_path / f"{i}.mlir").write_text(long if i == 0 else PASSES)
    second = start(1, 2, job, ["test", str(tmp_path)])
    time.sleep(0.4)  # it holds the first file
    second.kill()
    out, err = start(0, 2, job, ["test", str(tmp_path)]).communicate(timeout=120)
    second.communicate()
    assert "4 passed, 0 failed, 0 skipped" in out, out + err
    assert "rank 1 died while running it; run again by rank 0" in err


def dumps(folder, fault_rank):
    rng = np.random.default_rng(1)
    for rank in range(3):
        for side in ("target", "bench"):
            (folder / side).mkdir(exist_ok=True)
            data = rng.normal(size=(4, 8)).astype(np.float32) if side == "target" else data  # noqa: F821 (of the turn before)
            with h5py.File(folder / side / f"globalrank-{rank}_localrank-{rank}.h5", "w") as file:
                for module in ("a", "b"):
                    wrong = side == "target" and rank == fault_rank and module == "b"
                    file[f"step0/forward.{module}.output.0"] = data + wrong


def test_compare_gives_the_report_of_one_process(tmp_path, job):
    dumps(tmp_path, 1)
    words = ["compare", str(tmp_path / "target"), str(tmp_path / "bench"), "--first-wrong", "--json", str(tmp_path / "ranks.json")]
    (out, err, code), *others = shared(3, job, words)
    single = alone([*words[:-1], str(tmp_path / "one.json")])
    strip = lambda text: [line for line in text.splitlines() if not line.startswith("repro:")]  # noqa: E731
    assert strip(out) == strip(single.stdout) and code == single.returncode == 1, out + err
    assert [(o, c) for o, _, c in others] == [("", 0)] * 2
    ranks, one = (json.loads((tmp_path / name).read_text()) for name in ("ranks.json", "one.json"))
    assert ranks == one and len(one["ranks"]) == 3


def test_compare_of_one_pair_is_one_rank_s_work(tmp_path, job):
    dumps(tmp_path, 1)
    files = [str(tmp_path / side / "globalrank-1_localrank-1.h5") for side in ("target", "bench")]
    (out, err, code), (other, _, idle) = shared(2, job, ["compare", *files])
    assert code == 1 and (other, idle) == ("", 0) and "compared by one process" in err and "Fail" in out, out + err


SHAPES = "m,n,k\n" + "".join(f"{m},{n},{k}\n" for m in (8, 16, 33) for n in (8, 48) for k in (16, 64))


def collect_words(folder, *more):
    return ["tune", "collect", "--dtype", "f32", "--layout", "rcr", "--shapes", str(folder / "shapes.csv"), "--kernels", "sample:4",
            "--threads", "1", "-o", str(folder / "run.parquet"), "--json", str(folder / "report.json"), *more]  # fmt: skip


def test_collect_makes_one_file(tmp_path, job):
    (tmp_path / "shapes.csv").write_text(SHAPES)
    (out, err, code), *others = shared(3, job, collect_words(tmp_path))
    assert code == 0 and all(c == 0 for _, _, c in others), out + err
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["problems_done"], report["problems_left"], report["rows"]) == (12, 0, 48)
    assert sorted(p.name for p in tmp_path.iterdir() if "journal" in p.name) == []
    again = alone(collect_words(tmp_path))
    assert again.returncode == 0 and json.loads((tmp_path / "report.json").read_text())["problems_kept"] == 12


def test_collect_loses_no_row_of_a_killed_rank(tmp_path, job):
    (tmp_path / "shapes.csv").write_text(SHAPES)
    ranks = [start(rank, 2, job, collect_words(tmp_path)) for rank in range(2)]
    killed = 0
    for _ in range(3):
        time.sleep(0.12)
        killed += kill_working(ranks[1])
    said = [rank.communicate(timeout=120) for rank in ranks]
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["problems_done"], report["problems_left"], report["rows"]) == (12, 0, 48), said


def test_collect_goes_on_after_all_ranks_were_killed(tmp_path, job):
    (tmp_path / "shapes.csv").write_text(SHAPES)
    ranks = [start(rank, 2, job, collect_words(tmp_path)) for rank in range(2)]
    journals = lambda: [p for p in tmp_path.iterdir() if ".rank" in p.name]  # noqa: E731
    measured = lambda: sum(p.read_text().count('"kernel"') for p in journals())  # noqa: E731
    for _ in range(500):
        if measured() >= 3:
            break
        time.sleep(0.01)
    for rank in ranks:
        kill_working(rank)
        rank.kill()
        rank.communicate()
    time.sleep(0.1)
    kept = measured()
    ran = alone(collect_words(tmp_path))
    report = json.loads((tmp_path / "report.json").read_text())
    assert ran.returncode == 0 and report["reused"] >= kept > 0 and report["rows"] == 48, ran.stderr
    assert journals() == []
