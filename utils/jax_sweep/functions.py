"""The functions of JAX that the sweep calls, and their arguments: every public callable of the modules, with the first form of arguments
that JAX itself accepts. There is no hand-written list of functions, except for those that are not a computation."""
import importlib
import inspect

import numpy

MODULES = ("numpy numpy.linalg numpy.fft lax lax.linalg nn nn.initializers scipy.special scipy.linalg scipy.fft scipy.signal scipy.ndimage "
           "scipy.interpolate scipy.integrate scipy.cluster.vq scipy.stats scipy.stats.norm scipy.stats.gamma scipy.stats.beta "
           "scipy.stats.t scipy.stats.poisson scipy.stats.laplace scipy.stats.logistic scipy.stats.expon scipy.stats.uniform "
           "scipy.stats.cauchy scipy.stats.chi2 scipy.stats.pareto scipy.stats.truncnorm scipy.stats.bernoulli scipy.stats.binom "
           "scipy.stats.geom scipy.stats.nbinom scipy.stats.gennorm scipy.stats.multivariate_normal scipy.stats.dirichlet "
           "scipy.stats.wrapcauchy scipy.stats.vonmises scipy.stats.betabinom random").split()
TYPES = ("float32", "float64", "float16", "bfloat16", "int32", "uint8", "complex64")

# Not computations on arrays: types, printing, files, transformations of functions, questions about shapes.
SKIPPED = set("""array_repr array_str array_equal save savez savez_compressed load loads fromfile frombuffer fromiter fromfunction
fromstring frompyfunc vectorize apply_along_axis apply_over_axes piecewise printoptions get_printoptions set_printoptions asarray array
dtype finfo iinfo issubdtype isdtype promote_types result_type can_cast broadcast_shapes shape ndim size iscomplexobj isrealobj isscalar
from_dlpack einsum_path custom_root custom_linear_solve while_loop fori_loop cond switch scan map associative_scan reduce
reduce_window platform_dependent composite infeed outfeed create_token after_all create_opaque_executable optimization_barrier
pcast pvary psum pmean pmax pmin ppermute pshuffle pswapaxes all_gather all_to_all axis_index axis_size psum_scatter
psum_invariant all_gather_invariant reduce_precision_p with_sharding_constraint empty empty_like ndarray generic
key PRNGKey key_data wrap_key_data key_impl default_prng_impl fold_in clone odeint bcoo_dot_general stop_gradient_p""".split())


def callables():
    """(module, name, function) for everything public that may be a computation."""
    for module in MODULES:
        loaded = importlib.import_module(f"jax.{module}")
        for name in sorted(vars(loaded)):
            function = getattr(loaded, name)
            if name.startswith("_") or name.endswith("_p") or name in SKIPPED or not callable(function) or inspect.isclass(function):
                continue
            if module != "numpy" and getattr(function, "__module__", "").startswith("typing"):
                continue
            yield module, name, function


def arrays(dtype, seed):
    """Ordinary data of one type, by shape: without zeros and large numbers."""
    import ml_dtypes

    rng = numpy.random.default_rng(seed)
    numpy_type = getattr(ml_dtypes, dtype) if dtype == "bfloat16" else numpy.dtype(dtype)

    def make(*shape):
        if dtype == "complex64":
            return (rng.uniform(0.1, 0.9, shape) + 1j * rng.uniform(0.1, 0.9, shape)).astype(numpy_type)
        if dtype in ("int32", "uint8"):
            return rng.integers(1, 6, shape).astype(numpy_type)
        return rng.uniform(0.1, 0.9, shape).astype(numpy_type)

    return make


def forms(make):
    """Lists of arguments, the likeliest first. A list of arrays in one of them is a single argument (stack); the others are constants of
    the program."""
    x, y, z, square, vector, cube = make(3, 4), make(3, 4), make(3, 4), make(3, 3), make(4), make(2, 3, 4)
    return (
        ((x,), {}), ((x, y), {}), ((x, y, z), {}), ((vector,), {}), ((vector, vector), {}), ((square,), {}), ((square, square), {}),
        ((square, make(3)), {}), ((x, 1), {}), ((x, (4, 3)), {}), ((x, 2, 1), {}), ((x, 0, 1), {}), ((x, (1, 0)), {}), (([x, y],), {}),
        (([x, y], 0), {}), ((x, y, 2.0), {}), ((x, y, z, x), {}), ((x, numpy.array([0, 1])), {}), ((x, numpy.array([[0], [1], [2]]), 1), {}),
        ((x, [1]), {}), ((cube,), {}), ((cube, cube), {}), ((cube, 0, 1), {}), ((vector, make(3)), {}), ((vector, 2), {}), ((4,), {}),
        ((3, 4), {}), ((0.1, 0.9, 5), {}), ((make(1, 2, 8), make(3, 2, 3), (1,), "VALID"), {}),
        ((make(1, 2, 8, 8), make(3, 2, 3, 3), (1, 1), "SAME"), {}), ((x, (0, 0), (2, 3)), {}), ((x, (0, 0), (2, 3), (1, 1)), {}),
        ((x, (2, 3, 4), (1, 2)), {}), ((x, (3,)), {}), ((x,), {"axis": 0}), ((x, y), {"axis": 0}), ((x, (1,)), {}), ((x, 0.5), {}),
        ((square, make(3), 0), {}), ((x, "float32"), {}), ((x, 0), {}), ((x, x > 0.5 if x.dtype.kind != "c" else x.real > 0.5), {}),
        ((x.real > 0.5, x, y), {}), (("ij,kj->ik", x, y), {}), ((x, 3, 0), {}),
    )  # fmt: skip


def random_forms(make):
    """The same, for functions whose first argument is a key."""
    x, p = make(3, 4), make(3)
    return (((), {}), (((3, 4),), {}), ((x,), {}), ((x, (3, 4)), {}), ((x, x), {}), ((10,), {}), (((3, 4), 0, 10), {}), ((p,), {}),
            ((p, numpy.eye(3, dtype=p.dtype)), {}), ((5, (3,)), {}), ((10, 0.5), {}), ((3, (3, 4)), {}), ((2, p, (2,)), {}),
            ((x, 3), {}), ((0.5, (3, 4)), {}))  # fmt: skip
