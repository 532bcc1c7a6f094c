// Forward from the entry's arguments, by a work list.
#include "assay/judge/equivalence/Reached.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace assay;
using namespace assay::judge;

namespace {
class Flood {
public:
  void mark(mlir::ValueRange values) {
    for (mlir::Value value : values)
      if (seen_.insert(value).second)
        open_.push_back(value);
  }
  void run() {
    while (!open_.empty())
      for (mlir::Operation *user : open_.pop_back_val().getUsers())
        enter(user);
  }
  OperationSet reached;

private:
  void enter(mlir::Operation *op);

  llvm::DenseSet<mlir::Value> seen_;
  llvm::SmallVector<mlir::Value> open_;
};
} // namespace

static void eachBlock(mlir::Operation *op,
                      llvm::function_ref<void(mlir::Block &)> visit) {
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      visit(block);
}

void Flood::enter(mlir::Operation *op) {
  if (!reached.insert(op).second)
    return;
  mark(op->getResults());
  auto markArguments = [&](mlir::Block &block) { mark(block.getArguments()); };
  eachBlock(op, markArguments);
  for (mlir::NamedAttribute attribute : op->getAttrs())
    attribute.getValue().walk([&](mlir::SymbolRefAttr symbol) {
      if (auto callee = mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol);
          mlir::isa_and_nonnull<mlir::func::FuncOp>(callee))
        eachBlock(callee, markArguments);
    });
  // A value that a body returns is its operation's result and, in a loop, the
  // body's argument.
  if (op->hasTrait<mlir::OpTrait::IsTerminator>() &&
      !mlir::isa<mlir::func::FuncOp>(op->getParentOp()))
    enter(op->getParentOp());
}

OperationSet judge::reachedByArguments(const program::Plan &plan) {
  Flood flood;
  auto entry = mlir::cast<mlir::func::FuncOp>(plan.functions[plan.entry]->op);
  flood.mark(entry.getArguments());
  flood.run();
  return std::move(flood.reached);
}
