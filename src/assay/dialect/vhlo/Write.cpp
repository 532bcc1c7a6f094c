// Writes StableHLO's types and attributes in VHLO's form, the inverse of
// Bytecode.cpp. Nested types and attributes are passed to the writer again, as
// ValueAttr and ValueType.
#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/vhlo/Wire.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(assay::vhlo::ValueAttr)
MLIR_DEFINE_EXPLICIT_TYPE_ID(assay::vhlo::ValueType)

namespace assay::vhlo {

using namespace mlir;
using Writer = DialectBytecodeWriter;

ValueAttr ValueAttr::get(Attribute value, uint64_t code) {
  return Base::get(value.getContext(), value, code);
}
Attribute ValueAttr::getValue() const { return getImpl()->value; }
uint64_t ValueAttr::getCode() const { return getImpl()->code; }

ValueType ValueType::get(Type type) {
  return Base::get(type.getContext(), type);
}
Type ValueType::getType() const { return getImpl()->type; }

static void writeNested(Type type, Writer &writer) {
  writer.writeType(ValueType::get(type));
}

static void writeNested(TypeRange types, Writer &writer) {
  llvm::SmallVector<Type> list(types);
  writer.writeList(list, [&](Type type) { writeNested(type, writer); });
}

void Need::raise(llvm::StringRef since) {
  version = std::max(version, *Version::parse(since));
}

//===--- Types -----------------------------------------------------------===//

Type plainType(uint64_t code, MLIRContext *context) {
  switch (code) {
#define VHLO_TYPE(CODE, SINCE, TYPE)                                           \
  case CODE:                                                                   \
    return TYPE;
#include "assay/dialect/vhlo/Types.def"
#undef VHLO_TYPE
  default:
    return {};
  }
}

static LogicalResult writePlain(Type type, Writer &writer, Need &need) {
  MLIRContext *context = type.getContext();
#define VHLO_TYPE(CODE, SINCE, TYPE)                                           \
  if (type == Type(TYPE)) {                                                    \
    need.raise(SINCE);                                                         \
    return writer.writeVarInt(CODE), success();                                \
  }
#include "assay/dialect/vhlo/Types.def"
#undef VHLO_TYPE
  return failure();
}

/// Writes flags, storage and expressed type, with which both quantised types
/// begin.
static void beginQuantized(uint64_t code, quant::QuantizedType type,
                           Writer &writer) {
  writer.writeVarInt(code);
  writer.writeVarInt(type.getFlags());
  writeNested(type.getStorageType(), writer);
  writeNested(type.getExpressedType(), writer);
}

static LogicalResult write(quant::UniformQuantizedType type, Writer &writer) {
  beginQuantized(kQuantizedType, type, writer);
  writer.writeAPFloatWithKnownSemantics(APFloat(type.getScale()));
  writer.writeSignedVarInt(type.getZeroPoint());
  writer.writeSignedVarInt(type.getStorageTypeMin());
  writer.writeSignedVarInt(type.getStorageTypeMax());
  return success();
}

static LogicalResult write(quant::UniformQuantizedPerAxisType type,
                           Writer &writer) {
  beginQuantized(kPerAxisType, type, writer);
  writer.writeVarInt(static_cast<uint64_t>(type.getQuantizedDimension()));
  writer.writeSignedVarInt(type.getStorageTypeMin());
  writer.writeSignedVarInt(type.getStorageTypeMax());
  writer.writeList(type.getScales(), [&](double scale) {
    writer.writeAPFloatWithKnownSemantics(APFloat(scale));
  });
  writer.writeSignedVarInts(type.getZeroPoints());
  return success();
}

static LogicalResult write(RankedTensorType type, Writer &writer) {
  writer.writeVarInt(type.getEncoding() ? kBoundedTensorType : kTensorType);
  if (type.getEncoding())
    writer.writeAttribute(ValueAttr::get(type.getEncoding()));
  writer.writeSignedVarInts(type.getShape());
  writeNested(type.getElementType(), writer);
  return success();
}

LogicalResult writeType(ValueType type, Writer &writer, Need &need) {
  return llvm::TypeSwitch<Type, LogicalResult>(type.getType())
      .Case<RankedTensorType>([&](auto a) { return write(a, writer); })
      .Case<quant::UniformQuantizedType>(
          [&](auto a) { return write(a, writer); })
      .Case<quant::UniformQuantizedPerAxisType>([&](auto a) {
        need.raise("0.18.0");
        return write(a, writer);
      })
      .Case([&](ComplexType a) {
        writer.writeVarInt(kComplexType);
        return writeNested(a.getElementType(), writer), success();
      })
      .Case([&](FunctionType a) {
        writer.writeVarInt(kFunctionType);
        writeNested(TypeRange(a.getInputs()), writer);
        return writeNested(TypeRange(a.getResults()), writer), success();
      })
      .Case([&](TupleType a) {
        writer.writeVarInt(kTupleType);
        return writeNested(TypeRange(a.getTypes()), writer), success();
      })
      .Case([&](UnrankedTensorType a) {
        writer.writeVarInt(kUnrankedType);
        return writeNested(a.getElementType(), writer), success();
      })
      .Case([&](MemRefType a) -> LogicalResult {
        if (!a.getLayout().isIdentity() || a.getMemorySpace())
          return failure();
        need.raise("1.13.0");
        writer.writeVarInt(kBufferType);
        writer.writeSignedVarInts(a.getShape());
        return writeNested(a.getElementType(), writer), success();
      })
      .Case([&](stablehlo::FutureType a) {
        need.raise("1.15.0");
        writer.writeVarInt(kFutureType);
        return writeNested(TypeRange(a.getTypes()), writer), success();
      })
      .Default([&](Type a) { return writePlain(a, writer, need); });
}

//===--- Attributes ------------------------------------------------------===//

static void writeNested(Attribute attribute, Writer &writer) {
  writer.writeAttribute(ValueAttr::get(attribute));
}

static LogicalResult writeTensor(Type type, ArrayRef<char> bytes,
                                 Writer &writer) {
  writer.writeVarInt(kTensor);
  writeNested(type, writer);
  return writer.writeOwnedBlob(bytes), success();
}

static LogicalResult write(DenseResourceElementsAttr a, Writer &writer) {
  AsmResourceBlob *blob = a.getRawHandle().getBlob();
  if (!blob)
    return failure();
  auto type = llvm::dyn_cast<RankedTensorType>(a.getType());
  if (!type || !type.getElementType().isInteger(1))
    return writeTensor(a.getType(), blob->getData(), writer);
  // Booleans are one byte each in VHLO and one bit each here.
  auto bools =
      llvm::map_to_vector(blob->getData(), [](char byte) { return byte != 0; });
  if (static_cast<int64_t>(bools.size()) != type.getNumElements())
    return failure();
  return writeTensor(
      type,
      llvm::cast<DenseIntOrFPElementsAttr>(DenseElementsAttr::get(type, bools))
          .getRawData(),
      writer);
}

static LogicalResult writeDictionary(DictionaryAttr a, Writer &writer) {
  writer.writeVarInt(kDictionary);
  writer.writeList(a, [&](NamedAttribute entry) {
    writeNested(entry.getName(), writer);
    writeNested(entry.getValue(), writer);
  });
  return success();
}

/// Writes a list of numbers as a tensor of one dimension.
template <typename Array>
static LogicalResult writeArray(Array a, Type element, Writer &writer) {
  auto type = RankedTensorType::get({static_cast<int64_t>(a.size())}, element);
  auto dense = llvm::cast<DenseIntOrFPElementsAttr>(
      DenseElementsAttr::get(type, a.asArrayRef()));
  return writeTensor(type, dense.getRawData(), writer);
}

/// Writes meshes of devices, their axes, and replica groups that name them;
/// failure for other attributes.
static LogicalResult writeOfMesh(Attribute attribute, Writer &writer) {
  auto name = [&](llvm::StringRef text) {
    writeNested(StringAttr::get(attribute.getContext(), text), writer);
  };
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](stablehlo::SubAxisInfoAttr a) {
        writer.writeVarInt(kSubAxis);
        writer.writeSignedVarInt(a.getPreSize());
        return writer.writeSignedVarInt(a.getSize()), success();
      })
      .Case([&](stablehlo::AxisRefAttr a) {
        writer.writeVarInt(kAxis);
        name(a.getName());
        writer.writeVarInt(a.getSubAxisInfo() ? 1 : 0);
        if (a.getSubAxisInfo())
          writeNested(a.getSubAxisInfo(), writer);
        return success();
      })
      .Case([&](stablehlo::ReplicaGroupMeshAxesAttr a) {
        writer.writeVarInt(kMeshGroups);
        writeNested(a.getMesh(), writer);
        return writeNested(a.getAxes(), writer), success();
      })
      .Case([&](stablehlo::MeshAxisAttr a) {
        writer.writeVarInt(kMeshAxis);
        name(a.getName());
        return writer.writeSignedVarInt(a.getSize()), success();
      })
      .Case([&](stablehlo::MeshAttr a) {
        llvm::SmallVector<Attribute> axes(a.getAxes());
        writer.writeVarInt(kMesh);
        writeNested(ArrayAttr::get(a.getContext(), axes), writer);
        writer.writeOptionalAttribute(
            a.getDeviceIds() ? ValueAttr::get(a.getDeviceIds()) : Attribute());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

/// Writes StableHLO's own attributes: enumerations, accuracies, aliases,
/// bounds.
static LogicalResult writeOwn(Attribute attribute, Writer &writer, Need &need) {
  using namespace stablehlo;
#define VHLO_ENUM(CODE, NAME)                                                  \
  if (auto a = llvm::dyn_cast<NAME##Attr>(attribute);                          \
      a && CODE != kApiVersion) {                                              \
    writer.writeVarInt(CODE);                                                  \
    writer.writeVarInt(static_cast<uint32_t>(a.getValue()));                   \
    return success();                                                          \
  }
#include "assay/dialect/vhlo/Enums.def"
#undef VHLO_ENUM
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](TypeExtensionsAttr a) {
        writer.writeVarInt(kBounds);
        return writer.writeSignedVarInts(a.getBounds()), success();
      })
      .Case([&](ResultAccuracyAttr a) {
        need.raise("1.9.0");
        writer.writeVarInt(kAccuracy);
        writer.writeAPFloatWithKnownSemantics(a.getAtol());
        writer.writeAPFloatWithKnownSemantics(a.getRtol());
        writer.writeSignedVarInt(a.getUlps());
        return writeNested(a.getMode(), writer), success();
      })
      .Case([&](OutputOperandAliasAttr a) {
        writer.writeVarInt(kAlias);
        writer.writeSignedVarInts(a.getOutputTupleIndices());
        writer.writeSignedVarInt(a.getOperandIndex());
        return writer.writeSignedVarInts(a.getOperandTupleIndices()), success();
      })
      .Default([&](Attribute a) {
        need.raise("1.16.0");
        return writeOfMesh(a, writer);
      });
}

