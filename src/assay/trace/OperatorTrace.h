/// dump.json: the operator calls that a running model made, as
/// python/assay/torch/operators.py writes them.
#pragma once

#include "assay/support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace assay::trace {

/// One kept call. Arguments are kept as JSON: scalars, lists, tensor records
/// {shape dtype stride device min max file}, and objects with one key for
/// values that JSON lacks ({"dtype": "torch.float16"}, {"float": "inf"},
/// {"device": "cpu"}, ...).
struct TracedCall {
  std::string name;   ///< "00004-aten"
  std::string opName; ///< "aten.linspace.default"
  llvm::json::Array args;
  llvm::json::Object kwargs;
  llvm::json::Array outputs;
  int64_t count = 1; ///< the number of calls that it stands for
  /// The arguments that are not tensors, by the schema's names, defaults
  /// included; without None. Empty in traces of older recorders.
  llvm::json::Object scalars;
  std::string source; ///< the innermost line of the model: "FILE:LINE FUNCTION"
};

/// Reads a dump.json. `path` is the file.
/// Errors:  NotFound; InvalidArgument with the entry that lacks a key or has
/// the wrong kind of value
llvm::Expected<std::vector<TracedCall>> readOperatorTrace(llvm::StringRef path);

/// Whether a JSON argument is a tensor record.
bool isTensorRecord(const llvm::json::Value &value);

} // namespace assay::trace
