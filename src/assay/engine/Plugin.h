/// The functions of an engine behind the plugin interface, wherever they come
/// from: a shared library or this program.
#pragma once

#include "assay/engine/assay_plugin.h"
#include "assay/support/Error.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::engine {

struct PluginFunctions {
  const assay_plugin_info_t *(*info)(void) = nullptr;
  int (*create)(const assay_problem_t *, void **, char *, size_t) = nullptr;
  int (*run)(void *, const assay_tensor_t *, const assay_tensor_t *, char *,
             size_t) = nullptr;
  void (*destroy)(void *) = nullptr;
  double (*lastRunSeconds)(void *) = nullptr; ///< may be null
};

/// Finds an engine that lives in the program itself; create == nullptr when
/// there is none of that name.
using BuiltinLookup = llvm::function_ref<PluginFunctions(llvm::StringRef name)>;

/// Loads "builtin:NAME" or a shared library. Errors: NotFound (file, symbol),
/// Unsupported (another ABI version).
llvm::Expected<PluginFunctions> loadPlugin(llvm::StringRef module,
                                           BuiltinLookup builtin);

} // namespace assay::engine
