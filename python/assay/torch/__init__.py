"""PyTorch: `from assay.torch import PrecisionDebugger, begin_dump, end_dump` records; `assay.torch.export` makes programs of models, and
`torch.compile(model, backend="assay")` runs them."""
from .debugger import PrecisionDebugger
from .operators import begin_dump, end_dump

# Imported when first needed: torch.export and the compiler take seconds.
_LAZY = {"export": "exporting", "NoProgram": "aten_program", "compiled_graphs": "compiling", "WrongOperator": "watching", "end_records": "watching"}

__all__ = ["PrecisionDebugger", "begin_dump", "end_dump", *_LAZY]


def __getattr__(name):
    import importlib

    if name in _LAZY:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module 'assay.torch' has no attribute '{name}'")
