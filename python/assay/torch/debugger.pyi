from collections.abc import Iterable
from os import PathLike
from typing import Literal

import torch

class PrecisionDebugger:
    ranks: frozenset[int]
    steps: frozenset[int]
    model: torch.nn.Module | None
    dump_torch_api: bool
    def __init__(
        self,
        dump_path: str | PathLike[str],
        hook_name: Literal["dump"] = "dump",
        rank: int | Iterable[int] | None = None,
        step: int | Iterable[int] | None = None,
        model: torch.nn.Module | None = None,
        dump_torch_api: bool = False,
    ) -> None: ...
    def __enter__(self) -> PrecisionDebugger: ...
    def __exit__(self, *_: object) -> Literal[False]: ...
    def start(self, model: torch.nn.Module | None = None) -> None: ...
    def step(self) -> None: ...
    def stop(self) -> None: ...
