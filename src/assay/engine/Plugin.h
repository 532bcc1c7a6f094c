/// The functions of an engine with the plugin interface, whatever their origin,
/// and a host that calls them.
#pragma once

#include "assay/engine/Host.h"
#include "assay/support/Error.h"

namespace assay::engine {

struct PluginFunctions {
  const assay_plugin_info_t *(*info)(void) = nullptr;
  int (*create)(const assay_problem_t *, void **, char *, size_t) = nullptr;
  int (*run)(void *, const assay_tensor_t *, const assay_tensor_t *, char *,
             size_t) = nullptr;
  void (*destroy)(void *) = nullptr;
  double (*lastRunSeconds)(void *) = nullptr; ///< may be null
  const char *(*describe)(void *) = nullptr;  ///< may be null
};

/// Loads a shared library. Errors: NotFound (file, symbol), Unsupported
/// (another ABI version).
llvm::Expected<PluginFunctions> loadPlugin(llvm::StringRef path);

std::unique_ptr<Host> makePluginHost(const PluginFunctions &functions);

} // namespace assay::engine
