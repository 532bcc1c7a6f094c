#!/usr/bin/env python3
"""Lists, per file and reason, which of oneDNN's own problems Assay does not implement; or runs some of them, drawn by seed.

usage: benchdnn_share.py DIR [--driver NAME...] [--assay PROGRAM] [--json FILE]
       benchdnn_share.py DIR --run N [--seed S] [--engine E] [--driver NAME...] [--max-memory SIZE] [--json FILE] [--write FILE]

DIR is a checkout of uxlfoundation/oneDNN, unmodified (or a folder that contains tests/benchdnn/inputs). Prints a row per file: problems,
UNIMPLEMENTED, share, and the reasons by frequency; then a row per driver.

With --run, the problems that Assay implements are ordered by the seed and run by the engine (default: onednn), the same number from every
driver, until N of them have a verdict. A problem that the engine does not support is counted as skipped, and the next one replaces
it. Prints a row per driver, then each problem that did not pass; --write puts both into a Markdown page. Exits 1 when one did not.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

VERDICTS = ("passed", "failed", "crashed", "timeout", "mistrusted")
# The knobs of a run keep their values from one line to the next; each line begins with the defaults.
DEFAULTS = "--check-ref-impl=false --allow-enum-tags-only=true --cpu-isa-hints=none --global-impl= --global-skip-impl="


def verify(assay, words):
    """The content of --json for a run; None if it could not be read."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([assay, "verify", "--quiet", f"--json={out.name}", *words], capture_output=True, check=False)
        text = pathlib.Path(out.name).read_text()
    return json.loads(text) if text else None


def files_of(folder, driver):
    for path in sorted((folder / "tests/benchdnn/inputs" / driver).glob("*")):
        if path.is_file() and not path.suffix and path.name.startswith(("shapes_", "set_", "option_set_", "harness_", "test_")):
            yield path


def share(options):
    rows, seen = [], False
    for driver in options.driver:
        problems, reasons = 0, collections.Counter()
        for path in files_of(options.folder, driver):
            facts = verify(options.assay, ["--mode=L", f"--{driver}", f"--batch={path}"])
            if not facts or not facts["counts"]["tests"]:
                continue
            seen = True
            count = facts["counts"]["tests"]
            why = collections.Counter(re.sub(r"=.*", "", row.get("reason", ""))[:60] for row in facts["problems"]
                                      if row["status"] == "UNIMPLEMENTED")
            problems += count
            reasons += why
            rows.append({"file": f"{driver}/{path.name}", "problems": count, "reasons": dict(why)})
            print(f"{driver}/{path.name:50} {count:8} {sum(why.values()):8} {100 * sum(why.values()) / count:6.1f} %  "
                  + ", ".join(f"{reason} {n}" for reason, n in why.most_common(4)), flush=True)
        total = sum(reasons.values())
        print(f"{driver}: {total} of {problems} UNIMPLEMENTED ({100 * total / max(problems, 1):.1f} %): "
              + ", ".join(f"{reason} {n}" for reason, n in reasons.most_common(8)), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0 if seen else 3


def listed(options, driver):
    """The words of every problem of a driver that Assay implements, each once, in the order drawn by the seed."""
    words = set()
    for path in files_of(options.folder, driver):
        facts = verify(options.assay, ["--mode=L", f"--{driver}", f"--batch={path}"])
        words.update(row["repro"].removeprefix("assay verify ").replace("--mode=L ", "", 1)
                     for row in (facts["problems"] if facts else []) if row["status"] == "LISTED")
    words = sorted(words)
    random.Random(f"{options.seed} {driver}").shuffle(words)
    return words


def run_driver(options, driver, wanted):
    words, counts, bad, at = listed(options, driver), collections.Counter(), [], 0
    while at < len(words) and sum(counts[name] for name in VERDICTS) < wanted:
        chunk = words[at:at + min(300, wanted - sum(counts[name] for name in VERDICTS))]
        at += len(chunk)
        with tempfile.NamedTemporaryFile("w", suffix=".batch") as batch:
            batch.write("".join(f"{DEFAULTS} {line}\n" for line in chunk))
            batch.flush()
            facts = verify(options.assay, [f"--engine={options.engine}", f"--max-memory={options.max_memory}", "--timeout=120",
                                           f"--batch={batch.name}"])
        for row in facts["problems"]:
            status = row["status"].lower().replace("_", "")
            counts[status] += 1
            if status in VERDICTS[1:] or status == "invalidarguments":
                bad.append((row["status"], row.get("reason", ""), row["repro"]))
                print(f"  {row['status']} ({row.get('reason', '')}): {row['repro']}", file=sys.stderr, flush=True)
        print(f"  {driver}: {at} drawn, {dict(counts)}", file=sys.stderr, flush=True)
    return {"driver": driver, "problems": len(words), "drawn": at, "counts": dict(counts), "bad": bad}


def run(options):
    each = -(-options.run // len(options.driver))
    rows = [run_driver(options, driver, each) for driver in options.driver]
    columns = (*VERDICTS, "skipped", "invalidarguments")
    lines = ["| driver | problems | drawn | " + " | ".join(columns) + " |", "|---" * (3 + len(columns)) + "|"]
    for row in rows:
        lines.append(f"| {row['driver']} | {row['problems']} | {row['drawn']} | "
                     + " | ".join(str(row["counts"].get(name, 0)) for name in columns) + " |")
    ran = sum(row["counts"].get(name, 0) for row in rows for name in VERDICTS)
    lines += ["", f"{ran} problems run to a verdict by engine {options.engine}, seed {options.seed}.", ""]
    lines += [f"- {status} ({reason}): `{repro}`" for row in rows for status, reason, repro in row["bad"]]
    print("\n".join(lines))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    if options.write:
        options.write.write_text("# Problems drawn from oneDNN's own lists\n\nMade by `utils/evidence/benchdnn_share.py DIR --run N --write FILE`.\n\n"
                                 + "\n".join(lines) + "\n")
    return 3 if not ran else 1 if any(row["bad"] for row in rows) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--driver", nargs="+", default=["matmul", "conv", "deconv", "ip"])
    parser.add_argument("--assay", default="build/release/bin/assay")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--run", type=int, help="how many problems to run to a verdict")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="onednn")
    parser.add_argument("--max-memory", default="2G", help="larger problems are skipped (default 2G)")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    return run(options) if options.run else share(options)


if __name__ == "__main__":
    sys.exit(main())
