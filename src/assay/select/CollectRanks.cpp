// Every rank walks the same list and takes problems that nobody holds. If a
// process dies, another one measures its problem, after reading the results
// that the dead process had journalled.
#include "assay/ranks/Sharing.h"
#include "assay/select/CollectDetail.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace assay;
using namespace assay::select;

namespace {
/// Makes the ranks of one machine measure one after the other, by a file lock.
/// Does nothing for the only rank of a machine.
class Turn {
public:
  explicit Turn(const ranks::RankIdentity &identity) {
    if (identity.onMachine < 2)
      return;
    llvm::SmallString<128> path;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
    llvm::sys::path::append(path, "assay-measures-" + std::to_string(getuid()));
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ >= 0)
      while (::flock(file_, LOCK_EX) < 0 && errno == EINTR)
        ;
  }
  ~Turn() {
    if (file_ >= 0)
      ::close(file_);
  }
  Turn(const Turn &) = delete;

private:
  int file_ = -1;
};

/// This rank's part of the collection.
struct Lane {
  KernelSet &set;
  ThreadPool &pool;
  const CollectOptions &options;
  const Interrupt &interrupt;
  const CollectSink &sink;
  ranks::RankBoard &board;
  std::vector<CollectTask> tasks;
  std::unique_ptr<DataFile> file;
  CollectClock clock;
  CollectProgress at;

  llvm::Error openFile() {
    file.reset(); // opening it twice would wait for ourselves
    return openData(set, options,
                    {DataFileAccess::Kind::Lane, board.identity().rank})
        .moveInto(file);
  }
  llvm::json::Value measure(const ranks::HeldItem &item);
};
} // namespace

/// Measures an item; the result says which problem it is, and why it is
/// incomplete.
llvm::json::Value Lane::measure(const ranks::HeldItem &item) {
  const CollectTask &task = tasks[static_cast<size_t>(item.number)];
  auto failed = [&](llvm::Error error) {
    ErrorText text = takeError(std::move(error));
    return llvm::json::Object{{"problem", task.key},
                              {"error", text.message},
                              {"code", static_cast<int>(text.code)}};
  };
  auto done = [&] { return llvm::json::Object{{"problem", task.key}}; };
  if (item.isGivenUp)
    return failed(makeError(ErrorCode::Internal,
                            "two processes that measured {0} died",
                            task.key));
  if (options.budgetSeconds > 0 && clock.seconds() > options.budgetSeconds)
    return llvm::json::Object{{"problem", task.key}, {"left", true}};
  if (item.lostBy >= 0)
    if (llvm::Error error = openFile()) // with the measurements of the dead
                                        // process
      return failed(std::move(error));
  if (file->isComplete(task.key))
    return done();
  Turn turn(board.identity());
  llvm::Expected<std::string> line =
      measureTask(set, pool, options, task, *file, interrupt);
  if (!line)
    return failed(line.takeError());
  ++at.done;
  at.line = llvm::formatv("rank {0}: {1}", board.identity().rank, *line).str();
  sink(at);
  return done();
}

/// Counts the ranks' answers. Errors: the first one that a rank reported.
static llvm::Error countAnswers(const ranks::Shared &shared,
                                llvm::ArrayRef<CollectTask> tasks,
                                CollectReport &report) {
  std::optional<ErrorText> first;
  for (auto [answer, task] : llvm::zip_equal(shared.answers, tasks)) {
    const llvm::json::Object *object = answer ? answer->getAsObject() : nullptr;
    if (object && object->getString("problem") != llvm::StringRef(task.key))
      return makeError(ErrorCode::InvalidArgument,
                       "the ranks have different lists of problems, as where "
                       "they may use different numbers of cores: give "
                       "--threads, or mpirun --bind-to none");
    std::optional<llvm::StringRef> text =
        object ? object->getString("error") : std::nullopt;
    bool isDone = object && !text && !object->get("left");
    ++(isDone ? report.problemsDone : report.problemsLeft);
    if (text && !first)
      first = ErrorText{
          static_cast<ErrorCode>(object->getInteger("code").value_or(0)),
          text->str()};
  }
  report.stopped = shared.stopped;
  if (!first || report.stopped)
    return llvm::Error::success();
  return makeError(first->code,
                   "{0}; the measurements so far are kept, the same command "
                   "goes on with them",
                   first->message);
}

llvm::Expected<std::optional<CollectReport>>
select::collectOnRanks(KernelSet &set, ThreadPool &pool,
                       const CollectOptions &options,
                       const Interrupt &interrupt, const CollectSink &sink,
                       ranks::RankBoard &board) {
  Lane lane{
      set, pool, options, interrupt, sink, board, collectTasks(options),
      nullptr,  {},   {}};
  if (llvm::Error error = lane.openFile())
    return error;
  CollectReport report;
  report.reused = lane.file->keptRows();
  std::vector<int64_t> order;
  for (auto [i, task] : llvm::enumerate(lane.tasks)) {
    order.push_back(static_cast<int64_t>(i));
    report.problemsKept += lane.file->isComplete(task.key);
  }
  lane.at.of = static_cast<int64_t>(order.size()) - report.problemsKept;
  llvm::Expected<ranks::Shared> shared = ranks::share(
      board, order,
      [&](const ranks::HeldItem &item) { return lane.measure(item); },
      interrupt);
  lane.file.reset();
  if (!shared)
    return shared.takeError();
  if (!shared->reports)
    return std::nullopt;
  llvm::Error failed = countAnswers(*shared, lane.tasks, report);
  llvm::Expected<std::unique_ptr<DataFile>> file =
      openData(set, options, {DataFileAccess::Kind::Closing, 0});
  if (!file)
    return llvm::joinErrors(std::move(failed), file.takeError());
  report.path = (*file)->path();
  if (failed)
    return failed; // all journals are kept
  if (llvm::Error error = finishData(**file, report))
    return error;
  report.seconds = lane.clock.seconds();
  return report;
}
