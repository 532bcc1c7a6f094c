"""Which rank this process is, and of how many: torch.distributed where it runs, else the environment of torchrun and mpirun,
else 0 of 1."""
import os

import torch

_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")


def ranks():
    """(global rank, local rank)."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        world = distributed.get_rank()
    else:
        world = _environment(*_RANKS)
    return world, _environment("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK")


def world_size():
    """How many ranks there are; None when only this process's rank is known."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size()
    size = _environment("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
    if size == 0 and any(name in os.environ for name in _RANKS):
        return None
    return max(size, 1)


def _environment(*names):
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0
