// The layout of images through a whole program, decided before it is planned.
// Each block is read once from top to bottom. A value may have a second form,
// the same elements with its dimensions in another order; convolutions of planar
// images make such forms (channels last), and an operation that reads one is
// made again on the forms of its operands, so that the order spreads through
// elementwise operations, windows, reductions, reshapes of neighbouring dimensions
// and transposes (which only rename the order). Whatever else reads such a value gets
// it transposed back. The operations that were made again are unread then, and go.
#include "assay/engine/native/PlanarLayout.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/DimensionOrder.h"
#include "assay/engine/native/PlanarGain.h"
#include "assay/engine/native/Transposed.h"
#include "assay/reference/Elementwise.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

namespace assay::engine {

using mlir::Operation;
using mlir::RankedTensorType;

static RankedTensorType arrangedType(RankedTensorType type,
                                     llvm::ArrayRef<int64_t> order) {
  return RankedTensorType::get(arranged(type.getShape(), order),
                               type.getElementType());
}

//===--- The rewriter ----------------------------------------------------===//

namespace {
struct Form {
  mlir::Value value;
  Order order;
};

class Rewriter {
public:
  explicit Rewriter(mlir::Block &block)
      : block_(block), builder_(block.getParentOp()->getContext()) {}
  void run();
  double planar() const { return planar_; } ///< elements around convolutions
  double moved() const;                     ///< elements that are transposed
  /// Each convolution is worth the transposes around it.
  bool gains() const { return gains_; }

private:
  bool rewrite(Operation *op);
  bool rewriteConvolution(Operation *op);
  bool rewriteFilterGradient(Operation *op);
  bool rewriteElementwise(Operation *op);
  bool rewriteTranspose(Operation *op);
  bool rewriteReshape(Operation *op);
  bool rewriteReduce(Operation *op);
  bool rewriteWindowed(Operation *op);
  bool rewriteConcatenate(Operation *op);
  void readPlain(Operation *op);
  void removeUnread();

  const Form *formOf(mlir::Value value) const {
    auto found = forms_.find(value);
    return found == forms_.end() ? nullptr : &found->second;
  }
  mlir::Value plain(mlir::Value value);
  mlir::Value inOrder(mlir::Value value, const Order &order);
  mlir::Value broadcastInOrder(Operation *op, const Order &order);
  mlir::Value transposed(mlir::Value value, llvm::ArrayRef<int64_t> permutation,
                         mlir::Location location);
  Operation *again(Operation *op, llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::Type> types);
  void setResult(mlir::Value result, mlir::Value made, Order order);
  void arrangeAttribute(Operation *op, llvm::StringRef name,
                        const Order &order);

  mlir::Block &block_;
  mlir::OpBuilder builder_;
  llvm::DenseMap<mlir::Value, Form> forms_; ///< operations that were made again
  llvm::DenseMap<mlir::Value, mlir::Value> plains_;
  std::map<std::pair<void *, Order>, mlir::Value> ordered_;
  llvm::DenseSet<Operation *> transposes_; ///< ours
  double planar_ = 0;
  bool gains_ = true;
};
} // namespace

mlir::Value Rewriter::transposed(mlir::Value value,
                                 llvm::ArrayRef<int64_t> permutation,
                                 mlir::Location location) {
  mlir::Value made = engine::transposed(builder_, value, permutation, location);
  transposes_.insert(made.getDefiningOp());
  return made;
}

/// The value in the program's own layout.
mlir::Value Rewriter::plain(mlir::Value value) {
  const Form *form = formOf(value);
  if (!form)
    return value;
  mlir::Value &made = plains_[value];
  if (!made) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointAfterValue(form->value);
    made = transposed(form->value, inverse(form->order), value.getLoc());
  }
  return made;
}