static LogicalResult writeText(llvm::StringRef text, Writer &writer) {
  writer.writeVarInt(kString);
  return writer.writeOwnedString(text), success();
}

LogicalResult writeAttribute(ValueAttr value, Writer &writer, Need &need) {
  Attribute attribute = value.getValue();
  if (value.getCode() != 0) {
    writer.writeVarInt(value.getCode());
    auto number = llvm::cast<IntegerAttr>(attribute).getValue();
    return writer.writeVarInt(number.getZExtValue()), success();
  }
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](BoolAttr a) {
        writer.writeVarInt(kBool);
        return writer.writeVarInt(a.getValue() ? 1 : 0), success();
      })
      .Case([&](IntegerAttr a) {
        writer.writeVarInt(kInteger);
        writeNested(a.getType(), writer);
        return writer.writeAPIntWithKnownWidth(a.getValue()), success();
      })
      .Case([&](FloatAttr a) {
        writer.writeVarInt(kFloat);
        writeNested(a.getType(), writer);
        return writer.writeAPFloatWithKnownSemantics(a.getValue()), success();
      })
      .Case([&](StringAttr a) { return writeText(a.getValue(), writer); })
      .Case(
          [&](FlatSymbolRefAttr a) { return writeText(a.getValue(), writer); })
      .Case([&](TypeAttr a) {
        writer.writeVarInt(kType);
        return writeNested(a.getValue(), writer), success();
      })
      .Case([&](ArrayAttr a) {
        writer.writeVarInt(kArray);
        writer.writeList(a, [&](Attribute one) { writeNested(one, writer); });
        return success();
      })
      .Case([&](DictionaryAttr a) { return writeDictionary(a, writer); })
      .Case([&](DenseIntOrFPElementsAttr a) {
        return writeTensor(a.getType(), a.getRawData(), writer);
      })
      .Case([&](DenseResourceElementsAttr a) { return write(a, writer); })
      .Case([&](DenseI64ArrayAttr a) {
        return writeArray(a, IntegerType::get(a.getContext(), 64), writer);
      })
      .Case([&](DenseBoolArrayAttr a) {
        return writeArray(a, IntegerType::get(a.getContext(), 1), writer);
      })
      .Default([&](Attribute a) { return writeOwn(a, writer, need); });
}

} // namespace assay::vhlo
