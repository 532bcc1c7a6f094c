#!/usr/bin/env python3
"""Writes inputs/op/elementwise.mlir and inputs/op/structured.mlir: one small function per operation and type, for
`assay verify --op inputs/op/elementwise.mlir@*`.

usage: gen_op_inputs.py [FOLDER]        (default: inputs/op beside this script's folder)
"""
import pathlib
import sys

FLOATS = ["f32", "bf16", "f16", "f64"]
INTEGERS = ["i8", "ui8", "i32", "i64"]
UNARY_FLOAT = """stablehlo.abs stablehlo.cbrt stablehlo.ceil stablehlo.cosine stablehlo.exponential
stablehlo.exponential_minus_one stablehlo.floor stablehlo.log stablehlo.log_plus_one stablehlo.logistic stablehlo.negate
stablehlo.round_nearest_afz stablehlo.round_nearest_even stablehlo.rsqrt stablehlo.sign stablehlo.sine stablehlo.sqrt
stablehlo.tan stablehlo.tanh chlo.acos chlo.acosh chlo.asin chlo.asinh chlo.atan chlo.atanh chlo.bessel_i1e chlo.cosh
chlo.digamma chlo.erf chlo.erf_inv chlo.erfc chlo.lgamma chlo.sinh chlo.square""".split()
UNARY_INTEGER = "stablehlo.abs stablehlo.negate stablehlo.not stablehlo.popcnt stablehlo.count_leading_zeros stablehlo.sign".split()
BINARY_FLOAT = """stablehlo.add stablehlo.subtract stablehlo.multiply stablehlo.divide stablehlo.maximum stablehlo.minimum
stablehlo.power stablehlo.remainder stablehlo.atan2 chlo.next_after""".split()
BINARY_INTEGER = """stablehlo.add stablehlo.subtract stablehlo.multiply stablehlo.maximum stablehlo.minimum stablehlo.and
stablehlo.or stablehlo.xor stablehlo.shift_left stablehlo.shift_right_arithmetic stablehlo.shift_right_logical""".split()
COMPLEX_UNARY = """stablehlo.exponential stablehlo.log stablehlo.negate stablehlo.sine stablehlo.cosine stablehlo.sqrt
stablehlo.tanh""".split()
COMPLEX_BINARY = "stablehlo.add stablehlo.subtract stablehlo.multiply stablehlo.divide".split()
SHAPE = "7x33"


def unary(op, kind):
    t = f"tensor<{SHAPE}x{kind}>"
    return f'  %0 = "{op}"(%a) : ({t}) -> {t}', [t], t


def binary(op, kind):
    t = f"tensor<{SHAPE}x{kind}>"
    return f'  %0 = "{op}"(%a, %b) : ({t}, {t}) -> {t}', [t, t], t


def function(name, body, arguments, result):
    names = "abcdef"
    text = ", ".join(f"%{names[i]}: {t}" for i, t in enumerate(arguments))
    return f"func.func @{name}({text}) -> {result} {{\n{body}\n  return %0 : {result}\n}}\n"


def elementwise():
    out = []
    def add(op, kind, made):
        plain = kind.replace("complex<", "c").replace(">", "")
        out.append(function(f"{op.split('.')[1]}_{plain}", *made))
    for ops, kinds, make in ((UNARY_FLOAT, FLOATS, unary), (BINARY_FLOAT, FLOATS, binary), (UNARY_INTEGER, INTEGERS, unary),
                             (BINARY_INTEGER, INTEGERS, binary), (COMPLEX_UNARY, ["complex<f32>"], unary),
                             (COMPLEX_BINARY, ["complex<f32>", "complex<f64>"], binary)):
        for op in ops:
            for kind in kinds:
                if kind.startswith("ui") and op in ("stablehlo.abs", "stablehlo.negate", "stablehlo.sign"):
                    continue
                add(op, kind, make(op, kind))
    for kind in FLOATS + INTEGERS:
        t, p = f"tensor<{SHAPE}x{kind}>", f"tensor<{SHAPE}xi1>"
        for direction in ("EQ", "GE", "LT"):
            out.append(function(f"compare_{direction.lower()}_{kind}",
                                f"  %0 = stablehlo.compare {direction}, %a, %b : ({t}, {t}) -> {p}", [t, t], p))
        out.append(function(f"select_{kind}", f"  %0 = stablehlo.select %a, %b, %c : {p}, {t}", [p, t, t], t))
        out.append(function(f"clamp_{kind}", f"  %0 = stablehlo.clamp %a, %b, %c : {t}", [t, t, t], t))
        for to in ("f32", "bf16", "i8", "i32", "f8E4M3FN"):
            if to != kind:
                r = f"tensor<{SHAPE}x{to}>"
                out.append(function(f"convert_{kind}_{to.lower()}", f"  %0 = stablehlo.convert %a : ({t}) -> {r}", [t], r))
    t, p = f"tensor<{SHAPE}xf32>", f"tensor<{SHAPE}xi1>"
    out.append(function("is_finite_f32", f"  %0 = stablehlo.is_finite %a : ({t}) -> {p}", [t], p))
    out.append(function("reduce_precision_f32", f"  %0 = stablehlo.reduce_precision %a, format = e5m10 : {t}", [t], t))
    return out


