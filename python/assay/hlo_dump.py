"""XLA's text to StableHLO, for `assay passes`: `python -m assay.hlo_dump FOLDER` makes of every N.hlo an N.mlir, or an N.error
that says why not. jaxlib converts; what it leaves in its own dialect is rewritten here: the body of an mhlo.fusion takes its place,
an mhlo.copy is its operand, an mhlo.bitcast is a transposition of what the layouts say, a reshape, and a transposition back."""

import pathlib
import sys


def converted(text):
    """The module as text. Raises what jaxlib raises."""
    from jaxlib import xla_client
    from jaxlib._jax import mlir as converter
    from jaxlib.mlir import ir

    if "constant({...})" in text:  # XLA's parser would make numbers up
        raise ValueError("its large constants are left out; dump with XLA_FLAGS=--xla_dump_large_constants=true as well")
    module = xla_client.hlo.hlo_module_from_text(text)
    stablehlo = converter.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    with context(), ir.Location.unknown():
        program = ir.Module.parse(stablehlo)
        while lower_block(program.body):
            pass
        for name in [a.name if hasattr(a, "name") else a for a in program.operation.attributes]:
            if name.startswith("mhlo."):
                del program.operation.attributes[name]
        return str(program)


def context():
    """A context that knows what the converter writes."""
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import mhlo, stablehlo

    made, registry = ir.Context(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    made.append_dialect_registry(registry)
    made.load_all_available_dialects()
    made.allow_unregistered_dialects = True
    mhlo.register_mhlo_dialect(made)
    stablehlo.register_dialect(made)
    return made


def lower_block(block):
    """Rewrites the first foreign operation below a block; False: there is none."""
    for op in block.operations:
        name = op.operation.name
        if name == "mhlo.fusion":
            open_fusion(op.operation)
            return True
        if name == "mhlo.copy":  # between layouts
            op.operation.results[0].replace_all_uses_with(op.operation.operands[0])
            op.operation.erase()
            return True
        if name == "mhlo.bitcast":
            lower_bitcast(op.operation)
            return True
        for region in op.operation.regions:
            for inner in region.blocks:
                if lower_block(inner):
                    return True
    return False


def open_fusion(fusion):
    """The body of a fusion in the place of it."""
    block = fusion.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, fusion.operands):
        argument.replace_all_uses_with(operand)
    *body, end = list(block.operations)
    for op in body:
        op.operation.move_before(fusion)
    for result, value in zip(fusion.results, list(end.operands)):
        result.replace_all_uses_with(value)
    end.operation.erase()
    fusion.erase()


def lower_bitcast(op):
    """The same bytes in other dimensions: layouts are minor to major."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    value, result = op.operands[0], op.results[0]
    source, target = layout(op, "source_layout", value), layout(op, "result_layout", result)
    with ir.InsertionPoint(op):
        value = transposed(value, source[::-1])
        sizes = [ir.RankedTensorType(result.type).shape[d] for d in target[::-1]]
        element = ir.RankedTensorType(result.type).element_type
        if ir.RankedTensorType(value.type).element_type != element:
            raise ValueError("a bitcast to another element type")
        value = stablehlo.reshape(ir.RankedTensorType.get(sizes, element), value)
        order = target[::-1]
        value = transposed(value, [order.index(d) for d in range(len(order))])
    result.replace_all_uses_with(value)
    op.erase()


def layout(op, name, value):
    """Dimensions from minor to major."""
    from jaxlib.mlir import ir

    rank = ir.RankedTensorType(value.type).rank
    if name not in op.attributes:
        return list(range(rank))[::-1]
    return [int(d) for d in ir.DenseIntElementsAttr(op.attributes[name])]


def transposed(value, order):
    """Dimension i of the result is order[i] of the value; the value where nothing moves."""
    from jaxlib.mlir.dialects import stablehlo

    return value if order == list(range(len(order))) else stablehlo.transpose(value, order)


def main(folder):
    try:
        import jaxlib  # noqa: F401
    except ImportError:
        sys.exit("this Python has no jaxlib")
    for path in sorted(pathlib.Path(folder).glob("*.hlo")):
        try:
            path.with_suffix(".mlir").write_text(converted(path.read_text()))
        except Exception as error:  # whatever jaxlib raises belongs to this file alone
            first = str(error).strip().splitlines()
            path.with_suffix(".error").write_text(first[0] if first else type(error).__name__)


if __name__ == "__main__":
    main(sys.argv[1])
