// Building blocks of the verifiers: comparisons of types, ranges of dimension
// numbers, signatures of regions.
//
// The interpreter relies on the verifiers: it reads attributes and shapes
// without checking them again. Dynamic dimensions are compatible with every
// size; checks that depend on them are done when sizes are known.
#include "assay/dialect/Verify.h"

#include "assay/dialect/Stablehlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/SmallSet.h"

namespace assay::stablehlo {

using namespace mlir;

// --- Types -------------------------------------------------------------------

bool sameDim(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

bool sameShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return sameDim(std::get<0>(pair), std::get<1>(pair));
         });
}

/// The upper bound of a dimension: its size, its bound, or nullopt.
static std::optional<int64_t> mostOf(RankedTensorType type, size_t dim) {
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto extensions = dyn_cast_if_present<TypeExtensionsAttr>(type.getEncoding());
  if (!extensions || dim >= extensions.getBounds().size() ||
      ShapedType::isDynamic(extensions.getBounds()[dim]))
    return std::nullopt;
  return extensions.getBounds()[dim];
}

/// Whether the shapes are equal and no size exceeds the other type's bound.
static bool sameBounded(RankedTensorType a, RankedTensorType b) {
  if (!sameShape(a.getShape(), b.getShape()))
    return false;
  for (size_t dim = 0; dim < a.getShape().size(); ++dim) {
    std::optional<int64_t> ofA = mostOf(a, dim), ofB = mostOf(b, dim);
    if (ofA && ofB &&
        ((!a.isDynamicDim(dim) && *ofA > *ofB) ||
         (!b.isDynamicDim(dim) && *ofB > *ofA)))
      return false;
  }
  return true;
}

bool isQuantized(Type element) { return isa<quant::QuantizedType>(element); }
bool isPerAxis(Type element) {
  return isa<quant::UniformQuantizedPerAxisType>(element);
}

Type storageOf(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  if (!quantized)
    return element;
  auto signedness =
      quantized.isSigned() ? IntegerType::Signless : IntegerType::Unsigned;
  return IntegerType::get(element.getContext(),
                          quantized.getStorageTypeIntegralWidth(), signedness);
}

Type expressedOf(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized ? quantized.getExpressedType() : element;
}

int64_t quantizedAxis(Type element) {
  auto quantized = dyn_cast<quant::UniformQuantizedPerAxisType>(element);
  return quantized ? quantized.getQuantizedDimension() : -1;
}

bool sameBaseline(Type a, Type b) {
  return a == b ||
         (isQuantized(a) && isQuantized(b) && storageOf(a) == storageOf(b) &&
          expressedOf(a) == expressedOf(b));
}

int64_t bitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bitWidth(complex.getElementType());
  Type storage = storageOf(element);
  return storage.isIntOrFloat() ? storage.getIntOrFloatBitWidth() : 64;
}

bool isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  if (isQuantized(from) && isQuantized(to))
    return expressedOf(from) == expressedOf(to) &&
           bitWidth(from) <= bitWidth(to);
  unsigned kind = elementKind(from);
  return kind == elementKind(to) && kind != kPred && !isQuantized(from) &&
         bitWidth(from) <= bitWidth(to);
}

// --- Traits ------------------------------------------------------------------

/// Compares all operands and results with the first one.
static LogicalResult verifyLikeFirst(Operation *op, bool elementsToo) {
  SmallVector<Value> values(op->getOperands());
  values.append(op->result_begin(), op->result_end());
  Value first = values.front();
  for (Value value : llvm::drop_begin(values)) {
    bool same =
        sameBounded(tensorType(first), tensorType(value)) &&
        (!elementsToo || sameBaseline(elementOf(first), elementOf(value)));
    if (!same)
      return op->emitOpError()
             << "operands and result must have the same shape"
             << (elementsToo ? " and element type" : "") << ", got "
             << first.getType() << " and " << value.getType();
  }
  return success();
}

LogicalResult verifySameShape(Operation *op) {
  return verifyLikeFirst(op, false);
}
LogicalResult verifySameBaselineType(Operation *op) {
  return verifyLikeFirst(op, true);
}

// --- Reports -----------------------------------------------------------------

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      os << "?";
    else
      os << dim;
  });
  os << "]";
  return text;
}

LogicalResult expectShape(Operation *op, const Twine &what,
                          ArrayRef<int64_t> expected, ArrayRef<int64_t> got) {
  if (sameShape(expected, got))
    return success();
  return op->emitOpError() << what << " must have shape " << shapeText(expected)
                           << ", got " << shapeText(got);
}

LogicalResult expectInferred(Operation *op, const FailureOr<Dims> &inferred) {
  if (failed(inferred))
    return failure();
  return expectShape(op, "result", *inferred, shapeOf(op->getResult(0)));
}

LogicalResult expectSameElements(Operation *op, ValueRange values) {
  for (Value value : values)
    if (!sameBaseline(elementOf(value), elementOf(values.front())))
      return op->emitOpError()
             << "must have one element type, got " << elementOf(values.front())
             << " and " << elementOf(value);
  return success();
}

