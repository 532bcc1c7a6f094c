// Reads VHLO's types and attributes from bytecode as their StableHLO forms,
// with one table of codes for each. Invalid contents (a negative size, a blob
// of the wrong length, a type where none is allowed) are reported as a
// diagnostic and give a null result, which stops the reader.
#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/StablehloBytecode.h"
#include "assay/dialect/vhlo/Ops.h"
#include "assay/dialect/vhlo/Vhlo.h"
#include "assay/dialect/vhlo/Wire.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace assay::vhlo {

using namespace mlir;
using bytecode::Fields;
using bytecode::readEnum;
using Reader = DialectBytecodeReader;

namespace {
class Interface : public BytecodeDialectInterface {
public:
  explicit Interface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  Type readType(Reader &reader) const override;
  Attribute readAttribute(Reader &reader) const override;
  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    Need need;
    auto value = llvm::dyn_cast<ValueAttr>(attribute);
    return value ? vhlo::writeAttribute(value, writer, need) : failure();
  }
  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    Need need;
    auto value = llvm::dyn_cast<ValueType>(type);
    return value ? vhlo::writeType(value, writer, need) : failure();
  }
};
} // namespace

VhloDialect::VhloDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<VhloDialect>()) {
  context->getOrLoadDialect<stablehlo::StablehloDialect>();
  context->getOrLoadDialect<quant::QuantDialect>();
  registerOps(*this);
  addAttributes<ValueAttr>();
  addTypes<ValueType>();
  addInterfaces<Interface>();
}

//===--- Types -----------------------------------------------------------===//

static Type readTensorType(Reader &reader, bool hasEncoding) {
  Attribute encoding;
  llvm::SmallVector<int64_t> shape;
  Type element;
  if ((hasEncoding && failed(reader.readAttribute(encoding))) ||
      failed(reader.readSignedVarInts(shape)) ||
      failed(reader.readType(element)))
    return {};
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size))
      return reader.emitError("a dimension of size ") << size, Type();
  return RankedTensorType::getChecked(
      [&] { return reader.emitError("a tensor's type: "); }, shape, element,
      encoding);
}

/// Reads the buffer types that some custom calls use.
static Type readBufferType(Reader &reader) {
  llvm::SmallVector<int64_t> shape;
  Type element;
  if (failed(reader.readSignedVarInts(shape)) ||
      failed(reader.readType(element)))
    return {};
  auto emit = [&] { return reader.emitError("a buffer's type: "); };
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size))
      return emit() << "a dimension of size " << size, Type();
  if (!MemRefType::isValidElementType(element))
    return emit() << "it may not hold " << element, Type();
  return MemRefType::get(shape, element);
}

static FailureOr<double> readScale(Reader &reader) {
  FailureOr<APFloat> scale =
      reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
  if (failed(scale))
    return failure();
  return scale->convertToDouble();
}

static Type readQuantized(Reader &reader, bool perAxis) {
  uint64_t flags = 0, axis = 0;
  Type storage, expressed;
  int64_t zero = 0, least = 0, most = 0;
  FailureOr<double> scale = 0.0;
  llvm::SmallVector<double> scales;
  llvm::SmallVector<int64_t> zeros;
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
      failed(reader.readType(expressed)))
    return {};
  if (perAxis ? failed(reader.readVarInt(axis))
              : failed(scale = readScale(reader)) ||
                    failed(reader.readSignedVarInt(zero)))
    return {};
  if (failed(reader.readSignedVarInt(least)) ||
      failed(reader.readSignedVarInt(most)))
    return {};
  if (perAxis &&
      (failed(reader.readList(scales, [&] { return readScale(reader); })) ||
       failed(reader.readSignedVarInts(zeros))))
    return {};
  auto emit = [&] { return reader.emitError("a quantised type: "); };
  auto whole = llvm::dyn_cast<IntegerType>(storage);
  if (!whole)
    return emit() << "its storage is not an integer", Type();
  // MLIR's quantised types store in a flag whether the storage is signed.
  storage = IntegerType::get(storage.getContext(), whole.getWidth());
  auto bits = static_cast<unsigned>(flags);
  if (perAxis)
    return quant::UniformQuantizedPerAxisType::getChecked(
        emit, bits, storage, expressed, scales, zeros,
        static_cast<int32_t>(axis), least, most);
  return quant::UniformQuantizedType::getChecked(emit, bits, storage, expressed,
                                                 *scale, zero, least, most);
}

