/// The names in a dump: /{step}/{path}.{Class}.{n}.{kind}.{item}
/// (docs/dumps.md).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay::trace {

/// The role of a tensor in its module. The order is the order within one call.
enum class TensorKind {
  ForwardParams,
  ForwardInput,
  ForwardOutput,
  BackwardGradOutput,
  BackwardGradInput,
  ParamsGrad,
  Other
};

/// "forward_params", ...; empty for Other.
llvm::StringRef kindName(TensorKind kind);
inline bool isInput(TensorKind kind) {
  return kind == TensorKind::ForwardParams ||
         kind == TensorKind::ForwardInput ||
         kind == TensorKind::BackwardGradOutput;
}
inline bool isOutput(TensorKind kind) {
  return kind == TensorKind::ForwardOutput ||
         kind == TensorKind::BackwardGradInput ||
         kind == TensorKind::ParamsGrad;
}
/// Whether a tensor of this kind belongs to the backward pass.
inline bool isBackward(TensorKind kind) {
  return kind == TensorKind::BackwardGradOutput ||
         kind == TensorKind::BackwardGradInput ||
         kind == TensorKind::ParamsGrad;
}

/// The parts of a name. A name without a known kind has kind Other and
/// everything in `module`.
struct DumpName {
  int64_t step = -1;     ///< -1: the first group is not a number
  std::string module;    ///< "blocks.0.norm1"; a StableHLO operation: "main/12"
  std::string className; ///< "LayerNorm", "stablehlo.add"
  int64_t call =
      -1; ///< earlier calls of this module path; -1: no counter in the name
  TensorKind kind = TensorKind::Other;
  std::string item; ///< "0", "weight", "kwargs.mask"

  /// The name without step: "blocks.0.norm1.LayerNorm.0.forward_output.0".
  std::string text() const;
  /// "/1/blocks.0.norm1.LayerNorm.0.forward_output.0".
  std::string dataset() const {
    return "/" + std::to_string(step) + "/" + text();
  }
  /// Module, class and call: the common part of the names of one call of a module:
  /// "blocks.0.norm1.LayerNorm.0".
  std::string callText() const;
};

/// Whether a module's name is the number of an operator call: "00037-aten", or
/// "main/12" of a program. Such a number means nothing in another dump.
bool isNumbered(llvm::StringRef module);
/// Whether it is the number of a PyTorch operator call: "00037-aten".
bool isOperatorCall(llvm::StringRef module);

/// Whether the tensor is a result without a meaning: uninitialised memory
/// (aten.empty and similar operators), or a kernel's workspace.
bool isMeaningless(const DumpName &name);
/// Whether the tensor is the result of an operator that draws random numbers.
bool isRandom(const DumpName &name);

/// Parses a dataset's path. The counter may be missing, or count per class, in
/// dumps of other recorders.
DumpName parseDumpName(llvm::StringRef dataset);

/// The rank in a dump's file name (globalrank-R_localrank-r.h5), 0 when it has
/// none.
int64_t rankOfFile(llvm::StringRef path);
/// "globalrank-R_localrank-r.h5"
std::string dumpFileName(int64_t rank, int64_t localRank);

} // namespace assay::trace
