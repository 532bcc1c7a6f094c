//===- Linear.td - products, convolutions, factorizations, transforms --------------------------------------------------===//
include "assay/dialect/Attrs.td"

class LinearOp<string mnemonic> : Stablehlo_Op<mnemonic, [Pure]> {
  let hasVerifier = 1;
}

def DotOp : LinearOp<"dot"> {
  let summary = "matrix product of operands of rank 1 or 2; deprecated";
  let arguments = (ins Tensor:$lhs, TensorQ:$rhs, OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs `` custom<PrecisionConfig>($precision_config)" , functionTail);
}
def DotGeneralOp : LinearOp<"dot_general"> {
  let summary = "sums of products over contracting dimensions, for each batch";
  let arguments = (ins Tensor:$lhs, TensorQ:$rhs, DotDimensionNumbersAttr:$dot_dimension_numbers,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config, OptionalAttr<DotAlgorithmAttr>:$algorithm);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) `` "
                       "custom<PrecisionAndAlgorithm>($precision_config, $algorithm)" , functionTail);
}
def EinsumOp : LinearOp<"einsum"> {
  let summary = "Einstein summation of two operands; deprecated";
  let arguments = (ins Tensor:$lhs, Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs `,` `config` `=` $einsum_config" , functionTail);
}
def UnaryEinsumOp : LinearOp<"unary_einsum"> {
  let summary = "Einstein summation of one operand; deprecated";
  let arguments = (ins Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs Tensor:$result);
  let assemblyFormat = !strconcat("$operand `,` `config` `=` $einsum_config" , functionTail);
}
def ConvolutionOp : LinearOp<"convolution"> {
  let summary = "windows of lhs times the kernel rhs";
  let arguments = (ins Tensor:$lhs, TensorQ:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       ConvDimensionNumbersAttr:$dimension_numbers, I64Attr:$feature_group_count,
                       I64Attr:$batch_group_count, OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs TensorQ:$result);
  let assemblyFormat = !strconcat("`(` operands `)` `dim_numbers` `=` custom<ConvDimensions>($dimension_numbers) `,` "
                       "`window` `=` `{` custom<ConvWindow>($window_strides, $padding, $lhs_dilation, $rhs_dilation, "
                       "$window_reversal) `}`" , functionTail);
}
def DynamicConvOp : LinearOp<"dynamic_conv"> {
  let summary = "convolution with padding known at run time";
  let arguments = (ins Tensor:$lhs, Tensor:$rhs, IntOrIndexTensor:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       ConvDimensionNumbersAttr:$dimension_numbers, I64Attr:$feature_group_count,
                       I64Attr:$batch_group_count, OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs Tensor:$result);
}
def CholeskyOp : LinearOp<"cholesky"> {
  let summary = "triangular factor of a positive definite matrix";
  let arguments = (ins FloatComplexQTensor:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs FloatComplexQTensor:$result);
  let assemblyFormat = "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameTypes>(type($a), type($result))";
}
def TriangularSolveOp : LinearOp<"triangular_solve"> {
  let summary = "solves op(a) x = b or x op(a) = b for triangular a";
  let arguments = (ins FloatOrComplexTensor:$a, FloatOrComplexTensor:$b, BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal, TransposeAttr:$transpose_a);
  let results = (outs FloatOrComplexTensor:$result);
}
def FftOp : LinearOp<"fft"> {
  let summary = "discrete Fourier transform of the last dimensions";
  let arguments = (ins FloatOrComplexTensor:$operand, FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs FloatOrComplexTensor:$result);
  let assemblyFormat = !strconcat("$operand `,` `type` `=` custom<Word>($fft_type) `,` `length` `=` $fft_length" , functionTail);
}
