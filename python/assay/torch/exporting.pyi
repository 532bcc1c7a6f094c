from collections.abc import Mapping
from os import PathLike
from typing import Any

import torch

class Exported:
    parameters: dict[str, torch.Tensor]
    @property
    def text(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    def __call__(self, *args: Any, **keywords: Any) -> Any: ...
    def save(self, path: str | PathLike[str], *inputs: Any) -> None: ...

def export(
    model: torch.nn.Module | torch.export.ExportedProgram | str | PathLike[str],
    *args: Any,
    keywords: Mapping[str, Any] | None = None,
    engine: str = "native",
    threads: int = 0,
) -> Exported: ...
def load(path: str | PathLike[str], engine: str = "reference", threads: int = 0) -> Exported: ...
