"""`mpirun -n N assay run --processes=mpi`: each rank runs its share of a program's processes, with the bits of the cooperative run;
a rank that dies, fails, hangs or waits forever is named, and the run ends with one report."""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import uuid

import numpy as np
import pytest
from launched import where_ranks_meet  # noqa: F401

BIN = pathlib.Path(os.environ["ASSAY_BIN"])
SUM = """({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""
# Three rounds of sums and rotations, a message from process to process, prints and checks.
WORK = f"""
func.func @work(%x: tensor<64xf32>) -> tensor<64xf32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<64xf32>
  cond {{
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %n = stablehlo.add %i, %one : tensor<i32>
    %sum = "stablehlo.all_reduce"(%y) <{{replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>}}> {SUM} : (tensor<64xf32>) -> tensor<64xf32>
    %next = "stablehlo.collective_permute"(%sum) {{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}}
      : (tensor<64xf32>) -> tensor<64xf32>
    %third = stablehlo.constant dense<0.333333343> : tensor<64xf32>
    %m = stablehlo.multiply %next, %third : tensor<64xf32>
    stablehlo.return %n, %m : tensor<i32>, tensor<64xf32>
  }}
  %t = stablehlo.create_token : !stablehlo.token
  %sent = "stablehlo.send"(%r#1, %t) {{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}}
    : (tensor<64xf32>, !stablehlo.token) -> !stablehlo.token
  %got:2 = "stablehlo.recv"(%sent) {{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}}
    : (!stablehlo.token) -> (tensor<64xf32>, !stablehlo.token)
  %first = stablehlo.slice %got#0 [0:2] : (tensor<64xf32>) -> tensor<2xf32>
  interpreter.print %first : tensor<2xf32>
  check.expect_almost_eq %r#1, %r#1 : tensor<64xf32>
  %both = stablehlo.add %r#1, %got#0 : tensor<64xf32>
  return %both : tensor<64xf32>
}}
"""
GRID = """
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>, %d: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@work], [@work], [@work], [@work]]}
    : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  %1:4 = "interpreter.run_parallel"(%0#1, %0#2, %0#3, %0#0) {programs = [[@work], [@work], [@work], [@work]]}
    : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %1#0, %1#1, %1#2, %1#3 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
"""


def environment(rank, size, job):
    return {**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(size), "OMPI_COMM_WORLD_LOCAL_SIZE": str(size),
            "PMIX_NAMESPACE": job}


def started(words, rank, size, job, prefix=()):
    """`assay WORDS` as one of the ranks of a launcher."""
    return subprocess.Popen([*prefix, BIN / "assay", *map(str, words)], env=environment(rank, size, job), text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def ranks_of(words, size):
    job = uuid.uuid4().hex
    return [started(words, rank, size, job) for rank in range(size)]


def start(words, size):
    return ranks_of(["run", *words, "--processes=mpi"], size)


def finish(processes, timeout=120):
    return [(*process.communicate(timeout=timeout), process.returncode) for process in processes]


def write(folder, text, **arrays):
    (folder / "program.mlir").write_text(text)
    np.savez(folder / "in.npz", **arrays)
    return folder / "program.mlir"


@pytest.fixture
def ring(tmp_path):
    data = np.random.default_rng(3).standard_normal((4, 64)).astype(np.float32)
    return write(tmp_path, WORK + GRID, **{f"in{i}": data[i] for i in range(4)})


def check_same(folder, processes):
    alone = np.load(folder / "alone.npz")
    results = finish(processes)
    assert [code for _, _, code in results] == [0] * len(processes), results
    assert "checks: 8 passed, 0 failed" in results[0][0] and all(out == err == "" for out, err, _ in results[1:]), results
    together = np.load(folder / "together.npz")
    assert set(alone.files) == set(together.files)
    for name in alone.files:
        np.testing.assert_array_equal(alone[name].view(np.uint32), together[name].view(np.uint32))
    return results[0][0]


@pytest.mark.parametrize("size", [2, 3, 4, 6])
def test_the_bits_of_the_cooperative_run(ring, tmp_path, size):
    words = [ring, "--input", tmp_path / "in.npz", "--output"]
    alone = subprocess.run([BIN / "assay", "run", *words, tmp_path / "alone.npz"], capture_output=True, text=True, check=True)
    printed = check_same(tmp_path, start([*words, tmp_path / "together.npz"], size))
    assert sorted(printed.splitlines()) == sorted(alone.stdout.splitlines())  # each process's prints, in the order of the grid


def test_manual_computation_with_a_shadow(tmp_path):
    text = f"""
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x6xf32>) -> tensor<4x3xf32> {{
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>] out_shardings=[<@mesh, [{{"x"}}, {{}}]>] manual_axes={{"x", "y"}} (%b: tensor<2x3xf32>) {{
    %1 = "stablehlo.all_reduce"(%b) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}}> {SUM} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    sdy.return %1 : tensor<2x3xf32>
  }} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}}
