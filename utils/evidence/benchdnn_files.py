#!/usr/bin/env python3
"""Runs oneDNN's own problem lists, driver by driver.

usage: benchdnn_files.py DIR [--driver NAME...] [--engine E] [--shard I/N] [--limit N] [--json FILE] [--write FILE]

DIR is a checkout of uxlfoundation/oneDNN, unmodified. For each driver the files `test_NAME_ci` and `shapes_*` of
tests/benchdnn/inputs/NAME run unmodified, with the engine `onednn` where it has the primitive and `native` otherwise
(--engine: with that one). A list of more than --limit problems is sampled: every N-th problem, N a prime, so that at most --limit run.
Prints a table of driver, problems, passed, failed, ... and the reasons why problems did not run; --write puts it into a Markdown page.
A failure is attributed to oneDNN where KNOWN has a row for it: docs/engine_onednn.md shows each of them with oneDNN's API alone.
Exits 1 when another problem failed, crashed or was mistrusted, 3 when no problem of a driver was examined.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DRIVERS = ("eltwise", "binary", "softmax", "reduction", "pool", "lnorm", "gnorm", "bnorm", "prelu", "concat", "sum", "reorder",
           "resampling", "shuffle", "lrn", "sdpa", "matmul", "conv", "deconv", "ip")
WITHOUT_PRIMITIVE = ("gnorm", "sdpa")  # oneDNN 2.6 has no such primitives; the adapter uses none of 3.x
# Faults of oneDNN: a pattern for the status with its reason and the repro line, and the fault.
KNOWN = (
    (r"FAILED.*--pool.*--dir=BWD_D .*--dt=bf16.*--tag=axb", "a bf16 gradient whose windows cancel is off by more than 2 units in the last place"),
    (r"FAILED.*--reduction.*--alg=(max|min)", "a line of infinity alone gives the number where the search begins"),
    (r"FAILED.*--eltwise.*--dir=BWD_D .*--alg=elu", "elu's gradient takes a positive number for a negative one where exp of it rounds to 1"),
    (r"FAILED.*--eltwise.*--dir=BWD_D .*--alg=pow", "pow's gradient is made of src^beta, which may be below the normal range"),
    (r"FAILED.*--eltwise (?!.*--alg)\S*.*--attr-post-ops", "relu of minus infinity is 0 in one implementation and NaN in the other"),
    (r"FAILED.*--prelu", "an infinite weight makes a NaN of a positive element"),
    (r"FAILED.*--(reorder|concat).*--sdt=bf16 .*--ddt=[su]8", "numbers from 2^31 on do not saturate"),
    (r"FAILED oneDNN: could not execute.*--matmul.*--dtag=(ba|acb).* (\d+x)?1x\d+:", "M = 1 with the columns of dst in a row cannot be executed"),
    (r"FAILED.*--matmul.*--attr-post-ops=\S*:f16", "an f16 operand of a post-op is read as f32"),
    (r"FAILED.*--deconv.*--dt=s8:s8:s8.*\+sum", "a sum that is not the first post-op adds wrong numbers"),
    (r"FAILED.*--lrn.*--dir=BWD_D .*--dt=bf16.*--tag=axb", "a bf16 gradient with channels that are not a multiple of 16 is off by more than 2 units in the last place"),
)
EXAMINED = ("passed", "failed", "crashed", "timeout", "mistrusted")
COLUMNS = ("passed", "failed", "crashed", "timeout", "mistrusted", "unimplemented", "skipped", "invalidarguments")


def files_of(root, driver):
    """The lists of one driver, without those for GPUs only."""
    folder = root / "tests/benchdnn/inputs" / driver
    found = sorted(folder.glob("shapes_*")) + sorted(folder.glob("test_*_ci"))
    return [file for file in found if not file.name.endswith("_gpu")]


def run(program, driver, engine, file, options, mode="C"):
    """(counts and problems as in --json, standard error)."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [program, "verify", f"--engine={engine}", f"--mode={mode}", "--quiet", f"--json={out.name}", *options, f"--{driver}",
                   f"--batch={file}"]
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace")
        text = pathlib.Path(out.name).read_text()
    return (json.loads(text) if text else None), ran.stderr.strip()


def short(reason):
    """A reason without the numbers that make equal reasons differ."""
    reason = re.sub(r"^needs about .*", "needs more memory than --max-memory", reason)
    reason = re.sub(r"\d+ of \d+ elements", "N of M elements", reason)
    reason = re.sub(r"errors:\d+ total:\d+", "errors", reason)
    return re.sub(r"^driver \w+ by engine (\w+)", r"engine \1", reason)[:140]


def listed(program, driver, file):
    """The number of problems in a file; the text of the error if it cannot be read."""
    facts, error = run(program, driver, "native", file, [], mode="L")
    return (facts["counts"]["tests"], "") if facts else (0, error)


