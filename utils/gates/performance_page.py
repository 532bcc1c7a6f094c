#!/usr/bin/env python3
"""Checks that docs/performance.md and docs/performance_*.md state only results of kept runs.

usage: performance_page.py [--check]      exit code 1 where a page differs from the runs, or a run is on no page
       performance_page.py --write        writes the tables
       performance_page.py --keep FILE    adds a file that `./dev bench NAME --json FILE` wrote

A run is benchmark/results/NAME-CLASS-DATE.json: the benchmark's output, with every sample in six digits and one case per line. On a page

    <!-- run: NAME [by=KEY,KEY] -->  ...  <!-- run end -->

encloses the table of the kept runs of NAME, with one column of ratios for each class of machine. There is a row for each case and peer, or for each
group of cases that agree in KEY (`by=peer`: one row for each peer). The best peer of a case is the one with the smallest median ratio to ours; a row
"best of A, B" refers to the same peers in every column that it has. A table of more than MOST_ROWS rows is docs/tables/performance_NAME[_KEY].json,
and the block has a link that the site replaces by the table. Figures without a run are between

    <!-- older: DATE -->  ...  <!-- older end -->

and the first line of the block also states the date. Errors are: a table or a figure with a unit anywhere else, a kept run that no table shows, a
ratio that does not follow from its samples, and an interval that does not follow from its pairs.
"""
import argparse
import itertools
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils/site"))
import site_tables  # noqa: E402

PAGES, TABLES, RUNS = ROOT / "docs", ROOT / "docs/tables", ROOT / "benchmark/results"
MOST_ROWS = 30  # of a table on the page itself
MOST_BYTES = 410_000  # of all kept runs
MARK = re.compile(r"<!-- (run|older): ([\w.-]+)(?: by=([\w,]+))? -->\n(.*?)<!-- \1 end -->\n", re.S)
FIGURE = re.compile(r"^\|.*\d|\d(?:x|\s?(?:%|ms|us|ns|s|seconds|microseconds|[GMK]i?B|GB/s|GFLOP/s))(?![\w-])")
UNITS = ("ns", "us", "ms", "s")
SEEN = {True: "trained shape", False: "unseen shape"}  # whether the model that chooses kernels was trained on it
BEST = "best"  # a benchmark's own name for the best of its peers; the page computes the best again
LEAST_PAIRS = 6  # the range of this many pairs is a 95 % interval of the median: all are on one side of it with probability 2 / 2^6


class BadRun(Exception):
    pass


def sets_of(run):
    """(words that name the case, unit, samples) for every case of a run."""
    for case in run["cases"]:
        words = {key: value for key, value in case.items() if isinstance(value, (str, int)) and not isinstance(value, bool) and key not in ("asked", "kernel") and value != ""}
        if "m" in words:
            words = {"size": "x".join(str(words.pop(key)) for key in "mnk"), **words}
        if "seen" in case:
            words["seen"] = SEEN[case["seen"]]
        for unit in UNITS:
            if isinstance(case.get(unit), dict) and "ratio" in case[unit]:
                yield words, unit, case[unit]


def ratios_of(samples, peer):
    return [theirs / ours for ours, theirs in zip(samples["ours"], samples["peers"][peer])]


def interval_of(pairs):
    """The interval of the median by the pairs: the order statistics that contain it in 95 of 100 draws, or the range if there are too few pairs."""
    pairs, n = sorted(pairs), len(pairs)
    left_out = 0  # on each side
    while n >= LEAST_PAIRS and 2 * sum(math.comb(n, i) for i in range(left_out + 2)) <= 0.05 * 2**n:
        left_out += 1
    return pairs[left_out], pairs[n - 1 - left_out]


def peers_of(samples):
    return [peer for peer in samples["ratio"] if peer != BEST]


def best_of(samples, peers):
    return min(peers, key=lambda peer: samples["ratio"][peer]["median"])


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-4)


