// The attributes and types of stablehlo in MLIR bytecode, in upstream's
// encoding: the `write_bytecode` output of JAX's modules can be read here, and
// that of `assay-opt --emit-bytecode` by upstream. Mesh attributes are written
// as text, which every reader accepts.
// Source: openxla/stablehlo docs/bytecode.md; its codes never change.
#include "assay/dialect/StablehloBytecode.h"
#include "assay/dialect/StablehloAttrs.h"

#include "llvm/ADT/TypeSwitch.h"

namespace assay::stablehlo {

using namespace mlir;
using bytecode::Fields;
using bytecode::readEnum;
using Reader = DialectBytecodeReader;
using Writer = DialectBytecodeWriter;

namespace {
enum Code : uint64_t {
  kChannel = 1,
  kDirection,
  kComparison,
  kConvolution,
  kDot,
  kFft,
  kGather,
  kPrecision,
  kRngAlgorithm,
  kRngDistribution,
  kScatter,
  kTranspose,
  kBounds,
  kAlias,
  kDotAlgorithm,
  kAccuracyMode,
  kAccuracy
};

class Interface : public BytecodeDialectInterface {
public:
  explicit Interface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  Attribute readAttribute(Reader &reader) const override;
  Type readType(Reader &reader) const override;
  LogicalResult writeAttribute(Attribute attr, Writer &writer) const override;
  LogicalResult writeType(Type type, Writer &writer) const override;
  std::unique_ptr<DialectVersion> readVersion(Reader &reader) const override {
    return bytecode::readAnyVersion(reader);
  }
};
} // namespace

//===--- Reading ---------------------------------------------------------===//

static Attribute readEnumOf(uint64_t code, Reader &reader) {
  switch (code) {
  case kDirection:
    return readEnum<ComparisonDirectionAttr>(
        reader, [](uint32_t i) { return symbolizeComparisonDirection(i); });
  case kComparison:
    return readEnum<ComparisonTypeAttr>(
        reader, [](uint32_t i) { return symbolizeComparisonType(i); });
  case kFft:
    return readEnum<FftTypeAttr>(
        reader, [](uint32_t i) { return symbolizeFftType(i); });
  case kPrecision:
    return readEnum<PrecisionAttr>(
        reader, [](uint32_t i) { return symbolizePrecision(i); });
  case kRngAlgorithm:
    return readEnum<RngAlgorithmAttr>(
        reader, [](uint32_t i) { return symbolizeRngAlgorithm(i); });
  case kRngDistribution:
    return readEnum<RngDistributionAttr>(
        reader, [](uint32_t i) { return symbolizeRngDistribution(i); });
  case kTranspose:
    return readEnum<TransposeAttr>(
        reader, [](uint32_t i) { return symbolizeTranspose(i); });
  case kAccuracyMode:
    return readEnum<ResultAccuracyModeAttr>(
        reader, [](uint32_t i) { return symbolizeResultAccuracyMode(i); });
  default:
    return reader.emitError("no attribute of stablehlo that is known here has "
                            "the code ")
               << code,
           Attribute();
  }
}

static Attribute readDotAlgorithm(Fields &in) {
  Type lhs = in.type(), rhs = in.type(), sum = in.type();
  int64_t left = in.integer(), right = in.integer(), products = in.integer();
  bool imprecise = false;
  in.ok =
      in.ok && succeeded(in.reader.readBool(imprecise)) && lhs && rhs && sum;
  return in.ok ? DotAlgorithmAttr::get(in.reader.getContext(), lhs, rhs, sum,
                                       left, right, products, imprecise)
               : Attribute();
}

Attribute readAccuracy(Fields &in) {
  APFloat absolute = in.real(), relative = in.real();
  int64_t ulps = in.integer();
  ResultAccuracyModeAttr mode;
  if (!in.ok || failed(in.reader.readAttribute(mode)))
    return {};
  return ResultAccuracyAttr::getChecked(
      [&] { return in.reader.emitError("result_accuracy: "); },
      in.reader.getContext(), absolute, relative, ulps, mode);
}

Attribute readAlias(Fields &in) {
  auto output = in.list();
  int64_t index = in.integer();
  auto operand = in.list();
  return in.ok ? OutputOperandAliasAttr::get(in.reader.getContext(), output,
                                             index, operand)
               : Attribute();
}

/// Reads dimension numbers: lists and numbers in the order of the parameters.
static Attribute readNumbers(uint64_t code, Fields &in) {
  MLIRContext *context = in.reader.getContext();
  if (code == kConvolution) {
    int64_t batch = in.integer(), feature = in.integer();
    auto spatial = in.list();
    int64_t kernelIn = in.integer(), kernelOut = in.integer();
    auto kernel = in.list();
    int64_t outBatch = in.integer(), outFeature = in.integer();
    auto output = in.list();
    return ConvDimensionNumbersAttr::get(context, batch, feature, spatial,
                                         kernelIn, kernelOut, kernel, outBatch,
                                         outFeature, output);
  }
  auto a = in.list(), b = in.list(), c = in.list(), d = in.list();
  if (code == kDot)
    return DotDimensionNumbersAttr::get(context, a, b, c, d);
  auto e = in.list();
  int64_t vector = in.integer();
  if (code == kGather)
    return GatherDimensionNumbersAttr::get(context, a, b, c, d, e, vector);
  return ScatterDimensionNumbersAttr::get(context, a, b, c, d, e, vector);
}

Attribute Interface::readAttribute(Reader &reader) const {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code)))
    return {};
  Fields in{reader};
  Attribute result;
  switch (code) {
  case kChannel: {
    int64_t handle = in.integer(), type = in.integer();
    result = ChannelHandleAttr::get(getContext(), handle, type);
    break;
  }
  case kConvolution:
  case kDot:
  case kGather:
  case kScatter:
    result = readNumbers(code, in);
    break;
  case kBounds:
    result = TypeExtensionsAttr::get(getContext(), in.list());
    break;
  case kAlias:
    return readAlias(in);
  case kDotAlgorithm:
    return readDotAlgorithm(in);
  case kAccuracy:
    return readAccuracy(in);
  default:
    if (std::optional<Attribute> made = readOfMesh(code, in))
      return *made;
    return readEnumOf(code, reader);
  }
  return in.ok ? result : Attribute();
}

