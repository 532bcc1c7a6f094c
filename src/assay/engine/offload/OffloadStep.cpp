// A step copies its operands into the layout of the problem's tensors, lets the
// worker compute, and copies the results back. The engine is asked whether it
// supports the problem during planning, so that a refused problem never gets a
// step.
#include "assay/engine/offload/OffloadStep.h"
#include "assay/reference/Strided.h"
#include "assay/support/Interrupt.h"

#include <cstring>

namespace assay::engine {

using program::Step;
using program::StepContext;

namespace {
class OffloadStep final : public Step {
public:
  OffloadStep(std::shared_ptr<OffloadState> state, Offer offer);
  llvm::Error run(StepContext &context) const override;

  /// Lets the worker prepare the problem if it has another one; nullopt on
  /// success. The caller holds the state's lock.
  llvm::Expected<std::optional<Refusal>> prepare() const;

private:
  llvm::Error failure(const WorkerResult &result) const;
  std::vector<Placement> place() const;

  std::shared_ptr<OffloadState> state_;
  Offer offer_;
  /// The operand or result of the step for each tensor.
  std::vector<size_t> order_;
  ProblemDescription problem_;
  int64_t id_;
};

class KeptStep final : public Step {
public:
  KeptStep(std::shared_ptr<OffloadState> state, std::unique_ptr<Step> step,
           std::string reason)
      : state_(std::move(state)), step_(std::move(step)),
        reason_(std::move(reason)) {}
  llvm::Error run(StepContext &context) const override {
    {
      std::lock_guard<std::mutex> lock(state_->mutex);
      ++state_->kept[reason_];
    }
    return step_->run(context);
  }
  bool ownsResults() const override { return step_->ownsResults(); }
  bool jointShadow() const override { return step_->jointShadow(); }

private:
  std::shared_ptr<OffloadState> state_;
  std::unique_ptr<Step> step_;
  std::string reason_;
};
} // namespace

/// The position of the tensor among the operands or results of the operation.
static size_t placeIn(mlir::Operation *op, const OfferTensor &tensor) {
  if (tensor.description.isOutput)
    return mlir::cast<mlir::OpResult>(tensor.value).getResultNumber();
  auto operands = op->getOperands();
  return static_cast<size_t>(llvm::find(operands, tensor.value) -
                             operands.begin());
}

OffloadStep::OffloadStep(std::shared_ptr<OffloadState> state, Offer offer)
    : state_(std::move(state)), offer_(std::move(offer)), id_(state_->ids++) {
  problem_.driver = offer_.driver;
  problem_.json = offer_.json;
  problem_.threads = state_->threads;
  size_t inputs = 0, outputs = 0;
  for (const OfferTensor &tensor : offer_.tensors) {
    problem_.tensors.push_back(tensor.description);
    size_t place = tensor.description.isOutput ? outputs++ : inputs++;
    order_.push_back(offer_.covered.size() == 1
                         ? placeIn(offer_.covered.front(), tensor)
                         : place);
  }
}

llvm::Error OffloadStep::failure(const WorkerResult &result) const {
  using Kind = WorkerResult::Kind;
  state_->current = -1;
  if (Interrupt::requested())
    return makeError(ErrorCode::Cancelled, "interrupted by Ctrl-C");
  if (result.kind == Kind::NoMemory)
    return makeError(ErrorCode::ResourceLimit, "engine '{0}': {1}",
                     state_->name, result.reason);
  const char *what = result.kind == Kind::Crashed   ? "crashed"
                     : result.kind == Kind::Timeout ? "hangs"
                                                    : "failed";
  return makeError(ErrorCode::Mismatch,
                   "engine '{0}' {1}: {2}; repro: assay verify --engine={0} "
                   "{3}",
                   state_->name, what, result.reason, offer_.words);
}

llvm::Expected<std::optional<Refusal>> OffloadStep::prepare() const {
  using Kind = WorkerResult::Kind;
  if (state_->current == id_)
    return std::nullopt;
  state_->worker.destroy();
  state_->current = -1;
  WorkerResult created = state_->worker.create(problem_);
  state_->lastWorkerResult = created.kind;
  if (created.kind == Kind::Unsupported || created.kind == Kind::NotHere ||
      created.kind == Kind::NoMemory || created.kind == Kind::Invalid)
    return Refusal{ErrorCode::Unsupported, created.reason};
  if (created.kind != Kind::Ok)
    return failure(created);
  state_->alignment = created.alignment;
  state_->current = id_;
  return std::nullopt;
}

/// The number of elements that the tensor spans in memory.
static int64_t spanElements(const TensorDescription &tensor) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(tensor.dims, tensor.strides)) {
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return last + 1;
}

