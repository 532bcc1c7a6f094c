from typing import Any

from .aten_program import NoProgram as NoProgram
from .compiling import compiled_graphs as compiled_graphs
from .debugger import PrecisionDebugger as PrecisionDebugger
from .exporting import Exported as Exported, export as export
from .operators import begin_dump as begin_dump, end_dump as end_dump
from .watching import WrongOperator as WrongOperator, end_records as end_records

__all__ = ["PrecisionDebugger", "begin_dump", "end_dump", "export", "NoProgram", "compiled_graphs", "WrongOperator", "end_records"]
