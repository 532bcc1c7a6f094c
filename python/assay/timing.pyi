from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _Framework, _Reference

class Ratio:
    median: float
    low: float
    high: float
    pairs: int
    def __init__(self, pairs: Sequence[float]) -> None: ...
    @property
    def is_noisy(self) -> bool: ...

class TimingReport:
    names: list[str]
    samples: dict[str, list[float]]
    findings: dict[str, str]
    judged: dict[str, int]
    def __init__(self, names: list[str]) -> None: ...
    @property
    def ok(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def seconds(self) -> dict[str, float]: ...
    @property
    def ratios(self) -> dict[str, Ratio]: ...
    def find(self, name: str, text: str) -> None: ...
    def to_json(self) -> str: ...

def time(
    kernels: Callable[..., Any] | Mapping[str, Callable[..., Any]],
    *inputs: Any,
    reference: _Reference,
    pairs: int = 30,
    max_pairs: int = 100,
    seed: int = 1,
    timeout: float = 60.0,
    keywords: Mapping[str, Any] | None = None,
    framework: _Framework | None = None,
    device: str | None = None,
    rule: str = "bound",
) -> TimingReport: ...
