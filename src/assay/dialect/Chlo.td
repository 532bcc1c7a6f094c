//===- Chlo.td - the chlo dialect: client operations over stablehlo ----------------------------------------------------===//
//
// Special functions, operations that broadcast their operands, top_k, scan, ragged_dot.
//
//===------------------------------------------------------------------------------------------------------------------===//
#ifndef ASSAY_DIALECT_CHLO
#define ASSAY_DIALECT_CHLO

include "assay/dialect/Attrs.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::assay::chlo";
  let summary = "Operations that frameworks export beside stablehlo";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::assay::stablehlo::StablehloDialect", "::mlir::quant::QuantDialect"];
}

// --- Attributes ------------------------------------------------------------------------------------------------------

class ChloEnumAttr<EnumInfo enum, string name> : EnumAttr<Chlo_Dialect, enum, name> {
  let constBuilderCall = "::assay::chlo::" # enum.className # "Attr::get($_builder.getContext(), $0)";
}
def ChloComparisonDirectionAttr : ChloEnumAttr<ComparisonDirection, "comparison_direction">;
def ChloComparisonTypeAttr : ChloEnumAttr<ComparisonType, "comparison_type">;
def ChloPrecisionAttr : ChloEnumAttr<Precision, "precision">;
def ChloPrecisionConfigAttr : TypedArrayAttrBase<ChloPrecisionAttr, "array of precisions">;

