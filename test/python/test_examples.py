"""Every `assay …` line of the help, the README and the docs runs as written, in a folder with the files that it names. Long
runs are shortened by the rules of _SHORTER. If a page shows a command's output, the command must print these lines in this
order, whatever their numbers are; start, tasks and README are compared to the digit (documents.py)."""
import os
import pathlib
import re
import subprocess
import sys

import examples_world
import pytest

SOURCE = examples_world.SOURCE
PROGRAM = examples_world.BIN / "assay"
_COMMAND = re.compile(r"((?:[A-Z_]+=\S+ )*(?:mpirun -n \d+ )?assay [a-z]+ .*)")
_COMMENT = re.compile(r"( {3,}| {2}(?=as if)| +# | +\(| goes on after).*")

# Batches of hundreds of problems are listed, not run; budgets are a second; no example writes another's files.
_SHORTER = [
    (r"(--batch=(?!list)\S+)", r"--mode=L \1"),
    (r"(import .*) gpu.h5", r"\1 imported.h5"),
    (r"my_op=./libmine.so", "my_op=./libmine.so:scale"),
    (r"--budget \d+", "--budget 1"),
    (r"64x4096:4096x64", "64x512:512x64"),
    (r"--n 4096 --k 4096 --strategy", "--n 96 --k 64 --strategy"),
    (r"(kernels explain.*)mb1ic64ih56oc64kh3ph1", r"\1mb1ic16ih7oc16kh3ph1"),
    (r"1024x1024:1024x1024", "128x128:128x128"),
    (r"kernels sample:200", "kernels sample:4"),
    (r"mpirun", "mpirun --allow-run-as-root --oversubscribe"),
    (r"^(.*tune collect(?!.*--kernels).*)", r"\1 --kernels sample:4"),
]
# Exit codes that are not 0, with the reason.
_ENDS = {
    r"equiv right.mlir wrong.mlir": 1,  # they differ: that is what the example shows
    r"audit softmax.mlir --rule close": 1,  # a fault was accepted: that is what the example shows
    r"ASSAY_EXAMPLE_FAULT=": 0,  # the failure was reduced, or named
    r"assay (triage|reduce) ": 3,  # nothing fails here
    r"--gnorm|libmykernels.so --op add.mlir": 3,  # SKIPPED: oneDNN 2 has no group normalisation, and the example plugin no addition
    r"--dt=f4_e2m1|--dt=bf16:u4|rounding-mode=dst:stochastic": 3,  # skipped: oneDNN 2 has none of these
    r"--mode=L|--batch=(?!list)": 3,  # only listed, by the example or by _SHORTER: nothing was checked
}
# Blocks that cannot run here, and what they need.
_NEEDS = {
    r"benchmark_results_fp16_rcr|ck_tile_testrun|new\.json": "files of CK Tile: test_tune.py has their formats",
    r"gemm_universal_fp8_gfx950": "a model of CK Tile's: test_tune_published.py writes one",
    r"grouped_conv_forward_bf16_gfx950": "a model of CK Tile's: test_tune_conv.py writes one",
    r"(good|bad)/0000\d-jit_step": "recordings of a JAX script: test_jax_plugin.py makes them",
    r"/opt/my/pjrt_plugin": "a device's own plugin: test_pjrt_engine.py runs ours",
    r"tune (train|evaluate|score|auto|check|features --data_dir)|--old models": "measurements of a whole collection: test_tune.py runs them",
}

# Runs here, but on files other than those of the page's results.
_OTHER_FILES = {
    "assay passes dump -o shows": "a dump of XLA's passes: test_equivalence.py has some",
    "assay verify --engine=plugin:./libmykernels.so --property=batch_invariant,nan_local --matmul 64x512:512x48": "a library of kernels whose bits differ by processor",
}

# An example that this processor cannot run is skipped by verify, with this reason and exit code 3.
_NOT_HERE = "oneDNN has no bf16 on a processor without AVX-512"


def _help(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


def _lines(text, indent):
    """(command, what is shown below it) of a text; a line that ends with a backslash continues in the next."""
    shown = []
    for line in re.sub(r" \\\n\s+", " ", text).split("\n"):
        if (found := re.match(rf"{indent}(?:\$ )?{_COMMAND.pattern}$", line)) and not re.match(r"assay \w+: ", found[1]):
            shown = []
            yield _COMMENT.sub("", found[1]).strip(), shown
        elif line.startswith(indent) and not re.match(r" *(\$|assay-opt|python|[a-z]+ = )", line):
            shown.append(line[len(indent):])
        else:  # a block ends, or something else begins
            shown = []


def _masked(line):
    """Removes text that differs between machines: numbers, and the widths of their columns."""
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "#", line).replace(" ", "").replace("-", "")


def _missing(shown, printed):
    """The first shown line that is not printed after the one before it; an ellipsis stands for anything."""
    lines = iter(printed.split("\n"))
    for line in shown:
        pattern = ".*".join(map(re.escape, _masked(line).split("…")))
        if not any(re.fullmatch(pattern, _masked(other)) for other in lines):
            return line
    return None


def examples():
    found = {}
    for path in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md")), *sorted((SOURCE / "docs" / "drivers").glob("*.md"))]:
        for command, shown in _lines(path.read_text(), "    "):
            page, other = found.setdefault(command, (str(path.relative_to(SOURCE)), shown))
            found[command] = page, other or shown
    for name in re.findall(r"^  ([a-z]+) {2,}", _help(), re.M):
        shown = _help(name)
        inner = re.findall(r"^  ([a-z]+) {2,}", shown, re.M) if name in ("tune", "kernels") else []
        for words in [(name,), *((name, other) for other in inner)]:
            for command, _ in _lines(_help(*words), "  "):
                found.setdefault(command, (f"assay {' '.join(words)} --help", []))
    return found


EXAMPLES = examples()


def test_there_are_examples_of_every_command():
    named = {re.search(r"assay ([a-z]+)", command)[1] for command in EXAMPLES}
    assert set(re.findall(r"^  ([a-z]+) {2,}", _help(), re.M)) <= named and len(EXAMPLES) > 150


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    examples_world.make(folder)
    return folder


@pytest.mark.parametrize("command", EXAMPLES)
def test_it_runs(world, command):
    for pattern, who in _NEEDS.items():
        if re.search(pattern, command):
            pytest.skip(f"{EXAMPLES[command][0]}: {command}: {who}")
    shown = [] if command in _OTHER_FILES else [line for line in EXAMPLES[command][1] if line.strip() != "…"]
    expected = next((code for pattern, code in _ENDS.items() if re.search(pattern, command)), 0)
    for pattern, shorter in _SHORTER:
        command = re.sub(pattern, shorter, command)
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "XDG_DATA_HOME": str(world / "data_home"), "ASSAY_PYTHON": sys.executable}
    ran = subprocess.run(command, shell=True, cwd=world, env=environment, capture_output=True, text=True, timeout=120)
    if ran.returncode == 3 and _NOT_HERE in ran.stdout:
        pytest.skip(f"{command}: {_NOT_HERE}")
    assert ran.returncode == expected, f"{command}\n{ran.stdout[-1500:]}{ran.stderr[-1500:]}"
    missing = _missing(shown, ran.stdout + ran.stderr)
    assert missing is None, f"{command}\ndoes not print, or not there:\n{missing}\nbut:\n{ran.stdout[-3000:]}{ran.stderr[-1500:]}"
