//===- Shape.td - operations that create, move or reshape elements without arithmetic ---------------------------------===//
include "assay/dialect/Attrs.td"

class MoveOp<string mnemonic, list<Trait> traits = [Pure]> : Stablehlo_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def ConstantOp : MoveOp<"constant",
    [Pure, ConstantLike, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a literal";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs TensorQ:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}
def IotaOp : MoveOp<"iota"> {
  let summary = "0, 1, 2, ... along a dimension";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs NumberQTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}
def DynamicIotaOp : MoveOp<"dynamic_iota"> {
  let summary = "iota of a shape known at run time";
  let arguments = (ins ShapeVector:$output_shape, I64Attr:$iota_dimension);
  let results = (outs NumberQTensor:$result);
  let assemblyFormat = !strconcat("$output_shape `,` `dim` `=` $iota_dimension" , functionTail);
}
def BitcastConvertOp : MoveOp<"bitcast_convert"> {
  let summary = "the same bits as another element type";
  let arguments = (ins TensorQ:$operand);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("operands" , functionTail);
}
def ReshapeOp : MoveOp<"reshape"> {
  let summary = "the same elements in another shape";
  let arguments = (ins TensorQ:$operand);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("operands" , functionTail);
}
def DynamicReshapeOp : MoveOp<"dynamic_reshape"> {
  let summary = "reshape to a shape known at run time";
  let arguments = (ins TensorQ:$operand, ShapeVector:$output_shape);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("operands" , functionTail);
}
def BroadcastOp : MoveOp<"broadcast"> {
  let summary = "new major dimensions; deprecated";
  let arguments = (ins Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("$operand `,` `sizes` `=` $broadcast_sizes" , functionTail);
}
def BroadcastInDimOp : MoveOp<"broadcast_in_dim"> {
  let summary = "copies along new dimensions and dimensions of size 1";
  let arguments = (ins TensorQ:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("$operand `,` `dims` `=` $broadcast_dimensions" , functionTail);
}
def DynamicBroadcastInDimOp : MoveOp<"dynamic_broadcast_in_dim"> {
  let summary = "broadcast_in_dim to a shape known at run time";
  let arguments = (ins TensorQ:$operand, ShapeVector:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("$operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions" , functionTail);
}
def TransposeOp : MoveOp<"transpose"> {
  let summary = "dimensions in another order";
  let arguments = (ins TensorQ:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("$operand `,` `dims` `=` $permutation" , functionTail);
}
def ReverseOp : MoveOp<"reverse"> {
  let summary = "elements in the opposite order along some dimensions";
  let arguments = (ins Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameTypes>(type($operand), type($result))
  }];
}
def ConcatenateOp : MoveOp<"concatenate"> {
  let summary = "inputs one behind the other along a dimension";
  let arguments = (ins Variadic<Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("custom<OperandsThenComma>($inputs) `dim` `=` $dimension" , functionTail);
}
def SliceOp : MoveOp<"slice"> {
  let summary = "every strides-th element from start to limit";
  let arguments = (ins Tensor:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("$operand custom<SliceRanges>($start_indices, $limit_indices, $strides)" , functionTail);
}
def RealDynamicSliceOp : MoveOp<"real_dynamic_slice"> {
  let summary = "slice with bounds known at run time";
  let arguments = (ins Tensor:$operand, ShapeVector:$start_indices, ShapeVector:$limit_indices, ShapeVector:$strides);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("operands" , functionTail);
}
def PadOp : MoveOp<"pad"> {
  let summary = "padding around and between elements; negative amounts cut";
  let arguments = (ins Tensor:$operand, ScalarTensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high "
                       "`,` `interior` `=` $interior_padding" , functionTail);
}
def DynamicPadOp : MoveOp<"dynamic_pad"> {
  let summary = "pad with amounts known at run time";
  let arguments = (ins Tensor:$operand, ScalarTensor:$padding_value, ShapeVector:$edge_padding_low,
                       ShapeVector:$edge_padding_high, ShapeVector:$interior_padding);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("operands" , functionTail);
}
def GetDimensionSizeOp : MoveOp<"get_dimension_size"> {
  let summary = "the size of one dimension";
  let arguments = (ins TensorQ:$operand, I64Attr:$dimension);
  let results = (outs I32Scalar:$result);
  let assemblyFormat = !strconcat("$operand `,` `dim` `=` $dimension" , functionTail);
}
def SetDimensionSizeOp : MoveOp<"set_dimension_size"> {
  let summary = "keeps only the first size elements of a dimension";
  let arguments = (ins Tensor:$operand, I32Scalar:$size, I64Attr:$dimension);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("$operand `,` $size `,` `dim` `=` $dimension" , functionTail);
}