def stride(problems, limit):
    """N, if every N-th problem runs: a prime above 2, so that no knob of the list always has the same value."""
    every = -(-problems // limit) if limit else 1
    every = 3 if every == 2 else every
    while any(every % divisor == 0 for divisor in range(2, int(every**0.5) + 1)):
        every += 1
    return every


def run_driver(options, root, driver):
    engine = options.engine or ("native" if driver in WITHOUT_PRIMITIVE else "onednn")
    counts, reasons, failures, total = collections.Counter(), collections.Counter(), [], 0
    for file in files_of(root, driver):
        problems, error = listed(options.program, driver, file)
        if error:
            failures.append((str(file.relative_to(root)), error))
            continue
        total += problems
        every = stride(problems, options.limit)
        extra = [f"--shard={options.shard}"] if options.shard else [f"--shard=0/{every}"] if every > 1 else []
        facts, error = run(options.program, driver, engine, file, [f"--max-memory={options.max_memory}", "--timeout=120", *extra])
        if not facts:
            failures.append((str(file.relative_to(root)), error))
            continue
        for problem in facts["problems"]:
            status = problem["status"].lower().replace("_", "")
            counts[status] += 1
            if status in ("failed", "crashed", "timeout", "mistrusted"):
                failures.append((f"{status.upper()} {short(problem.get('reason', ''))}", problem["repro"]))
            elif status != "passed":
                reasons[status.upper(), short(problem.get("reason", ""))] += 1
        print(f"  {driver} {file.name}: {problems} problems, {len(facts['problems'])} run", file=sys.stderr, flush=True)
    return {"driver": driver, "engine": engine, "problems": total, "counts": counts, "reasons": reasons, "failures": failures}


def table(rows):
    lines = ["| driver | engine | problems | run | passed | failed | crashed | timeout | mistrusted | unimplemented | skipped | invalid |",
             "|---|---|---" + "|---" * 9 + "|"]
    for row in rows:
        counts = row["counts"]
        cells = [row["driver"], row["engine"], row["problems"], sum(counts.values()), *(counts[name] for name in COLUMNS)]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def reason_lines(rows):
    lines = ["| driver | problems | status (reason) |", "|---|---|---|"]
    for row in rows:
        for (status, reason), count in row["reasons"].most_common():
            lines.append(f"| {row['driver']} | {count} | {status} ({reason.replace('|', '/')}) |")
    return lines


def failure_lines(rows):
    lines = []
    for row in rows:
        kinds = collections.defaultdict(list)
        for what, repro in row["failures"]:
            kinds[what, reason_of(what, repro)].append(repro)
        for (what, reason), repros in kinds.items():
            lines.append(f"- {row['driver']}: {len(repros)} x {what}: `{repros[0]}`{reason or ': not explained'}")
    return lines


def reason_of(what, repro):
    """The fault of oneDNN, if it is known."""
    return next((f": {reason}" for pattern, reason in KNOWN if re.search(pattern, f"{what} {repro}")), "")


def write(path, rows):
    text = ["# oneDNN's own problem lists", "",
            "Made by `utils/evidence/benchdnn_files.py DIR --write docs/drivers_files.md` with DIR an unmodified checkout of uxlfoundation/oneDNN: the files",
            "`test_NAME_ci` and `shapes_*` of each driver. `run` is less than `problems` where a list was sampled (`--limit`).", "",
            *table(rows), "", "## What did not pass", "", *(failure_lines(rows) or ["Nothing."]), "", "## What did not run", "", *reason_lines(rows)]
    pathlib.Path(path).write_text("\n".join(text) + "\n")


def keep(options, rows):
    if options.json:
        plain = [dict(row, counts=dict(row["counts"]), reasons=[[*key, n] for key, n in row["reasons"].items()]) for row in rows]
        pathlib.Path(options.json).write_text(json.dumps(plain, indent=1))
    if options.write:
        write(options.write, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--program", default=os.environ.get("ASSAY_BIN", "build/release/bin") + "/assay")
    parser.add_argument("--driver", action="append", choices=DRIVERS)
    parser.add_argument("--engine")
    parser.add_argument("--shard", help="I/N: only every N-th problem of each list")
    parser.add_argument("--limit", type=int, default=0, help="at most this many problems of each list (0: all)")
    parser.add_argument("--max-memory", default="2G", help="larger problems are SKIPPED (default 2G)")
    parser.add_argument("--json")
    parser.add_argument("--write", metavar="FILE", help="a Markdown page")
    options = parser.parse_args()
    if not (options.dir / "tests/benchdnn/inputs").is_dir():
        parser.error(f"{options.dir} is not a checkout of oneDNN: it has no tests/benchdnn/inputs")
    rows = []
    for driver in options.driver or DRIVERS:
        rows.append(run_driver(options, options.dir, driver))
        keep(options, rows)  # a stopped run keeps the drivers so far
    print("\n".join(table(rows) + [""] + failure_lines(rows) + [""] + reason_lines(rows)))
    idle = [row["driver"] for row in rows if not any(row["counts"][name] for name in EXAMINED)]
    if idle:
        print(f"nothing was examined of: {', '.join(idle)}", file=sys.stderr)
    unexplained = [failure for row in rows for failure in row["failures"] if not reason_of(*failure)]
    return 3 if idle else 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
