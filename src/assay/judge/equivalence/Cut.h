/// The few operations that show how two programs differ.
#pragma once

#include "assay/judge/equivalence/Equivalence.h"

namespace assay::judge {

/// Two programs cut down, from values that both programs make (they become the
/// arguments) to the first two values that differ, if the programs are equal
/// with one in place of the other; else to the result that differs. The cut
/// programs are checked to differ, too; where they do not, these are the whole
/// programs. Errors: those of decide().
struct CutPrograms {
  std::shared_ptr<const program::Program> a, b;
  Equivalence answer; ///< about them
};
llvm::Expected<CutPrograms> cutDifference(const EquivRequest &request,
                                          ThreadPool &pool);

/// Writes before.mlir, after.mlir and inputs.npz, the arguments that show the
/// difference, into a folder, which is created. Returns the files.
llvm::Expected<std::vector<std::string>>
writeDifference(const EquivRequest &request, llvm::StringRef folder,
                ThreadPool &pool);

} // namespace assay::judge
