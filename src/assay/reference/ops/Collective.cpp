// Collective operations. Every member of a group posts its operands, waits for
// those of the others, and computes its results from all of them. Sums are
// taken in the order of the group, so that all members get the same bits.
// Shadows are exchanged together with their values.
// Source: StableHLO specification, all_gather ... reduce_scatter.
#include "assay/dialect/Stablehlo.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"
#include "assay/reference/ops/Groups.h"

#include <cstring>

namespace assay::reference {

using program::Lanes;
using program::Process;
using program::ProcessId;
using program::RegionEvaluator;
using program::RegionTask;
using Values = std::vector<Value>;

namespace {
enum class Kind : uint8_t {
  Gather,
  Reduce,
  Scatter,
  Exchange,
  Broadcast,
  ReduceAtRoot,
};

/// The attributes, decoded.
struct Collective {
  Kind kind;
  std::string name; ///< name of the meeting: operation and channel
  GroupKind groups;
  std::vector<std::vector<int64_t>> rows;
  int64_t dimension = 0, second = 0; ///< split and concat dimension
  bool dynamicRoot = false;
  llvm::SmallVector<TensorType, 2> results;

  bool folds() const {
    return kind == Kind::Reduce || kind == Kind::Scatter ||
           kind == Kind::ReduceAtRoot;
  }
};

class CollectiveStep final : public Step {
public:
  explicit CollectiveStep(Collective what) : what_(std::move(what)) {}
  bool isRegionStep() const override { return true; }
  bool ownsResults() const override { return true; }
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  Collective what_;
};

/// Folds the values of all members, beginning with the first.
struct Fold {
  Fold(const Value &first) : value(first) {}
  llvm::Error prepare(const Value &next, StepContext &context);

