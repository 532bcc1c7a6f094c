// The executor. One loop takes the top frame's next step until no frame is
// left:
//
//   1. a data step: allocate its results, run it, run its shadow, store,
//      release dead slots;
//   2. a control step (call, while, if, case): push a frame; its kind says what
//      happens when its block ends;
//   3. a region step: start its coroutine; whenever it waits for a region
//      without a lane program, push a frame for the region, one evaluation
//      after the other, and resume it; a step that waits for another process
//      stops the run instead.
//
// Nothing recurses in C++, so only RunContext::maxFrames limits the depth of
// calls and regions.
#include "assay/program/Executor.h"
#include "assay/numerics/Convert.h"
#include "assay/program/DynamicStep.h"
#include "assay/program/Processes.h"
#include "assay/program/Types.h"
#include "assay/support/Words.h"

#include <chrono>
#include <cstring>

namespace assay::program {

namespace {

/// The slots of one function call.
struct Activation {
  const FunctionPlan *function;
  std::vector<Value> slots;
};

/// A region step in progress: its coroutine, and the evaluation that the
/// coroutine waits for.
struct RegionRun {
  StepContext context;
  llvm::SmallVector<Value, 2> results;
  std::vector<RegionEvaluator> regions;
  RegionTask task;
  int64_t lane = 0;
  int64_t startNs = 0;
};

struct Frame {
  enum class Kind : uint8_t { Function, Condition, Body, Branch, Region };
  Kind kind;
  Activation *activation;
  const BlockPlan *block;
  size_t next = 0; // index of the step to run next
};

class Executor final : public Execution {
public:
  Executor(const Plan &plan, RunContext &run) : plan_(plan), run_(run) {}
  llvm::Error start(uint32_t function, std::vector<Value> arguments) override;
  llvm::Expected<Progress> advance() override;
  std::vector<Value> takeResults() override { return std::move(results_); }

private:
  llvm::Error runToTheNextWait();
  llvm::Error step();
  llvm::Error runData(Frame &frame, const StepNode &node);
  llvm::Error runShadow(const StepNode &node, StepContext &context,
                        llvm::MutableArrayRef<Value> results);
  llvm::Error enter(Frame &frame, const StepNode &node);
  llvm::Error enterProcesses(Frame &frame, const StepNode &node);
  llvm::Error finishBlock();
  void finishBranch(llvm::SmallVector<Value, 4> &returned);
  llvm::Error allocateResults(const StepNode &node, StepContext &context,
                              llvm::MutableArrayRef<Value> results);
  llvm::Error driveRegion(const StepNode &node);
  void setRegionArguments();
  llvm::Error takeRegionResults(llvm::ArrayRef<Value> returned);
  llvm::Error push(Frame frame);
  void store(Frame &frame, const StepNode &node,
             llvm::MutableArrayRef<Value> results);
  Value takeOperand(Frame &frame, const StepNode &node, size_t i);
  const StepNode &current(const Frame &frame) const {
    return frame.block->steps[frame.next - 1];
  }
  const BlockPlan &nested(const Frame &frame, const StepNode &node,
                          size_t i) const {
    return frame.activation->function->blocks[node.blocks[i]];
  }
  void notify(const StepNode &node, llvm::ArrayRef<Value *> operands,
              llvm::ArrayRef<Value> results, int64_t startNs);
  void amend(const StepNode &node, llvm::MutableArrayRef<Value> results) {
    for (Observer *observer : run_.observers)
      observer->amend(node, results);
  }
  void notifyControl(const StepNode &node, mlir::Block *block) {
    for (Observer *observer : run_.observers)
      observer->onControl(node, block);
  }
  void notifyBranch(const StepNode &node, size_t region) {
    if (!run_.observers.empty())
      notifyControl(node,
                    &node.op->getRegion(static_cast<unsigned>(region)).front());
  }
  llvm::Error located(llvm::Error error) const;

