// Loading an engine: dlopen, the four functions, and a check of the interface
// version before anything is called.
#include "assay/engine/Plugin.h"

#include <dlfcn.h>

using namespace assay;
using namespace assay::engine;

template <typename Function>
static llvm::Error find(void *library, const char *name, llvm::StringRef path,
                        Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    return makeError(ErrorCode::NotFound, "'{0}' lacks the function {1}", path,
                     name);
  return llvm::Error::success();
}

llvm::Expected<PluginFunctions> engine::loadPlugin(llvm::StringRef module,
                                                   BuiltinLookup builtin) {
  PluginFunctions functions;
  if (module.consume_front("builtin:")) {
    functions = builtin(module);
    if (functions.create)
      return functions;
    return makeError(ErrorCode::NotFound, "no built-in engine '{0}'", module);
  }
  void *library = dlopen(module.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError(ErrorCode::NotFound, "cannot load '{0}': {1}", module,
                     dlerror());
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
