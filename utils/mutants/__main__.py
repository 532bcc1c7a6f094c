"""./dev mutants [--list | --table | --keep] [NAMES or FILES ...]: would the tests notice a fault?

Draws faults from the sources, or takes the patches of test/mutants, weaves them into a copy and runs the tests that reach them: docs/testing.md.
"""
import argparse
import collections
import datetime
import fnmatch
import hashlib
import json
import pathlib
import re
import sys

import score
import table
from run import try_mutant
from suite import Suite, names
from tree import Tree, files

_EXAMPLES = """examples:
  ./dev mutants                                every mutant that is not in the journal yet
  ./dev mutants 'numerics_*'                   the patches of test/mutants whose name begins so
  ./dev mutants 'src/assay/judge/*' --all      the mechanical ones of a folder, against every test that reaches them
  ./dev mutants --list                         their names and places; builds and runs nothing
  ./dev mutants --table                        what the journal says, and the kept score by file
  ./dev mutants --keep                         takes the journal into test/mutants/score.csv, by file
"""


def arguments(words):
    parser = argparse.ArgumentParser(prog="./dev mutants", epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description="Puts plausible faults into a copy of the sources, one at a time, and says which of them no test notices.")
    parser.add_argument("pattern", nargs="*", help="names or shell patterns: of patches, or FILE:LINE:KIND of mechanical mutants (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the mechanical draw (default 1)")
    parser.add_argument("--count", type=int, default=400, help="how many mechanical mutants are drawn over src/ (default 400)")
    parser.add_argument("--all", action="store_true", help="every test that reaches a mutant, the Python tests too; survivors of a shorter run are tried again")
    parser.add_argument("--budget", type=float, default=60, metavar="S", help="seconds of tests for a mutant without --all (default 60)")
    parser.add_argument("--tests", metavar="REGEX", default="", help="only the tests whose name fits, such as 'unit|lit.cli/verify'")
    parser.add_argument("--target", action="append", default=[], help="builds only this target of the copy (again for more), for a run with --tests")
    parser.add_argument("--fails", type=int, default=1, metavar="N", help="goes on with a mutant until N tests have failed (default 1)")
    parser.add_argument("--retry", action="store_true", help="tries what survived again, whatever the journal says")
    parser.add_argument("--sample", type=int, metavar="N", help="of the chosen mechanical ones only N of each component, drawn by --seed")
    parser.add_argument("--built", action="store_true", help="of the chosen only those of the last build: nothing is woven in again")
    parser.add_argument("--list", action="store_true", help="lists the mutants and ends")
    parser.add_argument("--table", action="store_true", help="prints the table of the journal and ends")
    parser.add_argument("--keep", action="store_true", help="takes what the journal says into the kept score by file, and ends")
    return parser.parse_args(words)


def _say(text):
    print(text, flush=True)


def _chosen(mutants, options, built=()):
    chosen = [mutant for mutant in mutants if not options.pattern or any(
        fnmatch.fnmatch(mutant.name, pattern) or fnmatch.fnmatch(mutant.file, pattern) for pattern in options.pattern)]
    if options.built:
        chosen = [mutant for mutant in chosen if mutant.key in built]
    if options.sample is not None:
        chosen.sort(key=lambda mutant: hashlib.sha256(f"{options.seed}:{mutant.key}".encode()).digest())
        taken = collections.Counter()
        for mutant in chosen:
            taken[mutant.component] += mutant.mechanical
            mutant.drawn = not mutant.mechanical or taken[mutant.component] <= options.sample
        chosen = [mutant for mutant in chosen if mutant.drawn]
    return chosen


class Journal:
    """build/mutants/journal.jsonl: one line per trial; the last line of a mutant counts."""

    def __init__(self, path):
        self.path = path
        self.rows = {}
        for line in path.read_text().split("\n") if path.exists() else []:
            if line:
                row = json.loads(line)
                self.rows[row["key"]] = row

    def add(self, row):
        self.rows[row["key"]] = row
        with open(self.path, "a") as out:
            out.write(json.dumps(row) + "\n")

    def settled(self, mutant, stamp, full, fails):
        row = self.rows.get(mutant.key)
        if row is None:
            return False
        return row["status"] == "killed" and row.get("fails", 1) >= fails or (row["suite"] == stamp and (row["full"] or not full))


def _try_rebuilt(tree, mutant, suite, budget, options):
    """For a patch that cannot be woven in: builds its file with it alone, and restores the file."""
    path = tree.tree / mutant.file
    plain = path.read_bytes()
    path.write_text(mutant.new)
    try:
        if not tree.ninja(tree.home / "rebuild.log", options.target):
            return {"name": mutant.name, "key": mutant.key, "file": mutant.file, "kind": mutant.kind, "status": "no mutant",
                    "by": "does not compile", "seconds": 0.0}
        return try_mutant(mutant, suite.reaching(mutant), suite.scratch, budget, options.fails)
    finally:
        path.write_bytes(plain)


def main(words):
    options = arguments(words)
    root = pathlib.Path(__file__).resolve().parents[2]
    tree = Tree(root)
    journal = Journal(tree.home / "journal.jsonl")
    kept = root / "test" / "mutants" / "score.csv"
    if options.keep:
        fresh = score.of_journal(journal.rows, str(datetime.date.today()))
        score.write(kept, score.merged(score.read(kept), fresh, set(files(root))))
        print(score.text(score.read(kept)))
        return 0
    if options.list or options.table:
        mutants, bad = tree.collect(options.seed, options.count)
        chosen = _chosen(mutants, options, tree.built)
        print(table.listing(chosen) if options.list else table.table(chosen, journal.rows) + "\n\n" + score.text(score.read(kept)))
        print("".join(f"bad patch: {text}\n" for text in bad), end="")
        return 1 if bad else 0

    def collect():
        mutants, bad = tree.collect(options.seed, options.count)
        return _chosen(mutants, options, tree.built), bad

    if not collect()[0]:
        print(f"dev mutants: no mutant is named {' '.join(options.pattern)}", file=sys.stderr)
        return 2
    chosen, bad = tree.prepare(collect, options.target, _say)
    suite = Suite(tree)

    def wanted(test):
        if options.tests:
            return re.search(options.tests, test.name) is not None
        return options.all or not test.name.startswith(("python.", "diff.")) or any(names(mutant, test) for mutant in chosen)

    suite.tests = [test for test in suite.tests if wanted(test)]
    suite.measure(chosen, _say)
    stamp = hashlib.sha256("".join(sorted(test.name + test.stamp for test in suite.tests)).encode()).hexdigest()[:16]
    todo = [mutant for mutant in chosen if not mutant.equivalent and
            not (journal.settled(mutant, stamp, options.all, options.fails) and not (options.retry and journal.rows[mutant.key]["status"] != "killed"))]
    _say(f"{len(chosen)} mutants chosen, {len(todo)} to be tried")
    todo.sort(key=lambda mutant: (mutant.form == "rebuild", mutant.number))
    budget = 0 if options.all else options.budget
    for mutant in todo:
        if mutant.form == "rebuild":
            row = _try_rebuilt(tree, mutant, suite, budget, options)
        else:
            row = try_mutant(mutant, suite.reaching(mutant), suite.scratch, budget, options.fails)
        row.update(suite=stamp, full=options.all)
        journal.add(row)
        _say(table.line(row))
    print(table.table(chosen, journal.rows))
    print("".join(f"bad patch: {text}\n" for text in bad), end="")
    return 1 if bad or table.survivors(chosen, journal.rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
