"""Run by test_ranks.py in two processes: a model on two ranks under gloo, recorded without a fault and with one wrong kernel on one rank.

usage: python rank_worker.py tensor|data|tensor-nan|data-nan RANK PORT FOLDER FAULTS
"""
import os
import pathlib
import random
import sys

import torch
import torch.distributed as dist
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmark" / "first_wrong"))
import wrong_kernels  # noqa: E402

from assay.torch import PrecisionDebugger  # noqa: E402

WIDTH, RANKS = 16, 2


class Parallel(nn.Module):
    """A layer cut by its columns and one cut by its rows, whose parts are added over the ranks."""

    def __init__(self, rank):
        super().__init__()
        part = 2 * WIDTH // RANKS
        self.norm, self.up, self.act, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, part), nn.GELU(), nn.Linear(part, WIDTH, bias=False)
        with torch.no_grad():
            whole = torch.Generator().manual_seed(1)
            up, down = torch.randn(2 * WIDTH, WIDTH, generator=whole) / 4, torch.randn(WIDTH, 2 * WIDTH, generator=whole) / 6
            self.up.weight.copy_(up[rank * part :][:part])
            self.down.weight.copy_(down[:, rank * part :][:, :part])
            self.up.bias.zero_()

    def forward(self, x):
        y = self.down(self.act(self.up(self.norm(x))))
        dist.all_reduce(y)
        return x + y


class Replica(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.norm, self.up, self.act, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


def step(kind, rank, folder, **fault):
    """One recorded step. Returns the numbers of the calls that were changed."""
    model = nn.Sequential(*(Parallel(rank) if kind == "tensor" else Replica() for _ in range(2)))
    x = torch.randn(6, WIDTH, generator=torch.Generator().manual_seed(3 if kind == "tensor" else 10 + rank))
    debugger = PrecisionDebugger(dump_path=str(folder), model=model, dump_torch_api=True)
    with wrong_kernels.Kernels(debugger, **fault) as kernels, debugger:
        if kind == "tensor":
            with torch.no_grad():
                model(x)
        else:
            model(x).square().mean().backward()
            for parameter in model.parameters():  # as DistributedDataParallel does
                dist.all_reduce(parameter.grad)
                parameter.grad /= RANKS
    return kernels


def main(kind, rank, port, folder, faults):
    kind, _, damage = kind.partition("-")
    rank, folder = int(rank), pathlib.Path(folder)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK=str(rank), WORLD_SIZE=str(RANKS))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    bench = step(kind, rank, folder / "bench")
    step(kind, rank, folder / "clean")
    computing = [n for n, name, _, _ in bench.seen if any(word in name for word in ("mm.", "norm", "gelu", "add.T", "mul."))]
    for i in range(int(faults)):
        draw = random.Random(f"{kind} {i}")
        chosen, guilty, how = draw.choice(computing), draw.randrange(RANKS), draw.choice(["one NaN"] if damage else ["one element", "one column", "one row", "whole tensor off", "one NaN"])
        wrong = (lambda number, name: number == chosen) if guilty == rank else None
        kernels = step(kind, rank, folder / f"fault{i}", wrong=wrong, how=how, at=5 * i)
        if guilty == rank:
            (hit,) = kernels.hit
            module = next(path for number, _, path, _ in kernels.seen if number == hit)
            (folder / f"fault{i}" / "expected.txt").write_text(f"{rank} {hit:05d}-aten {module}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
