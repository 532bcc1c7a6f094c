// The order of the passes over a program, and how they are run: on one copy,
// verified after each.
#include "assay/engine/native/ProgramPasses.h"

#include "assay/dialect/Chlo.h"
#include "assay/engine/native/CleanUp.h"
#include "assay/engine/native/FewChannels.h"
#include "assay/engine/native/FoldScales.h"
#include "assay/engine/native/PlanarGain.h"
#include "assay/engine/native/PlanarLayout.h"
#include "assay/engine/native/SinkTransposes.h"
#include "assay/program/Clone.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace assay::engine {

namespace {
struct PassRow {
  const char *name;
  bool (*applies)(mlir::ModuleOp module, const ProgramPassOptions &options);
  void (*run)(mlir::ModuleOp module, const ProgramPassOptions &options);
  const char *description;
};
} // namespace

/// A pass's function with the options, or without where it takes none.
template <auto function>
static auto call(mlir::ModuleOp module, const ProgramPassOptions &options) {
  if constexpr (std::is_invocable_v<decltype(function), mlir::ModuleOp>)
    return function(module);
  else
    return function(module, options);
}

static constexpr PassRow kRows[] = {
#define ASSAY_NATIVE_PASS(name, applies, run, description)                     \
  {name, call<applies>, call<run>, description},
#include "assay/engine/native/ProgramPasses.def"
#undef ASSAY_NATIVE_PASS
};

namespace {
/// A row as a pass of MLIR.
class ProgramPass final
    : public mlir::PassWrapper<ProgramPass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProgramPass)

  explicit ProgramPass(const PassRow &row, ProgramPassOptions options = {})
      : row_(row), options_(options),
        argument_(std::string("assay-native-") + row.name) {}
  ProgramPass(const ProgramPass &other)
      : PassWrapper(other), row_(other.row_), options_(other.options_),
        argument_(other.argument_) {}

  llvm::StringRef getArgument() const override { return argument_; }
  llvm::StringRef getDescription() const override { return row_.description; }
  llvm::StringRef getName() const override { return row_.name; }
  /// What passes write, whatever the program has.
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<chlo::ChloDialect>();
  }
  void runOnOperation() override {
    if (row_.applies(getOperation(), options_))
      row_.run(getOperation(), options_);
    else
      markAllAnalysesPreserved();
  }

private:
  const PassRow &row_;
  ProgramPassOptions options_;
  std::string argument_;
};
} // namespace

/// One pass, and the verdict of MLIR's verifier on its result.
static llvm::Error runPass(const PassRow &row, mlir::ModuleOp module,
                           const ProgramPassOptions &options) {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        text += (text.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  mlir::PassManager manager(module.getContext(),
                            mlir::ModuleOp::getOperationName());
  manager.addPass(std::make_unique<ProgramPass>(row, options));
  if (mlir::failed(manager.run(module)))
    return makeError(ErrorCode::Internal,
                     "the program is invalid after the native engine's pass "
                     "'{0}': {1}",
                     row.name, text);
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const program::Program>>
runProgramPasses(std::shared_ptr<const program::Program> program,
                 const PassObserver &observer,
                 const ProgramPassOptions &options) {
  auto applies = [&](const PassRow &row) {
    return row.applies(program->module(), options);
  };
  // A pass can give work to another only if some pass has work already.
  if (!observer && llvm::none_of(kRows, applies))
    return program;
  auto copy = program::cloneOf(program);
  mlir::ModuleOp module = copy->module();
  if (observer)
    if (llvm::Error error = observer("program", module))
      return error;
  for (const PassRow &row : kRows) {
    if (llvm::Error error = runPass(row, module, options))
      return error;
    if (observer)
      if (llvm::Error error = observer(row.name, module))
        return error;
  }
  return copy;
}

namespace {
/// --assay-native[=NAME ...]: the passes named, or all.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  PipelineOptions() {
    for (const PassRow &row : kRows)
      chosen.push_back(std::make_unique<Option<bool>>(
          *this, row.name, llvm::cl::desc(row.description),
          llvm::cl::init(false)));
  }
  std::vector<std::unique_ptr<Option<bool>>> chosen;
};
} // namespace

static void addPasses(mlir::OpPassManager &manager,
                      const PipelineOptions &options) {
  bool all = llvm::none_of(options.chosen,
                           [](const auto &one) { return one->getValue(); });
  for (auto [row, chosen] : llvm::zip(kRows, options.chosen))
    if (all || chosen->getValue())
      manager.addPass(std::make_unique<ProgramPass>(row));
}

void registerProgramPasses() {
  static const mlir::PassPipelineRegistration<PipelineOptions> pipeline(
      "assay-native",
      "the native engine's passes over a program, or those that are named",
      addPasses);
  for (const PassRow &row : kRows)
    mlir::registerPass([&row] { return std::make_unique<ProgramPass>(row); });
}

} // namespace assay::engine
