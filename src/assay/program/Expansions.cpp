// Inner operations are expanded first, so that the copied region of a scan
// contains nothing left to expand. Intermediate operations are marked by their
// location: the program text has one operation there, and a user who watches it
// wants its results.
#include "assay/program/Expansions.h"
#include "assay/dialect/Native.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/ExpansionRewriter.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace assay::program {

using namespace mlir;

static constexpr llvm::StringLiteral kInside = "inside an expansion";

bool isInExpansion(Location location) {
  auto fused = dyn_cast<FusedLocWith<StringAttr>>(location);
  return fused && fused.getMetadata().getValue() == kInside;
}

static Location insideOf(Operation *op) {
  return FusedLoc::get(op->getContext(), {op->getLoc()},
                       StringAttr::get(op->getContext(), kInside));
}

ExpansionRewriter::ExpansionRewriter(Operation *op)
    : ExporterRewriter(op, insideOf(op)), place_(op->getLoc()) {}

RankedTensorType ExpansionRewriter::typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

DenseElementsAttr ExpansionRewriter::zeroOf(RankedTensorType type) {
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    auto zero = llvm::APFloat::getZero(part.getFloatSemantics());
    return DenseElementsAttr::get(type, std::complex(zero, zero));
  }
  return DenseElementsAttr::get(
      type, Builder(type.getContext()).getZeroAttr(element));
}

Value ExpansionRewriter::unary(StringRef name, Value a) {
  return make(name, a.getType(), a);
}

Value ExpansionRewriter::binary(StringRef name, Value a, Value b) {
  return make(name, a.getType(), {a, b});
}

Value ExpansionRewriter::convert(Value x, Type element) {
  RankedTensorType type = typeOf(x);
  return type.getElementType() == element
             ? x
             : make("stablehlo.convert", type.clone(element), x);
}

Value ExpansionRewriter::scalar(double value, Type element) {
  auto type = RankedTensorType::get({}, element);
  return make(
      "stablehlo.constant", type, {},
      named("value", DenseElementsAttr::get(
                         type, builder().getFloatAttr(element, value))));
}

Value ExpansionRewriter::spread(Value x, ArrayRef<int64_t> dimensions,
                                Value like) {
  RankedTensorType shape = typeOf(like);
  auto type = shape.clone(typeOf(x).getElementType());
  auto where = builder().getDenseI64ArrayAttr(dimensions);
  if (type.hasStaticShape() && typeOf(x).hasStaticShape())
    return make("stablehlo.broadcast_in_dim", type, x,
                named("broadcast_dimensions", where));
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < shape.getRank(); ++d)
    sizes.push_back(sizeOf(like, d));
  return make("stablehlo.dynamic_broadcast_in_dim", type,
              {x, list(sizes, builder().getI64Type())},
              named("broadcast_dimensions", where));
}

Value ExpansionRewriter::transpose(Value x, ArrayRef<int64_t> permutation) {
  RankedTensorType type = typeOf(x);
  if (llvm::is_sorted(permutation))
    return x;
  SmallVector<int64_t> shape;
  for (int64_t d : permutation)
    shape.push_back(type.getDimSize(static_cast<unsigned>(d)));
  return make(
      "stablehlo.transpose",
      RankedTensorType::get(shape, type.getElementType()), x,
      named("permutation", builder().getDenseI64ArrayAttr(permutation)));
}

void ExpansionRewriter::addSumRegion(OperationState &state,
                                     RankedTensorType one) {
  auto *block = new Block; // owned by the region
  state.addRegion()->push_back(block);
  block->addArguments({one, one}, {location(), location()});
  OpBuilder inside(op()->getContext());
  inside.setInsertionPointToEnd(block);
  Operation *add = inside.create(OperationState(
      location(), "stablehlo.add", block->getArguments(), one, {}));
  inside.create(OperationState(location(), "stablehlo.return",
                               add->getResults(), {}, {}));
}

