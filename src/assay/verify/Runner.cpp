// A queue between the reader and the jobs, and a shelf on which outcomes wait
// for their turn in the report. One job runs its problems in the caller's
// thread, without either.  The resume file has a line of JSON per finished
// problem: {"repro": ..., "status": ..., "reason": ..., "ms": ...}, and
// "outcome" with all facts about a problem that did not pass. It is written
// when the problem is reported. A run that finds its problem there (the n-th of
// equal ones takes the n-th line) reports the recorded status instead of
// running it. A last line without its end, left by a killed run, is cut off.
#include "assay/verify/Runner.h"
#include "assay/ranks/Sharing.h"
#include "assay/support/Json.h"
#include "assay/support/RecordFile.h"
#include "assay/verify/OutcomeJson.h"
#include "llvm/Support/FileSystem.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace assay;
using namespace assay::verify;

namespace {
struct Task {
  int64_t index;
  Problem problem;
};
struct Finished {
  Problem problem;
  Outcome outcome;
  bool isRecorded = false;
};
/// A problem that the ranks share.
struct SharedTask {
  Problem problem;
  std::optional<Outcome> recorded; ///< by an earlier run
};
} // namespace

struct Runner::State {
  RunnerOptions options;
  Report &report;
  Interrupt interrupt;
  int64_t position = 0, taken = 0, reported = 0;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::thread> jobs;
  std::mutex mutex;
  std::condition_variable queued, freed;
  std::deque<Task> queue;
  bool closed = false;
  std::map<int64_t, Finished> shelf;
  std::map<std::string, std::deque<Outcome>> recorded;
  std::unique_ptr<RecordFile> record;
  std::optional<ErrorText> recordFailure; ///< the first line not written
  ranks::RankBoard *board = nullptr;
  std::optional<ranks::Sharing> sharing; ///< of problems among the board's
                                         ///< ranks
  std::map<int64_t, SharedTask> shared;  ///< problems that are not reported yet
  int64_t written = 0; ///< lines that a rank before this one wrote

  State(RunnerOptions o, Report &r)
      : options(std::move(o)), report(r), board(options.board.get()) {}
  bool reports() const { return !sharing || sharing->reports(); }
  void joinRanks();
  llvm::json::Value runHeld(const ranks::HeldItem &item);
  void work(Session &session);
  void shelve(int64_t index, Finished finished);
  llvm::Error readRecord();
  llvm::Error openRecord();
  void continueRecord();
  bool takeRecorded(const Problem &problem, Outcome &outcome);
};

Runner::Runner(RunnerOptions options, Report &report)
    : state_(std::make_unique<State>(std::move(options), report)) {}

Runner::~Runner() { llvm::consumeError(finish()); }

static std::optional<Status> statusNamed(llvm::StringRef name) {
  for (int i = 0; i <= static_cast<int>(Status::Executed); ++i)
    if (name == nameOf(static_cast<Status>(i)))
      return static_cast<Status>(i);
  return std::nullopt;
}

/// The problem on a line of the resume file; nullopt when the line holds no
/// finished problem.
static std::optional<std::pair<std::string, Outcome>>
parseFinished(llvm::StringRef line) {
  llvm::Expected<llvm::json::Value> value = parseJson(line);
  if (!value)
    llvm::consumeError(value.takeError());
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  std::optional<Status> status =
      object ? statusNamed(object->getString("status").value_or(""))
             : std::nullopt;
  if (!status)
    return std::nullopt;
  Outcome outcome;
  if (const llvm::json::Value *whole = object->get("outcome"))
    outcome = outcomeIn(*whole).first;
  outcome.status = *status;
  outcome.reason = object->getString("reason").value_or("").str();
  outcome.milliseconds = object->getNumber("ms").value_or(0);
  return std::pair(object->getString("repro").value_or("").str(),
                   std::move(outcome));
}

llvm::Error Runner::State::readRecord() {
  llvm::StringRef path = board ? board->resumeCopy() : options.resumeFile;
  llvm::Expected<std::string> text = readRecords(path);
  if (!text)
    return addContext(text.takeError(), "--resume");
  uint64_t size = 0;
  if (text->empty() && !llvm::sys::fs::file_size(path, size) && size > 0)
    return makeError(
        ErrorCode::DataLoss,
        "--resume: '{0}' is not a list of finished problems; name another file",
        path);
  int64_t damaged = 0;
  forEachRecord(*text, [&](llvm::StringRef line, int64_t number) {
    auto finished = parseFinished(line);
    if (finished)
      recorded[finished->first].push_back(std::move(finished->second));
    damaged = finished ? 0 : number;
    return damaged == 0;
  });
  if (damaged)
    return makeError(ErrorCode::DataLoss,
                     "--resume: line {0} of '{1}' is not a finished problem; "
                     "name another file",
                     damaged, path);
  return llvm::Error::success();
}

