//===- Native.td - the native dialect: operations that the native engine runs as one step ------------------------------===//
include "assay/dialect/Attrs.td"

def Native_Dialect : Dialect {
  let name = "native";
  let cppNamespace = "::assay::native";
  let summary = "Groups of operations that are one step of the native engine";
}

def Native_GroupTrait : NativeOpTrait<"Group"> {
  let cppNamespace = "::assay::native";
}

/// The region defines the group's computation; it reads only its arguments, which are the operands.
class Native_Group<string mnemonic>
    : Op<Native_Dialect, mnemonic, [IsolatedFromAbove, SingleBlock, Pure, Native_GroupTrait]> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body";
}

def GemmOp : Native_Group<"gemm"> {
  let summary = "a product with the views that it reads and writes through, a bias and a ReLU, or a native.fused behind it";
}
def ConvOp : Native_Group<"conv"> {
  let summary = "a convolution with the view that it reads its filter through, or a native.fused behind it";
}
def FusedOp : Native_Group<"fused"> {
  let summary = "elementwise operations and reductions along rows as one loop";
}
def AttentionOp : Native_Group<"attention"> {
  let summary = "a product, a native.fused on its result, a product that reads that";
}
def ReturnOp : Op<Native_Dialect, "return", [Pure, Terminator]> {
  let summary = "ends the region of a group with its results";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "$results attr-dict `:` type($results)";
}
