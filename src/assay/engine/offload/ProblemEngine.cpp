// From a program to problems. Operations that are problems alone get their
// steps while the plan is built; then each block is searched for offers that
// cover several operations (a product with its bias and activation). The widest
// that the engine takes replaces the steps of all that it covers, at the place
// of the last one.
#include "assay/engine/offload/ProblemEngine.h"
#include "assay/engine/offload/PlanEdit.h"
#include "assay/engine/Registry.h"
#include "assay/engine/offload/OffloadStep.h"
#include "assay/program/Types.h"
#include "assay/support/ThreadPool.h"

namespace assay::engine {

using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;

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

std::unique_ptr<program::Step>
ProblemEngine::keep(std::unique_ptr<program::Step> step,
                    const Refusal &refusal) const {
  if (refusal.code == ErrorCode::NotFound)
    return step;
  return makeKeptStep(state_, std::move(step), refusal.text);
}

namespace {
/// The steps of a block by their operations, and the slots of values.
struct BlockIndex {
  explicit BlockIndex(const BlockPlan &block) {
    for (auto [i, node] : llvm::enumerate(block.steps)) {
      if (!node.op)
        continue;
      positions[node.op] = i;
      for (auto [value, slot] : llvm::zip(node.op->getResults(), node.results))
        slots[value] = slot;
      for (auto [value, slot] :
           llvm::zip(node.op->getOperands(), node.operands))
        slots[value] = slot;
    }
  }
  llvm::DenseMap<mlir::Operation *, size_t> positions;
  llvm::DenseMap<mlir::Value, SlotId> slots;
};
} // namespace

/// Whether the offer's operations can be one step: all in this block, nothing
/// between them is seen from outside.
static bool canCover(const Offer &offer, const BlockIndex &index,
                     const llvm::DenseSet<mlir::Operation *> &taken,
                     const PlanRequest &request) {
  for (mlir::Operation *op : offer.covered) {
    if (!index.positions.contains(op) || taken.contains(op))
      return false;
    if (op == offer.covered.back())
      continue;
    if (request.wanted && request.wanted(op))
      return false;
    for (mlir::Operation *user : op->getUsers())
      if (!llvm::is_contained(offer.covered, user))
        return false;
  }
  return llvm::all_of(offer.tensors, [&](const OfferTensor &tensor) {
    return index.slots.contains(tensor.value);
  });
}

/// The node of the last covered operation, computing all of them.
static void putStep(StepNode &node, const Offer &offer, const BlockIndex &index,
                    std::unique_ptr<program::Step> step) {
  node.operands.clear();
  node.results.clear();
  node.resultTypes.clear();
  for (const OfferTensor &tensor : offer.tensors) {
    SlotId slot = index.slots.lookup(tensor.value);
    if (!tensor.description.isOutput) {
      node.operands.push_back(slot);
      continue;
    }
    node.results.push_back(slot);
    node.resultTypes.push_back(
        llvm::cantFail(program::tensorTypeOf(tensor.value.getType())));
  }
  node.step = std::move(step);
}

llvm::Error ProblemEngine::fuseBlock(FunctionPlan &function, uint32_t number,
                                     bool isCondition,
                                     const PlanRequest &request) const {
  BlockPlan &block = function.blocks[number];
  BlockIndex index(block);
  llvm::DenseSet<mlir::Operation *> taken, gone;
  for (size_t i = 0; i < block.steps.size(); ++i) {
    mlir::Operation *op = block.steps[i].op;
    if (!op || taken.contains(op))
      continue;
    for (Offer &offer : recogniser_(op)) {
      if (offer.covered.size() < 2 || !canCover(offer, index, taken, request))
        continue;
      llvm::Expected<Compiled> compiled = makeOffloadStep(state_, offer);
      if (!compiled)
        return compiled.takeError();
      auto *step = std::get_if<std::unique_ptr<program::Step>>(&*compiled);
      if (!step)
        continue;
      mlir::Operation *last = offer.covered.back();
      putStep(block.steps[index.positions[last]], offer, index,
              std::move(*step));
      taken.insert(offer.covered.begin(), offer.covered.end());
      gone.insert(offer.covered.begin(), offer.covered.end() - 1);
      break;
    }
  }
  if (gone.empty())
    return llvm::Error::success();
  std::erase_if(block.steps,
                [&](const StepNode &node) { return gone.contains(node.op); });
  if (!request.wanted)
    removeUnused(function, block); // constants that the problem says itself
  findReleases(function, block, isCondition);
  return llvm::Error::success();
}

llvm::Error ProblemEngine::fuse(program::Plan &plan,
                                const PlanRequest &request) const {
  if (!recogniser_ || request.shadow)
    return llvm::Error::success();
  for (auto &function : plan.functions)
    for (auto [number, isCondition] : controlBlocks(*function))
      if (llvm::Error error =
              fuseBlock(*function, number, isCondition, request))
        return error;
  return llvm::Error::success();
}

} // namespace assay::engine
