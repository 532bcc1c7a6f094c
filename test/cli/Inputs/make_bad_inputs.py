"""Writes the damaged and hostile files that run_bad_input.test feeds to `assay run`."""
import pathlib
import sys
import zipfile

out = pathlib.Path(sys.argv[1])


def write(name, text):
    (out / name).write_text(text)


def returning(type_, value):
    return f"func.func @main() -> {type_} {{ %c = {value} : {type_}\n return %c : {type_} }}\n"


write("unparsable.mlir", "func.func @main( {\n")
write("unknown_op.mlir", 'func.func @main() { "stablehlo.nonsense"() : () -> () return }\n')
write("identity.mlir", "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }\n")
write("huge.mlir", returning("tensor<1000000x1000000xf32>", "stablehlo.iota dim = 0"))
write("overflow.mlir", returning("tensor<9223372036854775807x2xi8>", "stablehlo.iota dim = 0"))
write("overflow_constant.mlir", returning("tensor<9223372036854775807x2xi8>", "stablehlo.constant dense<1>"))
write("small.mlir", returning("tensor<1000xf32>", "stablehlo.iota dim = 0"))
write("recursion.mlir", """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = call @main(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
""")
write("loop.mlir", """func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.while(%i = %c) : tensor<i32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return %r : tensor<i32>
}
""")
deep = "[" * 200000 + "1" + "]" * 200000
write("deep.mlir", f"func.func @main() {{ %0 = stablehlo.constant dense<{deep}> : tensor<1xi32> return }}\n")

with zipfile.ZipFile(out / "objects.npz", "w") as archive:
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n"
    archive.writestr("in0.npy", b"\x93NUMPY\x01\x00v\x00" + header + b"x" * 16)
with zipfile.ZipFile(out / "whole.npz", "w") as archive:
    archive.writestr("in0.npy", b"\x93NUMPY" + b"\0" * 4000)
(out / "truncated.npz").write_bytes((out / "whole.npz").read_bytes()[:2000])