  const Plan &plan_;
  RunContext &run_;
  std::vector<Frame> frames_;
  std::vector<std::unique_ptr<Activation>> activations_;
  std::vector<std::unique_ptr<Activation>>
      spare_; // finished activations, reused by later calls
  std::vector<std::unique_ptr<RegionRun>> regions_;
  std::vector<Value> results_;
  int64_t ticks_ = 0;
  bool waits_ = false; ///< the top region step waits for another process
};

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Converts a tensor to f64 (or binary128).
llvm::Expected<Tensor> widened(const Tensor &tensor, const TensorType &type,
                               RunContext &run) {
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense)
    return dense;
  llvm::Expected<Tensor> result = Tensor::allocate(type, run.budget);
  if (!result)
    return result;
  numerics::convertArray(tensor.elementType(), dense->bytes(), type.element,
                         result->mutableBytes(), tensor.size());
  return result;
}

llvm::Error giveShadow(Value &value, RunContext &run) {
  if (!value.isTensor() || value.shadow().valid())
    return llvm::Error::success();
  std::optional<numerics::ElementType> wide =
      shadowTypeOf(value.tensor().elementType());
  if (!wide)
    return llvm::Error::success();
  llvm::Expected<Tensor> shadow =
      widened(value.tensor(), {*wide, value.tensor().type().shape}, run);
  if (!shadow)
    return shadow.takeError();
  value.setShadow(std::move(*shadow));
  return llvm::Error::success();
}

} // namespace

void Executor::notify(const StepNode &node, llvm::ArrayRef<Value *> operands,
                      llvm::ArrayRef<Value> results, int64_t startNs) {
  int64_t timeNs = nowNs() - startNs;
  for (Observer *observer : run_.observers)
    observer->onStep(node, operands, results, timeNs);
}

llvm::Error Executor::located(llvm::Error error) const {
  if (frames_.empty() || frames_.back().next == 0)
    return error;
  const StepNode &node = current(frames_.back());
  if (mlir::isa<mlir::func::FuncOp>(node.op))
    return error; // a step for a whole program locates its failure itself
  std::string types, path;
  for (mlir::Type type : node.op->getOperandTypes()) {
    llvm::raw_string_ostream os(types);
    os << (types.empty() ? "" : ", ") << type;
  }
  int shown = 0;
  for (size_t i = frames_.size() - 1; i-- > 0 && shown < 8;)
    if (frames_[i].next > 0 &&
        current(frames_[i]).control == StepNode::Control::Call) {
      path += "\n  called at " +
              describeLocation(current(frames_[i]).op->getLoc()) + " in @" +
              frames_[i].activation->function->name;
      ++shown;
    }
  ErrorText text = takeError(std::move(error));
  return makeError(text.code, "{0}: '{1}' ({2}) in @{3}: {4}{5}",
                   describeLocation(node.op->getLoc()), node.name, types,
                   frames_.back().activation->function->name, text.message,
                   path);
}

llvm::Error Executor::push(Frame frame) {
  if (static_cast<int64_t>(frames_.size()) >= run_.maxFrames)
    return makeError(ErrorCode::ResourceLimit,
                     "calls and regions are nested more than {0} deep: the "
                     "program seems to recurse without end",
                     run_.maxFrames);
  frames_.push_back(frame);
  return llvm::Error::success();
}

Value Executor::takeOperand(Frame &frame, const StepNode &node, size_t i) {
  Value &slot = frame.activation->slots[node.operands[i]];
  return node.dying[i] ? std::move(slot) : slot;
}

void Executor::store(Frame &frame, const StepNode &node,
                     llvm::MutableArrayRef<Value> results) {
  for (SlotId slot : node.release)
    frame.activation->slots[slot] = Value();
  for (size_t i = 0; i < results.size(); ++i)
    if (!llvm::is_contained(node.release, node.results[i]))
      frame.activation->slots[node.results[i]] = std::move(results[i]);
}

llvm::Error Executor::allocateResults(const StepNode &node,
                                      StepContext &context,
                                      llvm::MutableArrayRef<Value> results) {
  for (size_t i = 0; i < node.resultTypes.size(); ++i) {
    llvm::Expected<Tensor> tensor =
        Tensor::allocate(node.resultTypes[i], run_.budget);
    if (!tensor)
      return tensor.takeError();
    results[i] = Value(std::move(*tensor));
  }
  context.joint = run_.shadow && node.step->jointShadow();
  if (!context.joint)
    return llvm::Error::success();
  context.shadows.resize(results.size());
  for (size_t i = 0; i < node.shadowResultTypes.size(); ++i) {
    if (node.shadowResultTypes[i].element.isBool())
      continue;
    llvm::Expected<Tensor> tensor =
        Tensor::allocate(node.shadowResultTypes[i], run_.budget);
    if (!tensor)
      return tensor.takeError();
    context.shadows[i] = std::move(*tensor);
  }
  return llvm::Error::success();
}