"""
    a = np.random.default_rng(5).standard_normal((4, 6)).astype(np.float32)
    program = write(tmp_path, text, in0=a)
    np.savez(tmp_path / "want.npz", out0=a[:, :3] + a[:, 3:])
    words = [program, "--input", tmp_path / "in.npz", "--expect", tmp_path / "want.npz", "--rule", "shadow"]
    alone = subprocess.run([BIN / "assay", "run", *words], capture_output=True, text=True, check=True)
    results = finish(start(words, 4))
    assert results[0][0] == alone.stdout and "1 passed" in alone.stdout and [r[2] for r in results] == [0] * 4


@pytest.mark.skipif(not shutil.which("mpirun"), reason="mpirun is not installed (apt-get install openmpi-bin)")
def test_mpirun(ring, tmp_path):
    words = [BIN / "assay", "run", ring, "--input", tmp_path / "in.npz", "--output"]
    subprocess.run([*words, tmp_path / "alone.npz"], check=True, capture_output=True)
    allowed = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    ran = subprocess.run(["mpirun", "--oversubscribe", "-n", "4", *words, tmp_path / "together.npz", "--processes=mpi"], env=allowed,
                         capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0 and "checks: 8 passed, 0 failed" in ran.stdout, ran.stdout + ran.stderr
    alone, together = np.load(tmp_path / "alone.npz"), np.load(tmp_path / "together.npz")
    for name in alone.files:
        np.testing.assert_array_equal(alone[name].view(np.uint32), together[name].view(np.uint32))


ENDLESS = """
func.func @work(%x: tensor<2xf32>) -> tensor<2xf32> {
  %id = stablehlo.replica_id : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %r = stablehlo.while(%i = %id) : tensor<ui32>
  cond {
    %c = stablehlo.compare EQ, %i, %one : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %i : tensor<ui32>
  }
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@work], [@work]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
"""


def child_of(process):
    """The working process: the only child of the one that the launcher started."""
    for _ in range(200):
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.02)
    raise AssertionError("the rank has no second process")


def state_of(pid):
    """(S, R, ..., seconds of processor time) of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(holds):
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def where_they_stay(turns, waits):
    """Waits until one rank is in its loop (a program begins in less than a second of processor time) and the other waits for it."""
    turning, waiting = child_of(turns), child_of(waits)
    wait_for(lambda: state_of(turning)[1] > 1)

    def is_idle():
        before = state_of(waiting)
        time.sleep(0.1)
        return before == state_of(waiting) and before[0] == "S"

    wait_for(is_idle)


@pytest.mark.parametrize("whole", [False, True])
def test_a_rank_that_is_killed_is_named(tmp_path, whole):
    program = write(tmp_path, ENDLESS, in0=np.zeros(2, np.float32), in1=np.zeros(2, np.float32))
    processes = start([program, "--input", tmp_path / "in.npz"], 2)
    where_they_stay(processes[1], processes[0])
    began = time.monotonic()
    os.kill(processes[1].pid if whole else child_of(processes[1]), signal.SIGKILL)
    results = finish(processes)
    assert time.monotonic() - began < 10
    assert results[0][2] == 1, results
    assert "rank 1 has died" in results[0][1] and "its last operation: 'stablehlo.compare' at " in results[0][1], results
    assert "in process (replica 1, partition 0)" in results[0][1]


def test_the_first_rank_that_is_killed_is_named_by_the_second(tmp_path):
    program = write(tmp_path, ENDLESS.replace("dense<1> : tensor<ui32>", "dense<0> : tensor<ui32>"), in0=np.zeros(2, np.float32),
                    in1=np.zeros(2, np.float32))
    processes = start([program, "--input", tmp_path / "in.npz"], 2)
    where_they_stay(processes[0], processes[1])
    os.kill(child_of(processes[0]), signal.SIGKILL)
    results = finish(processes)
    assert results[0][2] == results[1][2] == 1 and "rank 0 has died of signal 9" in results[1][1], results


def test_a_rank_that_never_comes_back_is_named_after_the_timeout(tmp_path):
    program = write(tmp_path, ENDLESS, in0=np.zeros(2, np.float32), in1=np.zeros(2, np.float32))
    processes = start([program, "--input", tmp_path / "in.npz", "--timeout", "1", "--max-seconds", "20"], 2)
    out, err, code = finish(processes[:1])[0]
    processes[1].kill()
    finish(processes[1:])
    assert code == 1 and "no news for 1" in err and "(replica 0, partition 0) waits for (replica 1, partition 0)" in err, err
    assert "rank 1 is at 'stablehlo." in err, err


