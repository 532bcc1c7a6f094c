// Connects the rows of Engines.def with constructors. Only this file knows
// every engine.
#include "assay/engine/all/Engines.h"
#include "assay/engine/Isolate.h"
#include "assay/engine/Registry.h"
#include "assay/engine/native/NativeEngine.h"
#include "assay/engine/offload/ProblemEngine.h"
#include "assay/reference/Reference.h"

namespace assay::engine {

namespace {
/// An engine that leaves every operation to the reference.
class ReferenceEngine final : public Engine {
public:
  using Engine::Engine;
  llvm::Expected<Compiled> compile(const OperationRequest &) const override {
    return Refusal{ErrorCode::Unsupported, ""};
  }
};
} // namespace

/// A device's plugin may compile for a long time.
static constexpr double kPluginTimeoutSeconds = 300;

static std::shared_ptr<const program::StepCompiler> referenceSteps() {
  return std::make_shared<reference::ReferenceCompiler>();
}

using Made = llvm::Expected<std::unique_ptr<Engine>>;

static Made makeReferenceEngine(llvm::StringRef name,
                                const EngineOptions &options) {
  if (!options.fastReference)
    return std::make_unique<ReferenceEngine>(name.str(), referenceSteps());
  NativeOptions native;
  native.minimumWork = 4e6; // below this the reference takes less than about a
                            // millisecond
  native.fuse = false;
  return std::make_unique<NativeEngine>(name.str(), referenceSteps(), native);
}

static Made makeNativeEngine(llvm::StringRef name,
                             const EngineOptions &options) {
  NativeOptions native;
  native.dumpPasses = options.dumpPasses;
  return std::make_unique<NativeEngine>(name.str(), referenceSteps(), native);
}

static Made makeProblemEngine(llvm::StringRef name,
                              const EngineOptions &options) {
  return ProblemEngine::create(name, referenceSteps(), options);
}

/// A device's library may damage its process, so it is always isolated.
static Made makePluginDevice(llvm::StringRef name,
                             const EngineOptions &options) {
  llvm::Expected<std::string> module = resolveEngine(name);
  if (!module)
    return module.takeError();
  EngineOptions mine = options;
  if (mine.timeoutSeconds <= 0)
    mine.timeoutSeconds = kPluginTimeoutSeconds;
  llvm::StringRef absolute = *module;
  absolute.consume_front("builtin:");
  return isolate(absolute, referenceSteps(), mine);
}

Made makeEngine(llvm::StringRef name, const EngineOptions &options) {
  using Make = Made (*)(llvm::StringRef, const EngineOptions &);
  static constexpr Make kMakers[] = {
#define ASSAY_ENGINE(name, argument, make, module, trusted, description) make,
#include "assay/engine/Engines.def"
#undef ASSAY_ENGINE
  };
  llvm::Expected<EngineName> parsed = parseEngineName(name);
  if (!parsed)
    return parsed.takeError();
  llvm::Expected<std::string> module = resolveEngine(name);
  if (!module)
    return module.takeError();
  bool isBuiltin = llvm::StringRef(*module).starts_with("builtin:");
  if (options.isolated && isBuiltin)
    return isolate(name, referenceSteps(), options);
  return kMakers[parsed->row](name, options);
}

} // namespace assay::engine
