from collections.abc import Mapping
from typing import Any

from . import _Reference

class Equivalence:
    facts: dict[str, Any]
    verdict: str
    line: str
    def __init__(self, facts: dict[str, Any]) -> None: ...
    @property
    def ok(self) -> bool: ...
    def __bool__(self) -> bool: ...
    def raise_for_status(self) -> None: ...

def equiv(
    f: _Reference,
    g: _Reference,
    *inputs: Any,
    draws: int = 2,
    laws: str = "",
    precision_may_change: bool = False,
    seed: int = 0,
    keywords: Mapping[str, Any] | None = None,
    max_seconds: float = 0.0,
) -> Equivalence: ...
