// Loads an engine: dlopen, the four functions, and a check of the interface
// version before anything is called. Also makes the calls. An engine that fails
// without a message gets one, so that no report ends in empty brackets.
#include "assay/engine/Plugin.h"

#include <dlfcn.h>

using namespace assay;
using namespace assay::engine;

template <typename Function>
static llvm::Error find(void *library, const char *name, llvm::StringRef path,
                        Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    return makeError(ErrorCode::NotFound, "'{0}' has no function {1}", path,
                     name);
  return llvm::Error::success();
}

llvm::Expected<PluginFunctions> engine::loadPlugin(llvm::StringRef module) {
  PluginFunctions functions;
  void *library = dlopen(module.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    llvm::StringRef why = dlerror();
    why.consume_front((module + ": ").str());
    return makeError(ErrorCode::NotFound, "cannot load '{0}': {1}", module,
                     why);
  }
  if (llvm::Error error =
          find(library, "assay_plugin_info", module, functions.info))
    return error;
  if (llvm::Error error =
          find(library, "assay_plugin_create", module, functions.create))
    return error;
  if (llvm::Error error =
          find(library, "assay_plugin_run", module, functions.run))
    return error;
  if (llvm::Error error =
          find(library, "assay_plugin_destroy", module, functions.destroy))
    return error;
  functions.lastRunSeconds = reinterpret_cast<double (*)(void *)>(
      dlsym(library, "assay_plugin_last_run_seconds"));
  functions.describe = reinterpret_cast<const char *(*)(void *)>(
      dlsym(library, "assay_plugin_describe"));
  const assay_plugin_info_t *info = functions.info();
  if (!info)
    return makeError(ErrorCode::Unsupported,
                     "'{0}': assay_plugin_info returned NULL", module);
  if (info->abi_version != ASSAY_PLUGIN_ABI_VERSION)
    return makeError(
        ErrorCode::Unsupported,
        "'{0}' has interface version {1}; this program speaks version {2}",
        module, info->abi_version, ASSAY_PLUGIN_ABI_VERSION);
  if (info->struct_size < offsetof(assay_plugin_info_t, flags))
    return makeError(
        ErrorCode::Unsupported,
        "'{0}': struct_size of its information is {1}, at least {2} is needed",
        module, info->struct_size, offsetof(assay_plugin_info_t, flags));
  return functions;
}

namespace {
class PluginHost final : public Host {
public:
  explicit PluginHost(const PluginFunctions &functions)
      : functions_(functions) {}
  ~PluginHost() override { destroy(); }

  int create(const HostProblem &problem, std::string &text) override {
    destroy();
    why_[0] = 0;
    int code = functions_.create(&problem.problem, &kernel_, why_, sizeof why_);
    if (code != ASSAY_PLUGIN_OK)
      kernel_ = nullptr;
    text = reason(code, "create");
    if (code == ASSAY_PLUGIN_OK && functions_.describe)
      if (const char *said = functions_.describe(kernel_))
        text = said;
    return code;
  }

  int run(const assay_tensor_t *inputs, const assay_tensor_t *outputs,
          std::string &text) override {
    why_[0] = 0;
    int code = functions_.run(kernel_, inputs, outputs, why_, sizeof why_);
    text = reason(code, "run");
    return code;
  }

  void destroy() override {
    if (kernel_)
      functions_.destroy(kernel_);
    kernel_ = nullptr;
  }

  int alignmentBytes() const override {
    const assay_plugin_info_t *info = functions_.info();
    return info ? static_cast<int>(info->alignment) : 0;
  }

  double lastRunSeconds() const override {
    return functions_.lastRunSeconds ? functions_.lastRunSeconds(kernel_) : 0;
  }

private:
  std::string reason(int code, const char *function) {
    why_[sizeof why_ - 1] = 0;
    if (code == ASSAY_PLUGIN_OK)
      return {};
    return why_[0] ? std::string(why_)
                   : llvm::formatv("assay_plugin_{0} returned {1} and gave no "
                                   "reason",
                                   function, code)
                         .str();
  }

  PluginFunctions functions_;
  void *kernel_ = nullptr;
  char why_[512] = {};
};
} // namespace

std::unique_ptr<Host> engine::makePluginHost(const PluginFunctions &functions) {
  return std::make_unique<PluginHost>(functions);
}
