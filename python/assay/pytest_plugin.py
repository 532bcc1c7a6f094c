"""The pytest plugin: the fixture `assay_check`, and `--assay-audit`. `@assay.sweep` needs no plugin (sweeping.py).

    def test_matmul(assay_check):
        assay_check(my_matmul, "matmul 64x32:32x16")        # raises with the verdict unless it holds
"""
import pytest


@pytest.fixture
def assay_check():
    """assay.check that raises assay.CheckFailed with the whole verdict; returns the verdict when it holds."""

    def check(kernel, reference, *inputs, **options):
        from . import check as assay_check

        return assay_check(kernel, reference, *inputs, **options).raise_for_status()

    return check


def pytest_addoption(parser):
    group = parser.getgroup("assay")
    group.addoption(
        "--assay-audit",
        action="store_true",
        help="call every numeric assertion that holds again with wrong outputs, and list those that cannot fail",
    )


def pytest_configure(config):
    if config.getoption("--assay-audit"):
        from .assertion_audit import AssertionAudit

        config._assay_audit = AssertionAudit()
        config._assay_audit.install()


def pytest_unconfigure(config):
    audit = getattr(config, "_assay_audit", None)
    if audit is not None:
        audit.remove()


def pytest_terminal_summary(terminalreporter, config):
    audit = getattr(config, "_assay_audit", None)
    if audit is not None:
        terminalreporter.section("assay audit of numeric assertions")
        for line in audit.report():
            terminalreporter.write_line(line)
