#!/usr/bin/env python3
"""Runs JAX's own test files on the PJRT plugin, and on JAX's CPU backend on the same machine.

    ./dev conformance jax-tests DIR                          DIR: a checkout of jax-ml/jax, at the tag of the installed version
    ./dev conformance jax-tests DIR --files lax_test,nn_test
    ./dev conformance jax-tests DIR --cases 10 --shard 1/4    a quarter of the tests

A file's tests run in one process; what ends or hangs it is a row of its own, and the next process goes on behind it. Every answer goes to a
journal, so that a second call goes on where the first one ended. Tests count that pass on the CPU backend; those that leave out platforms by name
take ours for a processor. A failure's reason is looked for in reasons.txt beside this: `REGEX | REASON` per line, of its name and message. Exit
code 0: every failure has a reason; 1: some have none, or a process died.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# A module for pytest: writes `start`, then the outcome, of each test; skips tests that the journal has already.
PLUGIN = '''
import json, os, sys, time
import pytest
_file = open(os.environ["ASSAY_JAX_JOURNAL"], "a", buffering=1)
_done = set(json.loads(os.environ["ASSAY_JAX_DONE_FILE"] and open(os.environ["ASSAY_JAX_DONE_FILE"]).read() or "[]"))
_index, _count = map(int, os.environ["ASSAY_JAX_SHARD"].split("/"))
_only = os.environ.get("ASSAY_JAX_ONLY")
_began = {}

def _say(**row):
    _file.write(json.dumps(row) + "\\n")

# Tests that name platforms take the plugin for a processor, too: while they run as one of two, while they are made as the only one.
@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_make_collect_report(collector):
    if os.environ["ASSAY_JAX_PLATFORM"] != "assay" or not isinstance(collector, pytest.File):
        yield
        return
    from jax._src import test_util  # here, as the tests would: it keeps the standard output that it finds
    test_util._TEST_DUT.value = "cpu"
    yield
    test_util._TEST_DUT.value = ""
    test_util._get_device_tags = lambda: {test_util.device_under_test(), "cpu"}

def pytest_collection_modifyitems(items):
    if _only:
        import re
        items[:] = [item for item in items if re.search(_only, item.nodeid)]
    items[:] = [item for i, item in enumerate(items) if i % _count == _index - 1]
    items[:] = [item for item in items if item.nodeid not in _done]

def pytest_runtest_logstart(nodeid, location):
    _began[nodeid] = time.time()
    _say(start=nodeid)

def pytest_runtest_logreport(report):
    if report.outcome == "failed" or report.when == "call" or report.skipped:
        message = ""
        if report.outcome != "passed":
            text = str(report.longrepr)
            lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
            message = "\\n".join(lines[:12]) or text[-600:]
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        _say(done=report.nodeid, outcome=outcome, message=message[:1500], seconds=round(time.time() - _began.get(report.nodeid, time.time()), 3))
'''


def rows_of(journal):
    """nodeid -> (outcome, message, seconds), and the test that was running when the journal ended."""
    rows, running = {}, None
    if journal.exists():
        for line in journal.read_text().splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue  # the incomplete last line of a killed process
            if "start" in row:
                running = row["start"]
            else:
                rows[row["done"]] = (row["outcome"], row["message"], row["seconds"])
                if running == row["done"]:
                    running = None
    return rows, running


def run_file(file, platform, o):
    """Runs the tests that are not in the journal yet; returns its rows."""
    folder = o.journal / platform
    folder.mkdir(parents=True, exist_ok=True)
    journal, done_file = folder / f"{file.stem}.jsonl", folder / f"{file.stem}.done"
    (o.journal / "assay_jax_plugin.py").write_text(PLUGIN)
    environment = {
        **os.environ,
        "JAX_PLATFORMS": {"cpu": "cpu", "assay": "assay,cpu"}[platform],  # JAX's callbacks also need a processor
        "ASSAY_DEVICES": str(o.devices),
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={o.devices}",
        "JAX_NUM_GENERATED_CASES": str(o.cases),
        "JAX_SKIP_SLOW_TESTS": "1",
        "ASSAY_JAX_PLATFORM": platform,
        "ASSAY_JAX_JOURNAL": str(journal),
        "ASSAY_JAX_DONE_FILE": str(done_file),
        "ASSAY_JAX_SHARD": o.shard,
        "ASSAY_JAX_ONLY": o.only or "",
        "PYTHONPATH": os.pathsep.join([str(o.journal), str(SOURCE / "python"), *o.path, os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "assay_jax_plugin", "-p", "no:cacheprovider", "--tb=short", str(file)]
    with open(folder / f"{file.stem}.log", "a") as log:
        for _ in range(o.restarts):
            rows, _ = rows_of(journal)
            done_file.write_text(json.dumps(sorted(rows)))
            process = subprocess.Popen(command, cwd=o.checkout, env=environment, stdout=log, stderr=log)
            hung = watch(process, journal, o.timeout)
            rows, running = rows_of(journal)
            if running is None:
                return rows
            outcome = "hung" if hung else "crashed"
            with open(journal, "a") as more:
                words = f"no answer for {o.timeout} s" if hung else f"the process ended with {process.returncode}"
                more.write("\n" + json.dumps({"done": running, "outcome": outcome, "message": words, "seconds": 0}) + "\n")
    return rows_of(journal)[0]


def watch(process, journal, timeout):
    """Waits for the process, and kills it if the journal does not grow for `timeout` seconds. True: it was killed."""
    size, since = -1, time.time()
    while process.poll() is None:
        time.sleep(0.2)
        now = journal.stat().st_size if journal.exists() else 0
        if now != size:
            size, since = now, time.time()
        elif time.time() - since > timeout:
            process.kill()
            process.wait()
            return True
    return False


def reasons():
    lines = (pathlib.Path(__file__).with_name("reasons.txt")).read_text().splitlines()
    return [(re.compile(pattern.strip()), reason.strip()) for pattern, reason in (line.rsplit(" | ", 1) for line in lines if line and not line.startswith("#"))]


def main():
    parser = argparse.ArgumentParser(prog="./dev conformance jax-tests", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--files", default="lax_test,lax_numpy_test", help="names of tests/*.py, with commas; all: every one")
    parser.add_argument("--only", metavar="REGEX", help="tests whose name it finds")
    parser.add_argument("--cases", type=int, default=1, help="JAX_NUM_GENERATED_CASES (1)")
    parser.add_argument("--devices", type=int, default=8, help="virtual devices (8)")
    parser.add_argument("--shard", default="1/1", metavar="I/N")
    parser.add_argument("--timeout", type=float, default=120, help="seconds that a test may take")
    parser.add_argument("--restarts", type=int, default=200, help="processes that a file may use up")
    parser.add_argument("--journal", type=pathlib.Path, default=SOURCE / ".cache" / "jax_tests")
    parser.add_argument("--path", action="append", default=[], help="a folder with absl and what else the tests import")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    o = parser.parse_args()
    o.checkout, o.journal = o.checkout.resolve(), o.journal.resolve()
    tests = o.checkout / "tests"
    if not (tests / "lax_test.py").is_file():
        parser.error(f"{o.checkout} is no checkout of jax-ml/jax: it has no tests/lax_test.py")
    o.journal.mkdir(parents=True, exist_ok=True)
    files = sorted(tests.glob("*_test.py")) if o.files == "all" else [tests / f"{name}.py" for name in o.files.split(",")]
    known, table, unexplained, died = reasons(), [], [], 0
    print(f"{'file':28} {'cpu':>6} {'passed':>7} {'failed':>7} {'crashed':>8} {'skipped':>8} {'share':>7} {'time':>6}")
    for file in files:
        cpu, ours = run_file(file, "cpu", o), run_file(file, "assay", o)
        good = [name for name, row in cpu.items() if row[0] == "passed"]
        counts = collections.Counter(ours[name][0] if name in ours else "not run" for name in good)
        seconds = [sum(rows[name][2] for name in good if name in rows) for rows in (cpu, ours)]
        bad = {name: ours[name] for name in good if name in ours and ours[name][0] not in ("passed", "skipped")}
        died += counts["crashed"] + counts["hung"]
        explained = collections.Counter()
        for name, (_, message, _) in bad.items():
            reason = next((reason for pattern, reason in known if pattern.search(f"{name}: {message}")), None)
            explained[reason] += 1
            if reason is None:
                unexplained.append((name, message))
        share = counts["passed"] / max(len(good) - counts["skipped"], 1)
        table.append({"file": file.stem, "cpu": len(good), **counts, "share": share, "seconds": seconds, "reasons": dict(explained)})
        print(
            f"{file.stem:28} {len(good):6} {counts['passed']:7} {counts['failed']:7} {counts['crashed'] + counts['hung']:8} {counts['skipped']:8} {share:7.1%} "
            f"{seconds[1] / max(seconds[0], 1e-9):5.2f}x",
            flush=True,
        )
    for reason, count in sum((collections.Counter(row["reasons"]) for row in table), collections.Counter()).most_common():
        print(f"{count:6} {reason or 'without a reason'}")
    for name, message in unexplained[:50]:
        print(f"no reason: {name}: {message.splitlines()[0][:200] if message else ''}")
    if o.json:
        o.json.write_text(json.dumps({"files": table, "unexplained": unexplained}, indent=1))
    passed, wanted = sum(row.get("passed", 0) for row in table), sum(row["cpu"] - row.get("skipped", 0) for row in table)
    print(f"jax-tests: {passed} of {wanted} that the CPU backend passes ({passed / max(wanted, 1):.1%}), {died} crashed or hung, {len(unexplained)} without a reason")
    return 1 if unexplained or died else 0


if __name__ == "__main__":
    sys.exit(main())