llvm::Error Executor::runShadow(const StepNode &node, StepContext &context,
                                llvm::MutableArrayRef<Value> results) {
  if (context.joint) {
    for (size_t i = 0; i < results.size(); ++i)
      results[i].setShadow(std::move(context.shadows[i]));
  } else if (node.shadowStep) {
    StepContext wide(run_, node.op);
    wide.operands = context.operands;
    wide.dying = context.dying;
    wide.results = results;
    wide.shadowRun = true;
    wide.shadows.resize(results.size());
    if (!node.shadowStep->ownsResults())
      for (size_t i = 0; i < results.size(); ++i) {
        llvm::Expected<Tensor> tensor =
            Tensor::allocate(node.shadowResultTypes[i], run_.budget);
        if (!tensor)
          return tensor.takeError();
        wide.shadows[i] = std::move(*tensor);
      }
    if (llvm::Error error = node.shadowStep->run(wide))
      return error;
    for (size_t i = 0; i < results.size(); ++i)
      if (!node.shadowResultTypes[i].element.isBool())
        results[i].setShadow(std::move(wide.shadows[i]));
  }
  for (Value &value : results)
    if (llvm::Error error = giveShadow(value, run_))
      return error;
  return llvm::Error::success();
}

llvm::Error Executor::runData(Frame &frame, const StepNode &node) {
  int64_t startNs = run_.observers.empty() ? 0 : nowNs();
  StepContext context(run_, node.op);
  for (SlotId slot : node.operands)
    context.operands.push_back(&frame.activation->slots[slot]);
  context.dying.assign(node.dying.begin(), node.dying.end());
  for (Observer *observer : run_.observers)
    observer->beforeStep(node, context.operands);
  if (node.step->isRegionStep()) {
    auto region = std::make_unique<RegionRun>(
        RegionRun{std::move(context), {}, {}, {}, 0, startNs});
    region->results.resize(node.results.size());
    region->context.results = region->results;
    for (size_t i = 0; i < node.blocks.size(); ++i) {
      RegionEvaluator &evaluator = region->regions.emplace_back();
      evaluator.function = node.lanes[i].get();
      evaluator.block = node.blocks[i];
    }
    if (llvm::Error error =
            allocateResults(node, region->context, region->results))
      return error;
    region->task = node.step->start(region->context, region->regions);
    regions_.push_back(std::move(region));
    return driveRegion(node);
  }
  llvm::SmallVector<Value, 2> results(node.results.size());
  context.results = results;
  if (llvm::Error error = allocateResults(node, context, results))
    return error;
  if (llvm::Error error = node.step->run(context))
    return error;
  if (run_.shadow)
    if (llvm::Error error = runShadow(node, context, results))
      return error;
  if (!run_.observers.empty()) {
    amend(node, results);
    notify(node, context.operands, results, startNs);
  }
  store(frame, node, results);
  return llvm::Error::success();
}

// The top of regions_ belongs to the top frame's current step. Resumes it until
// it is done or waits for a region.
llvm::Error Executor::driveRegion(const StepNode &node) {
  RegionRun &region = *regions_.back();
  region.task.resume();
  if (!region.task.done()) {
    for (RegionEvaluator &evaluator : region.regions) {
      if (!evaluator.pending)
        continue;
      Frame &frame = frames_.back();
      region.lane = 0;
      if (llvm::Error error =
              push({Frame::Kind::Region, frame.activation,
                    &frame.activation->function->blocks[evaluator.block], 0}))
        return error;
      setRegionArguments();
      return llvm::Error::success();
    }
    if (!run_.process)
      return makeError(ErrorCode::Internal, "a region step waits for nothing");
    waits_ = true;
    return llvm::Error::success();
  }
  std::unique_ptr<RegionRun> finished = std::move(regions_.back());
  regions_.pop_back();
  if (llvm::Error error = finished->task.takeOutcome())
    return error;
  if (run_.shadow)
    if (llvm::Error error =
            runShadow(node, finished->context, finished->results))
      return error;
  if (!run_.observers.empty()) {
    amend(node, finished->results);
    notify(node, finished->context.operands, finished->results,
           finished->startNs);
  }
  store(frames_.back(), node, finished->results);
  return llvm::Error::success();
}