/// A broadcast made with its dimensions in another order.
mlir::Value Rewriter::broadcastInOrder(Operation *op, const Order &order) {
  auto dims = op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions");
  mlir::Value operand = op->getOperand(0);
  const Form *form = formOf(operand);
  Order to = inverse(order), at;
  for (size_t d = 0; d < static_cast<size_t>(dims.size()); ++d) {
    auto from = form ? static_cast<size_t>(form->order[d]) : d;
    at.push_back(to[static_cast<size_t>(dims[from])]);
  }
  Operation *made =
      again(op, {form ? form->value : operand},
            {arrangedType(typeOfValue(op->getResult(0)), order)});
  made->setAttr("broadcast_dimensions", builder_.getDenseI64ArrayAttr(at));
  return made->getResult(0);
}

/// Transposed before it, not after: kernels read the bytes.
static bool widensBytes(Operation *op) {
  if (!mlir::isa<stablehlo::ConvertOp>(op))
    return false;
  RankedTensorType from = typeOfValue(op->getOperand(0));
  return from && from.getElementType().isInteger(8);
}

/// The value with its dimensions in this order.
mlir::Value Rewriter::inOrder(mlir::Value value, const Order &order) {
  const Form *form = formOf(value);
  if (form && form->order == order)
    return form->value;
  if (isPlain(order))
    return plain(value);
  mlir::Value &known = ordered_[{value.getAsOpaquePointer(), order}];
  if (known)
    return known;
  if (form) {
    // plain dimension order[i] is dimension inverse(form->order)[order[i]] here.
    known = transposed(form->value, arranged<int64_t>(inverse(form->order), order),
                       value.getLoc());
    return known;
  }
  Operation *op = value.getDefiningOp();
  mlir::DenseElementsAttr constant;
  if (op && mlir::isa<stablehlo::BroadcastInDimOp>(op)) {
    known = broadcastInOrder(op, order);
  } else if (op && mlir::matchPattern(value, mlir::m_Constant(&constant)) &&
             constant.isSplat() && op->hasAttr("value")) {
    RankedTensorType type = arrangedType(typeOfValue(value), order);
    Operation *made = again(op, {}, {type});
    made->setAttr("value", constant.resizeSplat(type));
    known = made->getResult(0);
  } else if (op && widensBytes(op)) {
    mlir::Value bytes = inOrder(op->getOperand(0), order);
    Operation *made =
        again(op, {bytes}, {arrangedType(typeOfValue(value), order)});
    return ordered_[{value.getAsOpaquePointer(), order}] = made->getResult(0);
  } else if (op && mlir::isa<stablehlo::IotaOp>(op)) {
    Operation *made =
        again(op, {}, {arrangedType(typeOfValue(value), order)});
    auto dim = op->getAttrOfType<mlir::IntegerAttr>("iota_dimension").getInt();
    made->setAttr("iota_dimension", builder_.getI64IntegerAttr(
                                        inverse(order)[static_cast<size_t>(dim)]));
    known = made->getResult(0);
  } else if (op && mlir::isa<stablehlo::TransposeOp>(op) &&
             !formOf(op->getOperand(0))) {
    // Result dimension order[i] is the operand's permutation[order[i]].
    Order both = arranged<int64_t>(
        op->getAttrOfType<mlir::DenseI64ArrayAttr>("permutation").asArrayRef(),
        order);
    known = isPlain(both)
                ? op->getOperand(0)
                : transposed(op->getOperand(0), both, value.getLoc());
  } else {
    known = transposed(value, order, value.getLoc());
  }
  return known;
}

/// The operation on other operands, where the builder stands.
Operation *Rewriter::again(Operation *op, llvm::ArrayRef<mlir::Value> operands,
                           llvm::ArrayRef<mlir::Type> types) {
  Operation *made = builder_.insert(op->clone());
  made->setOperands(operands);
  for (auto [result, type] : llvm::zip(made->getResults(), types))
    result.setType(type);
  return made;
}

void Rewriter::setResult(mlir::Value result, mlir::Value made, Order order) {
  if (isPlain(order))
    result.replaceAllUsesWith(made);
  else
    forms_[result] = {made, std::move(order)};
}

