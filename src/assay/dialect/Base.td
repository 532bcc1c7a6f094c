//===- Base.td - the stablehlo dialect, its element kinds and its op classes ------------------------------------------===//
//
// Definitions that all families of operations (Elementwise.td, Shape.td, ...) share: the dialect record, the tensor
// constraints and the base classes. A constraint is a mask of element kinds that one C++ function (ElementKinds.h)
// checks, so that the generated code stays small. Operands, attributes and regions have the names of the StableHLO
// specification, because the generic form uses them.
//
//===------------------------------------------------------------------------------------------------------------------===//
#ifndef ASSAY_DIALECT_BASE
#define ASSAY_DIALECT_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::assay::stablehlo";
  let summary = "Tensor programs as frameworks export them";
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;

    void registerAttributes();
    void registerTypes();
    void registerElementwiseOps();
    void registerShapeOps();
    void registerLinearOps();
    void registerIndexOps();
    void registerWindowOps();
    void registerControlOps();
    void registerCollectiveOps();
    void registerQuantRandomOps();
  }];
}

// --- Tensors by element kind -----------------------------------------------------------------------------------------

class TensorOfKinds<list<string> kinds, string text>
    : Type<CPred<"::assay::stablehlo::isTensorOf($_self, " # !interleave(kinds, " | ") # ")">, text, "::mlir::RankedTensorType">;
class ScalarOfKinds<list<string> kinds, string text>
    : Type<CPred<"::assay::stablehlo::isScalarOf($_self, " # !interleave(kinds, " | ") # ")">, text, "::mlir::RankedTensorType">;
class VectorOfKinds<list<string> kinds, string text>
    : Type<CPred<"::assay::stablehlo::isVectorOf($_self, " # !interleave(kinds, " | ") # ")">, text, "::mlir::RankedTensorType">;

defvar anyKind = "::assay::stablehlo::kAnyElement";
defvar quantKind = "::assay::stablehlo::kQuantPerTensor";
defvar quantAnyKind = "::assay::stablehlo::kQuant";
defvar predKind = "::assay::stablehlo::kPred";
defvar intKind = "::assay::stablehlo::kInt";
defvar floatKind = "::assay::stablehlo::kFloat";
defvar complexKind = "::assay::stablehlo::kComplex";
defvar indexKind = "::assay::stablehlo::kIndex";

def TensorQ : TensorOfKinds<[anyKind, quantAnyKind], "tensor of a supported or quantized element type">;
def Tensor : TensorOfKinds<[anyKind, quantKind], "tensor of a supported or per-tensor quantized element type">;
def PlainTensor : TensorOfKinds<[anyKind], "tensor of a supported, not quantized element type">;
def PredTensor : TensorOfKinds<[predKind], "tensor of i1">;
def IntTensor : TensorOfKinds<[intKind], "tensor of integers">;
def PredOrIntTensor : TensorOfKinds<[predKind, intKind], "tensor of i1 or integers">;
def FloatTensor : TensorOfKinds<[floatKind], "tensor of floating-point numbers">;
def ComplexTensor : TensorOfKinds<[complexKind], "tensor of complex numbers">;
def FloatOrComplexTensor : TensorOfKinds<[floatKind, complexKind], "tensor of floating-point or complex numbers">;
def FloatQTensor : TensorOfKinds<[floatKind, quantKind], "tensor of floating-point numbers or quantized">;
def FloatComplexQTensor
    : TensorOfKinds<[floatKind, complexKind, quantKind],
                    "tensor of floating-point or complex numbers or quantized">;
def NumberQTensor
    : TensorOfKinds<[intKind, floatKind, complexKind, quantKind],
                    "tensor of integers, floating-point or complex numbers or quantized">;
def NumberTensor
    : TensorOfKinds<[intKind, floatKind, complexKind],
                    "tensor of integers, floating-point or complex numbers">;
def IntOrFloatTensor : TensorOfKinds<[intKind, floatKind], "tensor of integers or floating-point numbers">;
def PredIntOrFloatTensor
    : TensorOfKinds<[predKind, intKind, floatKind], "tensor of i1, integers or floating-point numbers">;
def QuantTensor : TensorOfKinds<[quantAnyKind], "quantized tensor">;
def FloatOrQuantTensor : TensorOfKinds<[floatKind, quantAnyKind], "tensor of floating-point numbers or quantized">;
def I32Scalar : Type<CPred<"::assay::stablehlo::isI32Scalar($_self)">, "0-dimensional tensor of i32",
                     "::mlir::RankedTensorType">;
def UI32Scalar : Type<CPred<"::assay::stablehlo::isUI32Scalar($_self)">, "0-dimensional tensor of ui32",
                      "::mlir::RankedTensorType">;
def IntScalar : ScalarOfKinds<[intKind], "0-dimensional tensor of integers">;
def ScalarTensor : ScalarOfKinds<[anyKind, quantKind], "0-dimensional tensor">;
def PredIntOrFloatScalar
    : ScalarOfKinds<[predKind, intKind, floatKind], "0-dimensional tensor of i1, integers or floats">;
def FloatQVector : VectorOfKinds<[floatKind, quantKind], "1-dimensional tensor of floats or quantized">;
def ShapeVector : VectorOfKinds<[intKind, indexKind], "1-dimensional tensor of integers or index">;
def IntOrIndexTensor : TensorOfKinds<[intKind, indexKind], "tensor of integers or index">;

// --- Other values ----------------------------------------------------------------------------------------------------

def TokenValue : Type<CPred<"::llvm::isa<::assay::stablehlo::TokenType>($_self)">, "token",
                      "::assay::stablehlo::TokenType">;
def FutureValue : Type<CPred<"::llvm::isa<::assay::stablehlo::FutureType>($_self)">, "future",
                       "::assay::stablehlo::FutureType">;
def TupleValue : Type<CPred<"::llvm::isa<::mlir::TupleType>($_self)">, "tuple", "::mlir::TupleType">;
/// A value that control flow may carry: tensor, token, or buffer (memref), which parses but does not run.
def FlowValue : Type<CPred<"::assay::stablehlo::isFlowType($_self)">, "tensor, token or buffer">;
/// Any value of the dialect: a flow value or a (nested) tuple.
def AnyValue : Type<CPred<"::assay::stablehlo::isValueType($_self)">, "tensor, token, tuple or buffer">;

// --- Attributes without a class --------------------------------------------------------------------------------------

/// Replica groups: a 2-dimensional dense table of ids, or axes of a named mesh.
def ReplicaGroupsAttr : Attr<CPred<"::assay::stablehlo::isReplicaGroups($_self)">,
                             "2-dimensional i64 elements or mesh axes"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}
def BackendConfigAttr : Attr<CPred<"::llvm::isa<::mlir::StringAttr, ::mlir::DictionaryAttr>($_self)">,
                             "string or dictionary"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

// --- Op classes ------------------------------------------------------------------------------------------------------

class Stablehlo_Op<string mnemonic, list<Trait> traits = []> : Op<Stablehlo_Dialect, mnemonic, traits>;

// Endings of the short syntax.
defvar functionTail = " attr-dict `:` functional-type(operands, results)";

#endif // ASSAY_DIALECT_BASE
