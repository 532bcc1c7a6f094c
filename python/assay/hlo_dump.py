"""XLA's text to StableHLO, for `assay passes`: `python -m assay.hlo_dump FOLDER` writes an N.mlir for every N.hlo, or an N.error
with the reason. jaxlib converts; operations that it leaves in mhlo are rewritten here: an mhlo.fusion is replaced by its body, an
mhlo.copy by its operand, an mhlo.bitcast by a transpose according to the layouts, a reshape, and a transpose back (with a
bitcast_convert to another type of the same width). A custom call that returns a tuple gets one result per member, as frameworks write
it; XLA's TopK becomes chlo.top_k, and functions that StableHLO lacks become CHLO's."""

import pathlib
import re
import sys

# XLA's parser reads (nan, x) as (nan, nan): so a marker number stands for the NaN until the program is printed.
_MARKS = {"c64": (2.0**-100, r"7\.88860905\d*E-31", "0x7FC00000"), "c128": (2.0**-200, r"6\.2230152778\d*E-61", "0x7FF8000000000000")}
# Operations of mhlo that CHLO has and StableHLO lacks.
_IN_CHLO = ("erf", "acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh")


def converted(text):
    """The module as text. Raises jaxlib's exceptions."""
    from jaxlib import xla_client
    from jaxlib._jax import mlir as converter
    from jaxlib.mlir import ir

    if "constant({...})" in text:  # XLA's parser would invent numbers
        raise ValueError("its large constants are left out; dump with XLA_FLAGS=--xla_dump_large_constants=true as well")
    marked = with_marks(text)
    module = xla_client.hlo.hlo_module_from_text(marked)
    stablehlo = converter.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    with context(), ir.Location.unknown():
        program = ir.Module.parse(stablehlo)
        while lower_block(program.body):
            pass
        for name in [a.name if hasattr(a, "name") else a for a in program.operation.attributes]:
            if name.startswith("mhlo."):
                del program.operation.attributes[name]
        return without_marks(str(program), text, marked)


def with_marks(text):
    """The text with a number for each NaN that is the real part of a constant."""
    for name, (mark, _, _) in _MARKS.items():
        text = re.sub(rf"^.*= {name}\[.*constant\(.*\(nan, .*$", lambda line: line[0].replace("(nan, ", f"({mark!r}, "), text, flags=re.M)
    return text


def without_marks(program, text, marked):
    """The program with its NaNs restored. `text`: the text before with_marks(), `marked`: the text after it."""
    for mark, printed, nan in _MARKS.values():
        if f"({mark!r}, " in text or ((count := marked.count(f"({mark!r}, ")) and not re.search(rf"\({printed},", program)):
            raise ValueError(f"{count} NaNs of complex constants are lost by XLA's parser")
        program = re.sub(rf"\({printed},", f"({nan},", program)
    return program


