//===- QuantRandom.td - quantization and random numbers ----------------------------------------------------------------===//
include "assay/dialect/Attrs.td"

def UniformQuantizeOp : Stablehlo_Op<"uniform_quantize", [Pure]> {
  let hasVerifier = 1;
  let summary = "floats (or quantized numbers) to a quantized type";
  let arguments = (ins FloatOrQuantTensor:$operand);
  let results = (outs QuantTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameTypes>(type($operand), type($result))";
}
def UniformDequantizeOp : Stablehlo_Op<"uniform_dequantize", [Pure]> {
  let hasVerifier = 1;
  let summary = "quantized numbers to floats";
  let arguments = (ins QuantTensor:$operand);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameTypes>(type($operand), type($result))";
}
def RngOp : Stablehlo_Op<"rng", [MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
  let summary = "random numbers between a and b, or normal with mean a and deviation b";
  let arguments = (ins PredIntOrFloatScalar:$a, PredIntOrFloatScalar:$b, ShapeVector:$shape,
                       RngDistributionAttr:$rng_distribution);
  let results = (outs PredIntOrFloatTensor:$result);
  let assemblyFormat = !strconcat("$a `,` $b `,` $shape `,` `distribution` `=` custom<Word>($rng_distribution)" , functionTail);
}
def RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator", [Pure]> {
  let hasVerifier = 1;
  let summary = "random bits from a state, and the next state";
  let arguments = (ins IntOrFloatTensor:$initial_state, RngAlgorithmAttr:$rng_algorithm);
  let results = (outs IntOrFloatTensor:$output_state, IntOrFloatTensor:$output);
  let assemblyFormat = !strconcat("$initial_state `,` `algorithm` `=` custom<Word>($rng_algorithm)" , functionTail);
}
