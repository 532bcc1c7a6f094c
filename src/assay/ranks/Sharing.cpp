// Each rank does a free item at once. Then it waits until the remaining ones
// are finished, and does those whose process has died. So no rank has to know
// which item another one works on, and each may die at any time.
#include "assay/ranks/Sharing.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <thread>

using namespace assay;
using namespace assay::ranks;

/// How long another rank waits for one that has the report and is not there: it
/// may still be on its way.
static constexpr std::chrono::seconds kPatience{10};

std::string HeldItem::history(const RankIdentity &by) const {
  if (lostBy < 0)
    return "";
  return llvm::formatv("rank {0} died while running it; {1} by rank {2}",
                       lostBy, isGivenUp ? "given up" : "run again", by.rank)
      .str();
}

Sharing::Sharing(RankBoard &board, Work work, Sink sink,
                 const Interrupt &interrupt)
    : board_(board), work_(std::move(work)), sink_(std::move(sink)),
      interrupt_(interrupt) {}

bool Sharing::beginReport() {
  isReporting_ = board_.identity().rank == 0 && board_.takeReport();
  return isReporting_;
}

llvm::Error Sharing::doHeld(int64_t item, RankBoard::Answer answer,
                            int lostBy) {
  return board_.finish(
      item, work_({item, lostBy, answer == RankBoard::Answer::GivenUp}));
}

llvm::Error Sharing::add(int64_t item) {
  int lostBy = -1;
  if (board_.isFree(item)) {
    RankBoard::Answer answer = board_.take(item, lostBy);
    if (answer == RankBoard::Answer::Mine ||
        answer == RankBoard::Answer::GivenUp)
      if (llvm::Error error = doHeld(item, answer, lostBy))
        return error;
  }
  open_.push_back(item);
  return settle(/*waits=*/false);
}

/// Settles the first open item: passes it on when it is finished, or does it
/// when its process has died.
llvm::Error Sharing::settleFirst(bool waits, bool &isSettled) {
  int64_t item = open_.front();
  int lostBy = -1;
  RankBoard::Answer answer = board_.take(item, lostBy);
  isSettled = answer == RankBoard::Answer::Finished;
  if (isSettled) {
    std::optional<llvm::json::Value> given;
    if (isReporting_) {
      llvm::Expected<llvm::json::Value> found = board_.answerOf(item);
      if (!found)
        return found.takeError();
      given = std::move(*found);
    }
    open_.pop_front();
    return sink_(item, std::move(given));
  }
  if (answer == RankBoard::Answer::Running) {
    if (waits)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return llvm::Error::success();
  }
  isSettled = true; // settled when it is next looked at
  return doHeld(item, answer, lostBy);
}

llvm::Error Sharing::settle(bool waits) {
  while (!open_.empty()) {
    bool isSettled = false;
    if (llvm::Error error = settleFirst(waits, isSettled))
      return error;
    if (!isSettled && !waits)
      break;
    if (llvm::Error stopped = interrupt_.check())
      return stopped;
  }
  return llvm::Error::success();
}

llvm::Error Sharing::finish() { return settle(/*waits=*/true); }

bool Sharing::takesOver() {
  auto patience = std::chrono::steady_clock::now() + kPatience;
  while (!isReporting_ && !board_.isReported()) {
    if (llvm::Error stopped = interrupt_.check()) {
      llvm::consumeError(std::move(stopped));
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (std::chrono::steady_clock::now() < patience || !board_.takeReport())
      continue;
    isReporting_ = !board_.isReported();
    open_.clear();
    return isReporting_;
  }
  if (!isReporting_) // the last rank to arrive finds all ranks present
    board_.removeIfComplete();
  return false;
}

void Sharing::close() {
  if (isReporting_)
    closeReport(board_);
}

void ranks::closeReport(RankBoard &board) {
  board.setReported();
  board.removeIfComplete();
}

llvm::Expected<Shared> ranks::share(RankBoard &board,
                                    llvm::ArrayRef<int64_t> order,
                                    const Sharing::Work &work,
                                    const Interrupt &interrupt) {
  Shared shared;
  int64_t count = 0;
  for (int64_t item : order)
    count = std::max(count, item + 1);
  shared.answers.resize(static_cast<size_t>(count));
  Sharing sharing(
      board, work,
      [&](int64_t item, std::optional<llvm::json::Value> answer) {
        shared.answers[static_cast<size_t>(item)] = std::move(answer);
        return llvm::Error::success();
      },
      interrupt);
  sharing.beginReport();
  do {
    llvm::Error error = llvm::Error::success();
    for (size_t i = 0; i < order.size() && !error; ++i)
      error = sharing.add(order[i]);
    if (!error)
      error = sharing.finish();
    llvm::Error stopped = interrupt.check();
    if (stopped)
      shared.stopped = takeError(std::move(stopped));
    if (error && !shared.stopped)
      return error;
    llvm::consumeError(std::move(error));
    shared.reports = sharing.reports();
  } while (!shared.reports && sharing.takesOver());
  return shared;
}
