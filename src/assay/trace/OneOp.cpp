// One operation cut out of its program: cloned into a function whose parameters
// are its operands.
#include "assay/trace/OneOp.h"
#include "assay/program/Inlining.h"
#include "assay/program/PlanBuilder.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::trace {

void OperationPaths::addAll(mlir::Operation *root) {
  llvm::StringMap<int> uses; // uses of a name by operations of one kind
  mlir::Operation *function = nullptr;
  int64_t ordinal = 0;
  root->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    ++ordinal;
    if (mlir::isa<mlir::func::FuncOp>(op))
      function = op, ordinal = 0;
    if (auto located = mlir::dyn_cast<mlir::NameLoc>(op->getLoc())) {
      std::string name = located.getName().str();
      int use = ++uses[name + "." + op->getName().getStringRef().str()];
      paths_[op] = use == 1 ? name : name + "#" + std::to_string(use);
    } else if (function) {
      paths_[op] = mlir::cast<mlir::func::FuncOp>(function).getSymName().str() +
                   "/" + std::to_string(ordinal);
    }
  });
}

const std::string &OperationPaths::of(mlir::Operation *op) {
  if (!paths_.contains(op)) {
    mlir::Operation *root = op;
    while (mlir::Operation *parent = root->getParentOp())
      root = parent;
    addAll(root);
  }
  return paths_[op];
}

std::string oneOpProgram(mlir::Operation *op) {
  auto tensors = [](mlir::TypeRange types) {
    return llvm::all_of(types, [](mlir::Type type) {
      return mlir::isa<mlir::RankedTensorType>(type);
    });
  };
  llvm::SetVector<mlir::Value> outside;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), outside);
  if (op->getNumResults() == 0 || !tensors(op->getOperandTypes()) ||
      !tensors(op->getResultTypes()) ||
      !llvm::all_of(outside, [](mlir::Value value) {
        return program::constantOf(value.getDefiningOp());
      }))
    return {};
  mlir::MLIRContext *context = op->getContext();
  mlir::Location location = mlir::UnknownLoc::get(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  mlir::OpBuilder builder(module->getBodyRegion());
  auto type = builder.getFunctionType(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes()));
  auto function = mlir::func::FuncOp::create(builder, location, "main", type);
  mlir::Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  mlir::IRMapping mapping;
  for (mlir::Value constant : outside)
    builder.clone(*constant.getDefiningOp(), mapping);
  for (auto [operand, parameter] :
       llvm::zip(op->getOperands(), block->getArguments()))
    if (!mapping.contains(operand))
      mapping.map(operand, parameter);
  mlir::Operation *copy = builder.clone(*op, mapping);
  program::inlineCallsWithin(copy, op);
  for (auto [i, parameter] : llvm::enumerate(block->getArguments()))
    copy->setOperand(static_cast<unsigned>(i), parameter);
  mlir::func::ReturnOp::create(builder, location, copy->getResults());
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  // Without a target version, the writer cannot fail.
  (void)mlir::writeBytecodeToFile(*module, os);
  return bytes;
}

} // namespace assay::trace
