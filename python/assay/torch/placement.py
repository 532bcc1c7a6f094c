"""Which rank this process is: torch.distributed where it runs, else the environment of torchrun and mpirun, else 0."""
import os

import torch


def ranks():
    """(global rank, local rank)."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        world = distributed.get_rank()
    else:
        world = _environment("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
    return world, _environment("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK")


def _environment(*names):
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0
