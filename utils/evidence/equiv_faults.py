"""Plants faults in the programs of test/programs, one at a time, and asks `assay equiv` about each: how many are found.

    python utils/evidence/equiv_faults.py [COUNT] [SEED]      ASSAY_BIN names the folder of the program

A fault is a change of one place of the text. A change that no longer parses does not count, nor does the opposite sign of a number that is only
squared (x - y for y - x in a variance). Faults that are not found are listed for inspection, because some change nothing (a comparison with a number
that no value equals, an unused constant)."""

import argparse
import os
import pathlib
import random
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN", ROOT / "build/release/bin")) / "assay"
SKIPPED = {"collatz_int", "gpt2_small_prefill", "resnet50_inference"}  # one does not end on random data; two take too long


def nudged(match):
    """A constant that is wrong by a millionth."""
    return f"dense<{float(match[1]) * (1 + 1e-6):.9e}>"


FAULTS = [
    ("operands of a subtraction swapped", r"stablehlo\.subtract (%\w+), (%\w+) :", r"stablehlo.subtract \2, \1 :"),
    ("operands of a division swapped", r"stablehlo\.divide (%\w+), (%\w+) :", r"stablehlo.divide \2, \1 :"),
    ("a difference for a sum", r"stablehlo\.add (%\w+), (%\w+) : (tensor<[^>]*f(?:32|64)>)", r"stablehlo.subtract \1, \2 : \3"),
    ("a sum for a product", r"stablehlo\.multiply (%\w+), (%\w+) : (tensor<[^>]*f(?:32|64)>)", r"stablehlo.add \1, \2 : \3"),
    ("a mask one off", r"stablehlo\.compare +LT,", "stablehlo.compare LE,"),
    ("a mask one off", r"stablehlo\.compare +GE,", "stablehlo.compare GT,"),
    ("a mask inverted", r"stablehlo\.compare +EQ,", "stablehlo.compare NE,"),
    ("a constant off by 1e-6", r"dense<(-?\d\.\d+E?[-+]?\d*)>", nudged),
    ("the smaller for the larger", r"stablehlo\.maximum", "stablehlo.minimum"),
    ("expm1 for exp", r"stablehlo\.exponential ", "stablehlo.exponential_minus_one "),
    ("logistic for tanh", r"stablehlo\.tanh", "stablehlo.logistic"),
    ("sqrt for rsqrt", r"stablehlo\.rsqrt", "stablehlo.sqrt"),
    ("a reduction's other operation", r"applies stablehlo\.add", "applies stablehlo.maximum"),
    ("a broadcast along another dimension", r"dims = \[0\] : \((tensor<(\d+)x[^>]*>)\) -> tensor<(\2)x(\2)x", r"dims = [1] : (\1) -> tensor<\3x\4x"),
    ("a sign lost", r"stablehlo\.negate", "stablehlo.abs"),
    ("cosine for sine", r"stablehlo\.sine", "stablehlo.cosine"),
    ("operands of a choice swapped", r"stablehlo\.select (%\w+), (%\w+), (%\w+) :", r"stablehlo.select \1, \3, \2 :"),
    ("a slice shifted by one", r"stablehlo\.slice (%\w+) \[1:(\d+)", r"stablehlo.slice \1 [0:\2"),
]


def is_only_squared(text, line):
    """Whether the result of a line is read only as both factors of a product, so that its sign does not matter."""
    lines = text.splitlines()
    made = re.match(r"\s*(%\w+) = ", lines[line - 1])
    if not made:
        return False
    uses = [at for at in lines[line:] if re.search(rf"{made[1]}\b", at)]
    for end, at in enumerate(uses):
        if re.match(rf"\s*{made[1]} = ", at):  # of another function
            uses = uses[:end]
            break
    return bool(uses) and all(re.search(rf"stablehlo\.multiply {made[1]}, {made[1]} :", at) for at in uses)


SIGN = {"operands of a subtraction swapped", "a sign lost"}


def faults():
    """(program, fault, line, text) for every place."""
    for path in sorted((ROOT / "test/programs").glob("*.mlir")):
        if path.stem in SKIPPED:
            continue
        text = path.read_text()
        for name, pattern, change in FAULTS:
            for match in re.finditer(pattern, text):
                new = re.sub(pattern, change, match[0]) if isinstance(change, str) else change(match)
                line = text[: match.start()].count("\n") + 1
                if new != match[0] and not (name in SIGN and is_only_squared(text, line)):
                    yield path, name, line, text[: match.start()] + new + text[match.end() :]


def verdict(original, text, folder):
    changed = folder / "changed.mlir"
    changed.write_text(text)
    run = subprocess.run([ASSAY, "equiv", original, changed, "--quiet", "--max-seconds", "20"], capture_output=True, text=True)
    return run.stdout.strip().splitlines()[-1] if run.stdout.strip() else "error " + run.stderr.strip()[:90]


def main(count, seed):
    planted = list(faults())
    random.Random(seed).shuffle(planted)
    found, missed, none = 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path, name, line, text in planted:
            if found + len(missed) >= count:
                break
            said = verdict(path, text, pathlib.Path(folder))
            if said.startswith("error"):
                none += 1
            elif said.startswith("differs"):
                found += 1
            else:
                missed.append(f"{path.name}:{line}: {name}: {said}")
    print("\n".join(missed))
    print(f"{found} of {found + len(missed)} planted faults found; {none} changes were not programs")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("count", type=int, nargs="?", default=200)
    options.add_argument("seed", type=int, nargs="?", default=1)
    main(**vars(options.parse_args()))
