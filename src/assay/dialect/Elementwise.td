//===- Elementwise.td - operations that work element by element --------------------------------------------------------===//
include "assay/dialect/Attrs.td"

defvar sameTail1 = "$operand attr-dict `:` custom<SameTypes>(type($operand), type($result))";
defvar sameTail2 = "$lhs `,` $rhs attr-dict `:` custom<SameTypes>(type($lhs), type($rhs), type($result))";

/// Operands and result have the same shape.
def SameShape : NativeOpTrait<"SameShape"> { let cppNamespace = "::assay::stablehlo"; }
/// ... and the same element type, except for quantization parameters.
def SameBaselineType : NativeOpTrait<"SameBaselineType"> { let cppNamespace = "::assay::stablehlo"; }

class UnaryOp<string mnemonic, Type element, Type resultElement = element, Trait check = SameBaselineType>
    : Stablehlo_Op<mnemonic, [Pure, check]> {
  let arguments = (ins element:$operand);
  let results = (outs resultElement:$result);
  let assemblyFormat = sameTail1;
}
/// A transcendental function, for which a program may request an accuracy.
class FunctionOp<string mnemonic> : UnaryOp<mnemonic, FloatComplexQTensor> {
  let arguments = (ins FloatComplexQTensor:$operand, AccuracyArg:$result_accuracy);
}
class BinaryOp<string mnemonic, Type element, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, !listconcat([Pure, SameBaselineType], traits)> {
  let arguments = (ins element:$lhs, element:$rhs);
  let results = (outs element:$result);
  let assemblyFormat = sameTail2;
}

def AbsOp : UnaryOp<"abs", NumberQTensor, NumberQTensor, SameShape> {
  let summary = "magnitude";
  let hasVerifier = 1;
}
def CeilOp : UnaryOp<"ceil", FloatQTensor> { let summary = "smallest integer not below"; }
def ConvertOp : UnaryOp<"convert", PlainTensor, PlainTensor, SameShape> { let summary = "same values in another element type"; }
def CountLeadingZerosOp : UnaryOp<"count_leading_zeros", IntTensor> { let summary = "number of leading zero bits"; }
def FloorOp : UnaryOp<"floor", FloatQTensor> { let summary = "greatest integer not above"; }
def ImagOp : UnaryOp<"imag", FloatOrComplexTensor, FloatTensor, SameShape> {
  let summary = "imaginary part";
  let hasVerifier = 1;
}
def NegateOp : UnaryOp<"negate", NumberQTensor> { let summary = "-x, or two's complement"; }
def NotOp : UnaryOp<"not", PredOrIntTensor> { let summary = "logical or bitwise complement"; }
def PopcntOp : UnaryOp<"popcnt", IntTensor> { let summary = "number of bits that are set"; }
def RealOp : UnaryOp<"real", FloatOrComplexTensor, FloatTensor, SameShape> {
  let summary = "real part";
  let hasVerifier = 1;
}
def RoundNearestAfzOp : UnaryOp<"round_nearest_afz", FloatQTensor> {
  let summary = "nearest integer, halves away from zero";
}
def RoundNearestEvenOp : UnaryOp<"round_nearest_even", FloatQTensor> { let summary = "nearest integer, halves to even"; }
def SignOp : UnaryOp<"sign", NumberQTensor> { let summary = "-1, 0 or 1; x/|x| for complex"; }

def CbrtOp : FunctionOp<"cbrt"> { let summary = "cube root"; }
def CosineOp : FunctionOp<"cosine"> { let summary = "cos x"; }
def ExponentialOp : FunctionOp<"exponential"> { let summary = "e to the power x"; }
def ExponentialMinusOneOp : FunctionOp<"exponential_minus_one"> { let summary = "e^x - 1 without cancellation"; }
def LogOp : FunctionOp<"log"> { let summary = "natural logarithm"; }
def LogPlusOneOp : FunctionOp<"log_plus_one"> { let summary = "log(1 + x) without cancellation"; }
def LogisticOp : FunctionOp<"logistic"> { let summary = "1 / (1 + e^-x)"; }
def RsqrtOp : FunctionOp<"rsqrt"> { let summary = "1 / sqrt x"; }
def SineOp : FunctionOp<"sine"> { let summary = "sin x"; }
def SqrtOp : FunctionOp<"sqrt"> { let summary = "square root"; }
def TanOp : FunctionOp<"tan"> { let summary = "tan x"; }
def TanhOp : FunctionOp<"tanh"> { let summary = "hyperbolic tangent"; }

