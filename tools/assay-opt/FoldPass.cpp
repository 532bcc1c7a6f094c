// --assay-fold: replaces operations on constants by their results, as the
// interpreter computes them.
#include "FoldPass.h"
#include "assay/reference/ConstantFolding.h"

#include "mlir/Pass/Pass.h"

using namespace assay;

namespace {
class FoldPass final
    : public mlir::PassWrapper<FoldPass, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldPass)

  FoldPass() = default;
  FoldPass(const FoldPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "assay-fold"; }
  llvm::StringRef getDescription() const override {
    return "evaluate operations on constants with the interpreter: exact, "
           "locations kept, side effects and calls left alone";
  }
  void runOnOperation() override {
    reference::FoldReport report =
        reference::foldConstants(getOperation(), {maxElements, maxSeconds});
    folded += static_cast<unsigned>(report.folded);
    tooLarge += static_cast<unsigned>(report.tooLarge);
    if (report.outOfTime)
      getOperation().emitWarning()
          << "--assay-fold stopped after max-seconds=" << maxSeconds;
  }

private:
  Option<int64_t> maxElements{
      *this, "max-elements",
      llvm::cl::desc("of all results of an operation (default 65536)"),
      llvm::cl::init(65536)};
  Option<double> maxSeconds{
      *this, "max-seconds",
      llvm::cl::desc("for the whole module (default 10; 0: no limit)"),
      llvm::cl::init(10)};
  Statistic folded{this, "folded", "operations replaced"};
  Statistic tooLarge{this, "too-large", "operations above max-elements"};
};
} // namespace

void assay::registerFoldPass() { mlir::PassRegistration<FoldPass>(); }
