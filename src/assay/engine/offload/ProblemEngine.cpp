// From a program to problems. In a clone, each block is searched for offers that cover several
// operations (a product with its bias and activation): the widest that the engine takes becomes
// one operation, at the place of the last one. Then the plan has a step for each operation;
// those that are problems alone get theirs here too.
#include "assay/engine/offload/ProblemEngine.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/Registry.h"
#include "assay/engine/offload/OffloadStep.h"
#include "assay/program/Clone.h"
#include "assay/support/ThreadPool.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace assay::engine {

using program::Step;

llvm::Expected<std::unique_ptr<Engine>>
ProblemEngine::create(llvm::StringRef name,
                      std::shared_ptr<const program::StepCompiler> rest,
                      const EngineOptions &options) {
  llvm::Expected<std::string> module = resolveEngine(name);
  if (!module)
    return module.takeError();
  llvm::Expected<Arena> arena = Arena::create(int64_t{1} << 40);
  if (!arena)
    return arena.takeError();
  WorkerOptions worker;
  worker.program = options.workerProgram;
  worker.module = *module;
  worker.timeoutFlag = "--max-seconds";
  worker.stopsAtInterrupt = true;
  if (options.timeoutSeconds > 0)
    worker.timeoutSeconds = options.timeoutSeconds;
  auto state = std::make_shared<OffloadState>(
      std::move(*arena), std::move(worker), name.str(),
      ThreadPool(options.threads).threads());
  return std::unique_ptr<Engine>(new ProblemEngine(
      name.str(), std::move(rest), std::move(state), options.recogniser));
}

KeptCounts ProblemEngine::kept() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->kept;
}

WorkerResult::Kind ProblemEngine::lastWorkerResult() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->lastWorkerResult;
}

llvm::Expected<Compiled>
ProblemEngine::compile(const OperationRequest &request) const {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    auto group = state_->groups.find(request.spec.op);
    if (group != state_->groups.end() && group->second)
      return std::move(group->second);
  }
  Refusal refusal{ErrorCode::NotFound, "no problem of the engine"};
  if (request.spec.shadow || !request.layouts.empty() || !recogniser_)
    return refusal;
  for (Offer &offer : recogniser_(request.spec.op)) {
    if (offer.covered.size() != 1)
      continue;
    llvm::Expected<Compiled> compiled =
        makeOffloadStep(state_, std::move(offer));
    if (!compiled)
      return compiled;
    auto *refused = std::get_if<Refusal>(&*compiled);
    if (!refused)
      return compiled;
    refusal = std::move(*refused);
  }
  return refusal;
}

std::unique_ptr<Step>
ProblemEngine::keep(std::unique_ptr<Step> step,
                    const Refusal &refusal) const {
  if (refusal.code == ErrorCode::NotFound)
    return step;
  return makeKeptStep(state_, std::move(step), refusal.text);
}

//===--- Offers that cover several operations ------------------------------===//

namespace {
/// The offers of one program that the engine takes, each made one operation of a clone.
class Grouping {
public:
  Grouping(const Recogniser &recogniser, std::shared_ptr<OffloadState> state,
           const PlanRequest &request, const mlir::IRMapping &copies)
      : recogniser_(recogniser), state_(std::move(state)), request_(request) {
    for (auto [original, copy] : copies.getOperationMap())
      originals_[copy] = original;
  }
  ~Grouping() { // of a plan that was not made
    std::lock_guard<std::mutex> lock(state_->mutex);
    for (mlir::Operation *group : groups_)
      state_->groups.erase(group);
  }
  llvm::Error run(mlir::Block &block);
  /// The plan's operations become those of the program; a group is its last one.
  void nameOriginals(program::Plan &plan) const;

private:
  bool canCover(const Offer &offer, mlir::Block &block) const;
  void make(const Offer &offer, std::unique_ptr<Step> step);

  const Recogniser &recogniser_;
  std::shared_ptr<OffloadState> state_;
  const PlanRequest &request_;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> originals_;
  llvm::SmallVector<mlir::Operation *> groups_;
};
} // namespace

