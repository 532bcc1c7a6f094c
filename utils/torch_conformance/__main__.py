#!/usr/bin/env python3
"""Runs PyTorch's own operator database (OpInfo) through Assay: each sample becomes a program, and the results of the reference engine, the native
engine and PyTorch are judged by the derived bound.

usage: utils/torch_conformance [--only REGEX] [--types "f32,f64,bf16,f16,i64,bool,c64,f32 gradient,f64 gradient"] [--samples N] [--jobs N] [--results FILE.jsonl]
                               [--resume] [--json FILE] [--write docs/torch_conformance.md]

Samples run in worker processes: one that ends or hangs is a result ("crashed", "timeout") and the others continue. With --resume, samples that are
already in the results are not run again. `./dev conformance torch` runs it. Exit code 1: a sample of an engine exceeds its bound, or a worker
crashed.
"""
import argparse
import json
import pathlib
import queue
import re
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / ".cache" / "torchlibs"), str(HERE), str(ROOT / "python")]

TYPES = ("f32", "f64", "bf16", "f16", "i64", "bool", "c64", "f32 gradient", "f64 gradient")
SECONDS = 90  # for one job


class Worker:
    """A process that answers jobs; a new one replaces it when it ends."""

    def __init__(self):
        self.process = None

    def run(self, job):
        """The rows of a job."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, str(HERE / "worker.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)  # fmt: skip
        hung = []
        timer = threading.Timer(SECONDS, lambda: (hung.append(True), self.process.kill()))
        timer.start()
        rows = []
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                row = json.loads(line)
                if "done" in row:
                    return rows
                rows.append(row)
        except BrokenPipeError:
            pass
        finally:
            timer.cancel()
        code = self.process.wait()  # else the next job would be sent to a process that is ending
        why = {"outcome": "timeout", "why": f"more than {SECONDS} s"} if hung else {"outcome": "crashed", "why": f"exit code {code}"}
        return [*rows, {**job, "sample": len(rows), **why}]

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()


def jobs_of(options):
    from torch.testing._internal.common_methods_invocations import op_db

    import samples

    for op in op_db:
        for dtype in samples.kinds_of(op):
            if dtype in options.types and re.search(options.only, samples.label(op)):
                yield {"operator": samples.label(op), "dtype": dtype, "count": options.samples}


def run(jobs, options, rows):
    todo, lock = queue.SimpleQueue(), threading.Lock()
    for job in jobs:
        todo.put(job)
    total, file = todo.qsize(), open(options.results, "a")

    def work():
        worker = Worker()
        while not todo.empty():
            try:
                job = todo.get_nowait()
            except queue.Empty:
                break
            made = worker.run(job)
            with lock:
                rows.extend(made)
                for row in made:
                    file.write(json.dumps(row) + "\n")
                file.write(json.dumps({**job, "done": True}) + "\n")
                file.flush()
                left = todo.qsize()
                if left % 100 == 0:
                    print(f"{total - left} of {total}", file=sys.stderr, flush=True)
        worker.end()

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.close()


def earlier(path):
    """(rows, finished jobs) of an earlier run."""
    rows, done = [], set()
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # the line that was not complete
        if "done" in row:
            done.add((row["operator"], row["dtype"]))
        else:
            rows.append(row)
    return [row for row in rows if (row["operator"], row["dtype"]) in done], done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--types", default=",".join(TYPES), type=lambda text: text.split(","))
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build" / "torch_conformance.jsonl")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    unknown = [name for name in options.types if name not in TYPES]
    if unknown:
        parser.error(f"--types: {unknown[0]} is not one of {', '.join(TYPES)}")
    import page

    rows, done = earlier(options.results) if options.resume else ([], set())
    if not options.resume:
        options.results.unlink(missing_ok=True)
    options.results.parent.mkdir(parents=True, exist_ok=True)
    run([job for job in jobs_of(options) if (job["operator"], job["dtype"]) not in done], options, rows)
    facts = page.facts_of(rows)
    print(page.table(facts))
    if options.json:
        options.json.write_text(json.dumps({"revision": page.revision(ROOT), "types": facts, "rows": rows}, indent=1) + "\n")
    if options.write:
        page.write(options.write, facts, rows, page.revision(ROOT), options.samples)
    if not any(one["samples"] for one in facts.values()):
        return 3
    return 1 if any(one["wrong"] for one in facts.values()) or any(row["outcome"] in ("crashed", "timeout") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