STRUCTURED = """
dot f32 | tensor<16x96xf32> tensor<96x40xf32> | tensor<16x40xf32> | "stablehlo.dot"(%a, %b)
dot bf16 | tensor<16x96xbf16> tensor<96x40xbf16> | tensor<16x40xbf16> | "stablehlo.dot"(%a, %b)
dot bf16_f32 | tensor<16x96xbf16> tensor<96x40xbf16> | tensor<16x40xf32> | "stablehlo.dot"(%a, %b)
dot f64 | tensor<16x96xf64> tensor<96x40xf64> | tensor<16x40xf64> | "stablehlo.dot"(%a, %b)
dot i8_i32 | tensor<16x96xi8> tensor<96x40xi8> | tensor<16x40xi32> | "stablehlo.dot"(%a, %b)
dot c64 | tensor<8x24xcomplex<f32>> tensor<24x9xcomplex<f32>> | tensor<8x9xcomplex<f32>> | "stablehlo.dot"(%a, %b)
dot_general f32 | tensor<3x16x64xf32> tensor<3x24x64xf32> | tensor<3x16x24xf32> | stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] :
dot_general f16 | tensor<3x16x64xf16> tensor<3x24x64xf16> | tensor<3x16x24xf16> | stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] :
convolution f32 | tensor<2x12x12x8xf32> tensor<3x3x8x16xf32> | tensor<2x12x12x16xf32> | CONV 1
convolution bf16 | tensor<2x12x12x8xbf16> tensor<3x3x8x16xbf16> | tensor<2x12x12x16xbf16> | CONV 1
convolution grouped_f32 | tensor<2x12x12x8xf32> tensor<3x3x4x16xf32> | tensor<2x12x12x16xf32> | CONV 2
transpose f32 | tensor<5x6x7xf32> | tensor<7x5x6xf32> | stablehlo.transpose %a, dims = [2, 0, 1] :
transpose i8 | tensor<5x6x7xi8> | tensor<7x5x6xi8> | stablehlo.transpose %a, dims = [2, 0, 1] :
reshape bf16 | tensor<5x6x7xbf16> | tensor<30x7xbf16> | stablehlo.reshape %a :
reverse f32 | tensor<5x6x7xf32> | tensor<5x6x7xf32> | !stablehlo.reverse %a, dims = [0, 2] :
slice f16 | tensor<9x16xf16> | tensor<3x7xf16> | stablehlo.slice %a [2:8:2, 1:15:2] :
concatenate f32 | tensor<3x4xf32> tensor<5x4xf32> | tensor<8x4xf32> | stablehlo.concatenate %a, %b, dim = 0 :
broadcast_in_dim f32 | tensor<4xf32> | tensor<3x4x5xf32> | stablehlo.broadcast_in_dim %a, dims = [1] :
pad f32 | tensor<4x5xf32> tensor<f32> | tensor<9x6xf32> | stablehlo.pad %a, %b, low = [1, -1], high = [1, 2], interior = [1, 0] :
dynamic_slice f32 | tensor<9x8xf32> tensor<i32> tensor<i32> | tensor<3x2xf32> | stablehlo.dynamic_slice %a, %b, %c, sizes = [3, 2] :
dynamic_update_slice f32 | tensor<9x8xf32> tensor<3x2xf32> tensor<i32> tensor<i32> | tensor<9x8xf32> | stablehlo.dynamic_update_slice %a, %b, %c, %d :
gather f32 | tensor<12x8xf32> tensor<5xi32> | tensor<5x8xf32> | GATHER
scatter_add f32 | tensor<12x8xf32> tensor<20xi32> tensor<20x8xf32> | tensor<12x8xf32> | SCATTER
reduce_add f32 | tensor<24x100xf32> tensor<f32> | tensor<24xf32> | stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] :
reduce_add bf16 | tensor<24x100xbf16> tensor<bf16> | tensor<24xbf16> | stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] :
reduce_add i32 | tensor<24x100xi32> tensor<i32> | tensor<24xi32> | stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] :
reduce_multiply f32 | tensor<24x9xf32> tensor<f32> | tensor<24xf32> | stablehlo.reduce(%a init: %b) applies stablehlo.multiply across dimensions = [1] :
reduce_maximum f16 | tensor<24x100xf16> tensor<f16> | tensor<24xf16> | stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1] :
reduce_window_add f32 | tensor<4x16x16xf32> tensor<f32> | tensor<4x14x14xf32> | WINDOW add
reduce_window_maximum f32 | tensor<4x16x16xf32> tensor<f32> | tensor<4x14x14xf32> | WINDOW maximum
sort f32 | tensor<6x50xf32> | tensor<6x50xf32> | SORT
iota f32 | | tensor<4x9xf32> | stablehlo.iota dim = 1 :
fft c64 | tensor<3x64xcomplex<f32>> | tensor<3x64xcomplex<f32>> | !stablehlo.fft %a, type = FFT, length = [64] :
fft r2c | tensor<3x60xf32> | tensor<3x31xcomplex<f32>> | !stablehlo.fft %a, type = RFFT, length = [60] :
cholesky f32 | tensor<5x5xf32> | tensor<5x5xf32> | CHOLESKY
"""