LogicalResult expectInRange(Operation *op, StringRef name,
                            ArrayRef<int64_t> dims, int64_t rank) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << "'" << name << "' must be within [0, " << rank
                               << "), got " << dim;
  return success();
}

LogicalResult expectUnique(Operation *op, StringRef name,
                           ArrayRef<int64_t> dims) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : dims)
    if (!seen.insert(dim).second)
      return op->emitOpError()
             << "'" << name << "' must not repeat a number, got " << dim
             << " twice";
  return success();
}

LogicalResult expectSize(Operation *op, StringRef name, int64_t size,
                         int64_t expected) {
  if (size == expected)
    return success();
  return op->emitOpError() << "'" << name << "' must have " << expected
                           << " elements, got " << size;
}

// --- Regions -----------------------------------------------------------------

/// Whether types are the same; dynamic dimensions are compatible with every
/// size.
static bool compatible(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a);
  auto right = dyn_cast<RankedTensorType>(b);
  if (!left || !right)
    return a == b;
  return left.getElementType() == right.getElementType() &&
         sameShape(left.getShape(), right.getShape());
}

static LogicalResult expectTypes(Operation *op, const Twine &what,
                                 TypeRange got, TypeRange expected) {
  if (got.size() != expected.size())
    return op->emitOpError() << what << " must have " << expected.size()
                             << " values, got " << got.size();
  for (auto [index, pair] : llvm::enumerate(llvm::zip(got, expected))) {
    auto [type, model] = pair;
    if (model && !compatible(type, model))
      return op->emitOpError() << what << ": type of value " << index
                               << " must be " << model << ", got " << type;
  }
  return success();
}

static LogicalResult expectReturn(Operation *op, StringRef name,
                                  Region &region) {
  if (!region.hasOneBlock())
    return op->emitOpError() << "region '" << name << "' must have one block";
  Block &block = region.front();
  if (block.empty() || !isa<ReturnOp>(block.back()))
    return op->emitOpError()
           << "region '" << name << "' must end with stablehlo.return";
  return success();
}

LogicalResult expectRegion(Operation *op, StringRef name, Region &region,
                           TypeRange arguments, TypeRange results) {
  if (failed(expectReturn(op, name, region)) ||
      failed(expectTypes(op, "arguments of region '" + name + "'",
                         region.front().getArgumentTypes(), arguments)))
    return failure();
  return expectTypes(op, "results of region '" + name + "'",
                     region.front().back().getOperandTypes(), results);
}

LogicalResult expectReducer(Operation *op, StringRef name, Region &region,
                            ArrayRef<Type> elements, ValueRange results,
                            ArrayRef<int64_t> shape) {
  if (failed(expectReturn(op, name, region)))
    return failure();
  // 1. The returned scalars determine the accumulated types.
  SmallVector<Type> scalars;
  TypeRange returned = region.front().back().getOperandTypes();
  if (returned.size() != elements.size())
    return op->emitOpError()
           << "results of region '" << name << "' must have " << elements.size()
           << " values, got " << returned.size();
  for (auto [type, element] : llvm::zip_equal(returned, elements)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !sameShape(tensor.getShape(), shape) ||
        !isPromotable(element, tensor.getElementType()))
      return op->emitOpError()
             << "region '" << name << "' must return scalars that " << element
             << " can be promoted to, got " << type;
    scalars.push_back(type);
  }
  // 2. There are twice as many arguments of the same types.
  SmallVector<Type> arguments(scalars);
  arguments.append(scalars);
  if (failed(expectTypes(op, "arguments of region '" + name + "'",
                         region.front().getArgumentTypes(), arguments)))
    return failure();
  // 3. The results of the operation have these element types.
  for (auto [result, scalar] : llvm::zip(results, scalars))
    if (elementOf(result) != cast<RankedTensorType>(scalar).getElementType())
      return op->emitOpError()
             << "element type of the result must be that of region '" << name
             << "', " << cast<RankedTensorType>(scalar).getElementType()
             << ", got " << elementOf(result);
  return success();
}

LogicalResult readPairs(Operation *op, StringRef name,
                        std::optional<DenseIntElementsAttr> table, int64_t rows,
                        SmallVectorImpl<std::pair<int64_t, int64_t>> &pairs) {
  pairs.assign(rows, {0, 0});
  if (!table || table->empty())
    return success();
  if (table->getType().getShape() != ArrayRef<int64_t>{rows, 2})
    return op->emitOpError()
           << "'" << name << "' must have shape [" << rows << ", 2], got "
           << shapeText(table->getType().getShape());
  for (auto [index, value] : llvm::enumerate(table->getValues<int64_t>()))
    (index % 2 == 0 ? pairs[index / 2].first : pairs[index / 2].second) = value;
  return success();
}

} // namespace assay::stablehlo
