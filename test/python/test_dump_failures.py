"""Failures around dumps: full disks, permissions, two writers, truncated and foreign files, killed recorders. Each produces
one clear message, and no finished tensor is lost; h5py reads the repaired files."""
import csv
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

import h5py
import ml_dtypes
import numpy
import preloaded
import pytest

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "programs" / "mlp_inference.mlir"
RECORD = """
import sys, time, torch
from assay.torch.session import Session
session = Session(sys.argv[1])
count = 0
while count < int(sys.argv[2]):
    stored = session.put(1, f"blocks.{count}.Linear.0.forward_output.0", torch.full((64, 256), float(count)))
    print(count if stored else "stopped", flush=True)
    if not stored:
        break
    count += 1
if len(sys.argv) > 3:
    time.sleep(float(sys.argv[3]))
session.close()
"""


# The same with a limit of 1 MiB per file, like a full disk.
RECORD_LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
""" + RECORD


def recorder(*words, lines):
    """A started recorder that has printed this many lines."""
    started = preloaded.Python("-c", RECORD, *words)
    while started.said().count("\n") < lines and started.returncode is None:
        time.sleep(0.005)
    return started


def limited(size):
    """Limits a file to `size` bytes, like a full disk."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


def error_lines(text):
    return [line for line in text.splitlines() if line.strip()]


def test_a_disk_that_fills_up_keeps_what_was_finished(tmp_path, assay):
    ran = preloaded.run("-c", RECORD_LIMITED, tmp_path / "x.h5", 100000, timeout=120)
    assert ran.returncode == 0 and "RECORDING STOPPED" in ran.stderr, ran.stderr
    summary = assay("summary", "x.h5", "--quiet", "x.csv")
    assert summary.returncode == 0, summary.stderr
    with h5py.File(tmp_path / "x.h5") as file:
        kept = file["1"]
        assert len(kept) >= 10
        for number in range(len(kept)):
            assert (kept[f"blocks.{number}.Linear.0.forward_output.0"][()] == number).all()
        assert f"{len(kept)} tensors are kept" in ran.stderr, ran.stderr


SMALL_DISK = 'mount -t tmpfs -o size="$1" tmpfs "$2" && "$3" -c "$4" "$2/x.h5" "$5"; status=$?; cp -a "$2/." "$6"; exit $status'


