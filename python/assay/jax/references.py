"""References of foreign functions. A handler of XLA's FFI and a Python function that a program calls have no expected result;
a function of JAX gives them one: ASSAY_CHECK judges the call against it, with the bound that is derived for its operations.

The function is lowered together with the call, for the call's types, and is stored in the program as the attribute `assay.reference`.
"""
import inspect

_references = {}


def reference(target, function):
    """States that the foreign function `target` should compute the same as `function`, a function of JAX.

    `target` is the name of an FFI target or the Python function that jax.pure_callback gets; `function` takes the same arguments (and an FFI
    call's attributes as keywords). Call this before the programs that call `target` are compiled.
    """
    if not callable(function):
        raise TypeError(f"assay.jax.reference: expected a function of JAX, got {type(function).__name__}")
    if not (isinstance(target, str) or callable(target)):
        raise TypeError(f"assay.jax.reference: expected the name of an FFI target or a Python function, got {type(target).__name__}")
    _references[target] = function


def _text(name, function, avals_in, avals_out):
    """The function as a program for operands of these types."""
    import jax

    from .callbacks import no_mesh

    types = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals_in]
    with no_mesh():
        lowered = jax.jit(lambda *values: jax.tree.leaves(function(*values)), keep_unused=True).trace(*types).lower(lowering_platforms=("cpu",))
    made = [(result.shape, result.dtype) for result in jax.tree.leaves(lowered.out_info)]
    if made != [(aval.shape, aval.dtype) for aval in avals_out]:
        words = [" and ".join(f"{dtype}{list(shape)}" for shape, dtype in each) for each in (made, [(aval.shape, aval.dtype) for aval in avals_out])]
        raise TypeError(f"assay.jax.reference of {name}: it gives {words[0]}, the call {words[1]}")
    return lowered.as_text()


def _attach(op, name, function, avals_in, avals_out):
    from jaxlib.mlir import ir

    op.operation.attributes["assay.reference"] = ir.StringAttr.get(_text(name, function, avals_in, avals_out))


def attach_python(op, callback, avals_in, avals_out):
    """Notes the Python function of a JAX call, and its reference if it has one."""
    from jaxlib.mlir import ir

    flat = inspect.getclosurevars(callback).nonlocals.get("callback") if inspect.isfunction(callback) else None
    called = getattr(flat, "callback_func", None)
    if called is None:
        return
    name = getattr(called, "__qualname__", repr(called))
    op.operation.attributes["assay.function"] = ir.StringAttr.get(name)
    try:
        function = _references.get(called)
    except TypeError:  # it cannot be hashed
        return
    if function is None:
        return

    def flattened(*values):
        import jax

        words, keywords = jax.tree.unflatten(flat.in_tree, values)
        return function(*words, **keywords)

    _attach(op, name, flattened, avals_in, avals_out)


def register():
    """Adds references to calls of FFI targets when they are lowered."""
    from jax._src import ffi

    build = ffi.build_ffi_lowering_function

    def building(target, **options):
        lower = build(target, **options)

        def lowering(ctx, *operands, **attributes):
            op = lower(ctx, *operands, **attributes)
            if (function := _references.get(target)) and list(ctx.module_context.platforms) == ["assay"]:
                _attach(op, target, lambda *values: function(*values, **attributes), ctx.avals_in, ctx.avals_out)
            return op

        return lowering

    ffi.build_ffi_lowering_function = building
