// The layout of images through a whole program, decided before it is planned.
// Each block is read once from top to bottom. A value may have a second form,
// the same elements with its dimensions in another order; convolutions of planar
// images make such forms (channels last), and an operation that reads one is
// made again on the forms of its operands, so that the order spreads through
// elementwise operations, windows, reductions, reshapes of neighbouring
// dimensions and transposes (which only rename the order: where the program
// itself brings channels last, nothing is left to do). Whatever else reads such
// a value gets it transposed back. The operations that were made again are
// unread then, and go.
//
//   form.value[i0, i1, ...] is the element whose index in dimension
//   form.order[d] of the plain value is id
#include "assay/engine/native/PlanarLayout.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/PlanarGain.h"
#include "assay/engine/native/Transposed.h"
#include "assay/reference/Elementwise.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

namespace assay::engine {

using mlir::Operation;
using mlir::RankedTensorType;
using Order = llvm::SmallVector<int64_t, 6>;

//===--- Orders ----------------------------------------------------------===//

static bool isPlain(llvm::ArrayRef<int64_t> order) {
  for (size_t d = 0; d < order.size(); ++d)
    if (order[d] != static_cast<int64_t>(d))
      return false;
  return true;
}

static Order channelsLast(size_t rank) {
  Order order{0};
  for (size_t d = 2; d < rank; ++d)
    order.push_back(static_cast<int64_t>(d));
  order.push_back(1);
  return order;
}

static Order inverse(llvm::ArrayRef<int64_t> order) {
  Order result(order.size());
  for (size_t d = 0; d < order.size(); ++d)
    result[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  return result;
}

template <typename T>
static llvm::SmallVector<T, 6> arranged(llvm::ArrayRef<T> values,
                                        llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<T, 6> result;
  for (int64_t d : order)
    result.push_back(values[static_cast<size_t>(d)]);
  return result;
}

static RankedTensorType arrangedType(RankedTensorType type,
                                     llvm::ArrayRef<int64_t> order) {
  return RankedTensorType::get(arranged(type.getShape(), order),
                               type.getElementType());
}

namespace {
/// Which dimensions a reshape turns into which: those of a group become those of
/// the same group; -1: of size 1, which go anywhere.
struct ReshapeGroups {
  llvm::SmallVector<int, 6> from, to;
  int count = 0;
};
} // namespace

static std::optional<ReshapeGroups> groupsOf(llvm::ArrayRef<int64_t> from,
                                             llvm::ArrayRef<int64_t> to) {
  ReshapeGroups groups;
  groups.from.assign(from.size(), -1);
  groups.to.assign(to.size(), -1);
  size_t i = 0, j = 0;
  while (true) {
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
    if (i == from.size() || j == to.size())
      return i == from.size() && j == to.size() ? std::optional(groups)
                                                : std::nullopt;
    int64_t left = from[i], right = to[j];
    groups.from[i++] = groups.count, groups.to[j++] = groups.count;
    while (left != right) {
      bool isLeft = left < right;
      if (isLeft ? i == from.size() : j == to.size())
        return std::nullopt;
      if (isLeft)
        left *= from[i], groups.from[i++] = groups.count;
      else
        right *= to[j], groups.to[j++] = groups.count;
    }
    ++groups.count;
  }
}

/// The order nearest to this one in which each group's dimensions are adjacent.
static Order together(const ReshapeGroups &groups,
                      llvm::ArrayRef<int64_t> order) {
  Order result;
  for (int64_t d : order) {
    int group = groups.from[static_cast<size_t>(d)];
    if (llvm::is_contained(result, d))
      continue;
    if (group < 0)
      result.push_back(d);
    for (size_t other = 0; group >= 0 && other < groups.from.size(); ++other)
      if (groups.from[other] == group)
        result.push_back(static_cast<int64_t>(other));
  }
  return result;
}

/// The order of a reshape's result where the operand has such an order.
static Order reshapedOrder(const ReshapeGroups &groups,
                           llvm::ArrayRef<int64_t> order) {
  Order result;
  int last = -1;
  for (int64_t d : order) {
    int group = groups.from[static_cast<size_t>(d)];
    if (group < 0 || group == last)
      continue;
    for (size_t t = 0; t < groups.to.size(); ++t)
      if (groups.to[t] == group)
        result.push_back(static_cast<int64_t>(t));
    last = group;
  }
  for (size_t t = 0; t < groups.to.size(); ++t)
    if (groups.to[t] < 0)
      result.insert(llvm::find_if(
                        result, [&](int64_t other) { return other > int64_t(t); }),
                    static_cast<int64_t>(t));
  return result;
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

/// The value as the program has it.
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

/// What is transposed before it, not after: kernels read the bytes.
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
  auto groups = groupsOf(typeOfValue(operand).getShape(), to.getShape());
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

bool hasPlanarConvolutions(mlir::ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isPlanarConvolution(op) || isPlanarFilterGradient(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The function that a call runs, where its operations can be in the
/// caller.
static mlir::func::FuncOp smallCallee(mlir::func::CallOp call,
                                      mlir::ModuleOp module) {
  constexpr size_t kMostOperations = 64;
  auto callee = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      callee->isAncestor(call) ||
      callee.getBody().front().getOperations().size() > kMostOperations ||
      call->getAttrDictionary().size() > 1)
    return {};
  bool calls = false;
  callee.walk([&](mlir::func::CallOp) { calls = true; });
  return calls ? mlir::func::FuncOp() : callee;
}

void inlineSmallCalls(mlir::ModuleOp module) {
  constexpr int kDeepest = 4;
  for (int depth = 0; depth < kDeepest; ++depth) {
    llvm::SmallVector<mlir::func::CallOp> calls;
    module.walk([&](mlir::func::CallOp call) { calls.push_back(call); });
    bool changed = false;
    for (mlir::func::CallOp call : calls) {
      mlir::func::FuncOp callee = smallCallee(call, module);
      if (!callee)
        continue;
      mlir::OpBuilder builder(call);
      mlir::IRMapping mapping;
      mlir::Block &body = callee.getBody().front();
      mapping.map(body.getArguments(), call.getOperands());
      for (Operation &op : body.without_terminator())
        builder.clone(op, mapping);
      for (auto [result, returned] :
           llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
      call.erase();
      changed = true;
    }
    if (!changed)
      return;
  }
}

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
  // What is transposed is read and written once more, and many a convolution by
  // itself can as well be computed in its own layout.
  constexpr double kMostMoved = 0.6;
  return gains || moved <= kMostMoved * planar;
}

void moveChannelsLast(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (rewriteBlocks(*copy))
    module.getBodyRegion().takeBody(copy->getBodyRegion());
}

} // namespace assay::engine