void Rewriter::arrangeAttribute(Operation *op, llvm::StringRef name,
                                const Order &order) {
  if (auto array = op->getAttrOfType<mlir::DenseI64ArrayAttr>(name))
    op->setAttr(name, builder_.getDenseI64ArrayAttr(
                          arranged(array.asArrayRef(), order)));
}

bool Rewriter::rewriteConvolution(Operation *op) {
  if (!isPlanarConvolution(op))
    return false;
  RankedTensorType in = typeOfValue(op->getOperand(0)),
                   out = typeOfValue(op->getResult(0));
  int64_t rank = in.getRank();
  Order order = channelsLast(static_cast<size_t>(rank));
  planar_ += double(in.getNumElements()) + double(out.getNumElements());
  gains_ &= gainsFromChannelsLast(mlir::cast<stablehlo::ConvolutionOp>(op));
  Operation *made =
      again(op, {inOrder(op->getOperand(0), order), plain(op->getOperand(1))},
            {arrangedType(out, order)});
  auto dims = mlir::cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
  Order spatial;
  for (int64_t d = 1; d + 1 < rank; ++d)
    spatial.push_back(d);
  made->setAttr("dimension_numbers",
                stablehlo::ConvDimensionNumbersAttr::get(
                    op->getContext(), 0, rank - 1, spatial,
                    dims.getKernelInputFeatureDimension(),
                    dims.getKernelOutputFeatureDimension(),
                    dims.getKernelSpatialDimensions(), 0, rank - 1, spatial));
  setResult(op->getResult(0), made->getResult(0), order);
  return true;
}

/// Image, gradient and result with channels last.
bool Rewriter::rewriteFilterGradient(Operation *op) {
  if (!isPlanarFilterGradient(op))
    return false;
  RankedTensorType in = typeOfValue(op->getOperand(0)),
                   out = typeOfValue(op->getResult(0));
  int64_t rank = in.getRank();
  Order order = channelsLast(static_cast<size_t>(rank)), spatial, outSpatial;
  auto dims = mlir::cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
  Order outOrder(dims.getOutputSpatialDimensions());
  outOrder.push_back(dims.getOutputBatchDimension());
  outOrder.push_back(dims.getOutputFeatureDimension());
  for (int64_t d = 1; d + 1 < rank; ++d) {
    spatial.push_back(d);
    outSpatial.push_back(d - 1);
  }
  planar_ += double(in.getNumElements()) +
             double(typeOfValue(op->getOperand(1)).getNumElements());
  Operation *made = again(
      op, {inOrder(op->getOperand(0), order), inOrder(op->getOperand(1), order)},
      {arrangedType(out, outOrder)});
  made->setAttr("dimension_numbers",
                stablehlo::ConvDimensionNumbersAttr::get(
                    op->getContext(), rank - 1, 0, spatial, 0, rank - 1, spatial,
                    rank - 2, rank - 1, outSpatial));
  setResult(op->getResult(0), made->getResult(0), outOrder);
  return true;
}

bool Rewriter::rewriteElementwise(Operation *op) {
  bool known = (reference::ElementwiseFunction::knows(op) &&
                !op->getName().getStringRef().starts_with("chlo.broadcast_")) ||
               mlir::isa<stablehlo::ConvertOp>(op);
  RankedTensorType result = typeOfValue(op->getResult(0));
  if (!known || op->getNumResults() != 1 || !result)
    return false;
  const Form *first = nullptr;
  for (mlir::Value operand : op->getOperands()) {
    RankedTensorType type = typeOfValue(operand);
    if (!type || (type.getRank() != 0 && type.getShape() != result.getShape()))
      return false;
    if (!first)
      first = formOf(operand);
  }
  if (!first)
    return false;
  Order order = first->order;
  llvm::SmallVector<mlir::Value, 3> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(typeOfValue(operand).getRank() == 0
                           ? operand
                           : inOrder(operand, order));
  Operation *made = again(op, operands, {arrangedType(result, order)});
  setResult(op->getResult(0), made->getResult(0), order);
  return true;
}

