// MLIR types and dense attributes -> element types, tensor types and tensors.
#include "assay/program/Types.h"
#include "assay/dialect/ElementKinds.h"
#include "assay/numerics/Quantization.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>

namespace assay::program {

using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;
using tensor::TensorType;

static std::string spell(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

/// A quantised type: its storage type with parameters. StableHLO has no
/// quantised type by blocks (sub-channel).
static std::optional<ElementType>
quantizedTypeOf(mlir::quant::QuantizedType type) {
  numerics::QuantizationParameters parameters;
  if (auto uniform = mlir::dyn_cast<mlir::quant::UniformQuantizedType>(type)) {
    parameters.scales = {uniform.getScale()};
    parameters.zeroPoints = {uniform.getZeroPoint()};
  } else if (auto axis =
                 mlir::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(
                     type)) {
    parameters.axis = axis.getQuantizedDimension();
    parameters.scales.assign(axis.getScales().begin(), axis.getScales().end());
    parameters.zeroPoints.assign(axis.getZeroPoints().begin(),
                                 axis.getZeroPoints().end());
  } else {
    return std::nullopt;
  }
  std::optional<ElementType> expressed = elementTypeOf(type.getExpressedType());
  if (!expressed || !expressed->isFloat())
    return std::nullopt;
  parameters.expressed = *expressed;
  parameters.storageMin = type.getStorageTypeMin();
  parameters.storageMax = type.getStorageTypeMax();
  parameters.text = spell(type);
  for (int64_t zero : parameters.zeroPoints) // quantized_element_type_c8
    if (zero < parameters.storageMin || zero > parameters.storageMax)
      return std::nullopt;
  int bits = static_cast<int>(type.getStorageTypeIntegralWidth());
  ElementType element = type.isSigned() ? ElementType::integer(bits)
                                        : ElementType::unsignedInteger(bits);
  if (!numerics::parseElementType(numerics::toString(element)))
    return std::nullopt; // no integer type has this width
  element.quantization = numerics::internQuantization(std::move(parameters));
  return element;
}

static FloatFormat floatFormatOf(mlir::Type type) {
#define ASSAY_FLOAT(format, bits, exponent, mantissa, bias, nonFinite, llvms,  \
                    mlirs, ...)                                                \
  if (mlir::isa<mlir::mlirs##Type>(type))                                      \
    return FloatFormat::format;
#include "assay/numerics/FloatFormats.def"
  return FloatFormat::None;
}

/// The element type of an unquantised type that StableHLO has.
static std::optional<ElementType> plainTypeOf(mlir::Type type) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    int bits = static_cast<int>(integer.getWidth());
    if (bits == 1)
      return ElementType::boolean();
    return integer.isUnsigned() ? ElementType::unsignedInteger(bits)
                                : ElementType::integer(bits);
  }
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type))
    return ElementType::complex(floatFormatOf(complex.getElementType()));
  FloatFormat format = floatFormatOf(type);
  if (format == FloatFormat::None)
    return std::nullopt; // index
  return ElementType::floating(format);
}

std::optional<ElementType> elementTypeOf(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<mlir::TensorType>(type))
    type = tensor.getElementType();
  if (auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(type))
    return quantizedTypeOf(quantized);
  if (!stablehlo::elementKind(type))
    return std::nullopt; // f128 is a type of shadows, not of programs
  return plainTypeOf(type);
}

llvm::Expected<TensorType> tensorTypeOf(mlir::Type type) {
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked)
    return makeError(ErrorCode::Unsupported, "{0} is not a ranked tensor",
                     spell(type));
  std::optional<ElementType> element = elementTypeOf(ranked.getElementType());
  if (!element)
    return makeError(ErrorCode::Unsupported,
                     "StableHLO has no element type {0}",
                     spell(ranked.getElementType()));
  if (!ranked.hasStaticShape())
    return makeError(
        ErrorCode::Unsupported,
        "the shape of {0} is not static: `assay run` takes it from "
        "the arguments; anything else needs the sizes in the "
        "program, exported for arrays of one shape or written "
        "into the types of its function's arguments",
        spell(type));
  if (const auto *parameters = element->quantization)
    if (parameters->axis >= 0 &&
        (parameters->axis >= ranked.getRank() ||
         ranked.getDimSize(static_cast<unsigned>(parameters->axis)) !=
             static_cast<int64_t>(parameters->scales.size())))
      return makeError(ErrorCode::InvalidArgument,
                       "{0} has {1} scales along a dimension of another size",
                       spell(type), parameters->scales.size());
  // Checked once here, so that no later product of sizes can overflow (the
  // widest shadow has 32 bytes per element).
  llvm::Expected<int64_t> count = tensor::elementCount(ranked.getShape());
  if (!count)
    return addContext(count.takeError(), spell(type));
  if (*count > INT64_MAX / 32)
    return makeError(ErrorCode::ResourceLimit,
                     "{0} has more elements than can be addressed",
                     spell(type));
  return TensorType{*element, tensor::Shape(ranked.getShape().begin(),
                                            ranked.getShape().end())};
}

