// Replaces each call by a copy of the callee's operations.
#include "assay/program/Inlining.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

using namespace assay;

/// The function that a call runs, if it is small enough to be inlined.
static mlir::func::FuncOp smallCallee(mlir::func::CallOp call,
                                      const mlir::SymbolTable &symbols) {
  constexpr size_t kMostOperations = 64;
  auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      callee->isAncestor(call) ||
      callee.getBody().front().getOperations().size() > kMostOperations ||
      call->getAttrDictionary().size() > 1)
    return {};
  bool calls = false;
  callee.walk([&](mlir::func::CallOp) { calls = true; });
  return calls ? mlir::func::FuncOp() : callee;
}

/// Puts a copy of the callee's operations in place of the call.
static void putInPlace(mlir::func::CallOp call, mlir::func::FuncOp callee) {
  mlir::OpBuilder builder(call);
  mlir::IRMapping mapping;
  mlir::Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (mlir::Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, returned] :
       llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
  call.erase();
}

/// Inlines the calls in the regions of `scope`, and those in the inlined
/// bodies, up to `deepest` levels.
static void
inlineCalls(mlir::Operation *scope, int deepest,
            llvm::function_ref<mlir::func::FuncOp(mlir::func::CallOp)> find) {
  bool changed = true;
  for (int depth = 0; depth < deepest && changed; ++depth) {
    llvm::SmallVector<mlir::func::CallOp> calls;
    for (mlir::Region &region : scope->getRegions()) // not `scope` itself
      region.walk([&](mlir::func::CallOp call) { calls.push_back(call); });
    changed = false;
    for (mlir::func::CallOp call : calls)
      if (mlir::func::FuncOp callee = find(call)) {
        putInPlace(call, callee);
        changed = true;
      }
  }
}

void program::inlineSmallCalls(mlir::ModuleOp module) {
  mlir::SymbolTable symbols(module);
  inlineCalls(module, 4, [&](mlir::func::CallOp call) {
    return smallCallee(call, symbols);
  });
}

mlir::func::FuncOp program::inlinableCallee(mlir::func::CallOp call,
                                            mlir::Operation *user) {
  auto callee =
      mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
          user, call.getCalleeAttr());
  return callee && !callee.isExternal() && callee.getBody().hasOneBlock()
             ? callee
             : mlir::func::FuncOp();
}

void program::inlineCallsWithin(mlir::Operation *op, mlir::Operation *user) {
  inlineCalls(op, 64, [&](mlir::func::CallOp call) {
    return inlinableCallee(call, user);
  });
}

void program::eraseUncalled(mlir::ModuleOp module) {
  llvm::StringSet<> named;
  module.walk([&](mlir::Operation *op) {
    op->getAttrDictionary().walk([&](mlir::SymbolRefAttr name) {
      named.insert(name.getRootReference().getValue());
    });
  });
  for (auto function :
       llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>()))
    if (function.isPrivate() && !function.isExternal() &&
        !named.contains(function.getName()))
      function.erase();
}
