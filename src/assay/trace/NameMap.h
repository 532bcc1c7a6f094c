/// The file of --map and --write-map: names of the target and their
/// counterparts in the bench.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <vector>

namespace assay::trace {

/// JSON, each part optional:
///   {"prefixes": [{"target": "model.visual", "bench": "visual"}],
///    "modules": {"blocks.0.mlp.fc1.ColumnParallelLinear.0":
///                "blocks.0.mlp.fc1.ColumnParalleLinear"},
///    "tensors": {"a.Linear.0.forward_output.0": "b.Linear.0.forward_output.0",
///                "c": null},
///    "groups": [{"target": ["to_q", "to_k", "to_v"], "bench": "to_qkv",
///                "blocks": 8}],
///    "samples": [3, 2, 1, 0]}
/// Names have no step. A key of `modules` is a module's path or a call's name;
/// null: it has no counterpart.
struct NameMap {
  struct Prefix {
    std::string target, bench;
  };
  /// Several modules of one side that are one module of the other: paths, or
  /// ends of paths.
  struct Group {
    std::vector<std::string> target, bench; ///< one of them has one name
    int64_t blocks = 1;                     ///< see TensorPart
  };
  std::vector<Prefix> prefixes;
  std::vector<Group> groups;
  llvm::StringMap<std::optional<std::string>> modules, tensors;
  /// For each sample of the target's batch, the same sample's place in the bench.
  std::vector<int64_t> samples;

  /// Whether the map is empty.
  bool empty() const {
    return prefixes.empty() && groups.empty() && modules.empty() &&
           tensors.empty();
  }
};

/// A file's JSON.
/// Errors: NotFound, InvalidArgument; each names the file.
llvm::Expected<llvm::json::Value> readJsonFile(llvm::StringRef path);
/// Errors: NotFound, InvalidArgument; each names the file and the place.
llvm::Expected<NameMap> readNameMap(llvm::StringRef path);
llvm::Error writeNameMap(llvm::StringRef path, const NameMap &map);

} // namespace assay::trace
