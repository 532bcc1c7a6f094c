from collections.abc import Callable, Mapping
from typing import Any

from . import _Framework, _Reference

class AuditReport:
    facts: dict[str, Any]
    rows: list[dict[str, Any]]
    accepted: list[str]
    rejected: list[str]
    smallest_seen: Any
    separating: Any
    summary: str
    def __init__(self, facts: dict[str, Any], table: str) -> None: ...
    @property
    def ok(self) -> bool: ...
    def __bool__(self) -> bool: ...
    def to_json(self) -> str: ...

def audit(
    accepts: Callable[[Any, Any], Any] | str,
    reference: _Reference,
    *inputs: Any,
    fill: str = "normal",
    seed: int = 1,
    keywords: Mapping[str, Any] | None = None,
    framework: _Framework | None = None,
    entry: str = "",
    max_seconds: float = 0.0,
) -> AuditReport: ...
def accepted(accepts: Callable[..., Any], *values: Any, **keywords: Any) -> bool: ...