CONV = ('"stablehlo.convolution"(%a, %b) {{window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, '
        'dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = {0} : i64, '
        'batch_group_count = 1 : i64}}')
GATHER = ('"stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], '
          'start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false}')
SCATTER = ('"stablehlo.scatter"(%a, %b, %c) ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.add %x, %y : tensor<f32>\n'
           '    stablehlo.return %s : tensor<f32>\n  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], '
           'inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}')
WINDOW = ('"stablehlo.reduce_window"(%a, %b) ({{\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.{0} %x, %y : tensor<f32>\n'
          '    stablehlo.return %s : tensor<f32>\n  }}) {{window_dimensions = array<i64: 1, 3, 3>}}')
SORT = ('"stablehlo.sort"(%a) ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> '
        'tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }) {dimension = 1 : i64, is_stable = true}')


def structured():
    out = []
    for line in STRUCTURED.strip().splitlines():
        head, arguments, result, body = (part.strip() for part in line.split("|"))
        arguments = arguments.split()
        types = f"({', '.join(arguments)}) -> {result}"
        if body == "CHOLESKY":  # of a a^T + 64, which is positive definite
            t = arguments[0]
            lines = (f"  %t = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : ({t}, {t}) -> {t}\n"
                     f"  %i = stablehlo.iota dim = 0 : tensor<5x5xi32>\n  %j = stablehlo.iota dim = 1 : tensor<5x5xi32>\n"
                     f"  %e = stablehlo.compare EQ, %i, %j : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>\n"
                     f"  %d = stablehlo.convert %e : (tensor<5x5xi1>) -> {t}\n  %k = stablehlo.constant dense<64.0> : {t}\n"
                     f"  %m = stablehlo.multiply %d, %k : {t}\n  %p = stablehlo.add %t, %m : {t}\n"
                     f"  %0 = \"stablehlo.cholesky\"(%p) {{lower = true}} : ({t}) -> {t}")
        else:
            name, _, argument = body.partition(" ")
            macros = {"CONV": CONV, "WINDOW": WINDOW, "GATHER": GATHER, "SCATTER": SCATTER, "SORT": SORT}
            if name in macros:
                body = macros[name].format(argument) if argument else macros[name]
            if body.startswith("!") or not arguments:  # one type in these forms, or a function type
                body = body.lstrip("!").rstrip(": ")
                lines = f"  %0 = {body} : {types if 'fft' in body else result}"
            else:
                lines = f"  %0 = {body.rstrip(': ')} : {types}"
        out.append(function(head.replace(" ", "_").replace("reduce_", "reduce_", 1), lines, arguments, result))
    return out


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "inputs/op")
    for name, functions in (("elementwise", elementwise()), ("structured", structured())):
        text = f"// Written by utils/generate/gen_op_inputs.py: one function per operation and type. Run all: --op FILE@*\n\n"
        (folder / f"{name}.mlir").write_text(text + "\n".join(functions))
        print(f"{folder / name}.mlir: {len(functions)} functions")


if __name__ == "__main__":
    main()