Type Interface::readType(Reader &reader) const {
  uint64_t code = 0;
  llvm::SmallVector<Type> types;
  if (failed(reader.readVarInt(code)))
    return {};
  if (code == 0)
    return TokenType::get(getContext());
  if (code == 1)
    return succeeded(reader.readTypes(types))
               ? Type(FutureType::getChecked(
                     [&] { return reader.emitError("a future's type: "); },
                     getContext(), ArrayRef<Type>(types)))
               : Type();
  return reader.emitError("no type of stablehlo has the code ") << code, Type();
}

//===--- Writing ---------------------------------------------------------===//

static void writeAll(Writer &writer, uint64_t code,
                     std::initializer_list<ArrayRef<int64_t>> lists) {
  writer.writeVarInt(code);
  for (ArrayRef<int64_t> list : lists)
    writer.writeSignedVarInts(list);
}

static void write(Writer &writer, ConvDimensionNumbersAttr a) {
  writer.writeVarInt(kConvolution);
  writer.writeSignedVarInt(a.getInputBatchDimension());
  writer.writeSignedVarInt(a.getInputFeatureDimension());
  writer.writeSignedVarInts(a.getInputSpatialDimensions());
  writer.writeSignedVarInt(a.getKernelInputFeatureDimension());
  writer.writeSignedVarInt(a.getKernelOutputFeatureDimension());
  writer.writeSignedVarInts(a.getKernelSpatialDimensions());
  writer.writeSignedVarInt(a.getOutputBatchDimension());
  writer.writeSignedVarInt(a.getOutputFeatureDimension());
  writer.writeSignedVarInts(a.getOutputSpatialDimensions());
}

static void write(Writer &writer, DotAlgorithmAttr a) {
  writer.writeVarInt(kDotAlgorithm);
  writer.writeType(a.getLhsPrecisionType());
  writer.writeType(a.getRhsPrecisionType());
  writer.writeType(a.getAccumulationType());
  writer.writeSignedVarInt(a.getLhsComponentCount());
  writer.writeSignedVarInt(a.getRhsComponentCount());
  writer.writeSignedVarInt(a.getNumPrimitiveOperations());
  writer.writeOwnedBool(a.getAllowImpreciseAccumulation());
}

