// Operations move into the region of a group. Views that others read too are copied
// into it. Others that read a result before the group's place are views: they move
// behind it.
#include "assay/engine/native/Groups.h"

#include "assay/dialect/Sdy.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/PlanBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace assay::engine {

using mlir::Block;
using mlir::Operation;
using mlir::Value;

bool isProduct(Operation *op) {
  return mlir::isa<stablehlo::DotGeneralOp, stablehlo::DotOp, native::GemmOp>(op);
}

bool isConvolution(Operation *op) {
  return mlir::isa<stablehlo::ConvolutionOp, native::ConvOp>(op);
}

void forEachBlock(mlir::ModuleOp module,
                  llvm::function_ref<void(Block &)> body) {
  module->walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    bool runs = mlir::isa<mlir::ModuleOp, mlir::func::FuncOp,
                          sdy::ManualComputationOp>(op) ||
                program::regionControl(op);
    if (!runs)
      return mlir::WalkResult::skip();
    if (!mlir::isa<mlir::ModuleOp>(op))
      for (mlir::Region &region : op->getRegions())
        for (Block &block : region)
          body(block);
    return mlir::WalkResult::advance();
  });
}

void GroupParts::addViews(Value value, Value base) {
  for (; value != base; value = value.getDefiningOp()->getOperand(0))
    views.insert(value.getDefiningOp());
}

/// The operation of the block that holds the user.
static Operation *readerOf(Operation *user, Block *block) {
  return block->findAncestorOpInBlock(*user);
}

namespace {
class Grouping {
public:
  explicit Grouping(GroupParts parts) : parts_(std::move(parts)) {
    block_ = parts_.members.front()->getBlock();
    all_.append(parts_.members.begin(), parts_.members.end());
    all_.append(parts_.views.begin(), parts_.views.end());
    // A view may stand in a block around this one, where it comes earlier.
    auto isBefore = [](Operation *a, Operation *b) {
      return a->getBlock() == b->getBlock()
                 ? a->isBeforeInBlock(b)
                 : readerOf(b, a->getBlock()) != nullptr;
    };
    llvm::sort(all_, isBefore);
    llvm::sort(parts_.members, isBefore);
    inside_.insert(all_.begin(), all_.end());
    moved_.insert(parts_.members.begin(), parts_.members.end());
    for (Operation *op : llvm::reverse(all_))
      if (!isReadOutside(op->getResults()))
        moved_.insert(op);
  }
  Operation *make(llvm::StringRef name, mlir::Location location);

private:
  bool isReadOutside(mlir::ValueRange values) const {
    return llvm::any_of(values, [&](Value value) {
      return llvm::any_of(value.getUsers(), [&](Operation *user) {
        return !moved_.contains(readerOf(user, block_));
      });
    });
  }
  void addOperands();
  void fill(Operation *group);

  GroupParts parts_;
  Block *block_;
  llvm::SmallVector<Operation *, 16> all_; ///< in their order
  llvm::DenseSet<Operation *> inside_, moved_;
};
} // namespace

void Grouping::addOperands() {
  llvm::DenseSet<Value> known(parts_.operands.begin(), parts_.operands.end());
  for (Operation *op : all_)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        bool isInner = op->isAncestor(operand.getParentBlock()->getParentOp()) ||
                       inside_.contains(maker);
        if (!isInner && known.insert(operand).second)
          parts_.operands.push_back(operand);
      }
    });
}

void Grouping::fill(Operation *group) {
  Block *body = &group->getRegion(0).emplaceBlock();
  mlir::IRMapping map;
  for (Value operand : parts_.operands) {
    Value argument = body->addArgument(operand.getType(), operand.getLoc());
    if (!map.contains(operand))
      map.map(operand, argument);
  }
  for (Operation *op : all_) {
    if (!moved_.contains(op)) {
      body->push_back(op->clone(map));
      continue;
    }
    op->moveBefore(body, body->end());
    op->walk([&](Operation *inner) {
      for (mlir::OpOperand &operand : inner->getOpOperands())
        operand.set(map.lookupOrDefault(operand.get()));
    });
  }
}

/// Readers that stand before the group move behind it, and theirs.
static void moveReadersBehind(Operation *group) {
  llvm::SmallVector<Operation *> work{group};
  Operation *last = group;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      Operation *reader = readerOf(user, group->getBlock());
      if (!reader->isBeforeInBlock(group))
        continue;
      reader->moveAfter(last);
      last = reader;
      work.push_back(reader);
    }
}

Operation *Grouping::make(llvm::StringRef name, mlir::Location location) {
  addOperands();
  llvm::SmallVector<Value> results;
  for (Operation *member : parts_.members)
    for (Value result : member->getResults())
      if (isReadOutside(result))
        results.push_back(result);
  mlir::OperationState state(location, name, parts_.operands,
                             mlir::TypeRange(mlir::ValueRange(results)), {});
  state.addRegion();
  mlir::OpBuilder builder(parts_.members.back());
  Operation *group = builder.create(state);
  fill(group);
  for (auto [result, outer] : llvm::zip_equal(results, group->getResults()))
    result.replaceUsesWithIf(outer, [&](mlir::OpOperand &use) {
      return !group->isProperAncestor(use.getOwner());
    });
  builder.setInsertionPointToEnd(&group->getRegion(0).front());
  native::ReturnOp::create(builder, location, results);
  moveReadersBehind(group);
  return group;
}

Operation *makeGroup(llvm::StringRef name, GroupParts parts,
                     mlir::Location location) {
  return Grouping(std::move(parts)).make(name, location);
}

mlir::DenseElementsAttr splatOf(Value value) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    if (Operation *group = argument.getOwner()->getParentOp();
        native::isGroup(group))
      return splatOf(group->getOperand(argument.getArgNumber()));
  Operation *maker = value.getDefiningOp();
  auto constant = maker ? mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(
                              program::constantOf(maker))
                        : mlir::DenseElementsAttr();
  return constant && constant.isSplat() ? constant : mlir::DenseElementsAttr();
}

Operation *soleMaker(Operation *reader, unsigned operand) {
  Value value = reader->getOperand(operand);
  Operation *maker = value.getDefiningOp();
  bool plain = maker && maker->getBlock() == reader->getBlock() &&
               maker->getNumResults() == 1 && value.hasOneUse();
  return plain ? maker : nullptr;
}

} // namespace assay::engine
