//===- Enums.td - enumerations of the stablehlo dialect ----------------------------------------------------------------===//
//
// Each enumeration is written bare in the short syntax (`compare LT, ...`) and as `#stablehlo<comparison_direction LT>`
// in the generic one.
//
//===------------------------------------------------------------------------------------------------------------------===//
#ifndef ASSAY_DIALECT_ENUMS
#define ASSAY_DIALECT_ENUMS

include "assay/dialect/Base.td"

class StableEnum<string cppName, list<I32EnumAttrCase> cases> : I32EnumAttr<cppName, "", cases> {
  let cppNamespace = "::assay::stablehlo";
  let genSpecializedAttr = 0;
}
class StableEnumAttr<I32EnumAttr enum, string name> : EnumAttr<Stablehlo_Dialect, enum, name>;

def ComparisonDirection
    : StableEnum<"ComparisonDirection", [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
                                         I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def ComparisonDirectionAttr : StableEnumAttr<ComparisonDirection, "comparison_direction">;

def ComparisonType
    : StableEnum<"ComparisonType", [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
                                    I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
                                    I32EnumAttrCase<"UNSIGNED", 4>]>;
def ComparisonTypeAttr : StableEnumAttr<ComparisonType, "comparison_type">;

def FftType : StableEnum<"FftType", [I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>,
                                     I32EnumAttrCase<"IRFFT", 3>]>;
def FftTypeAttr : StableEnumAttr<FftType, "fft_type">;

def Precision : StableEnum<"Precision", [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
                                         I32EnumAttrCase<"HIGHEST", 2>]>;
def PrecisionAttr : StableEnumAttr<Precision, "precision">;
def PrecisionConfigAttr : TypedArrayAttrBase<PrecisionAttr, "array of precisions">;

def ResultAccuracyMode : StableEnum<"ResultAccuracyMode", [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
                                                           I32EnumAttrCase<"TOLERANCE", 2>]>;
def ResultAccuracyModeAttr : StableEnumAttr<ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def RngAlgorithm : StableEnum<"RngAlgorithm", [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
                                               I32EnumAttrCase<"PHILOX", 2>]>;
def RngAlgorithmAttr : StableEnumAttr<RngAlgorithm, "rng_algorithm">;

def RngDistribution : StableEnum<"RngDistribution", [I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def RngDistributionAttr : StableEnumAttr<RngDistribution, "rng_distribution">;

def Transpose : StableEnum<"Transpose", [I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
                                         I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def TransposeAttr : StableEnumAttr<Transpose, "transpose">;

/// Written as a plain i32 number.
def CustomCallApiVersionAttr
    : I32EnumAttr<"CustomCallApiVersion", "version of the calling convention of a custom call",
                  [I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
                   I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
                   I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
                   I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::assay::stablehlo";
}

#endif // ASSAY_DIALECT_ENUMS
