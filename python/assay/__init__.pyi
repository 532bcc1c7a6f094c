from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from .auditing import audit as audit
from .equivalence import equiv as equiv
from .elements import Element, Spec as Spec
from .running import load as load, run as run
from .sweeping import sweep as sweep
from .timing import time as time
from .verdict import CheckFailed as CheckFailed, Verdict as Verdict

__version__: str

_Reference = Callable[..., Any] | str | PathLike[str]
_Framework = Literal["numpy", "torch", "jax"]

def check(
    kernel: Callable[..., Any] | None,
    reference: _Reference | None,
    *inputs: Any,
    engine: str | None = None,
    rule: str = "bound",
    fill: str | Sequence[str] = ("exact", "normal", "range", "special"),
    properties: str | Sequence[str] = (),
    timeout: float = 60.0,
    seed: int = 1,
    keywords: Mapping[str, Any] | None = None,
    framework: _Framework | None = None,
    device: str | None = None,
    into: bool = False,
    alias: bool = False,
    deterministic: bool = True,
    layout: Literal["contiguous", "transposed", "sliced", "misaligned"] = "contiguous",
    batched: Sequence[int] = (0,),
    threads: int = 0,
    max_seconds: float = 0.0,
    entry: str = "",
    name: str | None = None,
    exact_division: bool = False,
    algorithm: str | None = None,
    special: bool | Sequence[str] = True,
    library: bool = False,
    mutates: str | int | Sequence[str | int] | None = None,
) -> Verdict: ...

f64: Element
f32: Element
f16: Element
bf16: Element
f8_e5m2: Element
f8_e4m3: Element
f8_e4m3fnuz: Element
f8_e5m2fnuz: Element
f8_e3m4: Element
f8_e4m3_ieee: Element
f8_e4m3b11fnuz: Element
f6_e2m3: Element
f6_e3m2: Element
f4_e2m1: Element
e8m0: Element
s64: Element
s32: Element
s16: Element
s8: Element
s4: Element
s2: Element
u64: Element
u32: Element
u16: Element
u8: Element
u4: Element
u2: Element
i1: Element
c64: Element
c128: Element
