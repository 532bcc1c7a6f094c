#!/usr/bin/env python3
"""The fault matrix of `assay verify`: every fault of the example plugin x M x data type, with the default command.

For each applicable cell the example plugin runs with the fault switched on (ASSAY_EXAMPLE_FAULT); the cell is `caught` when the
problem does not pass, and the text of the error pattern is stored. Cells that make no sense are listed with the reason. With
--benchdnn the same cells run on benchdnn's data (--fill=sparse) under benchdnn's rule, for comparison. With --power each rule runs
alone (exact data, normal data, benchdnn's) at several K; its power is the share of wrong outputs that it finds. Below that table are the
correct orders of summation and the faults of narrow arithmetic on Gaussian f32 data alone. With --drivers the cells of
verify_driver_faults.py run as well (examples/plugin_drivers), with --only-drivers only they run. --write FILE writes a Markdown page
and its long tables into tables/ beside it (with --only-drivers only that section and table). Exit code 1 when an applicable cell was
missed or a run without fault failed.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

import verify_driver_faults as drivers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "site"))
import site_tables  # noqa: E402

ROWS = (1, 16, 64, 512)
TYPES = ("f32", "bf16", "s8")
K, N = 4096, 64
LIBRARY = "lib/libassay_example.so"
DRIVER_LIBRARY = "lib/libassay_drivers.so"

# name: (its effect, knobs for all, knobs per type or None, {(type or row condition): reason})
NARROW = "the sum is an integer: nothing is rounded"
FAULTS = {
    "drop_k": ("one k is left out", ""),
    "double_k": ("one k counts twice", ""),
    "edge_m": ("the last row is masked out", ""),
    "edge_n": ("the last column is masked out", ""),
    "edge_k": ("the last k is masked out", ""),
    "stale": ("one accumulator of one row is not cleared", ""),
    "stride": ("the leading dimension of the weights is one too small", ""),
    "acc_bf16": ("sums are kept in bf16", ""),
    "f16": ("products and sums in f16 arithmetic (11 bits)", ""),
    "acc_s16": ("sums saturate at 16 bits", ""),
    "transposed": ("one 16x16 block of results is transposed", ""),
    "previous_row": ("one row repeats the row before it", ""),
    "every_16th": ("every 16th column is off by 1/64", "--dt=@:@:f32"),
    "unwritten": ("every 61st element is not written", ""),
    "race": ("one element in 8 loses half of its sum, at random", ""),
    "nan_swallowed": ("NaN becomes 0", ""),
    "truncate": ("results are truncated, not rounded", "--attr-scales=src:common:0.25"),
    "tf32": ("inputs are rounded to 11 bits (TF32, f16)", ""),
    "wrap": ("integers wrap around where they should saturate", ""),
    "low_exp": ("exp keeps 9 bits", "--attr-post-ops=exp"),
    "relu_missing": ("the relu post-op is left out", "--attr-post-ops=relu"),
    "beta_ignored": ("the sum post-op is left out", "--attr-post-ops=sum:0.5"),
    "bias_dropped": ("every 16th column lacks its bias", "--bia-dt=f32"),
    "scale_ignored": ("the source's scale is left out", "--attr-scales=src:common:0.25"),
    "zp_wrong": ("the source's zero point is off by one", "--attr-zero-points=src:common:3"),
    "wrong_batch": ("a batch reads its neighbour's source", "batch"),
    "padding": ("a convolution's window is off by one", "conv"),
    "swapped_groups": ("a convolution's groups read each other's channels", "conv"),
}


def inapplicable(fault, dtype, m):
    if dtype == "s8":
        if fault in ("acc_bf16", "f16", "tf32", "nan_swallowed"):
            return NARROW
        if fault == "low_exp":
            return "exp of an integer sum saturates"
    if dtype != "s8" and fault in ("acc_s16", "wrap", "zp_wrong"):
        return "only integers have it"
    if fault == "truncate" and dtype == "f32":
        return "an f32 sum stored as f32 is not rounded"
    if fault == "tf32" and dtype == "bf16":
        return "bf16 inputs have 8 bits"
    if fault == "every_16th" and dtype == "s8":
        return None
    if fault == "transposed" and m < 16:
        return "needs 16 rows"
    if fault == "previous_row" and m < 2:
        return "needs two rows"
    return None


def words(fault, dtype, m, k=K):
    knobs = FAULTS[fault][1]
    if knobs == "conv":  # k / 4 channels per group x 4 taps
        return ["--conv", "--dir=FWD_D", f"--dt={dtype}", f"g2mb{m}ic{k // 2}ih1iw5oc8oh1ow4kh1kw4pw1ph0"]
    if knobs == "batch":
        return ["--matmul", f"--dt={dtype}", f"2x{m}x{k}:2x{k}x{N}"]
    chosen = knobs.replace("@", dtype)
    return ["--matmul"] + ([] if chosen.startswith("--dt") else [f"--dt={dtype}"]) + ([chosen] if chosen else []) + [f"{m}x{k}:{k}x{N}"]


def run(build, problem, fault, extra=(), order="", power=False, library=LIBRARY):
    command = [f"{build}/bin/assay", "verify", f"--engine=plugin:{build}/{library}", *extra, *problem]
    environment = dict(os.environ, ASSAY_EXAMPLE_FAULT=fault, ASSAY_EXAMPLE_SUM=order)
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    status = re.search(r"^0:(\w+)", result.stdout, re.M)
    if power:
        share = re.search(r"errors:(\d+) total:(\d+)", result.stdout)
        return int(share.group(1)) / int(share.group(2)) if share else 0.0
    pattern = re.search(r"(\w+) data, judged by .*? are wrong: (.*)", result.stdout)
    return status.group(1) if status else "NONE", f"{pattern.group(1)}: {pattern.group(2)}" if pattern else ""


RULES = {"exact": ("--fill=exact",), "normal": ("--fill=normal",), "benchdnn": ("--fill=sparse", "--rule=benchdnn")}
DEPTHS = (16, 256, 4096, 32768)
ORDERS = ("sequential", "reverse", "blocked", "split_k", "pairwise", "fma", "flush")


def percent(share):
    return "0" if share == 0 else f"{100 * share:.1f}" if share < 0.095 else f"{100 * share:.0f}"


def powers(build, faults):
    """Rows (fault, type, rule, shares by K): the share of outputs that each rule alone finds wrong, for M = 16."""
    rows = []
    for fault in faults:
        for dtype in TYPES:
            if inapplicable(fault, dtype, 16):
                continue
            for rule, extra in RULES.items():
                shares = [run(build, words(fault, dtype, 16, k), fault, extra, power=True) for k in DEPTHS]
                rows.append((fault, dtype, rule, shares))
                print(f"power {fault:15} {dtype:5} {rule:9} " + " ".join(percent(share) for share in shares), flush=True)
    return rows


def gaussian(build):
    """Gaussian f32 data alone: (fault or order, status, share of wrong outputs); correct orders first."""
    problem, rows = ["--matmul", f"64x{K}:{K}x{N}"], []
    for order in ORDERS:
        rows.append((f"correct: {order}", run(build, problem, "", RULES["normal"], order)[0], run(build, problem, "", RULES["normal"], order, True)))
    for fault in ("tf32", "f16", "acc_bf16", "drop_k"):
        rows.append((FAULTS[fault][0], run(build, problem, fault, RULES["normal"])[0], run(build, problem, fault, RULES["normal"], power=True)))
    return rows


def driver_cells(build, chosen):
    """Rows (driver, words, fault, verdict, text of the report); the fault "" stands for no fault."""
    rows = []
    for driver, words, faults in drivers.ROWS:
        if chosen and driver not in chosen:
            continue
        for fault in ("", *faults):
            status, pattern = run(build, ["--" + driver, *words.split()], fault, library=DRIVER_LIBRARY)
            rows.append((driver, words, fault, status, pattern))
            print(f"{driver:10} {fault or '(none)':18} {status:8} {words}  {pattern}", flush=True)
    return rows


HEADING = "\n## Drivers that are not contractions\n"


def replace_drivers(path, rows):
    """Replaces the section of an existing page by these rows; its other sections do not change."""
    text = open(path).read() if os.path.exists(path) else ""
    start = text.find(HEADING)
    end = text.find("\n## ", start + 1) if start >= 0 else -1
    before, after = (text[:start], text[end:] if end >= 0 else "") if start >= 0 else (text, "")
    with open(path, "w") as out:
        out.write(before)
        write_drivers(out, rows)
        out.write(after)


def linked(out, name, caption, columns, rows):
    """Writes a long table beside the page `out`, and the link that shows it."""
    site_tables.write(pathlib.Path(out.name).parent / f"tables/{name}.json", columns, rows)
    out.write(f"[{caption}](tables/{name}.json)\n")


def write_drivers(out, rows):
    faulty = [row for row in rows if row[2]]
    caught = sum(row[3] == "FAILED" for row in faulty)
    out.write(HEADING + "\nThe plugin `examples/plugin_drivers` with each of its faults, by `assay verify` with the driver and the problem of the row: "
              f"**{caught} of {len(faulty)}** cells caught.\n\n")
    linked(out, "fault_drivers", "Every problem and fault", ("driver", "problem", "fault", "what it does", "verdict", "the report says"),
           [(driver, f"`{words}`", f"`{fault}`", drivers.FAULTS[fault], status, pattern) for driver, words, fault, status, pattern in faulty])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--fault", action="append", help="only these")
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--benchdnn", action="store_true", help="also run benchdnn's data and rule")
    parser.add_argument("--write", help="a Markdown page")
    parser.add_argument("--power", action="store_true", help="also each rule alone at several K")
    parser.add_argument("--drivers", action="store_true", help="also the drivers that are not contractions")
    parser.add_argument("--only-drivers", nargs="*", metavar="DRIVER", help="only these drivers that are not contractions (none named: all)")
    options = parser.parse_args()
    missed = caught = 0
    others = driver_cells(options.build, options.only_drivers) if options.drivers or options.only_drivers is not None else []
    missed += sum((row[3] == "FAILED") != bool(row[2]) or (not row[2] and row[3] != "PASSED") for row in others)
    if options.only_drivers is not None:
        if options.write:
            replace_drivers(options.write, others)
        print(f"{len(others)} cells, {missed} wrong")
        return 1 if missed else 0
    sides = [("assay", ())] + ([("benchdnn", ("--fill=sparse", "--rule=benchdnn"))] if options.benchdnn else [])
    table, notes, totals = [], [], {side: [0, 0] for side, _ in sides}
    for fault in ["", *(options.fault or FAULTS)]:
        for dtype in TYPES:
            for m in options.rows:
                reason = inapplicable(fault, dtype, m) if fault else None
                if reason:
                    notes.append((fault, dtype, m, reason))
                    continue
                problem = words(fault or "drop_k", dtype, m)
                cells = {}
                for side, extra in sides:
                    status, pattern = run(options.build, problem, fault, extra)
                    found = status == "FAILED"
                    cells[side] = "yes" if found else status.lower()
                    if fault:
                        totals[side][0] += found
                        totals[side][1] += 1
                    if side == "assay":
                        good = found == bool(fault) and (bool(fault) or status == "PASSED") and (not fault or pattern)
                        missed += not good
                        caught += bool(good)
                        said = pattern
                table.append((fault or "(none)", dtype, m, cells, said))
                print(f"{fault or '(none)':15} {dtype:5} M={m:<4} " + "  ".join(f"{s}: {c}" for s, c in cells.items()) + f"  {said}", flush=True)
    for side, (found, total) in totals.items():
        print(f"{side}: {found} of {total} cells caught")
    print(f"{len(notes)} cells do not apply; {missed} cells wrong")
    power = (powers(options.build, options.fault or FAULTS), gaussian(options.build)) if options.power else None
    for what, status, share in power[1] if power else []:
        print(f"gaussian: {what}: {status}, {percent(share)} % of the outputs")
        missed += (status == "PASSED") != what.startswith("correct")
    if options.write:
        write(options.write, table, notes, totals, sides, power)
        if others:
            with open(options.write, "a") as out:
                write_drivers(out, others)
    return 1 if missed else 0


def write_power(out, power):
    rows, real = power
    out.write("\n## Power of each rule alone\n\nShare of the outputs, in per cent, that each rule calls wrong when it runs alone (M = 16, N = 64): `exact` and `normal` are "
              "two of Assay's default fills, `benchdnn` its data and rule. 0: the fault passes.\n\n")
    linked(out, "fault_power", "Power by fault, type, rule and K", ("fault", "type", "rule", *(f"K={k}" for k in DEPTHS)),
           [(f"`{fault}`", dtype, rule, *map(percent, shares)) for fault, dtype, rule, shares in rows])
    out.write(f"\n## Gaussian f32 data alone\n\n`--fill=normal --matmul 64x{K}:{K}x{N}`:\n\n| engine | verdict | wrong outputs, % |\n|---|---|---|\n")
    for what, status, share in real:
        out.write(f"| {what} | {status} | {percent(share)} |\n")


def write(path, table, notes, totals, sides, power):
    with open(path, "w") as out:
        out.write("# How well faults are seen\n\nMade by `utils/evidence/verify_matrix.py --benchdnn --power --write docs/verify_power.md`: the example plugin "
                  f"(`examples/plugin`) with each of its faults, M x {K} : {K} x {N}, by the default command (rule `bound`), and beside it "
                  "benchdnn's sparse data under benchdnn's rule (`--fill=sparse --rule=benchdnn`). A cell counts the values of M at which the fault was caught; "
                  "`-`: does not apply.\n\n")
        names = [side for side, _ in sides]
        out.write("| fault | what it does | " + " | ".join(f"{s} {t}" for s in names for t in TYPES) + " |\n|---|---|" + "---|" * (len(names) * len(TYPES)) + "\n")
        for fault, (what, _) in FAULTS.items():
            cells = []
            for side in names:
                for dtype in TYPES:
                    mine = [row for row in table if row[0] == fault and row[1] == dtype]
                    hit = [str(row[2]) for row in mine if row[3][side] == "yes"]
                    cells.append("-" if not mine else f"{len(hit)}/{len(mine)}")
            out.write(f"| `{fault}` | {what} | " + " | ".join(cells) + " |\n")
        out.write("\n" + "; ".join(f"{side}: **{found} of {total}** cells" for side, (found, total) in totals.items()) + ".\n")
        if power:
            write_power(out, power)
        out.write("\n## What the report says\n\n")
        linked(out, "fault_reports", "The pattern of wrong elements, by fault, type and M", ("fault", "type", "M", "the report says"),
               [(f"`{fault}`", dtype, m, said or cells["assay"]) for fault, dtype, m, cells, said in table if fault != "(none)"])
        out.write("\n## Cells that do not apply\n\n")
        linked(out, "fault_not_applicable", "Each cell with its reason", ("fault", "type", "M", "reason"),
               [(f"`{fault}`", dtype, m, reason) for fault, dtype, m, reason in notes])


if __name__ == "__main__":
    sys.exit(main())