def IsFiniteOp : Stablehlo_Op<"is_finite", [Pure, SameShape]> {
  let summary = "neither infinite nor NaN";
  let arguments = (ins FloatQTensor:$x);
  let results = (outs PredTensor:$y);
  let assemblyFormat = !strconcat("$x" , functionTail);
}

def AddOp : BinaryOp<"add", TensorQ, [Commutative]> {
  let summary = "sum; logical or for i1";
  let hasVerifier = 1;
}
def AndOp : BinaryOp<"and", PredOrIntTensor, [Commutative]> { let summary = "logical or bitwise and"; }
def Atan2Op : BinaryOp<"atan2", FloatComplexQTensor> { let summary = "angle of the point (rhs, lhs)"; }
def DivideOp : BinaryOp<"divide", NumberQTensor> { let summary = "quotient; integers truncate"; }
def MaximumOp : BinaryOp<"maximum", Tensor, [Commutative]> { let summary = "the larger; logical or for i1"; }
def MinimumOp : BinaryOp<"minimum", Tensor, [Commutative]> { let summary = "the smaller; logical and for i1"; }
def MultiplyOp : BinaryOp<"multiply", Tensor, [Commutative]> { let summary = "product; logical and for i1"; }
def OrOp : BinaryOp<"or", PredOrIntTensor, [Commutative]> { let summary = "logical or bitwise or"; }
def PowerOp : BinaryOp<"power", NumberQTensor> { let summary = "lhs to the power rhs"; }
def RemainderOp : BinaryOp<"remainder", NumberQTensor> { let summary = "remainder with the sign of the dividend"; }
def ShiftLeftOp : BinaryOp<"shift_left", IntTensor> { let summary = "lhs shifted left by rhs bits"; }
def ShiftRightArithmeticOp : BinaryOp<"shift_right_arithmetic", IntTensor> { let summary = "shift right, keeps the sign"; }
def ShiftRightLogicalOp : BinaryOp<"shift_right_logical", IntTensor> { let summary = "shift right, fills with zeros"; }
def SubtractOp : BinaryOp<"subtract", NumberQTensor> { let summary = "difference"; }
def XorOp : BinaryOp<"xor", PredOrIntTensor, [Commutative]> { let summary = "logical or bitwise exclusive or"; }

def ComplexOp : Stablehlo_Op<"complex", [Pure]> {
  let hasVerifier = 1;
  let summary = "complex numbers from real and imaginary parts";
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs);
  let results = (outs ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexTypes>(type($lhs), type($rhs), type($result))";
}

def CompareOp : Stablehlo_Op<"compare", [Pure]> {
  let hasVerifier = 1;
  let summary = "lhs compared with rhs";
  let arguments = (ins Tensor:$lhs, Tensor:$rhs, ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<ComparisonTypeAttr>:$compare_type);
  let results = (outs PredTensor:$result);
  let assemblyFormat = !strconcat("custom<Word>($comparison_direction) `,` $lhs `,` $rhs (`,` custom<Word>($compare_type)^)?" , functionTail);
}

def SelectOp : Stablehlo_Op<"select", [Pure]> {
  let hasVerifier = 1;
  let summary = "on_true where pred holds, else on_false";
  let arguments = (ins PredTensor:$pred, Tensor:$on_true, Tensor:$on_false);
  let results = (outs Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectTypes>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

def ClampOp : Stablehlo_Op<"clamp", [Pure]> {
  let hasVerifier = 1;
  let summary = "operand forced into [min, max]";
  let arguments = (ins Tensor:$min, Tensor:$operand, Tensor:$max);
  let results = (outs Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
    `:` custom<SameTypes>(type($min), type($operand), type($max), type($result))
  }];
}

def ReducePrecisionOp : Stablehlo_Op<"reduce_precision", [Pure]> {
  let hasVerifier = 1;
  let summary = "values rounded as if stored with fewer exponent and mantissa bits";
  let arguments = (ins FloatQTensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs FloatQTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<FloatFormat>($exponent_bits, $mantissa_bits) attr-dict
    `:` custom<SameTypes>(type($operand), type($output))
  }];
}
