// In three steps: types (numbers and shapes become tensors), operations in
// program order, regions of shape.assuming in its place.
#include "assay/dialect/exporters/ExporterOps.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/exporters/ExporterRewriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shape/IR/Shape.h"

namespace assay::exporters {

using namespace mlir;

//===--- What the rows write ---------------------------------------------===//

RankedTensorType ExporterRewriter::resultType() const {
  return dyn_cast<RankedTensorType>(op_->getResult(0).getType());
}

Value ExporterRewriter::make(StringRef name, Type type, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc_, name, operands, type, attributes);
  return builder_.create(state)->getResult(0);
}

Value ExporterRewriter::numbers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    builder_.getI64Type());
  return make("stablehlo.constant", type, {},
              named("value", DenseElementsAttr::get(type, values)));
}

Value ExporterRewriter::number(int64_t value) {
  auto type = RankedTensorType::get({}, builder_.getI64Type());
  return make("stablehlo.constant", type, {},
              named("value", DenseElementsAttr::get(type, value)));
}

Value ExporterRewriter::compare(StringRef direction, Value a, Value b) {
  auto type = cast<RankedTensorType>(a.getType()).clone(builder_.getI1Type());
  auto value = stablehlo::ComparisonDirectionAttr::get(
      builder_.getContext(),
      *stablehlo::symbolizeComparisonDirection(direction));
  return make("stablehlo.compare", type, {a, b},
              named("comparison_direction", value));
}

Value ExporterRewriter::retyped(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return make("stablehlo.bitcast_convert", type.clone(element), value);
}

Value ExporterRewriter::list(ValueRange numbers, Type element) {
  SmallVector<Value> parts;
  for (Value number : numbers)
    parts.push_back(
        make("stablehlo.reshape", RankedTensorType::get({1}, element), number));
  auto type =
      RankedTensorType::get({static_cast<int64_t>(parts.size())}, element);
  if (parts.empty())
    return make(
        "stablehlo.constant", type, {},
        named("value", DenseElementsAttr::get(type, ArrayRef<Attribute>())));
  return make("stablehlo.concatenate", type, parts,
              named("dimension", builder_.getI64IntegerAttr(0)));
}

Value ExporterRewriter::element(Value list, Value at) {
  Type element = cast<RankedTensorType>(list.getType()).getElementType();
  Value one = make("stablehlo.dynamic_slice",
                   RankedTensorType::get({1}, element), {list, at},
                   named("slice_sizes", builder_.getDenseI64ArrayAttr({1})));
  return make("stablehlo.reshape", RankedTensorType::get({}, element), one);
}

Value ExporterRewriter::sizeOf(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return number(type.getDimSize(dim));
  Value size = make("stablehlo.get_dimension_size",
                    RankedTensorType::get({}, builder_.getI32Type()), tensor,
                    named("dimension", builder_.getI64IntegerAttr(dim)));
  return make("stablehlo.convert",
              RankedTensorType::get({}, builder_.getI64Type()), size);
}

//===--- Types -----------------------------------------------------------===//

static Type converted(Type type) {
  MLIRContext *context = type.getContext();
  Type i64 = IntegerType::get(context, 64);
  if (isa<IndexType, shape::SizeType>(type))
    return RankedTensorType::get({}, i64);
  if (type.isIntOrFloat())
    return RankedTensorType::get({}, type);
  if (isa<shape::WitnessType>(type))
    return RankedTensorType::get({}, IntegerType::get(context, 1));
  if (isa<shape::ShapeType>(type))
    return RankedTensorType::get({ShapedType::kDynamic}, i64);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isIndex() ? tensor.clone(i64) : type;
}

static SmallVector<Type> converted(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return converted(type); });
}

/// Converts dense `index` numbers to i64.
static Attribute converted(Attribute value) {
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(value);
  if (!dense || !dense.getElementType().isIndex())
    return value;
  return dense.mapValues(IntegerType::get(dense.getContext(), 64),
                         [](const APInt &one) { return one; });
}

static void convertTypes(ModuleOp module) {
  module->walk([](Operation *op) {
    for (Value result : op->getResults())
      result.setType(converted(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          argument.setType(converted(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op))
      function.setFunctionType(FunctionType::get(
          op->getContext(), converted(function.getArgumentTypes()),
          converted(function.getResultTypes())));
    if (op->getName().getStringRef() == "stablehlo.constant")
      op->setAttr("value", converted(op->getAttr("value")));
  });
}

//===--- Operations ------------------------------------------------------===//

/// Asserts the witness, then puts the region's operations in place of the op.
static void openAssuming(shape::AssumingOp op) {
  OpBuilder builder(op);
  OperationState state(op.getLoc(), "stablehlo.custom_call");
  state.addOperands(op->getOperand(0)); // i1 since convertTypes
  state.addAttribute("call_target_name",
                     builder.getStringAttr("shape_assertion"));
  state.addAttribute("has_side_effect", builder.getBoolAttr(true));
  state.addAttribute("error_message",
                     builder.getStringAttr("shape.assuming: the witness is "
                                           "false"));
  builder.create(state);
  Block &body = op.getDoRegion().front();
  Operation *yield = body.getTerminator();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         yield->getIterator());
  op->replaceAllUsesWith(yield->getOperands());
  op->erase();
}

static void lower(Operation *op) {
  if (auto assuming = dyn_cast<shape::AssumingOp>(op))
    return openAssuming(assuming);
  if (op->getNumResults() != 1)
    return;
  ExporterRewriter rewriter(op);
  StringRef dialect = op->getName().getDialectNamespace();
  Value value = dialect == "arith"    ? lowerArith(rewriter)
                : dialect == "tensor" ? lowerTensor(rewriter)
                                      : lowerShape(rewriter);
  if (!value)
    return;
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

static bool isExporters(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "tensor" || dialect == "shape" || dialect == "arith";
}

void lowerExporterOps(ModuleOp module) {
  SmallVector<Operation *> found;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isExporters(op) && !op->hasTrait<OpTrait::IsTerminator>())
      found.push_back(op);
  });
  if (found.empty())
    return;
  module->getContext()->getOrLoadDialect<stablehlo::StablehloDialect>();
  convertTypes(module);
  for (Operation *op : found)
    lower(op);
}

} // namespace assay::exporters
