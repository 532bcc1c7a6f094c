/// The file of --map and --write-map: which names of the target are which of
/// the bench.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <vector>

namespace assay::trace {

/// JSON, each part optional:
///   {"prefixes": [{"target": "model.visual", "bench": "visual"}],
///    "modules":  {"blocks.0.mlp.fc1.ColumnParallelLinear.0":
///    "blocks.0.mlp.fc1.ColumnParalleLinear"}, "tensors":
///    {"a.Linear.0.forward_output.0": "b.Linear.0.forward_output.0", "c":
///    null}}
/// Names have no step. `modules` takes a module's path or a call's name; null:
/// it has no counterpart.
struct NameMap {
  struct Prefix {
    std::string target, bench;
  };
  std::vector<Prefix> prefixes;
  llvm::StringMap<std::optional<std::string>> modules, tensors;

  bool empty() const {
    return prefixes.empty() && modules.empty() && tensors.empty();
  }
};

/// Errors: NotFound, InvalidArgument; each names the file and the place.
llvm::Expected<NameMap> readNameMap(llvm::StringRef path);
llvm::Error writeNameMap(llvm::StringRef path, const NameMap &map);

} // namespace assay::trace