std::vector<Placement> OffloadStep::place() const {
  llvm::SmallVector<Extent, 4> extents;
  for (const OfferTensor &tensor : offer_.tensors)
    extents.push_back({spanElements(tensor.description) * tensor.widthBytes,
                       tensor.widthBytes});
  return placeTensors(extents, Guard::AtEnd, state_->alignment);
}

llvm::Error OffloadStep::run(StepContext &context) const {
  ++context.run.engineSteps;
  std::lock_guard<std::mutex> lock(state_->mutex);
  llvm::Expected<std::optional<Refusal>> refused = prepare();
  if (!refused)
    return refused.takeError();
  if (*refused)
    return makeError(ErrorCode::Mismatch,
                     "engine '{0}' refused a problem that it had taken: {1}; "
                     "repro: assay verify --engine={0} {2}",
                     state_->name, (*refused)->text, offer_.words);
  std::vector<Placement> places = place();
  if (llvm::Error error = state_->arena.grow(endOf(places)))
    return error;
  auto at = [&](size_t i) {
    return state_->arena.data() + places[i].fileOffset + places[i].dataOffset;
  };
  for (auto [i, tensor] : llvm::enumerate(offer_.tensors)) {
    if (tensor.description.isOutput) {
      std::memset(at(i), 0xff,
                  static_cast<size_t>(spanElements(tensor.description) *
                                      tensor.widthBytes));
      continue;
    }
    llvm::Expected<tensor::Tensor> operand = context.dense(order_[i]);
    if (!operand)
      return operand.takeError();
    reference::copyStrided(tensor.widthBytes, tensor.shape, operand->bytes(),
                           tensor.programStrides, at(i), tensor.problemStrides,
                           &context.run.threads);
  }
  WorkerResult result = state_->worker.run(
      {static_cast<uint32_t>(places.size()), 0, 0, 0, 0, 0}, places);
  state_->lastWorkerResult = result.kind;
  if (result.kind != WorkerResult::Kind::Ok)
    return failure(result);
  for (auto [i, tensor] : llvm::enumerate(offer_.tensors))
    if (tensor.description.isOutput)
      reference::copyStrided(tensor.widthBytes, tensor.shape, at(i),
                             tensor.problemStrides,
                             context.out(order_[i]).mutableBytes(),
                             tensor.programStrides, &context.run.threads);
  return llvm::Error::success();
}

llvm::Expected<Compiled> makeOffloadStep(std::shared_ptr<OffloadState> state,
                                         Offer offer) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto step = std::make_unique<OffloadStep>(state, std::move(offer));
  llvm::Expected<std::optional<Refusal>> refused = step->prepare();
  if (!refused)
    return refused.takeError();
  if (*refused)
    return std::move(**refused);
  return std::unique_ptr<Step>(std::move(step));
}

std::unique_ptr<Step> makeKeptStep(std::shared_ptr<OffloadState> state,
                                   std::unique_ptr<Step> step,
                                   std::string reason) {
  return std::make_unique<KeptStep>(std::move(state), std::move(step),
                                    std::move(reason));
}

} // namespace assay::engine
