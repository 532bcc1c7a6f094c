//===- Window.td - reductions, windows, map and batch normalization ----------------------------------------------------===//
include "assay/dialect/Attrs.td"

def ReduceOp : Stablehlo_Op<"reduce", [RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let hasVerifier = 1;
  let summary = "inputs folded with body along some dimensions";
  let arguments = (ins Variadic<Tensor>:$inputs, Variadic<Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Tensor>);
  let hasCustomAssemblyFormat = 1;
}
def ReduceWindowOp : Stablehlo_Op<"reduce_window", [RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let hasVerifier = 1;
  let summary = "windows of inputs folded with body";
  let arguments = (ins Variadic<Tensor>:$inputs, Variadic<Tensor>:$init_values, DenseI64ArrayAttr:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Tensor>);
}
def SelectAndScatterOp : Stablehlo_Op<"select_and_scatter", [RecursiveMemoryEffects]> {
  let hasVerifier = 1;
  let summary = "source scattered to the element that select picks in each window of operand";
  let arguments = (ins Tensor:$operand, Tensor:$source, Tensor:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs Tensor:$result);
}
def MapOp : Stablehlo_Op<"map", [RecursiveMemoryEffects]> {
  let hasVerifier = 1;
  let summary = "computation applied element by element";
  let arguments = (ins Variadic<Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Tensor:$result);
}
def BatchNormGradOp : Stablehlo_Op<"batch_norm_grad", [Pure]> {
  let hasVerifier = 1;
  let summary = "gradients of batch_norm_training";
  let arguments = (ins FloatQTensor:$operand, FloatQVector:$scale, FloatQVector:$mean, FloatQVector:$variance,
                       FloatQTensor:$grad_output, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FloatQTensor:$grad_operand, FloatQVector:$grad_scale, FloatQVector:$grad_offset);
}
def BatchNormInferenceOp : Stablehlo_Op<"batch_norm_inference", [Pure]> {
  let hasVerifier = 1;
  let summary = "operand normalized with given mean and variance";
  let arguments = (ins FloatQTensor:$operand, FloatQVector:$scale, FloatQVector:$offset, FloatQVector:$mean,
                       FloatQVector:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs FloatQTensor:$result);
}
def BatchNormTrainingOp : Stablehlo_Op<"batch_norm_training", [Pure]> {
  let hasVerifier = 1;
  let summary = "operand normalized with its own mean and variance";
  let arguments = (ins FloatQTensor:$operand, FloatQVector:$scale, FloatQVector:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs FloatQTensor:$output, FloatQVector:$batch_mean, FloatQVector:$batch_var);
}