/// Only another name for the order.
bool Rewriter::rewriteTranspose(Operation *op) {
  if (!mlir::isa<stablehlo::TransposeOp>(op) ||
      !typeOfValue(op->getOperand(0)))
    return false;
  auto permutation = op->getAttrOfType<mlir::DenseI64ArrayAttr>("permutation");
  Order to = inverse(permutation.asArrayRef());
  const Form *form = formOf(op->getOperand(0));
  if (!form)
    return false;
  setResult(op->getResult(0), form->value, arranged<int64_t>(to, form->order));
  return true;
}

bool Rewriter::rewriteReshape(Operation *op) {
  const Form *form = mlir::isa<stablehlo::ReshapeOp>(op)
                         ? formOf(op->getOperand(0))
                         : nullptr;
  RankedTensorType to = typeOfValue(op->getResult(0));
  if (!form || !to)
    return false;
  mlir::Value operand = op->getOperand(0);
  auto groups = reshapeGroups(typeOfValue(operand).getShape(), to.getShape());
  if (!groups)
    return false;
  // Groups that are apart are brought together.
  Order from = together(*groups, form->order),
        order = reshapedOrder(*groups, from);
  if (isPlain(from))
    return false;
  Operation *made =
      again(op, {inOrder(operand, from)}, {arrangedType(to, order)});
  setResult(op->getResult(0), made->getResult(0), order);
  return true;
}

bool Rewriter::rewriteReduce(Operation *op) {
  const Form *form = mlir::isa<stablehlo::ReduceOp>(op) &&
                             op->getNumOperands() == 2 &&
                             op->getNumResults() == 1
                         ? formOf(op->getOperand(0))
                         : nullptr;
  auto dims = op->getAttrOfType<mlir::DenseI64ArrayAttr>("dimensions");
  RankedTensorType result = typeOfValue(op->getResult(0));
  if (!form || !dims || !result)
    return false;
  // The dimensions that stay, in the program's numbers and in the order of the
  // form.
  Order at, left, places;
  for (size_t d = 0; d < form->order.size(); ++d)
    if (llvm::is_contained(dims.asArrayRef(), form->order[d]))
      at.push_back(static_cast<int64_t>(d));
    else
      left.push_back(form->order[d]);
  Order sorted = left;
  llvm::sort(sorted);
  for (int64_t d : left)
    places.push_back(llvm::find(sorted, d) - sorted.begin());
  Operation *made = again(op, {form->value, plain(op->getOperand(1))},
                          {arrangedType(result, places)});
  made->setAttr("dimensions", builder_.getDenseI64ArrayAttr(at));
  setResult(op->getResult(0), made->getResult(0), places);
  return true;
}

/// Operations of one image whose attributes have an entry for each dimension.
bool Rewriter::rewriteWindowed(Operation *op) {
  bool isWindow = mlir::isa<stablehlo::ReduceWindowOp>(op);
  if (!isWindow && !mlir::isa<stablehlo::PadOp, stablehlo::SliceOp>(op))
    return false;
  RankedTensorType result = op->getNumResults() == 1
                                ? typeOfValue(op->getResult(0))
                                : RankedTensorType();
  const Form *form = formOf(op->getOperand(0));
  if (!form || !result || op->getNumOperands() > 2)
    return false;
  Order order = form->order;
  llvm::SmallVector<mlir::Value, 2> operands{form->value};
  for (mlir::Value other : op->getOperands().drop_front())
    operands.push_back(plain(other));
  Operation *made = again(op, operands, {arrangedType(result, order)});
  for (const char *name :
       {"window_dimensions", "window_strides", "base_dilations",
        "window_dilations", "edge_padding_low", "edge_padding_high",
        "interior_padding", "start_indices", "limit_indices", "strides"})
    arrangeAttribute(made, name, order);
  if (auto padding =
          op->getAttrOfType<mlir::DenseIntElementsAttr>("padding")) {
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    llvm::SmallVector<int64_t, 12> pairs;
    for (int64_t d : order)
      pairs.append({values[static_cast<size_t>(2 * d)],
                    values[static_cast<size_t>(2 * d + 1)]});
    made->setAttr("padding",
                  mlir::DenseIntElementsAttr::get(padding.getType(),
                                                  llvm::ArrayRef(pairs)));
  }
  setResult(op->getResult(0), made->getResult(0), order);
  return true;
}

