// The scheduler of interpreter.run_parallel, and the exchange.
#include "assay/program/Processes.h"
#include "assay/program/Executor.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace assay::program {

std::string toString(ProcessId id) {
  return llvm::formatv("(replica {0}, partition {1})", id.replica, id.partition)
      .str();
}

void Grid::post(ProcessId from, const std::string &key, int64_t number,
                std::vector<Value> values, int64_t readers) {
  if (readers > 0)
    postings_[{from, key, number}] = {std::move(values), readers};
}

bool Grid::isPosted(ProcessId from, const std::string &key,
                    int64_t number) const {
  return postings_.count({from, key, number}) != 0;
}

std::vector<Value> Grid::read(ProcessId from, const std::string &key,
                              int64_t number) {
  auto found = postings_.find({from, key, number});
  if (--found->second.readers > 0)
    return found->second.values;
  std::vector<Value> values = std::move(found->second.values);
  postings_.erase(found);
  return values;
}

Process *Process::of(RunContext &run) {
  // A run inside a process has that process last.
  for (Observer *observer : llvm::reverse(run.observers))
    if (auto *process = dynamic_cast<Process *>(observer))
      return process;
  return nullptr;
}

namespace {
/// A process with its run.
struct Member {
  Member(const Plan &plan, RunContext &parent, Grid &grid, ProcessId id)
      : process(grid, id), run(parent.threads),
        execution(Execution::create(plan, run)) {
    run.budget = parent.budget;
    run.interrupt = parent.interrupt;
    run.maxFrames = parent.maxFrames;
    run.shadow = parent.shadow;
    run.printStream = parent.printStream;
    run.probeDirectory = parent.probeDirectory;
    run.randomCalls = parent.randomCalls;
    run.observers = parent.observers;
    run.observers.push_back(&process);
  }

  Process process;
  RunContext run;
  std::unique_ptr<Execution> execution;
  bool finished = false;
};

class Parallel {
public:
  Parallel(const Plan &plan, RunContext &run, mlir::Operation *op)
      : plan_(plan), run_(run), op_(op),
        rows_(op->getAttrOfType<mlir::ArrayAttr>("programs")),
        grid_(static_cast<int64_t>(rows_.size()),
              static_cast<int64_t>(
                  mlir::cast<mlir::ArrayAttr>(rows_[0]).size())) {}

  llvm::Error start(std::vector<Value> operands);
  /// Runs every process until all are done.
  llvm::Error finish();
  std::vector<Value> takeResults();

private:
  uint32_t functionIndex(mlir::Attribute symbol) const {
    llvm::StringRef name =
        mlir::cast<mlir::FlatSymbolRefAttr>(symbol).getValue();
    for (uint32_t i = 0; i < plan_.functions.size(); ++i)
      if (plan_.functions[i]->name == name)
        return i;
    llvm_unreachable("the plan has every function of its run_parallel");
  }
  llvm::Error fillInfeed();
  llvm::Expected<bool> round();
  llvm::Error advance(Member &member, bool &moved);
  llvm::Error deadlock() const;

  const Plan &plan_;
  RunContext &run_;
  mlir::Operation *op_;
  mlir::ArrayAttr rows_;
  Grid grid_;
  std::vector<std::unique_ptr<Member>> members_;
};
} // namespace

/// What the host feeds in: the results of the infeed functions, in order.
llvm::Error Parallel::fillInfeed() {
  auto infeed = op_->getAttrOfType<mlir::ArrayAttr>("infeed");
  if (!infeed)
    return llvm::Error::success();
  for (mlir::Attribute symbol : infeed) {
    std::unique_ptr<Execution> feed = Execution::create(plan_, run_);
    if (llvm::Error error = feed->start(functionIndex(symbol), {}))
      return error;
    llvm::Expected<Execution::Progress> progress = feed->advance();
    if (!progress)
      return progress.takeError();
    grid_.queue("infeed").push_back(feed->takeResults());
  }
  return llvm::Error::success();
}

