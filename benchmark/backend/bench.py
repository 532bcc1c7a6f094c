"""Compares torch.compile(model, backend="assay") with eager PyTorch, Inductor and `assay run --engine native` of the model exported by
assay.torch.export: `./dev bench backend [--rounds=N] [--threads=N] [--peers=NAME,...] [MODEL ...]` (models of `./dev bench program` in PyTorch's
form; by default resnet50, bert_base_128 and gpt2_prefill_128).

Each side has its own process, and the sides take turns. The table has their medians in ms, and the median of the ratios of the first peer to `assay
run` in the same turn.
"""
import argparse
import importlib.util
import pathlib
import statistics
import subprocess
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "program" / "bench.py"
PEERS = "frozen,backend,PyTorch,compile"  # the first one is compared with `assay run`


def compared(bench, model, threads, rounds, names):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*bench.SIDE, "export", model, "assay", folder], check=True, capture_output=True)
        from models import MODELS

        ours = bench.Ours(MODELS[model], threads, folder)
        ours.judge()
        ours.first()
        peers = [bench.Peer(name, (model, "torch"), threads, folder) for name in names]
        times = [(ours.turn(), *(one.turn() if not one.why else float("nan") for one in peers)) for _ in range(rounds)]
        for one in peers:
            one.end()
        for one in peers:
            if one.why:
                print(f"without {one.name}: {one.why}")
    medians = " | ".join(f"{statistics.median(each):.1f}" for each in zip(*times))
    ratio = statistics.median(turn[1] / turn[0] for turn in times)
    print(f"| {model} | {medians} | {ratio:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peers", default=PEERS)
    options, _ = parser.parse_known_args()
    found = importlib.util.spec_from_file_location("program_bench", PROGRAM)
    bench = importlib.util.module_from_spec(found)
    found.loader.exec_module(bench)
    names = options.peers.split(",")
    print(f"| model | assay run, ms | {' | '.join(names)} | {names[0]} to assay run |\n|{'---|' * (len(names) + 3)}")
    for model in options.models or ("resnet50", "bert_base_128", "gpt2_prefill_128"):
        compared(bench, model, options.threads, options.rounds, names)


if __name__ == "__main__":
    main()
