#!/usr/bin/env python3
"""Runs the sweep's programs through the plugin and judges every operation: every alarm is a false one, since no fault is planted.

usage: checked.py [--rule bound|shadow|nan] [--engine E] [--only REGEX] [--types a,b] [--every N]

Exit code 1 with an alarm. Programs that the plugin refuses are listed too. The last line of the process states how many operations were
judged."""
import argparse
import os
import re
import sys

alarms, refusals = [], []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", default="bound")
    parser.add_argument("--engine", default="native")
    parser.add_argument("--only", default="")
    parser.add_argument("--types", default="")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth program only")
    options = parser.parse_args()
    os.environ |= {"JAX_PLATFORMS": "assay", "ASSAY_CHECK": options.rule, "ASSAY_ENGINE": options.engine}
    import jax

    jax.config.update("jax_enable_x64", True)
    import programs
    from functions import TYPES

    def lower(function, args, keywords, needs_key):
        try:
            return programs.lower(function, args, keywords, needs_key)
        except jax.errors.JaxRuntimeError as error:
            (alarms if "ASSAY_CHECK=" in str(error) else refusals).append(f"{function} of {args}: {error}")
            raise

    ran = asked = 0
    for label, program in programs.programs(re.compile(options.only), options.types.split(",") if options.types else TYPES, options.every, lower):
        asked += 1
        ran += program is not None
        for kind, found in ("ALARM", alarms), ("refused", refusals):
            for text in found:
                print(f"\n{kind} {label}: {text}", flush=True)
        wrong, alarms[:], refusals[:] = len(alarms), [], []
        main.wrong += wrong
        print(f"\r{ran} of {asked} ran, {main.wrong} alarms", end="", file=sys.stderr, flush=True)
    print(f"\n{ran} programs ran with ASSAY_CHECK={options.rule}, {main.wrong} alarms")
    return 3 if not ran else 1 if main.wrong else 0


main.wrong = 0
if __name__ == "__main__":
    sys.exit(main())