static RegionEvaluator &waiting(RegionRun &region) {
  for (RegionEvaluator &evaluator : region.regions)
    if (evaluator.pending)
      return evaluator;
  return region.regions.front();
}

void Executor::setRegionArguments() {
  RegionRun &region = *regions_.back();
  Frame &frame = frames_.back();
  RegionEvaluator::Call &call = *waiting(region).pending;
  mlir::Region *body = nullptr;
  for (mlir::Region &candidate : region.context.op->getRegions())
    if (frame.activation->function->blocks.data() +
            region.regions[candidate.getRegionNumber()].block ==
        frame.block)
      body = &candidate;
  for (size_t a = 0; a < frame.block->arguments.size(); ++a) {
    TensorType type = llvm::cantFail(
        tensorTypeOf(body->getArgument(static_cast<unsigned>(a)).getType()));
    auto element = [&](void *lanes, numerics::ElementType elementType) {
      return Tensor::splat({elementType, {}},
                           static_cast<std::byte *>(lanes) +
                               region.lane * elementType.storageBytes());
    };
    Value value(element(call.arguments[a].values, type.element));
    if (call.arguments[a].shadows)
      value.setShadow(
          element(call.arguments[a].shadows, *shadowTypeOf(type.element)));
    frame.activation->slots[frame.block->arguments[a]] = std::move(value);
  }
  frame.next = 0;
}

llvm::Error Executor::takeRegionResults(llvm::ArrayRef<Value> returned) {
  RegionRun &region = *regions_.back();
  RegionEvaluator &evaluator = waiting(region);
  RegionEvaluator::Call &call = *evaluator.pending;
  for (size_t r = 0; r < returned.size(); ++r) {
    const Tensor &value = returned[r].tensor();
    int64_t width = value.elementType().storageBytes();
    std::memcpy(static_cast<std::byte *>(call.results[r].values) +
                    region.lane * width,
                value.bytes(), static_cast<size_t>(width));
    if (call.results[r].shadows && returned[r].shadow().valid()) {
      width = returned[r].shadow().elementType().storageBytes();
      std::memcpy(static_cast<std::byte *>(call.results[r].shadows) +
                      region.lane * width,
                  returned[r].shadow().bytes(), static_cast<size_t>(width));
    }
  }
  if (++region.lane < call.lanes) {
    setRegionArguments();
    return llvm::Error::success();
  }
  frames_.pop_back();
  evaluator.pending = nullptr;
  return driveRegion(current(frames_.back()));
}

// A control step that starts processes, each with its own executor.
llvm::Error Executor::enterProcesses(Frame &frame, const StepNode &node) {
  std::vector<Value> operands;
  for (size_t i = 0; i < node.operands.size(); ++i)
    operands.push_back(takeOperand(frame, node, i));
  llvm::Expected<std::vector<Value>> results =
      runProcesses(plan_, run_, node, std::move(operands));
  if (!results)
    return results.takeError();
  store(frame, node, *results);
  return llvm::Error::success();
}

