"""Cases of control flow, composites, map, and of dynamic operations whose shapes are static.

XLA has no dynamic operations; there the static operation with the same meaning is used.
"""
import numpy as np

from structured_move import broadcast_in_dim, each, iota, pad, reshape, slice_
from structured_programs import ALL, FLOATS, Case, binary, body, call, case, ints, numbers, shapeOf, tensor

LOOP_KINDS = ["i8", "ui16", "i32", "i64", "f16", "bf16", "f32", "f64"]


def constant(name, values, kind="i64"):
    values = [int(v) for v in values]
    text = "[" + ", ".join(map(str, values)) + "]" if values else ""
    return f"{name} = stablehlo.constant dense<{text}> : tensor<{len(values)}x{kind}>\n  "


def attributeOf(text, name):
    """The numbers of `name = array<i64: ...>` in a generic operation's text."""
    inside = text.split(f"{name} = array<i64", 1)[1].split(">", 1)[0].lstrip(":")
    return [int(v) for v in inside.split(",") if v.strip()]


def dynamic(rng, kind, static, op, makeBody):
    """A static case whose attributes become operands for Assay."""
    one = static(rng, kind)
    return Case(one.kinds, one.operands, one.results, makeBody(one, op), peer=one.body)


def dynamicBroadcast(one, op):
    (kind, shape), source = one.results[0], one.operands[0].shape
    return constant("%s", shape) + call(op, [kind, "i64"], [source, (len(shape),)], one.results,
                                        f"broadcast_dimensions = {ints(attributeOf(one.body, 'broadcast_dimensions'))}",
                                        operands=["%a0", "%s"])


def dynamicIota(one, op):
    shape = one.results[0][1]
    dim = one.body.split("iota_dimension = ")[1].split(" ")[0]
    return constant("%s", shape, "i32") + call(op, ["i32"], [(len(shape),)], one.results, f"iota_dimension = {dim} : i64",
                                               operands=["%s"])


def dynamicReshape(one, op):
    (kind, shape), source = one.results[0], one.operands[0].shape
    return constant("%s", shape) + call(op, [kind, "i64"], [source, (len(shape),)], one.results, operands=["%a0", "%s"])


def dynamicLists(one, op, names):
    kind, rank = one.kinds[0], one.operands[0].ndim
    text = "".join(constant(f"%l{i}", attributeOf(one.body, name)) for i, name in enumerate(names))
    shapes = [o.shape for o in one.operands] + [(rank,)] * 3
    return text + call(op, [kind] * len(one.operands) + ["i64"] * 3, shapes, one.results,
                       operands=[f"%a{i}" for i in range(len(one.operands))] + ["%l0", "%l1", "%l2"])


def dynamicPad(one, op):
    return dynamicLists(one, op, ["edge_padding_low", "edge_padding_high", "interior_padding"])


def realSlice(one, op):
    return dynamicLists(one, op, ["start_indices", "limit_indices", "strides"])


def dynamicOf(op, static, makeBody, kinds=("i1", "i32", "bf16", "f64", "complex<f32>")):
    return each(lambda rng, kind: dynamic(rng, kind, static, f"stablehlo.{op}", makeBody), kinds, 3)


def while_(rng, kind):
    """A counter and an accumulator that doubles; sometimes without any iteration."""
    shape, rounds = shapeOf(rng, 0, 2), int(rng.choice([0, 1, 2, 5]))
    t = tensor(kind, shape)
    text = (f'%zero = stablehlo.constant dense<0> : tensor<i32>\n  %r:2 = "stablehlo.while"(%zero, %a0) ({{\n'
            f'  ^bb0(%i: tensor<i32>, %v: {t}):\n    %p = stablehlo.compare LT, %i, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n'
            f'    stablehlo.return %p : tensor<i1>\n  }}, {{\n  ^bb0(%i: tensor<i32>, %v: {t}):\n'
            f'    %one = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %one : tensor<i32>\n'
            f'    %w = stablehlo.add %v, %v : {t}\n    stablehlo.return %j, %w : tensor<i32>, {t}\n'
            f'  }}) : (tensor<i32>, {t}) -> (tensor<i32>, {t})')
    return Case([kind, "i32"], [numbers(rng, kind, shape), np.array(rounds, np.int32)], [("i32", ()), (kind, shape)], text)


