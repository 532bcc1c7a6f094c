"""Random calls of every row of src/assay/trace/aten/Ops.def: DRAWS has a function per row that draws its arguments over their range."""
from . import complex, elementwise, moving, neural, ordering, placing, reducing

DRAWS = {**elementwise.DRAWS, **moving.DRAWS, **placing.DRAWS, **reducing.DRAWS, **neural.DRAWS, **ordering.DRAWS, **complex.DRAWS}
