"""Run by test_merge.py in one process for the whole model, and in two under gloo for its parts: recorded without a fault and with one
module on one rank returning wrong results.

usage: python merge_worker.py KIND RANK PORT FOLDER FAULTS        KIND: tensor, data, dtensor, or one of merge_models.py; whole-KIND
"""
import os
import pathlib
import random
import sys

import torch
import torch.distributed as dist
from torch import nn

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "benchmark" / "first_wrong"), str(pathlib.Path(__file__).parent)]
import merge_models  # noqa: E402
import wrong_kernels  # noqa: E402

from assay.torch import PrecisionDebugger  # noqa: E402

WIDTH, ROWS, RANKS = 16, 12, 2


class Block(nn.Module):
    """With `part` of `parts` of its hidden features; the outputs are added over the ranks."""

    def __init__(self, part=0, parts=1):
        super().__init__()
        hidden = 2 * WIDTH // parts
        self.parts = parts
        self.norm, self.up, self.act, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, hidden), nn.GELU(), nn.Linear(hidden, WIDTH, bias=False)
        with torch.no_grad():
            whole = torch.Generator().manual_seed(1)
            up, bias, down = (torch.randn(*shape, generator=whole) / 4 for shape in ((2 * WIDTH, WIDTH), (2 * WIDTH,), (WIDTH, 2 * WIDTH)))
            self.up.weight.copy_(up[part * hidden :][:hidden])
            self.up.bias.copy_(bias[part * hidden :][:hidden])
            self.down.weight.copy_(down[:, part * hidden :][:, :hidden])

    def forward(self, x):
        y = self.down(self.act(self.up(self.norm(x))))
        if self.parts > 1:
            y = y.contiguous()
            dist.all_reduce(y)
        return x + y


def batch():
    return torch.randn(ROWS, WIDTH, generator=torch.Generator().manual_seed(3))


def model_of(kind, rank):
    name = kind.removeprefix("whole-")
    if name in merge_models.MODELS:
        return merge_models.MODELS[name](*((rank, RANKS) if name == kind else (0, 1)))
    if kind == "tensor":
        return nn.Sequential(*(Block(rank, RANKS) for _ in range(2)))
    model = nn.Sequential(*(Block() for _ in range(2)))
    if kind == "dtensor":
        from torch.distributed.tensor import Replicate, Shard
        from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

        mesh = dist.device_mesh.init_device_mesh("cpu", (RANKS,), mesh_dim_names=("tp",))
        plan = {"up": ColwiseParallel(output_layouts=Shard(-1), use_local_output=False), "down": RowwiseParallel(output_layouts=Replicate())}
        for block in model:
            parallelize_module(block, mesh, plan)
    return model


def step(kind, rank, folder, wrong=None, how=None, at=0):
    model = model_of(kind, rank)
    hook = None
    if wrong:
        hook = model.get_submodule(wrong).register_forward_hook(lambda module, args, y: wrong_kernels.damaged(y.detach(), how, at) and None)
    x = batch()
    if kind == "data":
        x = x.chunk(RANKS)[rank]
    with PrecisionDebugger(dump_path=str(folder), model=model):
        if kind.endswith("data"):
            model(x).square().mean().backward()
            if kind == "data":
                for parameter in model.parameters():  # as DistributedDataParallel does
                    dist.all_reduce(parameter.grad)
                    parameter.grad /= RANKS
        else:
            with torch.no_grad():
                model(x)
    if hook:
        hook.remove()


def main(kind, rank, port, folder, faults):
    rank, folder = int(rank), pathlib.Path(folder)
    torch.set_num_threads(1)
    if kind.startswith("whole"):
        step(kind, 0, folder / "bench")
        return
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK=str(rank), WORLD_SIZE=str(RANKS))
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    step(kind, rank, folder / "clean")
    leaves = merge_models.leaves(kind) or [f"{block}.{leaf}" for block in range(2) for leaf in ("norm", "up", "act", "down")]
    for i in range(int(faults)):
        draw = random.Random(f"{kind} merged {i}")
        module, guilty, how = draw.choice(leaves), draw.randrange(RANKS), draw.choice(["one element", "one column", "one row", "whole tensor off", "one NaN"])
        step(kind, rank, folder / f"fault{i}", module if guilty == rank else None, how, 5 * i)
        if guilty == rank:
            (folder / f"fault{i}" / "expected.txt").write_text(f"{rank} {module} {how}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
