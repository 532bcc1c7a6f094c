"""What recording costs: an eager step of the vision transformer without and with PrecisionDebugger, the two taking turns.

The dump goes to memory (/dev/shm), so the disk is left out. `--blocks N` (default 4) of full width; `--json FILE`.
"""
import argparse
import dataclasses
import json
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "vit"))
import vit  # noqa: E402

from assay.torch import PrecisionDebugger  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    options = parser.parse_args()
    config = dataclasses.replace(vit.VitConfig(), blocks=options.blocks)
    model, inputs = vit.build(config), vit.inputs(config)
    folder = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
    plain, recorded, cpu = [], [], [0.0, 0.0]
    with torch.no_grad():
        model(*inputs)
        for i in range(options.rounds):
            begin, busy = time.perf_counter(), time.process_time()
            model(*inputs)
            plain.append(time.perf_counter() - begin)
            cpu[0] += time.process_time() - busy
            with PrecisionDebugger(dump_path=str(folder / str(i)), step=[1], model=model):
                begin, busy = time.perf_counter(), time.process_time()
                model(*inputs)
                recorded.append(time.perf_counter() - begin)
                cpu[1] += time.process_time() - busy
            shutil.rmtree(folder / str(i))
    shutil.rmtree(folder)
    a, b = statistics.median(plain), statistics.median(recorded)
    print(f"step without hooks {a * 1e3:.1f} ms, with hooks {b * 1e3:.1f} ms: {100 * (b / a - 1):+.1f} %; "
          f"processor time {100 * (cpu[1] / cpu[0] - 1):+.1f} %")
    print(f"bench record: {a / b:.2f}x eager PyTorch (geomean of 1 cases, worst {a / b:.2f}), {100 * a / b:.0f}% of limit")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"plain_s": plain, "recorded_s": recorded, "cpu_s": cpu}) + "\n")


if __name__ == "__main__":
    main()
