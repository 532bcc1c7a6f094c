// The scheduler of processes, and the two operations that start processes: interpreter.run_parallel and sdy.manual_computation.
#include "assay/program/Processes.h"
#include "assay/program/Executor.h"
#include "assay/program/Parts.h"
#include "assay/program/Ranks.h"
#include "assay/program/ValueBytes.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <numeric>

namespace assay::program {

void Process::beforeStep(const StepNode &node, llvm::ArrayRef<Value *>) {
  if (grid.ranks())
    grid.ranks()->say(llvm::formatv("'{0}' at {1} in process {2}", node.name,
                                    node.op
                                        ? describeLocation(node.op->getLoc())
                                        : std::string("no place"),
                                    toString(id))
                          .str());
}

namespace {
/// A process and its run.
struct Member {
  Member(const Plan &plan, RunContext &parent, Grid &grid, ProcessId id,
         const StepNode &node, int64_t place)
      : process(grid, id), run(parent.threads),
        execution(Execution::create(plan, run)) {
    run.budget = parent.budget;
    run.interrupt = parent.interrupt;
    run.maxFrames = parent.maxFrames;
    run.shadow = parent.shadow;
    run.printStream = parent.ranks ? &printStream : parent.printStream;
    run.probeDirectory = parent.probeDirectory;
    run.randomCalls = parent.randomCalls;
    for (Observer *observer : parent.observers)
      if (Observer *own = observer->beginProcess(node, id, place))
        run.observers.push_back(own);
    run.observers.push_back(&process);
    run.process = &process;
  }

  Process process;
  RunContext run;
  std::unique_ptr<Execution> execution;
  std::vector<Value> results; ///< this process's results; only with several
                              ///< ranks
  std::string printed;        ///< this process's prints; only with several
                              ///< ranks
  llvm::raw_string_ostream printStream{printed};
  bool finished = false;
};

/// The processes of one operation, which run side by side.
class Parallel {
public:
  Parallel(const Plan &plan, RunContext &run, const StepNode &node,
           int64_t replicas, int64_t partitions)
      : plan_(plan), run_(run), node_(node), grid_(replicas, partitions, &run) {
    if (run.ranks)
      run.ranks->begin();
  }

  /// Puts the results of a function into the infeed, as the host would.
  llvm::Error feed(uint32_t function);
  /// `place`: the process's place in the mesh, -1 if there is no mesh.
  llvm::Error add(ProcessId id, uint32_t function, std::vector<Value> own,
                  int64_t place = -1);
  /// Runs every process until all are done.
  llvm::Error finish();
  /// The results of each process, in the order in which they were added.
  std::vector<std::vector<Value>> takeResults();

private:
  llvm::Expected<bool> round();
  llvm::Error advance(Member &member, bool &moved);
  std::string waiting() const;
  llvm::Error runAll();
  llvm::Error exchangeResults();
  llvm::Error sendResults(const Member &member);
  llvm::Error takeFrom(Member &member, llvm::StringRef bytes);
  void gather();

