/// `mpirun -n N assay run --processes=mpi`: this process as one of several ranks.
/// Rank 0 prints; the others are silent, unless it dies.
#pragma once

#include "assay/program/Ranks.h"

#include <memory>
#include <optional>

namespace assay::tools {

class RunRanks {
public:
  /// Meets the other ranks and continues as a process that is watched by another.
  /// Null outside of a launcher, and for a single rank; an exit code in the process
  /// that watches, when the other one has ended. Errors: ranks on several
  /// machines, a folder that cannot be made.
  static llvm::Error join(llvm::ArrayRef<const char *> words,
                          double timeoutSeconds,
                          std::unique_ptr<RunRanks> &ranks,
                          std::optional<int> &watched);

  program::Ranks &ranks() { return *ranks_; }
  /// This rank cannot continue: the others are told, and what is printed from now
  /// on is seen where no rank before this one lives.
  void fail(ErrorCode code, const std::string &message);
  /// Everything is printed.
  void finish();

private:
  explicit RunRanks(std::unique_ptr<program::Ranks> ranks)
      : ranks_(std::move(ranks)) {}
  void mute();
  void unmute();

  std::unique_ptr<program::Ranks> ranks_;
  int output_ = -1, errors_ = -1; ///< what the standard streams were
};

} // namespace assay::tools