static void write(Writer &writer, ResultAccuracyAttr a) {
  writer.writeVarInt(kAccuracy);
  writer.writeAPFloatWithKnownSemantics(a.getAtol());
  writer.writeAPFloatWithKnownSemantics(a.getRtol());
  writer.writeSignedVarInt(a.getUlps());
  writer.writeAttribute(a.getMode());
}

static void write(Writer &writer, OutputOperandAliasAttr a) {
  writeAll(writer, kAlias, {a.getOutputTupleIndices()});
  writer.writeSignedVarInt(a.getOperandIndex());
  writer.writeSignedVarInts(a.getOperandTupleIndices());
}

template <typename Attr>
static void writeEnum(Writer &writer, uint64_t code, Attr attr) {
  writer.writeVarInt(code);
  writer.writeVarInt(static_cast<uint32_t>(attr.getValue()));
}

/// Writes enumerations and meshes; failure for other attributes.
static LogicalResult writeEnumOf(Attribute attr, Writer &writer) {
  return llvm::TypeSwitch<Attribute, LogicalResult>(attr)
      .Case([&](ComparisonDirectionAttr a) {
        return writeEnum(writer, kDirection, a), success();
      })
      .Case([&](ComparisonTypeAttr a) {
        return writeEnum(writer, kComparison, a), success();
      })
      .Case(
          [&](FftTypeAttr a) { return writeEnum(writer, kFft, a), success(); })
      .Case([&](PrecisionAttr a) {
        return writeEnum(writer, kPrecision, a), success();
      })
      .Case([&](RngAlgorithmAttr a) {
        return writeEnum(writer, kRngAlgorithm, a), success();
      })
      .Case([&](RngDistributionAttr a) {
        return writeEnum(writer, kRngDistribution, a), success();
      })
      .Case([&](TransposeAttr a) {
        return writeEnum(writer, kTranspose, a), success();
      })
      .Case([&](ResultAccuracyModeAttr a) {
        return writeEnum(writer, kAccuracyMode, a), success();
      })
      .Default([&](Attribute a) { return writeOfMesh(a, writer); });
}

LogicalResult Interface::writeAttribute(Attribute attr, Writer &writer) const {
  return llvm::TypeSwitch<Attribute, LogicalResult>(attr)
      .Case([&](ChannelHandleAttr a) {
        writer.writeVarInt(kChannel);
        writer.writeSignedVarInt(a.getHandle());
        writer.writeSignedVarInt(a.getType());
        return success();
      })
      .Case([&](DotDimensionNumbersAttr a) {
        writeAll(writer, kDot,
                 {a.getLhsBatchingDimensions(), a.getRhsBatchingDimensions(),
                  a.getLhsContractingDimensions(),
                  a.getRhsContractingDimensions()});
        return success();
      })
      .Case([&](GatherDimensionNumbersAttr a) {
        writeAll(writer, kGather,
                 {a.getOffsetDims(), a.getCollapsedSliceDims(),
                  a.getOperandBatchingDims(), a.getStartIndicesBatchingDims(),
                  a.getStartIndexMap()});
        return writer.writeSignedVarInt(a.getIndexVectorDim()), success();
      })
      .Case([&](ScatterDimensionNumbersAttr a) {
        writeAll(writer, kScatter,
                 {a.getUpdateWindowDims(), a.getInsertedWindowDims(),
                  a.getInputBatchingDims(), a.getScatterIndicesBatchingDims(),
                  a.getScatterDimsToOperandDims()});
        return writer.writeSignedVarInt(a.getIndexVectorDim()), success();
      })
      .Case([&](TypeExtensionsAttr a) {
        return writeAll(writer, kBounds, {a.getBounds()}), success();
      })
      .Case<ConvDimensionNumbersAttr, DotAlgorithmAttr, ResultAccuracyAttr,
            OutputOperandAliasAttr>(
          [&](auto a) { return write(writer, a), success(); })
      .Default([&](Attribute a) { return writeEnumOf(a, writer); });
}

LogicalResult Interface::writeType(Type type, Writer &writer) const {
  if (llvm::isa<TokenType>(type))
    return writer.writeVarInt(0), success();
  auto future = llvm::dyn_cast<FutureType>(type);
  if (!future)
    return failure();
  writer.writeVarInt(1);
  writer.writeTypes(future.getTypes());
  return success();
}

void addBytecode(Dialect &dialect) {
  dialect.addInterface(std::make_unique<Interface>(&dialect));
}

} // namespace assay::stablehlo
