// check.expect_eq(got, expected) and similar checks: `got` becomes a result.
#include "assay/judge/reduce/Checks.h"

using namespace assay;
using namespace assay::judge;

static bool isCheck(mlir::Operation *op) {
  if (op->getName().getDialectNamespace() == "check")
    return true;
  auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
  return target && target.getValue().starts_with("check.");
}

llvm::Expected<std::shared_ptr<const program::Program>>
judge::withoutChecks(const std::shared_ptr<const program::Program> &program,
                     llvm::StringRef entry) {
  llvm::Expected<mlir::func::FuncOp> function = program->function(entry);
  if (!function)
    return function.takeError();
  if (llvm::none_of(function->getBody().front().without_terminator(),
                    [](mlir::Operation &op) { return isCheck(&op); }))
    return program;
  std::string name = function->getSymName().str();
  return editedProgram(*program, [&](mlir::ModuleOp module) {
    auto main = mlir::cast<mlir::func::FuncOp>(
        mlir::SymbolTable::lookupSymbolIn(module, name));
    mlir::Operation *end = main.getBody().front().getTerminator();
    llvm::SmallVector<mlir::Value> results(end->getOperands());
    llvm::SmallVector<mlir::Operation *> checks;
    for (mlir::Operation &op : main.getBody().front().without_terminator())
      if (isCheck(&op) && op.getNumOperands() > 0 && op.use_empty())
        checks.push_back(&op);
    for (mlir::Operation *check : checks) {
      results.push_back(check->getOperand(0));
      check->erase();
    }
    end->setOperands(results);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value result : results)
      types.push_back(result.getType());
    main.setType(mlir::FunctionType::get(module.getContext(),
                                         main.getArgumentTypes(), types));
    main.removeResAttrsAttr();
  });
}
