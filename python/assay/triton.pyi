from collections.abc import Callable
from typing import Any

from .elements import Spec

def function(launch: Callable[..., Any], *outputs: Spec) -> Callable[..., Any]: ...
