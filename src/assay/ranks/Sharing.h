/// A list of items that all ranks do together: each item by one rank, every
/// answer on the rank that reports, in the order of the list.
#pragma once

#include "assay/ranks/RankBoard.h"
#include "assay/support/Interrupt.h"

#include <deque>
#include <functional>

namespace assay::ranks {

/// An item in the hands of this process.
struct HeldItem {
  int64_t number = 0;
  int lostBy = -1; ///< the rank whose process died of it, else -1
  bool isGivenUp =
      false; ///< a second process died of it: not to be tried again

  /// "rank 1 died while running it; run again by rank 0"; empty where no
  /// process died.
  std::string history(const RankIdentity &by) const;
};

class Sharing {
public:
  using Work = std::function<llvm::json::Value(const HeldItem &item)>;
  /// Gets the answers in the order of add(); nullopt on ranks that do not
  /// report.
  using Sink = std::function<llvm::Error(
      int64_t item, std::optional<llvm::json::Value> answer)>;
  Sharing(RankBoard &board, Work work, Sink sink, const Interrupt &interrupt);

  /// Rank 0 reports, unless another does already. Asked before the first add().
  bool beginReport();
  bool reports() const { return isReporting_; }
  /// Does the item if no other rank has it, and passes on finished ones.
  llvm::Error add(int64_t item);
  /// Waits until all items are finished; does those whose process died.
  llvm::Error finish();
  /// After finish(), on a rank that does not report: waits for the report. True
  /// when the one that reported has died: this one reports now, and add() is
  /// called for every item again.
  bool takesOver();
  /// The report is written; the other ranks may end.
  void close();

private:
  llvm::Error settle(bool waits);
  llvm::Error settleFirst(bool waits, bool &isSettled);
  llvm::Error doHeld(int64_t item, RankBoard::Answer answer, int lostBy);

  RankBoard &board_;
  Work work_;
  Sink sink_;
  const Interrupt &interrupt_;
  std::deque<int64_t> open_; ///< added, not passed on
  bool isReporting_ = false;
};

/// The answers of all ranks to a list that is known from the start.
struct Shared {
  bool reports = false; ///< else another rank reports everything
  std::vector<std::optional<llvm::json::Value>> answers; ///< by item
  std::optional<ErrorText> stopped; ///< by Ctrl-C or a limit
};

/// Runs `work` for the items `order` names, each on one rank. The rank that
/// reports says so by closeReport() when it is done. Errors: those of the
/// ranks' folder.
llvm::Expected<Shared> share(RankBoard &board, llvm::ArrayRef<int64_t> order,
                             const Sharing::Work &work,
                             const Interrupt &interrupt);
void closeReport(RankBoard &board);

} // namespace assay::ranks