  Value value;  ///< the fold of the members so far
  Value folded; ///< receives the region's results
  std::vector<Lanes> arguments, results;
};
} // namespace

/// Allocates a tensor like `like`; `lanes` becomes its memory.
static llvm::Error addLanes(const Tensor &like, StepContext &context,
                            Tensor &made, void *&lanes) {
  if (llvm::Error error = context.allocate(like.type()).moveInto(made))
    return error;
  lanes = made.mutableBytes();
  return llvm::Error::success();
}

llvm::Error Fold::prepare(const Value &next, StepContext &context) {
  arguments.clear();
  results.assign(1, {});
  for (const Value *side : {static_cast<const Value *>(&value), &next})
    arguments.push_back({const_cast<std::byte *>(side->tensor().bytes()),
                         side->shadow().valid()
                             ? const_cast<std::byte *>(side->shadow().bytes())
                             : nullptr});
  Tensor made, shadow;
  if (llvm::Error error =
          addLanes(value.tensor(), context, made, results[0].values))
    return error;
  if (value.shadow().valid())
    if (llvm::Error error =
            addLanes(value.shadow(), context, shadow, results[0].shadows))
      return error;
  folded = Value(std::move(made));
  folded.setShadow(std::move(shadow));
  return llvm::Error::success();
}

/// Part `index` of `count` equal parts along a dimension.
static llvm::Expected<Tensor> partOf(const Tensor &whole, int64_t dimension,
                                     int64_t index, int64_t count,
                                     StepContext &context) {
  auto d = static_cast<size_t>(dimension);
  TensorType type = whole.type();
  type.shape[d] /= count;
  llvm::Expected<Tensor> part = context.allocate(type);
  if (!part)
    return part;
  int64_t width = type.element.storageBytes();
  Shape strides = tensor::rowMajorStrides(whole.shape());
  copyStrided(width, type.shape,
              whole.bytes() + index * type.shape[d] * strides[d] * width,
              strides, part->mutableBytes(),
              tensor::rowMajorStrides(type.shape));
  return part;
}

/// The concatenation of the parts along a dimension.
static llvm::Expected<Tensor> joined(llvm::ArrayRef<Tensor> parts,
                                     int64_t dimension, StepContext &context) {
  auto d = static_cast<size_t>(dimension);
  TensorType type = parts[0].type();
  type.shape[d] = 0;
  for (const Tensor &part : parts)
    type.shape[d] += part.shape()[d];
  llvm::Expected<Tensor> whole = context.allocate(type);
  if (!whole)
    return whole;
  int64_t width = type.element.storageBytes(), at = 0;
  Shape strides = tensor::rowMajorStrides(type.shape);
  for (const Tensor &part : parts) {
    copyStrided(width, part.shape(), part.bytes(),
                tensor::rowMajorStrides(part.shape()),
                whole->mutableBytes() + at * strides[d] * width, strides);
    at += part.shape()[d];
  }
  return whole;
}

/// Applies a function of tensors to the values and, where all have one, to
/// their shadows.
static llvm::Expected<Value> forBoth(
    llvm::ArrayRef<const Value *> inputs,
    llvm::function_ref<llvm::Expected<Tensor>(llvm::ArrayRef<Tensor>)> make) {
  std::vector<Tensor> tensors, shadows;
  for (const Value *input : inputs) {
    tensors.push_back(input->tensor());
    if (input->shadow().valid())
      shadows.push_back(input->shadow());
  }
  llvm::Expected<Tensor> made = make(tensors);
  if (!made)
    return made.takeError();
  Value value(std::move(*made));
  if (shadows.size() != inputs.size())
    return value;
  llvm::Expected<Tensor> shadow = make(shadows);
  if (!shadow)
    return shadow.takeError();
  value.setShadow(std::move(*shadow));
  return value;
}

static Value zeros(const TensorType &type) {
  static constexpr std::byte kZero[64] = {};
  return Value(Tensor::splat(type, kZero));
}

static llvm::Error setAll(StepContext &context, Values values) {
  for (size_t i = 0; i < values.size(); ++i)
    context.setResult(i, std::move(values[i]));
  return llvm::Error::success();
}

/// The operands as dense tensors.
static llvm::Expected<Values> denseOperands(StepContext &context) {
  Values values;
  for (size_t i = 0; i < context.operandCount(); ++i) {
    const Value &operand = context.operandValue(i);
    llvm::Expected<Tensor> dense = operand.tensor().dense();
    if (!dense)
      return dense.takeError();
    Value value(std::move(*dense));
    if (operand.shadow().valid()) {
      llvm::Expected<Tensor> shadow = operand.shadow().dense();
      if (!shadow)
        return shadow.takeError();
      value.setShadow(std::move(*shadow));
    }
    values.push_back(std::move(value));
  }
  return values;
}

/// The index in the group of the root process for result `i`.
static size_t rootOf(const Collective &what, const Values &own, size_t i) {
  return what.dynamicRoot
             ? static_cast<size_t>(own.back().tensor().data<int32_t>()[i])
             : 0;
}

/// Result `i` of an operation that only moves data: gather, exchange,
/// broadcast.
static llvm::Expected<Value> moved(const Collective &what,
                                   llvm::ArrayRef<Values> given, size_t me,
                                   size_t i, StepContext &context) {
  auto members = static_cast<int64_t>(given.size());
  llvm::SmallVector<const Value *, 8> inputs;
  if (what.kind == Kind::Broadcast) {
    size_t root = rootOf(what, given[me], i);
    if (root >= given.size())
      return makeError(ErrorCode::InvalidArgument,
                       "root {0} is not in a group of {1} processes", root,
                       given.size());
    return given[root][i];
  }
  for (const Values &values : given)
    inputs.push_back(&values[i]);
  return forBoth(inputs,
                 [&](llvm::ArrayRef<Tensor> all) -> llvm::Expected<Tensor> {
                   if (what.kind == Kind::Gather)
                     return joined(all, what.dimension, context);
                   std::vector<Tensor> parts;
                   for (const Tensor &sender : all) {
                     llvm::Expected<Tensor> part =
                         partOf(sender, what.dimension,
                                static_cast<int64_t>(me), members, context);
                     if (!part)
                       return part;
                     parts.push_back(std::move(*part));
                   }
                   return joined(parts, what.second, context);
                 });
}

namespace {
/// One group's exchange of operands, seen from one of its members.
struct Meeting {
  Process &process;
  std::vector<ProcessId> group;
  std::string what, key;
  int64_t number;

