#!/usr/bin/env python3
"""Runs random programs of JAX by XLA, the reference and the native engine, and judges each by the derived bound; reduces programs that differ.

usage: python utils/random_programs [--count N] [--seed S] [--operations N] [--engines a,b] [--keep DIR]

Program number N of a seed is always the same; `--only N` runs one. Exit code 1: a side was wrong, or an engine refused a program.
"""
import argparse
import os
import pathlib
import sys

import numpy


def show(program, who, reason, keep, number):
    print(f"program {number}: {who}: {reason}\n" + "\n".join("    " + line for line in str(program).splitlines()), flush=True)
    if keep:
        from judging import lowered

        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{number}_{who}.mlir").write_text(lowered(program).as_text())
        store = lambda a: a.view(numpy.uint16) if a.dtype.name == "bfloat16" else a
        numpy.savez(keep / f"{number}_{who}.npz", **{f"in{i}": store(a) for i, a in enumerate(program.inputs)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--operations", type=int, default=12, help="of one program at most")
    parser.add_argument("--engines", default="reference,native")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the smallest failing programs")
    options = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    jax.config.update("jax_enable_x64", True)
    from judging import faults, known_reason, smallest
    from program import draw

    engines, wrong, known, operations = options.engines.split(","), 0, 0, 0
    numbers = [options.only] if options.only is not None else range(options.count)
    for number in numbers:
        program = draw(numpy.random.default_rng([options.seed, number]), options.operations)
        if not program.uses:
            continue
        operations += len(program.uses)
        found = faults(program, engines)
        for who, _, reason in found[:1]:
            small = smallest(program, engines, who)
            if why := known_reason(small, who):
                known += 1
                reason = f"known: {why}"
            else:
                wrong += 1
            show(small, who, reason, options.keep, number)
        if number % 100 == 99:
            jax.clear_caches()
            print(f"\r{number + 1} programs", end="", file=sys.stderr, flush=True)
    print(f"{len(numbers)} programs, {operations} operations, seed {options.seed}: {wrong} on which XLA or an engine leaves the bound, {known} on which XLA does for a known reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
