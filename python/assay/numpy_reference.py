"""NumPy references that cannot become a program (they write into arrays, or branch on values): NumPy itself runs them in f64.

The types of the results are those of an ordinary run. A result has a value in f64 but no bound.
"""
import numpy

from . import arrays
from .elements import numpy_dtype, placed
from .reference import Reference


def make(function, specs, arguments, keywords, why):
    def call(tensors):
        from .kernel_host import flat

        with numpy.errstate(all="ignore"):
            return [numpy.asarray(one) for one in flat(function(*placed(arguments, tensors), **keywords))]

    results = call([numpy.ones(spec.shape, numpy_dtype(spec.dtype)) for spec in specs])
    outputs = [(arrays.dtype_of(one), one.shape) for one in results]
    if not outputs:
        raise ValueError("it returned nothing")

    def compute(data):
        """(bytes of the result's type, f64 or None) of each result."""
        given = [numpy.array(values).view(numpy_dtype(spec.dtype)).reshape(spec.shape) for spec, values in zip(specs, data)]
        made = call([_wide(one) for one in given])
        shapes = [one.shape for one in made]
        if shapes != [shape for _, shape in outputs]:
            raise ValueError(f"the reference returned the shapes {shapes} on this data and {[shape for _, shape in outputs]} on ones: they must not depend on values")
        with numpy.errstate(all="ignore"):
            return [(arrays.host_bytes(one.astype(numpy_dtype(dtype))), _exact(one, dtype)) for one, (dtype, _) in zip(made, outputs)]

    weaker = f"{why}: NumPy computed it in f64, judged by rule dtype, which is weaker than a derived bound"
    return Reference(None, list(range(len(specs))), "NumPy in f64", weaker, compute, outputs)


def _wide(array):
    """Floats as f64, complex numbers as complex128; copies, as a reference may write into its arguments."""
    if array.dtype.kind == "c":
        return array.astype(numpy.complex128)
    return array.astype(numpy.float64) if arrays.dtype_of(array).startswith(("float", "bfloat")) else array.copy()


def _exact(array, dtype):
    if dtype.startswith("complex"):
        return arrays.host_bytes(array.astype(numpy.complex128))
    return arrays.host_bytes(array.astype(numpy.float64)) if dtype.startswith(("float", "bfloat")) else None