Value ExpansionRewriter::sum(Value x, ArrayRef<int64_t> dimensions) {
  if (dimensions.empty())
    return x;
  RankedTensorType type = typeOf(x);
  SmallVector<int64_t> kept;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(d)))
      kept.push_back(size);
  auto one = RankedTensorType::get({}, type.getElementType());
  Value zero = make("stablehlo.constant", one, {}, named("value", zeroOf(one)));
  OperationState state(
      location(), "stablehlo.reduce", {x, zero},
      RankedTensorType::get(kept, type.getElementType()),
      named("dimensions", builder().getDenseI64ArrayAttr(dimensions)));
  addSumRegion(state, one);
  return create(state)->getResult(0);
}

void ExpansionRewriter::replace(unsigned i, Value value) {
  Value old = op()->getResult(i);
  Operation *maker = value.getDefiningOp();
  if (value.getType() != old.getType() || !maker ||
      !isInExpansion(maker->getLoc())) {
    // a copy of the same elements, for a size that only one of the types knows
    SmallVector<int64_t> same;
    for (int64_t d = 0; d < typeOf(value).getRank(); ++d)
      same.push_back(d);
    value = make("stablehlo.transpose", old.getType(), value,
                 named("permutation", builder().getDenseI64ArrayAttr(same)));
    maker = value.getDefiningOp();
  }
  maker->setLoc(place_);
  old.replaceAllUsesWith(value);
}

Value ExpansionRewriter::computable(Value x, Type element) {
  if (auto from = dyn_cast<quant::QuantizedType>(typeOf(x).getElementType()))
    x = make("stablehlo.uniform_dequantize",
             typeOf(x).clone(from.getExpressedType()), x);
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = quantized.getExpressedType();
  auto number = dyn_cast<FloatType>(element);
  return convert(x, number && number.getWidth() < 32
                        ? Type(builder().getF32Type())
                        : element);
}

void ExpansionRewriter::give(unsigned i, Value value) {
  Type element = typeOf(op()->getResult(i)).getElementType();
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  if (quantized && typeOf(value).getElementType() != element) {
    value = convert(value, quantized.getExpressedType());
    value =
        make("stablehlo.uniform_quantize", typeOf(value).clone(element), value);
  }
  replace(i, convert(value, element));
}

bool expandCrossReplicaSum(Operation *op) {
  ExpansionRewriter rewriter(op);
  OperationState state(
      rewriter.location(), "stablehlo.all_reduce", op->getOperands(),
      op->getResultTypes(),
      rewriter.named("replica_groups", op->getAttr("replica_groups")));
  RankedTensorType type = rewriter.resultType();
  rewriter.addSumRegion(state,
                        RankedTensorType::get({}, type.getElementType()));
  rewriter.replace(0, rewriter.create(state)->getResult(0));
  return true;
}

/// Puts the operations of a native engine's group in place of the group.
static void openGroup(Operation *op) {
  Block &body = op->getRegion(0).front();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op->getOperands()))
    argument.replaceAllUsesWith(operand);
  Operation *end = body.getTerminator();
  op->replaceAllUsesWith(end->getOperands());
  end->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op->erase();
}

void expandOperations(ModuleOp module) {
  using Function = bool (*)(Operation *);
  const llvm::StringMap<Function> rows = {
#define ASSAY_EXPANSION(NAME, FUNCTION) {NAME, FUNCTION},
#include "assay/program/Expansions.def"
  };
  module->walk<WalkOrder::PostOrder>([](Operation *op) {
    if (native::isGroup(op))
      openGroup(op);
  });
  separateInnerFunctions(module);
  SmallVector<std::pair<Operation *, Function>> found;
  module->walk<WalkOrder::PostOrder>([&](Operation *op) {
    auto row = rows.find(op->getName().getStringRef());
    if (row != rows.end())
      found.push_back({op, row->second});
  });
  for (auto [op, expand] : found)
    if (expand(op))
      op->erase();
}

} // namespace assay::program
