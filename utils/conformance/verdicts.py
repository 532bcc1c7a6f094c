"""Dialect tests as verdicts: each part between `// -----` lines must be rejected where upstream expects an error, and accepted where it expects
none. The wording of the message may differ.
"""
import concurrent.futures
import re
import subprocess

from results import EXPLAINED, FAILED, PASSED, Outcome, Suite

# Parts that upstream accepts although the specification forbids them: (file, text in the part) -> the constraint.
NOT_BY_THE_SPECIFICATION = {
    ("ops_stablehlo_quantized.mlir", "@ops_per_tensor_quantization"): "all_gather_c6: 4 is not 4 times the size of a group, 2",
    ("print_stablehlo.mlir", "comparison_type TOTALORDER"): "compare_c3: TOTALORDER is for floats, the operands are i32",
}
# Parts that upstream rejects although the specification allows them.
LEFT_OPEN = {
    ("verify_dynamic_conv.mlir", "@dynamic_conv_invalid_window_attributes"): "dynamic_conv_c25: a window without elements has a dilated shape of 0",
}
FLAGS = ["--split-input-file", "--allow-unregistered-dialect", "-o", "/dev/null"]


def parts_of(file):
    """[(first line, text)]"""
    parts, start, lines = [], 1, []
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        if line.strip() == "// -----":
            parts.append((start, "\n".join(lines)))
            start, lines = number + 1, []
        else:
            lines.append(line)
    parts.append((start, "\n".join(lines)))
    return [(start, text) for start, text in parts if re.sub(r"//.*", "", text).strip()]


def rejections(file):
    """{first line of a part: first message}"""
    ran = subprocess.run(["assay-opt", str(file), *FLAGS], capture_output=True, text=True, errors="replace")
    found = {}
    for line in ran.stderr.splitlines():
        if re.search(r'error: expected \w+ ".*" was not produced', line):
            continue  # the driver itself compares this message with upstream's
        split = re.match(r"within split at \S+?:(\d+) offset :(\d+):\d+: error: (.*)", line)
        whole = re.match(r"\S+?\.mlir:(\d+):\d+: error: (.*)", line)
        if split:
            found.setdefault(int(split[1]) + int(split[2]) - 1, split[3])
        elif whole:
            found.setdefault(int(whole[1]), whole[2])
    if ran.returncode < 0:
        found.setdefault(0, f"crashed with signal {-ran.returncode}")
    return found


def reason_in(table, file, text):
    return next((why for (name, at), why in table.items() if name == file and at in text), "")


def outcomes_of(file):
    parts, found = parts_of(file), rejections(file)
    outcomes = []
    for index, (start, text) in enumerate(parts):
        end = parts[index + 1][0] if index + 1 < len(parts) else float("inf")
        messages = [message for line, message in found.items() if start <= line < end]
        expected = re.search(r"expected-error(?:-re)?\s*\S*\s*\{\{(.*)\}\}", text)
        if bool(messages) == bool(expected):
            outcomes.append(Outcome(f"{file.name}:{start}", PASSED))
        elif expected:
            reason = reason_in(LEFT_OPEN, file.name, text)
            status, why = (EXPLAINED, f"accepted: {reason}") if reason else (FAILED, f"accepted; expected: {expected[1]}")
            outcomes.append(Outcome(f"{file.name}:{start}", status, why))
        else:
            reason = reason_in(NOT_BY_THE_SPECIFICATION, file.name, text)
            status, why = (EXPLAINED, f"rejected: {reason}") if reason else (FAILED, f"rejected: {messages[0]}")
            outcomes.append(Outcome(f"{file.name}:{start}", status, why))
    return outcomes


def suite(name, folder, jobs):
    files = [file for file in sorted(folder.glob("*.mlir")) if "hlo-test-" not in file.read_text(errors="replace")[:400]]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return Suite(name, "parts", [outcome for outcomes in pool.map(outcomes_of, files) for outcome in outcomes])