std::optional<ElementType> shadowTypeOf(ElementType type) {
  if (!type.isFloat() && !type.isComplex())
    return std::nullopt;
  FloatFormat wide =
      type.format == FloatFormat::F64 ? FloatFormat::F128 : FloatFormat::F64;
  return type.isComplex() ? ElementType::complex(wide)
                          : ElementType::floating(wide);
}

// MLIR stores i1 as packed bits and every other element in whole bytes, as
// Tensor does.
static llvm::Expected<Tensor> unpackBools(mlir::DenseElementsAttr dense,
                                          const TensorType &type) {
  llvm::Expected<Tensor> result = Tensor::allocate(type);
  if (!result)
    return result;
  auto *out = result->mutableData<uint8_t>();
  for (bool value : dense.getValues<bool>())
    *out++ = value;
  return result;
}

llvm::Expected<Tensor> tensorOf(mlir::ElementsAttr attribute,
                                std::shared_ptr<const void> owner) {
  llvm::Expected<TensorType> type = tensorTypeOf(attribute.getType());
  if (!type)
    return type.takeError();
  if (auto resource =
          mlir::dyn_cast<mlir::DenseResourceElementsAttr>(attribute)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return makeError(ErrorCode::DataLoss,
                       "dense_resource '{0}' has no data in this file",
                       resource.getRawHandle().getKey());
    return Tensor::fromBuffer(
        *type, tensor::Buffer::view(
                   blob->getData().data(),
                   static_cast<int64_t>(blob->getData().size()), owner));
  }
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (!dense)
    return makeError(
        ErrorCode::Unsupported,
        "constants of this form are not supported: use dense<...>");
  if (type->element.isBool()) {
    if (!dense.isSplat())
      return unpackBools(dense, *type);
    uint8_t value = dense.getSplatValue<bool>();
    return Tensor::splat(*type, &value);
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  if (dense.isSplat())
    return Tensor::splat(*type, raw.data());
  return Tensor::fromBuffer(
      *type, tensor::Buffer::view(raw.data(), static_cast<int64_t>(raw.size()),
                                  owner));
}

static mlir::Type floatType(mlir::MLIRContext *context, FloatFormat format) {
  switch (format) {
#define ASSAY_FLOAT(format, bits, exponent, mantissa, bias, nonFinite, llvms,  \
                    mlirs, ...)                                                \
  case FloatFormat::format:                                                    \
    return mlir::mlirs##Type::get(context);
#include "assay/numerics/FloatFormats.def"
  case FloatFormat::None:
    break;
  }
  return mlir::Float32Type::get(context);
}

mlir::Type mlirTypeOf(mlir::MLIRContext *context, const TensorType &type) {
  ElementType element = type.element;
  mlir::Type result;
  if (element.quantization)
    result = mlir::parseType(element.quantization->text, context);
  else if (element.isFloat())
    result = floatType(context, element.format);
  else if (element.isComplex())
    result = mlir::ComplexType::get(floatType(context, element.format));
  else
    result = mlir::IntegerType::get(context, element.bits,
                                    element.kind == numerics::Kind::UInt
                                        ? mlir::IntegerType::Unsigned
                                        : mlir::IntegerType::Signless);
  return mlir::RankedTensorType::get(type.shape, result);
}

llvm::Expected<mlir::DenseElementsAttr> attributeOf(mlir::MLIRContext *context,
                                                    const Tensor &tensor) {
  auto shaped =
      mlir::cast<mlir::ShapedType>(mlirTypeOf(context, tensor.type()));
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense)
    return dense.takeError();
  const char *bytes = reinterpret_cast<const char *>(dense->bytes());
  auto width = static_cast<size_t>(tensor.elementType().storageBytes());
  auto count = static_cast<size_t>(dense->size());
  // All elements are equal if the bytes equal those one element further.
  if (count > 1 && std::memcmp(bytes, bytes + width, (count - 1) * width) == 0)
    count = 1;
  if (tensor.elementType().isBool())
    return mlir::DenseElementsAttr::get(
        shaped,
        llvm::ArrayRef<bool>(reinterpret_cast<const bool *>(bytes), count));
  return mlir::DenseElementsAttr::getFromRawBuffer(shaped,
                                                   {bytes, count * width});
}

} // namespace assay::program
