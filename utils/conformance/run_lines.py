"""Runs files by their own RUN lines, with Assay's programs in place of upstream's."""
import concurrent.futures
import re
import subprocess
import tempfile

from results import FAILED, PASSED, Outcome, Suite

PROGRAMS = (("stablehlo-opt", "assay-opt"), ("stablehlo-translate", "assay run"))
TIMEOUT_S = 120


def commands(file, scratch):
    """The shell lines of a file's test."""
    text, lines, open_line = file.read_text(errors="replace"), [], ""
    for match in re.finditer(r"^\s*//\s*RUN:(.*)$", text, re.M):
        part = open_line + match.group(1).strip()
        open_line = part[:-1] if part.endswith("\\") else ""
        if open_line:
            continue
        for theirs, ours in PROGRAMS:
            part = part.replace(theirs, ours)
        part = re.sub(r"%if asserts %\{.*%\}", "true", part)
        lines.append(part.replace("%s", f"'{file}'").replace("%t", f"{scratch}/t").replace("%p", f"'{file.parent}'"))
    return lines


def reason_of(output):
    for line in output.splitlines():
        if "error" in line.lower() or "assert" in line.lower() or "command not found" in line:
            return re.sub(r"^.*?(error: )", r"\1", line.strip())
    return (output.strip().splitlines() or ["no output"])[-1]


def run_file(file):
    """(passed, reason)"""
    with tempfile.TemporaryDirectory() as scratch:
        for line in commands(file, scratch):
            line = re.sub(r"(^|\| *)not ", r"\1! ", line)
            try:
                ran = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S
                )
            except subprocess.TimeoutExpired:
                return False, f"took longer than {TIMEOUT_S} s"
            if ran.returncode != 0:
                return False, reason_of(ran.stderr + ran.stdout)
    return True, ""


def suite(name, folder, jobs):
    files = [file for file in sorted(folder.glob("*.mlir")) if "RUN:" in file.read_text(errors="replace")]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        ran = list(pool.map(run_file, files))
    return Suite(
        name, "files", [Outcome(file.name, PASSED if ok else FAILED, why) for file, (ok, why) in zip(files, ran)]
    )
