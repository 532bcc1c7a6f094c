"""Compares `assay compare` with a good NumPy script and h5diff, on two dumps of 649 fp16 tensors and 468 MB each.

usage: ./dev bench compare [--json FILE] [--large GB]

The peers read the same two files, already in the page cache, and alternate with us for seven rounds (h5diff, which takes half
a minute, runs once). NumPy computes five figures per tensor (cosine, RMSE, share that is close, largest error, count above 1e-5) in
f32, the fastest form of that script; `assay compare` computes its whole table. The limit is the time in which this
machine's cores read both files from the page cache into small buffers.

--large GB instead compares a pair of files of that size each and prints how much memory that took. The files are sparse: only
every hundredth block has data, so that they do not fill the disk.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import h5py
import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import samples  # noqa: E402

ROUNDS = 7


def numpy_compare(target, bench, out):
    with h5py.File(target) as t, h5py.File(bench) as b, open(out, "w", newline="") as file:
        rows = csv.writer(file)
        for name in t["1"]:
            x = t["1"][name][()].astype(numpy.float32).ravel()
            y = b["1"][name][()].astype(numpy.float32).ravel()
            d = numpy.abs(x - y)
            norm = numpy.linalg.norm(x) * numpy.linalg.norm(y)
            rows.writerow([name, numpy.dot(x, y) / norm, numpy.sqrt(numpy.dot(d, d) / d.size),
                           100 * numpy.mean(d <= 1e-5 + 1e-3 * numpy.abs(y)), d.max(), numpy.count_nonzero(d > 1e-5)])


def read_all(paths):
    """Every core reads its share of both files with pread into a buffer of 4 MiB."""
    def share(path, begin, end):
        buffer = bytearray(4 << 20)
        file = os.open(path, os.O_RDONLY)
        for at in range(begin, end, len(buffer)):
            os.preadv(file, [memoryview(buffer)[: min(len(buffer), end - at)]], at)
        os.close(file)

    cores = len(os.sched_getaffinity(0))
    threads = []
    for path in paths:
        size = os.path.getsize(path)
        for core in range(cores):
            threads.append(threading.Thread(target=share, args=(path, size * core // cores, size * (core + 1) // cores)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def compare(target, bench, out):
    """Runs `assay compare`. Returns (seconds, peak resident memory in MB)."""
    start = time.perf_counter()
    process = subprocess.Popen(["assay", "compare", target, bench, out, "--quiet"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"assay compare failed with exit code {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def large(gigabytes):
    """A pair of files with tensors of 512 MB, mostly holes."""
    elements, block = 1 << 28, 1 << 20
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("target.h5", "bench.h5")]
        for path in paths:
            with h5py.File(path, "w", track_order=True) as file:
                group = file.create_group("1", track_order=True)
                for number in range(gigabytes * 2):
                    space = h5py.h5s.create_simple((elements,))
                    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                    layout.set_layout(h5py.h5d.CONTIGUOUS)
                    layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                    layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
                    name = f"blocks.{number}.Linear.0.forward_output.0".encode()
                    h5py.h5d.create(group.id, name, h5py.h5t.IEEE_F16LE, space, layout)
                for number, dataset in enumerate(group.values()):
                    values = numpy.random.default_rng(number).standard_normal(block, numpy.float32).astype(numpy.float16)
                    for begin in range(0, elements, 100 * block):
                        dataset[begin : begin + block] = values
        seconds, memory = compare(*paths, os.path.join(folder, "result.csv"))
        size = sum(os.path.getsize(path) for path in paths) / 1e9
        print(f"two files of {size / 2:.1f} GB: {seconds:.1f} s, {size / seconds:.2f} GB/s, {memory:.0f} MB resident")


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    if "--large" in sys.argv:
        large(int(sys.argv[sys.argv.index("--large") + 1]))
        return
    json_path = sys.argv[sys.argv.index("--json") + 1] if "--json" in sys.argv else None
    with tempfile.TemporaryDirectory() as folder:
        target, bench, out = (os.path.join(folder, name) for name in ("target.h5", "bench.h5", "result.csv"))
        subprocess.run([sys.executable, HERE / "make_pair.py", target, bench], check=True)

        memory = []

        def ours():
            memory.append(compare(target, bench, out)[1])

        seconds = samples.Samples("numpy", "limit")
        for _ in range(ROUNDS):
            seconds.add(timed(ours), numpy=timed(lambda: numpy_compare(target, bench, out + ".numpy")), limit=timed(lambda: read_all([target, bench])))
        h5diff = samples.Samples("h5diff")
        h5diff.add(timed(ours), h5diff=timed(lambda: subprocess.run(["h5diff", target, bench], stdout=subprocess.DEVNULL)))
        with open(out) as file:
            rows = sum(1 for _ in file) - 1
    sides = {"assay": seconds.least(), "numpy": seconds.least("numpy"), "h5diff": h5diff.least("h5diff"), "limit": seconds.least("limit")}
    for name, best in sides.items():
        print(f"{name:8} {best:8.3f} s   {0.937 / best:8.2f} GB/s")
    print(f"{rows} tensors; assay held {max(memory):.0f} MB; numpy {seconds.against('numpy')}, the limit {seconds.against('limit')} of our time")
    cases = [{"case": f"{rows} tensors", "s": measured.json()} for measured in (seconds, h5diff)]
    samples.write(json_path, "compare", cases, resident_mb=max(memory))
    for peer, measured in (("numpy", seconds), ("h5diff", h5diff)):
        samples.closing("compare", peer, [measured.against(peer).median], seconds.against("limit").median)


if __name__ == "__main__":
    main()