def if_(rng, kind):
    shape = shapeOf(rng, 0, 2)
    t = tensor(kind, shape)
    text = (f'%r = "stablehlo.if"(%a0) ({{\n    %t = stablehlo.add %a1, %a2 : {t}\n    stablehlo.return %t : {t}\n  }}, {{\n'
            f'    stablehlo.return %a2 : {t}\n  }}) : (tensor<i1>) -> {t}')
    return Case(["i1", kind, kind], [np.array(rng.random() < 0.5), numbers(rng, kind, shape), numbers(rng, kind, shape)],
                [(kind, shape)], text)


def case_(rng, kind):
    """The index is sometimes outside the range: then the last branch is taken."""
    shape, branches = shapeOf(rng, 0, 2), int(rng.integers(1, 4))
    t = tensor(kind, shape)
    regions = []
    for b in range(branches):
        sums = "".join(f"%v{i + 1} = stablehlo.add %{'a1' if i == 0 else f'v{i}'}, %a1 : {t}\n    " for i in range(b + 1))
        regions.append(f"{{\n    {sums}stablehlo.return %v{b + 1} : {t}\n  }}")
    text = f'%r = "stablehlo.case"(%a0) ({", ".join(regions)}) : (tensor<i32>) -> {t}'
    return Case(["i32", kind], [np.array(rng.integers(-2, branches + 2), np.int32), numbers(rng, kind, shape)],
                [(kind, shape)], text)


def composite(rng, kind):
    shape = shapeOf(rng, 0, 3)
    t = tensor(kind, shape)
    helper = (f"func.func private @partNUMBER(%x: {t}, %y: {t}) -> ({t}, {t}) {{\n  %s = stablehlo.add %x, %y : {t}\n"
              f"  func.return %s, %x : {t}, {t}\n}}")
    text = (f'%r:2 = "stablehlo.composite"(%a0, %a1) {{name = "test.sum", decomposition = @partNUMBER, version = 2 : i32}} : '
            f'({t}, {t}) -> ({t}, {t})')
    return Case([kind] * 2, [numbers(rng, kind, shape), numbers(rng, kind, shape)], [(kind, shape)] * 2, text, helpers=helper)


def map_(rng, kind):
    shape = shapeOf(rng, 0, 3)
    dims = f"dimensions = {ints(range(len(shape)))}"
    if rng.random() < 0.5:
        return case("stablehlo.map", [kind] * 2, [numbers(rng, kind, shape) for _ in range(2)], [(kind, shape)], dims,
                    binary("maximum", kind))
    region = body(kind, f'%z = stablehlo.add %x, %y : tensor<{kind}>\n    %w = stablehlo.compare LT, %z, %x : (tensor<{kind}>, '
                  f'tensor<{kind}>) -> tensor<i1>\n    stablehlo.return %w : tensor<i1>')
    return case("stablehlo.map", [kind] * 2, [numbers(rng, kind, shape) for _ in range(2)], [("i1", shape)], dims, region)


GENERATORS = {
    "dynamic_broadcast_in_dim": dynamicOf("dynamic_broadcast_in_dim", broadcast_in_dim, dynamicBroadcast),
    "dynamic_iota": dynamicOf("dynamic_iota", iota, dynamicIota, ["i8", "i32", "bf16", "f64", "complex<f32>"]),
    "dynamic_reshape": dynamicOf("dynamic_reshape", reshape, dynamicReshape),
    "dynamic_pad": dynamicOf("dynamic_pad", pad, dynamicPad),
    "real_dynamic_slice": dynamicOf("real_dynamic_slice", slice_, realSlice),
    "while": each(while_, LOOP_KINDS), "if": each(if_, ALL), "case": each(case_, ALL), "composite": each(composite, ALL),
    "map": each(map_, LOOP_KINDS),
}