Type Interface::readType(Reader &reader) const {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code)))
    return {};
  Type element;
  llvm::SmallVector<Type> inputs, outputs;
  switch (code) {
  case kComplexType:
    if (failed(reader.readType(element)))
      return {};
    return ComplexType::getChecked(
        [&] { return reader.emitError("a complex type: "); }, element);
  case kFunctionType:
    if (failed(reader.readTypes(inputs)) || failed(reader.readTypes(outputs)))
      return {};
    return FunctionType::get(getContext(), inputs, outputs);
  case kTensorType:
  case kBoundedTensorType:
    return readTensorType(reader, code == kBoundedTensorType);
  case kTupleType:
    return succeeded(reader.readTypes(inputs))
               ? Type(TupleType::get(getContext(), inputs))
               : Type();
  case kQuantizedType:
  case kPerAxisType:
    return readQuantized(reader, code == kPerAxisType);
  case kUnrankedType:
    if (failed(reader.readType(element)))
      return {};
    return UnrankedTensorType::getChecked(
        [&] { return reader.emitError("an unranked tensor's type: "); },
        element);
  case kBufferType:
    return readBufferType(reader);
  case kFutureType:
    return succeeded(reader.readTypes(inputs))
               ? Type(stablehlo::FutureType::getChecked(
                     [&] { return reader.emitError("a future's type: "); },
                     getContext(), ArrayRef<Type>(inputs)))
               : Type();
  default:
    if (Type plain = plainType(code, getContext()))
      return plain;
    return reader.emitError("no type of VHLO has the code ") << code, Type();
  }
}

//===--- Attributes ------------------------------------------------------===//

/// Reads booleans, which are stored as bits, as bytes, or as a single one for
/// all.
static Attribute readBooleans(RankedTensorType type,
                              llvm::ArrayRef<char> blob) {
  auto count = static_cast<size_t>(type.getNumElements());
  bool packed =
      blob.size() == llvm::divideCeil(count, 8) && blob.size() != count;
  bool splat = blob.size() == 1 && count > 8;
  if (!packed && !splat && blob.size() != count)
    return {};
  llvm::SmallVector<bool> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = splat    ? blob[0] != 0
                : packed ? (blob[i / 8] >> (i % 8)) & 1
                         : blob[i] != 0;
  return DenseElementsAttr::get(type, values);
}

/// Whether all sizes are known and there are at most 2^40 elements.
static bool isReasonable(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    if (size < 0 || (size > 0 && count > (int64_t{1} << 40) / size))
      return false;
    else
      count *= size;
  return true;
}

static Attribute readTensor(Reader &reader) {
  Type read;
  llvm::ArrayRef<char> blob;
  if (failed(reader.readType(read)) || failed(reader.readBlob(blob)))
    return {};
  auto type = llvm::dyn_cast<RankedTensorType>(read);
  if (!type || !isReasonable(type))
    return reader.emitError("a constant has no type of known size"),
           Attribute();
  Attribute result;
  if (type.getElementType().isInteger(1))
    result = readBooleans(type, blob);
  else if (bool isSplat = false;
           DenseElementsAttr::isValidRawBuffer(type, blob, isSplat))
    result = DenseElementsAttr::getFromRawBuffer(type, blob);
  if (!result)
    reader.emitError("a constant of type ")
        << type << " has " << blob.size() << " bytes";
  return result;
}

static Attribute readNumber(Reader &reader, bool isFloat) {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  if (auto real = llvm::dyn_cast<FloatType>(type); real && isFloat) {
    FailureOr<APFloat> value =
        reader.readAPFloatWithKnownSemantics(real.getFloatSemantics());
    return succeeded(value) ? Attribute(FloatAttr::get(type, *value))
                            : Attribute();
  }
  if (isFloat || !type.isIntOrIndex())
    return reader.emitError("a number of type ") << type, Attribute();
  unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                 : type.getIntOrFloatBitWidth();
  FailureOr<APInt> value = reader.readAPIntWithKnownWidth(bits);
  return succeeded(value) ? Attribute(IntegerAttr::get(type, *value))
                          : Attribute();
}

static Attribute readDictionary(Reader &reader) {
  NamedAttrList entries;
  llvm::SmallVector<std::pair<Attribute, Attribute>> pairs;
  auto readPair = [&]() -> FailureOr<std::pair<Attribute, Attribute>> {
    std::pair<Attribute, Attribute> pair;
    if (failed(reader.readAttribute(pair.first)) ||
        failed(reader.readAttribute(pair.second)))
      return failure();
    return pair;
  };
  if (failed(reader.readList(pairs, readPair)))
    return {};
  for (auto &[key, value] : pairs) {
    auto name = llvm::dyn_cast<StringAttr>(key);
    if (!name || name.empty() || entries.get(name))
      return reader.emitError(
                 "a dictionary has a key that is not a name, or twice"),
             Attribute();
    entries.push_back({name, value});
  }
  return entries.getDictionary(reader.getContext());
}

/// Reads the name of an axis, which is stored as an attribute.
static FailureOr<StringRef> readName(Reader &reader) {
  StringAttr name;
  if (failed(reader.readAttribute(name)))
    return failure();
  return name.getValue();
}

static Attribute readSubAxis(Reader &reader) {
  int64_t before = 0, size = 0;
  if (failed(reader.readSignedVarInt(before)) ||
      failed(reader.readSignedVarInt(size)))
    return {};
  return stablehlo::SubAxisInfoAttr::get(reader.getContext(), before, size);
}