/// Whether the offer's operations can be one step: all in this block, nothing
/// between them is seen from outside.
bool Grouping::canCover(const Offer &offer, mlir::Block &block) const {
  if (offer.covered.size() < 2)
    return false;
  for (mlir::Operation *op : offer.covered) {
    if (op->getBlock() != &block)
      return false;
    if (op == offer.covered.back())
      continue;
    if (request_.wanted && request_.wanted(originals_.lookup(op)))
      return false;
    for (mlir::Operation *user : op->getUsers())
      if (!llvm::is_contained(offer.covered, user))
        return false;
  }
  return true;
}

/// An operation in the place of the last covered one.
void Grouping::make(const Offer &offer, std::unique_ptr<Step> step) {
  mlir::Operation *last = offer.covered.back();
  mlir::OpBuilder builder(last);
  mlir::OperationState state(last->getLoc(), "stablehlo.custom_call");
  state.addAttribute("call_target_name", builder.getStringAttr("assay.problem"));
  llvm::SmallVector<mlir::Value> outputs;
  for (const OfferTensor &tensor : offer.tensors)
    if (!tensor.description.isOutput) {
      state.addOperands(tensor.value);
    } else {
      state.addTypes(tensor.value.getType());
      outputs.push_back(tensor.value);
    }
  mlir::Operation *group = builder.create(state);
  for (auto [output, result] : llvm::zip(outputs, group->getResults()))
    output.replaceAllUsesWith(result);
  originals_[group] = originals_.lookup(last);
  for (mlir::Operation *op : llvm::reverse(offer.covered))
    op->erase();
  groups_.push_back(group);
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->groups[group] = std::move(step);
}

llvm::Error Grouping::run(mlir::Block &block) {
  llvm::SmallVector<mlir::Operation *> all;
  for (mlir::Operation &op : block)
    all.push_back(&op);
  llvm::DenseSet<mlir::Operation *> gone;
  for (mlir::Operation *op : all) {
    if (gone.contains(op))
      continue;
    for (Offer &offer : recogniser_(op)) {
      if (!canCover(offer, block))
        continue;
      llvm::Expected<Compiled> compiled = makeOffloadStep(state_, offer);
      if (!compiled)
        return compiled.takeError();
      auto *step = std::get_if<std::unique_ptr<Step>>(&*compiled);
      if (!step)
        continue;
      gone.insert(offer.covered.begin(), offer.covered.end());
      make(offer, std::move(*step));
      break;
    }
  }
  // Constants that a problem says itself, unless somebody may want to see them.
  if (!gone.empty() && !request_.wanted)
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (mlir::isOpTriviallyDead(&op))
        op.erase();
  return llvm::Error::success();
}

void Grouping::nameOriginals(program::Plan &plan) const {
  for (auto &function : plan.functions) {
    function->op = mlir::cast<mlir::func::FuncOp>(originals_.lookup(function->op));
    for (program::BlockPlan &block : function->blocks)
      for (program::StepNode &node : block.steps)
        if (node.op) {
          node.op = originals_.lookup(node.op);
          node.name = node.op->getName().getStringRef();
        }
  }
}

/// A type has dimensions that a run alone knows.
static bool isDynamic(mlir::ModuleOp module) {
  auto isUnknown = [](mlir::Type type) {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  return module
      .walk([&](mlir::Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isUnknown) ||
                       llvm::any_of(op->getResultTypes(), isUnknown)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

llvm::Expected<std::unique_ptr<program::Plan>>
ProblemEngine::makePlan(std::shared_ptr<const program::Program> program,
                        const PlanRequest &request) const {
  if (!recogniser_ || request.shadow || isDynamic(program->module()))
    return Engine::makePlan(std::move(program), request);
  mlir::IRMapping copies;
  auto copy = program::cloneOf(std::move(program), &copies);
  Grouping grouping(recogniser_, state_, request, copies);
  llvm::SmallVector<mlir::Block *> blocks;
  copy->module()->walk([&](mlir::Block *block) {
    if (mlir::isa_and_nonnull<mlir::func::FuncOp, stablehlo::WhileOp,
                              stablehlo::IfOp, stablehlo::CaseOp>(
            block->getParentOp()))
      blocks.push_back(block);
  });
  for (mlir::Block *block : blocks)
    if (llvm::Error error = grouping.run(*block))
      return error;
  auto plan = Engine::makePlan(copy, request);
  if (plan)
    grouping.nameOriginals(**plan);
  return plan;
}

} // namespace assay::engine