def check_run(path, run):
    """Checks that each ratio follows from its samples, and that there are some."""
    for key in ("benchmark", "date", "processor", "class", "cases"):
        if not isinstance(run, dict) or key not in run:
            raise BadRun(f"{path.name}: has no '{key}'")
    if not all(isinstance(case, dict) for case in run["cases"]):
        raise BadRun(f"{path.name}: 'cases' is not a list of cases")
    if path.name != name_of(run):
        raise BadRun(f"{path.name}: is the run of {name_of(run)}")
    sets = list(sets_of(run))
    if not sets:
        raise BadRun(f"{path.name}: no case has samples in a unit of {', '.join(UNITS)}")
    for words, _, samples in sets:
        for peer, said in samples["ratio"].items():
            pairs = ratios_of(samples, peer)
            inside = all(any(near(said[end], pair) for pair in pairs) for end in ("low", "high"))
            if not near(said["median"], statistics.median(pairs)) or not said["low"] <= said["median"] <= said["high"] or not inside:
                raise BadRun(f"{path.name}: {label(words)}: the ratio to {peer} is not that of its samples")
            low, high = interval_of(pairs)
            if said["pairs"] != len(pairs) or (said["low"] > low and not near(said["low"], low)) or (said["high"] < high and not near(said["high"], high)):
                raise BadRun(f"{path.name}: {label(words)}: the interval of the ratio to {peer} is narrower than its {len(pairs)} pairs give")


def name_of(run):
    return f"{run['benchmark']}-{run['class']}-{run['date']}.json"


def label(words):
    return ", ".join(f"{value} threads" if key == "threads" and value != 1 else "1 thread" if key == "threads" else str(value) for key, value in words.items())


def number(value):
    """Three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def geomean(ratios):
    """Geometric mean, share of losses, worst of [(ratio, case)]."""
    worst, case = min(ratios)
    slower = sum(ratio < 1 for ratio, _ in ratios)
    return f"{number(statistics.geometric_mean(ratio for ratio, _ in ratios))}x", f"geomean of {len(ratios)}, {slower or 'none'} slower, worst {number(worst)}: {case}"


def entries_of(run, runs):
    """(case, kind of the row, its peers, unit, samples, the peer that supplies the figures): for each peer of a case; for the best of the peers
    that every run of the case has; and for the best of the peers of this run, if it has more."""
    shared = {}
    for other in runs:
        for words, _, samples in sets_of(other):
            name = label(words)
            shared[name] = [peer for peer in shared.get(name, peers_of(samples)) if peer in peers_of(samples)]
    for words, unit, samples in sets_of(run):
        own = peers_of(samples)
        for kind, peers in (("shared", shared[label(words)]), ("own", own)):
            if len(peers) > 1 and not (kind == "own" and set(peers) == set(shared[label(words)])):
                yield words, kind, tuple(sorted(peers)), unit, samples, best_of(samples, peers)
        for peer in own:
            yield words, peer, (peer,), unit, samples, peer


def named(sets):
    """One name for the peers of a row: the peers if they are always the same, else "best"."""
    peers = set(sets)
    (only,) = peers if len(peers) == 1 else (None,)
    return "best of those there are" if only is None else only[0] if len(only) == 1 else f"best of {', '.join(only)}"


def groups_of(run, by, runs):
    """(group, name of the peers) -> [(ratio, case)]."""
    groups = {}
    for words, kind, peers, _, samples, peer in entries_of(run, runs):
        group = label({name: words[name] for name in by if name in words}) or "all"
        groups.setdefault((group, kind), []).append((peers, (samples["ratio"][peer]["median"], label(words))))
    return {(group, named(peers for peers, _ in found)): [one for _, one in found] for (group, _), found in groups.items()}


def rows_of(run, by, runs):
    """(row, name of the peers) -> its text in the run's column."""
    if by:
        return {key: "**{}** ({})".format(*geomean(found)) for key, found in groups_of(run, by, runs).items()}
    return {(label(words), named([peers])): f"{number(min(samples['ours']))} {unit}, {number(min(samples['peers'][peer]))} {unit}: **{number(said['median'])}x** "
            f"[{number(said['low'])}, {number(said['high'])}]" + (f" of {said['pairs']}" if said["pairs"] < LEAST_PAIRS else "")
            for words, _, peers, unit, samples, peer in entries_of(run, runs) for said in [samples["ratio"][peer]]}  # fmt: skip


def closing_of(run, runs):
    """Over all cases, by peer: the geometric mean, how many are slower, and the worst."""
    return "; ".join("{} {} ({})".format(geomean(found)[0], peers, geomean(found)[1]) for (_, peers), found in groups_of(run, [], runs).items())


