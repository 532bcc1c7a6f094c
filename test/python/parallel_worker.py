"""Run by test_record_forms.py in two processes under gloo: two training steps of a model, plain and recorded.

usage: python parallel_worker.py ddp|fsdp1|fsdp2 RANK PORT FOLDER
"""
import json
import os
import pathlib
import sys

import torch
import torch.distributed as dist
from torch import nn

from assay.torch import PrecisionDebugger


def wrapped(kind):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    if kind == "ddp":
        return nn.parallel.DistributedDataParallel(model)
    if kind == "fsdp1":
        from torch.distributed.fsdp import FullyShardedDataParallel

        return FullyShardedDataParallel(model, use_orig_params=True, device_id=torch.device("cpu"))
    from torch.distributed.fsdp import fully_shard

    mesh = dist.device_mesh.init_device_mesh("cpu", (2,), mesh_dim_names=("dp",))
    for layer in (model[0], model[2], model):
        fully_shard(layer, mesh=mesh)
    return model


def train(model, rank, folder=None, **options):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(3)).chunk(2)[rank]
    debugger = PrecisionDebugger(str(folder), model=model, **options) if folder else None
    if debugger:
        debugger.start()
    losses = []
    for _ in range(2):
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item().hex())
        if debugger:
            debugger.step()
    if debugger:
        debugger.stop()
    return losses


def main(kind, rank, port, folder):
    rank, folder = int(rank), pathlib.Path(folder)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK=str(rank), WORLD_SIZE="2")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    losses = [train(wrapped(kind), rank), train(wrapped(kind), rank, folder / "modules"), train(wrapped(kind), rank, folder / "operators", dump_torch_api=True)]
    (folder / f"losses{rank}.json").write_text(json.dumps(losses))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
