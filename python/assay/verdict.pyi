from typing import Any

from .elements import Spec

POINTS: int

class CheckFailed(AssertionError):
    verdict: Verdict
    def __init__(self, verdict: Verdict) -> None: ...

class Output:
    name: str
    spec: Spec
    data: str
    status: str
    measure: str
    pattern: str
    elements: int
    failures: int
    undecided: int
    worst_fraction: float
    worst: list[dict[str, Any]]
    def __init__(self, spec: Spec, data: str, found: dict[str, Any]) -> None: ...
    def to_json(self) -> dict[str, Any]: ...

class Verdict:
    name: str
    judge: str
    status: str
    reason: str
    pattern: str
    outputs: list[Output]
    notes: list[str]
    printed: str
    seconds: dict[str, float]
    def __init__(self, name: str, judge: str) -> None: ...
    @property
    def ok(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def worst(self) -> list[dict[str, Any]]: ...
    def raise_for_status(self) -> Verdict: ...
    @property
    def repro(self) -> str: ...
    def to_json(self) -> str: ...
