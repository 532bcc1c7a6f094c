/// A list of items that all ranks work through together: one rank does each
/// item, and the reporting rank receives every answer in the order of the list.
#pragma once

#include "assay/ranks/RankBoard.h"
#include "assay/support/Interrupt.h"

#include <deque>
#include <functional>

namespace assay::ranks {

/// An item that this process holds the lock for.
struct HeldItem {
  int64_t number = 0;
  int lostBy = -1; ///< the rank whose process died on this item, else -1
  bool isGivenUp =
      false; ///< two processes died on this item; it is not retried

  /// "rank 1 died while running it; run again by rank 0"; empty where no
  /// process has died.
  std::string history(const RankIdentity &by) const;
};

class Sharing {
public:
  using Work = std::function<llvm::json::Value(const HeldItem &item)>;
  /// Receives the answers in the order of add(); nullopt on ranks that do not
  /// report.
  using Sink = std::function<llvm::Error(
      int64_t item, std::optional<llvm::json::Value> answer)>;
  Sharing(RankBoard &board, Work work, Sink sink, const Interrupt &interrupt);

  /// Makes rank 0 the reporting one, unless another already is. Call before
  /// add().
  bool beginReport();
  bool reports() const { return isReporting_; }
  /// Does the item if no other rank has it, and passes on finished ones.
  llvm::Error add(int64_t item);
  /// Waits until all items are finished; does those whose process has died.
  llvm::Error finish();
  /// Call after finish() on a rank that does not report: waits for the report.
  /// Returns true when the reporting rank has died; this rank then reports, and
  /// the caller calls add() again for every item.
  bool takesOver();
  /// Says that the report is written, so that the other ranks may end.
  void close();

private:
  llvm::Error settle(bool waits);
  llvm::Error settleFirst(bool waits, bool &isSettled);
  llvm::Error doHeld(int64_t item, RankBoard::Answer answer, int lostBy);

  RankBoard &board_;
  Work work_;
  Sink sink_;
  const Interrupt &interrupt_;
  std::deque<int64_t> open_; ///< added, but not yet passed on to the sink
  bool isReporting_ = false;
};

/// The answers of all ranks to a list that is known from the start.
struct Shared {
  bool reports = false; ///< if false, another rank reports everything
  std::vector<std::optional<llvm::json::Value>> answers; ///< by item
  std::optional<ErrorText> stopped; ///< the reason, when Ctrl-C or a limit
                                    ///< ended the work
};

/// Runs `work` for the items in `order`, each on one rank. The rank that
/// reports calls closeReport() when its report is written. Errors: those of
/// RankBoard.
llvm::Expected<Shared> share(RankBoard &board, llvm::ArrayRef<int64_t> order,
                             const Sharing::Work &work,
                             const Interrupt &interrupt);
void closeReport(RankBoard &board);

} // namespace assay::ranks
