// chlo.scan as the loop that it stands for: a while over the slices of the
// scanned dimension, whose state is the position, the outputs so far and the
// carries. The results and their order stay the same.
// Source: chlo.scan in StableHLO's dialect: its results are the outputs, then
// the last carries; is_reverse starts at the end.
#include "assay/dialect/Chlo.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/ExpansionRewriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace assay;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;

namespace {
/// The loop of one scan.
class Expansion {
public:
  explicit Expansion(chlo::ScanOp scan)
      : scan_(scan), builder_(scan), loc_(scan.getLoc()),
        scalar_(RankedTensorType::get({}, builder_.getI64Type())),
        dimension_(scan.getDimension()) {}

  /// Returns false where a shape is not known yet.
  bool run();

private:
  Value make(llvm::StringRef name, mlir::Type type, ValueRange operands,
             llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    mlir::OperationState state(loc_, name, operands, type, attributes);
    return builder_.create(state)->getResult(0);
  }
  Value number(int64_t value) {
    return make("stablehlo.constant", scalar_, {},
                builder_.getNamedAttr(
                    "value", mlir::DenseElementsAttr::get(
                                 scalar_, builder_.getI64IntegerAttr(value))));
  }
  Value zeros(RankedTensorType type) {
    return make("stablehlo.constant", type, {},
                builder_.getNamedAttr(
                    "value", program::ExpansionRewriter::zeroOf(type)));
  }
  /// One slice of `type` along the scanned dimension.
  RankedTensorType sliced(RankedTensorType type) const {
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[static_cast<size_t>(dimension_)] = 1;
    return RankedTensorType::get(shape, type.getElementType());
  }
  llvm::SmallVector<Value> starts(Value operand, Value at) {
    auto rank = mlir::cast<RankedTensorType>(operand.getType()).getRank();
    llvm::SmallVector<Value> all(static_cast<size_t>(rank), zero_);
    all[static_cast<size_t>(dimension_)] = at;
    return all;
  }
  Value takeSlice(Value input, mlir::Type wanted, Value at);
  Value putSlice(Value output, Value slice, Value at);
  mlir::Operation *makeLoop(ValueRange state);
  void fillCondition(mlir::Block &block, int64_t count);
  void fillBody(mlir::Block &block, int64_t count);

  chlo::ScanOp scan_;
  mlir::OpBuilder builder_;
  mlir::Location loc_;
  RankedTensorType scalar_;
  int64_t dimension_;
  Value zero_;
};
} // namespace

Value Expansion::takeSlice(Value input, mlir::Type wanted, Value at) {
  auto type = sliced(mlir::cast<RankedTensorType>(input.getType()));
  llvm::SmallVector<Value> operands{input};
  llvm::append_range(operands, starts(input, at));
  Value slice =
      make("stablehlo.dynamic_slice", type, operands,
           builder_.getNamedAttr(
               "slice_sizes", builder_.getDenseI64ArrayAttr(type.getShape())));
  return make("stablehlo.reshape", wanted, slice);
}

Value Expansion::putSlice(Value output, Value slice, Value at) {
  auto type = mlir::cast<RankedTensorType>(output.getType());
  Value update = make("stablehlo.reshape", sliced(type), slice);
  llvm::SmallVector<Value> operands{output, update};
  llvm::append_range(operands, starts(output, at));
  return make("stablehlo.dynamic_update_slice", type, operands);
}

void Expansion::fillCondition(mlir::Block &block, int64_t count) {
  builder_.setInsertionPointToEnd(&block);
  auto truth = RankedTensorType::get({}, builder_.getI1Type());
  Value less =
      make("stablehlo.compare", truth, {block.getArgument(0), number(count)},
           builder_.getNamedAttr(
               "comparison_direction",
               stablehlo::ComparisonDirectionAttr::get(
                   builder_.getContext(), stablehlo::ComparisonDirection::LT)));
  mlir::OperationState end(loc_, "stablehlo.return", less, {}, {});
  builder_.create(end);
}

void Expansion::fillBody(mlir::Block &block, int64_t count) {
  builder_.setInsertionPointToEnd(&block);
  zero_ = number(0);
  Value step = block.getArgument(0), at = step;
  if (scan_.getIsReverse())
    at = make("stablehlo.subtract", scalar_, {number(count - 1), step});
  mlir::Block &body = scan_.getBody().front();
  size_t outputs = scan_.getOutputs().size(), inputs = scan_.getInputs().size();
  mlir::IRMapping map;
  for (auto [i, input] : llvm::enumerate(scan_.getInputs())) {
    mlir::BlockArgument argument = body.getArgument(static_cast<unsigned>(i));
    map.map(argument, takeSlice(input, argument.getType(), at));
  }
  for (size_t i = inputs; i < body.getNumArguments(); ++i)
    map.map(body.getArgument(static_cast<unsigned>(i)),
            block.getArgument(static_cast<unsigned>(1 + outputs + i - inputs)));
  for (mlir::Operation &op : body.without_terminator())
    builder_.clone(op, map);
  mlir::Operation *last = body.getTerminator();
  llvm::SmallVector<Value> next{
      make("stablehlo.add", scalar_, {step, number(1)})};
  for (size_t i = 0; i < last->getNumOperands(); ++i) {
    Value value =
        map.lookupOrDefault(last->getOperand(static_cast<unsigned>(i)));
    next.push_back(
        i < outputs ? putSlice(block.getArgument(static_cast<unsigned>(1 + i)),
                               value, at)
                    : value);
  }
  mlir::OperationState end(loc_, "stablehlo.return", next, {}, {});
  builder_.create(end);
}

mlir::Operation *Expansion::makeLoop(ValueRange state) {
  mlir::OperationState loop(loc_, "stablehlo.while", state, state.getTypes(),
                            {});
  for (int region = 0; region < 2; ++region) {
    auto block = std::make_unique<mlir::Block>();
    block->addArguments(state.getTypes(),
                        llvm::SmallVector<mlir::Location>(state.size(), loc_));
    loop.addRegion()->push_back(block.release());
  }
  return builder_.create(loop);
}

bool Expansion::run() {
  for (Value value : scan_->getOperands())
    if (!mlir::cast<mlir::ShapedType>(value.getType()).hasStaticShape())
      return false;
  for (Value value : scan_->getResults())
    if (!mlir::cast<mlir::ShapedType>(value.getType()).hasStaticShape())
      return false;
  Value scanned = !scan_.getInputs().empty()    ? scan_.getInputs()[0]
                  : !scan_.getOutputs().empty() ? scan_.getOutputs()[0]
                                                : Value();
  if (!scanned && !scan_.getScanDimSize())
    return false;
  int64_t count = scanned ? mlir::cast<RankedTensorType>(scanned.getType())
                                .getDimSize(static_cast<unsigned>(dimension_))
                          : *scan_.getScanDimSize();
  llvm::SmallVector<Value> state{number(0)};
  for (Value output : scan_.getOutputs())
    state.push_back(zeros(mlir::cast<RankedTensorType>(output.getType())));
  llvm::append_range(state, scan_.getInits());
  mlir::Operation *loop = makeLoop(state);
  fillCondition(loop->getRegion(0).front(), count);
  fillBody(loop->getRegion(1).front(), count);
  for (auto [i, result] : llvm::enumerate(scan_->getResults()))
    result.replaceAllUsesWith(loop->getResult(static_cast<unsigned>(i + 1)));
  return true;
}

bool assay::program::expandScan(mlir::Operation *op) {
  return Expansion(mlir::cast<chlo::ScanOp>(op)).run();
}