  const Plan &plan_;
  RunContext &run_;
  const StepNode &node_;
  Grid grid_;
  std::vector<std::unique_ptr<Member>> members_;
};
} // namespace

llvm::Error Parallel::feed(uint32_t function) {
  std::unique_ptr<Execution> feed = Execution::create(plan_, run_);
  if (llvm::Error error = feed->start(function, {}))
    return error;
  llvm::Expected<Execution::Progress> progress = feed->advance();
  if (!progress)
    return progress.takeError();
  grid_.queue("infeed").push_back(feed->takeResults());
  return llvm::Error::success();
}

llvm::Error Parallel::add(ProcessId id, uint32_t function,
                          std::vector<Value> own, int64_t place) {
  if (run_.ranks)
    grid_.setOwner(id, static_cast<int>(members_.size()) % run_.ranks->size());
  members_.push_back(
      std::make_unique<Member>(plan_, run_, grid_, id, node_, place));
  if (!grid_.isMine(id)) {
    members_.back()->finished = true;
    return llvm::Error::success();
  }
  return members_.back()->execution->start(function, std::move(own));
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
  uint64_t sent = run_.ranks ? run_.ranks->sent() : 0;
  bool moved = false, all = true;
  for (std::unique_ptr<Member> &member : members_) {
    if (member->finished)
      continue;
    if (llvm::Error error = advance(*member, moved))
      return error;
    all &= member->finished;
  }
  if (llvm::Error error = grid_.takeFailure())
    return error;
  if (all || moved)
    return all;
  if (!run_.ranks)
    return makeError(ErrorCode::Mismatch,
                     "the processes wait for each other without end:{0}",
                     waiting());
  if (llvm::Error error = run_.ranks->wait(sent, waiting()))
    return error;
  return false;
}

std::string Parallel::waiting() const {
  std::string who;
  for (const std::unique_ptr<Member> &member : members_)
    if (!member->finished)
      who += "\n  " + toString(member->process.id) + " waits for " +
             member->process.waitsFor;
  return who;
}

llvm::Error Parallel::runAll() {
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
  return failure;
}

/// Adds the checks, notes and counts of the processes to the run's.
void Parallel::gather() {
  for (std::unique_ptr<Member> &member : members_) {
    llvm::append_range(run_.checks, member->run.checks);
    llvm::append_range(run_.notes, member->run.notes);
    run_.divergedDecisions += member->run.divergedDecisions;
    run_.engineSteps += member->run.engineSteps;
  }
}

llvm::Error Parallel::finish() {
  llvm::Error failure = runAll();
  if (!failure && run_.ranks)
    failure = exchangeResults();
  for (Observer *observer : run_.observers)
    observer->endProcesses(node_);
  // Checks that were made before a failure are reported before it.
  gather();
  return failure;
}

static std::string resultsKey(ProcessId id) {
  return "results of " + toString(id);
}

llvm::Error Parallel::sendResults(const Member &member) {
  if (!canBeWritten(member.results))
    return makeError(ErrorCode::Unsupported,
                     "quantised results do not go from rank to rank; the "
                     "program runs with --processes=cooperative");
  std::string bytes;
  writeValues(bytes, member.results);
  writeNumber(bytes, static_cast<int64_t>(member.run.checks.size()));
  for (const CheckResult &check : member.run.checks) {
    writeNumber(bytes, check.passed);
    writeText(bytes, check.location);
    writeText(bytes, check.message);
  }
  writeNumber(bytes, static_cast<int64_t>(member.run.notes.size()));
  for (const std::string &note : member.run.notes)
    writeText(bytes, note);
  writeText(bytes, member.printed);
  writeNumber(bytes, member.run.divergedDecisions);
  writeNumber(bytes, member.run.engineSteps);
  for (int rank = 0; rank < run_.ranks->size(); ++rank)
    if (rank != run_.ranks->rank())
      if (llvm::Error error =
              run_.ranks->send(rank, resultsKey(member.process.id), bytes))
        return error;
  return llvm::Error::success();
}

llvm::Error Parallel::takeFrom(Member &member, llvm::StringRef bytes) {
  if (llvm::Error error = readValues(bytes, run_).moveInto(member.results))
    return error;
  int64_t count = 0;
  if (llvm::Error error = readNumber(bytes).moveInto(count))
    return error;
  for (int64_t i = 0; i < count; ++i) {
    CheckResult check;
    int64_t passed = 0;
    if (llvm::Error error = readNumber(bytes).moveInto(passed))
      return error;
    check.passed = passed != 0;
    if (llvm::Error error = readText(bytes).moveInto(check.location))
      return error;
    if (llvm::Error error = readText(bytes).moveInto(check.message))
      return error;
    member.run.checks.push_back(std::move(check));
  }
  if (llvm::Error error = readNumber(bytes).moveInto(count))
    return error;
  for (int64_t i = 0; i < count; ++i)
    if (llvm::Error error =
            readText(bytes).moveInto(member.run.notes.emplace_back()))
      return error;
  if (llvm::Error error = readText(bytes).moveInto(member.printed))
    return error;
  if (llvm::Error error =
          readNumber(bytes).moveInto(member.run.divergedDecisions))
    return error;
  return readNumber(bytes).moveInto(member.run.engineSteps);
}

/// Every rank continues with the results of all processes.
llvm::Error Parallel::exchangeResults() {
  for (std::unique_ptr<Member> &member : members_)
    if (grid_.isMine(member->process.id)) {
      member->results = member->execution->takeResults();
      if (llvm::Error error = sendResults(*member))
        return error;
    }
  for (std::unique_ptr<Member> &member : members_) {
    while (!grid_.isMine(member->process.id)) {
      uint64_t sent = run_.ranks->sent();
      std::string key = resultsKey(member->process.id);
      llvm::Expected<std::optional<std::string>> bytes =
          run_.ranks->receive(key);
      if (!bytes)
        return bytes.takeError();
      if (*bytes) {
        if (llvm::Error error = takeFrom(*member, **bytes))
          return error;
        break;
      }
      if (llvm::Error error = run_.ranks->wait(
              sent, llvm::formatv("\n  rank {0} waits for the {1}",
                                  run_.ranks->rank(), key)
                        .str()))
        return error;
      if (llvm::Error error = run_.interrupt.check())
        return error;
    }
    (run_.printStream ? *run_.printStream : llvm::outs()) << member->printed;
  }
  return llvm::Error::success();
}

std::vector<std::vector<Value>> Parallel::takeResults() {
  std::vector<std::vector<Value>> results;
  for (std::unique_ptr<Member> &member : members_)
    results.push_back(run_.ranks ? std::move(member->results)
                                 : member->execution->takeResults());
  return results;
}

static uint32_t functionIndex(const Plan &plan, mlir::Attribute symbol) {
  llvm::StringRef name = mlir::cast<mlir::FlatSymbolRefAttr>(symbol).getValue();
  for (uint32_t i = 0; i < plan.functions.size(); ++i)
    if (plan.functions[i]->name == name)
      return i;
  llvm_unreachable("the plan has every function of its run_parallel");
}

/// interpreter.run_parallel: runs function programs[replica][partition] in each
/// process, on its part of the operands. Returns the results of all processes
/// in the same order.
static llvm::Expected<std::vector<Value>>
runParallel(const Plan &plan, RunContext &run, const StepNode &node,
            std::vector<Value> operands) {
  mlir::Operation *op = node.op;
  auto rows = op->getAttrOfType<mlir::ArrayAttr>("programs");
  auto width = mlir::cast<mlir::ArrayAttr>(rows[0]).size();
  Parallel parallel(plan, run, node, static_cast<int64_t>(rows.size()),
                    static_cast<int64_t>(width));
  if (auto infeed = op->getAttrOfType<mlir::ArrayAttr>("infeed"))
    for (mlir::Attribute symbol : infeed)
      if (llvm::Error error = parallel.feed(functionIndex(plan, symbol)))
        return error;
  size_t next = 0;
  for (size_t replica = 0; replica < rows.size(); ++replica)
    for (size_t partition = 0; partition < width; ++partition) {
      auto row = mlir::cast<mlir::ArrayAttr>(rows[unsigned(replica)]);
      uint32_t function = functionIndex(plan, row[unsigned(partition)]);
      size_t count = plan.functions[function]->blocks.front().arguments.size();
      if (next + count > operands.size())
        return makeError(ErrorCode::InvalidArgument,
                         "the programs take more than the {0} inputs that "
                         "there are",
                         operands.size());
      auto first = operands.begin() + static_cast<ptrdiff_t>(next);
      std::vector<Value> own(
          std::make_move_iterator(first),
          std::make_move_iterator(first + static_cast<ptrdiff_t>(count)));
      next += count;
      if (llvm::Error error = parallel.add(
              {int64_t(replica), int64_t(partition)}, function, std::move(own)))
        return error;
    }
  if (next != operands.size())
    return makeError(ErrorCode::InvalidArgument,
                     "the programs take {0} inputs, got {1}", next,
                     operands.size());
  if (llvm::Error error = parallel.finish())
    return error;
  std::vector<Value> results;
  for (std::vector<Value> &own : parallel.takeResults())
    for (Value &value : own)
      results.push_back(std::move(value));
  return results;
}

/// sdy.manual_computation: runs the region on each device of the mesh, one
/// partition per device, on the parts of the operands, and joins the results.
static llvm::Expected<std::vector<Value>>
runManual(const Plan &plan, RunContext &run, const StepNode &node,
          llvm::ArrayRef<Value> operands) {
  llvm::Expected<ManualComputation> manual = ManualComputation::decode(node.op);
  if (!manual)
    return manual.takeError();
  const Mesh &mesh = manual->mesh;
  int64_t partitions = 1 + *llvm::max_element(mesh.devices);
  Parallel parallel(plan, run, node, 1, partitions);
  std::vector<int64_t> places(mesh.devices.size()); // in the order of devices
  std::iota(places.begin(), places.end(), 0);
  llvm::sort(places, [&](int64_t a, int64_t b) {
    return mesh.devices[size_t(a)] < mesh.devices[size_t(b)];
  });
  for (int64_t place : places) {
    std::vector<Value> own;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].isTensor()) { // a token
        own.push_back(operands[i]);
        continue;
      }
      Box box =
          boxOf(mesh, manual->operands[i], place, operands[i].tensor().shape());
      llvm::Expected<Value> part = cut(operands[i], box, run);
      if (!part)
        return part.takeError();
      own.push_back(std::move(*part));
    }
    if (llvm::Error error = parallel.add({0, mesh.devices[size_t(place)]},
                                         node.callee, std::move(own), place))
      return error;
  }
  if (llvm::Error error = parallel.finish())
    return error;
  std::vector<std::vector<Value>> made = parallel.takeResults();
  std::vector<Value> results;
  for (size_t r = 0; r < manual->results.size(); ++r) {
    auto type = mlir::dyn_cast<mlir::ShapedType>(
        node.op->getResult(unsigned(r)).getType());
    if (!type) { // a token
      results.emplace_back(Token());
      continue;
    }
    std::vector<Value> parts(places.size());
    for (size_t i = 0; i < places.size(); ++i)
      parts[size_t(places[i])] = std::move(made[i][r]);
    llvm::Expected<Value> whole =
        join(mesh, manual->results[r], parts, type.getShape(), run);
    if (!whole)
      return whole.takeError();
    results.push_back(std::move(*whole));
  }
  return results;
}

llvm::Expected<std::vector<Value>> runProcesses(const Plan &plan,
                                                RunContext &run,
                                                const StepNode &node,
                                                std::vector<Value> operands) {
  return node.name == "sdy.manual_computation"
             ? runManual(plan, run, node, operands)
             : runParallel(plan, run, node, std::move(operands));
}

} // namespace assay::program
