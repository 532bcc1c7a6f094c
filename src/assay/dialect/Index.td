//===- Index.td - operations that address by computed indices, and sort ------------------------------------------------===//
include "assay/dialect/Attrs.td"

def GatherOp : Stablehlo_Op<"gather", [Pure]> {
  let hasVerifier = 1;
  let summary = "slices of operand at start_indices";
  let arguments = (ins Tensor:$operand, IntTensor:$start_indices, GatherDimensionNumbersAttr:$dimension_numbers,
                       DenseI64ArrayAttr:$slice_sizes, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs Tensor:$result);
}
def DynamicGatherOp : Stablehlo_Op<"dynamic_gather", [Pure]> {
  let hasVerifier = 1;
  let summary = "gather with slice sizes known at run time";
  let arguments = (ins Tensor:$operand, IntTensor:$start_indices, ShapeVector:$slice_sizes,
                       GatherDimensionNumbersAttr:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs Tensor:$result);
}
def ScatterOp : Stablehlo_Op<"scatter", [RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let hasVerifier = 1;
  let summary = "inputs with updates combined in at scatter_indices";
  let arguments = (ins Variadic<Tensor>:$inputs, IntOrIndexTensor:$scatter_indices, Variadic<Tensor>:$updates,
                       ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<Tensor>);
}
def DynamicSliceOp : Stablehlo_Op<"dynamic_slice", [Pure]> {
  let hasVerifier = 1;
  let summary = "a slice of given size at a start known at run time";
  let arguments = (ins Tensor:$operand, Variadic<IntScalar>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("$operand `,` custom<OperandsThenComma>($start_indices) `sizes` `=` $slice_sizes" , functionTail);
}
def DynamicUpdateSliceOp : Stablehlo_Op<"dynamic_update_slice", [Pure]> {
  let hasVerifier = 1;
  let summary = "operand with a slice replaced by update";
  let arguments = (ins Tensor:$operand, Tensor:$update, Variadic<IntScalar>:$start_indices);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("operands" , functionTail);
}
def TorchIndexSelectOp : Stablehlo_Op<"torch_index_select", [Pure]> {
  let hasVerifier = 1;
  let summary = "rows of operand chosen by index; deprecated";
  let arguments = (ins Tensor:$operand, Tensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs Tensor:$result);
}
def SortOp : Stablehlo_Op<"sort", [RecursiveMemoryEffects]> {
  let hasVerifier = 1;
  let summary = "inputs reordered together along a dimension";
  let arguments = (ins Variadic<Tensor>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<Tensor>);
}
