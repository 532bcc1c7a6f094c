"""Options of the extracted operator tests, and the table of results.

    pytest --detail_compare_path=OUT.csv pytests/ --seed 42 [--device cuda|xpu|npu|mps|cpu]

Every test runs one recorded operator call on the device and on the CPU (in f64, rounded once to the result's type) and
adds a row to OUT.csv: the largest error, and how many elements are off by more than 1e-1, 1e-2, ... 1e-10.
"""
import csv
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
import operator_call  # noqa: E402


def pytest_addoption(parser):
    group = parser.getgroup("extracted operator tests")
    group.addoption("--detail_compare_path", default=None, help="CSV file for the results")
    group.addoption("--seed", type=int, default=0, help="seed of the random inputs")
    group.addoption("--device", default=None, help="torch device under test (default: an accelerator, else the CPU)")


def pytest_configure(config):
    config.assay_rows = {}
    config.assay_random = set()


@pytest.fixture
def call(request):
    """Runs one case: call(name, case, **what_the_file_says)."""
    config = request.config
    device = config.getoption("--device") or operator_call.default_device()

    def run(op_name, name, case, **how):
        outcome = operator_call.run(op_name, name, case, device, config.getoption("--seed"), **how)
        if outcome.unloaded:
            config.assay_random.add(name)
        config.assay_rows[name] = outcome.row()
        assert outcome.passed, outcome.text

    return run


def pytest_sessionfinish(session):
    path = session.config.getoption("--detail_compare_path")
    if not path:
        return
    rows = session.config.assay_rows
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(operator_call.COLUMNS)
        writer.writerows(rows[name] for name in sorted(rows))


def pytest_terminal_summary(terminalreporter, config):
    path, rows = config.getoption("--detail_compare_path"), len(config.assay_rows)
    if path:
        terminalreporter.write_line(f"{rows} rows in {path}" if rows else f"NO OPERATOR RAN: {path} has no rows")
    device = config.getoption("--device") or operator_call.default_device()
    if rows and device == "cpu":
        terminalreporter.write_line("the CPU was compared with itself in f64: name the device under test with --device")
    if config.assay_random:
        terminalreporter.write_line(
            f"{len(config.assay_random)} calls ran on random data in the recorded range where recorded tensors were wanted:"
            " their files were not found beside this folder"
        )
