"""Suites that execute: every file of a suite is run by one `assay test`, which runs its functions in parallel.

testdata: a test that fails is run again with sums rounded at every step (`--accumulate step`), as XLA on the CPU made its golden
values. If it still fails, it is compared with a shadow in higher precision; where our result is nearer to the shadow than the
golden value, the difference is attributed to the golden value.
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import tempfile

from results import EXPLAINED, FAILED, PASSED, Outcome, Suite


def run_tests(files, *flags):
    """[(file:@function, passed, detail)] from one process (parts of a file may repeat a name), and {file: message} for files
    that did not parse."""
    with tempfile.NamedTemporaryFile(suffix=".json") as facts:
        words = ["assay", "test", "--quiet", "--json", facts.name, *flags, *map(str, files)]
        ran = subprocess.run(words, capture_output=True, text=True, errors="replace")
        text = pathlib.Path(facts.name).read_text()
    tests = json.loads(text)["tests"] if text else []
    broken = {}
    for line in ran.stderr.splitlines():
        found = re.match(r"assay: error: (\S+?\.mlir):\d+", line)
        if found:
            broken[found.group(1)] = line
    if not text:
        broken[str(files[0])] = (ran.stderr.strip() or f"exit code {ran.returncode}").splitlines()[-1]
    return [(test["name"], test["status"] == "passed", test["detail"]) for test in tests], broken


def outcomes_of(files, root):
    tests, broken = run_tests(files)
    short = lambda name: str(pathlib.Path(name).relative_to(root))
    outcomes = [Outcome(short(name), PASSED if ok else FAILED, detail) for name, ok, detail in tests]
    return outcomes + [Outcome(short(name), FAILED, message) for name, message in broken.items()]


def plain_suite(name, folder):
    files = sorted(folder.glob("*.mlir"))
    return Suite(name, "functions", outcomes_of(files, folder))


def interpret(folder):
    """The functions with checks, and the two files whose RUN lines define the expected output."""
    from run_lines import run_file

    printing = [folder / "printing.mlir", folder / "api_input_arguments.mlir"]
    files = sorted(set(folder.rglob("*.mlir")) - set(printing))
    outcomes = outcomes_of(files, folder)
    for file in filter(pathlib.Path.exists, printing):
        passed, reason = run_file(file)
        outcomes.append(Outcome(file.name, PASSED if passed else FAILED, reason))
    return Suite("interpret", "functions", outcomes)


def shadow_proof(file):
    """"errors 1.2e-08 against 3.4e-07" if our result is nearer to the shadow than the golden value; else None."""
    with tempfile.TemporaryDirectory() as folder:
        golden, facts = f"{folder}/golden.npz", f"{folder}/facts.json"
        run = lambda *words: subprocess.run(["assay", "run", str(file), "--quiet", *words], capture_output=True, text=True)
        if run("--entry", "expected", "--output", golden).returncode != 0:
            return None
        run("--entry", "main", "--expect", golden, "--rule", "shadow", "--json", facts)
        if not pathlib.Path(facts).exists():
            return None
        results = json.loads(pathlib.Path(facts).read_text()).get("results", [])
    errors = [(float(row["error_got"]), float(row["error_expected"])) for row in results]
    if not errors or any(got > expected for got, expected in errors):
        return None
    ours, theirs = max(errors, key=lambda pair: pair[1])
    return f"errors {ours:.2g} (ours) and {theirs:.2g} (golden) of the RMS"


def testdata(folder, jobs):
    suite = plain_suite("testdata", folder)
    failed = {outcome.name: outcome for outcome in suite.outcomes if outcome.status == FAILED}
    files = sorted({folder / name.split(":")[0] for name in failed})
    again, _ = run_tests(files, "--accumulate", "step") if files else ([], {})
    met = {name for name, ok, _ in again if ok}
    left = []
    for name, outcome in failed.items():
        if str(folder / name) in met:
            outcome.status, outcome.reason = EXPLAINED, "passes with sums rounded at every step (--accumulate step)"
        else:
            left.append(outcome)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        proofs = pool.map(shadow_proof, [folder / outcome.name.split(":")[0] for outcome in left])
    for outcome, proof in zip(left, proofs):
        if proof:
            outcome.status, outcome.reason = EXPLAINED, f"golden value less accurate than correct rounding: {proof}"
    return suite
