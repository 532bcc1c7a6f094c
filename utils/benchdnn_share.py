#!/usr/bin/env python3
"""Which of oneDNN's own problems Assay does not implement, per file and reason, by listing them (nothing runs).

usage: benchdnn_share.py DIR [--driver NAME...] [--assay PROGRAM] [--json FILE]

DIR is a checkout of uxlfoundation/oneDNN, unmodified (or a folder that holds tests/benchdnn/inputs). A row per file: problems,
UNIMPLEMENTED, share, and the reasons by frequency; a row per driver closes.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def listed(assay, driver, path):
    """(problems, reasons) of one file; None where it cannot be read."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([assay, "verify", "--mode=L", "--quiet", f"--json={out.name}", f"--{driver}", f"--batch={path}"],
                       capture_output=True, check=False)
        text = pathlib.Path(out.name).read_text()
    if not text:
        return None
    facts = json.loads(text)
    reasons = collections.Counter()
    for row in facts["problems"]:
        if row["status"] == "UNIMPLEMENTED":
            reasons[re.sub(r"=.*", "", row.get("reason", ""))[:60]] += 1
    return facts["counts"]["tests"], reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--driver", nargs="+", default=["matmul", "conv", "deconv", "ip"])
    parser.add_argument("--assay", default="build/release/bin/assay")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    rows, seen = [], False
    for driver in options.driver:
        problems, reasons = 0, collections.Counter()
        for path in sorted((options.folder / "tests/benchdnn/inputs" / driver).glob("*")):
            if not path.is_file() or path.suffix or not path.name.startswith(("shapes_", "set_", "option_set_", "harness_", "test_")):
                continue
            found = listed(options.assay, driver, path)
            if not found or not found[0]:
                continue
            seen = True
            count, why = found
            problems += count
            reasons += why
            rows.append({"file": f"{driver}/{path.name}", "problems": count, "reasons": dict(why)})
            print(f"{driver}/{path.name:50} {count:8} {sum(why.values()):8} {100 * sum(why.values()) / count:6.1f} %  "
                  + ", ".join(f"{reason} {n}" for reason, n in why.most_common(4)), flush=True)
        total = sum(reasons.values())
        print(f"{driver}: {total} of {problems} UNIMPLEMENTED ({100 * total / max(problems, 1):.1f} %): "
              + ", ".join(f"{reason} {n}" for reason, n in reasons.most_common(8)))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0 if seen else 3


if __name__ == "__main__":
    sys.exit(main())
