from os import PathLike
from typing import Any, Callable, Mapping

_Type = tuple[str, tuple[int, ...]]

class LoadedProgram:
    inputs: list[_Type]
    outputs: list[_Type]
    def __init__(
        self, source: str | PathLike[str], entry: str = "", engine: str = "reference", threads: int = 0, max_memory: int = 0,
        custom_calls: Mapping[str, Callable[..., Any]] | None = None, alg: str = "direct", fold: str = "auto",
    ) -> None: ...
    def __call__(self, *values: Any) -> Any: ...

def load(
    program: str | PathLike[str], *, entry: str = "", engine: str = "reference", threads: int = 0, max_memory: int = 0,
    custom_calls: Mapping[str, Callable[..., Any]] | None = None, alg: str = "direct", fold: str = "auto",
) -> LoadedProgram: ...
def run(program: str | PathLike[str], *values: Any, **options: Any) -> Any: ...
