// Transfers from one process to another, or to and from the host:
// collective_permute, send and recv, infeed and outfeed; and a process's own
// numbers. Source: StableHLO specification.
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"
#include "assay/reference/Ops.h"
#include "assay/reference/ops/Groups.h"

namespace assay::reference {

using program::Process;
using program::ProcessId;
using program::RegionEvaluator;
using program::RegionTask;
using program::Token;

namespace {
class PermuteStep final : public Step {
public:
  PermuteStep(int64_t channel, std::vector<std::vector<int64_t>> pairs,
              TensorType type)
      : channel_(channel), pairs_(std::move(pairs)), type_(std::move(type)) {}
  bool isRegionStep() const override { return true; }
  bool ownsResults() const override { return true; }
  RegionTask start(StepContext &context,
                   llvm::MutableArrayRef<RegionEvaluator>) const override;

private:
  int64_t channel_;
  std::vector<std::vector<int64_t>> pairs_;
  TensorType type_;
};

/// Waits for the next values of a queue.
class ReceiveStep final : public Step {
public:
  ReceiveStep(std::string queue, bool toPartner)
      : queue_(std::move(queue)), toPartner_(toPartner) {}
  bool isRegionStep() const override { return true; }
  bool ownsResults() const override { return true; }
  RegionTask start(StepContext &context,
                   llvm::MutableArrayRef<RegionEvaluator>) const override;

private:
  std::string queue_;
  bool toPartner_; ///< sent to one process, not to the first to receive
};
} // namespace

RegionTask PermuteStep::start(StepContext &context,
                              llvm::MutableArrayRef<RegionEvaluator>) const {
  program::Grid alone(1, 1);
  Process single(alone, {});
  Process *found = context.run.process;
  Process &process = found ? *found : single;
  std::string key = "collective_permute, channel " + std::to_string(channel_);
  int64_t number = process.count(key);
  std::vector<ProcessId> readers;
  std::optional<ProcessId> source;
  for (const std::vector<int64_t> &pair : pairs_) {
    std::vector<ProcessId> ends =
        membersOf(process.id, process.grid, pairwiseKind(channel_), pair);
    for (ProcessId end : ends)
      if (!process.grid.has(end))
        co_return makeError(ErrorCode::InvalidArgument,
                            "process {0} is not in the grid of {1} x {2} "
                            "processes; programs of several processes run "
                            "under interpreter.run_parallel",
                            program::toString(end), process.grid.replicas(),
                            process.grid.partitions());
    if (ends[0] == process.id)
      readers.push_back(ends[1]);
    if (ends[1] == process.id)
      source = ends[0];
  }
  process.grid.post(process.id, key, number, {context.operandValue(0)},
                    readers);
  if (!source) {
    static constexpr std::byte kZero[64] = {};
    context.setResult(0, Value(Tensor::splat(type_, kZero)));
    co_return llvm::Error::success();
  }
  while (!process.grid.isPosted(*source, key, number)) {
    process.waitsFor = program::toString(*source) + " in " + key;
    co_await std::suspend_always();
  }
  context.setResult(0, process.grid.read(*source, key, number)[0]);
  co_return llvm::Error::success();
}

static llvm::Error needsProcesses() {
  return makeError(ErrorCode::Unsupported,
                   "there is nobody to exchange data with: send, recv and "
                   "infeed run under interpreter.run_parallel");
}

RegionTask ReceiveStep::start(StepContext &context,
                              llvm::MutableArrayRef<RegionEvaluator>) const {
  Process *process = context.run.process;
  if (!process)
    co_return needsProcesses();
  auto incoming = [&]() -> std::deque<std::vector<Value>> & {
    return toPartner_ ? process->grid.queueOf(process->id, queue_)
                      : process->grid.queue(queue_);
  };
  while (incoming().empty()) {
    process->waitsFor = "data in " + queue_;
    co_await std::suspend_always();
  }
  std::deque<std::vector<Value>> &queue = incoming();
  std::vector<Value> values = std::move(queue.front());
  queue.pop_front();
  if (values.size() + 1 != context.results.size())
    co_return makeError(ErrorCode::InvalidArgument,
                        "{0} has {1} tensors, expected {2}", queue_,
                        values.size(), context.results.size() - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    std::optional<TensorType> wanted;
    if (auto type =
            program::tensorTypeOf(context.op->getResult(unsigned(i)).getType()))
      wanted = *type;
    else
      co_return type.takeError();
    if (!(values[i].tensor().type() == *wanted))
      co_return makeError(ErrorCode::InvalidArgument,
                          "{0} has {1}, expected {2}", queue_,
                          tensor::toString(values[i].tensor().type()),
                          tensor::toString(*wanted));
    context.setResult(i, std::move(values[i]));
  }
  context.setResult(values.size(), Value(Token()));
  co_return llvm::Error::success();
}

static llvm::Error noShadow() {
  return makeError(ErrorCode::Unsupported, "a shadow travels with its value");
}

llvm::Expected<std::unique_ptr<Step>> collectivePermute(const StepSpec &spec) {
  if (spec.shadow)
    return noShadow();
  auto pairs = rowsOf(spec.op, "source_target_pairs");
  if (!pairs)
    return pairs.takeError();
  return std::make_unique<PermuteStep>(channelOf(spec.op), std::move(*pairs),
                                       spec.results[0]);
}

static std::string channelName(mlir::Operation *op) {
  return "channel " + std::to_string(channelOf(op));
}

/// The pairs of processes that exchange data; without pairs the first process to
/// receive gets the data.
static llvm::Expected<std::vector<std::vector<int64_t>>>
pairsOf(mlir::Operation *op) {
  if (flagOf(op, "is_host_transfer"))
    return std::vector<std::vector<int64_t>>();
  return rowsOf(op, "source_target_pairs");
}

llvm::Expected<std::unique_ptr<Step>> send(const StepSpec &spec) {
  if (spec.shadow)
    return noShadow();
  auto partners = pairsOf(spec.op);
  if (!partners)
    return partners.takeError();
  return program::makeOwningStep([name = channelName(spec.op),
                                  pairs = std::move(*partners)](
                                     StepContext &context) -> llvm::Error {
    Process *process = context.run.process;
    if (!process)
      return needsProcesses();
    std::vector<Value> values;
    for (size_t i = 0; i + 1 < context.operandCount(); ++i)
      values.push_back(context.operandValue(i));
    if (pairs.empty())
      process->grid.queue(name).push_back(values);
    // The numbers denote partitions where there is more than one.
    GroupKind kind = process->grid.partitions() > 1 ? GroupKind::CrossPartition
                                                    : GroupKind::CrossReplica;
    for (const std::vector<int64_t> &pair : pairs) {
      std::vector<ProcessId> ends =
          membersOf(process->id, process->grid, kind, pair);
      if (ends[0] == process->id)
        process->grid.sendTo(ends[1], name, values);
    }
    context.setResult(0, Value(Token()));
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> receive(const StepSpec &spec) {
  if (spec.shadow)
    return noShadow();
  auto pairs = pairsOf(spec.op);
  if (!pairs)
    return pairs.takeError();
  return std::make_unique<ReceiveStep>(channelName(spec.op), !pairs->empty());
}

llvm::Expected<std::unique_ptr<Step>> infeed(const StepSpec &spec) {
  if (spec.shadow)
    return noShadow();
  return std::make_unique<ReceiveStep>("infeed", false);
}

/// The host ignores the data that it receives.
llvm::Expected<std::unique_ptr<Step>> outfeed(const StepSpec &) {
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    context.setResult(0, Value(Token()));
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> processNumber(const StepSpec &spec) {
  bool replica = mlir::isa<stablehlo::ReplicaIdOp>(spec.op);
  return program::makeStep([replica](StepContext &context) -> llvm::Error {
    Process *process = context.run.process;
    ProcessId id = process ? process->id : ProcessId();
    *context.out(0).mutableData<uint32_t>() =
        static_cast<uint32_t>(replica ? id.replica : id.partition);
    return llvm::Error::success();
  });
}

} // namespace assay::reference
