"""A batch shared by several processes like those of mpirun: the report equals that of one process, a process that dies loses only
the problem that it ran, --resume continues. The launcher's environment is set here; one test starts mpirun itself if it is installed."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import uuid

import pytest
from launched import kill_working, where_ranks_meet  # noqa: F401

ROOT = pathlib.Path(__file__).parents[2]
BIN = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin"))
EXAMPLE = f"plugin:{BIN.parent / 'lib' / 'libassay_example.so'}"


@pytest.fixture
def batch(tmp_path):
    path = tmp_path / "shapes"
    path.write_text("\n".join(f"{m}x{k}:{k}x{n}" for m in (1, 3, 8, 17) for k in (4, 33, 64) for n in (2, 5, 16)) + "\n")
    return path


@pytest.fixture
def job():
    return uuid.uuid4().hex


def start(rank, size, job, words, fault="", **more):
    environment = {**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size), "PMIX_NAMESPACE": job,
                   "OMPI_COMM_WORLD_LOCAL_SIZE": str(size), "ASSAY_EXAMPLE_FAULT": fault, **more}  # fmt: skip
    return subprocess.Popen([BIN / "assay", "verify", *words], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def alone(words, fault=""):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OMPI_")}
    return subprocess.run([BIN / "assay", "verify", *words], env={**environment, "ASSAY_EXAMPLE_FAULT": fault}, capture_output=True, text=True)


def told(text):
    """The report without times and the lines that hold them."""
    return [re.sub(r"\(\d+ ms\)", "", line) for line in text.splitlines() if not line.startswith("total:")]


def words_for(batch, *more):
    return [f"--engine={EXAMPLE}", *more, "--matmul", "--dt=f32,bf16,s8", f"--batch={batch}"]


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("fault", ["", "edge_m"])
def test_the_report_is_that_of_one_process(batch, tmp_path, job, size, fault):
    words = words_for(batch, f"--json={tmp_path / 'shared.json'}")
    ranks = [start(rank, size, job, words, fault) for rank in range(size)]
    said = [rank.communicate(timeout=120) for rank in ranks]
    single = alone(words_for(batch, f"--json={tmp_path / 'one.json'}"), fault)
    assert told(said[0][0]) == told(single.stdout)
    assert [out for out, _ in said[1:]] == [""] * (size - 1)
    assert ranks[0].returncode == single.returncode
    shared, one = (json.loads((tmp_path / name).read_text()) for name in ("shared.json", "one.json"))
    assert [problem["status"] for problem in shared["problems"]] == [problem["status"] for problem in one["problems"]]


def test_a_process_that_dies_loses_nothing(tmp_path, job):
    path = tmp_path / "shapes"
    path.write_text("128x512:512x64\n" * 300)
    words = [f"--engine={EXAMPLE}", "--matmul", f"--batch={path}"]
    ranks = [start(rank, 3, job, words) for rank in range(3)]
    killed = 0
    for number in (1, 0, 2, 1):
        time.sleep(0.8)  # long enough for another process to finish the last one's problem: after two deaths a problem is given up
        killed += kill_working(ranks[number])
    said = [rank.communicate(timeout=300) for rank in ranks]
    assert "tests:300 passed:300" in said[0][0], said
    numbers = [int(line.split(":")[0]) for line in said[0][0].splitlines() if re.match(r"\d+:[A-Z]", line)]
    assert numbers[-300:] == list(range(300))  # a report that a dead process began is written again
    assert killed and sum(err.count("was ended by signal 9") for _, err in said) == killed
    assert all(rank.returncode == 0 for rank in ranks)


def test_what_a_dead_rank_ran_is_run_again_and_said(tmp_path, job):
    """Rank 1 hangs in its first problem and is killed, with the process that waits for it: rank 0 runs that problem."""
    path = tmp_path / "shapes"
    path.write_text("4x4:4x4\n" * 5)
    words = [f"--engine={EXAMPLE}", "--matmul", f"--batch={path}"]
    second = start(1, 2, job, words, "hang")
    time.sleep(1.5)  # it holds problem 0
    first = start(0, 2, job, words)
    time.sleep(1.5)
    second.kill()
    out, err = first.communicate(timeout=60)
    second.communicate()
    assert "tests:5 passed:5" in out, out + err
    assert "rank 1 died while running it; run again by rank 0" in out


def test_another_rank_reports_when_the_first_dies(tmp_path, job):
    path = tmp_path / "shapes"
    path.write_text("4x4:4x4\n" * 5)
    words = [f"--engine={EXAMPLE}", f"--resume={tmp_path / 'done'}", "--matmul", f"--batch={path}"]
    first = start(0, 2, job, words, "hang")
    time.sleep(1)
    second = start(1, 2, job, words)
    time.sleep(1)
    first.kill()
    first.communicate()
    out, err = second.communicate(timeout=60)
    assert "tests:5 passed:5" in out, out + err
    assert "rank 0 died while running it; run again by rank 1" in out
    assert len((tmp_path / "done").read_text().splitlines()) == 5


def test_resume_goes_on(batch, tmp_path, job):
    words = words_for(batch, f"--resume={tmp_path / 'done'}")
    for run in range(2):
        ranks = [start(rank, 2, f"{job}{run}", words) for rank in range(2)]
        said = [rank.communicate(timeout=120) for rank in ranks]
    assert "tests:108 passed:108" in said[0][0]
    assert len((tmp_path / "done").read_text().splitlines()) == 108
    assert not list(pathlib.Path("/tmp").glob(f"assay-ranks-*-{job}*"))


def test_ranks_beside_jobs_is_an_error(batch, tmp_path, job):
    ran = start(0, 2, job, words_for(batch, "--jobs=2"))
    out, err = ran.communicate(timeout=60)
    assert ran.returncode == 2 and "--jobs=2 beside 2 ranks of a launcher" in err, out + err


@pytest.mark.skipif(not shutil.which("mpirun"), reason="mpirun is not installed (apt-get install openmpi-bin)")
def test_mpirun(batch):
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    ran = subprocess.run(["mpirun", "--oversubscribe", "-n", "3", BIN / "assay", "verify", *words_for(batch)], capture_output=True, text=True,
                         env={**os.environ, **allowed}, timeout=300)  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert told(ran.stdout) == told(alone(words_for(batch)).stdout)
