// The text of a run. One line per problem, benchdnn's closing line, and between
// them why problems were skipped and where the time went. The closing line's
// order is fixed; scripts read it.
#include "assay/verify/Report.h"
#include "assay/verify/Driver.h"
#include "assay/verify/Requests.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::verify;

const char *verify::nameOf(Status status) {
  static constexpr const char *kNames[] = {
      "PASSED",      "FAILED",        "MISTRUSTED",
      "SKIPPED",     "UNIMPLEMENTED", "INVALID_ARGUMENTS",
      "LISTED",      "CRASHED",       "TIMEOUT",
      "INITIALIZED", "EXECUTED"};
  return kNames[static_cast<int>(status)];
}

static bool isTrouble(Status status) {
  return status != Status::Passed && status != Status::Listed &&
         status != Status::Skipped && status != Status::Initialized &&
         status != Status::Executed;
}

/// Shows the last lines of an engine's output; all of it at -v2.
static void showPrinted(Outcome &outcome) {
  constexpr size_t kLines = 20;
  llvm::StringRef text = llvm::StringRef(outcome.printed).rtrim();
  if (text.empty() || (!isTrouble(outcome.status) && !outcome.showsAllPrinted))
    return;
  llvm::SmallVector<llvm::StringRef, 32> lines;
  text.split(lines, '\n');
  size_t left = outcome.showsAllPrinted || lines.size() <= kLines
                    ? 0
                    : lines.size() - kLines;
  std::string title = "  printed by the engine";
  if (left)
    title += llvm::formatv(" (the last {0} of {1} lines; -v2: all)", kLines,
                           lines.size())
                 .str();
  outcome.after.push_back(title + ":");
  for (llvm::StringRef line : llvm::ArrayRef(lines).drop_front(left))
    outcome.after.push_back("    " + line.rtrim('\r').str());
}

void Report::add(const Problem &problem, Outcome outcome) {
  showPrinted(outcome);
  int64_t index = tests_++;
  ++counts_[static_cast<int>(outcome.status)];
  if (outcome.status == Status::Skipped ||
      outcome.status == Status::Unimplemented)
    ++reasons_[std::string(nameOf(outcome.status)) + " (" + outcome.reason +
               ")"];
  for (const std::string &knob : outcome.untaken)
    ++untaken_[knob];
  for (const std::string &what : outcome.trouble)
    ++trouble_[what];
  if (keepJson_) {
    llvm::json::Object row = std::move(outcome.facts);
    row["status"] = nameOf(outcome.status);
    row["repro"] = "assay verify " + problem.repro;
    row["ms"] = outcome.milliseconds;
    if (!outcome.reason.empty())
      row["reason"] = outcome.reason;
    if (!outcome.judge.empty())
      row["judge"] = outcome.judge;
    if (!outcome.before.empty())
      row["notes"] = llvm::json::Array(outcome.before);
    if (!outcome.after.empty())
      row["findings"] = llvm::json::Array(outcome.after);
    if (!outcome.printed.empty())
      row["printed"] = outcome.printed;
    if (!outcome.untaken.empty())
      row["not_taken"] = llvm::json::Array(outcome.untaken);
    if (!outcome.trouble.empty())
      row["fast_reference_trouble"] = llvm::json::Array(outcome.trouble);
    rows_.push_back(std::move(row));
  }
  if (keepJunit_) {
    std::string details;
    for (const std::string &line : outcome.after)
      details += (details.empty() ? "" : "\n") + line;
    junitRows_.push_back({problem.driver->name, problem.repro, outcome.reason,
                          details, outcome.status, outcome.milliseconds});
  }
  if (quiet_ && !isTrouble(outcome.status))
    return;
  for (const std::string &line : outcome.before)
    os_ << line << "\n";
  os_ << index << ":" << nameOf(outcome.status);
  if (!outcome.reason.empty())
    os_ << " (" << outcome.reason << ")";
  os_ << llvm::formatv(" ({0:f0} ms) __REPRO: ", outcome.milliseconds)
      << problem.repro << "\n";
  for (const std::string &line : outcome.after)
    os_ << line << "\n";
  os_.flush(); // a reader of the pipe sees each problem when it ends
}

void Report::close(double totalSeconds) {
  if (!quiet_ && !reasons_.empty()) {
    std::vector<std::pair<int64_t, std::string>> sorted;
    for (const auto &[reason, count] : reasons_)
      sorted.push_back({-count, reason});
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size() && i < 10; ++i)
      os_ << llvm::formatv("{0,8} {1}\n", -sorted[i].first, sorted[i].second);
    if (sorted.size() > 10)
      os_ << llvm::formatv("         and {0} more reasons\n",
                           sorted.size() - 10);
  }
  for (const auto &[what, count] : trouble_)
    os_ << llvm::formatv("{0,8} with a fast reference in trouble: {1}\n", count,
                         what);
  for (const auto &[knob, count] : untaken_)
    if (!quiet_)
      os_ << llvm::formatv("{0,8} with {1}\n", count, untakenText(knob));
  if (!quiet_ && !times_.empty()) {
    os_ << llvm::formatv("total: {0:f2} s", totalSeconds);
    for (const auto &[part, seconds] : times_)
      os_ << llvm::formatv("; {0}: {1:f2} s ({2:f0}%)", part, seconds,
                           totalSeconds > 0 ? 100 * seconds / totalSeconds : 0);
    os_ << "\n";
  }
  int64_t passed = count(Status::Passed) + count(Status::Initialized) +
                   count(Status::Executed);
  os_ << llvm::formatv("tests:{0} passed:{1} skipped:{2} mistrusted:{3} "
                       "unimplemented:{4} invalid_arguments:{5} failed:{6} "
                       "crashed:{7} timeout:{8} listed:{9}\n",
                       tests_, passed, count(Status::Skipped),
                       count(Status::Mistrusted), count(Status::Unimplemented),
                       count(Status::InvalidArguments), count(Status::Failed),
                       count(Status::Crashed), count(Status::Timeout),
                       count(Status::Listed));
  os_.flush();
}

ExitCode Report::exitCode() const {
  int64_t checked = count(Status::Passed) + count(Status::Initialized) +
                    count(Status::Executed);
  if (count(Status::InvalidArguments))
    return ExitCode::BadInput;
  if (count(Status::Failed) || count(Status::Crashed) ||
      count(Status::Timeout) || count(Status::Mistrusted) ||
      count(Status::Unimplemented))
    return ExitCode::CheckFailed;
  return checked ? ExitCode::Ok : ExitCode::NothingChecked;
}

llvm::json::Object Report::json() const {
  llvm::json::Object counts, times;
  counts["tests"] = tests_;
  for (int i = 0; i <= static_cast<int>(Status::Executed); ++i)
    counts[llvm::StringRef(nameOf(static_cast<Status>(i))).lower()] =
        counts_[i];
  for (const auto &[part, seconds] : times_)
    times[part] = seconds;
  return llvm::json::Object{{"problems", llvm::json::Array(rows_)},
                            {"counts", std::move(counts)},
                            {"seconds", std::move(times)}};
}