def context():
    """A context with the dialects that the converter writes."""
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, mhlo, stablehlo

    made, registry = ir.Context(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    made.append_dialect_registry(registry)
    made.load_all_available_dialects()
    made.allow_unregistered_dialects = True
    mhlo.register_mhlo_dialect(made)
    stablehlo.register_dialect(made)
    chlo.register_dialect(made)
    return made


def lower_block(block):
    """Rewrites the first foreign operation below a block; False: there is none."""
    for op in block.operations:
        name = op.operation.name
        if name == "mhlo.fusion":
            inline_fusion(op.operation)
            return True
        if name == "mhlo.copy":  # between layouts
            op.operation.results[0].replace_all_uses_with(op.operation.operands[0])
            op.operation.erase()
            return True
        if name == "mhlo.bitcast":
            lower_bitcast(op.operation)
            return True
        if name == "stablehlo.custom_call" and str(op.operation.results[0].type).startswith("tuple<"):
            split_results(op.operation)
            return True
        if name.removeprefix("mhlo.") in (*_IN_CHLO, "topk", "tan") and name.startswith("mhlo."):
            in_chlo(op.operation)
            return True
        for region in op.operation.regions:
            for inner in region.blocks:
                if lower_block(inner):
                    return True
    return False


def inline_fusion(fusion):
    """Replaces a fusion by its body."""
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
        if (of := ir.RankedTensorType(value.type)).element_type != element:
            if width(of.element_type) != width(element):
                raise ValueError("StableHLO has no bitcast to an element type of another width")
            value = stablehlo.bitcast_convert(ir.RankedTensorType.get(of.shape, element), value)
        value = stablehlo.reshape(ir.RankedTensorType.get(sizes, element), value)
        order = target[::-1]
        value = transposed(value, [order.index(d) for d in range(len(order))])
    result.replace_all_uses_with(value)
    op.erase()


def width(element):
    """Bits of an element; for a type without a width, its name."""
    from jaxlib.mlir import ir

    return getattr(element, "width", None) or (ir.ComplexType(element).element_type.width * 2 if str(element).startswith("complex") else str(element))


def in_chlo(op):
    """Replaces an operation of mhlo by the same one of CHLO or StableHLO."""
    from jaxlib.mlir import ir

    name = op.name.removeprefix("mhlo.")
    with ir.InsertionPoint(op):
        if name == "topk":
            if "largest" in op.attributes and not ir.BoolAttr(op.attributes["largest"]).value:
                raise ValueError("StableHLO and CHLO have no top-k of the smallest elements")
            from jaxlib.mlir.dialects import chlo

            made = chlo.TopKOp(op.operands[0], ir.IntegerAttr(op.attributes["k"]).value).operation
        else:
            dialect = "chlo" if name in _IN_CHLO else "stablehlo"
            made = ir.Operation.create(f"{dialect}.{name}", results=[r.type for r in op.results], operands=list(op.operands))
    for old, new in zip(op.results, made.results):
        old.replace_all_uses_with(new)
    op.erase()


def split_results(call):
    """Splits the tuple that a custom call returns: one result per member."""
    from jaxlib.mlir import ir

    tuple_type = ir.TupleType(call.results[0].type)
    types = [tuple_type.get_type(i) for i in range(tuple_type.num_types)]
    with ir.InsertionPoint(call):
        if ir.StringAttr(call.attributes["call_target_name"]).value == "TopK" and is_greater(call):
            from jaxlib.mlir.dialects import chlo

            made = chlo.TopKOp(call.operands[0], ir.RankedTensorType(types[0]).shape[-1]).operation
        else:
            attributes = {name: call.attributes[name] for name in [a if isinstance(a, str) else a.name for a in call.attributes]}
            made = ir.Operation.create("stablehlo.custom_call", results=types, operands=list(call.operands), attributes=attributes)
        whole = ir.Operation.create("stablehlo.tuple", results=[tuple_type], operands=list(made.results))
    for use in list(call.results[0].uses):
        user = use.owner.operation
        if user.name == "stablehlo.get_tuple_element":
            user.results[0].replace_all_uses_with(made.results[ir.IntegerAttr(user.attributes["index"]).value])
            user.erase()
    call.results[0].replace_all_uses_with(whole.results[0])
    call.erase()
    if not list(whole.results[0].uses):
        whole.erase()


def is_greater(call):
    """Whether a TopK puts the larger elements first."""
    from jaxlib.mlir import ir

    name = ir.FlatSymbolRefAttr(ir.ArrayAttr(call.attributes["called_computations"])[0]).value
    top = call
    while top.parent is not None:
        top = top.parent.operation
    functions = [op for op in top.regions[0].blocks[0].operations if ir.StringAttr(op.operation.attributes["sym_name"]).value == name]
    return len(functions) == 1 and "compare GT" in " ".join(str(functions[0]).replace(",", " ").split())


def layout(op, name, value):
    """Dimensions from minor to major."""
    from jaxlib.mlir import ir

    rank = ir.RankedTensorType(value.type).rank
    if name not in op.attributes:
        return list(range(rank))[::-1]
    return [int(d) for d in ir.DenseIntElementsAttr(op.attributes[name])]


def transposed(value, order):
    """Dimension i of the result is order[i] of the value; the value itself if no dimension moves."""
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
        except Exception as error:  # an error of jaxlib concerns only this file
            first = str(error).strip().splitlines()
            path.with_suffix(".error").write_text(first[0] if first else type(error).__name__)


if __name__ == "__main__":
    main(sys.argv[1])