def test_a_deadlock_says_who_waits_for_what(tmp_path):
    text = ENDLESS.replace("dense<1> : tensor<ui32>", "dense<7> : tensor<ui32>").replace("[[0, 1], [1, 0]]", "[[1, 1], [0, 0]]")
    waits = """  %t = stablehlo.create_token : !stablehlo.token
  %got:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
    : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0 : tensor<2xf32>
}
func.func @main"""
    program = write(tmp_path, text.replace("  return %0 : tensor<2xf32>\n}\nfunc.func @main", waits), in0=np.zeros(2, np.float32),
                    in1=np.zeros(2, np.float32))
    alone = subprocess.run([BIN / "assay", "run", program, "--input", tmp_path / "in.npz"], capture_output=True, text=True)
    results = finish(start([program, "--input", tmp_path / "in.npz"], 2))
    assert [r[2] for r in results] == [1, 1] and alone.returncode == 1
    for who in "01":
        assert f"(replica {who}, partition 0) waits for data in channel 5" in results[0][1], results
    assert results[0][1].split("wait for each other")[1].split() == alone.stderr.split("wait for each other")[1].split()


def test_an_error_in_a_process_is_told_by_the_first_rank(tmp_path):
    text = ENDLESS.replace('%r = stablehlo.while', 'interpreter.probe %x, probe_id = "p" : tensor<2xf32>\n  %r = stablehlo.while')
    program = write(tmp_path, text, in0=np.zeros(2, np.float32), in1=np.zeros(2, np.float32))
    results = finish(start([program, "--input", tmp_path / "in.npz"], 2))
    assert [r[2] for r in results] == [2, 2] and "there is no probe directory" in results[0][1] and results[1][1] == "", results


def test_bad_input_is_said_once(tmp_path):
    program = write(tmp_path, "func.func @main( {", in0=np.zeros(2, np.float32))
    results = finish(start([program, "--input", tmp_path / "in.npz"], 3))
    assert [r[2] for r in results] == [2, 2, 2] and "expected" in results[0][1] and results[1][1] == results[2][1] == "", results


def test_what_does_not_go_with_ranks(ring, tmp_path):
    for flag in (["--record", tmp_path / "d.h5"], ["--probe-output-dir", tmp_path], ["--isolate"], ["--watch", "x"]):
        out, err, code = finish(start([ring, "--input", tmp_path / "in.npz", *flag], 2))[0]
        assert code == 2 and "they go with --processes=cooperative" in err, err
    text = ENDLESS.replace("dense<1> : tensor<ui32>", "dense<7> : tensor<ui32>").replace(
        '%0 = "stablehlo.collective_permute"', '%t = stablehlo.create_token : !stablehlo.token\n  %f:2 = "stablehlo.infeed"(%t) {infeed_config = ""} '
        ': (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)\n  %0 = "stablehlo.collective_permute"')
    feed = "func.func @feed() -> tensor<2xf32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
    program = write(tmp_path, feed + text.replace("{programs", "{infeed = [@feed, @feed], programs"), in0=np.zeros(2, np.float32), in1=np.zeros(2, np.float32))
    assert subprocess.run([BIN / "assay", "run", program, "--input", tmp_path / "in.npz"], capture_output=True).returncode == 0
    out, err, code = finish(start([program, "--input", tmp_path / "in.npz"], 2))[0]
    assert code == 2 and "it runs with --processes=cooperative" in err, err
    alone = subprocess.run([BIN / "assay", "run", ring, "--input", tmp_path / "in.npz", "--processes=mpi"], capture_output=True, text=True)
    assert alone.returncode == 0, alone.stderr  # outside of a launcher: one rank, which runs them all


def test_what_ranks_cannot_share_is_said(tmp_path):
    (tmp_path / "folder").mkdir()
    results = finish(ranks_of(["verify", f"--resume={tmp_path / 'folder'}", "--engine=reference", "--matmul", "3x4:4x5"], 2))
    assert any(code == 2 and f"cannot copy '{tmp_path / 'folder'}': Is a directory" in err for _, err, code in results), results


def until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_ranks_with_other_numbers_of_cores_are_told(tmp_path):
    (tmp_path / "shapes.csv").write_text("m,n,k\n8,8,8\n")
    words = ["tune", "collect", "--shapes", tmp_path / "shapes.csv", "-o", tmp_path / "c.parquet", "--max-seconds", "5"]
    job = uuid.uuid4().hex
    second = started(words, 1, 2, job)  # it measures before the reporting rank starts
    until(lambda: any(b'"problem"' in file.read_bytes() for file in tmp_path.glob("assay-ranks-*/*") if file.is_file()))
    first = started(words, 0, 2, job, ("taskset", "-c", str(min(os.sched_getaffinity(0)))))
    results = finish([first, second])
    told = "the ranks have different lists of problems, as where they may use different numbers of cores: give --threads, or mpirun --bind-to none"
    assert results[0][2] == 2 and told in results[0][1], results