llvm::Error Runner::State::openRecord() {
  llvm::Expected<std::unique_ptr<RecordFile>> file =
      RecordFile::open(options.resumeFile, RecordFile::Writers::One,
                       "'" + options.resumeFile +
                           "' belongs to another run at this moment; wait for "
                           "its end, or name another file");
  if (!file)
    return addContext(file.takeError(), "--resume");
  record = std::move(*file);
  return llvm::Error::success();
}

/// Continues the file of a rank that died while it wrote the report.
void Runner::State::continueRecord() {
  if (options.resumeFile.empty())
    return;
  if (llvm::Error error = openRecord()) {
    llvm::consumeError(std::move(error)); // the report does not depend on it
    return;
  }
  llvm::Expected<std::string> before = readRecords(board->resumeCopy());
  written = static_cast<int64_t>(record->found().count('\n'));
  if (before)
    written -= static_cast<int64_t>(llvm::StringRef(*before).count('\n'));
  else
    llvm::consumeError(before.takeError());
}

llvm::Error Runner::start() {
  State &s = *state_;
  if (s.board) {
    if (s.options.jobs > 1)
      return makeError(ErrorCode::InvalidArgument,
                       "--jobs={0} beside {1} ranks of a launcher; leave out "
                       "one of them",
                       s.options.jobs, s.board->identity().size);
    s.joinRanks();
  }
  if (!s.options.resumeFile.empty())
    if (llvm::Error error = s.readRecord())
      return error;
  if (!s.options.resumeFile.empty() && s.reports())
    if (llvm::Error error = s.openRecord())
      return error;
  if (s.options.maxSeconds > 0)
    s.interrupt.setTimeLimit(s.options.maxSeconds);
  int cores = s.options.threads > 0 ? s.options.threads : availableCores();
  int atATime = s.board ? s.board->identity().onMachine : s.options.jobs;
  SessionOptions session{
      "", atATime == 1 ? s.options.threads : std::max(1, cores / atATime),
      s.options.memoryLimitBytes};
  for (int i = 0; i < s.options.jobs; ++i) {
    s.sessions.push_back(std::make_unique<Session>(session));
    s.sessions.back()->shareMemory(atATime);
  }
  if (s.options.jobs > 1)
    for (auto &one : s.sessions)
      s.jobs.emplace_back([&s, session = one.get()] { s.work(*session); });
  return llvm::Error::success();
}

void Runner::State::work(Session &session) {
  while (true) {
    std::unique_lock<std::mutex> lock(mutex);
    queued.wait(lock, [&] { return closed || !queue.empty(); });
    if (queue.empty())
      return;
    Task task = std::move(queue.front());
    queue.pop_front();
    freed.notify_one();
    lock.unlock();
    Outcome outcome = session.run(task.problem, task.index);
    lock.lock();
    shelve(task.index, {std::move(task.problem), std::move(outcome), false});
  }
}

/// Reports the outcomes that are next in order; the others wait. The caller
/// holds the lock.
void Runner::State::shelve(int64_t index, Finished finished) {
  shelf.emplace(index, std::move(finished));
  while (!shelf.empty() && shelf.begin()->first == reported) {
    Finished next = std::move(shelf.begin()->second);
    shelf.erase(shelf.begin());
    ++reported;
    if (record && !next.isRecorded && written > 0) {
      --written;
    } else if (record && !next.isRecorded) {
      llvm::json::Object line{{"repro", next.problem.repro},
                              {"status", nameOf(next.outcome.status)},
                              {"ms", next.outcome.milliseconds}};
      if (!next.outcome.reason.empty())
        line["reason"] = next.outcome.reason;
      if (next.outcome.status != Status::Passed)
        line["outcome"] = toJson(next.outcome, /*isRecorded=*/true);
      if (llvm::Error error = record->append(
              llvm::formatv("{0}", llvm::json::Value(std::move(line))).str())) {
        recordFailure = takeError(std::move(error));
        record.reset();
      }
    }
    report.add(next.problem, std::move(next.outcome));
  }
}

bool Runner::State::takeRecorded(const Problem &problem, Outcome &outcome) {
  auto found = recorded.find(problem.repro);
  if (found == recorded.end() || found->second.empty())
    return false;
  outcome = std::move(found->second.front());
  found->second.pop_front();
  outcome.after.push_back("  from an earlier run (" + options.resumeFile + ")");
  return true;
}

