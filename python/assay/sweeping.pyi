from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .elements import Element

LAYOUTS: tuple[str, ...]
_Test = TypeVar("_Test", bound=Callable[..., Any])

def sweep(
    *,
    full: bool = False,
    layouts: bool | Sequence[str] = (),
    types: Sequence[str | Element] = (),
    **sizes: int | Sequence[int],
) -> Callable[[_Test], _Test]: ...
def edges(name: str, value: int | Sequence[int]) -> tuple[int, ...]: ...
def star(axes: dict[str, tuple[Any, ...]]) -> list[tuple[Any, ...]]: ...
def next_prime(number: int) -> int: ...