static Attribute readAxis(Reader &reader) {
  FailureOr<StringRef> name = readName(reader);
  uint64_t hasPart = 0;
  stablehlo::SubAxisInfoAttr part;
  if (failed(name) || failed(reader.readVarInt(hasPart)) ||
      (hasPart && failed(reader.readAttribute(part))))
    return {};
  return stablehlo::AxisRefAttr::get(reader.getContext(), *name, part);
}

static Attribute readMesh(Reader &reader) {
  ArrayAttr axes;
  DenseIntElementsAttr devices;
  if (failed(reader.readAttribute(axes)) ||
      failed(reader.readOptionalAttribute(devices)))
    return {};
  llvm::SmallVector<stablehlo::MeshAxisAttr> list;
  for (Attribute axis : axes)
    if (auto one = llvm::dyn_cast<stablehlo::MeshAxisAttr>(axis))
      list.push_back(one);
    else
      return reader.emitError("a mesh has an axis of another kind"),
             Attribute();
  return stablehlo::MeshAttr::get(reader.getContext(), list, devices);
}

/// Reads meshes of devices, their axes, and replica groups that name them.
static Attribute readOfMesh(uint64_t code, Reader &reader) {
  if (code == kSubAxis)
    return readSubAxis(reader);
  if (code == kAxis)
    return readAxis(reader);
  if (code == kMesh)
    return readMesh(reader);
  if (code == kMeshAxis) {
    FailureOr<StringRef> name = readName(reader);
    int64_t size = 0;
    if (failed(name) || failed(reader.readSignedVarInt(size)))
      return {};
    return stablehlo::MeshAxisAttr::get(reader.getContext(), *name, size);
  }
  Attribute mesh;
  ArrayAttr axes;
  if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes)))
    return {};
  if (auto name = llvm::dyn_cast<StringAttr>(mesh))
    mesh = FlatSymbolRefAttr::get(name);
  return stablehlo::ReplicaGroupMeshAxesAttr::get(reader.getContext(), mesh,
                                                  axes);
}

static Attribute readComparisonType(Reader &reader) {
  uint64_t number = 0;
  if (failed(reader.readVarInt(number)))
    return {};
  if (number == kWeakOrderNumber)
    return StringAttr::get(reader.getContext(), kWeakOrderName);
  if (number < kWeakOrderNumber)
    return stablehlo::ComparisonTypeAttr::get(
        reader.getContext(),
        *stablehlo::symbolizeComparisonType(static_cast<uint32_t>(number)));
  return reader.emitError("an enumeration has no value ") << number,
         Attribute();
}

static Attribute readEnumOf(uint64_t code, Reader &reader) {
  using namespace stablehlo;
  if (code == kComparisonTypes)
    return readComparisonType(reader);
  switch (code) {
#define VHLO_ENUM(CODE, NAME)                                                  \
  case CODE:                                                                   \
    return readEnum<NAME##Attr>(                                               \
        reader, [](uint32_t i) { return symbolize##NAME(i); });
#include "assay/dialect/vhlo/Enums.def"
#undef VHLO_ENUM
  default:
    return reader.emitError("no attribute of VHLO that is known here has the "
                            "code ")
               << code,
           Attribute();
  }
}

Attribute Interface::readAttribute(Reader &reader) const {
  uint64_t code = 0, number = 0;
  if (failed(reader.readVarInt(code)))
    return {};
  llvm::SmallVector<Attribute> items;
  llvm::SmallVector<int64_t> bounds;
  StringRef text;
  Type type;
  Fields in{reader};
  switch (code) {
  case kArray:
    return succeeded(reader.readAttributes(items))
               ? Attribute(ArrayAttr::get(getContext(), items))
               : Attribute();
  case kBool:
    return succeeded(reader.readVarInt(number))
               ? Attribute(BoolAttr::get(getContext(), number != 0))
               : Attribute();
  case kDictionary:
    return readDictionary(reader);
  case kFloat:
  case kInteger:
    return readNumber(reader, code == kFloat);
  case kAlias:
    return stablehlo::readAlias(in);
  case kString:
    return succeeded(reader.readString(text))
               ? Attribute(StringAttr::get(getContext(), text))
               : Attribute();
  case kTensor:
    return readTensor(reader);
  case kType:
    return succeeded(reader.readType(type)) ? Attribute(TypeAttr::get(type))
                                            : Attribute();
  case kBounds:
    return succeeded(reader.readSignedVarInts(bounds))
               ? Attribute(
                     stablehlo::TypeExtensionsAttr::get(getContext(), bounds))
               : Attribute();
  case kAccuracy:
    return stablehlo::readAccuracy(in);
  case kSubAxis:
  case kAxis:
  case kMeshGroups:
  case kMeshAxis:
  case kMesh:
    return readOfMesh(code, reader);
  default:
    return readEnumOf(code, reader);
  }
}

} // namespace assay::vhlo