@pytest.mark.parametrize("size", ["300k", "1m", "8m"])
def test_a_small_disk_that_is_really_full(tmp_path, assay, size):
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    kept.mkdir()
    alone = ["unshare", "--user", "--map-root-user", "--mount"]  # the mount ends with the process
    try:
        allowed = subprocess.run([*alone, "mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True, text=True)
    except FileNotFoundError as missing:
        pytest.skip(f"mounting a tmpfs takes {missing.filename}, which is not installed")
    if allowed.returncode != 0:
        pytest.skip(f"mounting a tmpfs is not permitted here: {allowed.stderr.strip()}")
    words = [size, disk, sys.executable, RECORD, 100000, kept]
    ran = subprocess.run([*alone, "bash", "-c", SMALL_DISK, "bash", *map(str, words)], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert "RECORDING STOPPED" in ran.stderr and "no space left on device" in ran.stderr, ran.stderr
    summary = assay("summary", "kept/x.h5", "--quiet", "x.csv")
    assert summary.returncode == 0, summary.stderr
    with h5py.File(kept / "x.h5") as file:
        tensors = file["1"]
        limit = int(size[:-1]) << (10 if size[-1] == "k" else 20)
        assert limit // 2 < len(tensors) * 64 * 256 * 4 < limit
        for number in range(len(tensors)):
            assert (tensors[f"blocks.{number}.Linear.0.forward_output.0"][()] == number).all()
        assert f"{len(tensors)} tensors are kept" in ran.stderr, ran.stderr


MODULES_LIMITED = """
import resource, signal, sys, torch
from assay.torch import PrecisionDebugger
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
model = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(40)))
debugger = PrecisionDebugger("dump", model=model, dump_torch_api=sys.argv[2] == "operators")
debugger.start()
model(torch.randn(256, 64)).sum().backward()
if sys.argv[3] == "stop":
    debugger.stop()
print("it went on")
"""


@pytest.mark.parametrize("end", ["stop", "exit"])
@pytest.mark.parametrize("kind", ["modules", "operators"])
@pytest.mark.parametrize("size", [1000, 20_000, 100_000])
def test_what_is_said_to_be_kept_is_kept(tmp_path, assay, size, kind, end):
    ran = preloaded.run("-c", MODULES_LIMITED, size, kind, end, cwd=tmp_path, timeout=120)
    assert ran.returncode == 0 and "it went on" in ran.stdout, ran.stderr
    # If the model is faster than the disk, this is reported when the recording ends.
    (stopped,) = (line for line in ran.stderr.splitlines() if "RECORDING STOPPED" in line or "the recording is not complete" in line)
    assert "too large" in stopped and "no hook fired" not in ran.stderr and "NOTHING WAS RECORDED" not in ran.stderr, ran.stderr
    (count,) = re.findall(r"; (no|\d+) tensors? (?:is|are) kept$", stopped)
    file = "dump/globalrank-0_localrank-0.h5"
    summary = assay("summary", file, "x.csv")
    kept = 0 if count == "no" else int(count)
    found = len(list(csv.reader(open(tmp_path / "x.csv", newline="")))) - 1 if summary.returncode == 0 else 0
    assert found == kept, (stopped, summary.stderr)
    assert summary.returncode == 0 or kept == 0, summary.stderr


def test_a_recorded_program_on_a_full_disk(tmp_path):
    command = [os.path.join(os.environ["ASSAY_BIN"], "assay"), "run", PROGRAM, "--input", PROGRAM.with_suffix(".npz"), "--quiet", "--record", "x.h5"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limited(20000))
    assert ran.returncode == 2 and len(error_lines(ran.stderr)) == 1, ran.stderr
    assert "x.h5" in ran.stderr and "file too large" in ran.stderr


def test_results_that_cannot_be_written(tmp_path, assay):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["1/a.Linear.0.forward_output.0"] = numpy.ones((4, 4), numpy.float32)
    # Missing folders are made; here a file is in the place of one.
    for words in (["summary", "x.h5", "x.h5/such/out.csv"], ["compare", "x.h5", "x.h5", "x.h5/such/out.csv"],
                  ["summary", "x.h5", "/dev/full"], ["compare", "x.h5", "x.h5", "/dev/full"],
                  ["compare", "x.h5", "x.h5", "--write-map", "x.h5/such/map.json"], ["compare", "x.h5", "x.h5", "--json", "x.h5/such/x.json"]):
        ran = assay(*words)
        assert ran.returncode == 2, (words, ran.stdout, ran.stderr)
        assert len(error_lines(ran.stderr)) == 1 and ran.stderr.startswith("assay: error: "), (words, ran.stderr)


def as_nobody():
    os.setgid(65534)
    os.setuid(65534)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become somebody without rights")
def test_permission_denied(tmp_path):
    program = os.path.join(os.environ["ASSAY_BIN"], "assay")
    if subprocess.run(["true"], preexec_fn=as_nobody).returncode != 0 or not os.access(program, os.X_OK):
        pytest.skip("the program is not reachable for others")
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["1/a"] = numpy.ones(3)
    os.chmod(tmp_path / "secret.h5", 0o600)
    os.chmod(tmp_path, 0o755)
    for folder in tmp_path.parents[:2]:
        os.chmod(folder, 0o755)
    try:
        ran = subprocess.run([program, "summary", tmp_path / "secret.h5"], capture_output=True, text=True, preexec_fn=as_nobody)
    except PermissionError:
        pytest.skip("the program is not reachable for others")
    assert ran.returncode == 2 and "ermission denied" in ran.stderr and len(error_lines(ran.stderr)) == 1, ran.stderr
    record = [program, "run", PROGRAM, "--input", PROGRAM.with_suffix(".npz"), "--quiet", "--record", tmp_path / "new.h5"]
    ran = subprocess.run(record, capture_output=True, text=True, preexec_fn=as_nobody)
    assert ran.returncode == 2 and "new.h5" in ran.stderr and "ermission denied" in ran.stderr, ran.stderr
    assert len(error_lines(ran.stderr)) == 1


def test_two_writers_on_one_file(tmp_path, assay):
    first = recorder(tmp_path / "x.h5", "3", "20", lines=3)
    journal = tmp_path / "x.h5.journal"
    for _ in range(1000):  # the writer has low priority
        if journal.exists() and journal.read_text().count('"hash"') == 3:
            break
        time.sleep(0.01)
    second = preloaded.run("-c", RECORD, tmp_path / "x.h5", 1, timeout=120)
    assert "RECORDING STOPPED" in second.stderr and "is being recorded already, by this process or another" in second.stderr, second.stderr
    reader = assay("summary", "x.h5")
    assert reader.returncode == 2 and "still being recorded" in reader.stderr and len(error_lines(reader.stderr)) == 1, reader.stderr
    first.kill()
    assert assay("summary", "x.h5", "--quiet").returncode == 0
    with h5py.File(tmp_path / "x.h5") as file:
        assert len(file["1"]) == 3


@pytest.mark.parametrize("round_", range(6))
def test_a_killed_recorder_loses_nothing_and_h5py_reads_the_repaired_file(tmp_path, assay, round_):
    started = recorder(tmp_path / "x.h5", "100000", lines=1)
    time.sleep(0.01 * 3**round_ if round_ < 4 else 0.05 * round_)
    started.kill()
    journal = tmp_path / "x.h5.journal"
    lines = journal.read_text().splitlines(keepends=True)
    finished = sum('"hash"' in line and line.endswith("\n") for line in lines)  # the kill may tear the last one
    ran = assay("summary", "x.h5", "x.csv")
    if finished == 0:
        assert ran.returncode in (2, 3), ran.stderr
        return
    assert ran.returncode == 0 and "was left by a recorder that was killed; repaired, " in ran.stderr, ran.stderr
    assert not journal.exists()
    with h5py.File(tmp_path / "x.h5") as file:
        assert len(file["1"]) >= finished
        for name, dataset in file["1"].items():
            assert (dataset[()] == int(name.split(".")[1])).all()
            assert dataset.attrs["dtype"] == "float32" and len(dataset.attrs["hash"]) == 32


def test_truncated_files(tmp_path, assay):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for number in range(20):
            file[f"1/m.{number}.Linear.0.forward_output.0"] = numpy.ones((50, 50), numpy.float32)
    data = (tmp_path / "x.h5").read_bytes()
    for size in (0, 7, 100, len(data) // 3, len(data) // 2, len(data) - 4000):
        (tmp_path / "cut.h5").write_bytes(data[:size])
        for words in (["summary", "cut.h5"], ["compare", "cut.h5", "x.h5"], ["compare", "x.h5", "cut.h5"]):
            ran = assay(*words)
            assert ran.returncode in (1, 2) and "cut.h5" in ran.stderr + ran.stdout, (size, ran.stdout, ran.stderr)
            assert ran.returncode == 1 or len(error_lines(ran.stderr)) == 1, (size, ran.stderr)


def test_foreign_files(tmp_path, assay):
    (tmp_path / "text.h5").write_text("not a dump\n" * 100)
    numpy.savez(tmp_path / "other.h5.npz", a=numpy.ones(3))
    (tmp_path / "zip.h5").write_bytes((tmp_path / "other.h5.npz").read_bytes())
    (tmp_path / "folder.h5").mkdir()
    with h5py.File(tmp_path / "empty.h5", "w"):
        pass
    with h5py.File(tmp_path / "strings.h5", "w") as file:
        file["text"] = "words"
        file["1/compound"] = numpy.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
    for name in ("text.h5", "zip.h5", "folder.h5", "missing.h5"):
        ran = assay("summary", name)
        assert ran.returncode == 2 and name in ran.stderr and len(error_lines(ran.stderr)) == 1, (name, ran.stderr)
    assert assay("summary", "empty.h5").returncode == 3
    ran = assay("summary", "strings.h5")
    assert ran.returncode in (0, 3) and "is not a tensor" in ran.stderr, ran.stderr
    assert assay("compare", "empty.h5", "empty.h5").returncode == 3


def test_narrow_types_of_ml_dtypes_through_h5py(tmp_path, assay):
    names = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
    values = numpy.linspace(0.25, 16, 64).astype(numpy.float32)
    with h5py.File(tmp_path / "x.h5", "w", track_order=True) as file:
        group = file.create_group("1", track_order=True)
        for name in names:
            narrow = values.astype(getattr(ml_dtypes, name))
            integers = group.create_dataset(f"{name}.Linear.0.forward_output.0", data=narrow.view(f"u{narrow.itemsize}"))
            integers.attrs["dtype"] = name
        group.create_dataset("opaque.Linear.0.forward_output.0", data=values.astype(ml_dtypes.bfloat16))
    ran = assay("summary", "x.h5", "x.csv")
    assert ran.returncode == 0, ran.stderr
    rows = list(csv.DictReader(open(tmp_path / "x.csv", newline="")))
    assert [row["Dtype"] for row in rows] == [*names, "bfloat16"]
    for row, name in zip(rows, [*names, "bfloat16"]):
        wide = values.astype(getattr(ml_dtypes, name)).astype(numpy.float64)
        assert (float(row["Min"]), float(row["Max"])) == (wide.min(), wide.max())
        assert float(row["P50"]) == numpy.sort(wide)[31]
    assert assay("compare", "x.h5", "x.h5", "--quiet").returncode == 0
