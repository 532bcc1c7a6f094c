from .debugger import PrecisionDebugger as PrecisionDebugger
from .operators import begin_dump as begin_dump, end_dump as end_dump

__all__ = ["PrecisionDebugger", "begin_dump", "end_dump"]