def RaggedDotDimensionNumbersAttr : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "the dimension numbers of a dot and which dimensions are ragged";
  let parameters = (ins Dims<"batch dimensions of lhs">:$lhsBatchingDimensions,
                        Dims<"batch dimensions of rhs">:$rhsBatchingDimensions,
                        Dims<"summed dimensions of lhs">:$lhsContractingDimensions,
                        Dims<"summed dimensions of rhs">:$rhsContractingDimensions,
                        Dims<"ragged dimension of lhs">:$lhsRaggedDimensions,
                        Dims<"group dimension of rhs">:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

// --- Operations ------------------------------------------------------------------------------------------------------

def ChloSameBaselineType : NativeOpTrait<"SameBaselineType"> { let cppNamespace = "::assay::stablehlo"; }
def ChloSameShape : NativeOpTrait<"SameShape"> { let cppNamespace = "::assay::stablehlo"; }
/// The result has the shape that the operands broadcast to.
def Broadcasts : NativeOpTrait<"Broadcasts"> { let cppNamespace = "::assay::chlo"; }

class Chlo_Op<string mnemonic, list<Trait> traits = [Pure]> : Op<Chlo_Dialect, mnemonic, traits>;

class ChloUnary<string mnemonic, Type element, Type resultElement = element, Trait check = ChloSameBaselineType>
    : Chlo_Op<mnemonic, [Pure, check]> {
  let arguments = (ins element:$operand);
  let results = (outs resultElement:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
class ChloFunction<string mnemonic, string text> : ChloUnary<mnemonic, FloatOrComplexTensor> { let summary = text; }
class ChloRealFunction<string mnemonic, string text> : ChloUnary<mnemonic, FloatTensor> { let summary = text; }
class ChloPredicate<string mnemonic, string text> : ChloUnary<mnemonic, FloatTensor, PredTensor, ChloSameShape> {
  let summary = text;
}
class ChloBroadcasting<string mnemonic, string text, Type element, Type resultElement = element>
    : Chlo_Op<mnemonic, [Pure, Broadcasts]> {
  let summary = text;
  let arguments = (ins element:$lhs, element:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultElement:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)";
}

def AsinAcosKernelOp : ChloUnary<"_asin_acos_kernel", ComplexTensor> {
  let summary = "common part of complex asin and acos";
}
def AcosOp : ChloFunction<"acos", "inverse cosine">;
def AcoshOp : ChloFunction<"acosh", "inverse hyperbolic cosine">;
def AsinOp : ChloFunction<"asin", "inverse sine">;
def AsinhOp : ChloFunction<"asinh", "inverse hyperbolic sine">;
def AtanOp : ChloFunction<"atan", "inverse tangent">;
def AtanhOp : ChloFunction<"atanh", "inverse hyperbolic tangent">;
def BesselI1eOp : ChloFunction<"bessel_i1e", "modified Bessel function I1 times e^-|x|">;
def ConjOp : ChloFunction<"conj", "complex conjugate">;
def CoshOp : ChloFunction<"cosh", "hyperbolic cosine">;
def DigammaOp : ChloRealFunction<"digamma", "derivative of log gamma">;
def ErfOp : ChloRealFunction<"erf", "error function">;
def ErfInvOp : ChloRealFunction<"erf_inv", "inverse of the error function">;
def ErfcOp : ChloRealFunction<"erfc", "1 - erf">;
def IsInfOp : ChloPredicate<"is_inf", "infinite">;
def IsNegInfOp : ChloPredicate<"is_neg_inf", "minus infinity">;
def IsPosInfOp : ChloPredicate<"is_pos_inf", "plus infinity">;
def LgammaOp : ChloRealFunction<"lgamma", "logarithm of |gamma|">;
def SinhOp : ChloFunction<"sinh", "hyperbolic sine">;
def SquareOp : ChloFunction<"square", "x * x">;
def TanOp : ChloFunction<"tan", "tangent">;

def BroadcastAddOp : ChloBroadcasting<"broadcast_add", "sum", Tensor>;
def BroadcastAndOp : ChloBroadcasting<"broadcast_and", "and", PredOrIntTensor>;
def BroadcastAtan2Op : ChloBroadcasting<"broadcast_atan2", "angle of the point (rhs, lhs)", Tensor>;
def BroadcastComplexOp : ChloBroadcasting<"broadcast_complex", "complex from parts", FloatTensor, ComplexTensor>;
def BroadcastDivideOp : ChloBroadcasting<"broadcast_divide", "quotient", Tensor>;
def BroadcastMaximumOp : ChloBroadcasting<"broadcast_maximum", "the larger", Tensor>;
def BroadcastMinimumOp : ChloBroadcasting<"broadcast_minimum", "the smaller", Tensor>;
def BroadcastMultiplyOp : ChloBroadcasting<"broadcast_multiply", "product", Tensor>;
def BroadcastNextAfterOp : ChloBroadcasting<"broadcast_next_after", "next number towards rhs", Tensor>;
def BroadcastOrOp : ChloBroadcasting<"broadcast_or", "or", PredOrIntTensor>;
def BroadcastPolygammaOp : ChloBroadcasting<"broadcast_polygamma", "lhs-th derivative of digamma", Tensor>;
def BroadcastPowerOp : ChloBroadcasting<"broadcast_power", "power", Tensor>;
def BroadcastRemainderOp : ChloBroadcasting<"broadcast_remainder", "remainder", Tensor>;
def BroadcastShiftLeftOp : ChloBroadcasting<"broadcast_shift_left", "shift left", Tensor>;
def BroadcastShiftRightArithmeticOp : ChloBroadcasting<"broadcast_shift_right_arithmetic", "signed shift right", Tensor>;
def BroadcastShiftRightLogicalOp : ChloBroadcasting<"broadcast_shift_right_logical", "unsigned shift right", Tensor>;
def BroadcastSubtractOp : ChloBroadcasting<"broadcast_subtract", "difference", Tensor>;
def BroadcastXorOp : ChloBroadcasting<"broadcast_xor", "exclusive or", PredOrIntTensor>;
def BroadcastZetaOp : ChloBroadcasting<"broadcast_zeta", "Hurwitz zeta function", FloatTensor>;

def BroadcastCompareOp : ChloBroadcasting<"broadcast_compare", "comparison", Tensor, PredTensor> {
  let arguments = (ins Tensor:$lhs, Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       ChloComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<ChloComparisonTypeAttr>:$compare_type);
}
def BroadcastSelectOp : Chlo_Op<"broadcast_select", [Pure, Broadcasts]> {
  let summary = "on_true where pred holds, else on_false";
  let arguments = (ins PredTensor:$pred, Tensor:$on_true, Tensor:$on_false);
  let results = (outs Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` "
                       "`->` type(results)";
}

class ChloPair<string mnemonic, string first, string second, string text> : Chlo_Op<mnemonic, [Pure, ChloSameBaselineType]> {
  let summary = text;
  let assemblyFormat = "$" # first # " `,` $" # second # " attr-dict `:` type($" # first # ") `,` type($" # second
                       # ") `->` type($result)";
}
def NextAfterOp : ChloPair<"next_after", "x", "y", "next number from x towards y"> {
  let arguments = (ins FloatTensor:$x, FloatTensor:$y);
  let results = (outs FloatTensor:$result);
}
def PolygammaOp : ChloPair<"polygamma", "n", "x", "n-th derivative of digamma"> {
  let arguments = (ins FloatTensor:$n, FloatTensor:$x);
  let results = (outs FloatTensor:$result);
}
def ZetaOp : ChloPair<"zeta", "x", "q", "Hurwitz zeta function"> {
  let arguments = (ins FloatTensor:$x, FloatTensor:$q);
  let results = (outs FloatTensor:$result);
}
def MulhiOp : ChloPair<"mulhi", "lhs", "rhs", "upper half of the double-width product"> {
  let arguments = (ins IntTensor:$lhs, IntTensor:$rhs);
  let results = (outs IntTensor:$result);
}

def ConstantOp : Chlo_Op<"constant", [Pure, ConstantLike]> {
  let hasVerifier = 1;
  let summary = "a literal";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs PlainTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}
def ConstantLikeOp : Chlo_Op<"constant_like"> {
  let hasVerifier = 1;
  let summary = "a number repeated in the shape of operand";
  let arguments = (ins TypedAttrInterface:$value, PlainTensor:$operand);
  let results = (outs PlainTensor:$result);
}
/// Upstream's top_k accepts unranked tensors; such an operation parses but does not run.
def TensorOrUnranked
    : Type<Or<[Tensor.predicate, CPred<"::llvm::isa<::mlir::UnrankedTensorType>($_self)">]>,
           "tensor of a supported or per-tensor quantized element type", "::mlir::TensorType">;
def TopKOp : Chlo_Op<"top_k"> {
  let hasVerifier = 1;
  let summary = "the k largest elements of the last dimension and where they are";
  let useCustomPropertiesEncoding = 1; // OlderProperties.cpp
  let arguments = (ins TensorOrUnranked:$operand, I64Attr:$k, DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs TensorOrUnranked:$values, TensorOrUnranked:$indices);
  let assemblyFormat = "`(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict "
                       "`:` type($operand) `->` `(` type($values) `,` type($indices) `)`";
}
def RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let hasVerifier = 1;
  let summary = "dot of lhs with the matrix of rhs that its group names";
  let arguments = (ins Tensor:$lhs, Tensor:$rhs, IntTensor:$group_sizes,
                       RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
                       OptionalAttr<ChloPrecisionConfigAttr>:$precision_config);
  let results = (outs Tensor:$result);
}
def ScanOp : Chlo_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects,
                              IsolatedFromAbove]> {
  let hasVerifier = 1;
  let summary = "body applied to each slice of inputs, with values carried from one to the next";
  let arguments = (ins Variadic<Tensor>:$inputs, Variadic<Tensor>:$inits, I64Attr:$dimension,
                       OptionalAttr<I64Attr>:$scan_dim_size, DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<Tensor>:$outputs, Variadic<Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

#endif // ASSAY_DIALECT_CHLO
