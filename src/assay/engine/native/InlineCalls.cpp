#include "assay/engine/native/InlineCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace assay::engine {

using mlir::Operation;

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

} // namespace assay::engine