llvm::Error Parallel::start(std::vector<Value> operands) {
  if (llvm::Error error = fillInfeed())
    return error;
  size_t next = 0;
  for (int64_t replica = 0; replica < grid_.replicas(); ++replica)
    for (int64_t partition = 0; partition < grid_.partitions(); ++partition) {
      auto row = mlir::cast<mlir::ArrayAttr>(rows_[unsigned(replica)]);
      uint32_t function = functionIndex(row[unsigned(partition)]);
      size_t count = plan_.functions[function]->blocks.front().arguments.size();
      if (next + count > operands.size())
        return makeError(ErrorCode::InvalidArgument,
                         "the programs take more than the {0} inputs that "
                         "there are",
                         operands.size());
      members_.push_back(std::make_unique<Member>(
          plan_, run_, grid_, ProcessId{replica, partition}));
      auto first = operands.begin() + static_cast<ptrdiff_t>(next);
      std::vector<Value> own(
          std::make_move_iterator(first),
          std::make_move_iterator(first + static_cast<ptrdiff_t>(count)));
      next += count;
      if (llvm::Error error =
              members_.back()->execution->start(function, std::move(own)))
        return error;
    }
  if (next != operands.size())
    return makeError(ErrorCode::InvalidArgument,
                     "the programs take {0} inputs, got {1}", next,
                     operands.size());
  return llvm::Error::success();
}

/// Lets one process run until it waits or ends.
llvm::Error Parallel::advance(Member &member, bool &moved) {
  member.run.probeCount = run_.probeCount;
  llvm::Expected<Execution::Progress> progress = member.execution->advance();
  run_.probeCount = member.run.probeCount;
  if (!progress)
    return addContext(progress.takeError(), toString(member.process.id));
  member.finished = *progress == Execution::Progress::Finished;
  moved |= *progress != Execution::Progress::Stuck;
  return llvm::Error::success();
}

/// One turn for each process; true when all are done.
llvm::Expected<bool> Parallel::round() {
  bool moved = false, all = true;
  for (std::unique_ptr<Member> &member : members_) {
    if (member->finished)
      continue;
    if (llvm::Error error = advance(*member, moved))
      return std::move(error);
    all &= member->finished;
  }
  if (!all && !moved)
    return deadlock();
  return all;
}

llvm::Error Parallel::deadlock() const {
  std::string who;
  for (const std::unique_ptr<Member> &member : members_)
    if (!member->finished)
      who += "\n  " + toString(member->process.id) + " waits for " +
             member->process.waitsFor;
  return makeError(ErrorCode::Mismatch,
                   "the processes wait for each other without end:{0}", who);
}

llvm::Error Parallel::finish() {
  llvm::Error failure = llvm::Error::success();
  for (bool done = false; !done && !failure;) {
    llvm::Expected<bool> all = round();
    if (all)
      done = *all;
    else
      failure = all.takeError();
    if (llvm::Error error = run_.interrupt.check())
      failure = llvm::joinErrors(std::move(failure), std::move(error));
  }
  // Checks that were made before a failure are reported before it.
  for (std::unique_ptr<Member> &member : members_) {
    llvm::append_range(run_.checks, member->run.checks);
    run_.divergedDecisions += member->run.divergedDecisions;
    run_.engineSteps += member->run.engineSteps;
  }
  return failure;
}

std::vector<Value> Parallel::takeResults() {
  std::vector<Value> results;
  for (std::unique_ptr<Member> &member : members_)
    for (Value &value : member->execution->takeResults())
      results.push_back(std::move(value));
  return results;
}

llvm::Expected<std::vector<Value>> runParallel(const Plan &plan,
                                               RunContext &run,
                                               mlir::Operation *op,
                                               std::vector<Value> operands) {
  Parallel parallel(plan, run, op);
  if (llvm::Error error = parallel.start(std::move(operands)))
    return std::move(error);
  if (llvm::Error error = parallel.finish())
    return std::move(error);
  return parallel.takeResults();
}

} // namespace assay::program
