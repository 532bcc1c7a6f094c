from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, Literal

import torch

from .triggers import Trigger

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
        *,
        filter: str | Iterable[str] | Callable[[str, torch.nn.Module], bool] | None = None,
        triggers: str | Trigger | Iterable[str | Trigger] | None = None,
        keep_last: int = 0,
        after: int | None = None,
        ring_bytes: int = ...,
    ) -> None: ...
    def __enter__(self) -> PrecisionDebugger: ...
    def __exit__(self, *_: object) -> Literal[False]: ...
    def start(self, model: torch.nn.Module | None = None) -> None: ...
    def step(self) -> None: ...
    def stop(self) -> None: ...
    def backend(self, inner: str | Callable[..., Any] = "inductor") -> Callable[..., Any]: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def observe(self, **values: float | torch.Tensor) -> None: ...
    def fire(self, why: str = ...) -> None: ...
