//===- Attrs.td - attributes and types with parameters -----------------------------------------------------------------===//
//
// Dimension numbers and similar attributes. Their text is a list of named fields in any order; empty ones are omitted.
// Attrs.cpp reads and writes it.
//
//===------------------------------------------------------------------------------------------------------------------===//
#ifndef ASSAY_DIALECT_ATTRS
#define ASSAY_DIALECT_ATTRS

include "assay/dialect/Base.td"
include "assay/dialect/Enums.td"
include "mlir/IR/TensorEncoding.td"

class Stablehlo_Attr<string cppName, string name, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, cppName, traits> {
  let mnemonic = name;
}
/// An attribute whose text Attrs.cpp parses and prints.
class Stablehlo_TextAttr<string cppName, string name> : Stablehlo_Attr<cppName, name> {
  let hasCustomAssemblyFormat = 1;
}
class Dims<string text> : ArrayRefParameter<"int64_t", text>;

def DotDimensionNumbersAttr : Stablehlo_TextAttr<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions of a dot product are batch and which are summed over";
  let parameters = (ins Dims<"batch dimensions of lhs">:$lhsBatchingDimensions,
                        Dims<"batch dimensions of rhs">:$rhsBatchingDimensions,
                        Dims<"summed dimensions of lhs">:$lhsContractingDimensions,
                        Dims<"summed dimensions of rhs">:$rhsContractingDimensions);
}

def DotAlgorithmAttr : Stablehlo_TextAttr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "how the products of a dot are to be computed";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
                        "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount, "int64_t":$rhsComponentCount,
                        "int64_t":$numPrimitiveOperations, "bool":$allowImpreciseAccumulation);
}

def ConvDimensionNumbersAttr : Stablehlo_TextAttr<"ConvDimensionNumbers", "conv"> {
  let summary = "the role of each dimension of a convolution's operands and result";
  let parameters = (ins "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
                        Dims<"spatial dimensions of the input">:$inputSpatialDimensions,
                        "int64_t":$kernelInputFeatureDimension, "int64_t":$kernelOutputFeatureDimension,
                        Dims<"spatial dimensions of the kernel">:$kernelSpatialDimensions,
                        "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
                        Dims<"spatial dimensions of the output">:$outputSpatialDimensions);
}

def GatherDimensionNumbersAttr : Stablehlo_TextAttr<"GatherDimensionNumbers", "gather"> {
  let summary = "how gather maps indices to slices and slices to the result";
  let parameters = (ins Dims<"result dimensions within a slice">:$offsetDims,
                        Dims<"operand dimensions dropped from a slice">:$collapsedSliceDims,
                        Dims<"batch dimensions of operand">:$operandBatchingDims,
                        Dims<"batch dimensions of start_indices">:$startIndicesBatchingDims,
                        Dims<"operand dimension of each index component">:$startIndexMap,
                        "int64_t":$indexVectorDim);
}

def ScatterDimensionNumbersAttr : Stablehlo_TextAttr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "how scatter maps indices and updates to windows of its inputs";
  let parameters = (ins Dims<"update dimensions within a window">:$updateWindowDims,
                        Dims<"input dimensions added to a window">:$insertedWindowDims,
                        Dims<"batch dimensions of inputs">:$inputBatchingDims,
                        Dims<"batch dimensions of scatter_indices">:$scatterIndicesBatchingDims,
                        Dims<"input dimension of each index component">:$scatterDimsToOperandDims,
                        "int64_t":$indexVectorDim);
}

def ResultAccuracyAttr : Stablehlo_TextAttr<"ResultAccuracy", "result_accuracy"> {
  let summary = "the accuracy asked of a transcendental function";
  let genVerifyDecl = 1;
  let parameters = (ins APFloatParameter<"absolute tolerance">:$atol, APFloatParameter<"relative tolerance">:$rtol,
                        "int64_t":$ulps, "::assay::stablehlo::ResultAccuracyModeAttr":$mode);
  let extraClassDeclaration = [{
    /// Mode DEFAULT: no accuracy is requested.
    static ResultAccuracyAttr getDefault(::mlir::MLIRContext *context);
  }];
}
/// The result_accuracy argument of functions; omitted when DEFAULT.
def AccuracyArg : DefaultValuedAttr<ResultAccuracyAttr, "::assay::stablehlo::ResultAccuracyMode::DEFAULT"> {
  let constBuilderCall = "::assay::stablehlo::ResultAccuracyAttr::getDefault($_builder.getContext())";
}

def ChannelHandleAttr : Stablehlo_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "number and kind of the channel of a collective";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def OutputOperandAliasAttr : Stablehlo_TextAttr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "says that an output of a custom call shares the memory of an operand";
  let parameters = (ins Dims<"path of the output within the result tuple">:$outputTupleIndices,
                        "int64_t":$operandIndex, Dims<"path within the operand tuple">:$operandTupleIndices);
}

/// Upper bounds of dynamic dimensions, in the encoding of a tensor type; written `#stablehlo.bounds<4, ?>`.
def TypeExtensionsAttr
    : Stablehlo_Attr<"TypeExtensions", "bounds", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let parameters = (ins Dims<"a bound, or dynamic, per dimension">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def SubAxisInfoAttr : Stablehlo_TextAttr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "a part of a mesh axis, written (pre-size)size";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
}
def MeshAxisAttr : Stablehlo_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "a named axis of a mesh";
  let parameters = (ins StringRefParameter<"name">:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}
def AxisRefAttr : Stablehlo_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis or a part of one";
  let parameters = (ins StringRefParameter<"axis">:$name,
                        OptionalParameter<"::assay::stablehlo::SubAxisInfoAttr", "part of it">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}
def MeshAttr : Stablehlo_TextAttr<"Mesh", "mesh"> {
  let summary = "the axes of a mesh of devices";
  let parameters = (ins ArrayRefParameter<"::assay::stablehlo::MeshAxisAttr", "axes">:$axes,
                        OptionalParameter<"::mlir::DenseIntElementsAttr", "device ids">:$device_ids);
}
def ReplicaGroupMeshAxesAttr : Stablehlo_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "replica groups given as axes of a mesh";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
}

// --- Types -----------------------------------------------------------------------------------------------------------

def TokenType : TypeDef<Stablehlo_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "orders side effects";
}
def FutureType : TypeDef<Stablehlo_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "results that async_done waits for";
  let parameters = (ins ArrayRefParameter<"::mlir::Type", "types of the results">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

#endif // ASSAY_DIALECT_ATTRS