/// Shares the problems with the other processes: each problem is run by the
/// process that takes it first; the process that reports keeps all problems
/// until they are reported in order.
void Runner::State::joinRanks() {
  sharing.emplace(
      *board, [this](const ranks::HeldItem &item) { return runHeld(item); },
      [this](int64_t item, std::optional<llvm::json::Value> answer) {
        auto task = shared.extract(item);
        if (!answer)
          return llvm::Error::success();
        auto [outcome, isRecorded] = outcomeIn(std::move(*answer));
        shelve(item, {std::move(task.mapped().problem), std::move(outcome),
                      isRecorded});
        return llvm::Error::success();
      },
      interrupt);
  sharing->beginReport();
}

/// Runs a problem that this process holds the lock for, unless an earlier run
/// did.
llvm::json::Value Runner::State::runHeld(const ranks::HeldItem &item) {
  const auto &[problem, known] = shared.at(item.number);
  if (known)
    return toJson(*known, /*isRecorded=*/true);
  Outcome outcome;
  if (item.isGivenUp) {
    outcome.status = Status::Crashed;
    outcome.reason = "two processes that ran it died";
  } else {
    outcome = sessions[0]->run(problem, item.number);
  }
  if (item.lostBy >= 0)
    outcome.after.push_back("  " + item.history(board->identity()));
  return toJson(std::move(outcome), /*isRecorded=*/false);
}

bool Runner::reports() const { return state_->reports(); }

bool Runner::takesOver() {
  State &s = *state_;
  if (!s.sharing->takesOver())
    return false;
  s.position = s.taken = s.reported = 0;
  s.shared.clear();
  s.recorded.clear();
  s.continueRecord();
  return true;
}

void Runner::close() {
  if (state_->sharing)
    state_->sharing->close();
}

llvm::Error Runner::add(Problem problem) {
  State &s = *state_;
  if (s.position++ % s.options.shardCount != s.options.shardIndex)
    return llvm::Error::success();
  Mode mode = problem.options->mode;
  if (s.board && s.board->identity().onMachine > 1 &&
      (mode == Mode::Performance || mode == Mode::CorrectnessAndPerformance))
    return makeError(ErrorCode::InvalidArgument,
                     "--mode={0} on {1} ranks of one machine: runs that share "
                     "the cores would measure each other",
                     mode == Mode::Performance ? "P" : "CP",
                     s.board->identity().onMachine);
  if (s.options.jobs > 1 &&
      (mode == Mode::Performance || mode == Mode::CorrectnessAndPerformance))
    return makeError(ErrorCode::InvalidArgument,
                     "--jobs={0} and --mode={1} contradict each other: runs "
                     "that share the cores would measure each other",
                     s.options.jobs, mode == Mode::Performance ? "P" : "CP");
  int64_t index = s.taken++;
  Outcome outcome;
  if (s.sharing) {
    std::optional<Outcome> known;
    if (s.takeRecorded(problem, outcome))
      known = std::move(outcome);
    s.shared.emplace(index, SharedTask{std::move(problem), std::move(known)});
    return s.sharing->add(index);
  }
  if (s.takeRecorded(problem, outcome)) {
    std::lock_guard<std::mutex> lock(s.mutex);
    s.shelve(index, {std::move(problem), std::move(outcome), true});
    return s.interrupt.check();
  }
  if (s.options.jobs == 1) {
    outcome = s.sessions[0]->run(problem, index);
    s.shelve(index, {std::move(problem), std::move(outcome), false});
    return s.interrupt.check();
  }
  std::unique_lock<std::mutex> lock(s.mutex);
  s.freed.wait(lock, [&] { return s.queue.size() < 4 * s.jobs.size(); });
  s.queue.push_back({index, std::move(problem)});
  s.queued.notify_one();
  lock.unlock();
  return s.interrupt.check();
}

llvm::Error Runner::finish() {
  State &s = *state_;
  llvm::Error interrupted = s.interrupt.check();
  if (s.sharing && !interrupted)
    interrupted = s.sharing->finish();
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    s.closed = true;
    if (interrupted)
      s.queue.clear();
    s.queued.notify_all();
  }
  for (std::thread &job : s.jobs)
    job.join();
  s.jobs.clear();
  // After an interruption, problems are reported even if one before them never
  // ran.
  while (!s.shelf.empty()) {
    s.reported = s.shelf.begin()->first;
    Finished next = std::move(s.shelf.begin()->second);
    int64_t index = s.reported;
    s.shelf.erase(s.shelf.begin());
    s.shelve(index, std::move(next));
  }
  for (auto &session : s.sessions)
    for (const auto &[part, time] : session->times())
      s.report.addTime(part.c_str(), time);
  if (!s.board) // with ranks, this one may have to take over the report
    s.sessions.clear();
  if (s.recordFailure)
    return llvm::joinErrors(std::move(interrupted),
                            makeError(ErrorCode::DataLoss, "--resume: {0}",
                                      s.recordFailure->message));
  return interrupted;
}