// Enters a control step: pushes the frame of its first block.
llvm::Error Executor::enter(Frame &frame, const StepNode &node) {
  using Control = StepNode::Control;
  if (startsProcesses(node))
    return enterProcesses(frame, node);
  if (node.control == Control::Call) {
    const FunctionPlan &callee = *plan_.functions[node.callee];
    std::unique_ptr<Activation> activation;
    if (spare_.empty()) {
      activation = std::make_unique<Activation>();
    } else {
      activation = std::move(spare_.back());
      spare_.pop_back();
    }
    activation->function = &callee;
    activation->slots.resize(callee.slots);
    const BlockPlan &body = callee.blocks.front();
    for (size_t i = 0; i < node.operands.size(); ++i)
      activation->slots[body.arguments[i]] = takeOperand(frame, node, i);
    activations_.push_back(std::move(activation));
    if (!run_.observers.empty())
      notifyControl(node, &callee.op->getRegion(0).front());
    return push({Frame::Kind::Function, activations_.back().get(), &body, 0});
  }
  if (node.control == Control::While) {
    const BlockPlan &condition = nested(frame, node, 0);
    for (size_t i = 0; i < node.operands.size(); ++i)
      frame.activation->slots[condition.arguments[i]] =
          takeOperand(frame, node, i);
    notifyBranch(node, 0);
    return push({Frame::Kind::Condition, frame.activation, &condition, 0});
  }
  if (node.control == Control::Async) {
    const BlockPlan &body = nested(frame, node, 0);
    for (size_t i = 0; i < body.arguments.size(); ++i)
      frame.activation->slots[body.arguments[i]] = takeOperand(frame, node, i);
    notifyBranch(node, 0);
    return push({Frame::Kind::Branch, frame.activation, &body, 0});
  }
  llvm::Expected<Tensor> selector =
      frame.activation->slots[node.operands[0]].tensor().dense();
  if (!selector)
    return selector.takeError();
  size_t branch;
  if (node.control == Control::If) {
    branch = *selector->data<uint8_t>() ? 0 : 1;
  } else {
    int32_t index = *selector->data<int32_t>();
    branch = index >= 0 && index < static_cast<int32_t>(node.blocks.size())
                 ? static_cast<size_t>(index)
                 : node.blocks.size() - 1;
  }
  notifyBranch(node, branch);
  return push(
      {Frame::Kind::Branch, frame.activation, &nested(frame, node, branch), 0});
}

/// A branch of `if` or `case`, or the body of async_start.
void Executor::finishBranch(llvm::SmallVector<Value, 4> &returned) {
  frames_.pop_back();
  const StepNode &node = current(frames_.back());
  notifyControl(node, nullptr);
  if (node.control == StepNode::Control::Async) { // the result is a future
    auto values = std::make_shared<std::vector<Value>>(
        std::make_move_iterator(returned.begin()),
        std::make_move_iterator(returned.end()));
    returned.assign(1, Value(Tuple(std::move(values))));
  }
  store(frames_.back(), node, returned);
}

llvm::Error Executor::finishBlock() {
  Frame frame = frames_.back();
  llvm::SmallVector<Value, 4> returned;
  for (size_t i = 0; i < frame.block->returns.size(); ++i) {
    Value &slot = frame.activation->slots[frame.block->returns[i]];
    returned.push_back(frame.block->returnMoves[i] ? std::move(slot) : slot);
  }
  if (frame.kind == Frame::Kind::Region)
    return takeRegionResults(returned);
  if (frame.kind == Frame::Kind::Function) {
    frames_.pop_back();
    activations_.back()->slots.clear();
    spare_.push_back(std::move(activations_.back()));
    activations_.pop_back();
    if (frames_.empty()) {
      results_.assign(std::make_move_iterator(returned.begin()),
                      std::make_move_iterator(returned.end()));
      return llvm::Error::success();
    }
    notifyControl(current(frames_.back()), nullptr);
    store(frames_.back(), current(frames_.back()), returned);
    return llvm::Error::success();
  }
  if (frame.kind == Frame::Kind::Branch) {
    finishBranch(returned);
    return llvm::Error::success();
  }
  // A loop: between iterations the carried values are in the slots of the
  // condition's arguments.
  Frame &parent = frames_[frames_.size() - 2];
  const StepNode &node = current(parent);
  const BlockPlan &condition = nested(parent, node, 0),
                  &body = nested(parent, node, 1);
  std::vector<Value> &slots = frame.activation->slots;
  if (frame.kind == Frame::Kind::Body) {
    for (size_t i = 0; i < returned.size(); ++i)
      slots[condition.arguments[i]] = std::move(returned[i]);
    notifyBranch(node, 0);
    frames_.back() = {Frame::Kind::Condition, frame.activation, &condition, 0};
    return llvm::Error::success();
  }
  bool again =
      *reinterpret_cast<const uint8_t *>(returned[0].tensor().bytes()) != 0;
  if (again) {
    for (size_t i = 0; i < condition.arguments.size(); ++i)
      slots[body.arguments[i]] = std::move(slots[condition.arguments[i]]);
    notifyBranch(node, 1);
    frames_.back() = {Frame::Kind::Body, frame.activation, &body, 0};
    return llvm::Error::success();
  }
  llvm::SmallVector<Value, 4> carried;
  for (SlotId slot : condition.arguments)
    carried.push_back(std::move(slots[slot]));
  frames_.pop_back();
  notifyControl(node, nullptr);
  store(frames_.back(), node, carried);
  return llvm::Error::success();
}