def rows_and_notes(name, by, runs):
    """(columns, rows, a line about each run) for the block of a benchmark."""
    mine = sorted((run for run in runs if run["benchmark"] == name), key=lambda run: (run["class"], run["date"]))
    if not mine:
        raise BadRun(f"no run of '{name}' is kept in {RUNS.relative_to(ROOT)}")
    columns = [rows_of(run, by, mine) for run in mine]
    keys = list(dict.fromkeys(itertools.chain(*columns)))
    classes = [run["class"] for run in mine]
    heads = [one if classes.count(one) == 1 else f"{one}, {run['date']}" for one, run in zip(classes, mine)]
    rows = [[row, peer, *(column.get((row, peer), "") for column in columns)] for row, peer in keys]
    notes = [f"{run['class']}: {run['processor']}, {run['date']}" + (f", load {run['load']:.1f}" if "load" in run else "")
             + f", `{run['command']}`; [samples](../{RUNS.relative_to(ROOT)}/{name_of(run)})"
             + f"; {closing_of(run, mine)}." for run in mine]  # fmt: skip
    return ["case", "peer", *heads], rows, notes


def block_of(name, by, runs):
    """(the content of a benchmark's block, its table beside the page: {file name: content}, empty if there are few rows)."""
    columns, rows, notes = rows_and_notes(name, by, runs)
    if len(rows) > MOST_ROWS:
        file = "_".join(["performance", name, *by]) + ".json"
        return "\n".join(["", f"[{name}: all {len(rows)} rows](tables/{file})", "", *notes]) + "\n", {file: site_tables.content(columns, rows)}
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"] + [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *notes]) + "\n", {}


def kept_runs():
    runs = []
    for path in sorted(RUNS.glob("*.json")):
        run = json.loads(path.read_text())
        check_run(path, run)
        runs.append(run)
    return runs


def made(text, runs):
    """(the page with the block of every run made again, {file name: content} of the tables beside it)."""
    tables = {}

    def block(match):
        kind, name, by, _ = match.groups()
        if kind == "older":
            return match[0]
        head = match[0][:match[0].index("\n") + 1]
        content, beside = block_of(name, by.split(",") if by else [], runs)
        tables.update(beside)
        return head + content + "<!-- run end -->\n"
    return MARK.sub(block, text), tables


def written(text, runs):
    """The page alone."""
    return made(text, runs)[0]


def pages():
    """{path: text} of the pages with figures of speed."""
    return {path: path.read_text() for path in sorted(PAGES.glob("performance*.md"))}


def unshown(texts, runs):
    """The kept runs that none of these pages shows."""
    shown = {match[2] for text in texts for match in MARK.finditer(text) if match[1] == "run"}
    return [f"{name_of(run)} is shown nowhere" for run in runs if run["benchmark"] not in shown]


def findings(text, runs):
    """The complaints about a page."""
    found = []
    text_made, tables = made(text, runs)
    stale = [name for name, content in tables.items() if not (TABLES / name).exists() or (TABLES / name).read_text() != content]
    if text_made != text or stale:
        found.append("its tables are not those of the kept runs; utils/gates/performance_page.py --write makes them")
    for match in MARK.finditer(text):
        if match[1] == "older" and match[2] not in match[4].lstrip().split("\n\n")[0].split("|")[0]:
            found.append(f"the older figures of {match[2]} do not say so where they begin")
    method, _, sections = MARK.sub(lambda match: "\n" * match[0].count("\n"), text).partition("\n## ")
    for at, line in enumerate(sections.split("\n"), method.count("\n") + 2):
        if FIGURE.search(line):
            found.append(f"line {at} has a figure of no run: {line[:80]}")
    return found


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return {key: rounded(one) for key, one in value.items()} if isinstance(value, dict) else value


def keep(path):
    run = rounded(json.loads(pathlib.Path(path).read_text()))
    run["command"] = re.sub(r" --json \S+", "", run["command"])
    target = RUNS / name_of(run)
    check_run(target, run)
    head = {key: value for key, value in run.items() if key != "cases"}
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in run["cases"])
    target.write_text(json.dumps(head)[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(f"kept {target.relative_to(ROOT)}, {target.stat().st_size} bytes")


def write(runs):
    for path, text in pages().items():
        page, tables = made(text, runs)
        path.write_text(page)
        for name, content in tables.items():
            (TABLES / name).write_text(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", metavar="FILE")
    options = parser.parse_args()
    try:
        if options.keep:
            return keep(options.keep)
        runs = kept_runs()
        if options.write:
            write(runs)
        found = [f"{path.name}: {one}" for path, text in pages().items() for one in findings(text, runs)] + unshown(pages().values(), runs)
    except (BadRun, KeyError, ValueError) as problem:
        found = [f"{type(problem).__name__}: {problem}"]
    size = sum(path.stat().st_size for path in RUNS.glob("*.json"))
    if size > MOST_BYTES:
        found.append(f"the kept runs have {size} bytes, at most {MOST_BYTES}")
    for one in found:
        print(f"performance pages: {one}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
