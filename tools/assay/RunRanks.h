/// `mpirun -n N assay run --processes=mpi`: makes this process one of several
/// ranks. Rank 0 prints; the others are silent unless it dies.
#pragma once

#include "assay/program/Ranks.h"

#include <memory>
#include <optional>

namespace assay::tools {

class RunRanks {
public:
  /// Joins the other ranks and continues in a process that another one watches.
  /// `ranks` is null outside of a launcher and for a single rank. In the
  /// watching process, `watched` is the exit code after the other process has
  /// ended. Errors: ranks on several machines, a folder that cannot be made.
  static llvm::Error join(llvm::ArrayRef<const char *> words,
                          double timeoutSeconds,
                          std::unique_ptr<RunRanks> &ranks,
                          std::optional<int> &watched);

  program::Ranks &ranks() { return *ranks_; }
  /// Tells the others that this rank cannot continue. Its output is shown from
  /// now on unless a rank before it is alive.
  void fail(ErrorCode code, const std::string &message);
  /// Call it when everything is printed.
  void finish();

private:
  explicit RunRanks(std::unique_ptr<program::Ranks> ranks)
      : ranks_(std::move(ranks)) {}
  void mute();
  void unmute();

  std::unique_ptr<program::Ranks> ranks_;
  int output_ = -1, errors_ = -1; ///< the original standard streams
};

} // namespace assay::tools