  Meeting(Process &process, std::vector<ProcessId> members,
          const std::string &name)
      : process(process), group(std::move(members)), what(name), key(name) {
    for (ProcessId member : group) // part of the key, so that groups do not mix
      key += program::toString(member);
    number = process.count(key);
  }
  size_t myIndex() const {
    return static_cast<size_t>(llvm::find(group, process.id) - group.begin());
  }
  void post(Values own) const {
    process.grid.post(process.id, key, number, std::move(own), group);
  }
  /// Whether the member has not posted yet.
  bool waitsFor(ProcessId member) const {
    process.waitsFor = program::toString(member) + " in " + what;
    return !process.grid.isPosted(member, key, number);
  }
  std::vector<Values> take() const {
    std::vector<Values> given;
    for (ProcessId member : group)
      given.push_back(process.grid.read(member, key, number));
    return given;
  }
};
} // namespace

/// The part of a finished sum that this process keeps.
static llvm::Expected<Value> kept(const Collective &what, Value sum, size_t me,
                                  size_t members, StepContext &context) {
  if (what.kind != Kind::Scatter)
    return sum;
  return forBoth({&sum}, [&](llvm::ArrayRef<Tensor> whole) {
    return partOf(whole[0], what.dimension, static_cast<int64_t>(me),
                  static_cast<int64_t>(members), context);
  });
}

RegionTask
CollectiveStep::start(StepContext &context,
                      llvm::MutableArrayRef<RegionEvaluator> regions) const {
  // A program that runs alone is the only process of its grid.
  program::Grid alone(1, 1);
  Process single(alone, {});
  Process *found = context.run.process;
  Process &process = found ? *found : single;
  llvm::Expected<std::vector<ProcessId>> group =
      groupOf(process.id, process.grid, what_.groups, what_.rows);
  if (!group)
    co_return group.takeError();
  Values results;
  for (const TensorType &type : what_.results)
    results.push_back(zeros(type));
  if (group->empty())
    co_return setAll(context, std::move(results));

  Meeting meeting(process, std::move(*group), what_.name);
  llvm::Expected<Values> own = denseOperands(context);
  if (!own)
    co_return own.takeError();
  meeting.post(std::move(*own));
  for (ProcessId member : meeting.group)
    while (meeting.waitsFor(member))
      co_await std::suspend_always();
  std::vector<Values> given = meeting.take();
  size_t me = meeting.myIndex();

  for (size_t i = 0; i < results.size(); ++i) {
    if (what_.kind == Kind::ReduceAtRoot && me != rootOf(what_, given[me], i))
      continue;
    Fold fold(given[0][i]);
    for (size_t other = 1; what_.folds() && other < given.size(); ++other) {
      if (llvm::Error error = fold.prepare(given[other][i], context))
        co_return std::move(error);
      if (llvm::Error error = co_await regions[0].evaluate(
              fold.arguments, fold.results, fold.value.tensor().size()))
        co_return std::move(error);
      fold.value = std::move(fold.folded);
    }
    llvm::Expected<Value> made =
        what_.folds()
            ? kept(what_, std::move(fold.value), me, given.size(), context)
            : moved(what_, given, me, i, context);
    if (!made)
      co_return made.takeError();
    results[i] = std::move(*made);
  }
  co_return setAll(context, std::move(results));
}

/// Describes the meeting that a process waits for: `operation, channel 3`.
static std::string meetingName(mlir::Operation *op) {
  std::string name = op->getName().getStringRef().str();
  int64_t channel = channelOf(op);
  return channel > 0 ? name + ", channel " + std::to_string(channel) : name;
}

llvm::Expected<std::unique_ptr<Step>> collective(const StepSpec &spec) {
  if (spec.shadow) // shadows are exchanged with their values
    return makeError(ErrorCode::Unsupported, "a collective has no shadow step");
  mlir::Operation *op = spec.op;
  int64_t channel = channelOf(op);
  Collective what;
  what.name = meetingName(op);
  if (llvm::Error error = rowsOf(op, "replica_groups").moveInto(what.rows))
    return error;
  what.results.assign(spec.results.begin(), spec.results.end());
  what.dynamicRoot = flagOf(op, "has_dynamic_root");
  what.groups = gatheringKind(channel, flagOf(op, "use_global_device_ids"));
  if (mlir::isa<stablehlo::AllGatherOp>(op)) {
    what.kind = Kind::Gather;
    what.dimension = intOf(op, "all_gather_dim");
  } else if (mlir::isa<stablehlo::AllReduceOp>(op)) {
    what.kind = Kind::Reduce;
  } else if (mlir::isa<stablehlo::ReduceScatterOp>(op)) {
    what.kind = Kind::Scatter;
    what.dimension = intOf(op, "scatter_dimension");
  } else {
    what.groups = pairwiseKind(channel);
    what.kind = Kind::Broadcast;
    if (mlir::isa<stablehlo::CollectiveReduceOp>(op)) {
      what.kind = Kind::ReduceAtRoot;
    } else if (mlir::isa<stablehlo::AllToAllOp>(op)) {
      what.kind = Kind::Exchange;
      what.dimension = intOf(op, "split_dimension");
      what.second = intOf(op, "concat_dimension");
    }
  }
  return std::make_unique<CollectiveStep>(std::move(what));
}

} // namespace assay::reference
