from collections.abc import Mapping
from os import PathLike
from typing import Any

KEYS: tuple[str, ...]

class Predictor:
    model_dir: str
    def __init__(self, model_dir: str | PathLike[str]) -> None: ...
    def rank_kernels(self, problem: Mapping[str, Any], top_k: int = 10) -> list[dict[str, Any]]: ...
    def select_best(self, problem: Mapping[str, Any]) -> str: ...
