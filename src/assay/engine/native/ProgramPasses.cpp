// The order of the passes over a program, and how they are run: verified after each
// that is observed, else once at the end.
#include "assay/engine/native/ProgramPasses.h"

#include "assay/dialect/Chlo.h"
#include "assay/engine/native/CleanUp.h"
#include "assay/engine/native/FewChannels.h"
#include "assay/engine/native/FoldScales.h"
#include "assay/engine/native/GroupPasses.h"
#include "assay/engine/native/Lowering.h"
#include "assay/engine/native/PlanarGain.h"
#include "assay/engine/native/PlanarLayout.h"
#include "assay/engine/native/SinkTransposes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace assay::engine {

namespace {
struct PassRow {
  const char *name;
  void (*run)(mlir::ModuleOp module, const ProgramPassOptions &options);
  const char *description;
  bool makesGroups; ///< and leaves alone what is observed
};
} // namespace

/// A pass's function with the options, or without where it takes none.
template <auto function>
static void call(mlir::ModuleOp module, const ProgramPassOptions &options) {
  if constexpr (std::is_invocable_v<decltype(function), mlir::ModuleOp>)
    function(module);
  else
    function(module, options);
}

static constexpr PassRow kRows[] = {
#define ASSAY_NATIVE_PASS(name, run, description)                              \
  {name, call<run>, description, false},
#define ASSAY_NATIVE_GROUPS(name, run, description)                            \
  {name, call<run>, description, true},
#include "assay/engine/native/ProgramPasses.def"
};

namespace {
/// A row as a pass of MLIR.
class ProgramPass final
    : public mlir::PassWrapper<ProgramPass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProgramPass)

  ProgramPass(const PassRow &row, ProgramPassOptions options)
      : row_(row), options_(std::move(options)),
        argument_(std::string("assay-native-") + row.name) {}
  ProgramPass(const ProgramPass &other)
      : PassWrapper(other), row_(other.row_), options_(other.options_),
        argument_(other.argument_) {}

  llvm::StringRef getArgument() const override { return argument_; }
  llvm::StringRef getDescription() const override { return row_.description; }
  llvm::StringRef getName() const override { return row_.name; }
  /// What passes write, whatever the program has.
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<chlo::ChloDialect, native::NativeDialect>();
  }
  void runOnOperation() override {
    row_.run(getOperation(), options_);
  }

private:
  const PassRow &row_;
  ProgramPassOptions options_;
  std::string argument_;
};
} // namespace

/// One pass, and the verdict of MLIR's verifier on its result where it is asked.
static llvm::Error runPass(const PassRow &row, mlir::ModuleOp module,
                           const ProgramPassOptions &options, bool verifies) {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        text += (text.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  mlir::PassManager manager(module.getContext(),
                            mlir::ModuleOp::getOperationName());
  manager.enableVerifier(verifies);
  manager.addPass(std::make_unique<ProgramPass>(row, options));
  if (mlir::failed(manager.run(module)))
    return makeError(ErrorCode::Internal,
                     "the program is invalid after the native engine's pass "
                     "'{0}': {1}",
                     row.name, text);
  return llvm::Error::success();
}

/// The same where nobody says how to lower: as an engine of this machine does.
static ProgramPassOptions withLowering(ProgramPassOptions options) {
  static const NativeEngine engine("native", nullptr);
  if (!options.lowering)
    options.lowering =
        std::make_shared<Lowering>(engine, nullptr, program::NumericOptions());
  return options;
}

llvm::Error runProgramPasses(mlir::ModuleOp module,
                             const PassObserver &observer,
                             const ProgramPassOptions &given) {
  ProgramPassOptions options = withLowering(given);
  if (observer)
    if (llvm::Error error = observer("program", module))
      return error;
  for (const PassRow &row : kRows) {
    if (options.isObserved && !row.makesGroups)
      continue;
    bool isLast = &row == std::end(kRows) - 1;
    if (llvm::Error error =
            runPass(row, module, options, observer || isLast))
      return error;
    if (observer)
      if (llvm::Error error = observer(row.name, module))
        return error;
  }
  return llvm::Error::success();
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
  ProgramPassOptions shared = withLowering({});
  for (auto [row, chosen] : llvm::zip(kRows, options.chosen))
    if (all || chosen->getValue())
      manager.addPass(std::make_unique<ProgramPass>(row, shared));
}

void registerProgramPasses() {
  static const mlir::PassPipelineRegistration<PipelineOptions> pipeline(
      "assay-native",
      "the native engine's passes over a program, or those that are named",
      addPasses);
  for (const PassRow &row : kRows)
    mlir::registerPass([&row] { return std::make_unique<ProgramPass>(row, withLowering({})); });
}

} // namespace assay::engine
