"""Random calls of every row of src/assay/trace/aten/Ops.def: DRAWS has a function per row that draws its arguments over their range."""
from . import elementwise, moving, neural, placing, reducing

DRAWS = {**elementwise.DRAWS, **moving.DRAWS, **placing.DRAWS, **reducing.DRAWS, **neural.DRAWS}
