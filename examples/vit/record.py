"""Records the vision transformer into a folder: python record.py OUT [--small] [--blocks N] [--rounding] [--fault NAME].

Two recordings of the same model and input, one of them with --rounding and perhaps a fault, are what `assay compare` is
shown: TARGET is the one with the fault, BENCH the one without.
"""
import argparse
import dataclasses

import torch
import vit
from faults import FAULTS, inject, other_rounding

from assay.torch import PrecisionDebugger


def record(out, config=vit.SMALL, rounding=False, fault=None):
    """Runs the model once under PrecisionDebugger. Returns the path of the module at fault, or None."""
    model = vit.build(config)
    culprit = inject(model, fault) if fault else None
    if rounding:
        other_rounding(model)
    with torch.no_grad(), PrecisionDebugger(dump_path=out, hook_name="dump", rank=[0], step=[1], model=model):
        model(*vit.inputs(config))
    return culprit


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--small", action="store_true", help="2 blocks of width 96 instead of 27 of width 1152")
    parser.add_argument("--blocks", type=int, help="number of blocks")
    parser.add_argument("--rounding", action="store_true", help="flip the last bit of 15 %% of every leaf's output")
    parser.add_argument("--fault", choices=sorted(FAULTS), help="switch on one fault")
    arguments = parser.parse_args()
    config = vit.SMALL if arguments.small else vit.VitConfig()
    if arguments.blocks:
        config = dataclasses.replace(config, blocks=arguments.blocks)
    culprit = record(arguments.out, config, arguments.rounding, arguments.fault)
    if culprit:
        print(f"fault '{arguments.fault}' in {culprit}")


if __name__ == "__main__":
    main()
