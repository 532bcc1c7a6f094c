"""Which rank this process is, and of how many: torch.distributed if it runs, else the environment of torchrun and mpirun,
else 0 of 1. Also the part of a distributed tensor that it has."""
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
    """How many ranks there are; None if only this process's rank is known."""
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


def placement(tensor):
    """The placement of a DTensor, axis by axis of its mesh: "dp 0/2: shard 0; tp 1/2: replicate". `assay merge` reads it."""
    mesh = tensor.device_mesh
    coordinates, names = mesh.get_coordinate(), mesh.mesh_dim_names
    if coordinates is None:  # this rank is not in the mesh
        return ""
    places = []
    for axis, kind in enumerate(tensor.placements):
        name = names[axis] if names else f"mesh{axis}"
        places.append(f"{name} {coordinates[axis]}/{mesh.size(axis)}: {_kind(kind)}")
    return "; ".join(places)


def _kind(kind):
    """One placement as text; an unknown one as PyTorch prints it."""
    exact = type(kind).__name__  # subclasses have other meanings
    if exact == "Replicate":
        return "replicate"
    if exact == "Shard":
        return f"shard {kind.dim}"
    if exact == "_StridedShard":
        return f"shard {kind.dim} cut last"
    reduced = {"sum": "sum", "avg": "mean", "max": "max", "min": "min"}.get(getattr(kind, "reduce_op", None))
    return reduced if exact == "Partial" and reduced else str(kind).replace(";", ",").replace(":", " ")
