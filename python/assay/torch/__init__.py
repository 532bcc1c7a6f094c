"""Recording from PyTorch: `from assay.torch import PrecisionDebugger, begin_dump, end_dump`."""
from .debugger import PrecisionDebugger
from .operators import begin_dump, end_dump

__all__ = ["PrecisionDebugger", "begin_dump", "end_dump"]