bool Rewriter::rewriteConcatenate(Operation *op) {
  if (!mlir::isa<stablehlo::ConcatenateOp>(op) ||
      !typeOfValue(op->getResult(0)))
    return false;
  const Form *first = nullptr;
  for (mlir::Value operand : op->getOperands())
    if (!typeOfValue(operand))
      return false;
    else if (!first)
      first = formOf(operand);
  if (!first)
    return false;
  Order order = first->order;
  llvm::SmallVector<mlir::Value, 4> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(inOrder(operand, order));
  Operation *made = again(
      op, operands, {arrangedType(typeOfValue(op->getResult(0)), order)});
  auto dim = op->getAttrOfType<mlir::IntegerAttr>("dimension").getInt();
  made->setAttr("dimension", builder_.getI64IntegerAttr(
                                 inverse(order)[static_cast<size_t>(dim)]));
  setResult(op->getResult(0), made->getResult(0), order);
  return true;
}

bool Rewriter::rewrite(Operation *op) {
  return rewriteConvolution(op) || rewriteFilterGradient(op) ||
         rewriteElementwise(op) ||
         rewriteTranspose(op) || rewriteReshape(op) || rewriteReduce(op) ||
         rewriteWindowed(op) || rewriteConcatenate(op);
}

/// Everything that the operation reads, its regions included, as it was.
void Rewriter::readPlain(Operation *op) {
  op->walk([&](Operation *inner) {
    for (mlir::OpOperand &operand : inner->getOpOperands())
      if (formOf(operand.get()))
        operand.set(plain(operand.get()));
  });
}

void Rewriter::removeUnread() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block_.getOperations())))
    if (op.use_empty() && !op.hasTrait<mlir::OpTrait::IsTerminator>() &&
        mlir::isMemoryEffectFree(&op)) {
      transposes_.erase(&op);
      op.erase();
    }
}

void Rewriter::run() {
  llvm::SmallVector<Operation *> all;
  for (Operation &op : block_)
    all.push_back(&op);
  for (Operation *op : all) {
    builder_.setInsertionPoint(op);
    if (op->getNumResults() == 0 || !rewrite(op))
      readPlain(op);
  }
  removeUnread();
}

double Rewriter::moved() const {
  double count = 0;
  for (Operation *op : transposes_)
    count += double(typeOfValue(op->getResult(0)).getNumElements());
  return count;
}

//===--- The program -----------------------------------------------------===//

/// Rewrites every block of the module; false where that does not pay.
static bool rewriteBlocks(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Block *> blocks;
  module.walk([&](mlir::Block *block) {
    if (mlir::isa_and_nonnull<mlir::func::FuncOp, stablehlo::WhileOp,
                              stablehlo::IfOp, stablehlo::CaseOp>(
            block->getParentOp()))
      blocks.push_back(block);
  });
  double planar = 0, moved = 0;
  bool gains = true;
  for (mlir::Block *block : blocks) {
    Rewriter rewriter(*block);
    rewriter.run();
    planar += rewriter.planar();
    moved += rewriter.moved();
    gains &= rewriter.gains();
  }
  // A transposed tensor is read and written once more, and a single convolution
  // can often be computed as well in its own layout.
  constexpr double kMostMoved = 0.6;
  return gains || moved <= kMostMoved * planar;
}

void moveChannelsLast(mlir::ModuleOp module) {
  if (!hasPlanarConvolutions(module))
    return;
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (rewriteBlocks(*copy))
    module.getBodyRegion().takeBody(copy->getBodyRegion());
}

} // namespace assay::engine