llvm::Error Executor::step() {
  // Count the ends of blocks too, because a loop may have no step at all.
  if ((++ticks_ & 63) == 0)
    if (llvm::Error error = run_.interrupt.check())
      return error;
  Frame &frame = frames_.back();
  if (frame.next == frame.block->steps.size())
    return finishBlock();
  const StepNode &node = frame.block->steps[frame.next++];
  switch (node.control) {
  case StepNode::Control::Data:
    return runData(frame, node);
  case StepNode::Control::Constant: {
    llvm::SmallVector<Value, 1> results{node.constant};
    if (run_.shadow)
      if (llvm::Error error = giveShadow(results[0], run_))
        return error;
    if (!run_.observers.empty())
      notify(node, {}, results, nowNs());
    store(frame, node, results);
    return llvm::Error::success();
  }
  default:
    return enter(frame, node);
  }
}

/// Checks the sizes of an argument against the bounds in its type.
static llvm::Error checkArgument(mlir::Operation &function, size_t i,
                                 const Tensor &value) {
  auto takes = mlir::dyn_cast<mlir::func::FuncOp>(function);
  if (!takes)
    return llvm::Error::success();
  return addContext(
      checkBounds(takes.getArgumentTypes()[i], value.shape()),
      llvm::formatv("argument {0} of @{1}", i, takes.getSymName()).str());
}

llvm::Error Executor::start(uint32_t function, std::vector<Value> arguments) {
  const FunctionPlan &entry = *plan_.functions[function];
  const BlockPlan &body = entry.blocks.front();
  if (arguments.size() != body.arguments.size())
    return makeError(ErrorCode::InvalidArgument,
                     "@{0} takes {1}, got {2}", entry.name,
                     counted(body.arguments.size(), "argument"),
                     arguments.size());
  activations_.push_back(std::make_unique<Activation>());
  activations_.back()->function = &entry;
  activations_.back()->slots.resize(entry.slots);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].isTensor())
      if (llvm::Error error =
              checkArgument(*entry.op, i, arguments[i].tensor()))
        return error;
    if (run_.shadow)
      if (llvm::Error error = giveShadow(arguments[i], run_))
        return error;
    activations_.back()->slots[body.arguments[i]] = std::move(arguments[i]);
  }
  return push({Frame::Kind::Function, activations_.back().get(), &body, 0});
}

llvm::Error Executor::runToTheNextWait() {
  while (!frames_.empty() && !waits_)
    if (llvm::Error error = step())
      return error;
  return llvm::Error::success();
}

llvm::Expected<Execution::Progress> Executor::advance() {
  if (waits_) {
    waits_ = false;
    if (llvm::Error error = driveRegion(current(frames_.back())))
      return located(std::move(error));
    if (waits_)
      return Progress::Stuck;
  }
  if (llvm::Error error = runToTheNextWait())
    return located(std::move(error));
  return waits_ ? Progress::Waiting : Progress::Finished;
}

std::unique_ptr<Execution> Execution::create(const Plan &plan,
                                             RunContext &context) {
  return std::make_unique<Executor>(plan, context);
}

llvm::Expected<std::vector<Value>> execute(const Plan &plan,
                                           llvm::ArrayRef<Tensor> arguments,
                                           RunContext &context) {
  Executor executor(plan, context);
  if (llvm::Error error = executor.start(
          plan.entry, std::vector<Value>(arguments.begin(), arguments.end())))
    return error;
  if (auto progress = executor.advance(); !progress)
    return progress.takeError();
  return executor.takeResults();
}

} // namespace assay::program
