/// The reducer's test: a program, its arguments, and, for a recording, the
/// recorded results.
#pragma once

#include "assay/program/Program.h"
#include "assay/tensor/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace assay::judge {

struct TestCase {
  std::shared_ptr<const program::Program> program; ///< its entry is @main
  std::vector<tensor::Tensor> inputs;
  /// Recorded results of a run; empty: the subject is run. With them no cut may
  /// change a value.
  std::vector<tensor::Tensor> recorded;
  /// With a recording: the reference's results for the whole test. A cut that
  /// changes these values would compare the recording with something else, and
  /// is not allowed.
  std::vector<tensor::Tensor> expected;

  /// Identifies the test: equal for equal programs on equal data, in any
  /// process.
  std::string key() const;
  /// The elements of all inputs together.
  int64_t elements() const;
  /// Constants and returns are not counted.
  int64_t operations() const;
  mlir::func::FuncOp main() const;
};

/// A copy of the program, changed by `edit` and verified. Errors:
/// InvalidArgument if the verifier refuses the result.
llvm::Expected<std::shared_ptr<const program::Program>>
editedProgram(const program::Program &program,
              llvm::function_ref<void(mlir::ModuleOp)> edit);

/// The part of a tensor that starts at `starts` and has `shape`. Errors:
/// InvalidArgument where it has no such part; ResourceLimit.
llvm::Expected<tensor::Tensor> sliceOf(const tensor::Tensor &tensor,
                                       llvm::ArrayRef<int64_t> starts,
                                       llvm::ArrayRef<int64_t> shape);

} // namespace assay::judge
